"""The names in a store: who speaks, and what conversations are called; and which of them somebody means."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..model import Filters
from ..text import clean
from .aliases import by_name
from .rows import from_stored

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Heard", "conversations", "meant", "named", "person", "speakers"]

#: So many names are suggested, each at least this similar, as a share of equal letters.
_SUGGESTED = 3
_SIMILAR = 0.5

_SPEAKERS = "select speaker from turn group by 1 order by count(*) desc, 1"
_CONVERSATIONS = "select distinct conversation from session order by 1"


@dataclass(frozen=True, slots=True)
class Heard:
    """A name with its turns, when the first and the last dated one was said, and how many others it is met with: the
    conversations of a speaker, the speakers of a conversation. `sessions`: in how many.
    """

    name: str
    turns: int
    sessions: int
    others: int
    first: datetime | None
    last: datetime | None


def speakers(db: DuckDBPyConnection, conversation: str | None = None) -> list[Heard]:
    """Everyone who speaks in the open store, or in one conversation of it, those who say most first."""
    return _heard(db, "t.speaker", "s.conversation", conversation)


def conversations(db: DuckDBPyConnection) -> list[Heard]:
    """Every conversation of the open store, the longest first."""
    return _heard(db, "s.conversation", "t.speaker")


def _heard(db: DuckDBPyConnection, name: str, other: str, conversation: str | None = None) -> list[Heard]:
    rows = db.execute(
        f"""with said as (select {name} as name, {other} as other, t.session, t.said_at,
                {{'at': t.said_at, 'offset': t.utc_offset}} as moment
                from turn t join session s on s.seq = t.session
                where $1::varchar is null or lower(s.conversation) = lower($1))
            select name, count(*) as turns, count(distinct session), count(distinct other),
                   arg_min(moment, said_at), arg_max(moment, said_at)
            from said group by name order by turns desc, name""",
        [conversation],
    ).fetchall()
    return [
        Heard(str(name), turns, sessions, others, _moment(first), _moment(last))
        for name, turns, sessions, others, first, last in rows
    ]


def _moment(found: dict[str, object] | None) -> datetime | None:
    return None if found is None else from_stored(found["at"], found["offset"])  # type: ignore[arg-type]


def named(db: DuckDBPyConnection, filters: Filters) -> Filters:
    """The filters with the whole names of the speaker and the conversation that they mean. Raises what `meant` does."""
    who, where = filters.speaker, filters.conversation
    if who is not None:
        who = meant(who, _names(db, _SPEAKERS), "speaker", "memcli speakers", by_name(db))
    if where is not None:
        where = meant(where, _names(db, _CONVERSATIONS), "conversation", "memcli conversations")
    return replace(filters, speaker=who, conversation=where)


def person(db: DuckDBPyConnection, wanted: str, others: Sequence[str]) -> str:
    """The speaker, or the one of `others`, who is meant, by name or alias. Raises what `meant` does."""
    names = list(dict.fromkeys([*others, *_names(db, _SPEAKERS)]))
    return meant(wanted, names, "person", "memcli speakers", by_name(db))


def _names(db: DuckDBPyConnection, sql: str) -> list[str]:
    return [str(name) for (name,) in db.execute(sql).fetchall()]


def meant(
    wanted: str,
    names: Sequence[str],
    what: str,
    listed_by: str,
    aliases: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> str:
    """The one of `names` that is called `wanted`, or of which it is a part, whatever its case: as whole words, or an
    alias, or else in the middle of a word. Raises UsageError where there is none or several, with the nearest. `what`:
    what they name; `listed_by`: the command that lists them; `aliases`: other names, folded, with those who have them.
    """
    sought = _folded(wanted)
    by_fold = {_folded(name): name for name in reversed(names)}
    also = set(aliases.get(sought, ()))
    words = [name for fold, name in by_fold.items() if f" {sought} " in f" {fold} " or name in also]
    found = [by_fold[sought]] if sought in by_fold else words or [n for fold, n in by_fold.items() if sought in fold]
    if sought and len(found) == 1:
        return found[0]
    if sought and found:
        how = "a name" if words and also.intersection(words) else "a part of the names"
        raise UsageError(f"{wanted!r} is {how} of several {what}s: {_some(found)}", "give more of it")
    near = _nearest(sought, names)
    likely = f"the nearest: {_some(near)}; " if near else ""
    raise UsageError(f"no {what} is called {wanted!r}", f"{likely}{listed_by} lists all")


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", clean(name)).casefold().split())


def _some(names: Sequence[str]) -> str:
    return ", ".join(sorted(names)[:10]) + (", …" if len(names) > 10 else "")


def _nearest(sought: str, names: Sequence[str]) -> list[str]:
    from difflib import SequenceMatcher

    def likeness(name: str) -> float:
        fold = _folded(name)
        return max(SequenceMatcher(None, sought, part).ratio() for part in (fold, *fold.split()))

    near = sorted((-likeness(name), name) for name in names)
    return [name for likely, name in near[:_SUGGESTED] if -likely >= _SIMILAR]
