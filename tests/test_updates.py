"""What was said later in the place of what answers: which windows are read, and what is taken from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memcli.languages.english.questions import parse
from memcli.model import TurnId
from memcli.reading.network import Finding, Network, Span, of_updates
from memcli.reading.passages import Passage
from memcli.reading.relevance import Found
from memcli.reading.updates import READ, behind, former, told, turned, update
from memcli.reading.windows import Window

WHERE = parse("Where do we meet?", ())


def _found(text: str, day: int, trust: float = 0.5, answers: float = -3.0) -> Found:
    moment = datetime(2026, 5, day, 10, tzinfo=UTC)
    passage = Passage(Window("Ana", text, ""), TurnId(text), moment, 0, 1.0, 0.5, 0.5, 0.5, 0.0, False, text)
    return Found(passage, Finding(answers, 0.5, 0.5, ()), trust)


class Told(Network):
    """Finds in each window its last word, and that it takes the first one's place if it is among these texts."""

    def __init__(self, *texts: str) -> None:
        super().__init__()
        self.texts, self.seen, self.surely = texts, list[Window](), 3.0

    def read(self, question: str, windows: Sequence[Window]) -> list[Finding]:
        self.seen += windows
        return [self._of(window) for window in windows]

    def _of(self, window: Window) -> Finding:
        shown = window.shown
        span = Span(shown.rindex(" ") + 1, len(shown), 0.9)
        return Finding(self.surely if window.text in self.texts else -2.0, 0.5, 0.5, (span,))


class Behind(Told):
    """Finds that a window takes the place of the statement before it, if the two are among these pairs of texts."""

    def __init__(self, *pairs: tuple[str, str]) -> None:
        super().__init__()
        self.pairs = [(f"Ana: {first}", later) for first, later in pairs]

    def _of(self, window: Window) -> Finding:
        return Finding(3.0 if (window.before, window.text) in self.pairs else -2.0, 0.1, 0.9, ())


def _later(*said: tuple[str, int]) -> list[Found]:
    return [_found(text, day) for text, day in said]


def test_the_newest_that_takes_the_place_holds_as_sure_as_the_first() -> None:
    first = _found("We meet at the harbour", 1, trust=0.8, answers=4.0)
    later = _later(("at the Mill", 3), ("at the Castle", 5), ("he waits at the Station", 7))
    new = update(WHERE, first, later, Told("at the Mill", "at the Castle"))
    assert new is not None
    assert (new.text, new.found.trust, new.found.passage.turn) == ("Castle", 0.8, "at the Castle")
    assert new.found.finding.answers == first.finding.answers  # it answers as well as what it takes the place of


@pytest.mark.parametrize(("trust", "surely", "new"), [(0.1, 2.5, "Mill"), (0.09, 4.9, ""), (0.09, 5.0, "Mill")])
def test_what_hardly_answers_by_itself_takes_the_place_only_for_sure(trust: float, surely: float, new: str) -> None:
    """Where much is remembered, what seems a change is mostly of something else."""
    first, told = _found("We meet at the harbour", 1, 0.8, 4.0), Told("at the Mill")
    told.surely = surely
    value = update(WHERE, first, [_found("at the Mill", 3, trust)], told)
    assert (value.text if value else "") == new


def test_where_nothing_takes_its_place_nothing_is_said() -> None:
    first = _found("We meet at the harbour", 1)
    assert update(WHERE, first, _later(("at the Mill", 3)), Told()) is None
    assert update(WHERE, first, [], Told()) is None


def test_a_word_of_the_question_is_nothing_new() -> None:
    where, harbour = parse("Where does the rowing club meet?", ()), _found("We meet at the harbour", 1)
    later = _later(("at the Mill", 3), ("it is called Club-Rosa", 5))
    told = Told("at the Mill", "it is called Club-Rosa")
    new = update(where, harbour, later, told)
    assert new is not None
    assert new.text == "Mill"
    club = _found("We meet at Club-Otto", 1)
    club = replace(club, finding=told._of(club.passage.window))
    newer = update(where, club, later, told)  # it was a word of the question before
    assert newer is not None
    assert newer.text == "Club-Rosa"


def test_the_newest_that_takes_the_place_says_yes_or_no() -> None:
    first = _found("I live in Leeds", 1, trust=0.8, answers=4.0)
    later = _later(("moved to York", 3), ("lovely in York", 5))
    new = turned(WHERE, first, later, Behind(("I live in Leeds", "moved to York")))
    assert new is not None
    assert (new.passage.turn, new.trust, new.finding.no) == ("moved to York", 0.8, 0.9)
    assert turned(WHERE, first, later, Behind()) is None


def test_the_likeliest_whose_place_was_taken_was_so_before() -> None:
    said = [_found("rent is 120 now", 9, 0.8, 4.0), _found("rent is 100", 1, 0.5), _found("up to 110", 5, 0.4),
            _found("nice rent", 3, 0.3), _found("rent is due", 2, 0.2)]  # fmt: skip
    pairs = ("up to 110", "rent is 120 now"), ("nice rent", "up to 110")
    before = former(WHERE, said, told := Behind(*pairs))
    assert before is not None
    assert (before.passage.turn, before.trust, before.finding.answers) == ("up to 110", 0.8, 4.0)
    assert len(told.seen) == 6  # each pair of the likeliest four, in order of time
    assert former(WHERE, said[:2], Behind(*pairs)) is None


def test_each_is_read_behind_the_first_and_only_the_likeliest_are() -> None:
    first, told = _found("We meet at the harbour", 1), Told()
    update(WHERE, first, _later(*((f"at Mill {n}", 2 + n) for n in range(READ + 3))), told)
    assert [window.text for window in told.seen] == [f"at Mill {n}" for n in range(READ)]
    assert {window.before for window in told.seen} == {"Ana: We meet at the harbour"}


def test_a_long_first_statement_is_cut_to_its_end() -> None:
    long = [("Bo", " ".join(f"w{n}" for n in range(100)))]
    assert behind(long, Window("Ana", "ok", "")).before == "Bo: … " + " ".join(f"w{n}" for n in range(76, 100))


def test_a_reply_stands_behind_what_it_replies_to_and_a_long_turn_by_the_sentence_that_answers() -> None:
    reply = _found("pelican-soup-44", 1)
    reply = replace(reply, passage=replace(reply.passage, asked=("Bo", "and the wifi?")))
    assert behind(told(reply), Window("Kit", "it's walrus now", "")).before == "Bo: and the wifi? Ana: pelican-soup-44"
    long = _found("The bins go out on Tuesdays. The rent is 2,240 all in. Ask Mo.", 1)
    start = long.passage.window.shown.index("2,240")
    held = replace(long, finding=Finding(3.0, 0.5, 0.5, (Span(start, start + 5, 0.9),)))
    assert told(held) == [("Ana", "The rent is 2,240 all in.")]
    assert told(long) == [("Ana", long.passage.window.text)]


@pytest.mark.parametrize(
    ("question", "first", "later", "takes"),
    [
        ("Where do we meet?", "We meet at the harbour on Sundays", "the harbour is closed, we'll be at the mill", True),
        ("Where do we meet?", "We meet at the harbour on Sundays", "I left my umbrella at the bakery", False),
        ("What is the code for the shed?", "the shed's code is 4417", "they changed it, 9032 gets you in", True),
        ("What is the code for the shed?", "the shed's code is 4417", "my card's pin is 9032, don't tell", False),
        ("What was the shed's code before?", "the shed's code is 4417", "they changed it, 9032 gets you in", True),
        ("What was the shed's code before?", "the shed's code is 4417", "the shed needs a new roof", False),
    ],
)  # fmt: skip
def test_the_network_that_ships_tells_what_takes_a_place(question: str, first: str, later: str, takes: bool) -> None:
    window = behind([("Ana", first)], Window("Ana", later, ""))
    (found,) = of_updates().read(question, [window])
    assert (found.answers > 0) is takes


@pytest.mark.parametrize(
    ("question", "first", "later", "says_yes"),
    [
        ("Do we meet at the mill?", "We meet at the harbour", "the harbour is closed, we'll be at the mill", True),
        ("Is 4417 the code for the shed?", "the shed's code is 4417", "they changed it, 9032 gets you in", False),
        ("Does Ana still live in Leeds?", "I live in Leeds", "moved to York last week, boxes everywhere", False),
    ],
)  # fmt: skip
def test_the_network_that_ships_says_yes_or_no_to_what_has_changed(
    question: str, first: str, later: str, says_yes: bool
) -> None:
    window = behind([("Ana", first)], Window("Ana", later, ""))
    (found,) = of_updates().read(question, [window])
    assert found.answers > 0
    assert (found.yes > found.no) is says_yes
