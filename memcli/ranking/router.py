"""Which view leads, and whether one more expansion may be spent: a policy of two layers (§3.4 and A.2).

Its inputs are cheap: what the question's words tell, and how sharply either view answers. It is trained by REINFORCE
with a baseline over counterfactual replays, where every plan was run for every question, by
`benchmarks/train_ontology.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .learned import section

__all__ = ["INPUTS", "PLANS", "Plan", "Policy", "plan", "policy"]

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

    def probabilities(self, inputs: Floats) -> Floats:
        """Of each plan, for the inputs [·, inputs]: [·, plans]."""
        layer = np.tanh(((inputs - self.mean) / self.scale) @ self.hidden + self.hidden_bias)
        scores = layer @ self.out + self.out_bias
        raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
        found: Floats = raised / raised.sum(axis=-1, keepdims=True)
        return found


def policy() -> Policy:
    """The packaged policy."""
    found = section("router")
    names = ("mean", "scale", "hidden", "hidden_bias", "out", "out_bias")
    return Policy(*(np.array(found[name], dtype=np.float64) for name in names))


def plan(chosen_by: Policy, inputs: Mapping[str, float]) -> Plan:
    """The most probable plan: nothing is explored where somebody waits for an answer."""
    return PLANS[int(chosen_by.probabilities(np.array([inputs[name] for name in INPUTS])).argmax())]
