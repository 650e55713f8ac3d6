"""Where it is not sure which of two statements answers, both are quoted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.formats import Message
from memcli.languages.english.questions import parse
from memcli.memory import Memory
from memcli.model import Form, Item, TurnId
from memcli.reading import rivals
from memcli.reading.confidence import Doubted
from memcli.reading.judge import Judge
from memcli.reading.look import Look
from memcli.reading.network import Finding, Span
from memcli.reading.passages import Passage
from memcli.reading.quoting import of_two
from memcli.reading.relevance import Found
from memcli.reading.rivals import NAMES, Either, rival, signals
from memcli.reading.windows import Window

MAY = datetime(2026, 5, 4, 10, 0)


def judge(chance: float) -> Judge:
    """One that always says the same."""
    zeros = np.zeros(len(NAMES), dtype=np.float32)
    return Judge(NAMES, zeros, zeros + 1, zeros, math.log(chance / (1 - chance)))


def either(first: float, second: float) -> Either:
    return Either(judge(first), judge(second), plain=0.7, share=0.05, ahead=0.1, least=0.58)


def found(turn: str, text: str, trust: float, answers: float, *, unread: bool = False) -> Found:
    passage = Passage(
        Window("Tom", text, ""), TurnId(turn), MAY, 1, 1.0, 0.5, 0.25, 0.75, by_asked=1.0, follows=False, turn_text=text
    )
    return Found(passage, Finding(answers, 0.5, 0.5, (Span(0, 3, 0.9),)), trust, unread)


TWELFTH = found("t0", "The wedding is on the 12th.", 0.6, 2.0)
NINETEENTH = found("t1", "Change of plan: the 19th.", 0.5, 1.0)
CAKE = found("t2", "Who brings the cake?", 0.1, -3.0)


def look(*windows: Found, text: str = "the 12th", cited: Sequence[Found] = ()) -> Look:
    return Look(parse("When is the wedding?", ("Tom",)), windows, text, tuple(cited) or windows[:1], 0.9)


def test_the_rival_is_the_likeliest_of_another_turn() -> None:
    beside = found("t0", "See you on the 12th.", 0.55, 1.5)
    assert rival(look(TWELFTH, beside, CAKE, NINETEENTH)) is NINETEENTH
    assert rival(look(NINETEENTH, TWELFTH)) is TWELFTH


@pytest.mark.parametrize(
    "alone",
    [
        look(TWELFTH),
        look(TWELFTH, found("t9", "The wedding is on the 12th.", 0.5, 1.0)),  # the same words once more
        look(TWELFTH, found("t9", "Die Hochzeit ist am 19.", 0.5, 1.0, unread=True)),  # doubted by another scale
        look(TWELFTH, NINETEENTH, cited=(NINETEENTH, TWELFTH)),  # what holds, and what held before
        replace(look(TWELFTH, NINETEENTH), asserted=True),
        replace(look(TWELFTH, NINETEENTH), items=(Item("the 12th", MAY, TurnId("t0")),)),
    ],
)
def test_what_is_one_statement_or_several_already_has_none(alone: Look) -> None:
    assert rival(alone) is None
    before = Doubted(Form.VALUE, 0.3)
    assert either(0.5, 0.4)(alone, before) is before


@pytest.mark.parametrize(
    ("first", "second", "alone", "said"),
    [
        (0.5, 0.4, Doubted(Form.VALUE, 0.7), Doubted(Form.VALUE, 0.7)),  # plain
        (0.5, 0.3, Doubted(Form.VALUE, 0.69), Doubted(Form.QUOTE, 0.8, NINETEENTH)),
        (0.5, 0.28, Doubted(Form.VALUE, 0.69), Doubted(Form.VALUE, 0.69)),  # 0.78 is not 0.1 ahead
        (0.5, 0.28, Doubted(Form.QUOTE, 0.69), Doubted(Form.QUOTE, 0.78, NINETEENTH)),  # a quote stays a quote
        (0.4, 0.1, Doubted(Form.VALUE, 0.2), Doubted(Form.VALUE, 0.2)),  # 0.5 is not 0.58
        (0.4, 0.2, Doubted(Form.VALUE, 0.2), Doubted(Form.QUOTE, 0.6, NINETEENTH)),
        (0.62, 0.04, Doubted(Form.VALUE, 0.2), Doubted(Form.QUOTE, 0.62)),  # a rival that is none
        (0.62, 0.04, Doubted(Form.VALUE, 0.55), Doubted(Form.VALUE, 0.55)),
        (0.8, 0.6, Doubted(Form.QUOTE, 0.5), Doubted(Form.QUOTE, 1.0, NINETEENTH)),
    ],
)
def test_how_it_is_best_given(first: float, second: float, alone: Doubted, said: Doubted) -> None:
    told = either(first, second)(look(TWELFTH, NINETEENTH, CAKE), alone)
    assert (told.form, told.rival) == (said.form, said.rival)
    assert told.trust == pytest.approx(said.trust, abs=1e-6)


def test_of_what_is_not_in_english_each_window_has_its_chance_already() -> None:
    first, second = (
        found(f"t{n}", text, trust, 1.0, unread=True) for n, text, trust in ((0, "am 12.", 0.5), (1, "am 19.", 0.2))
    )
    told = either(0.99, 0.99)(look(first, second, NINETEENTH), Doubted(Form.QUOTE, 0.5))
    assert told.rival is second
    assert told.trust == pytest.approx(0.7)


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.floats(0.0, 1.0), st.sampled_from([Form.VALUE, Form.QUOTE]))
def test_no_answer_is_worth_less_for_it(first: float, second: float, trust: float, form: Form) -> None:
    told = either(first, second)(look(TWELFTH, NINETEENTH), Doubted(form, trust))
    assert told.trust >= trust - 1e-6
    assert told.rival is None or (told.form is Form.QUOTE and 0.58 <= told.trust <= 1)


def test_signals_are_of_both_and_of_what_is_left() -> None:
    """Logits are of (p + 0.01) / (1.01 - p); the share is e² + e¹ of e² + e¹ + e⁻³."""
    told = signals(look(TWELFTH, NINETEENTH, CAKE), NINETEENTH, 0.4)
    assert list(told) == list(NAMES)
    assert told["alone"] == pytest.approx(math.log(0.41 / 0.61))
    assert told["rival.trust"] == pytest.approx(0.0)
    assert told["third.trust"] == pytest.approx(math.log(0.11 / 0.91))
    assert told["both.trust"] == pytest.approx(0.8)
    assert told["rival.share"] == pytest.approx(0.995098, abs=1e-6)
    nothing_else = signals(look(TWELFTH, NINETEENTH), NINETEENTH, 0.4)
    assert nothing_else["rival.share"] == 1.0
    assert nothing_else["third.answers"] == -8.0


def test_both_are_quoted_with_who_said_them_and_when() -> None:
    first, second = of_two(look(TWELFTH, NINETEENTH), NINETEENTH)
    assert first == Item("Tom, 4 May 2026: “The wedding is on the 12th.”", MAY, TurnId("t0"))
    assert second == Item("Tom, 4 May 2026: “Change of plan: the 19th.”", MAY, TurnId("t1"))


SAID = (
    ("Tom", "We met the band at the old mill, they play for 600."),
    ("Nora", "Dad asked what the marquee costs, I said I'd find out"),
    ("Tom", "the tent people want 1,150 with lights"),
    ("Nora", "Grandma comes by train, somebody has to fetch her"),
)


def test_an_answer_of_two_cites_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rivals, "packaged", lambda: Either(judge(0.6), judge(0.3), 1.01, 0.05, -1.0, 0.58))
    with Memory(None) as memory:
        memory.add(
            Message(text, speaker, said_at=MAY + timedelta(days=n), conversation="wedding")
            for n, (speaker, text) in enumerate(SAID)
        )
        answer = memory.ask("What do the tent people want?", at=MAY + timedelta(days=60)).answer
    assert (answer.form, answer.abstained) == (Form.QUOTE, False)
    assert answer.confidence == pytest.approx(0.9)
    assert answer.text == answer.quote == "; or ".join(item.text for item in answer.items)
    assert answer.citations == tuple(item.turn for item in answer.items)
    assert len(set(answer.citations)) == 2
    assert answer.items[0].text == "Tom, 6 May 2026: “the tent people want 1,150 with lights”"


def test_what_ships_leaves_what_is_sure_as_it_is() -> None:
    shipped = rivals.packaged()
    sure = Doubted(Form.VALUE, 0.9)
    assert shipped(look(TWELFTH, NINETEENTH), sure) is sure
    told = shipped(look(TWELFTH, replace(NINETEENTH, trust=0.6)), Doubted(Form.VALUE, 0.45))
    assert told.rival is not None
    assert told.trust > 0.58
    assert (
        shipped(look(CAKE, replace(NINETEENTH, trust=0.01, finding=CAKE.finding)), Doubted(Form.QUOTE, 0.05)).trust
        < 0.1
    )
