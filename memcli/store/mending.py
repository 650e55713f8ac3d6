"""What is broken and can be made again, out of the store; what was said is never touched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .compaction import remove_leftovers
from .connection import Store
from .health import Finding
from .revision import bump_revision
from .rows import transaction
from .schema import OF_MEMORY, SAID, SHARED, TABLES, Mend, Origin, of_kinds, referring
from .snapshots import LINKS
from .units import drop_units
from .vectors import drop_vectors

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["clear", "finish"]

#: What of memory is of one session, and joined to it.
_OF_SESSION = [kind for kind in OF_MEMORY if kind not in SHARED]


def clear(store: Store, findings: Sequence[Finding]) -> None:
    """Removes what is broken, in one transaction: what can be made again of the turns is missing then.

    Raises StoreError.
    """
    if store.path is not None:
        store.path.chmod(0o600)
        remove_leftovers(store.path)
    with store.writing() as db, transaction(db):
        for finding in findings:
            _clear(db, finding)
        bump_revision(db)


def _clear(db: DuckDBPyConnection, finding: Finding) -> None:
    touched = sorted(finding.touches)
    if finding.mend is Mend.INDEX:
        _drop_index(db, touched)
    elif finding.mend is Mend.MEMORY:
        _drop_units(db, touched)
    elif finding.mend is Mend.LEDGER:
        _reopen(db, touched)
    elif finding.mend is Mend.SNAPSHOT:
        db.execute("delete from snapshot where name = ?", [finding.example])
    elif finding.mend is Mend.REMOVE and finding.check is not None:
        db.execute(f"delete from {finding.check.table} where {finding.check.where}")
        if finding.check.table == "vector":
            db.execute("delete from snapshot where name = ?", [LINKS])


def _drop_index(db: DuckDBPyConnection, sessions: Sequence[int]) -> None:
    """Removes the index of these sessions; the ledger says so. Their vectors go too, in case it is these."""
    among = "session in (select unnest(?::integer[]))"
    turns = f"select seq from turn where {among}"
    vectors = f"select vector from unit where {among} and kind = 'sentence'"
    others = f"""select distinct session from unit where kind = 'sentence' and vector in ({vectors})
        and not {among}"""
    shared = {int(s) for (s,) in db.execute(others, [sessions, sessions]).fetchall()}
    everywhere = sorted(shared.union(sessions))
    if shared:  # a sentence that is said in another session, too, has one vector: that session is made again with it
        _drop_index(db, everywhere)
        return
    drop_vectors(db, vectors, [sessions])
    drop_units(db, among, [sessions], SAID)
    for table, column in referring("turn", "seq"):
        if TABLES[table].origin is Origin.REBUILDABLE and TABLES[table].made_from == "turn":
            db.execute(f"delete from {table} where {column} in ({turns})", [sessions])
    db.execute(f"delete from built where {among} and producer = 'transcript'", [sessions])
    db.execute(f"update built set version = 0 where {among} and producer = 'associations'", [sessions])
    db.execute("delete from snapshot where name = ?", [LINKS])


def _drop_units(db: DuckDBPyConnection, units: Sequence[int]) -> None:
    """Removes generated units. What a session lacks then is made again, but for a language model's work."""
    among = "(select unnest(?::integer[]))"
    sessions = [s for (s,) in db.execute(f"select distinct session from unit where seq in {among}", [units]).fetchall()]
    lost = f"unit in {among} and replaced_by not in (select seq from unit)"
    db.execute(f"update memory set valid_to = null, replaced_by = null where {lost}", [units])
    drop_units(db, f"seq in {among}", [units])
    _reopen(db, sessions)


def _reopen(db: DuckDBPyConnection, sessions: Sequence[int]) -> None:
    db.execute(
        """update built set version = 0, turns = 0 where session in (select unnest(?::integer[]))
           and producer <> 'transcript' and not contains(producer, ':')""",
        [sessions],
    )


def finish(store: Store) -> None:
    """Joins generated memory to its sessions' new units. Raises StoreError."""
    with store.writing() as db, transaction(db):
        db.execute(f"""insert into edge select u.seq, s.seq, 'membership', 1 from unit u
            join unit s on s.session = u.session and s.kind = 'session'
            where u.{of_kinds(_OF_SESSION)}
            and not exists (select 1 from edge e where e.src = u.seq and e.dst = s.seq
                            and e.relation = 'membership')""")
