"""What needs a source: the dates, numbers and names of a text, held against the turns that it is to rest on.

A check of words, not of meaning: it finds what is invented, not what is misunderstood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import lru_cache

from ..model import Turn
from ..model.generated import speaker_name
from ..text import STOPWORDS, stem, words
from ..text.times import Grain, Span, day
from . import spoken
from .base import Language

__all__ = ["Sources", "read", "strange_name", "wrong_date", "wrong_number"]

_NAME = re.compile(r"(?<![\w'’])[A-Z][^\W\d_]*(?:['’-][^\W\d_]+)*(?!\w)")
_STARTS_SENTENCE = re.compile(r"(?:^|[.!?:;\"“(]\s*)$")


@dataclass(frozen=True, slots=True)
class Sources:
    """What turns say, as far as a text is checked against it, and by whose rules: their own words, the same with dates
    put in, and who speaks.
    """

    language: Language
    text: str
    stems: frozenset[str]
    words: frozenset[str]
    numbers: frozenset[str]
    spans: tuple[Span, ...]


def read(turns: Sequence[Turn], granted: Iterable[str] = ()) -> Sources:
    """What `turns` say. `granted`: names, or other words, that need no source."""
    language = spoken(turn.text for turn in turns)
    parts = [_heard(" ".join(granted), language), *(_turn(turn, language) for turn in turns)]
    return Sources(
        language,
        "\n".join(part.text for part in parts[1:]),
        frozenset().union(*(part.stems for part in parts)),
        frozenset().union(*(part.words for part in parts)),
        frozenset({str(len(turns))}).union(*(part.numbers for part in parts)),
        tuple(span for part in parts for span in part.spans),
    )


@lru_cache(maxsize=256)
def _turn(turn: Turn, language: Language) -> Sources:
    """One turn: texts of the same turns come one after the other."""
    said = turn.text.replace("’", "'")
    everything = f"{said} {language.dated(turn.text, turn.said_at)} {speaker_name(turn)} {turn.speaker}"
    heard = _heard(everything, language)
    spans = tuple(_spans(turn, language))
    years = {str(year) for span in spans for year in (span.start.year, (span.end - timedelta(microseconds=1)).year)}
    return replace(heard, text=said, numbers=heard.numbers | years, spans=spans)


@lru_cache(maxsize=256)
def _heard(text: str, language: Language) -> Sources:
    heard = words(text)
    bare = frozenset(heard) | frozenset(word.split("'")[0] for word in heard)
    return Sources(language, text, frozenset(map(stem, bare)), bare, frozenset(language.numbers(text)), ())


def _spans(turn: Turn, language: Language) -> Iterator[Span]:
    """When a source was said, and the times that it names."""
    if turn.said_at is not None:
        yield day(turn.said_at)
    for expression in language.times(turn.text, turn.said_at):
        yield expression.span


def wrong_date(text: str, sources: Sources) -> str:
    """Why a date has no source; empty where each has one. It may be as vague as it likes, but must hold a time that the
    sources name.
    """
    for date in sources.language.times(text, None):
        if not any(_within(span, date.span) for span in sources.spans):
            return f"no source is of {sources.language.describe(date)}"
    return ""


def _within(span: Span, stated: Span) -> bool:
    """Whether `stated` holds `span`, in the calendar of whoever spoke, or begins with it ("since 2016")."""
    start, end = span.start.replace(tzinfo=None), span.end.replace(tzinfo=None)
    first, last = stated.start.replace(tzinfo=None), stated.end.replace(tzinfo=None)
    begins = first <= start < last and span.grain is not Grain.MINUTE
    return (first <= start and end <= last) or begins


def wrong_number(text: str, sources: Sources) -> str:
    """Why a number has no source, those of dates aside; empty where each has one."""
    for date in reversed(sources.language.times(text, None)):
        text = text[: date.start_offset] + text[date.end_offset :]
    strange = [number for number in sources.language.numbers(text) if number not in sources.numbers]
    return f"no source has the number {strange[0]}" if strange else ""


def strange_name(text: str, sources: Sources, begins: Callable[[re.Match[str]], bool] = lambda _: False) -> str:
    """Why a name has no source; empty where each has one.

    A sentence's first word is always capitalised: `begins` says whether it is a name all the same.
    """
    for match in _NAME.finditer(text):
        low = match.group().lower().replace("’", "'").removesuffix("'s")
        if _is_known(low, sources) or low in STOPWORDS or sources.language.is_calendar(low):
            continue
        if sources.language.is_added(stem(low)):
            continue
        if not _STARTS_SENTENCE.search(text[: match.start()]) or begins(match):
            return f"no source names {match.group()}"
    return ""


def _is_known(low: str, sources: Sources) -> bool:
    parts = re.split(r"['-]", low)
    return low in sources.words or all(part in sources.words for part in parts) or stem(low) in sources.stems
