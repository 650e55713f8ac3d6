"""`memcli concepts`: what people keep coming back to, as memcli has concluded it; and taking that back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import completion
from . import options as o

if TYPE_CHECKING:
    from rich.text import Text

    from ..care.concepts import Concept, ConceptList, Concepts
    from ..store.lifted import SupportingAssertion

__all__ = ["concepts"]

#: How what somebody wants is put for people: they may want, do, use or fear it.
_STANCES = {
    "wants": "keeps coming back to",
    "does not want": "keeps away from",
    "both": "is of two minds about",
    "has limits": "has limits on",
}

Name = Annotated[
    str | None, typer.Argument(metavar="[ID]", help="One of them, with all that it rests on: c:…, or how that begins.")
]
Person = Annotated[
    str | None,
    typer.Option(
        "--person", metavar="NAME", autocompletion=completion.speakers, help="Only what this person comes back to."
    ),
]
Everything = Annotated[
    bool, typer.Option("--all", help="Also what was not concluded, or was taken back, and the reason.")
]
Explained = Annotated[bool, typer.Option("--explain", help="Show what each rests on.")]
Decline = Annotated[
    str | None, typer.Option("--decline", metavar="ID", help="Take it back: it shapes no ranking any more.")
]
Restore = Annotated[str | None, typer.Option("--restore", metavar="ID", help="Undo that.")]
Most = Annotated[int, typer.Option("-k", min=1, help="How many at the most, the most probable first.")]


def concepts(
    name: Name = None,
    person: Person = None,
    every: Everything = False,
    explain: Explained = False,
    decline: Decline = None,
    restore: Restore = None,
    k: Most = 20,
    as_json: o.Json = False,
    store: o.Store = None,
) -> int:
    """Show what memcli has concluded that people want, do not want or cannot have, since they keep coming back to it.

    Each rests on at least three things that somebody said, and shapes what --strategy ontology finds. What is taken
    back with --decline stays so, whatever is ingested later; --restore undoes that.

    Exit code 1: nothing was concluded, or nothing that has this id.
    """
    from ..care.concepts import Concepts
    from ..errors import UsageError

    if sum(each is not None for each in (name, decline, restore)) > 1:
        raise UsageError("one at a time: an ID, --decline ID or --restore ID")
    known = Concepts(o.memory(store).store)
    one = _one(known, name, decline, restore)
    if one is not None:
        _show(one, as_json=as_json)
        return 0
    person = None if person is None else o.typed(person)
    found = known.found(person, declined=every, k=k)
    if as_json:
        from .render import emit_json

        emit_json({"concepts": [_record(each, explain=explain) for each in found.concepts], "total": found.total})
    else:
        _list(found, person, explain=explain)
    return 0 if found.concepts else 1


def _one(known: Concepts, name: str | None, decline: str | None, restore: str | None) -> Concept | None:
    if decline is not None:
        return known.decline(o.typed(decline))
    if restore is not None:
        return known.restore(o.typed(restore))
    return None if name is None else known.find(o.typed(name))


def _show(one: Concept, *, as_json: bool) -> None:
    from .render import console, emit_json, print_line

    if as_json:
        emit_json(_record(one, explain=True))
        return
    for line in _lines(one, explain=True):
        print_line(console(), line)


def _list(found: ConceptList, person: str | None, *, explain: bool) -> None:
    from .render import console, one_line, print_line, say

    out = console()
    for each in found.concepts:
        for line in _lines(each, explain=explain):
            print_line(out, line)
    left = found.total - len(found.concepts)
    if left:
        say(f"and {left:,} more: -k N")
    if not found.concepts:
        declined = f"; --all shows {found.declined:,} that {'was' if found.declined == 1 else 'were'} declined"
        whose = "" if person is None else f" of {one_line(person)}"
        say(f"nothing has been concluded{whose}{declined if found.declined else ''}")


def _lines(one: Concept, *, explain: bool) -> Iterator[Text]:
    from rich.text import Text

    from .render import evidence_line, one_line

    row = one.edge.row
    stance = f" {_STANCES[one.stance]} {one_line(one.domain)}".rstrip()
    line = Text.assemble((f"{one.edge.id}  ", "dim"), (one_line(row.head), "bold"), f"{stance}: {one_line(one.label)}")
    line.append(f"  support {row.support}, probability {row.probability:.2f}", style="dim")
    line.append(f"  declined: {row.declined}" if row.declined else "", style="yellow")
    yield line
    for member in one.members if explain else ():
        relation = f"{'not ' if member.negated else ''}{member.relation.replace('_', ' ')}"
        yield evidence_line("", member.at, relation, member.tail, member.turn)


def _record(one: Concept, *, explain: bool) -> dict[str, Any]:
    row = one.edge.row
    record = {
        "id": one.edge.id,
        "person": row.head,
        "stance": one.stance,
        "domain": one.domain or None,
        "label": one.label,
        "liking": round(row.liking, 4),
        "support": row.support,
        "probability": round(row.probability, 4),
        "declined": row.declined or None,
    }
    return record | ({"evidence": [_evidence(member) for member in one.members]} if explain else {})


def _evidence(member: SupportingAssertion) -> dict[str, Any]:
    return {
        "turn": member.turn,
        "said_at": member.at.isoformat() if member.at else None,
        "relation": member.relation,
        "negated": member.negated,
        "tail": member.tail,
        "confidence": round(member.confidence, 4),
    }
