"""Those who say nothing themselves: whom others tell of as theirs ("my sister Ana"), and the turns that name them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..model import Turn
from ..model.names import Sign
from . import transcript
from .aliases import Alias, Sighting, folded, probability, sightings

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["is_named", "naming", "relatives", "spelled"]

#: Before a name that begins a sentence, where any word has a capital.
_BEGINS = re.compile(r"(?:^|[.!?…:;\n“\"(*•–—-])\s*$")


def relatives(db: DuckDBPyConnection) -> list[Alias]:
    """What they are to whom, in the order of the store: one turn that says so is enough."""
    heard = transcript.speakers(db)
    seen: dict[tuple[str, str, str], list[Sighting]] = {}
    for each in sightings(db):
        if each.sign is Sign.RELATIVE and each.speaker not in heard:
            seen.setdefault((each.speaker, folded(each.name), each.whom), []).append(each)
    return [
        Alias(own[0].name, who, whom, len(own), probability(len(own), 0), own[0].turn)
        for (who, _, whom), own in seen.items()
    ]


def spelled(name: str) -> str:
    """A name as it is written in a text, however it was typed: with capitals."""
    return " ".join(word[:1].upper() + word[1:] for word in name.split())


def naming(db: DuckDBPyConnection, names: Sequence[str]) -> dict[str, list[Turn]]:
    """The turns in which each of these names stands, in the order of time; what is undated comes first."""
    rows = db.execute(
        """select n.name, t.seq, t.text from (select unnest(?::varchar[]) as name) n
           join turn t on contains(t.text, n.name) order by t.said_at nulls first, t.seq""",
        [list(dict.fromkeys(names))],
    ).fetchall()
    found: dict[str, list[int]] = {}
    for name, seq, text in rows:
        if _places(name, text):
            found.setdefault(name, []).append(seq)
    return {name: transcript.turns_by_number(db, seqs) for name, seqs in found.items()}


def is_named(db: DuckDBPyConnection, name: str, turns: Sequence[Turn]) -> bool:
    """Whether it is a name in these turns, which have it: with a capital within a sentence, or nowhere without one."""
    within = any(not _BEGINS.search(turn.text[:start]) for turn in turns for start in _places(name, turn.text))
    return within or (bool(turns) and not naming(db, [name.lower()]))


def _places(name: str, text: str) -> list[int]:
    return [match.start() for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)] if name else []
