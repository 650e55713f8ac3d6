"""The signals that the fused score is made of: for a question, one number a turn each.

Every function takes arrays in the order of conversation and returns named arrays of length n. Cosines and BM25 are
made comparable across questions by standardising over the store, or by dividing by the best turn's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..model import Cue
from .arrays import AdjacentTurns, group_best, group_max, group_sum, top, zscore
from .bm25 import Whole, bm25

__all__ = [
    "AssertionColumns",
    "Sentences",
    "Turns",
    "assertion_signals",
    "best_rows",
    "cue_signals",
    "dense_signals",
    "feedback_rows",
    "graph_signals",
    "lexical_signals",
    "part_signals",
    "pooled",
    "preference_signals",
    "reply_signals",
    "time_signals",
]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Signals = dict[str, Floats]

#: A sentence shorter than this is discounted: a greeting is near to every question that names somebody.
_FULL_SENTENCE = 8
_SEEDS = 50  # sentences from which the graph is entered
_FEEDBACK = 8  # sentences that are taken for relevant in pseudo-relevance feedback
_THREAD = (1.0, 0.8, 0.6)  # what a question counts of one, two and three turns before


@dataclass(frozen=True, slots=True)
class Turns:
    """For each turn: its session, its round, its place in the session, its length in stems, its cues.

    `whole`: what is known of all turns where some are not here.
    """

    session: Ints
    round: Ints
    position: Ints
    length: Ints
    cues: Ints
    near: AdjacentTurns
    whole: Whole | None = None

    def zscore(self, scores: Floats, groups: Ints | None = None) -> Floats:
        """The scores of turns, or of groups of turns, standardised over all of them, also those that are not here."""
        if self.whole is None:
            return zscore(scores)
        return zscore(scores, self.whole.stand_for if groups is None else self.whole.documents(groups, len(scores)))

    @property
    def n(self) -> int:
        """The number of turns."""
        return len(self.session)


@dataclass(frozen=True, slots=True)
class Sentences:
    """For each sentence its turn and its weight (words); the lengths of the units pooled from them; the graph."""

    owner: Ints
    weight: Floats
    turn_norm: Floats
    round_norm: Floats
    session_norm: Floats
    edges: tuple[Ints, Ints, Floats]

    @property
    def discount(self) -> Floats:
        """In (0, 1]: 1 for a full sentence."""
        return np.minimum(1.0, np.sqrt(self.weight / _FULL_SENTENCE))


@dataclass(frozen=True, slots=True)
class AssertionColumns:
    """For each assertion that may shape a ranking: the row of its turn, how sure it is, whether it voices a taste, and
    the place of the domain that its relation bears on, −1 for none.
    """

    turn: Ints
    confidence: Floats
    taste: npt.NDArray[np.bool_]
    domain: Ints


def pooled(cosines: Floats, sentences: Sentences, groups: Ints, norms: Floats) -> Floats:
    """The cosine of each group's pooled vector: its sentences' weighted cosines over the length of their sum."""
    return group_sum(cosines * sentences.weight, groups[sentences.owner], len(norms)) / norms


def dense_signals(cosines: Floats, feedback: Floats, turns: Turns, sentences: Sentences) -> Signals:
    """From the cosine of every sentence with the question, and with the feedback vector (`feedback_rows`)."""
    n, near = turns.n, turns.near
    turn = turns.zscore(pooled(cosines, sentences, np.arange(n), sentences.turn_norm))
    raw = group_max(cosines * sentences.discount, sentences.owner, n)
    sentence = turns.zscore(raw)
    session = pooled(cosines, sentences, turns.session, sentences.session_norm)
    return {
        "dense.turn": turn,
        "dense.sentence": sentence,
        "dense.round": turns.zscore(pooled(cosines, sentences, turns.round, sentences.round_norm)[turns.round]),
        "dense.session": turns.zscore(session, turns.session)[turns.session],
        "dense.session_best": turns.zscore(group_max(raw, turns.session, len(session)), turns.session)[turns.session],
        "dense.session_top3": turns.zscore(_top_mean(raw, turns.session, 3), turns.session)[turns.session],
        "dense.previous": near.previous(sentence),
        "dense.previous2": near.previous(near.previous(sentence)),
        "dense.next": near.following(sentence),
        "dense.window1": turns.zscore(near.window(raw, 1)),
        "dense.window3": turns.zscore(near.window(raw, 3)),
        "dense.turn_window1": turns.zscore(near.window(turn, 1)),
        "dense.feedback": turns.zscore(group_max(feedback * sentences.discount, sentences.owner, n)),
        "dense.cosine": raw,
        "dense.session_cosine": session[turns.session],
    } | graph_signals(cosines, turns, sentences)


def feedback_rows(cosines: Floats, sentences: Sentences) -> Ints:
    """The sentences whose mean is added to the question's vector (Rocchio 1971): the best by discounted cosine."""
    return top(cosines * sentences.discount, _FEEDBACK)


def best_rows(cosines: Floats, sentences: Sentences) -> Ints:
    """For each turn the row of its best sentence, by discounted cosine."""
    order = np.argsort(-cosines * sentences.discount, kind="stable")
    return order[np.unique(sentences.owner[order], return_index=True)[1]]


def graph_signals(cosines: Floats, turns: Turns, sentences: Sentences) -> Signals:
    """One hop in the sentence graph: a turn scores what its sentences' neighbours score, times the edge's cosine."""
    a, b, weight = sentences.edges
    hop, spread = np.zeros(len(cosines)), np.zeros(len(cosines))
    seed = np.zeros(len(cosines), dtype=bool)
    seed[top(cosines, _SEEDS)] = True
    for src, dst in ((a, b), (b, a)):
        np.maximum.at(hop, dst, cosines[src] * weight)
        seeded = seed[src]
        np.maximum.at(spread, dst[seeded], (cosines[src] * weight)[seeded])
    return {
        "graph.hop": turns.zscore(group_max(hop, sentences.owner, turns.n)),
        "graph.spread": turns.zscore(group_max(spread, sentences.owner, turns.n)),
    }


def part_signals(cosines: Floats, turns: Turns, sentences: Sentences) -> Signals:
    """From the cosines [parts, sentences] of every sentence with the parts of a question, of which the last asks.

    A long request says what it is about in one sentence and asks in another: each part has its own best evidence.
    """
    sessions = len(sentences.session_norm)
    each = np.stack([group_max(part * sentences.discount, sentences.owner, turns.n) for part in cosines])
    by_session = np.stack([group_max(part, turns.session, sessions) for part in each])
    return {
        "parts.best": turns.zscore(each.max(axis=0)),
        "parts.mean": turns.zscore(each.mean(axis=0)),
        "parts.asked": turns.zscore(each[-1]),
        "parts.session": turns.zscore(by_session.mean(axis=0), turns.session)[turns.session],
    }


def preference_signals(cosines: Floats, turns: Turns, sentences: Sentences) -> Signals:
    """From the cosine of every sentence with the question turned into a statement of taste."""
    turn = turns.zscore(pooled(cosines, sentences, np.arange(turns.n), sentences.turn_norm))
    best = group_max(cosines * sentences.discount, sentences.owner, turns.n)
    sessions = len(sentences.session_norm)
    return {
        "taste.turn": turn,
        "taste.sentence": turns.zscore(best),
        "taste.session": turns.zscore(group_max(best, turns.session, sessions), turns.session)[turns.session],
        "taste.next": turns.near.following(turn),
    }


def assertion_signals(cosines: Floats, domains: Floats, assertions: AssertionColumns, n: int) -> Signals:
    """From the cosine of every assertion with the question: what is asserted says more than how it was put.

    `domains`: the cosine of the question with each domain.
    """
    sure, taste = 0.5 + 0.5 * assertions.confidence, assertions.taste
    near = np.maximum(np.append(domains, 0.0)[assertions.domain], 0.0)
    return {
        "assertion.any": group_best(cosines * sure, assertions.turn, n),
        "assertion.taste": group_best((cosines * sure)[taste], assertions.turn[taste], n),
        "assertion.voiced": group_best(assertions.confidence[taste], assertions.turn[taste], n),
        "assertion.domain": group_best(near * assertions.confidence, assertions.turn, n),
    }


def lexical_signals(stems: Sequence[str], postings: Mapping[str, tuple[Ints, Ints]], turns: Turns) -> Signals:
    """From BM25 over turns, rounds and sessions."""
    turn = bm25(stems, postings, turns.length, np.arange(turns.n), whole=turns.whole)
    around = bm25(stems, postings, turns.length, turns.round, whole=turns.whole)
    session = bm25(stems, postings, turns.length, turns.session, whole=turns.whole)
    near, best = turns.near, turn.scores / max(float(turn.scores.max(initial=0.0)), 1e-9)
    return {
        "bm25.turn": best,
        "bm25.turn_standard": turns.zscore(turn.scores) / 3,
        "bm25.round": around.scores[turns.round] / max(float(around.scores.max(initial=0.0)), 1e-9),
        "bm25.session": session.scores[turns.session] / max(float(session.scores.max(initial=0.0)), 1e-9),
        "bm25.session_standard": turns.zscore(session.scores, turns.session)[turns.session],
        "bm25.previous": near.previous(best),
        "bm25.previous2": near.previous(near.previous(best)),
        "bm25.next": near.following(best),
        "bm25.window1": near.window(best, 1),
        "bm25.window3": near.window(best, 3),
        "cover.turn": turn.coverage,
        "cover.round": around.coverage[turns.round],
        "cover.session": session.coverage[turns.session],
    }


def reply_signals(sentence: Floats, lexical: Floats, turns: Turns) -> Signals:
    """From how well what was asked just before fits, by its sentences (standardised) and by its words.

    A bare reply means what it was asked; others may have spoken in between.
    """
    asks, brief = _bit(turns.cues, Cue.QUESTION), 1 / (1 + turns.length)
    dense, words = (_asked_before(asks * np.maximum(scores, 0.0), turns.near) for scores in (sentence, lexical))
    return {
        "reply.dense": dense,
        "reply.dense_brief": dense * brief,
        "reply.bm25": words,
        "reply.bm25_brief": words * brief,
    }


def _asked_before(asked: Floats, near: AdjacentTurns) -> Floats:
    """The best of the turns just before."""
    best = np.zeros(len(asked))
    for share in _THREAD:
        asked = near.previous(asked)
        best = np.maximum(best, share * asked)
    return best


def cue_signals(turns: Turns, asked: Floats, roles: Mapping[str, Floats]) -> Signals:
    """What can be seen in a turn itself. `asked`: 1 the question names its speaker, −1 another speaker, 0 nobody."""
    seen = {f"cue.{cue.name.lower()}": _bit(turns.cues, cue) for cue in Cue if cue.name}
    return seen | {
        "cue.question_before": turns.near.previous(seen["cue.question"]),
        "cue.length": np.log1p(turns.length),
        "cue.position": np.log1p(turns.position),
        "speaker.asked": asked,
        **{f"speaker.{role}": is_role for role, is_role in roles.items()},
    }


def time_signals(days: Floats, spans: Sequence[tuple[float, float]]) -> Signals:
    """How a turn's time fits the dates that the question names, as spans [start, end) in days since 1970.

    `inside`: said within a span (or a day of it); `after`: said soon after it, as of something that has happened.
    """
    inside, after = np.zeros(len(days)), np.zeros(len(days))
    known = np.nan_to_num(days, nan=-1e9)
    for start, end in spans:
        inside = np.maximum(inside, ((known >= start - 1) & (known < end + 1)).astype(float))
        late = known - end
        after = np.maximum(after, np.where(late >= 0, np.exp(-np.clip(late, 0, 1e4) / 14.0), 0.0))
    return {"time.inside": inside, "time.after": after}


def _bit(cues: Ints, cue: Cue) -> Floats:
    return ((cues & int(cue)) > 0).astype(np.float64)


def _top_mean(scores: Floats, groups: Ints, k: int) -> Floats:
    """The mean of each group's k best scores. `groups` ascend."""
    order = np.lexsort((-scores, groups))
    sorted_groups = groups[order]
    rank = np.arange(len(scores)) - np.searchsorted(sorted_groups, sorted_groups)
    kept = order[rank < k]
    count = int(groups[-1]) + 1 if len(groups) else 0
    return group_sum(scores[kept], groups[kept], count) / np.maximum(np.bincount(groups[kept], minlength=count), 1)
