"""Hits as records and as lines: shared by `search` and `ask`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import render

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import Console
    from rich.text import Text

    from ..memory import Memory
    from ..model import Hit, Turn, TurnId
    from ..store.excerpts import Excerpt

__all__ = ["explained", "print_hits", "records"]


def records(memory: Memory, hits: Sequence[Hit], around: int = 0, *, explain: bool = False) -> list[dict[str, Any]]:
    """The hits, best first, as `--json` gives them, with so many turns `around` each: documented in docs/json.md."""
    from ..model import Kind

    origin = memory.origins(hits)
    near = memory.surroundings(hits, around) if around else {}
    out = []
    for rank, hit in enumerate(hits, start=1):
        turn, session = origin[hit.unit.sources[0]]
        is_turn = hit.unit.kind is Kind.TURN
        record: dict[str, Any] = {
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
        beside = [render.turn_record(each) for each in near[turn.id].turns if each.id != turn.id] if near else []
        record |= {"context": beside} if around else {}
        out.append(render.record_of(record | ({"trace": dict(hit.trace)} if explain else {})))
    return out


def explained(
    memory: Memory, question: str, at: datetime, hits: Sequence[Hit], *, explain: bool, scores: bool
) -> list[list[Text]]:
    """What is printed under each hit: why it is there, in words or in `scores`; or nothing."""
    from rich.text import Text

    if scores:
        return [render.trace_lines(hit.trace) for hit in hits]
    if explain:
        return [[Text(f"     {'; '.join(each)}", style="dim")] for each in memory.reasons(question, hits, at)]
    return [[] for _ in hits]


def print_hits(memory: Memory, hits: Sequence[Hit], around: int, told: Sequence[Sequence[Text]]) -> None:
    """The hits as lines, each with what is `told` of it; with turns `around` them, each a block of its own."""
    out = render.console()
    near = memory.surroundings(hits, around) if around else {}
    for rank, (hit, below) in enumerate(zip(hits, told, strict=True), start=1):
        turn = hit.unit.sources[0]
        before, behind = _beside(near[turn], turn) if near else ((), ())
        _print_turns(out, before)
        render.print_line(out, _line(rank, hit))
        for part in below:
            out.print(part, soft_wrap=True)
        _print_turns(out, behind)
        if near and rank < len(hits):
            out.print("--")


def _line(rank: int, hit: Hit) -> Text:
    from ..model import Kind
    from ..reading.context import evidence

    (line,) = evidence([hit])
    is_turn = hit.unit.kind is Kind.TURN
    text, cited = (line.text, line.turn) if is_turn else (f"[{hit.unit.kind}] {line.text}", hit.unit.id)
    return render.evidence_line(str(rank), line.at, line.speaker, text, cited, line.dates, whole=True)


def _beside(excerpt: Excerpt, turn: TurnId) -> tuple[Sequence[Turn], Sequence[Turn]]:
    place = next(i for i, each in enumerate(excerpt.turns) if each.id == turn)
    return excerpt.turns[:place], excerpt.turns[place + 1 :]


def _print_turns(out: Console, turns: Sequence[Turn]) -> None:
    for turn in turns:
        render.print_line(out, render.evidence_line("", turn.said_at, turn.speaker, turn.text, turn.id, whole=True))
