"""What sentences assert of who says them, in languages without rules: a classifier of relations over sentence vectors.

A regression for each relation over the sentence's vector, of an embedder in which languages lie together, so that what
was learned of some of them holds for others (docs/languages.md). The tail of what it finds is the sentence as it was
said. `benchmarks/train_relations.py` makes the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ...model.generated import Assertion, SessionText, Vectors, speaker_name
from ...model.relations import RelationType
from ...providers.multilingual import Multilingual
from ...ranking import learned

__all__ = ["RELATIONS", "Classifier", "of_embedder"]

Floats = npt.NDArray[np.float64]

_R = RelationType
#: The relations that it tells apart: each stands for those that are like it (works at, and as).
RELATIONS = (
    _R.LIVES_IN, _R.WORKS_AS, _R.STUDIES, _R.RELATIVE_OF, _R.HAS_PET, _R.HEALTH, _R.DIET, _R.LIKES, _R.DISLIKES,
    _R.OWNS, _R.PLANS,
)  # fmt: skip
#: What is less probable is not kept; what is less probable than `SHAPING` is for search alone.
_LEAST = 0.4
#: A longer sentence tells of too much for one vector.
_LONGEST = 300
#: Roles of those that assert nothing of themselves.
_MACHINES = frozenset({"assistant", "system", "tool"})


@dataclass(frozen=True, slots=True)
class Classifier:
    """Of a sentence's vector, how probably it asserts each of `RELATIONS` of who says it: weights [relations, d]."""

    bias: Floats
    weights: Floats

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Classifier:
        """As it is learned. Raises ValueError where it tells other relations apart."""
        bias, weights = learned.arrays(found, RELATIONS, "bias", "weights")
        return cls(bias, weights)

    def __call__(self, vectors: Vectors | Floats) -> Floats:
        """The probabilities [n, relations] of sentences with these vectors [n, d]."""
        found: Floats = 1 / (1 + np.exp(-(vectors @ self.weights.T + self.bias)))
        return found

    def asserted(self, text: SessionText, after: int, asks: Callable[[str], bool]) -> list[Assertion]:
        """What the turns of a session assert, but its first `after`; nothing that `asks`."""
        return [
            Assertion(speaker_name(turn), relation, sentence, turn.said_at, turn.id, chance)
            for place, turn in enumerate(text.turns[after:], start=after)
            if turn.role.lower() not in _MACHINES
            for sentence, relation, chance in self._told(text.sentences[place], text.vectors[place])
            if not asks(sentence)
        ]

    def _told(self, sentences: tuple[str, ...], vectors: Vectors) -> Iterator[tuple[str, _R, float]]:
        """The likeliest relation of each sentence that may assert one."""
        for sentence, chances in zip(sentences, self(vectors), strict=True):
            best = int(chances.argmax())
            if chances[best] >= _LEAST and len(sentence) <= _LONGEST:
                yield sentence, RELATIONS[best], float(chances[best])


@lru_cache(maxsize=2)
def of_embedder(embedder: str) -> Classifier | None:
    """What ships for the vectors of the embedder of this id; None where nothing does."""
    if embedder != Multilingual.id:
        return None
    return Classifier.of(learned.packaged(__package__, "relations.json")["relations"])
