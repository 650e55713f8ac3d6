"""A question as its store lets it be understood: its people by all their names, its words in all their forms."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from ..languages import DEFAULT, asked_in, expecting, language, own
from ..languages.names import apart, with_aliases
from ..languages.translations import Word, translations
from ..model import Question, Translation
from ..store import lexical
from ..store.views.view import View

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["hearing", "understood"]

#: The least share of a store's turns that a language has whose words are looked for to a question in another.
_SPOKEN = 0.005
#: Letters of a word of which other forms are looked for though some turn has it: shorter ones are like too many others.
_TELLING = 5


def understood(db: DuckDBPyConnection, view: View, text: str) -> Question:
    """The question in its language, with those whom it names by other names, and other forms of its words."""
    question = asked_in(text, view.shares).question(text, view.speaker_names)
    return _translated(db, view, _with_akin(db, with_aliases(question, view.aliases)))


def hearing(view: View, question: Question) -> AbstractContextManager[None]:
    """Within it, texts are in the store's languages, or in the question's."""
    return expecting((*view.languages, question.language), own(view.shares()))


def _with_akin(db: DuckDBPyConnection, question: Question) -> Question:
    """With what the store has of other forms of the question's words ("wohne" for "wohnt"), and, where a language
    writes compounds as one word, of these ("Zahnarzttermin" for "Termin") or their parts for words that no turn has.
    """
    if question.language == DEFAULT:
        return question
    known = lexical.frequencies(db, question.stems)
    found = {stem: _akin(db, stem, question.language, is_known=stem in known) for stem in question.stems}
    akin = tuple(dict.fromkeys(chain(*found.values())))
    kept = tuple(stem for stem in question.stems if stem in known or not found[stem])
    return replace(question, stems=(*kept, *(term for term in akin if term not in kept)), akin=akin)


def _translated(db: DuckDBPyConnection, view: View, question: Question) -> Question:
    """With what the store's other languages say for its words, of which the store has some."""
    spoken = _spoken_beside(db, view, question.language)
    if not spoken:
        return question
    found = translations(apart(question.text, question.named), question.language, spoken)
    known = lexical.frequencies(db, [term for each in found for term in each.terms])
    return replace(question, translations=tuple(filter(None, (_kept(each, known) for each in found))))


def _spoken_beside(db: DuckDBPyConnection, view: View, asked: str) -> list[str]:
    """The languages of the store but that of the question, each of which enough turns are in."""
    if not view.languages and asked == DEFAULT:
        return []
    turns = lexical.documents(db)
    counts = {DEFAULT: turns - sum(view.languages.values()), **view.languages}
    return [code for code, count in counts.items() if code != asked and count >= _SPOKEN * turns and count]


def _kept(word: Word, known: Mapping[str, int]) -> Translation | None:
    """A word by the rarest of its parts (pairs of characters, where they are written without spaces), if the store has
    all of them.
    """
    if not all(term in known for term in word.terms):
        return None
    return Translation(word.stem, word.language, min(word.terms, key=known.__getitem__))


def _akin(db: DuckDBPyConnection, stem: str, spoken: str, *, is_known: bool) -> list[str]:
    if is_known:
        return lexical.bent(db, stem, spoken) if len(stem) >= _TELLING else []
    return lexical.bent(db, stem, spoken) or (lexical.akin(db, stem) if language(spoken).compounds else [])
