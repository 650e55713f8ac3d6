"""Which view leads, and whether one more expansion may be spent: a policy of two layers (§3.4 and A.2).

Its inputs are cheap: what the question's words tell, and how sharply either view answers. It is trained by REINFORCE
with a baseline over counterfactual replays, where every plan was run for every question, by
`benchmarks/train_ontology.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...model import Query
from ...ranking import learned
from ...ranking.arrays import top
from ...store.cosine import cosines
from ...store.views.assertions import assertion_index
from ...store.views.view import View

__all__ = ["INPUTS", "PLANS", "Plan", "Policy", "inputs", "plan", "policy"]

Floats = npt.NDArray[np.float64]

#: What the policy is told of a question, in this order.
INPUTS = (
    "advice", "time", "named", "first_person", "graph_best", "graph_drop", "dense_best", "dense_drop",
    "domain_best",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plan:
    """What leads, how many turns either view may propose, and whether one expansion is allowed (table 3)."""

    lead: str
    graph_budget: int
    dense_budget: int
    expand: bool

    @property
    def name(self) -> str:
        """What it is called among `PLANS`."""
        return f"{self.lead}, expanding" if self.expand else self.lead


#: Every plan there is: 64 candidates in all (B.6), the larger part from the view that leads.
PLANS = tuple(
    Plan(lead, graph, dense, expand)
    for lead, graph, dense in (("graph", 40, 24), ("dense", 24, 40))
    for expand in (False, True)
)


@dataclass(frozen=True, slots=True)
class Policy:
    """π(plan | question): a hidden layer of tanh over standardised inputs, and a softmax over PLANS."""

    mean: Floats
    scale: Floats
    hidden: Floats
    hidden_bias: Floats
    out: Floats
    out_bias: Floats

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Policy:
        """The policy as it is learned: by the names of inputs and plans. Raises ValueError for a wrong one."""
        mean, scale, hidden = learned.arrays(found["inputs"], INPUTS, "mean", "scale", "hidden")
        out, out_bias = learned.arrays(found["plans"], [each.name for each in PLANS], "weights", "bias")
        return cls(mean, scale, hidden, np.array(found["hidden_bias"]), np.ascontiguousarray(out.T), out_bias)

    def numbers(self) -> dict[str, object]:
        """The inverse of `of`, to four digits."""
        mean, scale, hidden, bias, out, out_bias = (
            np.round(each, 4).tolist()
            for each in (self.mean, self.scale, self.hidden, self.hidden_bias, self.out.T, self.out_bias)
        )
        return {
            "inputs": learned.inputs(INPUTS, mean=mean, scale=scale, hidden=hidden),
            "hidden_bias": bias,
            "plans": learned.inputs([each.name for each in PLANS], weights=out, bias=out_bias),
        }

    def probabilities(self, inputs: Floats) -> Floats:
        """Of each plan, for the inputs [·, inputs]: [·, plans]."""
        layer = np.tanh(((inputs - self.mean) / self.scale) @ self.hidden + self.hidden_bias)
        scores = layer @ self.out + self.out_bias
        raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
        found: Floats = raised / raised.sum(axis=-1, keepdims=True)
        return found


def policy() -> Policy:
    """The packaged policy."""
    return Policy.of(learned.packaged(__package__, "weights.json")["router"])


def plan(chosen_by: Policy, inputs: Mapping[str, float]) -> Plan:
    """The most probable plan: nothing is explored where somebody waits for an answer."""
    return PLANS[int(chosen_by.probabilities(np.array([inputs[name] for name in INPUTS])).argmax())]


def inputs(query: Query, view: View, said: Floats) -> dict[str, float]:
    """What the router is told (`INPUTS`). `said`: the cosine of the question with each sentence."""
    index = assertion_index(view)
    near = cosines(query.vector, index.vectors[index.taste])
    return {
        "advice": float(query.question.seeks_advice),
        "time": float(query.question.seeks_time),
        "named": float(bool(query.question.speakers)),
        "first_person": float(query.question.first_person),
        **_sharpness("graph", near),
        **_sharpness("dense", said),
        "domain_best": float(np.max(cosines(query.vector, index.domains), initial=0.0)),
    }


def _sharpness(name: str, near: Floats) -> dict[str, float]:
    best = near[top(near, 10)]
    drop = float(best[0] - best[-1]) if len(best) else 0.0
    return {f"{name}_best": float(best[0]) if len(best) else 0.0, f"{name}_drop": drop}
