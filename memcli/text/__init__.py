"""Text to sentences, stems and token counts: the one place where memcli decides what a word is.

Sentence boundaries are sentencex's (rules for some 300 languages, five milliseconds to import), stems are
Snowball's. Both are chosen in `docs/architecture.md`. What is no English is cut by its script (`scripts`) and stemmed
by its language (`lexicon`); of English neither is loaded.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

__all__ = [
    "ENGLISH", "clean", "content_stems", "image", "indexed_stems", "is_blank", "is_unspaced", "sentences", "stem",
    "stems", "token_estimate", "words",
]  # fmt: skip

#: The language that is meant where none is said.
ENGLISH = "en"

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
#: Ranges of characters.
_IDEOGRAPHS = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_UNSPACED = rf"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff{_IDEOGRAPHS}"
#: Marks, and every script but Latin; wide and narrow forms.
_BEYOND_LATIN = r"\u0300-\u1fff\u2c00-\udfff\uf900-\ufaff\ufb1d-\uffef"
_SPACE = re.compile(r"\s+")
#: A space that is none of ASCII's before a full stop, at which sentencex 1.0.32 panics ("A\u00a0. b").
_WIDE = re.compile(r"[^\S\x00-\x7f](?=\.)")
_IMAGE = re.compile(r"^\[image:\s*(.+?)\s*\]$", re.IGNORECASE)

#: A sentence longer than this (a log, a table, base64) is cut at white space: the embedder reads 256 tokens.
LONGEST_SENTENCE = 900

#: Function words of English, and of contractions: they carry grammar, not what a text is about.
STOPWORDS = frozenset(
    """a about above after again against all also am an and any are aren't as at be because been before being below
    between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few
    for from further had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him
    himself his how how's i i'd i'll i'm i've if in into is isn't it it's its itself let's me more most mustn't my
    myself no nor not of off on once only or other ought our ours ourselves out over own same shan't she she'd
    she'll she's should shouldn't so some such than that that's the their theirs them themselves then there there's
    these they they'd they'll they're they've this those through to too under until up very was wasn't we we'd we'll
    we're we've were weren't what what's when when's where where's which while who who's whom why why's will with
    won't would wouldn't you you'd you'll you're you've your yours yourself yourselves just really get got""".split()
)


def clean(text: str) -> str:
    """`text` in Unicode normal form C without control characters or direction overrides; tabs and newlines stay."""
    return unicodedata.normalize("NFC", _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def image(sentence: str) -> str:
    """The caption of an image that a sentence stands for, as memcli writes it down; empty where it is none."""
    match = _IMAGE.match(sentence)
    return match[1] if match else ""


def is_blank(text: str) -> bool:
    """Whether there is nothing to see in it: spaces, control characters, signs without a form."""
    return all(unicodedata.category(sign)[0] in "CZ" for sign in text)


def sentences(text: str, language: str = ENGLISH) -> list[str]:
    """The sentences of `text` in order, trimmed; every word of the text is in exactly one of them.

    A line break always ends a sentence: chat puts lists and greetings on lines of their own.
    """
    found: list[str] = []
    for line in text.splitlines():
        if line.strip():
            found.extend(part for s in _segments(line, language) for part in _bounded(s.strip()))
    return [s for s in found if s]


def _segments(line: str, language: str) -> Iterator[str]:
    """What sentencex makes of a line, in the line's own characters."""
    import sentencex

    begin = 0
    for segment in sentencex.segment(language, line if line.isascii() else _WIDE.sub(" ", line)):
        yield line[begin : begin + len(segment)]
        begin += len(segment)


def _bounded(sentence: str) -> list[str]:
    parts = []
    while len(sentence) > LONGEST_SENTENCE:
        cut = sentence.rfind(" ", LONGEST_SENTENCE // 2, LONGEST_SENTENCE)
        cut = cut if cut > 0 else LONGEST_SENTENCE
        parts.append(sentence[:cut])
        sentence = sentence[cut:].lstrip()
    return [*parts, sentence]


@lru_cache(maxsize=3)
def _pattern(ranges: str) -> re.Pattern[str]:
    """Compiled at first use, which takes five milliseconds, and of plain ASCII never."""
    return re.compile(f"[{ranges}]")


def _has(ranges: str, text: str) -> bool:
    return not text.isascii() and _pattern(ranges).search(text) is not None


def words(text: str, language: str = ENGLISH) -> list[str]:
    """Lower-case words in order, contractions whole; of scripts without spaces, overlapping pairs of characters."""
    if language == ENGLISH and not _has(_BEYOND_LATIN, text):
        return _WORD.findall(text.lower().replace("’", "'"))
    from . import scripts

    return scripts.words(text.replace("’", "'"), language)


def is_unspaced(text: str) -> bool:
    """Whether it has characters that are written without spaces between words."""
    return _has(_UNSPACED, text)


class _Stemmer(threading.local):
    """One a thread: a Snowball stemmer holds the word that it is at."""

    def __init__(self) -> None:
        from Stemmer import Stemmer

        self.stem_word = Stemmer("english", 0).stemWord  # without a cache of its own: `stem` has one


@lru_cache(maxsize=1)
def _stemmer() -> _Stemmer:
    return _Stemmer()


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The Snowball (English) stem of one lower-case word, its possessive ending dropped."""
    result: str = _stemmer().stem_word(word.removesuffix("'s"))
    return result


def stems(text: str, language: str = ENGLISH) -> list[str]:
    """The stem of every word of `text`, in order; of another language than English by its rules and by English ones."""
    if language == ENGLISH:
        return [stem(w) for w in words(text)]
    from . import lexicon

    return lexicon.indexed(words(text, language), language)


def content_stems(text: str, language: str = ENGLISH) -> list[str]:
    """The stems of the words that are not function words, in order."""
    if language == ENGLISH:
        return [stem(w) for w in words(text) if w not in STOPWORDS]
    from . import lexicon

    return lexicon.content_stems(words(text, language), language)


def indexed_stems(text: str, language: str = ENGLISH) -> list[str]:
    """What a text of this language is found by: its content stems, and by English rules, so that who asks in another
    language finds a name or a word that is written alike.
    """
    if language == ENGLISH:
        return content_stems(text)
    from . import lexicon

    return lexicon.indexed(words(text, language), language, content=True)


def token_estimate(text: str) -> int:
    """About how many tokens a language model reads, the same on every machine.

    Four letters a token for spaced scripts and one token an ideograph; never under the number of words. Against
    cl100k_base: a tenth too few on short dated lines, an eighth too many on an assistant's paragraphs.
    """
    ideographs = 0 if text.isascii() else len(_pattern(_IDEOGRAPHS).findall(text))
    return max(len(_SPACE.split(text.strip())), ideographs + (len(text) - ideographs + 3) // 4) if text else 0
