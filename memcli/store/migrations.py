"""How stores of older schemas become like the register (`schema`): an ordered list of named steps.

Each commits together with the record that it was done. A new store is made from the register, as
if it had had them all.
"""

from __future__ import annotations

from collections.abc import Callable

import duckdb

from ..errors import StoreDamaged, StoreTooNew
from . import schema
from .repacking import repack
from .revision import is_counted, start_counting
from .rows import scalar, transaction

__all__ = ["MIGRATIONS", "check", "is_whole", "migrate", "version"]


def _initial(db: duckdb.DuckDBPyConnection) -> None:
    """What was said (truth), and what can be rebuilt from it.

    `seq` numbers are dense integers for joins and arrays; `id`s are tagged content hashes for people and programs.
    No primary keys: the one writer checks identity itself, and DuckDB's key indexes cost more than they give here.
    """
    db.execute("""
        create table meta (key varchar not null, value varchar not null);
        create table session (seq integer not null, id varchar not null, conversation varchar not null,
            source varchar not null, started_at timestamp, utc_offset integer, title varchar not null);
        create table turn (seq integer not null, id varchar not null, session integer not null,
            position integer not null, speaker varchar not null, role varchar not null,
            said_at timestamp, utc_offset integer, text varchar not null);
        create table call (key varchar not null, model varchar not null, request varchar not null,
            response varchar not null, made_at timestamptz not null);
        create table feedback (answer varchar not null, verdict varchar not null, note varchar not null,
            given_at timestamptz not null);

        create table unit (seq integer not null, id varchar not null, kind varchar not null, session integer not null,
            text varchar, vector integer, norm float);
        create table source (unit integer not null, turn integer not null);
        create table edge (src integer not null, dst integer not null, relation varchar not null,
            weight float not null);
        create table vector (seq integer not null, hash ubigint not null, weight integer not null, data blob not null);
        create table posting (term varchar not null, turn integer not null, frequency integer not null);
        create table document (turn integer not null, length integer not null, cues integer not null);
        create table built (session integer not null, producer varchar not null, version integer not null,
            turns integer not null);
        create table snapshot (name varchar not null, part integer not null, generation bigint not null,
            rows integer not null, checksum varchar not null, data blob not null);
        insert into meta values ('generation', '0');
    """)


def _memory(db: duckdb.DuckDBPyConnection) -> None:
    """What is known of a generated unit beside its text and sources: since when and until when it holds, and how well.

    Its vector stands here, float16: apart from those of what was said.
    """
    db.execute("""
        create table memory (unit integer not null, valid_from timestamp, utc_offset integer, valid_to timestamp,
            replaced_by integer, label varchar not null, support integer not null, supported boolean not null,
            reason varchar not null, data blob not null);
    """)


def _event(db: duckdb.DuckDBPyConnection) -> None:
    """What is known of an EDU or a structured chunk beside that: its event type, a chunk's whole block, and who or what
    takes part in it in which role.
    """
    db.execute("""
        create table event (unit integer not null, type varchar not null, body varchar);
        create table role (event integer not null, argument integer not null, name varchar not null);
    """)


def _tombstone(db: duckdb.DuckDBPyConnection) -> None:
    """What was forgotten on purpose, by a hash of its id; and of each turn a hash of what was said, to verify."""
    db.execute("""
        create table tombstone (key varchar not null, made_at timestamptz not null);
        create table digest (turn integer not null, value ubigint not null);
        insert into digest select seq, md5_number_lower(concat_ws(chr(31), id, speaker, role,
            coalesce(epoch_us(said_at)::varchar, ''), coalesce(utc_offset::varchar, ''), text)) from turn;
    """)


def _assertion(db: duckdb.DuckDBPyConnection) -> None:
    """What is asserted by a unit of that kind, beside its head (its label), its turn and its time."""
    db.execute("""
        create table assertion (unit integer not null, relation varchar not null, tail varchar not null,
            negated boolean not null, strength float not null, confidence float not null);
    """)


def _concept(db: duckdb.DuckDBPyConnection) -> None:
    """What assertions are about: topics found in the store, and the domains that relations bear on; which assertion
    belongs to which topic, as which thing; and the topics that have been lifted to edges of a person, or declined.
    """
    db.execute("""
        create table concept (seq integer not null, kind varchar not null, name varchar not null,
            members integer not null, data blob not null);
        create table belongs (unit integer not null, concept integer not null, thing integer not null,
            weight float not null);
        create table lifted (concept integer not null, head varchar not null, liking float not null,
            support integer not null, probability float not null, declined varchar not null);
    """)


def _feedback(db: duckdb.DuckDBPyConnection) -> None:
    """The answers that were given, what they cited, and what people said that they missed; and the strengths of what
    turns assert that follow from it, the one without a turn being that of all others. Times are UTC.
    """
    db.execute("""
        create table answered (id varchar not null, question varchar not null, asked_at timestamp not null,
            seconds double not null, tokens integer not null, abstained boolean not null, narrowed boolean not null);
        create table cited (answer varchar not null, turn varchar not null, place integer not null);
        create table missed (answer varchar not null, turn varchar not null, place integer not null);
        create table strength (turn varchar not null, value double not null);
    """)


def _decision(db: duckdb.DuckDBPyConnection) -> None:
    """What people took back of what was lifted: for each assertion that such an edge rested on, its unit and turn by
    their ids. Topics are learned again; these stay.
    """
    db.execute("""
        create table decision (edge varchar not null, unit varchar not null, turn varchar not null,
            made_at timestamptz not null);
    """)


def _tags(db: duckdb.DuckDBPyConnection) -> None:
    """Summaries, structured chunks and arguments get tags of their own, which were those of sessions, concepts and
    answers (`ids.FORMERLY`).
    """
    for kind, before, after in (("summary", "s", "m"), ("chunk", "c", "b"), ("argument", "a", "g")):
        db.execute(
            "update unit set id = concat(?, substr(id, 2)) where kind = ? and starts_with(id, ?)",
            [after, kind, f"{before}:"],
        )


def _links(db: duckdb.DuckDBPyConnection) -> None:
    """Snapshots of HNSW held vectors, which the table `vector` has; now they hold the links alone."""
    db.execute("delete from snapshot where name = 'hnsw'")


def _alias(db: duckdb.DuckDBPyConnection) -> None:
    """Where turns show that a name is a speaker's, for one person alone or for everybody; what people said of that."""
    db.execute("""
        create table alias (name varchar not null, speaker varchar not null, holds boolean not null,
            made_at timestamptz not null);
        create table sighting (turn integer not null, name varchar not null, speaker varchar not null,
            whom varchar not null, sign varchar not null);
    """)


def _spoken(db: duckdb.DuckDBPyConnection) -> None:
    """The language of each turn that is in another one than English; older sessions' words are looked at again."""
    db.execute("create table spoken (turn integer not null, language varchar not null)")


def _code(db: duckdb.DuckDBPyConnection) -> None:
    """The signs of each vector's numbers; the vectors of a large store get them when it is next written to."""
    db.execute("""
        create table code (vector integer not null, signs0 ubigint not null, signs1 ubigint not null,
            signs2 ubigint not null, signs3 ubigint not null, signs4 ubigint not null, signs5 ubigint not null);
    """)


def _noted(db: duckdb.DuckDBPyConnection) -> None:
    """What turns tell of who says them, as it belongs on cards: read by a network when a card is first asked for."""
    db.execute("""
        create table noted (turn integer not null, version integer not null, kind varchar not null,
            value varchar not null, chance float not null);
    """)


def _packed(db: duckdb.DuckDBPyConnection) -> None:
    """Sentences' vectors have a byte a number (`packing`), and what was computed of them is computed again."""
    repack(db)


#: Every step that ever was, in order. A released step is never changed: add another.
MIGRATIONS: tuple[tuple[str, Callable[[duckdb.DuckDBPyConnection], None]], ...] = (
    ("initial", _initial),
    ("memory", _memory),
    ("event", _event),
    ("tombstone", _tombstone),
    ("assertion", _assertion),
    ("concept", _concept),
    ("feedback", _feedback),
    ("decision", _decision),
    ("tags", _tags),
    ("links", _links),
    ("alias", _alias),
    ("spoken", _spoken),
    ("code", _code),
    ("noted", _noted),
    ("packed", _packed),
)


def version(db: duckdb.DuckDBPyConnection) -> int:
    """How many migrations the open store has had. 0: an empty file.

    Raises StoreDamaged where the file is a DuckDB database of something else.
    """
    try:
        return int(scalar(db, "select coalesce(max(number), 0) from main.migration"))
    except duckdb.CatalogException:
        if scalar(db, "select count(*) from duckdb_tables() where not internal") == 0:
            return 0
        raise StoreDamaged(
            "this file is a DuckDB database, but not a memcli store", "choose another --store PATH"
        ) from None


def migrate(db: duckdb.DuckDBPyConnection) -> None:
    """Brings the open store to the newest schema, one committed step after another; a new one gets it at once.

    Raises StoreTooNew where a newer memcli made it.
    """
    done = version(db)
    check(done)
    if done == 0:
        with transaction(db):
            _create(db)
        return
    for number, (name, step) in enumerate(MIGRATIONS[done:], start=done + 1):
        with transaction(db):
            _apply(db, number, name, step)


def _create(db: duckdb.DuckDBPyConnection) -> None:
    """Makes a new store as the register has it, which is what all the steps together lead to."""
    schema.create(db)
    start_counting(db)
    numbers, names = list(range(1, len(MIGRATIONS) + 1)), [name for name, _ in MIGRATIONS]
    db.execute("insert into migration select unnest(?), unnest(?), now()", [numbers, names])


def _apply(
    db: duckdb.DuckDBPyConnection, number: int, name: str, step: Callable[[duckdb.DuckDBPyConnection], None]
) -> None:
    if number == 1:
        db.execute(
            "create table migration (number integer not null, name varchar not null, made_at timestamptz not null)"
        )
    step(db)
    db.execute("insert into migration values (?, ?, now())", [number, name])


def check(done: int) -> None:
    """Raises StoreTooNew for a store that has had more migrations than this program knows."""
    if done > len(MIGRATIONS):
        raise StoreTooNew(
            f"this store has schema {done}, made by a newer memcli; this one knows {len(MIGRATIONS)}", "upgrade memcli"
        )


def is_whole(db: duckdb.DuckDBPyConnection) -> bool:
    """Whether the open store has the tables and counters that it should, and nothing that could pass for one of them.

    A store that somebody else has made need not. An older schema lacks what later ones added.
    """
    try:
        done = version(db)
        with duckdb.connect() as other:
            for number, (name, step) in enumerate(MIGRATIONS[:done], start=1):
                _apply(other, number, name, step)
            return _columns(other) <= _columns(db) and is_counted(db) and not _pretends(db)
    except (duckdb.Error, StoreDamaged):
        return False


def _columns(db: duckdb.DuckDBPyConnection) -> set[tuple[str, str, str]]:
    sql = """select table_name, column_name, data_type from duckdb_columns()
        where not internal and database_name = current_database() and schema_name = 'main'"""
    return set(db.execute(sql).fetchall())


def _pretends(db: duckdb.DuckDBPyConnection) -> bool:
    """Whether the file has views or functions of its own: memcli makes none."""
    own = "not internal and database_name = current_database()"
    found = f"(select count(*) from duckdb_views() where {own}) + (select count(*) from duckdb_functions() where {own})"
    return bool(scalar(db, f"select {found}"))
