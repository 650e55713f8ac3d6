"""A store that is a shard of a memory: nothing in it, or made of it, depends on what else lies in the same shard.

A new sentence's neighbours are looked for in its conversation alone, and sessions stand in the order of their ids. So
it makes no difference into how many shards conversations are put, or which of them share one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .rows import columns, scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["begin_shard", "is_shard", "said_in"]

_KEY = "shard"


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
