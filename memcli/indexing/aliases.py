"""Where a session shows whose a name is: who is called by it, who signs with it, who says so."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from ..languages import Language, spoken
from ..languages.names import is_part, stands_for
from ..model import SessionId, Turn, TurnId
from ..model.names import NameUse, Sign
from ..store import aliases, ledger, transcript
from ..store.connection import Store
from ..store.revision import bump_revision
from ..store.rows import transaction
from .plan import ALIASES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Called", "learn"]

#: Sessions that are read and written together.
_BATCH = 64

#: A turn by its place in the session, a name, whose it is, for whom alone (empty: for everybody), and what shows it.
Shown = tuple[int, str, str, str, Sign]


def learn(
    store: Store,
    watch: Callable[[int, int], object] = lambda _done, _of: None,
    among: Collection[SessionId] | None = None,
) -> int:
    """Looks for names in every session, or those of `among`, in which nobody did, or that has grown since; returns how
    many. What other sessions show is not touched. Raises StoreError.
    """
    with store.reading() as db:  # the first are read in one opening with which they are: mostly there is one
        missing = ledger.unbuilt(db, {ALIASES.name: ALIASES.version}, among)
        said = _said(db, missing[:_BATCH])
    for start in range(0, len(missing), _BATCH):
        watch(start, len(missing))
        if start:
            with store.reading() as db:
                said = _said(db, missing[start : start + _BATCH])
        _write(store, *said)
    if missing:
        watch(len(missing), len(missing))
    return len(missing)


def _said(
    db: DuckDBPyConnection, sessions: Sequence[int]
) -> tuple[Mapping[int, Sequence[Turn]], Mapping[TurnId, tuple[int, int]]]:
    """The turns of each session, and their numbers in the store."""
    turns = transcript.turns_of(db, sessions)
    return turns, transcript.indexed(db, [turn.id for said in turns.values() for turn in said])


def _write(store: Store, turns: Mapping[int, Sequence[Turn]], numbers: Mapping[TurnId, tuple[int, int]]) -> None:
    rows = [
        (numbers[said[place].id][0], name, who, whom, sign)
        for said in turns.values()
        for place, name, who, whom, sign in Called(said, spoken(turn.text for turn in said)).shown()
    ]
    with store.writing() as db, transaction(db):
        aliases.write_sightings(db, list(turns), rows)
        runs = [ledger.Run(session, ALIASES.name, ALIASES.version, len(said)) for session, said in turns.items()]
        ledger.record_built(db, runs)
        bump_revision(db)


class Called:
    """The turns of a session, read for who is called what in the language that is spoken."""

    def __init__(self, turns: Sequence[Turn], language: Language) -> None:
        self._turns = turns
        self._language = language

    @cached_property
    def _people(self) -> list[str]:
        return list(dict.fromkeys(turn.speaker for turn in self._turns))

    def shown(self) -> Iterator[Shown]:
        """Whose the names are that the turns use; not those that a speaker bears anyway."""
        for place, turn in enumerate(self._turns):
            for use in self._language.name_uses(turn.text):
                who = self._meant(place, use)
                if who and not is_part(use.name, who):
                    yield place, use.name, who, _whom(use, turn), use.sign

    def _meant(self, place: int, use: NameUse) -> str:
        """Who is meant; empty where nobody can tell."""
        me = self._turns[place].speaker
        if use.sign in (Sign.SIGNATURE, Sign.INTRODUCTION):
            return me if not self._known(use.name, but=me) else ""
        if use.sign is Sign.RELATIVE:
            return next(iter(self._known(use.of, but=me)), "" if stands_for(use.of, me) else use.of)
        known = self._known(use.name, but=me)
        if use.sign is Sign.VOCATIVE and (known or stands_for(use.name, me)):
            return known[0] if len(known) == 1 else ""
        return self._addressed(place)

    def _known(self, name: str, but: str) -> list[str]:
        """The other speakers whose name it is, or the beginning of."""
        return [who for who in self._people if who != but and stands_for(name, who)]

    def _addressed(self, place: int) -> str:
        """Whom it speaks to: who answers what it asks; else who spoke before, or where nobody did, who does next."""
        me, text = self._turns[place].speaker, self._turns[place].text
        before = (turn.speaker for turn in reversed(self._turns[:place]) if turn.speaker != me)
        after = (turn.speaker for turn in self._turns[place + 1 :] if turn.speaker != me)
        order = (after, before) if "?" in text else (before, after)
        return next(chain(*order), "")


def _whom(use: NameUse, turn: Turn) -> str:
    return turn.speaker if use.sign in (Sign.KINSHIP, Sign.RELATIVE) else ""
