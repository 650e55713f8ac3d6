"""The words of what was stored before its language was recognised: indexed again, some turns at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...store import ledger, lexical, transcript
from ...store.connection import Store
from ...store.revision import bump_revision
from ...store.rows import transaction
from ...store.sharing import in_turns
from ...text import ENGLISH
from ..plan import WORDS
from .segments import Segmented, segment

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["index_words"]

#: Turns that are read at once; each session is written in a transaction of its own.
_PIECE = 2000


def index_words(store: Store, watch: Callable[[int, int], object] = lambda _done, _of: None) -> None:
    """Recognises the language of every turn that lacks it and indexes its words by it. Plain English stays as it is.

    `watch` hears how many sessions are done of how many. What is interrupted goes on where it was.
    """
    with store.reading() as db:
        missing = ledger.unbuilt(db, {WORDS.name: WORDS.version})
    done = 0
    for piece in _pieces(store, missing):
        watch(done, len(missing))
        in_turns(store, piece, _write)
        done += len(piece)


def _pieces(store: Store, sessions: Sequence[int]) -> Iterator[list[tuple[int, Segmented]]]:
    piece: list[tuple[int, Segmented]] = []
    for number in sessions:
        with store.reading() as db:
            turns = transcript.turns_of(db, [number])[number]
            session = transcript.sessions_of(db, [turns[0].session])[turns[0].session]
        piece.append((number, segment(session, turns)))
        if sum(len(segmented.turns) for _, segmented in piece) >= _PIECE:
            yield piece
            piece = []
    if piece:
        yield piece


def _write(db: DuckDBPyConnection, piece: tuple[int, Segmented]) -> None:
    number, segmented = piece
    with transaction(db):
        _rewrite(db, segmented)
        ledger.record_built(db, [ledger.Run(number, WORDS.name, WORDS.version, len(segmented.turns))])
        bump_revision(db)


def _rewrite(db: DuckDBPyConnection, segmented: Segmented) -> None:
    """Plain English has the words that it had."""
    pairs = zip(segmented.turns, segmented.segments, strict=True)
    changed = {turn.id: parts for turn, parts in pairs if parts.language != ENGLISH or not turn.text.isascii()}
    indexed = transcript.indexed(db, list(changed))
    kept = [(indexed[turn][0], parts) for turn, parts in changed.items() if turn in indexed and indexed[turn][1]]
    if kept:
        numbers = [seq for seq, _ in kept]
        lexical.remove_documents(db, numbers)
        lexical.add_documents(
            db, numbers, [parts.stems for _, parts in kept], [parts.cues for _, parts in kept],
            [parts.language for _, parts in kept],
        )  # fmt: skip
