"""Amounts: read, added up and compared; what is asked of their parts, and of what is to be counted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import Message
from memcli.languages import language
from memcli.languages.english.amounts import amount, asked_in, in_kind, spelled
from memcli.languages.english.comparisons import compared
from memcli.languages.english.coordination import summed
from memcli.languages.english.counting import counted
from memcli.languages.english.questions import parse
from memcli.memory import Memory
from memcli.model import Form, Question, Reckoned, Reckoning, Seeks
from memcli.reading.sums import for_amounts, for_things, worked_out
from memcli.text.amounts import Amount, difference, total

ASKED = datetime(2026, 5, 20, 18, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "found", "said"),
    [
        ("$120", Amount(Decimal(120), "$"), "$120"),
        ("around £1,899.50", Amount(Decimal("1899.50"), "£"), "£1,899.50"),
        ("12€", Amount(Decimal(12), "€"), "€12"),
        ("forty quid", Amount(Decimal(40), "£"), "£40"),
        ("10-day", Amount(Decimal(10), "day"), "10 days"),
        ("an hour", Amount(Decimal(1), "hour"), "1 hour"),
        ("an hour and a half", Amount(Decimal("1.5"), "hour"), "1.5 hours"),
        ("three and a half weeks", Amount(Decimal("3.5"), "week"), "3.5 weeks"),
        ("half an hour", Amount(Decimal("0.5"), "hour"), "0.5 hours"),
        ("2 hours 20 minutes", Amount(Decimal(140), "minute"), "140 minutes"),
        ("3 goals", Amount(Decimal(3)), "3"),
        ("2.5 pies", Amount(Decimal("2.5")), "2.5"),
        ("forty dozen", Amount(Decimal(480)), "480"),
        ("a dozen eggs", Amount(Decimal(12)), "12"),
        ("285k", Amount(Decimal(285_000)), "285,000"),
        ("20%", Amount(Decimal(20), "%"), "20%"),
        ("9 kg", Amount(Decimal(9), "kg"), "9 kg"),
        ("$3 a dozen", Amount(Decimal(3), "$", each=True), "$3"),
        ("30 miles per gallon", Amount(Decimal(30), "mile", each=True), "30 miles"),
    ],
)
def test_an_amount_is_read_and_said(text: str, found: Amount, said: str) -> None:
    assert amount(text) == found
    assert spelled(found) == said
    assert language("en").amount(text) == found


@pytest.mark.parametrize(
    "text",
    ["a ticket", "2-3 eggs", "2:04:10", "her 75th", "in my 30s", "07700900123", "five or six", "$5 and $6", "soon", ""],
)
def test_what_is_no_amount_or_several(text: str) -> None:
    assert amount(text) is None
    assert language("de").amount(text) is None


def test_amounts_of_one_thing_are_added_up_and_compared() -> None:
    hour, minutes, bare = Amount(Decimal(1), "hour"), Amount(Decimal(30), "minute"), Amount(Decimal(4))
    assert total([hour, minutes]) == Amount(Decimal(90), "minute")
    assert total([hour, minutes], "hour") == Amount(Decimal("1.5"), "hour")
    assert total([hour, bare]) == Amount(Decimal(5), "hour")  # "2 hours on Monday and 4 on Tuesday"
    assert total([hour, minutes, bare]) is None
    assert total([Amount(Decimal(1), "£"), Amount(Decimal(1), "$")]) is None
    assert total([Amount(Decimal(3), "$", each=True), bare]) is None  # $3 a dozen
    assert difference([minutes, hour]) == Amount(Decimal(30), "minute")
    rates = [Amount(Decimal(300), "$", each=True), Amount(Decimal(30), "$", each=True)]
    assert difference(rates) == Amount(Decimal(270), "$")
    assert difference([rates[0], bare]) is None


@given(st.lists(st.decimals(0, 10**6, places=2), min_size=2, max_size=6), st.sampled_from(["", "£", "day", "mile"]))
def test_a_sum_is_that_of_its_numbers_in_any_order(numbers: Sequence[Decimal], unit: str) -> None:
    amounts = [Amount(each, unit) for each in numbers]
    assert total(amounts) == total(amounts[::-1]) == Amount(sum(numbers, Decimal()), unit)
    assert difference(amounts[:2]) == difference(amounts[1::-1])


@pytest.mark.parametrize(
    ("question", "unit", "asked", "named"),
    [
        ("What is the total cost of the kiln and glaze brushes I bought?", "",
         ["What is the cost of the kiln I bought?", "What is the cost of glaze brushes I bought?"],
         ["the kiln", "glaze brushes"]),
        ("How many hours of rowing and weaving did I do in total?", "hour",
         ["How many hours of rowing did I do?", "How many hours of weaving did I do?"], ["rowing", "weaving"]),
        ("How many days did we spend in Porto, Braga, and Faro?", "day",
         ["How many days did we spend in Porto?", "How many days did we spend in Braga?",
          "How many days did we spend in Faro?"], ["Porto", "Braga", "Faro"]),
        ("How much did I pay for 'Salt and Stone' and 'The Long Field'?", "",
         ["How much did I pay for 'Salt and Stone'?", "How much did I pay for 'The Long Field'?"],
         ["Salt and Stone", "The Long Field"]),
        ("How many days did I spend in Porto, Faro and Braga in total?", "day",
         ["How many days did I spend in Porto?", "How many days did I spend in Faro?",
          "How many days did I spend in Braga?"], ["Porto", "Faro", "Braga"]),
        ("What did the shed, the gate, and the nuts and bolts cost altogether?", "",
         ["What did the shed cost?", "What did the gate cost?", "What did the nuts and bolts cost?"],
         ["the shed", "the gate", "the nuts and bolts"]),
        ("How many goals did Ana and Bo score?", "",
         ["How many goals did Ana score?", "How many goals did Bo score?"], ["Ana", "Bo"]),
    ],
)  # fmt: skip
def test_the_parts_of_a_sum(question: str, unit: str, asked: Sequence[str], named: Sequence[str]) -> None:
    sought = Reckoning(Reckoned.SUM, unit, tuple(asked), tuple(named))
    assert summed(question) == language("en").reckoning(question) == sought
    assert language("de").reckoning(question) is None


@pytest.mark.parametrize(
    ("question", "unit", "asked", "named"),
    [
        ("How much older is Ana than Bo?", "", ["How old is Ana?", "How old is Bo?"], ["Ana", "Bo"]),
        ("How many years older is my aunt than me?", "year",
         ["How old is my aunt?", "How old am I?"], ["my aunt", "me"]),
        ("How much more did I pay per night in Braga than in Faro?", "",
         ["How much did I pay per night in Braga?", "How much did I pay per night in Faro?"], ["in Braga", "in Faro"]),
        ("How much more expensive was the ferry compared to the train?", "",
         ["How much was the ferry?", "How much was the train?"], ["the ferry", "the train"]),
        ("How many more eggs did Ana sell than Bo?", "",
         ["How many eggs did Ana sell?", "How many eggs did Bo sell?"], ["Ana sell", "Bo"]),
        ("How much more was I weighing last year compared to now?", "",
         ["How much was I weighing last year?", "How much was I weighing now?"], ["last year", "now"]),
        ("How many years older am I than when I left school?", "year",
         ["How old am I?", "How old was I when I left school?"], ["I", "when I left school"]),
    ],
)  # fmt: skip
def test_what_is_compared(question: str, unit: str, asked: Sequence[str], named: Sequence[str]) -> None:
    sought = Reckoning(Reckoned.DIFFERENCE, unit, tuple(asked), tuple(named))
    assert compared(question) == language("en").reckoning(question) == sought


@pytest.mark.parametrize(
    ("question", "kind", "asked"),
    [
        ("Which was more expensive, the ferry or the train?", Reckoned.MOST,
         ["How much was the ferry?", "How much was the train?"]),
        ("Who is younger, Ana or Bo?", Reckoned.LEAST, ["How old is Ana?", "How old is Bo?"]),
        ("Which cost less, the kiln or the shed?", Reckoned.LEAST,
         ["How much was the kiln?", "How much was the shed?"]),
    ],
)  # fmt: skip
def test_which_of_two(question: str, kind: Reckoned, asked: Sequence[str]) -> None:
    sought = compared(question)
    assert sought is not None
    assert (sought.kind, list(sought.asked)) == (kind, asked)


def test_which_of_two_has_more_stands_with_both_amounts() -> None:
    sought = Reckoning(Reckoned.MOST, "", ("", ""), ("the ferry", "the train"))
    hours = [Amount(Decimal(2), "hour"), Amount(Decimal(90), "minute")]
    assert worked_out(Question("?"), sought, hours) == "the ferry (2 hours; the train: 90 minutes)"
    least = Reckoning(Reckoned.LEAST, "", ("", ""), ("the ferry", "the train"))
    assert worked_out(Question("?"), least, hours) == "the train (90 minutes; the ferry: 2 hours)"
    assert worked_out(Question("?"), least, [hours[0], hours[0]]) == ""
    assert worked_out(Question("?"), least, [hours[0], Amount(Decimal(3), "£")]) == ""


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("How many sheds did I build?", "What sheds did I build?"),
        ("How many different kinds of cheese have we tried?", "What cheese have we tried?"),
        ("How many people came to the launch?", "Who came to the launch?"),
    ],
)
def test_what_is_to_be_counted(question: str, asked: str) -> None:
    sought = counted(question)
    assert sought == language("en").reckoning(question)
    assert sought is not None
    assert (sought.kind, sought.asked) == (Reckoned.COUNT, (asked,))


@pytest.mark.parametrize(
    "question",
    ["What is the difference between tea and coffee?", "How many days are there between Monday and Friday?",
     "What is the average age of Ana and Bo?", "Where are Ana and Bo?", "Who is older than Bo?",
     "How often do I row and weave?", "How many times did Ana and Bo meet?", "What is the number for Ana and Bo?"],
)  # fmt: skip
def test_other_questions_have_no_parts(question: str) -> None:
    assert summed(question) is None
    assert compared(question) is None
    assert counted(question) is None


@pytest.mark.parametrize("question", ["How many times did I fail?", "How many miles is it?", "How much is it?"])
def test_what_is_measured_is_not_counted(question: str) -> None:
    assert counted(question) is None


def test_what_an_amount_is_asked_in() -> None:
    assert asked_in("How many hours of rowing was it?") == "hour"
    assert asked_in("What is the number of weeks I was there?") == "week"
    assert asked_in("How many goals was it?") == ""


def test_the_question_for_an_amount_is_about_whom_it_names() -> None:
    question = parse("How many goals did Ana and Bo score?", ("Ana", "Bo"))
    sought = summed(question.asks)
    assert sought is not None
    first, second = for_amounts(question, sought)
    assert [each.about for each in (question, first, second)] == ["Ana", "Ana", "Bo"]
    assert (first.asks, first.seeks, first.stems) == ("How many goals did Ana score?", Seeks.COUNT, question.stems)
    counting = counted("How many boats has Bo?")
    assert counting is not None
    assert for_things(question, counting).asks == "What boats has Bo?"


def test_an_answer_has_its_parts_behind_it() -> None:
    sought = Reckoning(Reckoned.SUM, "", ("", ""), ("the kiln", "the clay"))
    pounds = [Amount(Decimal(300), "£"), Amount(Decimal("45.5"), "£")]
    assert worked_out(Question("?"), sought, pounds) == "£345.50 (the kiln: £300; the clay: £45.50)"
    apart = Reckoning(Reckoned.DIFFERENCE, "", ("", ""), ("the kiln", "the clay"))
    assert worked_out(Question("?"), apart, pounds) == "£254.50 (the kiln: £300; the clay: £45.50)"
    assert worked_out(Question("?"), sought, [pounds[0], Amount(Decimal(2), "day")]) == ""
    ages = Reckoning(Reckoned.DIFFERENCE, "year", ("", ""), ("my grandma", "me"))
    assert (
        worked_out(Question("?"), ages, [Amount(Decimal(75)), Amount(Decimal(32))])
        == "43 years (my grandma: 75; me: 32)"
    )


SAID = [
    "By the way, I finally bought the pottery kiln, it cost me £640 second-hand",
    "The neighbour's cat sat on the cold frame again",
    "I picked up a set of glaze brushes at the market too, £35 for the lot",
    "I stayed in a guesthouse in Braga for £70 a night",
    "The hotel in Faro was £110 a night, far too much",
    "I built a shed for the bikes behind the house in March",
    "Finished building another shed last week, this one for the chickens",
    "My budget: the rent is 820 euros, food about 400, the train pass is 85 euros, and the rest just goes",
    "Planted twelve tomato plants along the wall today",
]


def test_sums_and_differences_are_worked_out_of_what_is_read() -> None:
    """With the networks that ship."""
    with Memory(None) as memory:
        memory.add(
            [Message(text, "user", said_at=datetime(2026, 4, 1 + day, 9, tzinfo=UTC), conversation=f"c{day}")
             for day, text in enumerate(SAID)]
        )  # fmt: skip
        cost = memory.ask("What did the kiln and the glaze brushes cost altogether?", at=ASKED).answer
        apart = memory.ask("How much more did I pay a night in Faro than in Braga?", at=ASKED).answer
        dearer = memory.ask("Which was more expensive, the kiln or the glaze brushes?", at=ASKED).answer
        at_once = memory.ask("How much are the rent and the train pass together?", at=ASKED).answer
        sheds = memory.ask("How many sheds did I build?", at=ASKED).answer
        partly = memory.ask("How many plants did I plant for tomatoes and peppers?", at=ASKED).answer
    assert (cost.text, len(cost.citations)) == ("£675 (the kiln: £640; the glaze brushes: £35)", 2)
    assert (apart.text, len(apart.citations)) == ("£40 (in Faro: £110; in Braga: £70)", 2)
    assert dearer.text == "the kiln (£640; the glaze brushes: £35)"
    assert at_once.text == "€905 (the rent: €820; the train pass: €85)"  # told in one breath
    assert (sheds.form, len(sheds.citations)) == (Form.QUOTE, 2)
    assert "bikes" in sheds.text
    assert "chickens" in sheds.text
    assert partly.form is not Form.VALUE  # twelve are those for tomatoes alone


@pytest.mark.parametrize(
    ("question", "value", "fits"),
    [
        ("That was how many days?", "200 days", True),
        ("How many pounds did it cost?", "£650", True),
        ("How many cats does Nora have?", "six", True),
        ("How many cats does Nora have?", "six weeks", False),
        ("How many miles was it?", "20 minutes", False),
        ("How many miles was it?", "20", True),
        ("How many dry days has it been?", "200 days", True),
        ("How many days did it take?", "three weeks", True),
        ("How many readings were there?", "four times", True),
        ("What took six weeks?", "six weeks", True),
    ],
)
def test_a_number_is_in_what_it_is_asked_in(question: str, value: str, fits: bool) -> None:
    assert in_kind(question, value) is fits
    assert language("en").is_such(question, value) is fits
