"""What else quotes text that is to go: kept calls of language models, questions, and remarks on answers.

A request holds parts of a transcript, perhaps shortened, escaped or in other words. So one goes that has a word which
only the text to go has, or six words in a row (or all, of a shorter sentence) that are said in it and nowhere in what
stays: too many calls rather than one too few, since all that they hold can be bought again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..text import clean, sentences, words

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Gone", "quoting_answers", "quoting_calls", "quoting_feedback"]

_RUN = 6
_ROWS = 2000


class Gone:
    """Text that is to go, and how to tell what quotes it. `stays`: texts that are left."""

    def __init__(self, texts: Iterable[str], stays: Iterable[str]) -> None:
        self._words: set[str] = set()
        self._runs: set[tuple[str, ...]] = set()
        self._signs: set[str] = set()  # of sentences without a word
        for text in texts:
            self._take(text)
        for text in stays:
            self._keep(text)

    def _take(self, text: str) -> None:
        self._words.update(words(text))
        for sentence in sentences(text) or [text]:
            said = words(sentence)
            if not said:
                self._signs.update([sentence.strip()] if sentence.strip() else [])
            for at in range(max(len(said) - _RUN + 1, min(len(said), 1))):
                self._runs.add(tuple(said[at : at + _RUN]))

    def _keep(self, text: str) -> None:
        said = words(text)
        self._words.difference_update(said)
        self._runs.difference_update(_windows(said, self._runs))
        self._signs = {sign for sign in self._signs if sign not in text}

    def is_quoted(self, text: str) -> bool:
        """Whether `text`, JSON or not, holds any of it."""
        for part in _strings(text):
            said = words(clean(part))
            if not self._words.isdisjoint(said) or any(sign in part for sign in self._signs):
                return True
            if next(_windows(said, self._runs), None) is not None:
                return True
        return False


def _windows(said: Sequence[str], runs: set[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Those of `runs` that occur in a row in `said`."""
    lengths: dict[str, set[int]] = {}
    for run in runs:
        lengths.setdefault(run[0], set()).add(len(run))
    for at, word in enumerate(said):
        for length in lengths.get(word, ()):
            run = tuple(said[at : at + length])
            if run in runs:
                yield run


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


def quoting_calls(db: DuckDBPyConnection, gone: Gone) -> list[str]:
    """The keys of the calls of which the request or the response quotes it."""
    return _quoting(db, "select key, request, response from call", gone)


def quoting_answers(db: DuckDBPyConnection, gone: Gone) -> list[str]:
    """The answers that were given to a question which quotes it."""
    return _quoting(db, "select id, question from answered", gone)


def quoting_feedback(db: DuckDBPyConnection, gone: Gone) -> list[str]:
    """The answers, as they are noted, on which there is a remark that quotes it, or which do themselves."""
    return _quoting(db, "select answer, answer, note from feedback", gone)


def _quoting(db: DuckDBPyConnection, sql: str, gone: Gone) -> list[str]:
    found = []
    cursor = db.execute(sql)
    while rows := cursor.fetchmany(_ROWS):
        found += [key for key, *texts in rows if any(gone.is_quoted(text) for text in texts)]
    return found
