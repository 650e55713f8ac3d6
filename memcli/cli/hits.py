"""Hits as records and as lines: shared by `search` and `ask`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import render

if TYPE_CHECKING:
    from ..memory import Memory
    from ..model import Hit

__all__ = ["print_hits", "records"]


def records(memory: Memory, hits: Sequence[Hit], *, explain: bool) -> list[dict[str, Any]]:
    """The hits, best first, as `--json` gives them: documented in docs/json.md."""
    origin = memory.origins(hits)
    out = []
    for rank, hit in enumerate(hits, start=1):
        turn, session = origin[hit.unit.sources[0]]
        record = {
            "rank": rank,
            "id": turn.id,
            "score": hit.score,
            "said_at": turn.said_at,
            "speaker": turn.speaker,
            "role": turn.role,
            "text": turn.text,
            "conversation": session.conversation,
            "session": session.id,
            "position": turn.position,
            "source": session.source,
        }
        out.append(render.record_of(record | ({"trace": dict(hit.trace)} if explain else {})))
    return out


def print_hits(hits: Sequence[Hit], *, explain: bool) -> None:
    """The hits as lines."""
    from ..reading import evidence

    out = render.console()
    lines = {line.turn: line for line in evidence(hits)}
    for rank, hit in enumerate(hits, start=1):
        line = lines[hit.unit.sources[0]]
        out.print(
            render.evidence_line(str(rank), line.at, line.speaker, line.text, line.turn, line.dates), soft_wrap=True
        )
        if explain:
            for part in render.trace_lines(hit.trace):
                out.print(part, soft_wrap=True)
