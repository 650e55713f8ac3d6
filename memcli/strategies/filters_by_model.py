"""What a language model does for a question before retrieval: it names its mentions and filters candidates (EMem §3.3).

The filters lean towards recall: what they drop is lost, and what they keep is still ranked. A candidate is known to the
model by a short id, and by nothing else is it found again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ..errors import ModelUnavailable, UsageError
from ..model import Hit
from ..providers.language import LanguageModel, ModelMessage, Schema
from ..providers.prompts import Prompt, fenced, prompt, tidy
from ..providers.structured import strings
from .filters import CandidateFilters, Thresholds
from .naming import line, named

__all__ = ["ConsultingFilters", "ModelFilters"]

_Found = TypeVar("_Found")

_MOST_MENTIONS = 8

_MENTIONS = Schema("mentions", {"mentions": strings(_MOST_MENTIONS)})


class ConsultingFilters:
    """Asks the language model that `model` makes for one question; from its first failure on, goes without it.

    `model` raises ModelUnavailable where there is none.
    """

    def __init__(self, model: Callable[[], LanguageModel]) -> None:
        self._model = model
        self._offline: CandidateFilters = Thresholds()
        self._asked: CandidateFilters | None = None
        self._failed = False

    def mentions(self, question: str, names: Sequence[str]) -> list[str]:
        """See `CandidateFilters.mentions`."""
        return self._by(lambda filters: filters.mentions(question, names))

    def events(self, question: str, candidates: Sequence[Hit]) -> list[int]:
        """See `CandidateFilters.events`."""
        return self._by(lambda filters: filters.events(question, candidates))

    def arguments(self, question: str, candidates: Sequence[tuple[str, float]]) -> list[int]:
        """See `CandidateFilters.arguments`."""
        return self._by(lambda filters: filters.arguments(question, candidates))

    def _by(self, found: Callable[[CandidateFilters], _Found]) -> _Found:
        if not self._failed:
            try:
                self._asked = self._asked or ModelFilters(self._model())
                return found(self._asked)
            except (ModelUnavailable, UsageError):  # the reader asks the same model, and says why there was none
                self._failed = True
        return found(self._offline)


class ModelFilters:
    """Asks a language model, one call for each thing asked for; safe to share between threads."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._mentions = prompt("memcli.strategies", "mentions")
        self._events = prompt("memcli.strategies", "filter_events")
        self._arguments = prompt("memcli.strategies", "filter_arguments")

    def mentions(self, question: str, names: Sequence[str]) -> list[str]:  # noqa: ARG002
        """M(q): entities, noun phrases and salient concepts of the question, at most 8.

        Raises ModelUnavailable, BudgetSpent.
        """
        text = self._mentions.fill(question=fenced(tidy(question)))
        reply = self._model.complete([ModelMessage("user", text)], _MENTIONS)
        found: dict[str, str] = {}
        for said in reply["mentions"]:
            if mention := tidy(said).strip(",;.?! "):
                found.setdefault(mention.lower(), mention)
        return list(found.values())[:_MOST_MENTIONS]

    def events(self, question: str, candidates: Sequence[Hit]) -> list[int]:
        """The places of the EDUs and chunks that could help to answer the question, ascending; there may be none.

        Raises ModelUnavailable, BudgetSpent.
        """
        return self._kept(self._events, "e", question, [line(hit) for hit in candidates])

    def arguments(self, question: str, candidates: Sequence[tuple[str, float]]) -> list[int]:
        """The places of the arguments that could lead to an answer, ascending; there may be none.

        Raises ModelUnavailable, BudgetSpent.
        """
        return self._kept(self._arguments, "a", question, [tidy(text) for text, _ in candidates])

    def _kept(self, form: Prompt, letter: str, question: str, lines: Sequence[str]) -> list[int]:
        return sorted(named(self._model, form, "keep", letter, len(lines), question, lines)) if lines else []
