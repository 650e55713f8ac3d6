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
    from ..model import Kind

    origin = memory.origins(hits)
    out = []
    for rank, hit in enumerate(hits, start=1):
        turn, session = origin[hit.unit.sources[0]]
        is_turn = hit.unit.kind is Kind.TURN
        record = {
            "rank": rank,
            "id": turn.id if is_turn else hit.unit.id,
            "kind": hit.unit.kind.value,
            "score": hit.score,
            "said_at": turn.said_at if is_turn else hit.unit.at,
            "speaker": turn.speaker if is_turn else hit.unit.label,
            "role": turn.role if is_turn else "",
            "text": turn.text if is_turn else hit.unit.text,
            "turns": list(hit.unit.sources),
            "conversation": session.conversation,
            "session": session.id,
            "position": turn.position,
            "source": session.source,
        }
        out.append(render.record_of(record | ({"trace": dict(hit.trace)} if explain else {})))
    return out


def print_hits(hits: Sequence[Hit], *, explain: bool) -> None:
    """The hits as lines."""
    from ..model import Kind
    from ..reading.context import evidence

    out = render.console()
    for rank, hit in enumerate(hits, start=1):
        (line,) = evidence([hit])
        is_turn = hit.unit.kind is Kind.TURN
        text, cited = (line.text, line.turn) if is_turn else (f"[{hit.unit.kind}] {line.text}", hit.unit.id)
        told = render.evidence_line(str(rank), line.at, line.speaker, text, cited, line.dates, whole=True)
        render.print_line(out, told)
        if explain:
            for part in render.trace_lines(hit.trace):
                out.print(part, soft_wrap=True)
