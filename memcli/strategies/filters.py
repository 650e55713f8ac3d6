"""What is looked for in a question, and which candidates are kept: without a language model (EMem §3.3).

The filters lean towards recall: what they drop is lost, and what they keep is still ranked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..languages import spoken
from ..model import Hit
from ..providers.profiles import ENCODER

__all__ = ["CandidateFilters", "Thresholds"]


class CandidateFilters(Protocol):
    """What stands between the candidates and the graph; a language model may be behind it."""

    def mentions(self, question: str, names: Sequence[str]) -> list[str]:
        """M(q): what the question names. `names`: all who speak."""
        ...

    def events(self, question: str, candidates: Sequence[Hit]) -> list[int]:
        """f_EDU: the places of the events to keep, ascending; the candidates come best first, scored by cosine."""
        ...

    def arguments(self, question: str, candidates: Sequence[tuple[str, float]]) -> list[int]:
        """f_ARG: the places of the arguments to keep, ascending; candidates come with their cosine to a mention."""
        ...


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Keeps what is not far less similar than the best candidate.

    `events`: the share of the best cosine at which 95 % of the evidence among the candidates of the development
    questions is kept (`benchmarks/events.py`); `arguments`: the least cosine of an argument to a mention.
    """

    event_share: float = 0.62
    argument_cosine: float = ENCODER.mention

    def mentions(self, question: str, names: Sequence[str]) -> list[str]:
        """See `CandidateFilters.mentions`."""
        return spoken([question]).mentions(question, names)

    def events(self, question: str, candidates: Sequence[Hit]) -> list[int]:  # noqa: ARG002
        """See `CandidateFilters.events`."""
        least = self.event_share * max((hit.score for hit in candidates), default=0.0)
        return [place for place, hit in enumerate(candidates) if hit.score >= least]

    def arguments(self, question: str, candidates: Sequence[tuple[str, float]]) -> list[int]:  # noqa: ARG002
        """See `CandidateFilters.arguments`."""
        return [place for place, (_, cosine) in enumerate(candidates) if cosine >= self.argument_cosine]
