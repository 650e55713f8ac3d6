"""Several stores read as one (a federation): every table is the union of theirs, and so is every statistic.

Each file is attached to one database in memory, for reading. A view of the name of each table unites the tables of
that name, with the numbers of each store moved behind those of the one before. Whatever reads a store so reads several:
document frequencies, mean lengths and the moments of cosines are those of the union, and scores are computed over all,
not merged. What was made in view of the whole of one store knows nothing of the others: its sentence graph, its topics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from .connection import READ_WAIT, WRITE_WAIT, Store, together
from .identity import identity
from .revision import KEY as REVISION
from .rows import scalar
from .schema import TABLES, Column, Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Federation"]

#: Tables that are no union: bookkeeping, of which there is one, and what is kept by the numbers of one store.
_OF_ONE = ("migration", "meta", "snapshot")
_NUMBERED = [table.name for table in TABLES.values() if table.columns[0].name == "seq"]


class Federation(Store):
    """Stores that are read together. Nothing is written to them. A turn that several of them have is the first one's.

    Raises UsageError where they are not several files.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        super().__init__(None)
        self._stores = [Store(path) for path in {realpath(path): path for path in paths}.values()]
        self._checked: set[Path | None] = set()
        if len(self._stores) < len(paths) or not paths:
            raise UsageError("one store is named twice", "name each store once")

    @property
    def parts(self) -> Sequence[Store]:
        """The stores, each by itself."""
        return self._stores

    @property
    def exists(self) -> bool:
        """Whether there is a file of each."""
        self._check_open()
        return all(store.exists for store in self.parts)

    @property
    def name(self) -> str:
        """See `Store.name`."""
        return ", ".join(store.name for store in self.parts)

    def close(self) -> None:
        """See `Store.close`."""
        super().close()
        for store in self._stores:
            store.close()

    @contextmanager
    def writing(self, wait: float = WRITE_WAIT) -> Iterator[DuckDBPyConnection]:  # noqa: ARG002
        """Raises UsageError: what is written goes into one store."""
        raise UsageError("several stores at once are only searched", "name one store")
        yield

    @contextmanager
    def reading(self, wait: float = READ_WAIT) -> Iterator[DuckDBPyConnection]:
        """See `Store.reading`. Raises UsageError, too, where the stores were filled with several embedders."""
        held = getattr(self._held, "db", None)
        if held is not None:
            yield held
            return
        self._check_open()
        parts = self.parts
        self._check_each(parts, wait)
        with together([store.path for store in parts if store.path], wait) as db, self._snapshot(db):
            _unite(db, len(parts))
            yield db

    def _check_each(self, parts: Sequence[Store], wait: float) -> None:
        """Opens each by itself, once: what is wrong with it, or is to be migrated, is then seen as with any store."""
        if self._checked >= {store.path for store in parts}:
            return
        filled = {}
        for store in parts:
            with store.reading(wait) as db:
                if found := identity(db):
                    filled[found.id] = store.path
        if len(filled) > 1:
            told = ", ".join(f"{path} with {id_}" for id_, path in filled.items())
            raise UsageError(f"the stores were filled with several embedders: {told}", "memcli compact --re-embed")
        self._checked = {store.path for store in parts}


def _unite(db: DuckDBPyConnection, count: int) -> None:
    """Makes the views: of each table the union, of the revisions the sum."""
    names = [f"part{number}" for number in range(count)]
    firsts = _firsts(db, names)
    repeated = _note_repeated(db, names, firsts)
    for table in TABLES.values():
        if table.name not in _OF_ONE:
            unions = (_moved(table, name, first) for name, first in zip(names, firsts, strict=True))
            apart = " where seq not in (select seq from repeated)" if table.name == "turn" and repeated else ""
            db.execute(f"create view {table.name} as select * from ({' union all '.join(unions)}){apart}")
    db.execute("create view migration as from part0.migration")
    db.execute("create view snapshot as from part0.snapshot where false")
    values = " union all ".join(f"select value from {name}.meta where key = '{REVISION}'" for name in names)
    db.execute(
        f"""create view meta as select key, value from part0.meta where key <> '{REVISION}'
            union all select '{REVISION}', sum(value::bigint)::varchar from ({values})"""
    )


def _firsts(db: DuckDBPyConnection, names: Sequence[str]) -> list[int]:
    """By how much the numbers of each store are moved: behind the largest one, of anything, of those before it."""
    firsts = [0]
    for name in names[:-1]:
        largest = ", ".join(f"(select coalesce(max(seq), -1) from {name}.{table})" for table in _NUMBERED)
        firsts.append(firsts[-1] + 1 + int(scalar(db, f"select greatest({largest})")))
    return firsts


def _moved(table: Table, name: str, first: int) -> str:
    return f"select {', '.join(_column(each, first) for each in table.columns)} from {name}.{table.name}"


def _column(column: Column, first: int) -> str:
    numbered = column.name == "seq" or (column.refers is not None and column.refers.column == "seq")
    if not numbered or not first:
        return column.name
    return f"({column.name} + {first})::{column.type} as {column.name}"


def _note_repeated(db: DuckDBPyConnection, names: Sequence[str], firsts: Sequence[int]) -> bool:
    """Notes the turns that an earlier store has, too; returns whether there are any.

    Only where two stores have a conversation of one name, which is quickly seen, are their turns compared.
    """
    conversations = " union all ".join(f"select distinct conversation from {name}.session" for name in names)
    if not scalar(db, f"select 1 from ({conversations}) group by conversation having count(*) > 1 limit 1"):
        return False
    turns = " union all ".join(
        f"select id, (seq + {first})::integer as seq from {name}.turn"
        for name, first in zip(names, firsts, strict=True)
    )
    db.execute(
        f"""create temp table repeated as
            select seq from ({turns}) qualify row_number() over (partition by id order by seq) > 1"""
    )
    return bool(scalar(db, "select count(*) from repeated"))
