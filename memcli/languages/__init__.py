"""The wings: what memcli knows of each language, one package a language, all behind `Language`.

`language` is the registry by code; `spoken` says whose rules to go by, `tongues` which language each turn is in.
English has a package, other languages that are recognised a table (`tables`), and what they lack is answered by rules
that hold for all. memcli is English first: what is not recognised is read as English.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

from ..errors import UsageError
from ..extensions import Extensible
from ..model import Turn
from ..text import ENGLISH
from . import recognition
from .base import Language

__all__ = ["DEFAULT", "LANGUAGES", "Language", "asked_in", "expecting", "language", "own", "spoken", "tongues"]

DEFAULT = ENGLISH
#: The languages by their code (BCP 47), each a subclass of `Language`.
LANGUAGES = Extensible("memcli.languages", {DEFAULT: "memcli.languages.english:English"})
#: A language is taken for the one that is spoken from this claim on.
_CLAIMED = 0.5
#: From these shares of a store's turns on a language is one of its own, and the one that it is mostly in.
_OWN, _MOST = 0.02, 0.5


@lru_cache
def language(code: str) -> Language:
    """The language called `code`: a package's, or one that is recognised. Raises UsageError."""
    if code in LANGUAGES:
        made: Language = LANGUAGES.make(code)
        return made
    if code not in recognition.CODES:
        raise UsageError(f"unknown language {code!r}", f"choose one of: {', '.join(LANGUAGES.names())}")
    from .tables import Tabled

    return Tabled(code)


#: The languages that texts are expected to be in, and those of them that are likelier; see `expecting`.
_EXPECTED: ContextVar[tuple[frozenset[str], frozenset[str]]] = ContextVar(
    "expected", default=(recognition.CODES, frozenset())
)


@contextmanager
def expecting(codes: Iterable[str], likelier: Iterable[str] = ()) -> Iterator[None]:
    """Within it, what is spoken is one of these languages, or English: a store's texts are in those that it holds.
    `likelier`: those of which it holds more than a few.
    """
    token = _EXPECTED.set((frozenset((*codes, DEFAULT)), frozenset(likelier)))
    try:
        yield
    finally:
        _EXPECTED.reset(token)


def own(shares: Mapping[str, float]) -> dict[str, float]:
    """The languages of a store beside English, by their shares of the turns: of fewer some may be misheard."""
    return {code: share for code, share in shares.items() if share >= _OWN}


def spoken(texts: Iterable[str]) -> Language:
    """The language that these texts are in: an installed one, if it claims them, else what is recognised."""
    heard = "\n".join(texts)
    return _claiming(heard) or language(recognition.recognized(heard, *_EXPECTED.get()))


def _is_english_alone(word: str, home: str) -> bool:
    """Whether a word is among those that mean something in English, and not in `home`: "dog" in a Turkish store."""
    from .translations import is_known

    return home != DEFAULT and is_known(word, DEFAULT) and not is_known(word, home)


def asked_in(question: str, shares: Callable[[], Mapping[str, float]]) -> Language:
    """The language of a question to a store: it is likelier in one of the store's own, and in what the store mostly
    holds where its words do not tell it from English, or it is one word ("Kuchen"; not "dog"). `shares`: which share of
    the turns is in each language but English; asked only if the words may be in another.
    """
    if claiming := _claiming(question):
        return claiming
    heard = recognition.evidence(question)
    alone = not heard and len(question.split()) == 1
    if not alone and not heard.keys() - {DEFAULT} and not recognition.is_open(question):
        return language(DEFAULT)
    known = own(shares())
    home = next((code for code, share in known.items() if share > _MOST), DEFAULT)
    if alone:
        return language(DEFAULT if _is_english_alone(question, home) else home)
    found = recognition.recognized(question, likelier=known)
    if found != home and recognition.begins_in_english(question, found):
        found = DEFAULT
    if found == DEFAULT and recognition.is_open(question) and recognition.may_be(question, home):
        return language(home)
    return language(found)


def tongues(turns: Sequence[Turn]) -> list[str]:
    """The code of the language of each turn of a session."""
    claiming = _claiming("\n".join(turn.text for turn in turns))
    return [claiming.code] * len(turns) if claiming else recognition.tongues(turns)


def _claiming(heard: str) -> Language | None:
    """The installed language that claims a text most, if one claims it."""
    others = [language(code) for code in LANGUAGES.names() if code != DEFAULT]
    claims = {each.claims(heard): each for each in reversed(others)}
    surest = max(claims, default=0.0)
    return claims[surest] if surest >= _CLAIMED else None
