"""The three small models of the strategy `ontology`, fitted: the lifting scorer, the views' weights, the router."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from memcli.indexing.ontology import lifting
from memcli.strategies.ontology import router, unified
from memcli.strategies.ontology.router import Policy

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

CONSISTENCY = 0.1  # weight of the symmetric KL divergence (B.1)
EXPLORATION = 0.1  # ε of the router's training (B.1)
RIDGE = 0.003
HIDDEN = 32
DECAY = 0.1
RULE = 0.5  # how firmly the policy starts from the rule without a router
EPOCHS = 300


@dataclass
class Listed:
    """One question's candidates under one lead: signals [n, ·] of both views, which are evidence, its weight."""

    graph: Floats
    dense: Floats
    gold: npt.NDArray[np.bool_]
    weight: float


def fit_lifting(rows: Sequence[Mapping[str, float]], returned: Sequence[bool]) -> lifting.Scorer:
    """Logistic regression of whether the person came back to the topic, on the features of the candidate edge."""
    x = np.array([[row[name] for name in lifting.FEATURES] for row in rows])
    y = np.array(returned, dtype=np.float64)
    mean, scale = x.mean(axis=0), x.std(axis=0) + 1e-9
    z = np.c_[(x - mean) / scale, np.ones(len(x))]

    def loss(w: Floats) -> tuple[float, Floats]:
        p = 1 / (1 + np.exp(-(z @ w)))
        value = -np.mean(y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12)) + 0.01 * (w[:-1] @ w[:-1])
        return float(value), z.T @ (p - y) / len(y) + np.r_[0.02 * w[:-1], 0.0]

    w = minimize(loss, np.zeros(z.shape[1]), jac=True, method="L-BFGS-B").x
    weights = w[:-1] / scale
    return lifting.Scorer(round(float(w[-1] - weights @ mean), 5), _named(lifting.FEATURES, weights))


def fit_views(data: Sequence[Listed], consistency: float) -> dict[str, dict[str, float]]:
    """W_g and W_d, none negative, by the listwise loss of the unified score and the consistency term (A.1).

    The expansions' signals are fitted last, with all else held, for most questions do without them. The paper's mixture
    is where it starts from; then the weights of each view are made to sum to 1, and what that takes from them goes to
    the mixture, of which the profile keeps its 0.10.
    """
    problem = _Problem.of(data, consistency)
    split, late = len(unified.GRAPH), [len(unified.GRAPH) - 1, len(unified.GRAPH) + len(unified.DENSE) - 1]
    w = problem.solved(np.zeros(problem.columns), held=late)
    w = problem.solved(w, held=[i for i in range(problem.columns) if i not in late]) / problem.scale
    of_graph, of_dense = np.delete(w[:split], -1).sum() + 1e-9, np.delete(w[split:], -1).sum() + 1e-9
    by_graph, by_dense, by_profile = unified.MIX
    share = (1 - by_profile) / (by_graph * of_graph + by_dense * of_dense)
    return {
        "graph": _named(unified.GRAPH, w[:split] / of_graph),
        "dense": _named(unified.DENSE, w[split:] / of_dense),
        "mix": _named(unified.VIEWS, np.array([by_graph * of_graph * share, by_dense * of_dense * share, by_profile])),
    }


@dataclass
class _Problem:
    """All candidates of all questions in one matrix, standardised by `scale`, those of a question side by side."""

    graph: Floats
    dense: Floats
    scale: Floats
    gold: npt.NDArray[np.bool_]
    weight: Floats
    starts: Ints
    owner: Ints
    consistency: float

    @classmethod
    def of(cls, data: Sequence[Listed], consistency: float) -> _Problem:
        sizes = np.array([len(each.gold) for each in data])
        owner = np.repeat(np.arange(len(data)), sizes)
        graph, dense = (np.concatenate([getattr(each, name) for each in data]) for name in ("graph", "dense"))
        scale = np.r_[graph.std(axis=0), dense.std(axis=0)] + 1e-6
        graph, dense = graph / scale[: graph.shape[1]], dense / scale[graph.shape[1] :]
        weight = np.array([each.weight for each in data])
        gold = np.concatenate([each.gold for each in data])
        return cls(
            graph, dense, scale, gold, (weight / weight.sum())[owner], np.r_[0, sizes.cumsum()[:-1]], owner, consistency
        )

    @property
    def columns(self) -> int:
        return int(self.graph.shape[1] + self.dense.shape[1])

    def solved(self, start: Floats, held: Sequence[int]) -> Floats:
        """The best weights from `start` on, the `held` ones as they are."""
        bounds = [(w, w) if i in held else (0.0, None) for i, w in enumerate(start)]
        begin = np.where(np.isin(np.arange(len(start)), held), start, np.maximum(start, 0.5))
        found: Floats = minimize(self.loss, begin, jac=True, method="L-BFGS-B", bounds=bounds).x
        return found

    def loss(self, w: Floats) -> tuple[float, Floats]:
        """Listwise cross-entropy, consistency and ridge, with their gradient."""
        by_graph, by_dense, _ = unified.MIX
        s_g, s_d = self.graph @ w[: self.graph.shape[1]], self.dense @ w[self.graph.shape[1] :]
        share, p, r = self._softmax(by_graph * s_g + by_dense * s_d), self._softmax(s_g), self._softmax(s_d)
        target = self.gold / np.add.reduceat(self.gold.astype(float), self.starts)[self.owner]
        gap = np.where(self.gold, np.log((p + 1e-30) / (r + 1e-30)), 0.0)
        apart = np.where(self.gold, p - r, 0.0)
        value = (self.weight * (-target * np.log(share + 1e-30) + self.consistency * apart * gap)).sum()
        slope = share - target
        slope_g = by_graph * slope + self.consistency * self._pull(p, p * gap + apart)
        slope_d = by_dense * slope - self.consistency * self._pull(r, r * gap + apart)
        gradient = np.r_[self.graph.T @ (self.weight * slope_g), self.dense.T @ (self.weight * slope_d)]
        return float(value + RIDGE * (w @ w)), gradient + 2 * RIDGE * w

    def _pull(self, share: Floats, of_evidence: Floats) -> Floats:
        """The gradient of the consistency term by a view's scores: (P_g − P_d)(log P_g − log P_d) over the evidence."""
        pull: Floats = of_evidence - share * np.add.reduceat(of_evidence, self.starts)[self.owner]
        return pull

    def _softmax(self, scores: Floats) -> Floats:
        raised = np.exp(scores - np.maximum.reduceat(scores, self.starts)[self.owner])
        found: Floats = raised / np.add.reduceat(raised, self.starts)[self.owner]
        return found


def _named(names: Sequence[str], values: Floats) -> dict[str, float]:
    return {name: round(float(value), 5) for name, value in zip(names, values, strict=True)}


def disagreement(data: Sequence[Listed], views: Mapping[str, Mapping[str, float]]) -> float:
    """How far the views are apart on the evidence: the mean of |log P_g − log P_d| over it."""
    found = []
    for each in data:
        logs = []
        for name in ("graph", "dense"):
            scores = 20 * (getattr(each, name) @ np.array(list(views[name].values())))
            logs.append(scores - scores.max() - np.log(np.exp(scores - scores.max()).sum()))
        found.append(float(np.abs(logs[0] - logs[1])[each.gold].mean()))
    return float(np.mean(found))


def fit_router(inputs: Floats, rewards: Floats, weight: Floats) -> Policy:
    """REINFORCE with a moving baseline over replays: rewards [questions, plans] of every plan for every question."""
    rng = np.random.default_rng(0)
    mean, scale = inputs.mean(axis=0), inputs.std(axis=0) + 1e-6
    x, share = (inputs - mean) / scale, weight / weight.sum() * len(weight)
    start = _rule(x.shape[1], rng)
    parts = [part.copy() for part in start]
    first, second = [np.zeros_like(p) for p in parts], [np.zeros_like(p) for p in parts]
    baseline = rewards.mean(axis=1)
    for epoch in range(1, EPOCHS + 1):
        policy = Policy(np.zeros(x.shape[1]), np.ones(x.shape[1]), *parts)
        pi = policy.probabilities(x)
        behaviour = (1 - EXPLORATION) * pi + EXPLORATION / len(router.PLANS)
        chosen = (behaviour.cumsum(axis=1) < rng.random((len(x), 1))).sum(axis=1).clip(max=len(router.PLANS) - 1)
        got = rewards[np.arange(len(x)), chosen]
        importance = (pi / behaviour)[np.arange(len(x)), chosen]
        slope = (share * importance * (got - baseline))[:, None] * (pi - np.eye(len(router.PLANS))[chosen])
        baseline = 0.9 * baseline + 0.1 * got
        hidden = np.tanh(x @ parts[0] + parts[1])
        back = (slope @ parts[2].T) * (1 - hidden**2)
        gradients = [x.T @ back, back.sum(axis=0), hidden.T @ slope, slope.sum(axis=0)]
        for i, total in enumerate(gradients):  # Adam
            gradient = total / len(x) + DECAY * (parts[i] - start[i])
            first[i] = 0.9 * first[i] + 0.1 * gradient
            second[i] = 0.999 * second[i] + 0.001 * gradient**2
            step = first[i] / (1 - 0.9**epoch) / (np.sqrt(second[i] / (1 - 0.999**epoch)) + 1e-8)
            parts[i] = parts[i] - 0.02 * step
    return Policy(mean, scale, *parts)


def _rule(count: int, rng: np.random.Generator) -> list[Floats]:
    """Where the policy starts, and what it is drawn back to: the graph leads where advice is sought, without expansion.

    What no replay speaks against stays as a person would have ruled it.
    """
    hidden, out = rng.normal(0, 0.1, (count, HIDDEN)), np.zeros((HIDDEN, len(router.PLANS)))
    hidden[:, 0] = np.eye(count)[router.INPUTS.index("advice")]
    for place, each in enumerate(router.PLANS):
        out[0, place] = (RULE if each.lead == "graph" else -RULE) * (0.5 if each.expand else 1.0)
    return [hidden, np.zeros(HIDDEN), out, np.zeros(len(router.PLANS))]
