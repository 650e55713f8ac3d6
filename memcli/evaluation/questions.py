"""What every schema of questions shares: a question read or what is wrong with it, and its plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..formats import Message
from .datasets import Haystack, Question

__all__ = ["Malformed", "answer", "category", "haystack_of", "listed", "question_or_reason", "text_in"]


class Malformed(ValueError):
    """A question that cannot be asked: its message says why."""


def question_or_reason(make: Callable[[Any], Question], found: object) -> Question | str:
    """The question that `make` makes of what was found, or what is wrong with it."""
    try:
        return make(found)
    except (Malformed, TypeError, AttributeError, ValueError) as error:
        return str(error) if isinstance(error, Malformed) else "it is not written as its schema says"


def haystack_of(name: str, messages: Sequence[Message], made: Iterable[Question | str]) -> Haystack:
    """A haystack of questions and reasons, as `question_or_reason` gives them in the order of the data."""
    numbered = list(enumerate(made, start=1))
    return Haystack(
        name,
        messages,
        [question for _, question in numbered if isinstance(question, Question)],
        [f"{name}, question {number}: {reason}" for number, reason in numbered if isinstance(reason, str)],
    )


def text_in(found: Mapping[str, Any], key: str) -> str:
    """The words under `key`. Raises Malformed where there are none."""
    text = found.get(key)
    if not isinstance(text, str) or not text.strip():
        raise Malformed(f"it has no {key}")
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
