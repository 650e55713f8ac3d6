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

from ...languages import Language, spoken
from ...model import Kind, Turn
from ...model.generated import Generated, Vectors, speaker_name
from ...providers.profiles import ENCODER
from ...store.cosine import cosines
from ...text import STOPWORDS, content_stems, sentences, stem, words
from ...text.times import Grain, Span, day

__all__ = ["COVERAGE", "verify"]

#: The least share of a unit's content words that its sources must hold.
COVERAGE = 0.75

_NAME = re.compile(r"(?<![\w'’])[A-Z][^\W\d_]*(?:['’-][^\W\d_]+)*(?!\w)")
_STARTS_SENTENCE = re.compile(r"(?:^|[.!?:;\"“(]\s*)$")
_TALLY = re.compile(r"\(said in (\d+) sessions")


@dataclass(frozen=True, slots=True)
class _Sources:
    """What the sources say, as far as units are checked against it, and by whose rules."""

    language: Language
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
    floor: float = ENCODER.supported,
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
    language = spoken(turn.text for turn in turns)
    parts = [_heard(" ".join(people), language), *(_turn(turn, language) for turn in turns)]
    return _Sources(
        language,
        "\n".join(part.text for part in parts[1:]),
        frozenset().union(*(part.stems for part in parts)),
        frozenset().union(*(part.words for part in parts)),
        frozenset({str(len(turns))}).union(*(part.numbers for part in parts)),
        tuple(span for part in parts for span in part.spans),
    )


@lru_cache(maxsize=256)
def _turn(turn: Turn, language: Language) -> _Sources:
    """One turn: units of the same turns come one after the other."""
    said = turn.text.replace("’", "'")
    everything = f"{said} {language.dated(turn.text, turn.said_at)} {speaker_name(turn)} {turn.speaker}"
    heard = _heard(everything, language)
    spans = tuple(_spans(turn, language))
    years = {str(year) for span in spans for year in (span.start.year, (span.end - timedelta(microseconds=1)).year)}
    return replace(heard, text=said, numbers=heard.numbers | years, spans=spans)


@lru_cache(maxsize=256)
def _heard(text: str, language: Language) -> _Sources:
    heard = words(text)
    bare = frozenset(heard) | frozenset(word.split("'")[0] for word in heard)
    return _Sources(language, text, frozenset(map(stem, bare)), bare, frozenset(language.numbers(text)), ())


def _spans(turn: Turn, language: Language) -> Iterator[Span]:
    """When a source was said, and the times that it names."""
    if turn.said_at is not None:
        yield day(turn.said_at)
    for expression in language.times(turn.text, turn.said_at):
        yield expression.span


def _wrong_dates(unit: Generated, sources: _Sources) -> str:
    """A date may be as vague as it likes, but must hold a time that the sources name."""
    for date in sources.language.times(unit.text, None):
        if not any(_within(span, date.span) for span in sources.spans):
            return f"no source is of {sources.language.describe(date)}"
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
    for date in reversed(sources.language.times(text, None)):
        text = text[: date.start_offset] + text[date.end_offset :]
    strange = [number for number in sources.language.numbers(text) if number not in sources.numbers]
    return f"no source has the number {strange[0]}" if strange else ""


def _strange_names(unit: Generated, sources: _Sources) -> str:
    for match in _NAME.finditer(unit.text):
        low = match.group().lower().replace("’", "'").removesuffix("'s")
        parts = re.split(r"['-]", low)
        known = low in sources.words or all(p in sources.words for p in parts) or stem(low) in sources.stems
        if known or low in STOPWORDS or sources.language.is_calendar(low) or sources.language.is_added(stem(low)):
            continue
        if not _STARTS_SENTENCE.search(unit.text[: match.start()]) or _is_subject(unit, match, sources.language):
            return f"no source names {match.group()}"
    return ""


def _is_subject(unit: Generated, word: re.Match[str], language: Language) -> bool:
    """Whether a sentence's first word, always capitalised, is a name: a fact begins with whom it is of."""
    own = unit.kind is not Kind.SUMMARY and not word.group().endswith("ing")
    return own or word.group().endswith(("'s", "’s")) or language.is_acting(unit.text[word.end() :])


def _wrong_negation(unit: Generated, sources: _Sources) -> str:
    """A fact that denies where nothing is denied, or affirms the very word that is always denied."""
    if unit.kind is not Kind.FACT:
        return ""
    if sources.language.denies(unit.text):
        return "" if sources.language.denies(sources.text) else "no source denies anything"
    affirmed = set(content_stems(unit.text))
    said = max(sentences(sources.text), key=lambda s: len(affirmed & set(content_stems(s))), default="")
    denied, heard = sources.language.denied(said), content_stems(said)
    only = [word for word in denied if word in affirmed and heard.count(word) == denied.count(word)]
    return f"the sources deny {only[0]!r}" if only else ""


def _uncovered(unit: Generated, sources: _Sources, least: float) -> str:
    language = sources.language
    needed = [s for part in sentences(unit.text) for s in content_stems(part) if not language.is_added(s)]
    missing = [s for s in needed if s not in sources.stems and not language.is_granted(s) and not s.isdigit()]
    if needed and 1 - len(missing) / len(needed) < least:
        return f"the sources do not say {', '.join(dict.fromkeys(missing))}"
    return ""
