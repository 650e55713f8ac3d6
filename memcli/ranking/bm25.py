"""BM25 (Robertson & Zaragoza 2009, equation 3.15) over groups of turns, summed from the postings of single turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["K1", "B", "Lexical", "Whole", "bm25", "idf"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Saturation of a term's frequency, and how much of the length is normalised away: chat turns are short.
K1 = 0.9
B = 0.4


@dataclass(frozen=True, slots=True)
class Lexical:
    """For each group of turns its BM25 score, and the share of the question's weight of words that it holds, [0, 1]."""

    scores: Floats
    coverage: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """Of more turns than are here: for how many of them each stands (`stand_for`, [n]), their mean length, and in how
    many of them each stem occurs.
    """

    stand_for: Floats
    mean_length: float
    frequencies: Mapping[str, int]

    def documents(self, groups: Ints, count: int) -> Floats:
        """For each of the groups of turns for how many groups it stands."""
        standing = np.zeros(count)
        standing[groups] = self.stand_for
        return standing

    def frequency(self, stem: str, turns: Ints, holding: float) -> float:
        """In how many groups a stem occurs. `turns`: where it occurs here; `holding`: what their groups stand for.

        In proportion to the turns, of which it is known: exact where a group is a turn, and where all of them are here.
        """
        known = self.frequencies.get(stem, 0)
        return known * holding / float(self.stand_for[turns].sum()) if len(turns) else float(known)


def idf(frequency: npt.ArrayLike, documents: int) -> Floats:
    """log(1 + (N − df + ½) / (df + ½)): never negative (Lucene's form of Robertson's weight)."""
    df = np.asarray(frequency, dtype=np.float64)
    return np.log1p((documents - df + 0.5) / (df + 0.5))


def bm25(
    stems: Sequence[str],
    postings: Mapping[str, tuple[Ints, Ints]],
    lengths: Ints,
    groups: Ints,
    *,
    k1: float = K1,
    b: float = B,
    weights: Mapping[str, float] | None = None,
    whole: Whole | None = None,
) -> Lexical:
    """Scores groups of turns against the stems of a question, of which each counts by `weights`; None: all alike.

    `postings`: for each stem its turns and the frequencies in them; `lengths` [n] in stems; `groups` [n]: the group
    of each turn, dense from 0. A group's frequencies and length are the sums over its turns. `whole`: what is known of
    all turns where some are not here.
    """
    count = int(groups.max()) + 1 if len(groups) else 0
    length = np.bincount(groups, weights=lengths, minlength=count)
    standing = np.ones(count) if whole is None else whole.documents(groups, count)
    documents, mean = count, float(length.mean()) if count else 0.0
    if whole is not None:
        documents = round(float(standing.sum()))
        mean = whole.mean_length * float(whole.stand_for.sum()) / max(documents, 1)
    norm = k1 * (1 - b + b * length / max(mean, 1e-9))
    scores, covered, total = np.zeros(count), np.zeros(count), 0.0
    for stem in sorted(set(stems)):
        turns, frequencies = postings.get(stem, (np.zeros(0, dtype=np.int64),) * 2)
        tf = np.bincount(groups[turns], weights=frequencies, minlength=count)
        frequency = float(np.count_nonzero(tf))
        if whole is not None:
            frequency = min(whole.frequency(stem, turns, float(standing[tf > 0].sum())), documents)
        weight = float(idf(frequency, documents)) * (1.0 if weights is None else weights[stem])
        scores += weight * tf * (k1 + 1) / (tf + norm)
        covered += weight * (tf > 0)
        total += weight
    return Lexical(scores, covered / max(total, 1e-9))
