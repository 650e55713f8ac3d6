"""Whether a generated unit is supported by the turns that it names as its sources.

A check of words, not of meaning. Enough of the unit's content words must be the sources'; all of its numbers, names
and dates must be in them or follow from them, a date from when something was said; and it may neither deny what no
source denies nor affirm what they only deny. It finds what is invented, not what is misunderstood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import lru_cache

from ...model import Kind, Turn
from ...store.cosine import cosines
from ...text import STOPWORDS, content_stems, sentences, stem, words
from ...times import Grain, Span, describe, find
from ...times.spans import day
from .base import Generated, Vectors, speaker_name
from .dating import dated

__all__ = ["COVERAGE", "verify"]

#: The least share of a unit's content words that its sources must hold.
COVERAGE = 0.75

_TO_TEN = "zero one two three four five six seven eight nine ten".split()
_NUMBERS = {word: str(value) for value, word in enumerate(_TO_TEN)}
_NUMBERS |= {"eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50"}
_NUMBERS |= {"hundred": "100", "thousand": "1000", "dozen": "12", "twice": "2"}
_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
_NAME = re.compile(r"(?<![\w'’])[A-Z][^\W\d_]*(?:['’-][^\W\d_]+)*(?!\w)")
_STARTS_SENTENCE = re.compile(r"(?:^|[.!?:;\"“(]\s*)$")
_ACTS = re.compile(
    r"\s+(?:and\s+(?:[A-Z]|others)|is|was|has|had|will|would|can|could|does|did|just|also|went|got|\w+(?:ed|es|[^s]s))\b"
)
_NEGATION = re.compile(r"\b(?:not|no|never|none|without|nor|neither|hardly|\w+n't|cannot|dont)\b", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:not|never|\w+n't|dont)\s+(?:(?:really|ever|even|just|had|much|going|gonna|into|quite|been|be|to|have|get)\s+)*(\w+)",
    re.IGNORECASE,
)
_TALLY = re.compile(r"\(said in (\d+) sessions")
#: Words that the rewriting and the dating put in.
_ADDED = "others said sessions latest shared image since week weekend going go goes before after afternoon evening"
_OURS = frozenset(map(stem, f"{_ADDED} morning night".split()))
_CALENDAR = frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday spring summer autumn fall winter""".split()
)
#: Checked as dates and numbers, so not as words.
_GRANTED = frozenset(map(stem, (*_CALENDAR, *_NUMBERS)))


@dataclass(frozen=True, slots=True)
class _Sources:
    """What the sources say, as far as units are checked against it."""

    text: str
    stems: frozenset[str]
    words: frozenset[str]
    numbers: frozenset[str]
    spans: tuple[Span, ...]


def verify(
    unit: Generated,
    turns: Sequence[Turn],
    people: Sequence[str] = (),
    *,
    coverage: float = COVERAGE,
    vector: Vectors | None = None,
    sentence_vectors: Vectors | None = None,
    floor: float = 0.3,
) -> tuple[bool, str]:
    """Whether `turns`, the sources of `unit`, support it, and why not. `people`: all who speak, who may be named.

    With `vector` [d] and `sentence_vectors` [n, d], of the unit and its sources, the best cosine must reach `floor`.
    """
    sources = _read(turns, people)
    checks = (_wrong_dates, _wrong_numbers, _strange_names, _wrong_negation)
    because = next((reason for check in checks if (reason := check(unit, sources))), "")
    because = because or _uncovered(unit, sources, coverage)
    if not because and vector is not None and sentence_vectors is not None and len(sentence_vectors):
        best = float(cosines(vector, sentence_vectors).max())
        because = f"nothing in the sources is like it (cosine {best:.2f})" if best < floor else ""
    return not because, because


def _read(turns: Sequence[Turn], people: Sequence[str]) -> _Sources:
    """The sources' own words, the same with dates put in, and who speaks."""
    parts = [_heard(" ".join(people)), *(_turn(turn) for turn in turns)]
    return _Sources(
        "\n".join(part.text for part in parts[1:]),
        frozenset().union(*(part.stems for part in parts)),
        frozenset().union(*(part.words for part in parts)),
        frozenset({str(len(turns))}).union(*(part.numbers for part in parts)),
        tuple(span for part in parts for span in part.spans),
    )


@lru_cache(maxsize=256)
def _turn(turn: Turn) -> _Sources:
    """One turn: units of the same turns come one after the other."""
    said = turn.text.replace("’", "'")
    everything = f"{said} {dated(turn.text, turn.said_at)} {speaker_name(turn)} {turn.speaker}"
    heard = _heard(everything)
    spans = tuple(_spans([turn]))
    years = {str(year) for span in spans for year in (span.start.year, (span.end - timedelta(microseconds=1)).year)}
    return replace(heard, text=said, numbers=heard.numbers | years, spans=spans)


@lru_cache(maxsize=256)
def _heard(text: str) -> _Sources:
    spoken = words(text)
    bare = frozenset(spoken) | frozenset(word.split("'")[0] for word in spoken)
    return _Sources(text, frozenset(map(stem, bare)), bare, frozenset(_numbers(text)), ())


def _spans(turns: Sequence[Turn]) -> Iterator[Span]:
    """When the sources were said, and the times that they name."""
    for turn in turns:
        if turn.said_at is not None:
            yield day(turn.said_at)
        for expression in find(turn.text, turn.said_at):
            yield expression.span


def _numbers(text: str) -> Iterator[str]:
    for number in _DIGITS.findall(text):
        yield number.replace(",", "")
    for word in words(text):
        if word in _NUMBERS and word != "one":
            yield _NUMBERS[word]


def _wrong_dates(unit: Generated, sources: _Sources) -> str:
    """A date may be as vague as it likes, but must hold a time that the sources name."""
    for date in find(unit.text, None):
        if not any(_within(span, date.span) for span in sources.spans):
            return f"no source is of {describe(date)}"
    return ""


def _within(span: Span, stated: Span) -> bool:
    """Whether `stated` holds `span`, in the calendar of whoever spoke, or begins with it ("since 2016")."""
    start, end = span.start.replace(tzinfo=None), span.end.replace(tzinfo=None)
    first, last = stated.start.replace(tzinfo=None), stated.end.replace(tzinfo=None)
    begins = first <= start < last and span.grain is not Grain.MINUTE
    return (first <= start and end <= last) or begins


def _wrong_numbers(unit: Generated, sources: _Sources) -> str:
    text = unit.text
    if unit.kind is Kind.INSIGHT and (tally := _TALLY.search(text)):
        if int(tally[1]) != unit.support:
            return f"it is said in {unit.support} sessions, not {tally[1]}"
        text = text[: tally.start()]
    for date in reversed(find(text, None)):
        text = text[: date.start_offset] + text[date.end_offset :]
    strange = [number for number in _numbers(text) if number not in sources.numbers]
    return f"no source has the number {strange[0]}" if strange else ""


def _strange_names(unit: Generated, sources: _Sources) -> str:
    for match in _NAME.finditer(unit.text):
        low = match.group().lower().replace("’", "'").removesuffix("'s")
        parts = re.split(r"['-]", low)
        known = low in sources.words or all(p in sources.words for p in parts) or stem(low) in sources.stems
        if known or low in STOPWORDS or low in _CALENDAR or stem(low) in _OURS:
            continue
        if not _STARTS_SENTENCE.search(unit.text[: match.start()]) or _is_subject(unit, match):
            return f"no source names {match.group()}"
    return ""


def _is_subject(unit: Generated, word: re.Match[str]) -> bool:
    """Whether a sentence's first word, always capitalised, is a name: a fact begins with whom it is of."""
    own = unit.kind is not Kind.SUMMARY and not word.group().endswith("ing")
    return own or word.group().endswith(("'s", "’s")) or bool(_ACTS.match(unit.text, word.end()))


def _wrong_negation(unit: Generated, sources: _Sources) -> str:
    """A fact that denies where nothing is denied, or affirms the very word that is always denied."""
    if unit.kind is not Kind.FACT:
        return ""
    if _NEGATION.search(unit.text):
        return "" if _NEGATION.search(sources.text) else "no source denies anything"
    affirmed = set(content_stems(unit.text))
    said = max(sentences(sources.text), key=lambda s: len(affirmed & set(content_stems(s))), default="")
    denied = [stem(match[1].lower()) for match in _DENIED.finditer(said)]
    spoken = content_stems(said)
    only = [word for word in denied if word in affirmed and spoken.count(word) == denied.count(word)]
    return f"the sources deny {only[0]!r}" if only else ""


def _uncovered(unit: Generated, sources: _Sources, least: float) -> str:
    needed = [s for part in sentences(unit.text) for s in content_stems(part) if s not in _OURS]
    missing = [s for s in needed if s not in sources.stems and s not in _GRANTED and not s.isdigit()]
    if needed and 1 - len(missing) / len(needed) < least:
        return f"the sources do not say {', '.join(dict.fromkeys(missing))}"
    return ""
