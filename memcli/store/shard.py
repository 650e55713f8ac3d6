"""A store that is a shard of a memory: nothing in it, or made of it, depends on what else lies in the same shard.

A new sentence's neighbours are looked for in its conversation alone, and sessions stand in the order of their ids. So
it makes no difference into how many shards conversations are put, or which of them share one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..model import TurnId
from .rows import columns, scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Said", "all_said", "begin_shard", "conversations", "is_shard", "said_in", "turns_of"]

_KEY = "shard"

#: How many turns there are, and a hash of all that was said, which adds up over stores.
Said = tuple[int, int]


def begin_shard(db: DuckDBPyConnection) -> None:
    """Notes that the open store, which is new, is a shard."""
    if not is_shard(db):
        db.execute("insert into meta values (?, 'yes')", [_KEY])


def is_shard(db: DuckDBPyConnection) -> bool:
    """Whether the open store is a shard."""
    return bool(scalar(db, "select count(*) from meta where key = ?", [_KEY]))


def said_in(db: DuckDBPyConnection, conversation: str) -> tuple[npt.NDArray[np.uint64], Sequence[bytes]]:
    """The distinct sentences of a conversation, as they were said first: their hashes and their vectors."""
    found = columns(
        db,
        """with said as (select u.vector, min(u.seq) as first from unit u join session s on s.seq = u.session
               where u.kind = 'sentence' and s.conversation = ? group by u.vector)
           select v.hash, v.data from said join vector v on v.seq = said.vector order by said.first""",
        [conversation],
    )
    return found["hash"].astype(np.uint64), found["data"].tolist()


def conversations(db: DuckDBPyConnection) -> list[str]:
    """Those of which the store has something."""
    return [str(name) for (name,) in db.execute("select distinct conversation from session").fetchall()]


def turns_of(db: DuckDBPyConnection, names: Sequence[str]) -> list[TurnId]:
    """The turns of these conversations."""
    rows = db.execute(
        """select t.id from turn t join session s on s.seq = t.session
           where s.conversation in (select unnest(?::varchar[]))""",
        [list(names)],
    ).fetchall()
    return [TurnId(turn) for (turn,) in rows]


def all_said(db: DuckDBPyConnection, catalog: str = "") -> Said:
    """What the store says; or, of several that are attached, the one of this name."""
    where = f"{catalog}." if catalog else ""
    count = scalar(db, f"select count(*) from {where}turn")
    said = scalar(
        db,
        f"""select coalesce(bit_xor(md5_number_lower(concat_ws(chr(0), t.id, s.id, s.conversation, t.position,
            t.speaker, t.role, t.said_at, t.utc_offset, t.text))), 0)
            from {where}turn t join {where}session s on s.seq = t.session""",
    )
    return int(count), int(said)
