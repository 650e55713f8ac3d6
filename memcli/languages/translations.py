"""What a question's words are in other languages: a table of everyday words, for the postings of a store.

A row of `translations.tsv` has the words of fifteen languages that mean one thing (forms of a word that begin
otherwise, and synonyms, stand beside it). Which of them stand for a word of the question is looked up by stems; what is
written without spaces is looked for in the question's text, and is found by its pairs of characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from ..text import content_stems, is_unspaced

__all__ = ["Word", "is_known", "translations"]


@dataclass(frozen=True, slots=True)
class Word:
    """What stands for a question's stem in another language: a word by its stem, or by pairs of its characters."""

    stem: str
    language: str
    terms: tuple[str, ...]


def translations(text: str, language: str, into: Sequence[str]) -> list[Word]:
    """The words of these languages that mean what the content words of `text` do, each once."""
    if language not in _table():
        return []
    rows = list(_rows(text, language))
    columns = [(code, _table()[code]) for code in into if code in _table()]
    found = (
        Word(stem, code, terms) for code, cells in columns for stem, row in rows for terms in _terms(cells[row], code)
    )
    return list(dict.fromkeys(found))


def is_known(text: str, language: str) -> bool:
    """Whether a word of a text means something in this language, by the table."""
    return language in _table() and any(True for _ in _rows(text, language))


def _rows(text: str, language: str) -> Iterator[tuple[str, int]]:
    """The rows of the table that words of a text stand in, each by the word's stem (the first pair, of several)."""
    present, cells = dict.fromkeys(content_stems(text, language)), _table()[language]
    for stem in present:
        for row in _by_first(language).get(stem, ()):
            if any(stem == terms[0] and present.keys() >= {*terms} for terms in _terms(cells[row], language)):
                yield stem, row


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Sequence[str]]:
    """Of each language the cells of all rows."""
    text = resources.files(__package__).joinpath("translations.tsv").read_text(encoding="utf-8")
    languages, *rows = (line.split("\t") for line in text.splitlines())
    return dict(zip(languages, zip(*rows, strict=True), strict=True))


@lru_cache(maxsize=16384)
def _terms(cell: str, language: str) -> Sequence[tuple[str, ...]]:
    """The words of a cell, as a turn is indexed by them: each has one term, but what is cut into several."""
    if not is_unspaced(cell) and "-" not in cell:
        return [(term,) for term in content_stems(cell, language)]
    return [terms for word in cell.split() if (terms := tuple(content_stems(word, language)))]


@lru_cache
def _by_first(language: str) -> Mapping[str, Sequence[int]]:
    """The rows that a word stands in, by its first term."""
    found: dict[str, dict[int, None]] = {}
    for row, cell in enumerate(_table()[language]):
        for terms in _terms(cell, language):
            found.setdefault(terms[0], {})[row] = None
    return {term: list(rows) for term, rows in found.items()}
