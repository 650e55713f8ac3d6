"""The card of a person, as `memcli who` prints it; and who has to do with something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import render

if TYPE_CHECKING:
    from ..care.cards import Card, Note
    from ..memory import Memory

__all__ = ["acquaintances_record", "card_record", "correct_card", "print_card", "show_acquaintances"]

#: So much is shown of what is doubtful.
_DOUBTFUL = 12
#: So many columns of a sentence are shown on either side of a doubtful value.
_BESIDE = 60
#: So many turns show what somebody has to do with something.
_SHOWN = 3


def card_record(card: Card, *, brief: bool = False) -> dict[str, Any]:
    """A card as `--json` gives it: documented in docs/json.md. `brief`: the likeliest alone of what is doubtful."""
    found = {"name": card.name, "turns": card.turns, "first": card.first, "last": card.last}
    parts = {"holds": card.holds, "before": card.before, "maybe": _likeliest(card) if brief else card.maybe}
    return render.record_of(found) | {name: [_note(each) for each in notes] for name, notes in parts.items()}


def _note(note: Note) -> dict[str, Any]:
    turn = note.turn
    told = {"id": note.id, "kind": note.kind.value, "value": note.told, "said_at": turn.said_at, "until": note.until}
    source = {"turn": turn.id, "text": turn.text, "asked": note.asked or None}
    return render.record_of(told | {"probability": round(note.chance, 2)} | source)


def print_card(card: Card) -> None:
    """What holds, a line each, the newest of a kind first; under it what was before, and what may be so."""
    _print(card.holds, "")
    _print(card.before, "was ")
    _print(_likeliest(card), "maybe ")
    if len(card.maybe) > _DOUBTFUL:
        render.say(f"and {len(card.maybe) - _DOUBTFUL:,} more that are doubtful: --json has all")


def _likeliest(card: Card) -> list[Note]:
    """Of what is doubtful the likeliest, in the order of the card."""
    kept = sorted(card.maybe, key=lambda note: -note.chance)[:_DOUBTFUL]
    return [note for note in card.maybe if note in kept]


def _print(notes: Sequence[Note], word: str) -> None:
    from rich.text import Text

    out, kind = render.console(), ""
    for note in notes:
        label = f"{word}{note.kind.value}" if note.kind.value != kind else ""
        kind = note.kind.value
        since = f"{note.turn.said_at:%Y-%m-%d}" if note.turn.said_at else "undated"
        until = f", until {note.until:%Y-%m-%d}" if note.until and note.until != note.turn.said_at else ""
        line = Text.assemble((f"  {label:<13} ", "dim"), *_shown(note))
        line.append(f"  {since}{until}  {note.id}", style="dim")
        render.print_line(out, line)


def _shown(note: Note) -> list[str | tuple[str, str]]:
    """The value; of what is doubtful, which may be a piece of a sentence, within the sentence that it stands in."""
    value, said = render.one_line(note.told), note.sentence
    if note.asked:
        return [(f"“{render.cut(note.asked, _BESIDE)}” ", "dim"), "“", (render.one_line(said), "bold"), "”"]
    if note.chance == 1 or said == note.value:
        return [(value, "bold")]
    before, _, after = render.one_line(said).partition(render.one_line(note.value))
    before = before if len(before) <= _BESIDE else f"…{before[-_BESIDE:]}"
    return ["“", before, (render.one_line(note.value), "bold"), render.cut(after, _BESIDE), "”"]


def correct_card(memory: Memory, wrong: str | None, right: str | None, *, as_json: bool) -> int:
    """Notes that something on a card is wrong, or takes that back."""
    name = memory.cards.right(right) if right else memory.cards.wrong(wrong or "")
    if as_json:
        render.emit_json({"id": name, "wrong": wrong is not None})
    else:
        render.say(f"{name} is {'on no card any more' if wrong else 'on its card again'}")
    return 0


def acquaintances_record(memory: Memory, text: str) -> dict[str, Any]:
    """Who has to do with `text` as `--json` gives it: documented in docs/json.md."""
    people = [
        {"name": each.name, "turns": len(each.hits), "shown_by": [hit.unit.sources[0] for hit in each.hits]}
        for each in memory.knows(text)
    ]
    return {"knows": text, "people": people}


def show_acquaintances(memory: Memory, text: str, *, as_json: bool) -> int:
    """Prints who has to do with `text`, and the turns that show it best."""
    if as_json:
        found = acquaintances_record(memory, text)
        render.emit_json(found)
        return 0 if found["people"] else 1
    people = memory.knows(text)
    for each in people:
        render.emit(f"{len(each.hits):>4,}  {render.isolated(render.one_line(each.name))}")
        for hit in each.hits[:_SHOWN]:
            unit = hit.unit
            render.print_line(
                render.console(), render.evidence_line("", unit.at, unit.label, unit.text, unit.sources[0])
            )
    if not people:
        render.say("nothing found")
    return 0 if people else 1
