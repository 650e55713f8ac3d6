"""What was said, out of the store: as memcli's own JSON lines, as Markdown, as Parquet.

The order depends on what was said alone, so that a store that was filled from an export exports the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import orjson

from ..errors import UsageError
from .rows import append, from_stored, to_stored
from .selection import Selection, condition

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["ExportedTurn", "jsonl", "markdown", "parquet", "said"]

_BATCH = 5000
#: What begins a line as something else than text in Markdown.
_MARKER = re.compile(r"^(\s*)([#>*+|=~`-]|\d+[.)])")
_IN_NAME = re.compile(r"([\\*_`\[\]#])")


@dataclass(frozen=True, slots=True)
class ExportedTurn:
    """One turn with all that is known of it and its session."""

    id: str
    session: str
    conversation: str
    title: str
    position: int
    speaker: str
    role: str
    at: datetime | None
    text: str


def said(db: DuckDBPyConnection, which: Selection) -> Iterator[ExportedTurn]:
    """The turns of a selection: conversation by conversation, session by session as they began."""
    where, parameters = condition(db, which)
    cursor = db.execute(
        f"""select t.id, s.id, s.conversation, s.title, t.position, t.speaker, t.role, t.said_at, t.utc_offset, t.text
            from turn t join session s on s.seq = t.session
            join (select session, min(said_at) as began from turn group by session) b on b.session = t.session
            where {where} order by s.conversation, b.began nulls last, s.id, t.position""",
        parameters,
    )
    while rows := cursor.fetchmany(_BATCH):
        for row in rows:
            yield _row(*row)


def _row(
    turn: str, session: str, conversation: str, title: str, position: int, speaker: str, role: str,
    at: datetime | None, offset: int | None, text: str,
) -> ExportedTurn:  # fmt: skip
    return ExportedTurn(turn, session, conversation, title, position, speaker, role, from_stored(at, offset), text)


def jsonl(turns: Iterable[ExportedTurn]) -> Iterator[bytes]:
    """A line a turn, as `memcli ingest` reads them; what is empty is left out."""
    for turn in turns:
        values = {
            "id": turn.id,
            "conversation": turn.conversation,
            "session": turn.session,
            "title": turn.title,
            "speaker": turn.speaker,
            "role": turn.role,
            "timestamp": turn.at.isoformat() if turn.at else "",
            "text": turn.text,
        }
        yield orjson.dumps({key: value for key, value in values.items() if value}) + b"\n"


def markdown(turns: Iterable[ExportedTurn]) -> Iterator[bytes]:
    """A heading a conversation and a session, a paragraph a turn; what looks like a mark-up in a text is escaped."""
    conversation = session = None
    for turn in turns:
        if turn.conversation != conversation:
            conversation = turn.conversation
            yield f"# {_name(conversation)}\n\n".encode()
        if turn.session != session:
            session = turn.session
            head = " – ".join(part for part in (f"{turn.at:%Y-%m-%d}" if turn.at else "", _name(turn.title)) if part)
            yield f"## {head or 'Undated'}\n\n".encode()
        at = f" ({turn.at.isoformat(sep=' ', timespec='seconds')})" if turn.at else ""
        first, *rest = _plain(turn.text).split("\n")
        lines = "\n".join([first, *(_MARKER.sub(r"\1\\\2", line) for line in rest)])
        yield f"**{_name(turn.speaker)}**{at}: {lines}\n\n".encode()


def _plain(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _name(name: str) -> str:
    return _IN_NAME.sub(r"\\\1", _plain(name))


def parquet(turns: Iterable[ExportedTurn], path: Path) -> None:
    """Writes the turns to a Parquet file, by DuckDB's own writer, in a database that can reach this file alone.

    `said_at` is UTC, or local time where `utc_offset` (minutes) is null. Raises UsageError where it cannot be written.
    """
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false", "autoload_known_extensions": "false", "threads": 1,
    }  # fmt: skip
    try:
        with closing(duckdb.connect(":memory:", config=config)) as db:
            _write(db, turns, path)
    except duckdb.Error as error:  # not the store's fault
        raise UsageError(f"cannot write Parquet: {str(error).splitlines()[0]}", "choose another --output") from error


def _write(db: DuckDBPyConnection, turns: Iterable[ExportedTurn], path: Path) -> None:
    if not db.execute("select 1 from duckdb_extensions() where extension_name = 'parquet' and loaded").fetchall():
        raise UsageError("this build of DuckDB cannot write Parquet", "choose --format jsonl")
    db.execute("set allowed_paths = [$path]", {"path": str(path)})
    db.execute("set enable_external_access = false")
    db.execute("""create table said (id varchar, session varchar, conversation varchar, title varchar,
        position integer, speaker varchar, role varchar, said_at timestamp, utc_offset integer, text varchar)""")
    batch: list[ExportedTurn] = []
    for turn in turns:
        batch.append(turn)
        if len(batch) == _BATCH:
            _add(db, batch)
            batch = []
    _add(db, batch)
    db.execute(f"copy said to '{str(path).replace(chr(39), chr(39) * 2)}' (format parquet, compression zstd)")


def _add(db: DuckDBPyConnection, turns: Sequence[ExportedTurn]) -> None:
    times = [to_stored(turn.at) for turn in turns]
    names = ("id", "session", "conversation", "title", "position", "speaker", "role")
    rows: dict[str, list[object]] = {name: [getattr(turn, name) for turn in turns] for name in names}
    rows |= {"said_at": [at for at, _ in times], "utc_offset": [offset for _, offset in times]}
    append(db, "said", rows | {"text": [turn.text for turn in turns]})
