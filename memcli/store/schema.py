"""The register of the schema: every table, declared once, with what its columns refer to.

A new store is made from it. What is rebuilt, dropped with what it refers to, checked, mended and counted follows from
it as well, so that a table that is declared here is looked after everywhere.

`seq` numbers are dense integers for joins and arrays; `id`s are tagged content hashes for people and programs
(`ids`). There are no primary keys: the one writer checks identity itself, and DuckDB's key indexes cost more than they
give here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..model import Kind

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "EVENTS", "GENERATED", "OF_MEMORY", "SAID", "SHARED", "TABLES", "Column", "Fault", "Mend", "Origin", "Reference",
    "Table", "clearing", "create", "of_kinds", "referring",
]  # fmt: skip

# -- the kinds of units ----------------------------------------------------------------------------------------------

#: What the index holds of what was said.
SAID = (Kind.SENTENCE, Kind.TURN, Kind.ROUND, Kind.SESSION)
#: What is generated and not said.
GENERATED = (Kind.SUMMARY, Kind.KEYWORD, Kind.FACT, Kind.INSIGHT)
EVENTS = (Kind.EDU, Kind.CHUNK)
#: Units that several sessions share: they stay as long as something takes part in them.
SHARED = (Kind.ARGUMENT, Kind.ENTITY)
#: Units that are known by more than their text and sources; all but arguments are joined to their session.
OF_MEMORY = (*GENERATED, *EVENTS, Kind.ARGUMENT, Kind.ASSERTION)


def of_kinds(kinds: Collection[Kind]) -> str:
    """That a row of `unit` is of one of these kinds, as SQL."""
    return f"kind in ({', '.join(repr(kind.value) for kind in kinds)})"


# -- what can be said of a table -------------------------------------------------------------------------------------


class Origin(StrEnum):
    """Where the rows of a table come from, and so whether they can be made again."""

    TRUTH = "truth"  # what was said and decided, and what is kept beside it: nobody could say it again
    REBUILDABLE = "rebuildable"  # made from the truth
    BOOKKEEPING = "bookkeeping"  # what the store notes of itself


class Mend(StrEnum):
    """How something broken is made whole."""

    REMOVE = "remove"  # the rows themselves
    INDEX = "index"  # the index of their sessions is made again
    MEMORY = "memory"  # the units go, and are made again when they are next needed
    LEDGER = "ledger"  # their sessions' memory and associations are made again when they are next needed
    SNAPSHOT = "snapshot"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Fault:
    """Rows that should not be there: what they are called, and how they are mended; None: they cannot be.

    `harmless`: the program's own work leaves such rows, nothing reads them, and compaction removes them.
    """

    what: str
    mend: Mend | None = Mend.REMOVE
    harmless: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """The rows of a table, by one of its columns, that a column refers to; of units, only those of some `kinds`.

    `broken`: values that are not there; without it, a value may outlive what it referred to. `lacking`: rows there that
    nothing refers to, where each must have a row here. `required`: where null is broken, too, as SQL. `nothing`: a
    value that refers to nothing, as SQL. `clears`: what becomes null where the row referred to goes; without it, the
    row goes with it.
    """

    table: str
    column: str
    broken: Fault | None = None
    lacking: Fault | None = None
    kinds: tuple[Kind, ...] = ()
    required: str = ""
    nothing: str = ""
    clears: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its type as DuckDB calls it, in lower case.

    `quotes`: its text may quote what was said, and is looked through when that is forgotten.
    """

    name: str
    type: str
    refers: Reference | None = None
    null: bool = False
    quotes: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table. `shown`: what its rows are known by, as SQL. `counted`: `statistics` counts its rows.

    `laid`: the columns in whose order `compact` lays its rows; empty: as they lie.
    """

    name: str
    origin: Origin
    shown: str
    columns: tuple[Column, ...]
    counted: bool = False
    laid: str = ""

    @property
    def references(self) -> Iterator[tuple[Column, Reference]]:
        """Its columns that refer to something."""
        return ((column, column.refers) for column in self.columns if column.refers is not None)

    @property
    def made_from(self) -> str:
        """What each of its rows is made from: a `unit`, a `turn` or a `session`; empty, where it is none of these."""
        referred = {reference.table for _, reference in self.references}
        return next((name for name in ("unit", "turn", "session") if name in referred), "")

    @property
    def quoting(self) -> list[str]:
        """Its columns that may quote what was said."""
        return [column.name for column in self.columns if column.quotes]

    @property
    def definition(self) -> str:
        """The statement that makes it."""
        columns = ", ".join(f"{each.name} {each.type}{'' if each.null else ' not null'}" for each in self.columns)
        return f"create table {self.name} ({columns})"


# -- the tables ------------------------------------------------------------------------------------------------------


def _unit(
    broken: str, lacking: Fault | None = None, kinds: tuple[Kind, ...] = (), *, harmless: bool = False
) -> Reference:
    return Reference("unit", "seq", Fault(broken, harmless=harmless), lacking, kinds)


def _turn(broken: str, lacking: Fault | None = None) -> Reference:
    return Reference("turn", "seq", Fault(broken), lacking)


def _turn_id(broken: str, nothing: str = "") -> Reference:
    """To a turn by its id, which is the same in every store and outlives every rebuilding."""
    return Reference("turn", "id", Fault(broken), nothing=nothing)


_BOOKKEEPING = (
    Table("migration", Origin.BOOKKEEPING, "number", (
        Column("number", "integer"),
        Column("name", "varchar"),
        Column("made_at", "timestamp with time zone"),
    )),
    Table("meta", Origin.BOOKKEEPING, "key", (
        Column("key", "varchar"),
        Column("value", "varchar"),
    )),
)  # fmt: skip

_SAID = (
    Table("session", Origin.TRUTH, "id", (
        Column("seq", "integer"),
        Column("id", "varchar"),
        Column("conversation", "varchar"),
        Column("source", "varchar"),
        Column("started_at", "timestamp", null=True),
        Column("utc_offset", "integer", null=True),
        Column("title", "varchar"),
    ), counted=True),
    Table("turn", Origin.TRUTH, "id", (
        Column("seq", "integer"),
        Column("id", "varchar"),
        Column("session", "integer", Reference(
            "session", "seq", Fault("turns without a session", None), Fault("sessions without a turn")
        )),
        Column("position", "integer"),
        Column("speaker", "varchar"),
        Column("role", "varchar"),
        Column("said_at", "timestamp", null=True),
        Column("utc_offset", "integer", null=True),
        Column("text", "varchar"),
    ), counted=True),
    # A hash of what was said, to verify.
    Table("digest", Origin.TRUTH, "turn", (
        Column("turn", "integer", _turn("digests without a turn", Fault("turns without a digest", None))),
        Column("value", "ubigint"),
    )),
    # What was forgotten on purpose, by a hash of its id.
    Table("tombstone", Origin.TRUTH, "key", (
        Column("key", "varchar"),
        Column("made_at", "timestamp with time zone"),
    ), counted=True),
    # Replies of language models that were paid for.
    Table("call", Origin.TRUTH, "key", (
        Column("key", "varchar"),
        Column("model", "varchar"),
        Column("request", "varchar", quotes=True),
        Column("response", "varchar", quotes=True),
        Column("made_at", "timestamp with time zone"),
    ), counted=True),
)  # fmt: skip

#: The answers that were given, and what people said of them. Times without a zone are UTC.
_JUDGED = (
    Table("answered", Origin.TRUTH, "id", (
        Column("id", "varchar"),
        Column("question", "varchar", quotes=True),
        Column("asked_at", "timestamp"),
        Column("seconds", "double"),
        Column("tokens", "integer"),
        Column("abstained", "boolean"),
        Column("narrowed", "boolean"),
    ), counted=True),
    Table("cited", Origin.TRUTH, "answer", (
        Column("answer", "varchar", Reference("answered", "id", Fault("citations without an answer"))),
        Column("turn", "varchar", _turn_id("citations without a turn")),
        Column("place", "integer"),
    )),
    Table("feedback", Origin.TRUTH, "answer", (
        Column("answer", "varchar", Reference("answered", "id", Fault("verdicts on no answer")), quotes=True),
        Column("verdict", "varchar"),
        Column("note", "varchar", quotes=True),
        Column("given_at", "timestamp with time zone"),
    ), counted=True),
    Table("missed", Origin.TRUTH, "answer", (
        Column("answer", "varchar", Reference("feedback", "answer", Fault("missed turns without a verdict"))),
        Column("turn", "varchar", _turn_id("missed turns that are no turns")),
        Column("place", "integer"),
    )),
    # What follows from them of what turns assert; the one without a turn is that of all others.
    Table("strength", Origin.TRUTH, "turn", (
        Column("turn", "varchar", _turn_id("strengths without a turn", nothing="''")),
        Column("value", "double"),
    )),
    # What people took back of what was lifted: topics are learned again, and units made again; these stay.
    Table("decision", Origin.TRUTH, "edge", (
        Column("edge", "varchar"),
        Column("unit", "varchar", Reference("unit", "id")),
        Column("turn", "varchar", _turn_id("decisions without a turn")),
        Column("made_at", "timestamp with time zone"),
    )),
    # Whose a name is, or is not, as people said.
    Table("alias", Origin.TRUTH, "concat(name, ' = ', speaker)", (
        Column("name", "varchar", quotes=True),
        Column("speaker", "varchar", quotes=True),
        Column("holds", "boolean"),
        Column("made_at", "timestamp with time zone"),
    )),
)  # fmt: skip

_INDEX = (
    Table("unit", Origin.REBUILDABLE, "id", (
        Column("seq", "integer"),
        Column("id", "varchar"),
        Column("kind", "varchar"),
        Column("session", "integer", Reference("session", "seq", Fault("units without a session"))),
        Column("text", "varchar", null=True),
        Column("vector", "integer", Reference(
            "vector", "seq", Fault("sentences without a vector", Mend.INDEX), Fault("vectors without a sentence"),
            required=of_kinds([Kind.SENTENCE]),
        ), null=True),
        Column("norm", "float", null=True),
    )),
    Table("source", Origin.REBUILDABLE, "unit", (
        Column("unit", "integer", _unit("sources without a unit", Fault("units without a source"))),
        Column("turn", "integer", _turn("sources without a turn")),
    )),
    Table("edge", Origin.REBUILDABLE, "src || ' – ' || dst", (
        Column("src", "integer", _unit("edges without an end", harmless=True)),
        Column("dst", "integer", _unit("edges without an end", harmless=True)),
        Column("relation", "varchar"),
        Column("weight", "float"),
    )),
    Table("vector", Origin.REBUILDABLE, "seq", (
        Column("seq", "integer"),
        Column("hash", "ubigint"),
        Column("weight", "integer"),
        Column("data", "blob"),
    ), counted=True),
    # The signs of a vector's numbers: what the nearest of a large store are sought by (`codes`).
    Table("code", Origin.REBUILDABLE, "vector", (
        Column("vector", "integer", Reference("vector", "seq", Fault("codes without a vector"))),
        *(Column(f"signs{word}", "ubigint") for word in range(6)),
    )),
    # A question's words lie together in a store that was compacted: DuckDB passes over the blocks without them.
    Table("posting", Origin.REBUILDABLE, "turn", (
        Column("term", "varchar"),
        Column("turn", "integer", _turn("postings without a turn")),
        Column("frequency", "integer"),
    ), laid="term, turn"),
    Table("document", Origin.REBUILDABLE, "turn", (
        Column("turn", "integer", _turn("documents without a turn", Fault("turns without a document", Mend.INDEX))),
        Column("length", "integer"),
        Column("cues", "integer"),
    )),
    # The language of each turn that is in another one than English.
    Table("spoken", Origin.REBUILDABLE, "turn", (
        Column("turn", "integer", _turn("languages without a turn")),
        Column("language", "varchar"),
    )),
    # The ledger: what has been run over which session.
    Table("built", Origin.REBUILDABLE, "session", (
        Column("session", "integer", Reference("session", "seq", Fault("ledger entries without a session"))),
        Column("producer", "varchar"),
        Column("version", "integer"),
        Column("turns", "integer"),
    )),
    # `generation` is the revision of the store that it was made at.
    Table("snapshot", Origin.REBUILDABLE, "name", (
        Column("name", "varchar"),
        Column("part", "integer"),
        Column("generation", "bigint"),
        Column("rows", "integer"),
        Column("checksum", "varchar"),
        Column("data", "blob"),
    )),
)  # fmt: skip

_MEMORY = (
    # Where a turn shows that a name is a speaker's; where it is so for one person alone, for whom.
    Table("sighting", Origin.REBUILDABLE, "turn", (
        Column("turn", "integer", _turn("sightings of names without a turn")),
        Column("name", "varchar"),
        Column("speaker", "varchar"),
        Column("whom", "varchar"),
        Column("sign", "varchar"),
    )),
    # What a turn tells of who says it that belongs on a card, and how probably, by which version of what notes it; of a
    # turn that was read and tells nothing, one row without a kind.
    Table("noted", Origin.REBUILDABLE, "turn", (
        Column("turn", "integer", _turn("facts of cards without a turn")),
        Column("version", "integer"),
        Column("kind", "varchar"),
        Column("value", "varchar"),
        Column("chance", "float"),
    )),
    # What is known of a generated unit: since when and until when it holds, how well it is supported, its vector.
    Table("memory", Origin.REBUILDABLE, "unit", (
        Column("unit", "integer", _unit(
            "memories without a unit", Fault("generated units without a memory", Mend.MEMORY), OF_MEMORY
        )),
        Column("valid_from", "timestamp", null=True),
        Column("utc_offset", "integer", null=True),
        Column("valid_to", "timestamp", null=True),
        Column("replaced_by", "integer", Reference(
            "unit", "seq", Fault("memories replaced by nothing", Mend.MEMORY), kinds=GENERATED,
            clears=("valid_to", "replaced_by"),
        ), null=True),
        Column("label", "varchar"),
        Column("support", "integer"),
        Column("supported", "boolean"),
        Column("reason", "varchar"),
        Column("data", "blob"),
    )),
    # `body`: a structured chunk's whole block.
    Table("event", Origin.REBUILDABLE, "unit", (
        Column("unit", "integer", _unit("events without a unit", Fault("events without a type", Mend.MEMORY), EVENTS)),
        Column("type", "varchar"),
        Column("body", "varchar", null=True),
    )),
    Table("role", Origin.REBUILDABLE, "event", (
        Column("event", "integer", _unit("roles without an event", kinds=EVENTS)),
        Column("argument", "integer", _unit(
            "roles without an event", Fault("arguments of no event", Mend.MEMORY), (Kind.ARGUMENT,)
        )),
        Column("name", "varchar"),
    )),
    # What is asserted, beside the head (the memory's label), the turn and the time.
    Table("assertion", Origin.REBUILDABLE, "unit", (
        Column("unit", "integer", _unit(
            "assertions without a unit", Fault("assertions of nothing", Mend.MEMORY), (Kind.ASSERTION,)
        )),
        Column("relation", "varchar"),
        Column("tail", "varchar"),
        Column("negated", "boolean"),
        Column("strength", "float"),
        Column("confidence", "float"),
    )),
    # What assertions are about: topics, and the domains that relations bear on.
    Table("concept", Origin.REBUILDABLE, "seq", (
        Column("seq", "integer"),
        Column("kind", "varchar"),
        Column("name", "varchar"),
        Column("members", "integer"),
        Column("data", "blob"),
    )),
    # Which assertion belongs to which topic, as which thing.
    Table("belongs", Origin.REBUILDABLE, "unit", (
        Column("unit", "integer", Reference(
            "assertion", "unit", Fault("topics' members without an assertion"), kinds=(Kind.ASSERTION,)
        )),
        Column("concept", "integer", Reference("concept", "seq", Fault("topics' members without a topic"))),
        Column("thing", "integer"),
        Column("weight", "float"),
    )),
    # Topics that were lifted to edges of a person, or declined.
    Table("lifted", Origin.REBUILDABLE, "concept", (
        Column("concept", "integer", Reference("concept", "seq", Fault("lifted edges without a topic"))),
        Column("head", "varchar"),
        Column("liking", "float"),
        Column("support", "integer"),
        Column("probability", "float"),
        Column("declined", "varchar"),
    )),
)  # fmt: skip

#: Every table of a store, by name.
TABLES: Mapping[str, Table] = MappingProxyType(
    {table.name: table for table in (*_BOOKKEEPING, *_SAID, *_JUDGED, *_INDEX, *_MEMORY)}
)

# -- what follows ----------------------------------------------------------------------------------------------------


def create(db: DuckDBPyConnection) -> None:
    """Makes every table in an empty database."""
    for table in TABLES.values():
        db.execute(table.definition)


def clearing(table: str, column: str, kinds: Collection[Kind] = ()) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The tables with the columns by which rows refer to rows of `table` and outlive them, and what is cleared then."""
    for name, own, to in _referring(table, column, kinds):
        if to.clears:
            yield name, own, to.clears


def referring(table: str, column: str, kinds: Collection[Kind] = ()) -> Iterator[tuple[str, str]]:
    """The tables with the columns by which their rows refer to rows of `table` and go with them, directly or not.

    `kinds`: only what may refer to units of these.
    """
    for name, own, to in _referring(table, column, kinds):
        if not to.clears:
            yield name, own
            yield from referring(name, own, kinds)


def _referring(table: str, column: str, kinds: Collection[Kind]) -> Iterator[tuple[str, str, Reference]]:
    for other in TABLES.values():
        for own, to in other.references:
            may = not kinds or not to.kinds or not set(kinds).isdisjoint(to.kinds)
            if (to.table, to.column) == (table, column) and may:
                yield other.name, own.name, to
