"""Which language a text is in: by its script, and where several share one, by their function words and letters.

A message of one word says little. Of a conversation, each turn counts for itself, with what its speaker and its session
speak behind it: a greeting takes the language of its neighbours, and a sentence in another language keeps its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from ..model import Turn
from ..text import ENGLISH, STOPWORDS, words
from ..text.lexicon import asking_words, function_words

__all__ = ["CODES", "begins_in_english", "evidence", "foreign_share", "is_open", "may_be", "recognized", "tongues"]

#: The languages that are told apart by their words, those of one script together.
_LATIN = (
    "en", "de", "fr", "es", "pt", "it", "nl", "pl", "tr", "sv", "da", "no", "fi", "cs", "sk", "hu", "ro", "ca", "id",
)  # fmt: skip
_CYRILLIC = ("ru", "uk", "bg")
_ARABIC = ("ar", "fa")
#: Runs of letters of each script, with the language that writes it, or the languages that share it.
_SCRIPTS: Mapping[str, tuple[str, ...]] = {
    r"\u0400-\u052f": _CYRILLIC, r"\u0370-\u03ff\u1f00-\u1fff": ("el",), r"\u0590-\u05ff": ("he",),
    r"\u0600-\u06ff\u0750-\u077f": _ARABIC, r"\u0900-\u097f": ("hi",), r"\u0980-\u09ff": ("bn",),
    r"\u0b80-\u0bff": ("ta",), r"\u0530-\u058f": ("hy",), r"\u10a0-\u10ff": ("ka",),
    r"\uac00-\ud7af\u1100-\u11ff": ("ko",), r"\u3040-\u30ff": ("ja",), r"\u3400-\u9fff": ("zh", "ja"),
    r"\u0e00-\u0e7f": ("th",), r"\u0e80-\u0eff": ("lo",), r"\u1000-\u109f": ("my",), r"\u1780-\u17ff": ("km",),
}  # fmt: skip
#: Letters that few languages of a script have.
_LETTERS: Mapping[str, tuple[str, ...]] = {
    "ß": ("de",), "äöü": ("de", "sv", "fi", "tr", "hu"), "ñ¿¡": ("es",), "ãõ": ("pt",), "œèêùûë": ("fr", "it"),
    "łńśźżćęą": ("pl",), "ğşı": ("tr",), "å": ("sv", "da", "no"), "øæ": ("da", "no"), "řůěč": ("cs",),
    "ľĺôŕ": ("sk",), "őű": ("hu",), "țșăţ": ("ro",), "ìò": ("it",), "ç": ("fr", "pt", "tr", "ca"), "éàâîï": ("fr",),
    "ыэё": ("ru",), "іїєґ": ("uk",), "ъ": ("bg", "ru"), "پچژگ": ("fa",), "ةىئ": ("ar",),
}  # fmt: skip
#: Every language that is recognised.
CODES = frozenset(code for codes in _SCRIPTS.values() for code in codes) | frozenset(_LATIN)

_NOT_LATIN = re.compile(r"[^\W\d_A-Za-z\u00c0-\u024f]")
#: What plain English has none of; signs and pictures tell of no language.
_TELLING = re.compile(r"[^\W\d_A-Za-z]|[¿¡]")
_LINKS = re.compile(r"https?://\S+|\S+@\S+|[@#]\w+")
#: So much of a text is looked at.
_LONGEST = 2000
#: As many letters of a script that one language writes count as one function word.
_LETTERS_A_WORD = 3.0
#: Words of English grammar that other languages have, too.
_SHARED = frozenset(
    """a all also am an as at be by do for has he her here i in is me my no of on or over so to under until us was we
    while will""".split()
)
#: A text is plainly English if so many of its words are of English grammar, or half as many that no other language has.
_PLAIN = 1 / 3
#: A text of fewer words without one of English grammar is not looked into.
_FEWEST = 3
#: A word with a capital may be a name ("Ada", "Per"): it counts so much.
_NAMED = 0.25
_CAPITAL, _SMALL = re.compile(r"\b[A-Z]\w*"), re.compile(r"\b[a-z]\w*")
#: What nothing tells is English: of a text by itself it is believed so much beforehand.
_USUAL = 0.15
#: And so much that it is in a language that is expected.
_LIKELIER = 0.5
#: What a letter counts that only some languages have, in function words.
_LETTER = 0.5
#: What all that the speaker says counts beside a turn's own words, and all of the session: as so many of these.
_SPEAKER, _SESSION = 1.0, 1.0


def recognized(text: str, among: Collection[str] = CODES, likelier: Collection[str] = ()) -> str:
    """The language of `text`, one of `among`; English, where nothing tells. `likelier`: others that are expected, of
    which one is believed the more where something tells of it.
    """
    if not set(among) - {ENGLISH}:
        return ENGLISH
    found = evidence(text)
    usual = {ENGLISH: _USUAL} | {code: _LIKELIER for code in likelier if found.get(code)}
    return _surest(_sum((found, 1.0), (usual, 1.0)), among)


def is_open(text: str) -> bool:
    """Whether what a text has of English grammar other languages have, too: "Was studiert Lena?"."""
    english = frozenset(words(text)) & STOPWORDS
    return bool(english) and english <= _SHARED


def begins_in_english(question: str, code: str) -> bool:
    """Whether a question begins as one in English does, and nothing tells this language from it: "Has Ada stopped
    smoking?", of which Spanish has "has", too.
    """
    found, said = evidence(question), words(question)
    alike = found.get(ENGLISH, 0.0) >= found.get(code, 0.0)
    return alike and said[0] in STOPWORDS and asking_words(code).isdisjoint(said)


def may_be(text: str, code: str) -> bool:
    """Whether a text has words of grammar of this language."""
    return not function_words(code).isdisjoint(words(text))


def tongues(turns: Sequence[Turn]) -> list[str]:
    """The language of each turn of a session."""
    own = [evidence(turn.text) for turn in turns]
    if not any(set(each) - {ENGLISH} for each in own):
        return [ENGLISH] * len(turns)
    session = _shares(own)
    speaker = {
        name: _shares(each for each, turn in zip(own, turns, strict=True) if turn.speaker == name)
        for name in {turn.speaker for turn in turns}
    }
    return [
        _surest(_sum((each, 1.0), (speaker[turn.speaker], _SPEAKER), (session, _SESSION)))
        for each, turn in zip(own, turns, strict=True)
    ]


def foreign_share(texts: Iterable[str]) -> float:
    """The share of another language than English among the texts whose language can be told, each counted once, however
    long it is; 0 where none can be told.
    """
    told = [recognized(text) != ENGLISH for text in texts if evidence(text)]
    return sum(told) / len(told) if told else 0.0


def _surest(found: Mapping[str, float], among: Collection[str] = CODES) -> str:
    return max(
        (code for code in found if code in among), key=lambda code: (found[code], code == ENGLISH), default=ENGLISH
    )


def _shares(found: Iterable[Mapping[str, float]]) -> Mapping[str, float]:
    """What speaks for each language in all of them, as shares of the whole."""
    total = _sum(*((each, 1.0) for each in found))
    whole = sum(total.values())
    return {code: value / whole for code, value in total.items()} if whole else {}


def _sum(*parts: tuple[Mapping[str, float], float]) -> Mapping[str, float]:
    total: Counter[str] = Counter()
    for found, factor in parts:
        for code, value in found.items():
            total[code] += factor * value  # type: ignore[assignment]
    return total


@lru_cache(maxsize=8192)
def evidence(text: str) -> Mapping[str, float]:
    """What speaks for each language, about in function words. Of plain English no list of another language is read."""
    bare = _LINKS.sub(" ", text[:_LONGEST])
    said = words(bare)
    english = sum(word in STOPWORDS for word in said)
    own = sum(word in STOPWORDS and word not in _SHARED for word in said)
    telling = bool(_TELLING.search(bare))
    if not telling and (len(said) < _FEWEST or max(english, 2 * own) >= _PLAIN * len(said)):
        return {ENGLISH: float(english)} if english else {}
    found = _of_words(_LATIN, said, _named(bare))
    if telling:
        found = _sum((found, 1.0), (_of_letters(_LATIN, bare), _LETTER), (_of_scripts(bare, said), 1.0))
    return {code: value for code, value in found.items() if value > 0}


def _of_scripts(text: str, said: Sequence[str]) -> Mapping[str, float]:
    if not _NOT_LATIN.search(text):
        return {}
    total: Counter[str] = Counter()
    for letters, codes in _SCRIPTS.items():
        written = len(re.findall(f"[{letters}]", text)) / _LETTERS_A_WORD
        if written:
            told = _sum((_of_words(codes, said), 1.0), (_of_letters(codes, text), _LETTER)) if len(codes) > 1 else {}
            for place, code in enumerate(codes):  # the first where nothing tells
                total[code] += written * (1.0 - 0.01 * place) + told.get(code, 0.0)  # type: ignore[assignment]
    return total


def _of_letters(codes: Sequence[str], text: str) -> Mapping[str, float]:
    total: Counter[str] = Counter()
    low = text.lower()
    for letters, spoken in _LETTERS.items():
        seen = sum(letter in low for letter in letters)
        for code in spoken if seen else ():
            total[code] += seen / len(spoken)  # type: ignore[assignment]
    return {code: value for code, value in total.items() if code in codes}


def _of_words(codes: Sequence[str], said: Sequence[str], named: Collection[str] = ()) -> Mapping[str, float]:
    """Each function word counts for the languages that have it, the less the more they are; one of the `named` little,
    unless it asks.
    """
    owners = _owners(tuple(codes))
    total: Counter[str] = Counter()
    for word in said:
        for code in owners.get(word, ()):
            sure = word not in named or word in asking_words(code)
            total[code] += (1.0 if sure else _NAMED) / len(owners[word])  # type: ignore[assignment]
    return total


def _named(text: str) -> frozenset[str]:
    """The words that are written with a capital alone, in small letters: names may be words of another language."""
    return frozenset(word.lower() for word in _CAPITAL.findall(text)) - frozenset(_SMALL.findall(text))


@lru_cache
def _owners(codes: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    owners: dict[str, list[str]] = {}
    for code in codes:
        for word in _known(code):
            owners.setdefault(word, []).append(code)
    return {word: tuple(having) for word, having in owners.items()}


def _known(code: str) -> Iterable[str]:
    return function_words(code) | (STOPWORDS if code == ENGLISH else frozenset())
