"""Who writes generated memory: a language model (`by_model`), or nobody but the words that were said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...languages import spoken
from ...model.generated import Generated, SessionText, Told
from ...providers.profiles import ENCODER, Profile
from ..plan import MEMORIES, Producer
from ..producer.asking import MemoryWriter
from .insights import insights
from .keywords import keywords
from .summaries import summary
from .verification import COVERAGE

__all__ = ["Offline", "Rarity", "Writer"]

Rarity = Callable[[str], float]


class Writer(MemoryWriter[Generated], Protocol):
    """What writes summaries, keywords, facts and insights."""

    def insights(self, new: Sequence[Told], earlier: Sequence[Told]) -> list[Generated]:
        """What a session's new facts show together with those of other sessions. Raises ModelUnavailable."""
        ...


@dataclass(frozen=True, slots=True)
class Offline:
    """Writes memory without a model, in the words of its sources. `rarity` weighs the words of keywords.

    `profile`: the thresholds of the store's embedder."""

    rarity: Rarity
    profile: Profile = ENCODER
    producer: Producer = MEMORIES
    at_once: int = 1
    coverage: float = COVERAGE

    def session(self, text: SessionText) -> list[Generated]:
        """See `Writer.session`."""
        whole = (summary(text, self.profile), keywords(text, self.rarity))
        return [unit for unit in whole if unit is not None] + spoken(turn.text for turn in text.turns).facts(text)

    def insights(self, new: Sequence[Told], earlier: Sequence[Told]) -> list[Generated]:
        """See `Writer.insights`."""
        return insights(new, earlier, similar=self.profile.same_fact)
