"""`memcli doctor`: whether the store is sound, and mending what can be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as o

if TYPE_CHECKING:
    from ..care import Examination
    from ..evaluation.drift import Signal
    from ..store.health import Finding

__all__ = ["doctor"]

_DAMAGED = 3
_ALARMING = ("warning", "critical")
#: What each signal is called for people, and what it is counted over.
_SIGNALS = {
    "recall": ("what was useful is among the ten best now", "answers"),
    "cost": ("an answer costs", "answers"),
    "p95": ("95 of 100 answers take at most", "answers"),
    "gap": ("graph and dense view differ by", "questions"),
    "validator": ("assertions that are guesses", "assertions"),
}


def doctor(
    repair: Annotated[bool, typer.Option("--repair", help="Make again what can be made of what was said.")] = False,
    as_json: o.Json = False,
    store: o.Store = None,
    user: o.User = None,
) -> int:
    """Verify the store: what was said against its hashes, the index, generated memory, snapshots, the file.

    Nothing is changed without --repair, and what was said never is. What is harmless is named, and is no damage.

    Of a sound store that answers were noted in it says how they do: whether what was useful is still found, what an
    answer costs and how long it takes, how far graph and dense view disagree, how many assertions are guesses.
    Of one that was not filled by an encoder of memcli's it says where thresholds are not calibrated for its embedder.

    Exit code 3: something is damaged, and after --repair still is. Answers that get worse are no damage.
    """
    from ..evaluation.drift import drift
    from .render import emit, emit_json, one_line

    memory = o.memory(store, user=user)
    found = memory.care.examine(repair=repair)
    signals = drift(memory, o.strategy_name(None)) if found.is_sound else []
    if as_json:
        record = _record(found) | {"drift": [_measured(signal) for signal in signals]}
        emit_json({"store": o.typed(memory.store.name), "repair": repair, **record})
    else:
        for finding in found.mended:
            emit(f"repaired: {one_line(_line(finding))}")
        for finding in found.left:
            emit(f"{'harmless' if finding.harmless else 'damaged'}: {one_line(_line(finding))}{_can(finding)}")
        emit("the store is sound" if found.is_sound else "the store is damaged")
        if found.is_sound and not memory.care.is_calibrated():
            emit(f"thresholds: {o.UNCALIBRATED}")
        for signal in _shown(signals):
            emit(one_line(_drifting(signal)))
    return 0 if found.is_sound else _DAMAGED


def _line(finding: Finding) -> str:
    return f"{finding.what}: {finding.count:,}, such as {finding.example}"


def _can(finding: Finding) -> str:
    if finding.harmless:
        return ""
    return " (--repair can mend it)" if finding.mend else " (cannot be repaired: restore it from a copy)"


def _shown(signals: Sequence[Signal]) -> list[Signal]:
    """What there is to say: nothing where no answer was noted, but for what is wrong."""
    noted = any(signal.name == "p95" and signal.n for signal in signals)
    return [signal for signal in signals if noted or signal.state in _ALARMING]


def _drifting(signal: Signal) -> str:
    what, over = _SIGNALS[signal.name]
    over = over.removesuffix("s") if signal.n == 1 else over
    if signal.value is None:
        return f"drift: {what}: not known: {signal.note}"
    alarm = f" ({signal.state})" if signal.state in _ALARMING else ""
    digits = ",.0f" if signal.value >= 100 else ".3g"
    value = f"{signal.value:.0%}" if signal.unit == "share" else f"{signal.value:{digits}} {signal.unit}"
    return f"drift{alarm}: {what}: {value} ({signal.n:,} {over})" + (f": {signal.note}" if signal.note else "")


def _measured(signal: Signal) -> dict[str, Any]:
    return {name: getattr(signal, name) for name in ("name", "value", "unit", "n", "state", "note")}


def _record(found: Examination) -> dict[str, Any]:
    return {
        "sound": found.is_sound,
        "findings": [_entry(finding) for finding in found.left],
        "repaired": [_entry(finding) for finding in found.mended],
    }


def _entry(finding: Finding) -> dict[str, Any]:
    return {
        "what": finding.what,
        "count": finding.count,
        "example": finding.example,
        "repairable": finding.mend is not None,
        "harmless": finding.harmless,
    }
