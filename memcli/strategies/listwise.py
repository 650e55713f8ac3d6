"""A language model as a reranker: it is shown the first hits together, and names those that answer best, in order.

Listwise, as RankGPT is (Sun et al. 2023, §3.1), in one reply and without its sliding window: what stands behind the
first hits stays there.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Hit, Query
from ..providers.language import LanguageModel, language_model
from ..providers.prompts import prompt, tidy
from .naming import line, named

__all__ = ["NAMED", "SHOWN", "Listwise"]

#: How many hits are shown, and how many of them the model names.
SHOWN, NAMED = 20, 5
#: Characters of a hit that are shown: twenty of them fit the context of a small model.
_LONGEST = 600


class Listwise:
    """Implements `HitReranker`: what the model names first is worth `NAMED`, the next one less, all others nothing.

    `model`: a language model, or its name as `language_model` takes it. Raises UsageError, ModelUnavailable. Safe to
    share between threads. It is asked each time: no reply is kept.
    """

    considered = SHOWN

    def __init__(self, model: str | LanguageModel) -> None:
        self._model = language_model(model) if isinstance(model, str) else model
        self._is_own = isinstance(model, str)
        self._form = prompt("memcli.strategies", "listwise")

    def rerank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """See `Reranker.rerank`. Of the texts the first `SHOWN` are looked at. Raises ModelUnavailable."""
        shown = [_cut(tidy(text)) for text in texts[:SHOWN]]
        best = named(self._model, self._form, "best", "t", NAMED, question, shown) if shown else []
        worth = {place: float(NAMED - rank) for rank, place in enumerate(best)}
        return [worth.get(place, 0.0) for place in range(len(texts))]

    def of_hits(self, query: Query, hits: Sequence[Hit]) -> Sequence[float]:
        """See `HitReranker.of_hits`."""
        return self.rerank(query.text, [line(hit) for hit in hits])

    def close(self) -> None:
        """Gives up a model that was made here."""
        close = getattr(self._model, "close", None)
        if self._is_own and close is not None:
            close()


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rsplit(' ', 1)[0]} …"
