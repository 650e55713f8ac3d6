"""What else quotes text that is to go: kept calls of language models, questions, and remarks on answers.

A request holds parts of a transcript, perhaps shortened, escaped or in other words. So one goes that has a word which
only the text to go has, or six words in a row (or all, of a shorter sentence) that are said in it and nowhere in what
stays: too many calls rather than one too few, since all that they hold can be bought again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import TYPE_CHECKING

from ..text import clean, sentences, words
from .schema import Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Gone", "kept", "quoting"]

_RUN = 6
_LETTERS = re.compile(r"[^\W_]+")
_ROWS = 2000


class Gone:
    """Text that is to go, and how to tell what quotes it. `stays`: texts that are left; `kept`: what may quote it.

    The time that it takes to make grows with the length of all these texts, and no faster. What stays is read only as
    long as there is something in what goes and in what is kept that was not yet found in it: hardly ever to its end.
    """

    def __init__(self, texts: Iterable[str], stays: Iterable[str], kept: Iterable[str]) -> None:
        self._words: set[str] = set()
        self._runs: set[tuple[str, ...]] = set()
        self._signs: set[str] = set()  # sentences without a word
        for text in texts:
            self._take(text)
        self._lengths = _lengths(self._runs)
        self._sizes = sorted({len(sign) for sign in self._signs})
        self._only(kept)
        self._keep(stays)

    def _take(self, text: str) -> None:
        self._words.update(words(text))
        for sentence in sentences(text) or [text]:
            said = words(sentence)
            if not said:
                self._signs.update([sentence.strip()] if sentence.strip() else [])
            for at in range(max(len(said) - _RUN + 1, min(len(said), 1))):
                self._runs.add(tuple(said[at : at + _RUN]))

    def _only(self, kept: Iterable[str]) -> None:
        """Leaves out what is in nothing that is kept: whether it is in what stays decides nothing."""
        all_words, runs, signs = set[str](), set[tuple[str, ...]](), set[str]()
        for part in (part for text in kept for part in _strings(text)):
            said = words(clean(part))
            all_words.update(self._words.intersection(said))
            runs.update(self._runs.intersection(self._windows(said)))
            for stretch in _between(part) if self._signs else ():
                signs.update(self._signs.intersection(_pieces(stretch, self._sizes)))
        self._words, self._runs, self._signs = all_words, runs, signs
        self._lengths = _lengths(self._runs)

    def _keep(self, stays: Iterable[str]) -> None:
        between = set[str]()
        for text in stays if self._words or self._runs or self._signs else ():
            said = words(text)
            self._words.difference_update(said)
            self._runs.difference_update(self._windows(said))
            between.update(_between(text) if self._signs else ())
            if not (self._words or self._runs or self._signs):
                break
        for stretch in between:
            self._signs.difference_update(_pieces(stretch, self._sizes))

    def is_quoted(self, text: str) -> bool:
        """Whether `text`, JSON or not, holds any of it."""
        return any(self._is_in(part) for part in _strings(text))

    def _is_in(self, part: str) -> bool:
        said = words(clean(part))
        return (
            not self._words.isdisjoint(said)
            or any(run in self._runs for run in self._windows(said))
            or any(not self._signs.isdisjoint(_pieces(stretch, self._sizes)) for stretch in _between(part))
        )

    def _windows(self, said: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """What stands in a row in `said` and may be one of the runs: as long as one that begins with the same word."""
        for at, word in enumerate(said):
            for length in self._lengths.get(word, ()):
                yield tuple(said[at : at + length])


def _lengths(runs: Set[tuple[str, ...]]) -> dict[str, set[int]]:
    """By the word that they begin with, how long runs are."""
    found: dict[str, set[int]] = {}
    for run in runs:
        found.setdefault(run[0], set()).add(len(run))
    return found


def _between(text: str) -> list[str]:
    """What stands between the words of a text: a sentence without a word is within one of these stretches."""
    return _LETTERS.split(text)


def _pieces(stretch: str, sizes: Sequence[int]) -> Iterator[str]:
    """Every part of a stretch that is of one of these sizes."""
    for size in sizes:
        for at in range(len(stretch) - size + 1):
            yield stretch[at : at + size]


def _strings(text: str) -> Iterator[str]:
    """The texts in a JSON document, and in those that are its texts; else the text itself."""
    try:
        document = json.loads(text) if text.lstrip()[:1] in ("{", "[", '"') else None
    except (ValueError, RecursionError):
        document = None
    if document is None:
        yield text
        return
    waiting = [document]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield from _strings(each) if each != text else [each]
        elif isinstance(each, dict):
            waiting.extend([*each, *each.values()])
        elif isinstance(each, list):
            waiting.extend(each)


def quoting(db: DuckDBPyConnection, table: Table, gone: Gone) -> list[str]:
    """What the rows of `table` are known by of which a text quotes it (`schema.Column.quotes`)."""
    return [key for key, *texts in _rows(db, table) if any(gone.is_quoted(text) for text in texts)]


def kept(db: DuckDBPyConnection, tables: Iterable[Table]) -> Iterator[str]:
    """All texts of these tables that may quote what was said."""
    for table in tables:
        for _, *texts in _rows(db, table):
            yield from texts


def _rows(db: DuckDBPyConnection, table: Table) -> Iterator[tuple[str, ...]]:
    cursor = db.execute(f"select {table.shown}, {', '.join(table.quoting)} from {table.name}")
    while rows := cursor.fetchmany(_ROWS):
        yield from rows
