"""A store as arrays: what a strategy scores over. Everything is loaded on first use, over one short-lived connection.

Turns are in the order of conversation (session by session), so that a turn's neighbours are the rows beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from ...errors import StoreChanged
from ...model import Filters, Kind, Needs, Relation, Translation, Turn, TurnId
from .. import lexical, transcript
from ..aliases import by_name
from ..coded import CodedSessions
from ..codes import is_coded
from ..cosine import cosines, exact
from ..identity import identity
from ..packing import unpacked
from ..revision import revision
from ..rows import UNKNOWN, Columns, columns, microseconds
from ..shard import is_shard
from ..vectors import count, load_matrix, load_weighted_rows
from .lookups import EDGES, FROM_TURNS, SHOWN, TURNS, UNITS, HeldVectors, Lookup, selected

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Part", "View", "days", "unchanged"]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Doubles = npt.NDArray[np.float64]
#: Vectors as they are read; those from memory are widened already.
Rows = npt.NDArray[np.float16] | Doubles

Reading = Callable[[], AbstractContextManager["DuckDBPyConnection"]]
#: From what is looked for (`candidates.Wanted`) lists of ids of sessions, the likeliest of each first.
Gather = Callable[[Any], Sequence[Sequence[str]]]

Made = TypeVar("Made")

_LOOKS = 2
#: Times after which whoever asks again is taken to go on: all that is held of a store takes as long to load as it saves
#: in so many questions, or a few more.
_OFTEN = 6
#: Numbers of vectors of a store that is held in memory: those of a million and a half sentences.
_MOST_HELD = 2**29
#: Numbers of vectors that are kept widened, eight bytes each: those of some twenty thousand sentences.
_MOST_WIDENED = 2**23
#: The postings of a stem that is nowhere.
NONE: tuple[Ints, Ints] = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The sessions of a view that a question is about, by their numbers, and the view.

    `sampled`: those of them that stand for all that are not here. `postings`: of the question's stems, in the whole
    store; none where they were not read.
    """

    whole: View
    sessions: Ints
    sampled: Ints
    postings: lexical.Postings


class View:
    """The turns, sentences, vectors, postings and sentence graph of a store, of one conversation in it, or of a part.

    It is of one revision of the store: what it reads later raises StoreChanged where somebody has written since.
    Every per-turn array below has length `n` and the same order. Each is loaded when it is first asked for, over a
    connection of its own from `reading`: a view that was `preload`ed holds the store open no longer. Turns and
    sentences are read as they are asked for, and kept: the next question is hardly ever about others.
    """

    def __init__(
        self, reading: Reading, dimension: int, conversation: str | None = None, part: Part | None = None
    ) -> None:
        self._reading_store = reading
        #: What gathers candidates elsewhere (`candidates`); None: they are gathered here.
        self.gather: Gather | None = None
        self._part = part
        self._revision: int | None = None
        self._checked: object = None  # the connection over which the store was last found to be unchanged
        self._dimension = dimension
        self._conversation = conversation
        self._loaded: Columns = {}  # of the turns
        self._pools: dict[str, tuple[Ints, npt.NDArray[np.float64]]] = {}
        self._postings: dict[str, tuple[Ints, Ints]] = {}
        self._translated: tuple[tuple[Translation, ...], lexical.Postings] = (), {}
        self._fetched: dict[int, Turn] = {}
        self._row_by_id: dict[TurnId, int] = {}
        self._said: dict[int, list[tuple[int, str]]] = {}
        self._made: dict[Callable[[View], object], object] = {}
        self._widened: npt.NDArray[np.float64] | None = None
        self._asked = 0  # how often the view was asked again
        self._in_memory: dict[object, object] = {}
        self._may_hold_more = False

    @contextmanager
    def _reading(self) -> Iterator[DuckDBPyConnection]:
        """The open store, as it was when the view first read of it. Raises StoreChanged where it no longer is."""
        with self._reading_store() as db:
            if db is not self._checked:
                now = revision(db)
                if now != (now if self._revision is None else self._revision):
                    raise StoreChanged("the store was written to while it was read", "try again")
                self._revision, self._checked = now, db
            yield db

    def preload(self, stems: Sequence[str], needs: Needs) -> None:
        """Loads in one go what a strategy with these needs will ask for, and nothing else."""
        with self._reading():  # the connection that all of these share
            self.postings(stems)
            if Kind.SENTENCE in needs.kinds:
                _ = self.owner, self._matrix
            if Relation.SIMILAR in needs.relations:
                _ = self.similar

    def once(self, make: Callable[[View], Made]) -> Made:
        """What `make` makes of this view, made once: for what depends on no question."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast("Made", self._made[make])

    def read(self, load: Callable[[DuckDBPyConnection], Made]) -> Made:
        """What `load` reads from the open store."""
        with self._reading() as db:
            return load(db)

    def looked_up(self, table: Lookup, numbers: Ints) -> Columns:
        """The rows of the store with these numbers: from memory, where whoever asks has asked often."""
        held = self.whole._held(table, table.held)
        return held.of(numbers) if held else self.read(lambda db: table.read(db, numbers))

    def _held(self, name: object, load: Callable[[DuckDBPyConnection], Made]) -> Made | None:
        """What is held of the store in memory under this name; of what is not, one thing a question is loaded."""
        if name not in self._in_memory and self._may_hold_more:
            self._may_hold_more = False
            self._in_memory[name] = self.read(load)
        return cast("Made | None", self._in_memory.get(name))

    @cached_property
    def embedder(self) -> str:
        """The id of the embedder that filled the store; empty where nothing was embedded yet."""
        with self._reading() as db:
            filled_by = identity(db)
        return filled_by.id if filled_by else ""

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self._dimension

    def _columns(self, sql: str, parameters: Sequence[object] | Mapping[str, object] = ()) -> Columns:
        with self._reading() as db:
            return columns(db, sql, parameters)

    # -- turns ---------------------------------------------------------------------------------------------------

    def load(self, *names: str) -> None:
        """Loads these columns of the turns (`OF_TURN`) at once, those alone that are not there yet."""
        if self._part is not None:
            turns = TURNS.ordered(f"order by {self._order}, t.position")
            self._loaded = self._loaded or self.looked_up(turns, self._part.sessions)
            return
        wanted = [name for name in dict.fromkeys(("seq", "session", *names)) if name not in self._loaded]
        if wanted:
            sql = f"select {selected(wanted)} {self._source} order by {self._order}, t.position"
            self._loaded |= self._columns(sql, self._among)

    def _turn(self, name: str) -> npt.NDArray[Any]:
        if name not in self._loaded:
            self.load(name)
        return self._loaded[name]

    @cached_property
    def _order(self) -> str:
        """What sessions are ordered by, as SQL."""
        return "s.id" if self.read(is_shard) else "t.session"

    @property
    def _source(self) -> str:
        """The turns of the view, as SQL over `_among`."""
        where = "where lower(s.conversation) = lower($conversation)" if self._conversation is not None else ""
        return f"{FROM_TURNS} {where}"

    @property
    def _among(self) -> dict[str, object]:
        return {"conversation": self._conversation} if self._conversation is not None else {}

    def part(self, sessions: Ints, sampled: Ints, postings: lexical.Postings) -> View:
        """The same of these sessions alone, by their numbers, of which `sampled` stand for all that are not here.

        `postings`: those of the question's stems, where they were read already.
        """
        part = View(self._reading_store, self._dimension, self._conversation, Part(self, sessions, sampled, postings))
        part._revision, part._checked = self._revision, self._checked
        return part

    @cached_property
    def stands_for(self) -> Doubles | None:
        """For each turn how many of the whole's it stands for, itself among them; None where all of them are here.

        The sampled sessions' turns stand in equal shares for those that are not here.
        """
        if self._part is None or not len(self._part.sampled):
            return None
        missing, sampled = self.size - self.n, np.isin(self.session_numbers, self._part.sampled)
        if not missing:
            return None
        return np.where(sampled, 1.0 + missing / max(int(sampled.sum()), 1), 1.0)

    @property
    def whole(self) -> View:
        """The view that it is a part of; itself, where it is none."""
        return self if self._part is None else self._part.whole

    @property
    def conversation(self) -> str | None:
        """The one that it is of, if it is of one alone."""
        return self._conversation

    @property
    def size(self) -> int:
        """The number of turns of the whole."""
        return int(self._whole["n"][0])

    @property
    def mean_length(self) -> float:
        """The mean length of the whole's turns, in content stems."""
        return float(self._whole["length"][0])

    @cached_property
    def _whole(self) -> Columns:
        """What is known of all turns together, counted where they lie."""
        if self._part is not None:
            return self._part.whole._whole
        return self._columns(f"select count(*) as n, avg(d.length) as length {self._source}", self._among)

    @cached_property
    def is_coded(self) -> bool:
        """Whether it is of a large store, whose vectors have codes."""
        return self.read(is_coded)

    def frequencies(self, stems: Sequence[str]) -> dict[str, int]:
        """In how many turns of the whole each of `stems` occurs."""
        if self._part is not None:
            known = self._part.postings if self._conversation is None else {}
            found = {stem: len(known[stem][0]) for stem in stems if len(known.get(stem, NONE)[0])}
            others = [stem for stem in stems if stem not in known]
            return found | (self._part.whole.frequencies(others) if others else {})
        source = f"select t.seq {self._source}" if self._conversation is not None else ""
        return self.read(lambda db: lexical.frequencies(db, stems, source, self._among))

    @cached_property
    def n(self) -> int:
        """The number of turns."""
        return len(self._turn("seq"))

    @cached_property
    def session(self) -> Ints:
        """For each turn the index of its session, dense from 0."""
        numbers = self.session_numbers
        return np.cumsum(np.r_[False, numbers[1:] != numbers[:-1]][: len(numbers)], dtype=np.int64)

    @property
    def session_numbers(self) -> Ints:
        """For each turn the number of its session in the store."""
        return self._turn("session").astype(np.int64)

    @cached_property
    def position(self) -> Ints:
        """For each turn its place in its session, from 0."""
        return self._turn("position").astype(np.int64)

    @property
    def round(self) -> Ints:
        """For each turn the index of its round, ascending."""
        return self._pooled("round")[0]

    @cached_property
    def speaker_code(self) -> Ints:
        """For each turn its speaker as a number: the place in `speaker_names`."""
        return np.searchsorted(np.array(self.speaker_names), self._turn("speaker").astype(str)).astype(np.int64)

    @cached_property
    def speaker_names(self) -> list[str]:
        """Everyone who speaks in the whole, sorted."""
        if self._part is not None:
            return self._part.whole.speaker_names
        return sorted(
            str(name) for name in self._columns(f"select distinct t.speaker {self._source}", self._among)["speaker"]
        )

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Whose each name is that somebody who speaks goes by beside the own one, folded; those of one person alone."""
        if self._part is not None:
            return self._part.whole.aliases
        with self._reading() as db:
            known = by_name(db)
        speaking = set(self.speaker_names)
        return {name: who[0] for name, who in known.items() if len(who) == 1 and who[0] in speaking}

    @cached_property
    def languages(self) -> Mapping[str, int]:
        """The languages beside English that turns of the store are in, each with how many are, the commonest first."""
        if self._part is not None:
            return self._part.whole.languages
        with self._reading() as db:
            return lexical.languages(db)

    def shares(self) -> dict[str, float]:
        """Of each of these languages the share of the turns."""
        return {code: turns / self.size for code, turns in self.languages.items()}

    @cached_property
    def roles(self) -> npt.NDArray[np.str_]:
        """For each turn `user`, `assistant`, … or an empty text."""
        return self._turn("role").astype(str)

    @cached_property
    def length(self) -> Ints:
        """For each turn the number of its content stems."""
        return self._turn("length").astype(np.int64)

    @cached_property
    def cues(self) -> Ints:
        """For each turn its surface cues as bits (`ranking.cues`)."""
        return self._turn("cues").astype(np.int64)

    @cached_property
    def days(self) -> npt.NDArray[np.float64]:
        """For each turn when it was said, in days since 1970 (UTC, or local where no zone was said); nan: unknown."""
        at = self._turn("said_at")
        return np.where(at == UNKNOWN, np.nan, at / 86_400e6)

    def allowed(self, filters: Filters) -> Bools:
        """For each turn whether `filters` let it through. A turn without a time passes no bound on time."""
        if filters.speaker is None and filters.since is None and filters.until is None:
            return self._everything
        keep = np.ones(self.n, dtype=bool)
        if filters.speaker is not None:
            wanted = filters.speaker.casefold()
            names = np.array([name.casefold() == wanted for name in self.speaker_names], dtype=bool)
            keep &= names[self.speaker_code] if self.n else keep
        if filters.since is not None or filters.until is not None:
            keep &= self._within(filters.since, filters.until)
        return keep

    def _within(self, since: datetime | None, until: datetime | None) -> Bools:
        """Which turns were said within bounds, in whole microseconds: as days, two that follow each other are one."""
        at = self._turn("said_at")
        keep: Bools = at != UNKNOWN
        if since is not None:
            keep &= at >= microseconds(since)
        if until is not None:
            keep &= at < microseconds(until)
        return keep

    @cached_property
    def _everything(self) -> Bools:
        keep = np.ones(self.n, dtype=bool)
        keep.flags.writeable = False  # it is given to everybody
        return keep

    def fetch(self, rows: Sequence[int]) -> list[Turn]:
        """The turns at these rows, in this order."""
        missing = [row for row in dict.fromkeys(rows) if row not in self._fetched]
        if missing:
            with self._reading() as db:
                turns = transcript.turns_by_number(db, self._turn("seq")[missing].tolist())
            self._fetched.update(zip(missing, turns, strict=True))
            self._row_by_id.update((turn.id, row) for row, turn in zip(missing, turns, strict=True))
        return [self._fetched[row] for row in rows]

    def ids(self, rows: Sequence[int]) -> list[TurnId]:
        """The ids of the turns at these rows, in this order."""
        with self._reading() as db:
            by_number = transcript.ids(db, self._turn("seq")[list(rows)].tolist())
        return [by_number[number] for number in self._turn("seq")[list(rows)].tolist()]

    def rows_of(self, ids: Sequence[TurnId]) -> Ints:
        """The rows of the turns with these ids."""
        missing = [i for i in dict.fromkeys(ids) if i not in self._row_by_id]
        if missing:
            with self._reading() as db:
                found = transcript.indexed(db, missing)
            rows = self._row_of_turn(np.array([found[i][0] for i in missing], dtype=np.int64))
            self._row_by_id.update(zip(missing, rows.tolist(), strict=True))
        return np.array([self._row_by_id[i] for i in ids], dtype=np.int64)

    # -- sentences and their vectors -------------------------------------------------------------------------------

    @cached_property
    def _sentences(self) -> Columns:
        found = (
            self._units_of_part(Kind.SENTENCE)
            if self._part is not None
            else self._columns(
                """select u.seq, o.turn, u.vector, v.weight from unit u join source o on o.unit = u.seq
               join vector v on v.seq = u.vector where u.kind = 'sentence'""",
            )
        )
        row = self._row_of_turn(found["turn"])
        order = np.lexsort((found["seq"], row))
        order = order[np.searchsorted(row[order], 0) :]  # rows of other conversations are -1
        return {name: column[order] for name, column in (found | {"row": row}).items()}

    @cached_property
    def _of_part(self) -> Columns:
        """All units of the part that a turn is a source of, in one reading."""
        assert self._part is not None
        return self.looked_up(UNITS, self._part.sessions)

    def _units_of_part(self, kind: Kind) -> Columns:
        here = self._of_part["kind"] == SHOWN.index(kind) + 1
        return {name: column[here] for name, column in self._of_part.items()}

    def units(self, kind: Kind) -> Ints | None:
        """The numbers of the units of a kind that the view shows; None where it shows those of the whole store."""
        return None if self._part is None else np.unique(self._units_of_part(kind)["seq"])

    def rows_of_numbers(self, seqs: Ints) -> Ints:
        """The rows of the turns with these numbers; -1 for one that the view leaves out."""
        return self._row_of_turn(seqs)

    def _row_of_turn(self, seqs: Ints) -> Ints:
        by_seq, sorted_seqs = self._by_seq
        at = np.minimum(np.searchsorted(sorted_seqs, seqs), max(self.n - 1, 0))
        return np.where(sorted_seqs[at] == seqs, by_seq[at], -1) if self.n else np.full(len(seqs), -1)

    @cached_property
    def _by_seq(self) -> tuple[Ints, Ints]:
        order = np.argsort(self._turn("seq"))
        return order, self._turn("seq")[order]

    @cached_property
    def owner(self) -> Ints:
        """For each sentence the row of its turn; ascending."""
        return self._sentences["row"].astype(np.int64)

    @cached_property
    def weight(self) -> npt.NDArray[np.float64]:
        """For each sentence its weight in a pooled vector: the number of its words, at least 1."""
        weight = self._sentences["weight"] if self._part is None else self._weighted[1][self._vector_rows]
        return np.maximum(weight.astype(np.float64), 1.0)

    @cached_property
    def _matrix(self) -> tuple[Ints, Rows]:
        if self._part is not None:
            return self._weighted[0], self._weighted[2]
        with self._reading() as db:
            return load_matrix(db, self._dimension)

    @cached_property
    def _weighted(self) -> tuple[Ints, Ints, Rows]:
        """The numbers, weights and rows of the part's vectors."""
        seqs = np.unique(self._sentences["vector"].astype(np.int64))
        held = self.whole._held_vectors()
        return seqs, *(held.of(seqs) if held else self.read(lambda db: load_weighted_rows(db, seqs, self._dimension)))

    def _held_vectors(self) -> HeldVectors | None:
        """The vectors of the store in memory; None until all are there, and where one is not stored in bytes."""
        held = self._held(HeldVectors, lambda db: HeldVectors(count(db), self._dimension))
        try:
            return held if held is not None and self.read(held.is_whole) else None
        except ValueError:
            self._in_memory[HeldVectors] = None
            return None

    def hold(self) -> None:
        """Keeps at hand what whoever asks again and again needs each time: of a large store the codes (`coded`) and, of
        one who has asked often, what is `looked_up`; of another one the vectors as `cosines` computes with them, where
        they are few. To widen them takes longer than to multiply them.
        """
        self._asked += 1
        self._may_hold_more = self._asked >= _OFTEN and self._is_holdable
        if self._widened is None and "_matrix" in self.__dict__ and self._matrix[1].size <= _MOST_WIDENED:
            self._widened = exact(self._matrix[1])

    @cached_property
    def _is_holdable(self) -> bool:
        """Whether the store is one of which candidates are looked at, and no larger than a program may hold."""
        return self.is_coded and self.read(count) * self._dimension <= _MOST_HELD

    @property
    def coded(self) -> CodedSessions | None:
        """The codes of the whole store in memory, loaded once, where the view is held."""
        return self.once(_coded) if self._asked else None

    def cosines(self, queries: Floats) -> npt.NDArray[np.float64]:
        """The cosine of each query [q, d] with each sentence: [q, number of sentences]. Exact, to six digits."""
        rows = self._matrix[1] if self._widened is None else self._widened
        return cosines(queries, rows)[:, self._vector_rows]

    def nearest_of(self, rows: Sequence[int], query: Floats) -> npt.NDArray[np.float64]:
        """The cosine of the query [d] with the nearest sentence of each turn at `rows`; no other is loaded."""
        found = self._columns(
            """select o.turn, v.data from source o join unit u on u.seq = o.unit and u.kind = 'sentence'
               join vector v on v.seq = u.vector where o.turn in (select unnest(?::integer[]))""",
            [self._turn("seq")[rows].tolist()],
        )
        matrix = unpacked(found["data"].tolist(), self._dimension)
        best = np.full(self.n, -np.inf)
        np.maximum.at(best, self._row_of_turn(found["turn"]), cosines(query, matrix))
        return np.where(np.isfinite(best), best, 0.0)[rows]

    def vectors(self, sentences: Ints) -> Floats:
        """The vectors float32 [m, d] of these sentence rows."""
        return self._matrix[1][self._vector_rows[sentences]].astype(np.float32)

    @cached_property
    def _vector_rows(self) -> Ints:
        seqs, wanted = self._matrix[0], self._sentences["vector"]
        if len(seqs) and seqs[-1] == len(seqs) - 1:  # dense, as long as nothing was ever forgotten
            return wanted.astype(np.int64)
        return np.searchsorted(seqs, wanted)

    def norms(self, kind: str) -> npt.NDArray[np.float64]:
        """The length of each turn's (`turn`), round's or session's token-weighted sum of sentence vectors.

        With it, the cosine of a pooled vector is a sum of sentence cosines: no pooled vector is ever stored.
        """
        return self._pooled(kind)[1]

    def _pooled(self, kind: str) -> tuple[Ints, npt.NDArray[np.float64]]:
        """For each turn the index of its unit of this kind, and the length of each such unit's pooled vector."""
        if kind not in self._pools:
            found = (
                self._units_of_part(Kind(kind))
                if self._part is not None
                else self._columns(
                    "select o.turn, u.seq, u.norm from unit u join source o on o.unit = u.seq where u.kind = ?",
                    [kind],
                )
            )
            row = self._row_of_turn(found["turn"])
            order = np.argsort(row, kind="stable")[np.count_nonzero(row < 0) :]
            unit, norm = found["seq"][order], found["norm"][order].astype(np.float64)
            starts = np.r_[True, unit[1:] != unit[:-1]][: len(unit)]
            self._pools[kind] = (np.cumsum(starts) - 1, np.fmax(norm[starts], 1e-9))
        return self._pools[kind]

    # -- words and the graph -----------------------------------------------------------------------------------------

    def postings(self, stems: Sequence[str], translations: Sequence[Translation] = ()) -> dict[str, tuple[Ints, Ints]]:
        """For each of `stems` that occurs: the rows of its turns and the frequencies in them.

        What is translated occurs where one of its translations does, and is one word with them, as rare as all of
        them together: a structured query (Pirkola 1998).
        """
        own = self._own_postings(stems)
        if not translations:
            return own
        other = self._other_postings(tuple(translations))
        found = {stem: _united(own.get(stem, NONE), self._here(*other.get(stem, NONE))) for stem in stems}
        return {stem: each for stem, each in found.items() if len(each[0])}

    def _other_postings(self, translations: tuple[Translation, ...]) -> lexical.Postings:
        """Those of what is translated in other languages, kept for the question that asked last."""
        kept = self._translated
        if kept[0] != translations:
            kept = self._translated = translations, self.read(lambda db: lexical.translated(db, translations))
        return kept[1]

    def _here(self, seqs: Ints, frequencies: Ints) -> tuple[Ints, Ints]:
        """The postings of the turns that are here, by their rows."""
        rows = self._row_of_turn(seqs)
        return rows[rows >= 0], frequencies[rows >= 0]

    def _own_postings(self, stems: Sequence[str]) -> dict[str, tuple[Ints, Ints]]:
        missing = [stem for stem in dict.fromkeys(stems) if stem not in self._postings]
        if missing:
            known = self._part.postings if self._part is not None else {}
            others = [stem for stem in missing if stem not in known]
            found = {**known, **(self.read(lambda db: lexical.postings(db, others)) if others else {})}
            for stem in missing:
                self._postings[stem] = self._here(*found.get(stem, NONE))
        return {stem: self._postings[stem] for stem in dict.fromkeys(stems) if len(self._postings[stem][0])}

    @cached_property
    def similar(self) -> tuple[Ints, Ints, npt.NDArray[np.float64]]:
        """The sentence graph's k-nearest-neighbour edges: two ends, as sentence rows, and the cosine."""
        found = self._joined()
        seqs = self._sentences["seq"]
        order = np.argsort(seqs)
        ends = []
        for name in ("src", "dst"):
            at = np.minimum(np.searchsorted(seqs[order], found[name]), max(len(seqs) - 1, 0))
            ends.append(np.where(seqs[order][at] == found[name], order[at], -1) if len(seqs) else found[name] * 0 - 1)
        inside = (ends[0] >= 0) & (ends[1] >= 0)
        return ends[0][inside], ends[1][inside], found["weight"][inside].astype(np.float64)

    def _joined(self) -> Columns:
        if self._part is None:
            return self.read(EDGES.all)
        return self.looked_up(EDGES, np.unique(self._sentences["seq"]))

    # -- text around a turn ------------------------------------------------------------------------------------------

    def around(self, turn: TurnId, before: int, after: int) -> list[Turn]:
        """The turn with its neighbours in the session, in order; none of a turn that the view leaves out."""
        row = int(self.rows_of([turn])[0])
        if row < 0:
            return []
        near = range(max(row - before, 0), min(row + after + 1, self.n))
        return self.fetch([other for other in near if self.session[other] == self.session[row]])

    def sentence_texts(self, rows: Sequence[int]) -> dict[int, list[tuple[int, str]]]:
        """For each of the turns at `rows`: its sentences in order, as sentence rows with their text."""
        missing = [row for row in dict.fromkeys(rows) if row not in self._said]
        if missing:
            starts, ends = (np.searchsorted(self.owner, missing, side).tolist() for side in ("left", "right"))
            text = self._sentence_text(np.concatenate([np.arange(a, b) for a, b in zip(starts, ends, strict=True)]))
            for row, a, b in zip(missing, starts, ends, strict=True):
                self._said[row] = [(sentence, text[sentence]) for sentence in range(a, b)]
        return {int(row): self._said[row] for row in rows}

    def _sentence_text(self, sentences: Ints) -> dict[int, str]:
        seqs = self._sentences["seq"][sentences].tolist()
        found = self._columns("select seq, text from unit where seq in (select unnest(?::integer[]))", [seqs])
        text = dict(zip(found["seq"].tolist(), found["text"].tolist(), strict=True))
        return {sentence: text[seq] for sentence, seq in zip(sentences.tolist(), seqs, strict=True)}


def _coded(view: View) -> CodedSessions:
    return view.read(CodedSessions)


def unchanged(look: Callable[[], Made], reading: Callable[[], AbstractContextManager[object]]) -> Made:
    """What `look` sees in the store. It looks again where somebody writes meanwhile, at last with the store held."""
    for _ in range(_LOOKS):
        with suppress(StoreChanged):
            return look()
    with reading():
        return look()


def days(moment: datetime) -> float:
    """A moment in days since 1970; a local time counts as UTC."""
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return aware.timestamp() / 86_400.0


def _united(one: tuple[Ints, Ints], other: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """The postings of two stems as of one: each turn once, ascending, with the sum of its frequencies."""
    rows, place = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    return rows, np.bincount(place, np.concatenate([one[1], other[1]]), len(rows)).astype(np.int64)
