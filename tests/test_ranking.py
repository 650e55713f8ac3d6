"""Every formula against constants computed by hand, and the properties that any input must keep."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from memcli.languages.base import NAMELESS, PREFERENCE
from memcli.languages.english.cues import cues
from memcli.languages.english.questions import parse, wording
from memcli.model import Cue
from memcli.ranking import coverage, fusion, learned, routing, signals
from memcli.ranking.arrays import AdjacentTurns, group_max, group_sum, settled, softmax, top, zscore
from memcli.ranking.bm25 import bm25, idf
from memcli.strategies.fused import Fused

FLOATS = st.floats(-1e6, 1e6)
SCORES = hnp.arrays(np.float64, st.integers(0, 40), elements=FLOATS)


def test_idf_is_the_logarithm_of_robertsons_odds_plus_one() -> None:
    assert idf(1, 3) == pytest.approx(math.log(1 + 2.5 / 1.5))
    assert idf([0, 3], 3).tolist() == pytest.approx([math.log(1 + 3.5 / 0.5), math.log(1 + 0.5 / 3.5)])


def test_bm25_of_three_turns_by_hand() -> None:
    """ "tea" is twice in turn 0 (length 4) and once in turn 2 (length 2); turn 1 has length 3; the mean is 3."""
    postings = {"tea": (np.array([0, 2]), np.array([2, 1]))}
    found = bm25(["tea"], postings, np.array([4, 3, 2]), np.arange(3), k1=1.2, b=0.75)
    weight = math.log(1 + 1.5 / 2.5)
    first = weight * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / 3))
    third = weight * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 3))
    assert found.scores.tolist() == pytest.approx([first, 0.0, third])
    assert found.coverage.tolist() == [1.0, 0.0, 1.0]


def test_bm25_of_groups_sums_frequencies_and_lengths() -> None:
    postings = {"tea": (np.array([0, 1]), np.array([1, 2])), "cake": (np.array([3]), np.array([1]))}
    grouped = bm25(["tea", "cake"], postings, np.array([2, 2, 3, 5]), np.array([0, 0, 1, 1]))
    merged = {"tea": (np.array([0]), np.array([3])), "cake": (np.array([1]), np.array([1]))}
    alone = bm25(["tea", "cake"], merged, np.array([4, 8]), np.arange(2))
    assert grouped.scores.tolist() == pytest.approx(alone.scores.tolist())
    assert grouped.coverage.tolist() == pytest.approx([0.5, 0.5])


def test_coverage_counts_words_that_nobody_said() -> None:
    found = bm25(["tea", "zebra"], {"tea": (np.array([0]), np.array([1]))}, np.array([1, 1]), np.arange(2))
    tea, zebra = float(idf(1, 2)), float(idf(0, 2))
    assert found.coverage[0] == pytest.approx(tea / (tea + zebra))


def test_bm25_of_an_empty_store() -> None:
    found = bm25(["tea"], {}, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    assert found.scores.shape == (0,)


@given(SCORES, st.integers(0, 50))
def test_top_is_the_stable_descending_order(scores: np.ndarray, k: int) -> None:
    expected = np.argsort(-settled(scores), kind="stable")[:k]
    assert top(scores, k).tolist() == expected.tolist()


@given(SCORES)
def test_standard_has_mean_zero(scores: np.ndarray) -> None:
    assert np.all(np.isfinite(zscore(scores)))
    if len(scores):
        assert abs(float(zscore(scores).mean())) < 1e-3


def test_standard_by_hand() -> None:
    assert zscore(np.array([1.0, 3.0])).tolist() == pytest.approx([-1.0, 1.0], abs=1e-5)


def test_groups() -> None:
    scores, groups = np.array([1.0, -2.0, 5.0]), np.array([0, 2, 0])
    assert group_max(scores, groups, 3).tolist() == [5.0, 0.0, -2.0]
    assert group_sum(scores, groups, 3).tolist() == [6.0, 0.0, -2.0]


def test_neighbours_stay_in_their_session() -> None:
    near = AdjacentTurns.of(np.array([0, 0, 0, 1, 1]))
    scores = np.array([1.0, 2.0, 3.0, 10.0, 20.0])
    assert near.previous(scores).tolist() == [0, 1, 2, 0, 10]
    assert near.following(scores).tolist() == [2, 3, 0, 20, 0]
    assert near.window(scores, 1).tolist() == [1.5, 2.0, 2.5, 15.0, 15.0]
    assert near.window(scores, 9).tolist() == [2.0, 2.0, 2.0, 15.0, 15.0]


def test_pooling_equals_the_cosine_of_the_pooled_vector() -> None:
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((5, 8))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    query = rows[0] + rows[3]
    query /= np.linalg.norm(query)
    weight, owner = np.array([3.0, 1.0, 2.0, 5.0, 1.0]), np.array([0, 0, 1, 1, 1])
    sums = np.array([(rows[owner == t] * weight[owner == t][:, None]).sum(axis=0) for t in range(2)])
    norms = np.linalg.norm(sums, axis=1)
    nothing = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    sentences = signals.Sentences(owner, weight, norms, norms, norms, nothing)
    found = signals.pooled(rows @ query, sentences, np.arange(2), norms)
    assert found.tolist() == pytest.approx((sums @ query / norms).tolist())


def test_the_graph_passes_a_sentences_cosine_to_its_neighbour() -> None:
    turns = signals.Turns(np.zeros(3, int), np.zeros(3, int), np.arange(3), np.ones(3, int), np.zeros(3, int),
                          AdjacentTurns.of(np.zeros(3, int)))  # fmt: skip
    edges = (np.array([0]), np.array([2]), np.array([0.5]))
    sentences = signals.Sentences(np.arange(3), np.ones(3), np.ones(3), np.ones(1), np.ones(1), edges)
    found = signals.graph_signals(np.array([0.8, 0.1, 0.0]), turns, sentences)
    assert found["graph.hop"].tolist() == pytest.approx(zscore(np.array([0.0, 0.0, 0.4])).tolist())


def test_a_reply_is_worth_what_was_asked_before_it() -> None:
    """Turn 0 asks, and turn 4, in another session; turn 2 stands two turns behind the first: 0.8 of it."""
    session, length = np.array([0, 0, 0, 0, 1, 1]), np.array([3, 0, 1, 4, 2, 1])
    cues = np.where(np.isin(np.arange(6), [0, 4]), int(Cue.QUESTION), 0)
    turns = signals.Turns(session, np.arange(6), np.arange(6), length, cues, AdjacentTurns.of(session))
    dense, words = np.array([2.0, 5.0, 0.0, 0.0, -1.0, 0.0]), np.array([0.5, 0.0, 0.0, 0.0, 1.0, 0.0])
    found = signals.reply_signals(dense, words, turns)
    assert found["reply.dense"].tolist() == pytest.approx([0.0, 2.0, 1.6, 1.2, 0.0, 0.0])
    assert found["reply.bm25"].tolist() == pytest.approx([0.0, 0.5, 0.4, 0.3, 0.0, 1.0])
    assert found["reply.dense_brief"].tolist() == pytest.approx([0.0, 2.0, 0.8, 0.24, 0.0, 0.0])
    assert found["reply.bm25_brief"].tolist() == pytest.approx([0.0, 0.5, 0.2, 0.06, 0.0, 0.5])


def test_time_signals_by_hand() -> None:
    days = np.array([100.0, 99.5, 114.0, 50.0, np.nan])
    found = signals.time_signals(days, [(99.0, 100.0)])
    assert found["time.inside"].tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert found["time.after"].tolist() == pytest.approx([1.0, 0.0, math.exp(-1), 0.0, 0.0])


def _weights() -> fusion.Weights:
    return fusion.Weights(["a", "b"], ["always", "time"], np.array([[2.0, 1.0], [0.5, 0.0]]), np.array([1.0, 0.0]),
                          np.array([2.0, 1.0]), np.array([0.0, 0.5]), np.array([1.0, 0.5]))  # fmt: skip


def test_the_fused_score_by_hand() -> None:
    """With time = 1 the gate is (1 − ½) / ½ = 1: weights (3, ½); the signals (5, 4) become (2, 4)."""
    parts = _weights().contributions(np.array([[5.0, 4.0]]), np.array([1.0, 1.0]))
    assert parts.tolist() == [[6.0, 2.0]]


def test_weights_survive_json() -> None:
    back = fusion.Weights.of(json.loads(learned.written({}, _weights().numbers())), ["always", "time"])
    assert back.features == ["a", "b"]
    assert back.matrix.tolist() == _weights().matrix.tolist()
    assert back.gate_scale.tolist() == [1.0, 0.5]


def test_the_packaged_weights_know_every_gate() -> None:
    packaged = fusion.packaged()
    for weights in (packaged.first, packaged.second):
        assert tuple(weights.gates) == routing.GATES
        assert np.isfinite(weights.matrix).all()


def _candidates(rows: list[int], session: list[int], vectors: list[list[float]] | None = None) -> coverage.Candidates:
    n = len(rows)
    return coverage.Candidates(
        np.array(rows), np.array(session), np.array([7, 9] * n)[:n], np.array(vectors or [[1.0, 0.0]] * n)
    )


def test_coverage_by_hand() -> None:
    """Shares ½, ¼, ⅛, ⅛: three turns of one session, the last two beside one another, and one of another."""
    found = _candidates([3, 5, 6, 20], [4, 4, 4, 8], [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [1.0, 0.0]])
    columns = coverage.coverage(np.log([0.5, 0.25, 0.125, 0.125]), found)
    seen = dict(zip(coverage.COVERAGE, columns.T.tolist(), strict=True))
    none = math.log(1e-5)
    assert seen["first.share"] == pytest.approx(np.log([0.5, 0.25, 0.125, 0.125]))
    assert seen["first.place"] == pytest.approx(np.log1p([0, 1, 2, 3]))
    assert seen["session.share"] == pytest.approx(np.log([0.875, 0.875, 0.875, 0.125]))
    assert seen["session.others"] == pytest.approx([math.log(0.25), math.log(0.5), math.log(0.5), none])
    assert seen["session.place"] == pytest.approx(np.log1p([0, 1, 2, 0]))
    assert seen["session.before"] == [0, 1, 2, 0]
    assert seen["near.previous"] == pytest.approx([none, none, math.log(0.25), none])
    assert seen["near.next"] == pytest.approx([none, math.log(0.125), none, none])
    assert seen["near.around"] == pytest.approx(np.log([0.375, 0.625, 0.75, 1e-5]))
    # 0.5, 0.25, 0.125, 0.125 times the cosines with the others, nothing with itself
    assert seen["like.first"] == pytest.approx([0.6 / 4 + 1 / 8, 0.3 + 0.1 + 0.6 / 8, 0.2, 0.5 + 0.6 / 4])
    assert seen["like.before"] == pytest.approx([0.0, 0.6, 0.8, 1.0])
    assert seen["speaker.share"] == pytest.approx(np.log([0.625, 0.375, 0.625, 0.375]))


def test_coverage_knows_no_neighbour_over_a_sessions_end() -> None:
    found = coverage.coverage(np.zeros(2), _candidates([3, 4], [1, 2]))
    assert found[:, coverage.COVERAGE.index("near.previous")].tolist() == pytest.approx([math.log(1e-5)] * 2)


@given(SCORES)
def test_coverage_is_finite(scores: np.ndarray) -> None:
    n = len(scores)
    found = coverage.coverage(scores.astype(np.float64), _candidates(list(range(n)), [i // 3 for i in range(n)]))
    assert found.shape == (n, len(coverage.COVERAGE))
    assert np.isfinite(found).all()


def test_part_signals_by_hand() -> None:
    """Two parts over three turns in two sessions, a full sentence each."""
    turns = signals.Turns(np.array([0, 0, 1]), np.arange(3), np.arange(3), np.ones(3, int), np.zeros(3, int),
                          AdjacentTurns.of(np.array([0, 0, 1])))  # fmt: skip
    nothing = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    said = signals.Sentences(np.arange(3), np.full(3, 8.0), np.ones(3), np.ones(3), np.ones(2), nothing)
    found = signals.part_signals(np.array([[0.9, 0.1, 0.2], [0.1, 0.3, 0.8]]), turns, said)
    assert found["parts.best"].tolist() == pytest.approx(zscore(np.array([0.9, 0.3, 0.8])).tolist())
    assert found["parts.mean"].tolist() == pytest.approx(zscore(np.array([0.5, 0.2, 0.5])).tolist())
    assert found["parts.asked"].tolist() == pytest.approx(zscore(np.array([0.1, 0.3, 0.8])).tolist())
    of_session = zscore(np.array([(0.9 + 0.3) / 2, (0.2 + 0.8) / 2]))
    assert found["parts.session"].tolist() == pytest.approx([of_session[0], of_session[0], of_session[1]])


def test_a_long_question_has_parts_and_what_asks_stands_last() -> None:
    text = "Hi! I have been learning about wine lately. What should I read next? I have only an hour a day."
    assert Fused().mentions(text, []) == [
        "I have been learning about wine lately.", "I have only an hour a day.", "What should I read next?",
    ]  # fmt: skip
    assert Fused().mentions("What should I read next?", []) == []


def test_a_turns_best_sentence_by_hand() -> None:
    """Short sentences are discounted: four words by √(4 / 8)."""
    nothing = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    sentences = signals.Sentences(
        np.array([0, 0, 1]), np.array([8.0, 4.0, 9.0]), np.ones(2), np.ones(2), np.ones(1), nothing
    )
    assert signals.best_rows(np.array([0.6, 0.8, 0.1]), sentences).tolist() == [0, 2]


@given(SCORES)
def test_shares_sum_to_one_and_keep_the_order(scores: np.ndarray) -> None:
    shares = softmax(scores)
    if len(scores):
        assert shares.sum() == pytest.approx(1.0)
        assert (np.diff(shares[np.argsort(scores, kind="stable")]) >= 0).all()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I saw her yesterday.", Cue.DATE | Cue.FIRST_PERSON),
        ("I'm really not a fan of crowds", Cue.PREFERENCE | Cue.FIRST_PERSON),
        ("The second one, please.", Cue.CHOICE),
        ("Wie geht es dir?", Cue.QUESTION),
        ("Gate 12", Cue.DIGIT),
        ("[image: a dog]", Cue.IMAGE),
        ("", Cue(0)),
    ],
)
def test_cues(text: str, expected: Cue) -> None:
    assert cues(text) == expected


@given(st.text(max_size=300))
def test_cues_never_fail(text: str) -> None:
    assert 0 <= int(cues(text)) < 256


def test_phrasings() -> None:
    assert wording(NAMELESS, parse("When did Nora's sister visit Theo?", ("Nora", "Theo"))) == "When did sister visit ?"
    assert wording(PREFERENCE, parse("Can you recommend some hotels in Rome?", ())).endswith(": hotels in Rome")
    assert wording(PREFERENCE, parse("?", ())) == "I don't like, I avoid, I prefer: ?"


@given(st.text(max_size=80), st.lists(st.text(min_size=1, max_size=8).filter(str.strip), max_size=3))
def test_phrasings_never_fail(question: str, names: list[str]) -> None:
    for kind in (NAMELESS, PREFERENCE):
        assert isinstance(wording(kind, parse(question, tuple(names))), str)


def test_names_are_found_by_their_first_part_and_roles_are_none() -> None:
    speakers = ["Nora Klein", "user", "assistant", "Theo"]
    assert parse("What did nora tell the user?", tuple(speakers)).speakers == ["Nora Klein"]
    assert parse("theology", tuple(speakers)).speakers == []


@pytest.mark.parametrize(
    ("question", "time", "advice"),
    [
        ("When did we meet?", True, False),
        ("How many weeks ago was that?", True, False),
        ("Can you recommend a film?", False, True),
        ("Who is Lena?", False, False),
    ],
)
def test_what_a_question_seeks(question: str, time: bool, advice: bool) -> None:
    assert parse(question, ()).seeks_time is time
    assert parse(question, ()).seeks_advice is advice
