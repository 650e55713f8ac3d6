"""`memcli stats`: what the store holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..text import ENGLISH
from . import options as o

if TYPE_CHECKING:
    from ..store.statistics import Statistics

__all__ = ["stats"]


def stats(as_json: o.Json = False, store: o.Store = None, user: o.User = None) -> None:
    """Count what the store holds: what was said, what was made of it, what models cost, and the file."""
    from .former import tell_former_default
    from .render import emit, emit_json

    memory = o.memory(store, user=user)
    found, calibrated = memory.care.statistics(), memory.care.is_calibrated()
    tell_former_default(memory)
    if as_json:
        where = {"store": o.typed(memory.store.name), "shards": len(memory.store.parts)}
        emit_json({**where, **_record(found), "calibrated": calibrated})
        return
    rows = [("store", memory.store.name), *_rows(found)]
    if (shards := len(memory.store.parts)) > 1:
        rows.insert(1, ("shards", f"{shards:,}"))
    if not calibrated:
        rows.append(("thresholds", o.UNCALIBRATED))
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        emit(f"{name:<{width}}  {value}")


def _record(found: Statistics) -> dict[str, Any]:
    of, embedder = found.tables, found.embedder
    return {
        "conversations": found.conversations,
        "sessions": of["session"],
        "turns": of["turn"],
        "undated": found.undated,
        "languages": _languages(found),
        "speakers": found.speakers,
        "first": found.first.isoformat() if found.first else None,
        "last": found.last.isoformat() if found.last else None,
        "sentences": found.units.get("sentence", 0),
        "vectors": of["vector"],
        "generated": found.generated,
        "unsupported": found.unsupported,
        "events": found.events,
        "topics": found.topics[0],
        "lifted": found.topics[1],
        "edges": dict(found.edges),
        "calls": {"count": of["call"], "prompt_tokens": found.tokens[0], "completion_tokens": found.tokens[1]},
        "answers": of["answered"],
        "feedback": of["feedback"],
        "tombstones": of["tombstone"],
        "snapshots": dict(found.snapshots),
        "embedder": {"name": embedder.name, "id": embedder.id, "dimension": embedder.dimension} if embedder else None,
        "schema": found.schema,
        "bytes": found.size,
    }


def _rows(found: Statistics) -> Iterator[tuple[str, str]]:
    from .render import moment, one_line, size

    of, embedder = found.tables, found.embedder
    yield "conversations", f"{found.conversations:,}"
    yield "sessions", f"{of['session']:,}"
    yield "turns", f"{of['turn']:,}" + (f" ({found.undated:,} undated)" if found.undated else "")
    yield "speakers", f"{found.speakers:,}"
    if found.languages:
        shares = {code: count / of["turn"] for code, count in _languages(found).items()}
        yield "languages", ", ".join(f"{code} {share:.0%}" if share >= 0.01 else code for code, share in shares.items())
    yield "said", f"{moment(found.first)} to {moment(found.last)}" if found.first else "undated"
    yield "sentences", f"{found.units.get('sentence', 0):,}, {of['vector']:,} of them distinct"
    yield "generated", _listed(found.generated)
    yield "events", _listed(found.events)
    if found.unsupported:
        yield "unsupported", f"{found.unsupported:,} of what was generated, events among it"
    if found.topics[0]:
        yield "topics", f"{found.topics[0]:,}, somebody keeps coming back to {found.topics[1]:,}"
    yield "edges", _listed(found.edges)
    calls = f"{of['call']:,}"
    yield "cached calls", calls + (f", {sum(found.tokens):,} tokens" if of["call"] else "")
    if of["answered"]:
        yield "answers", f"{of['answered']:,}, {of['feedback']:,} judged"
    yield "tombstones", f"{of['tombstone']:,}"
    yield "snapshots", _listed(found.snapshots)
    yield "embedder", one_line(f"{embedder.name}, {embedder.dimension} dimensions") if embedder else "none yet"
    yield "schema", str(found.schema)
    yield "size", size(found.size)


def _languages(found: Statistics) -> dict[str, int]:
    """How many turns are in each language, the commonest first."""
    counts = {ENGLISH: found.tables["turn"] - sum(found.languages.values()), **found.languages}
    return {code: count for code, count in sorted(counts.items(), key=lambda each: -each[1]) if count}


def _listed(counts: Mapping[str, int]) -> str:
    from .render import one_line

    return ", ".join(f"{count:,} {one_line(name).replace('_', ' ')}" for name, count in counts.items()) or "none"
