"""Benchmarks as haystacks: what was said, as messages, and questions whose evidence is known as turns.

Also what every schema of them shares: a question read or what is wrong with it, and its plain values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..formats import Message
from ..model import TurnId

__all__ = [
    "GoldQuestion",
    "Haystack",
    "MalformedQuestion",
    "answer",
    "category",
    "haystack_of",
    "listed",
    "question_or_reason",
    "text_in",
]


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question with its gold answer and evidence. `answerable` is false where to abstain is right.

    `answer` is empty where none is known. `wrong_answer` is LoCoMo's adversarial one; `unresolved` counts pieces of
    evidence that name no turn. `session_evidence` has a turn of each session that holds evidence, where only sessions
    are known to. `past_only`: only what was said before `asked_at` may be found.
    """

    id: str
    text: str
    category: str
    answer: str
    evidence: frozenset[TurnId]
    asked_at: datetime | None = None
    answerable: bool = True
    wrong_answer: str = ""
    unresolved: int = 0
    session_evidence: frozenset[TurnId] = frozenset()
    past_only: bool = False

    @property
    def exclusion(self) -> str:
        """Why retrieval cannot be scored with this question; empty where it can."""
        if self.evidence or self.session_evidence:
            return ""
        if self.unresolved:
            return "unresolvable_evidence"
        return "no_evidence" if self.answerable else "abstention"


@dataclass(frozen=True, slots=True)
class Haystack:
    """The conversations that some questions are asked over: one store.

    `malformed` says of each question that could not be read what is wrong with it; `outside` counts the questions that
    a slice has left out.
    """

    name: str
    messages: Sequence[Message]
    questions: Sequence[GoldQuestion]
    malformed: Sequence[str] = ()
    outside: int = 0


class MalformedQuestion(ValueError):
    """A question that cannot be asked: its message says why."""


def question_or_reason(make: Callable[[Any], GoldQuestion], found: object) -> GoldQuestion | str:
    """The question that `make` makes of what was found, or what is wrong with it."""
    try:
        return make(found)
    except (MalformedQuestion, TypeError, AttributeError, ValueError) as error:
        return str(error) if isinstance(error, MalformedQuestion) else "it is not written as its schema says"


def haystack_of(name: str, messages: Sequence[Message], made: Iterable[GoldQuestion | str]) -> Haystack:
    """A haystack of questions and reasons, as `question_or_reason` gives them in the order of the data."""
    numbered = list(enumerate(made, start=1))
    return Haystack(
        name,
        messages,
        [question for _, question in numbered if isinstance(question, GoldQuestion)],
        [f"{name}, question {number}: {reason}" for number, reason in numbered if isinstance(reason, str)],
    )


def text_in(found: Mapping[str, Any], key: str) -> str:
    """The words under `key`. Raises Malformed where there are none."""
    text = found.get(key)
    if not isinstance(text, str) or not text.strip():
        raise MalformedQuestion(f"it has no {key}")
    return text


def category(value: object) -> str:
    """The category as text; `none` where there is none."""
    return "none" if value is None or value == "" else str(value)


def answer(value: object) -> str:
    """An answer as text (some are numbers); empty where there is none."""
    return "" if value is None else str(value)


def listed(value: object) -> list[object]:
    """What may be a list, one thing, or nothing, as a list."""
    return value if isinstance(value, list) else [] if value is None else [value]
