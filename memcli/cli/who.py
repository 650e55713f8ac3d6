"""`memcli who`: who is there, by which other names people go, what is known of one; and correcting that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import completion
from . import options as o
from .card import card_record, correct_card, print_card, show_acquaintances

if TYPE_CHECKING:
    from datetime import datetime

    from rich.text import Text

    from ..care.cards import Card
    from ..care.people import People, Person, Shown
    from ..memory import Memory
    from ..store.aliases import Alias

__all__ = ["who"]

#: So many of the turns that show a name are printed; and of those that name somebody who is only spoken of.
_EXAMPLES, _NEWEST = 5, 10

Name = Annotated[
    str | None,
    typer.Argument(metavar="[NAME]", autocompletion=completion.speakers, help="Whose card: who goes by this name."),
]
CardAt = Annotated[str | None, typer.Option("--at", metavar="DATE", help="The card as it was then. Default: now.")]
Wrong = Annotated[str | None, typer.Option(metavar="ID", help="Say that this on a card, or what begins so, is wrong.")]
Right = Annotated[str | None, typer.Option(metavar="ID", help="Undo that.")]
Knows = Annotated[str | None, typer.Option(metavar="TEXT", help="Who has to do with something.")]
Is = Annotated[str | None, typer.Option("--is", metavar="NAME=SPEAKER", help="Say that a name is this speaker's.")]
IsNot = Annotated[str | None, typer.Option("--is-not", metavar="NAME=SPEAKER", help="Say that it is not.")]


def who(
    name: Name = None,
    is_: Is = None,
    is_not: IsNot = None,
    at: CardAt = None,
    wrong: Wrong = None,
    right: Right = None,
    knows: Knows = None,
    as_json: o.Json = False,
    store: o.Store = None,
) -> int:
    """Show who is there; of a NAME the card: what is known of them, with dates and sources, and what was before. Of
    somebody who is only spoken of, the turns that do.

    Other names are those by which at least two turns show that somebody goes. Questions and --speaker know them. What
    you say with --is, --is-not and --wrong holds, whatever is ingested later.

    Exit code 1: nobody has said anything yet, or has to do with what --knows names.
    """
    from ..errors import UsageError
    from .render import emit_json, say

    if sum(each is not None for each in (name, is_, is_not, wrong, right, knows)) > 1:
        raise UsageError("one at a time: a NAME, --is, --is-not, --wrong, --right or --knows")
    memory = o.memory(store)
    if knows is not None:
        return show_acquaintances(memory, o.question(knows), as_json=as_json)
    if wrong is not None or right is not None:
        return correct_card(memory, wrong, right, as_json=as_json)
    people = memory.people
    if name is not None:
        shown = people.find(o.typed(name))
        moment = o.narrowed(None, None, None, None, at).at
        _explain(shown, _card(memory, shown.person.name, moment) if shown.person.turns else None, as_json=as_json)
        return 0
    found = people.found() if is_ is None and is_not is None else [_corrected(people, is_, is_not)]
    if as_json:
        emit_json({"people": [_record(each) for each in found]})
    elif found:
        _list(found)
    else:
        say("nothing found")
    return 0 if found else 1


def _card(memory: Memory, name: str, at: datetime | None) -> Card:
    """The card, once what its person said is read: the first time that takes a while."""
    from .progress import counted

    with counted("reading turns") as watch:
        return memory.cards.of(name, at=at, watch=watch)


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

    turns = f"  {_turns(person.turns)}" if person.turns else f"  only spoken of, in {_turns(person.named)}"
    turns += f", {person.first:%Y-%m-%d} to {person.last:%Y-%m-%d}" if person.first and person.last else ""
    yield Text.assemble((one_line(person.name), "bold"), (turns, "dim"))
    for alias in person.aliases:
        yield _alias_line(alias)
    for name in person.denied:
        yield Text.assemble("  not ", (one_line(name), "bold"), ("  as you said", "dim"))


def _turns(count: int) -> str:
    return f"{count:,} turn{'' if count == 1 else 's'}"


def _alias_line(alias: Alias) -> Text:
    from rich.text import Text

    from .render import one_line

    line = Text.assemble("  ", (one_line(alias.name), "bold"))
    line.append(f"  to {one_line(alias.whom)}" if alias.whom else "")
    seen = f"{_turns(alias.sightings)}, probability {alias.probability:.2f}, {alias.turn}"
    line.append(f"  {'as you said' if alias.given else seen}", style="dim")
    return line


def _explain(shown: Shown, card: Card | None, *, as_json: bool) -> None:
    from ..store.aliases import folded
    from .render import console, emit_json, evidence_line, print_line, say, turn_record

    if as_json:
        named = [turn_record(each) for each in shown.naming]
        known = {"card": card_record(card) if card else None, "sightings": _sightings(shown), "naming": named}
        emit_json({"people": [_record(shown.person) | known]})
        return
    for line in _lines(shown.person):
        print_line(console(), line)
    for turn in shown.naming[:_NEWEST]:
        print_line(console(), evidence_line("", turn.said_at, turn.speaker, turn.text, turn.id))
    if len(shown.naming) > _NEWEST:
        say(f"and {len(shown.naming) - _NEWEST:,} earlier turns: --json has all")
    for alias in dict.fromkeys(folded(each.name) for each in shown.person.aliases if shown.person.turns):
        seen = shown.sightings.get(alias, ())
        for sighting, turn in seen[:_EXAMPLES]:
            print_line(
                console(), evidence_line("", turn.said_at, turn.speaker, turn.text, f"{sighting.sign} {turn.id}")
            )
        if len(seen) > _EXAMPLES:
            say(f"and {len(seen) - _EXAMPLES:,} more turns that show {seen[0][0].name}: --json has all")
    if card:
        print_card(card)


def _record(person: Person) -> dict[str, Any]:
    return {
        "name": person.name,
        "turns": person.turns,
        "named": person.named,
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
        "first": person.first.isoformat() if person.first else None,
        "last": person.last.isoformat() if person.last else None,
    }


def _sightings(shown: Shown) -> list[dict[str, Any]]:
    return [
        {"name": sighting.name, "sign": sighting.sign.value, "turn": turn.id, "speaker": turn.speaker}
        for seen in shown.sightings.values()
        for sighting, turn in seen
    ]
