"""Every formula against constants worked out by hand, and against implementations that others wrote."""

from __future__ import annotations

from math import exp, log2

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.evaluation.answers import answer_scores, bleu, locomo_f1, rouge_l, token_f1
from memcli.evaluation.bootstrap import clusters, intervals, paired
from memcli.evaluation.metrics import (
    CUTOFFS,
    first_seen,
    ndcg,
    ndcg_longmemeval,
    recall,
    recall_all,
    recall_any,
    reciprocal_rank,
    retrieval_scores,
)

RANKING, GOLD = ["d", "a", "x", "b"], {"a", "b", "c"}


def test_recall_by_hand() -> None:
    assert [recall(RANKING, GOLD, k) for k in (1, 2, 4, 9)] == pytest.approx([0.0, 1 / 3, 2 / 3, 2 / 3])
    assert [recall_any(RANKING, GOLD, k) for k in (1, 2)] == [0.0, 1.0]
    assert [recall_all(RANKING, {"a", "d"}, k) for k in (1, 2)] == [0.0, 1.0]


def test_ndcg_by_hand() -> None:
    # Gold at ranks 2 and 4 of three gold items: 1/log2(3) + 1/log2(5) over 1 + 1/log2(3) + 1/log2(4).
    assert ndcg(RANKING, GOLD, 5) == pytest.approx(0.4982, abs=1e-4)
    assert ndcg(RANKING, GOLD, 1) == 0.0
    assert ndcg(["a"], {"a"}, 10) == 1.0


def test_longmemeval_discounts_from_the_third_rank_on() -> None:
    assert ndcg_longmemeval(["x", "a"], {"a"}, 5) == 1.0
    assert ndcg_longmemeval(["x", "y", "a"], {"a"}, 5) == pytest.approx(1 / log2(3))
    assert ndcg_longmemeval(RANKING, GOLD, 5) == pytest.approx((1 + 1 / 2) / (1 + 1 + 1 / log2(3)))


def test_reciprocal_rank_by_hand() -> None:
    assert reciprocal_rank(RANKING, GOLD) == 0.5
    assert reciprocal_rank(["x"], GOLD) == 0.0


def test_a_ranking_of_sessions_is_the_first_appearance_of_each() -> None:
    assert first_seen(["s2", "s1", "s2", "s3", "s1"]) == ["s2", "s1", "s3"]


@settings(deadline=None, max_examples=150)
@given(st.lists(st.integers(0, 40), unique=True, max_size=30), st.sets(st.integers(0, 40), min_size=1, max_size=12))
def test_the_same_figures_as_ir_measures(ranking: list[int], gold: set[int]) -> None:
    run = {"q": {str(item): float(-rank) for rank, item in enumerate(ranking)} or {"nothing": 0.0}}
    relevant = {"q": {str(item): 1 for item in gold}}
    wanted: dict[ir_measures.Measure, float] = {ir_measures.RR: reciprocal_rank(ranking, gold)}
    for k in CUTOFFS:
        wanted[ir_measures.R @ k] = recall(ranking, gold, k)
        wanted[ir_measures.Success @ k] = recall_any(ranking, gold, k)
        wanted[ir_measures.nDCG @ k] = ndcg(ranking, gold, k)
    found = ir_measures.calc_aggregate(list(wanted), relevant, run)
    for measure, value in wanted.items():
        assert found[measure] == pytest.approx(value, abs=1e-9), measure


@given(st.lists(st.integers(0, 20), unique=True, max_size=25), st.sets(st.integers(0, 20), min_size=1))
def test_metrics_are_shares_and_agree_with_one_another(ranking: list[int], gold: set[int]) -> None:
    scores = retrieval_scores(ranking, gold)
    assert all(0.0 <= value <= 1.0 + 1e-12 for value in scores.values())
    for k in CUTOFFS:
        assert scores[f"recall_all@{k}"] <= scores[f"recall@{k}"] <= scores[f"recall_any@{k}"]
    best = retrieval_scores(sorted(gold), gold)
    assert best["ndcg@20"] == best["ndcg_longmemeval@20"] == best["mrr"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("given_", "gold", "score"),
    [
        ("The cat sat.", "a cat", 2 / 3),
        ("7 May 2023", "7 May 2023", 1.0),
        ("dog", "cat", 0.0),
        ("", "cat", 0.0),
        ("", "", 1.0),
        ("red red blue", "red blue blue", 2 / 3),
    ],
)
def test_token_f1_by_hand(given_: str, gold: str, score: float) -> None:
    assert token_f1(given_, gold) == pytest.approx(score)


def test_locomo_f1_has_a_rule_for_three_categories() -> None:
    assert locomo_f1("hiking", "hikes", "4") == 1.0  # Porter: both are "hike"
    assert locomo_f1("dying", "die", "4") == 1.0  # NLTK's own addition: as published, "dying" stays apart
    assert locomo_f1("she hikes and swims", "hiking", "4") == pytest.approx(0.5)
    # Of the gold list half is matched exactly and the other half not at all.
    assert locomo_f1("pottery, painting", "pottery, camping", "1") == pytest.approx(0.5)
    assert locomo_f1("likely no", "Likely no; she wants to stay", "3") == 1.0
    assert locomo_f1("likely no", "Likely no; she wants to stay", "4") < 1.0
    assert locomo_f1("anything", "", "5") == 0.0
    assert locomo_f1("", "", "5", abstained=True) == 1.0
    assert locomo_f1("", "cat", "4", abstained=True) == 0.0


def test_bleu_by_hand() -> None:
    assert bleu("the cat sat", "the cat sat", 1) == pytest.approx(1.0)
    # Two of three words, and as long as the gold answer.
    assert bleu("a cat sat", "the cat sat", 1) == pytest.approx(2 / 3)
    # Both words right, but a word short: the brevity penalty is e^(1 - 3/2).
    assert bleu("cat sat", "the cat sat", 1) == pytest.approx(exp(-0.5))
    assert bleu("dog", "cat", 4) == 0.0
    assert bleu("", "cat", 1) == bleu("cat", "", 1) == 0.0
    # Three words of four right, two pairs of three, no three in a row: 0.1 of two, 0.1 of one.
    assert bleu("the cat sat down", "the cat sat up", 2) == pytest.approx((3 / 4 * 2 / 3) ** 0.5)
    assert bleu("a cat sat", "the cat sat", 4) == pytest.approx((2 / 3 * 1 / 2 * 0.1 / 1 * 0.1 / 1) ** 0.25)


def test_rouge_l_by_hand() -> None:
    # The longest common subsequence of "police killed the gunman" and "police kill the gunman" has three words.
    assert rouge_l("police kill the gunman", "police killed the gunman") == pytest.approx(0.75)
    assert rouge_l("gunman the police kill", "police kill the gunman") == pytest.approx(0.5)
    assert rouge_l("", "x") == 0.0


@given(st.text(max_size=40), st.text(max_size=40))
def test_scores_of_answers_are_shares_for_any_text(said: str, gold: str) -> None:
    for category in ("1", "3", "4", "anything"):
        assert all(0.0 <= value <= 1.0 + 1e-9 for value in answer_scores(said, gold, category).values())


def test_conversations_are_drawn_whole() -> None:
    """Two conversations, one all right and one all wrong: a resample's mean is 0, ½ or 1."""
    values = np.array([[1.0], [1.0], [0.0], [0.0]])
    assert intervals(values, clusters(["a", "a", "b", "b"])).tolist() == [[0.0, 1.0]]
    by_question = intervals(values, clusters(["a", "a", "a", "a"]), resamples=4000)[0]
    assert 0.0 <= by_question[0] < 0.25
    assert 0.75 < by_question[1] <= 1.0


def test_an_interval_narrows_as_questions_come_in() -> None:
    rng = np.random.default_rng(1)
    few, many = (intervals(rng.random((n, 1)), np.arange(n))[0] for n in (20, 2000))
    assert many[1] - many[0] < (few[1] - few[0]) / 5
    # The interval of a mean of n uniform numbers is 2 · 1.96 · sqrt(1/12 / n) wide.
    assert many[1] - many[0] == pytest.approx(2 * 1.96 * (1 / 12 / 2000) ** 0.5, rel=0.15)


def test_what_is_not_defined_is_left_out_of_the_mean() -> None:
    values = np.array([[1.0, np.nan], [1.0, np.nan], [np.nan, np.nan]])
    assert intervals(values, np.arange(3))[0].tolist() == [1.0, 1.0]
    assert np.isnan(intervals(values, np.arange(3))[1]).all()


def test_a_paired_test_tells_a_difference_from_noise() -> None:
    rng = np.random.default_rng(0)
    first = rng.random(300)
    better, same = first + 0.05 + rng.normal(0, 0.1, 300), first + rng.normal(0, 0.1, 300)
    found = paired(first, better, np.arange(300))
    assert found.p < 0.01
    assert found.low < found.difference < found.high
    assert found.difference == pytest.approx(float((better - first).mean()))
    assert paired(first, same, np.arange(300)).p > 0.05
    assert paired(first, first, np.arange(300)).p == 1.0
