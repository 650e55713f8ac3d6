"""BM25 (Robertson & Zaragoza 2009, equation 3.15) over groups of turns, summed from the postings of single turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["K1", "B", "Lexical", "bm25", "idf"]

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
) -> Lexical:
    """Scores groups of turns against the stems of a question, of which each counts by `weights`; None: all alike.

    `postings`: for each stem its turns and the frequencies in them; `lengths` [n] in stems; `groups` [n]: the group
    of each turn, dense from 0. A group's frequencies and length are the sums over its turns.
    """
    count = int(groups.max()) + 1 if len(groups) else 0
    length = np.bincount(groups, weights=lengths, minlength=count)
    norm = k1 * (1 - b + b * length / max(float(length.mean()) if count else 0.0, 1e-9))
    scores, covered, total = np.zeros(count), np.zeros(count), 0.0
    for stem in sorted(set(stems)):
        turns, frequencies = postings.get(stem, (np.zeros(0, dtype=np.int64),) * 2)
        tf = np.bincount(groups[turns], weights=frequencies, minlength=count)
        weight = float(idf(np.count_nonzero(tf), count)) * (1.0 if weights is None else weights[stem])
        scores += weight * tf * (k1 + 1) / (tf + norm)
        covered += weight * (tf > 0)
        total += weight
    return Lexical(scores, covered / max(total, 1e-9))
