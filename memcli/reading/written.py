"""What a language model wrote: an answer, made plain, with what it cost, or why it is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from memcli.errors import ModelUnavailable
from memcli.model import Answer
from memcli.providers.language import LanguageModel
from memcli.text import clean

__all__ = ["Written", "instead", "plain", "told"]


@dataclass(frozen=True, slots=True)
class Written:
    """An answer, what the model thought before it, and, where it is not the model's, the reason."""

    answer: Answer
    reasoning: str | None = None
    fallback: str = ""

    @property
    def was_asked(self) -> bool:
        """Whether a model was asked, or was to be."""
        return bool(self.answer.usage or self.fallback)


def told(
    model: LanguageModel,
    found: Answer,
    ask: Callable[[], Mapping[str, Any]],
    made: Callable[[Mapping[str, Any]], Written],
) -> Written:
    """What is `made` of the reply to `ask`; the answer that was `found` where the model fails. With what it cost, which
    is exact where one thread uses the model.
    """
    before = model.meter.read()
    try:
        written = made(ask())
    except ModelUnavailable as error:
        written = instead(found, error.told)
    used = model.meter.read().since(before).document()
    usage = {name: value for name, value in used.items() if value is not None}
    return replace(written, answer=replace(written.answer, usage=usage))


def instead(found: Answer, reason: str) -> Written:
    """The answer that was found without the model, and why it is shown."""
    return Written(found, fallback=reason)


def plain(text: str) -> str:
    """`text` on one line, without control characters and halves of surrogate pairs."""
    return " ".join(clean(text.encode("utf-8", "replace").decode("utf-8")).split())
