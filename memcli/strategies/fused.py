"""`fused`, the default: many signals, mixed by what the question is like, with learned weights.

`docs/strategies/fused.md` says what each signal is and what it is worth; `benchmarks/train_fused.py` makes the weights.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..languages import language
from ..languages.base import NAMELESS, PREFERENCE
from ..model import Hit, Kind, Needs, Query, Question, Relation
from ..ranking import fusion, routing, signals
from ..ranking.arrays import AdjacentTurns, softmax, top
from ..ranking.coverage import Candidates, coverage
from ..store.cosine import cosines, exact
from ..store.views.assertions import assertion_index
from ..store.views.candidates import SESSIONS
from ..store.views.view import View, days
from ..text import content_stems, words
from .base import asked_postings, asked_stems, known_of_all, mention_vectors, no_variant, top_hits

__all__ = ["PRODUCTS", "Features", "Fused", "variant"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
_Vectors = Callable[[Ints], Floats]

#: Signals that mean more together than apart. `ask.*` is a gate of the question: 1 or 0 for every turn.
PRODUCTS = (
    ("speaker.asked", "dense.sentence"),
    ("speaker.asked", "bm25.turn"),
    ("dense.sentence", "bm25.turn"),
    ("cue.question_before", "dense.previous"),
    ("cue.question_before", "bm25.previous"),
    ("cue.question", "dense.sentence"),
    ("cue.question", "bm25.turn"),
    ("ask.time", "cue.date"),
    ("ask.time", "cue.digit"),
    ("ask.advice", "cue.preference"),
    ("ask.advice", "cue.choice"),
    ("ask.advice", "taste.turn"),
    ("ask.advice", "taste.sentence"),
    ("ask.advice", "assertion.taste"),
    ("ask.advice", "assertion.voiced"),
    ("ask.advice", "assertion.domain"),
    ("ask.advice", "bm25.turn"),
    ("ask.advice", "dense.turn"),
    ("ask.advice", "speaker.user"),
    ("ask.first_person", "speaker.user"),
    ("ask.first_person", "bm25.turn"),
)

#: A part of a question has at least so many words, and a question at most so many parts.
_FULL_PART, _MOST_PARTS = 4, 8
#: Enough for a question: what cuts a transcript into sentences takes longer to load.
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n")

#: Signals whose best turns are considered; the learned score ranks only these.
_PROPOSERS = (
    "dense.turn", "dense.sentence", "dense.window1", "dense.window3", "dense.round", "dense.feedback", "parts.best",
    "parts.asked", "taste.turn", "taste.sentence", "bm25.turn", "bm25.window1", "bm25.window3", "bm25.round",
    "reply.dense", "reply.bm25", "graph.hop", "graph.spread", "assertion.taste", "assertion.any", "assertion.domain",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Features:
    """The candidates of a question, their signals [n, features] by name, the question's gates."""

    candidates: Candidates
    names: Sequence[str]
    matrix: Floats
    gates: Floats

    def scores(self, weights: fusion.Weights) -> tuple[Floats, Floats]:
        """The first ranking's scores [n], and what each of its signals adds to them [n, features]."""
        order = [self.names.index(name) for name in weights.features]
        parts = weights.contributions(self.matrix[:, order], self.gates)
        return parts.sum(axis=1), parts


@dataclass(frozen=True, slots=True)
class Fused:
    """`proposed`: how many turns each signal may propose; `weights`: None for the package's."""

    proposed: int = 60
    weights: fusion.Ranking | None = None
    needs: Needs = Needs(  # noqa: RUF009
        frozenset({Kind.TURN, Kind.SENTENCE, Kind.ROUND, Kind.SESSION}), frozenset({Relation.SIMILAR})
    )
    phrasings: Sequence[str] = (NAMELESS, PREFERENCE)
    candidate_sessions: int = SESSIONS

    def retrieve(self, query: Query, view: View, k: int) -> list[Hit]:
        """See `Strategy.retrieve`."""
        if not view.n:
            return []
        found = self.features(query, view, max(self.proposed, k))
        weights = self.weights or fusion.packaged(view.embedder)
        first, parts = found.scores(weights.first)
        covered = weights.second.contributions(coverage(first, found.candidates), found.gates)
        traces = {
            "cosine": found.matrix[:, found.names.index("dense.cosine")],
            **_families(weights.first.features, parts),
            "score.coverage": covered.sum(axis=1),
        }
        total = softmax(first + covered.sum(axis=1))
        return top_hits(view, total, query.filters, k, traces, found.candidates.rows)

    def mentions(self, question: str, names: Sequence[str]) -> list[str]:  # noqa: ARG002
        """The sentences of a long question, each a part of what is looked for; those that ask stand last."""
        parts = [part for part in _SENTENCE_END.split(question) if len(words(part)) >= _FULL_PART]
        return sorted(parts, key=lambda part: part.endswith("?"))[-_MOST_PARTS:] if len(parts) > 1 else []

    def features(self, query: Query, view: View, proposed: int) -> Features:
        """Every signal of every candidate: what the weights are trained on."""
        names = query.question.speakers
        found, vectors = _signals(query, view, names)
        stems = _stems(query.question, names)
        gates = routing.gates(
            query.question,
            assistant=bool(view.once(_roles)["assistant"].any()),
            stems=stems,
            known=len(asked_postings(view, query.question, stems)),
            signals=found,
            store=view.once(_store),
        )
        allowed = np.flatnonzero(view.allowed(query.filters))
        rows = _candidates(found, allowed, proposed)
        candidates = Candidates(rows, view.session[rows], view.speaker_code[rows], vectors(rows))
        return Features(candidates, *_matrix({name: values[rows] for name, values in found.items()}, gates), gates)


def variant(name: str, _filters: object = None) -> Fused:
    """The strategy; it has no variants. Raises UsageError."""
    no_variant(name, "fused")
    return Fused()


def _signals(query: Query, view: View, names: Sequence[str]) -> tuple[dict[str, Floats], _Vectors]:
    """Every turn's signals, and what gives some turns the vectors of their best sentences."""
    stems = _stems(query.question, names)
    turns, said = replace(view.once(_turns), whole=known_of_all(view, query.question, stems)), view.once(_sentences)
    nameless = query.phrasings.get(NAMELESS, query.vector)
    taste = query.phrasings.get(PREFERENCE, query.vector)
    mentioned = mention_vectors(query)
    plain, tasteful, *of_parts = view.cosines(np.stack([nameless, taste, *mentioned]))  # in one pass over the vectors
    feedback = nameless + view.vectors(signals.feedback_rows(plain, said)).mean(axis=0)
    asserted, assertions = assertion_index(view), view.once(_assertions)
    parts = np.stack(of_parts or [plain])
    found = {
        **signals.part_signals(parts, turns, said),
        **signals.dense_signals(plain, view.cosines(feedback[None, :])[0], turns, said),
        **signals.preference_signals(tasteful, turns, said),
        **signals.assertion_signals(
            cosines(nameless, asserted.vectors), cosines(nameless, asserted.domains), assertions, view.n
        ),
        **signals.lexical_signals(stems, asked_postings(view, query.question, stems), turns),
        **signals.cue_signals(turns, _asked(view, names), view.once(_roles)),
        **signals.time_signals(view.days, _days(query)),
    }
    found |= signals.reply_signals(found["dense.sentence"], found["bm25.turn"], turns)
    return found, lambda rows: exact(view.vectors(signals.best_rows(plain, said)[rows]))


def _store(view: View) -> Floats:
    """What a store is like, for the gates: how long its turns are, and how many of them ask."""
    turns = view.once(_turns)
    asks = signals.cue_signals(turns, np.zeros(turns.n), {})["cue.question"]
    if view.stands_for is not None:
        return np.average([np.log1p(turns.length), asks], axis=1, weights=view.stands_for)
    return np.array([np.log1p(turns.length).mean(), asks.mean()])


def _turns(view: View) -> signals.Turns:
    view.load("position", "speaker", "role", "said_at", "length", "cues")  # all that is asked for, in one query
    near = AdjacentTurns.of(view.session)
    return signals.Turns(view.session, view.round, view.position, view.length, view.cues, near)


def _sentences(view: View) -> signals.Sentences:
    norms = (view.norms("turn"), view.norms("round"), view.norms("session"))
    return signals.Sentences(view.owner, view.weight, *norms, view.similar)


def _assertions(view: View) -> signals.AssertionColumns:
    index = assertion_index(view)
    return signals.AssertionColumns(index.rows, index.confidence, index.taste, index.domain)


def _stems(question: Question, names: Sequence[str]) -> list[str]:
    """The question's content stems without the speakers' names, which say who is meant and not what."""
    said = asked_stems(question)
    spoken = {stem for name in names for stem in content_stems(name, question.language)}
    return [stem for stem in said if stem not in spoken] or said


def _asked(view: View, names: Sequence[str]) -> Floats:
    if not names:
        return np.zeros(view.n)
    is_named = np.array([name in names for name in view.speaker_names])
    return np.where(is_named[view.speaker_code], 1.0, -1.0)


def _roles(view: View) -> dict[str, Floats]:
    return {role: (view.roles == role).astype(np.float64) for role in ("user", "assistant")}


def _days(query: Query) -> list[tuple[float, float]]:
    spans = [found.span for found in language(query.question.language).asked_times(query.text, query.asked_at)]
    return [(days(span.start), days(span.end)) for span in spans]


def _candidates(found: dict[str, Floats], allowed: Ints, proposed: int) -> Ints:
    """The turns that some signal ranks among its best, in the order of conversation."""
    blend = found["dense.sentence"] + found["dense.window1"] + found["dense.session"] + found["bm25.session_standard"]
    blend = blend + 3 * (found["bm25.turn"] + found["bm25.window1"])
    lists = [top(found[name][allowed], proposed) for name in _PROPOSERS] + [top(blend[allowed], 2 * proposed)]
    return allowed[np.unique(np.concatenate(lists))]


def _matrix(found: dict[str, Floats], gates: Floats) -> tuple[list[str], Floats]:
    asks = {f"ask.{name}": value for name, value in zip(routing.GATES, gates.tolist(), strict=True)}
    columns = dict(found)
    for left, right in PRODUCTS:
        columns[f"{left}*{right}"] = (asks[left] if left in asks else found[left]) * found[right]
    return list(columns), np.stack(list(columns.values()), axis=1)


def _families(names: Sequence[str], parts: Floats) -> dict[str, Floats]:
    """What each family of signals (the word before the dot; of a product the last factor's) adds to the score."""
    family = [name.rsplit("*", 1)[-1].split(".", 1)[0] for name in names]
    return {
        f"score.{one}": parts[:, [i for i, each in enumerate(family) if each == one]].sum(axis=1)
        for one in dict.fromkeys(family)
    }
