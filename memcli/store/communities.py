"""Communities of the memory graph: which sentences belong together, and the words that set them apart.

They are those of the sentences joined by similarity: Leiden's algorithm on the cosines (Traag et al. 2019,
objective: modularity), seeded, so that the same store always gives the same ones. They cost the most of the graph, so
they are kept as the snapshot `graph`, which counts only for the revision of the store that it was made from; no
reader depends on it.
"""

from __future__ import annotations

import re
import struct
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..model import Kind, Relation
from . import snapshots
from .connection import Store
from .revision import revision
from .views.graph import Floats, Graph, Ints, load

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["SNAPSHOT", "Communities", "communities", "key_terms", "rows_of", "snapshot"]

#: The snapshot of the communities.
SNAPSHOT = "graph"
_HEADER = struct.Struct("<4sId")  # what it is and its version, number of sentences, modularity
_MAGIC = b"mcg1"
_SEED = 0
_ONE_SEED = threading.Lock()  # igraph has one generator of random numbers for the whole process
_ROUNDS = 5  # of Leiden's algorithm; more change little
_TERMS = 6
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

#: For units and their communities: the best stems of each community, and turns of it that have them.
_KEY_TERMS = """
    with member as (select unnest(?::integer[]) as unit, unnest(?::integer[]) as community),
    size as (select o.turn, count(*) as sentences from source o join unit u on u.seq = o.unit
             where u.kind = 'sentence' group by o.turn),
    share as (select m.community, o.turn, count(*) / any_value(s.sentences) as share from member m
              join source o on o.unit = m.unit join size s on s.turn = o.turn group by m.community, o.turn),
    spoken as (select term, sum(frequency) / sum(sum(frequency)) over () as rate from posting group by term),
    counted as (select h.community, p.term, sum(h.share * p.frequency) as amount,
                list(p.turn order by h.share desc, p.turn)[1:8] as turns
                from share h join posting p on p.turn = h.turn group by h.community, p.term),
    scored as (select c.community, c.term, c.turns,
               amount * ln(amount / sum(amount) over (partition by c.community) / s.rate) as score
               from counted c join spoken s on s.term = c.term),
    best as (select * from scored where not regexp_full_match(term, '.|[0-9]+') and score > 0
             qualify row_number() over (partition by community order by score desc, term) <= ?)
    select community, term, list(lower(t.text) order by t.seq) from best, unnest(turns) as o(turn)
    join turn t on t.seq = o.turn group by community, term, score order by community, score desc, term"""


@dataclass(frozen=True, slots=True, eq=False)
class Communities:
    """The community of each node of a graph, largest first; -1 for a node in none. Each has two members or more."""

    labels: Ints
    modularity: float

    @property
    def sizes(self) -> Ints:
        """How many members each community has."""
        return np.bincount(self.labels[self.labels >= 0]).astype(np.int64)


def communities(db: DuckDBPyConnection, graph: Graph) -> Communities:
    """The communities of `graph`, the open store's: from the snapshot where it is of this revision, else made now."""
    return _kept(db, graph) or _made(graph)


def snapshot(store: Store) -> bool:
    """Keeps the communities of the store where they are not; whether it did. It is not held while they are made."""
    with store.reading() as db:
        now, graph = revision(db), load(db)
        if _kept(db, graph) is not None:
            return False
    made = _made(graph)
    sentences = graph.of_kind(Kind.SENTENCE)
    count = int(sentences.sum())
    parts = (graph.seqs[sentences].astype("<i4"), made.labels[sentences].astype("<i4"))
    data = _HEADER.pack(_MAGIC, count, made.modularity) + b"".join(part.tobytes() for part in parts)
    snapshots.save(store, SNAPSHOT, data, count, now)
    return True


def rows_of(data: bytes) -> int:
    """How many sentences this snapshot tells the communities of; 0 where it is no sound one."""
    found = _read(data)
    return len(found[0]) if found is not None else 0


def _read(data: bytes) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], float] | None:
    """The numbers of the sentences, their communities, and the modularity; None where these cannot be such."""
    if len(data) < _HEADER.size:
        return None
    magic, count, modularity = _HEADER.unpack_from(data)
    if magic != _MAGIC or len(data) != _HEADER.size + 8 * count or not -1.0 <= modularity <= 1.0:
        return None
    seqs, labels = np.frombuffer(data, "<i4", offset=_HEADER.size).reshape(2, count)
    return (seqs, labels, modularity) if _sound(labels) else None


def _kept(db: DuckDBPyConnection, graph: Graph) -> Communities | None:
    """What the snapshot holds; None where it is missing, broken, of another revision or of other sentences."""
    stored = snapshots.load(db, SNAPSHOT)
    found = _read(stored[0]) if stored is not None and stored[2] == revision(db) else None
    sentences = graph.of_kind(Kind.SENTENCE)
    if found is None or not np.array_equal(found[0], graph.seqs[sentences]):
        return None
    whole_labels = np.full(len(graph.seqs), -1, dtype=np.int64)
    whole_labels[sentences] = found[1]
    return Communities(whole_labels, found[2])


def _sound(labels: npt.NDArray[np.int32]) -> bool:
    """Whether `labels` number communities of two members or more, the larger before the smaller, without a gap."""
    if not len(labels) or labels.min() < -1 or labels.max() >= len(labels):
        return not len(labels)
    sizes = np.bincount(labels[labels >= 0])
    return bool((sizes >= 2).all() and (np.diff(sizes) <= 0).all())


def _made(graph: Graph) -> Communities:
    sentence = graph.of_kind(Kind.SENTENCE)
    similar = graph.of_relation(Relation.SIMILAR) & sentence[graph.sources] & sentence[graph.targets]
    ends = np.stack([graph.sources[similar], graph.targets[similar]], axis=1)
    labels = np.full(len(graph.seqs), -1, dtype=np.int64)
    if not len(ends):
        return Communities(labels, 0.0)
    members, edges = np.unique(ends, return_inverse=True)
    found, modularity = _leiden(len(members), edges.reshape(ends.shape), graph.weights[similar])
    labels[members] = _by_size(found)
    return Communities(labels, modularity)


def _leiden(count: int, edges: Ints, weights: Floats) -> tuple[Ints, float]:
    import random

    import igraph

    joined = igraph.Graph(n=count, edges=edges.tolist())
    strengths = np.maximum(weights, 0.0).tolist()  # modularity is not defined for negative weights
    with _ONE_SEED:
        igraph.set_random_number_generator(random.Random(_SEED))  # noqa: S311
        try:
            found = joined.community_leiden("modularity", weights=strengths, n_iterations=_ROUNDS)
        finally:
            igraph.set_random_number_generator(random)
    membership = np.array(found.membership, dtype=np.int64)
    modularity = float(joined.modularity(found.membership, weights=strengths))
    return membership, modularity if np.isfinite(modularity) else 0.0


def _by_size(labels: Ints) -> Ints:
    """`labels` numbered anew: the largest community first, of equal ones the one that begins first; a single is -1."""
    names, first, inverse, sizes = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    number = np.empty(len(names), dtype=np.int64)
    number[order] = np.arange(len(names))
    number[sizes < 2] = -1
    return number[inverse]


def key_terms(db: DuckDBPyConnection, graph: Graph, found: Communities, count: int) -> dict[int, list[str]]:
    """For each of the first `count` communities the words that set it apart, the most telling first.

    A stem's score is how often it is in the community, times the logarithm of how much more often than in the whole
    store (its part of the Kullback-Leibler divergence: a tf-idf that knows how long things are). A turn counts for a
    community as far as its sentences are in it. A stem is shown as a word of these turns.
    """
    chosen = (found.labels >= 0) & (found.labels < count)
    rows = db.execute(_KEY_TERMS, [graph.seqs[chosen].tolist(), found.labels[chosen].tolist(), _TERMS]).fetchall()
    terms: dict[int, dict[str, None]] = {}  # stems of two languages may be of one word
    for community, term, texts in rows:
        terms.setdefault(int(community), {})[_spelled(str(term), texts)] = None
    return {community: list(words) for community, words in terms.items()}


def _spelled(stem: str, texts: Sequence[str]) -> str:
    """The word of `texts` that has `stem`: the one that begins most like it; of several the commonest, the shortest."""
    counts = Counter(word for text in texts for word in _WORD.findall(text))
    return max(counts, key=lambda word: (_alike(stem, word), counts[word], -len(word), word), default=stem)


def _alike(stem: str, word: str) -> int:
    """With how many of the letters of `stem` `word` begins."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(stem, word, strict=False)))
