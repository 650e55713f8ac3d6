"""`memcli who`: by which other names people go, as what was said shows; and correcting that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import completion
from . import options as o

if TYPE_CHECKING:
    from rich.text import Text

    from ..care.people import People, Person, Shown
    from ..store.aliases import Alias

__all__ = ["who"]

#: So many of the turns that show a name are printed.
_EXAMPLES = 5

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="[NAME]", autocompletion=completion.speakers, help="Who goes by this name, and the turns that show it."
    ),
]
Is = Annotated[str | None, typer.Option("--is", metavar="NAME=SPEAKER", help="Say that a name is this speaker's.")]
IsNot = Annotated[str | None, typer.Option("--is-not", metavar="NAME=SPEAKER", help="Say that it is not.")]


def who(
    name: Name = None,
    is_: Is = None,
    is_not: IsNot = None,
    as_json: o.Json = False,
    store: o.Store = None,
) -> int:
    """Show by which other names people go: whom others call so, who signs with it or says so.

    At least two turns have to show it, and hardly any another person. Questions and --speaker know these names.
    What you say with --is and --is-not holds, whatever is ingested later.

    Exit code 1: nobody has said anything yet.
    """
    from ..errors import UsageError
    from .render import emit_json, say

    if sum(each is not None for each in (name, is_, is_not)) > 1:
        raise UsageError("one at a time: a NAME, --is NAME=SPEAKER or --is-not NAME=SPEAKER")
    people = o.memory(store).people
    if name is not None:
        _explain(people.find(o.typed(name)), as_json=as_json)
        return 0
    found = people.found() if is_ is None and is_not is None else [_corrected(people, is_, is_not)]
    if as_json:
        emit_json({"people": [_record(each) for each in found]})
    elif found:
        _list(found)
    else:
        say("nothing found")
    return 0 if found else 1


def _corrected(people: People, is_: str | None, is_not: str | None) -> Person:
    return people.call(*_pair(is_)) if is_ is not None else people.uncall(*_pair(is_not or ""))


def _pair(given: str) -> tuple[str, str]:
    from ..errors import UsageError

    name, equals, speaker = o.typed(given).partition("=")
    if not equals or not name.strip() or not speaker.strip():
        raise UsageError(f"{given!r} is no name with its speaker", "NAME=SPEAKER: --is Em=emily_r")
    return name.strip(), speaker.strip()


def _list(found: list[Person]) -> None:
    from .render import console, print_line

    for person in found:
        for line in _lines(person):
            print_line(console(), line)


def _lines(person: Person) -> Iterator[Text]:
    from rich.text import Text

    from .render import one_line

    turns = f"  {person.turns:,} turn{'' if person.turns == 1 else 's'}" if person.turns else "  only spoken of"
    yield Text.assemble((one_line(person.name), "bold"), (turns, "dim"))
    for alias in person.aliases:
        yield _alias_line(alias)
    for name in person.denied:
        yield Text.assemble("  not ", (one_line(name), "bold"), ("  as you said", "dim"))


def _alias_line(alias: Alias) -> Text:
    from rich.text import Text

    from .render import one_line

    line = Text.assemble("  ", (one_line(alias.name), "bold"))
    line.append(f"  to {one_line(alias.whom)}" if alias.whom else "")
    seen = f"{alias.sightings:,} turns, probability {alias.probability:.2f}, {alias.turn}"
    line.append(f"  {'as you said' if alias.given else seen}", style="dim")
    return line


def _explain(shown: Shown, *, as_json: bool) -> None:
    from ..store.aliases import folded
    from .render import console, emit_json, evidence_line, print_line, say

    if as_json:
        emit_json({"people": [_record(shown.person) | {"sightings": _sightings(shown)}]})
        return
    for line in _lines(shown.person):
        print_line(console(), line)
    for alias in dict.fromkeys(folded(each.name) for each in shown.person.aliases):
        seen = shown.sightings.get(alias, ())
        for sighting, turn in seen[:_EXAMPLES]:
            print_line(
                console(), evidence_line("", turn.said_at, turn.speaker, turn.text, f"{sighting.sign} {turn.id}")
            )
        if len(seen) > _EXAMPLES:
            say(f"and {len(seen) - _EXAMPLES:,} more turns that show {seen[0][0].name}: --json has all")


def _record(person: Person) -> dict[str, Any]:
    return {
        "name": person.name,
        "turns": person.turns,
        "aliases": [
            {
                "name": each.name,
                "whom": each.whom or None,
                "sightings": each.sightings,
                "probability": round(each.probability, 4),
                "turn": each.turn,
                "given": each.given,
            }
            for each in person.aliases
        ],
        "denied": list(person.denied),
    }


def _sightings(shown: Shown) -> list[dict[str, Any]]:
    return [
        {"name": sighting.name, "sign": sighting.sign.value, "turn": turn.id, "speaker": turn.speaker}
        for seen in shown.sightings.values()
        for sighting, turn in seen
    ]
