"""Whether answers are getting worse: five signals over what the store has noted of them (Tag2Graph, B.5).

A service tracks them on a window of an hour; one person asks too little for that, so that a window is a number of
answers. None of them says that a store is damaged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from ..errors import MemcliError
from ..model.relations import SHAPING
from ..store import verdicts as stored
from ..store.assertions import doubtful
from ..store.verdicts import Judged
from ..strategies import DEFAULT
from ..strategies.ontology.consistency import gap

if TYPE_CHECKING:
    from ..memory import Memory
    from ..model import Hit

__all__ = ["Signal", "State", "drift"]

#: The answers that cost and time are measured over, and at most so many useful ones: the paper's shadow set.
WINDOW = 200
#: Questions that are asked of both views.
ASKED = 20
#: With fewer answers a share says nothing.
ENOUGH = 10
RECALL_WARNING, RECALL_CRITICAL = 0.65, 0.60
VALIDATOR_WARNING = 0.20
_K = 10


class State(StrEnum):
    """What a signal says."""

    FINE = "fine"
    WARNING = "warning"
    CRITICAL = "critical"
    UNKNOWN = "unknown"  # there is nothing, or too little, to tell by


@dataclass(frozen=True, slots=True)
class Signal:
    """One signal: its value (None: there is none), in what unit, over how many of what; and what to do, or why not."""

    name: str
    value: float | None
    unit: str
    n: int
    state: State
    note: str = ""


def drift(memory: Memory, strategy_name: str = DEFAULT) -> list[Signal]:
    """The five signals of a memory. Nothing is changed. Raises StoreError.

    What cannot be measured, for want of answers or of a model, is `UNKNOWN`, and its note says why.
    """
    with memory.store.reading() as db:
        last = stored.answered(db, WINDOW)
        useful = stored.answered(db, WINDOW, "f.verdict = 'useful' and not a.narrowed")
    return [
        _tried(_recall, memory, strategy_name, useful),
        _cost(last),
        _seconds(last),
        _tried(_gap, memory, "ontology", last[:ASKED]),
        _validator(memory),
    ]


def _tried(
    measure: Callable[[Memory, str, Sequence[Judged]], Signal], memory: Memory, strategy_name: str, of: Sequence[Judged]
) -> Signal:
    """A signal that questions are asked again for: where they can be, and where nothing has to be made for it."""
    from ..indexing.prepare import lacking
    from ..strategies import strategy

    try:
        if of and lacking(memory.store, [strategy(strategy_name).needs]):
            return _unmeasured(measure, f"what the strategy {strategy_name} needs has not been made yet")
        return measure(memory, strategy_name, of)
    except MemcliError as error:
        return _unmeasured(measure, error.message)


def _unmeasured(measure: Callable[..., Signal], why: str) -> Signal:
    name, unit = ("recall", "share") if measure is _recall else ("gap", "nats")
    return Signal(name, None, unit, 0, State.UNKNOWN, why)


def _recall(memory: Memory, strategy_name: str, useful: Sequence[Judged]) -> Signal:
    """Implicit recall on a shadow set: of what useful answers cited, how much is among the ten best now."""
    shares = [_found(memory, strategy_name, each) for each in useful if each.given.citations]
    if not shares:
        return _unmeasured(_recall, "no answer was judged useful: memcli feedback last --useful")
    value = float(np.mean(shares))
    state, note = State.FINE, ""
    if len(shares) < ENOUGH:
        state, note = State.UNKNOWN, f"at least {ENOUGH} useful answers tell something"
    elif value < RECALL_WARNING:
        state = State.CRITICAL if value < RECALL_CRITICAL else State.WARNING
        note = "what was of use is hardly found any more: ask it with --explain; --undo verdicts that do not hold now"
    return Signal("recall", value, "share", len(shares), state, note)


def _found(memory: Memory, strategy_name: str, one: Judged) -> float:
    hits = memory.search(one.given.question, k=_K, strategy=strategy_name)
    found = {hit.unit.sources[0] for hit in hits}
    return sum(turn in found for turn in one.given.citations[:_K]) / len(one.given.citations[:_K])


def _cost(last: Sequence[Judged]) -> Signal:
    """What an answer costs: in tokens that were paid, or else in seconds."""
    tokens = [each.given.tokens for each in last]
    if not last:
        return Signal("cost", None, "tokens", 0, State.UNKNOWN, "no answer is noted yet")
    if not any(tokens):
        return Signal("cost", float(np.mean([each.given.seconds for each in last])), "seconds", len(last), State.FINE)
    return Signal("cost", float(np.mean(tokens)), "tokens", len(last), State.FINE)


def _seconds(last: Sequence[Judged]) -> Signal:
    if not last:
        return Signal("p95", None, "seconds", 0, State.UNKNOWN, "no answer is noted yet")
    value = float(np.percentile([each.given.seconds for each in last], 95))
    return Signal("p95", value, "seconds", len(last), State.FINE)


def _gap(memory: Memory, strategy_name: str, last: Sequence[Judged]) -> Signal:
    """How far graph and dense view disagree on the ten best candidates of recent questions."""
    questions = list(dict.fromkeys(each.given.question for each in last))
    if not questions:
        return _unmeasured(_gap, "no answer is noted yet")
    gaps = [_between(memory.search(each, k=_K, strategy=strategy_name)) for each in questions]
    return Signal("gap", float(np.mean(gaps)), "nats", len(gaps), State.FINE)


def _between(hits: Sequence[Hit]) -> float:
    graph, dense = (np.array([hit.trace[view] for hit in hits], dtype=np.float64) for view in ("graph", "dense"))
    return gap(graph, dense)


def _validator(memory: Memory) -> Signal:
    """How many assertions a validator has refuted, or would have to look at: they shape no ranking."""
    with memory.store.reading() as db:
        n, low = doubtful(db, SHAPING)
    if not n:
        return Signal("validator", None, "share", 0, State.UNKNOWN, "nothing is asserted in this store")
    state = State.WARNING if low / n > VALIDATOR_WARNING else State.FINE
    note = "the tagger guesses a lot here: memcli ingest --strategy ontology --model NAME has its guesses checked"
    return Signal("validator", low / n, "share", n, state, note if state is State.WARNING else "")
