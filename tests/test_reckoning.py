"""How long ago, how long between, which came first: worked out of days that are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import Message
from memcli.languages import language
from memcli.languages.english.questions import parse
from memcli.languages.english.reckonings import reckoning
from memcli.memory import Memory
from memcli.model import Form, Question, Reckoned, Reckoning, Seeks, Standing
from memcli.reading.reckoning import for_days, told, worked_out
from memcli.reading.working_out import _together
from memcli.text.times import Grain, Span, day, month, year

QUESTION = Question("How long ago was it?")
ASKED = datetime(2026, 5, 20, 18, 30, tzinfo=UTC)


def at(of_year: int, of_month: int, of_day: int) -> datetime:
    return datetime(of_year, of_month, of_day, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("parts", "together"), [([0.4], 0.4), ([0.9, 0.4], 0.6), ([1.0, 1.0, 0.216], 0.6), ([0.7, 0.0], 0.0)]
)
def test_what_is_worked_out_is_as_sure_as_its_parts_in_the_geometric_mean(parts: list[float], together: float) -> None:
    assert _together(parts) == pytest.approx(together)


@pytest.mark.parametrize(
    ("question", "kind", "unit", "days"),
    [
        ("How many weeks ago did I plant the leeks?", Reckoned.AGO, "week", ["When did I plant the leeks?"]),
        ("How long ago was Rafi's exam?", Reckoned.AGO, "", ["When was Rafi's exam?"]),
        ("How long has it been since we sold the boat?", Reckoned.AGO, "", ["When was it that we sold the boat?"]),
        ("How many months have passed since the flood?", Reckoned.AGO, "month", ["When was the flood?"]),
        ("How many days until the show?", Reckoned.UNTIL, "day", ["When is the show?"]),
        ("How long is it till we move?", Reckoned.UNTIL, "", ["When is it that we move?"]),
        ("How many days passed between the day I bought the kiln and the day it broke?", Reckoned.BETWEEN, "day",
         ["When was it that I bought the kiln?", "When was it that it broke?"]),
        ("How long was it between the flood and the wedding?", Reckoned.BETWEEN, "",
         ["When was the flood?", "When was the wedding?"]),
        ("How many days had passed since I ordered the kiln when it came?", Reckoned.BETWEEN, "day",
         ["When was it that I ordered the kiln?", "When was it that it came?"]),
        ("How many weeks before the wedding did Ana break her arm?", Reckoned.BETWEEN, "week",
         ["When was the wedding?", "When did Ana break her arm?"]),
        ("How many days before the show I was painting for did I buy the kiln?", Reckoned.BETWEEN, "day",
         ["When was the show I was painting for?", "When did I buy the kiln?"]),
        ("How many days ago did I buy the kiln when it broke?", Reckoned.BETWEEN, "day",
         ["When did I buy the kiln?", "When was it that it broke?"]),
        ("How long had Ana been climbing when she broke her arm?", Reckoned.HAD, "",
         ["When did Ana start climbing?", "When was it that she broke her arm?"]),
        ("How many weeks had I been a member of the choir when we sang in Porto?", Reckoned.HAD, "week",
         ["When did I become a member of the choir?", "When was it that we sang in Porto?"]),
        ("How long had Ana lived in Porto when she met Bo?", Reckoned.HAD, "",
         ["When did Ana start to live in Porto?", "When was it that she met Bo?"]),
        ("How many months had I owned the boat when it sank?", Reckoned.HAD, "month",
         ["When did I get the boat?", "When was it that it sank?"]),
        ("How many years had they been married by the time he retired?", Reckoned.HAD, "year",
         ["When did they get married?", "When was it that he retired?"]),
        ("Which did I sell first, the boat or the kiln?", Reckoned.FIRST, "",
         ["When did I sell the boat?", "When did I sell the kiln?"]),
        ("Which thing did I mend first in March, the boat or the kiln?", Reckoned.FIRST, "",
         ["When did I mend the boat in March?", "When did I mend the kiln in March?"]),
        ("Which event happened first, the flood or Ana's wedding?", Reckoned.FIRST, "",
         ["When was the flood?", "When was Ana's wedding?"]),
        ("Which did I sell last, the boat, the kiln or the tent?", Reckoned.LAST, "",
         ["When did I sell the boat?", "When did I sell the kiln?", "When did I sell the tent?"]),
        ("Who became a parent first, Rafi or Ana?", Reckoned.FIRST, "",
         ["When was it that Rafi became a parent?", "When was it that Ana became a parent?"]),
        ("Which seeds were sown later, the leeks or the beans?", Reckoned.LAST, "",
         ["When was it that the leeks were sown?", "When was it that the beans were sown?"]),
        ("What is the order of the three events: 'I sold the boat', 'Ana's wedding', and 'the flood, at last'?",
         Reckoned.ORDER, "", ["When was it that I sold the boat?", "When was Ana's wedding?",
                              "When was the flood, at last?"]),
        ("Which three happened in the order from first to last: the day I sold the boat, the flood, and Ana's wedding?",
         Reckoned.ORDER, "", ["When was it that I sold the boat?", "When was the flood?", "When was Ana's wedding?"]),
        ("What is the order of the six museums I visited from earliest to latest?", Reckoned.ORDER, "",
         ["What museums did I visit?"]),
        ("What was the order of the bands we saw in May, starting from the first?", Reckoned.ORDER, "",
         ["What bands did we see in May?"]),
        ("In what order did we see Porto, Lisbon and Faro?", Reckoned.ORDER, "",
         ["When did we see Porto?", "When did we see Lisbon?", "When did we see Faro?"]),
        ("In what order did I get the puppy, move to Leith and start the cello?", Reckoned.ORDER, "",
         ["When did I get the puppy?", "When did I move to Leith?", "When did I start the cello?"]),
        ("Who graduated first, second and third among Rafi, Ana and Bo?", Reckoned.ORDER, "",
         ["When was it that Rafi graduated?", "When was it that Ana graduated?", "When was it that Bo graduated?"]),
    ],
)  # fmt: skip
def test_the_days_that_a_question_takes(question: str, kind: Reckoned, unit: str, days: Sequence[str]) -> None:
    sought = language("en").reckoning(question)
    assert sought is not None
    assert (sought.kind, sought.unit, list(sought.asked)) == (kind, unit, days)
    assert language("de").reckoning(question) is None


@pytest.mark.parametrize(
    "question",
    ["When did I sell the boat?", "How long did the trip take?", "How many boats were there between the piers?",
     "Which boat did I sell first?", "What came first?", "How many weeks does the course last?",
     "In what order did I mend it?",
     "How long had it been raining when we left?", "How long had Ana been in Porto when she moved?",
     "Who ordered the boat last?", "What did I order first?", "Which town did Ana visit last year, Porto or Faro?"],
)  # fmt: skip
def test_other_questions_take_none(question: str) -> None:
    sought = language("en").reckoning(question)
    assert sought is None or sought.kind is Reckoned.COUNT


@pytest.mark.parametrize(
    ("unit", "then", "said"),
    [
        ("day", day(at(2026, 5, 17)), "3 days ago (17 May 2026)"),
        ("week", day(at(2026, 5, 5)), "2 weeks ago (5 May 2026)"),
        ("month", day(at(2026, 2, 20)), "3 months ago (20 February 2026)"),
        ("month", month(at(2026, 2, 1)), "4 months ago (February 2026)"),
        ("year", day(at(2016, 5, 21)), "9 years ago (21 May 2016)"),
        ("year", year(at(2016, 1, 1)), "10 years ago (2016)"),
        ("", day(at(2026, 5, 19)), "1 day ago (19 May 2026)"),
        ("", day(at(2026, 5, 4)), "2 weeks ago (4 May 2026)"),
        ("", day(at(2026, 1, 4)), "4 months ago (4 January 2026)"),
        ("", day(at(2021, 1, 4)), "5 years ago (4 January 2021)"),
        ("day", month(at(2026, 2, 1)), ""),  # nobody can say
        ("day", day(at(2026, 5, 21)), ""),  # it lies ahead
    ],
)
def test_how_long_ago(unit: str, then: Span, said: str) -> None:
    assert worked_out(QUESTION, Reckoning(Reckoned.AGO, unit, ("",), ("it",)), [then], ASKED) == said


def test_how_long_until() -> None:
    sought = Reckoning(Reckoned.UNTIL, "day", ("",), ("it",))
    assert worked_out(QUESTION, sought, [day(at(2026, 6, 1))], ASKED) == "12 days (1 June 2026)"
    assert worked_out(QUESTION, replace(sought, unit=""), [day(at(2026, 9, 1))], ASKED) == "3 months (1 September 2026)"
    assert worked_out(QUESTION, sought, [day(at(2026, 5, 1))], ASKED) == ""  # it is over


def test_how_long_between_whichever_was_first() -> None:
    sought = Reckoning(Reckoned.BETWEEN, "day", ("", ""), ("a", "b"))
    days = [day(at(2026, 3, 15)), day(at(2026, 2, 14))]
    assert worked_out(QUESTION, sought, days, ASKED) == "29 days (14 February 2026, 15 March 2026)"
    assert worked_out(QUESTION, replace(sought, unit=""), days, ASKED) == "4 weeks (14 February 2026, 15 March 2026)"
    assert worked_out(QUESTION, sought, [days[0], days[0]], ASKED) == ""


def test_which_came_first() -> None:
    sought = Reckoning(Reckoned.FIRST, "", ("", ""), ("the boat", "the kiln"))
    boat, kiln = day(at(2026, 3, 15)), day(at(2026, 2, 14))
    assert worked_out(QUESTION, sought, [boat, kiln], ASKED) == "the kiln (14 February 2026; the boat: 15 March 2026)"
    assert worked_out(QUESTION, sought, [boat, month(at(2026, 3, 1))], ASKED) == ""


def test_which_came_last_and_in_which_order_of_several() -> None:
    sought = Reckoning(Reckoned.LAST, "", ("", "", ""), ("the boat", "the kiln", "the tent"))
    days = [day(at(2026, 3, 15)), day(at(2026, 2, 14)), month(at(2025, 2, 1))]
    assert worked_out(QUESTION, sought, days, ASKED) == (
        "the boat (15 March 2026; the kiln: 14 February 2026, the tent: February 2025)"
    )
    assert worked_out(QUESTION, replace(sought, kind=Reckoned.ORDER), days, ASKED) == (
        "the tent (February 2025), the kiln (14 February 2026), the boat (15 March 2026)"
    )
    days[2] = month(at(2026, 2, 1))
    assert worked_out(QUESTION, replace(sought, kind=Reckoned.ORDER), days, ASKED) == ""


def test_how_long_something_had_been_is_never_before_it_began() -> None:
    sought = Reckoning(Reckoned.HAD, "month", ("", ""), ("climbing", "she broke her arm"))
    days = [day(at(2026, 1, 4)), day(at(2026, 5, 5))]
    assert worked_out(QUESTION, sought, days, ASKED) == "4 months (4 January 2026, 5 May 2026)"
    assert worked_out(QUESTION, sought, days[::-1], ASKED) == ""


@given(st.integers(0, 4000), st.sampled_from(["day", "week", "month", "year"]))
def test_a_time_ago_is_never_negative_and_a_day_is_exact(days: int, unit: str) -> None:
    then = day(ASKED - timedelta(days=days))
    said = worked_out(QUESTION, Reckoning(Reckoned.AGO, unit, ("",), ("it",)), [then], ASKED)
    count = int(said.split()[0])
    assert count >= 0
    assert unit != "day" or count == days


def test_the_question_for_a_day_is_of_the_same_person() -> None:
    question = parse("How many weeks before the wedding did Ana break her arm?", ("Ana", "Bo"))
    sought = reckoning(question.asks)
    assert sought is not None
    first, second = for_days(question, sought)
    assert (first.text, first.asks, first.seeks, first.standing) == (sought.asked[0],) * 2 + (Seeks.WHEN, Standing.ANY)
    assert (first.about, second.about) == ("Ana", "Ana")
    assert (first.stems, second.stems) == (("wed",), ("break", "arm"))


def test_an_answer_that_names_one_time_tells_it() -> None:
    span = told(QUESTION, "Tuesday 14 April 2026", ASKED)
    assert span is not None
    assert (span.start.date().isoformat(), span.grain) == ("2026-04-14", Grain.DAY)
    assert told(QUESTION, "2013", ASKED) == year(at(2013, 1, 1))
    assert told(QUESTION, "9–14 June 2026", ASKED) == day(told(QUESTION, "9 June 2026", ASKED).start)  # type: ignore[union-attr]
    assert told(QUESTION, "every Tuesday", ASKED) is None
    assert told(QUESTION, "3 May 2026 and 4 May 2026", ASKED) is None
    assert told(QUESTION, "soon", ASKED) is None


def test_days_are_read_and_the_answer_worked_out_of_them() -> None:
    """With the networks that ship."""
    said = [
        (at(2026, 3, 2), "I planted the leeks today, forty of them"),
        (at(2026, 3, 9), "The neighbour's cat sat on the cold frame again"),
        (at(2026, 4, 6), "Yesterday I finally planted the beans"),
        (at(2026, 4, 13), "Planted the roses this morning. I've been growing leeks since 2 March, by the way"),
        (at(2026, 5, 2), "The flower show is on the 6th of June, I'll bring the sweet peas"),
    ]
    with Memory(None) as memory:
        memory.add([Message(text, "user", said_at=when, conversation="garden") for when, text in said])
        ago = memory.ask("How many days ago did I plant the leeks?", at=ASKED).answer
        first = memory.ask("Which did I plant first, the beans or the leeks?", at=ASKED).answer
        days = "the day I planted the leeks and the day I planted the beans"
        between = memory.ask(f"How many days passed between {days}?", at=ASKED).answer
        until = memory.ask("How many days until the flower show?", at=ASKED).answer
        never = memory.ask("How many weeks ago did I sell the tractor?", at=ASKED).answer
        order = memory.ask("In what order did I plant the beans, the roses and the leeks?", at=ASKED).answer
        had = memory.ask("How many weeks had I been growing leeks when I planted the roses?", at=ASKED).answer
    assert (ago.text, len(ago.citations)) == ("79 days ago (2 March 2026)", 1)
    assert (first.text, len(first.citations)) == ("the leeks (2 March 2026; the beans: 5 April 2026)", 2)
    assert between.text == "34 days (2 March 2026, 5 April 2026)"
    assert until.text == "17 days (6 June 2026)"
    assert never.form is not Form.VALUE
    assert order.text == "the leeks (2 March 2026), the beans (5 April 2026), the roses (13 April 2026)"
    assert had.text == "6 weeks (2 March 2026, 13 April 2026)"


def test_what_is_not_found_for_the_whole_question_is_found_for_its_part() -> None:
    """With the networks that ship; a single hit tells of one of two."""
    with Memory(None) as memory:
        memory.add([
            Message("Planted the leeks today, forty of them", "user", said_at=at(2026, 3, 2), conversation="garden"),
            Message("The beans are in the ground, planted today", "user", said_at=at(2026, 4, 6), conversation="beds"),
            Message("It rained on the cold frame", "user", said_at=at(2026, 4, 7), conversation="weather"),
        ])  # fmt: skip
        first = memory.ask("Which did I plant first, the beans or the leeks?", k=1, at=ASKED).answer
    assert (first.text, len(first.citations)) == ("the leeks (2 March 2026; the beans: 6 April 2026)", 2)
