"""Why a turn was found, in words: what it shares with the question, who said it, when, and what raised it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from ..languages import language, spoken
from ..model import Hit, Question
from ..text import stems, words
from ..text.times import TimeKind

__all__ = ["reasons"]

#: What a family of signals says where it raised a turn by more than `_TELLING` of the most that any did.
_SAID = {
    "dense": "means much the same",
    "graph": "is like what else fits",
    "taste": "voices a taste",
    "assertion": "tells what somebody is like or wants",
    "parts": "fits a part of the request",
    "coverage": "stands beside other hits",
    "rerank": "fits the question, says the reranker",
}
_TELLING = 0.3


def reasons(question: Question, hit: Hit, asked_at: datetime) -> list[str]:
    """Why this hit, the plainest reason first: shared words, its speaker, its time, then what its signals say."""
    found = [
        *_shared(question, hit.unit.text),
        *_speaker(question, hit.unit.label),
        *_time(question, hit.unit.at, asked_at),
        *_raised(hit.trace),
    ]
    return found or ["little speaks for it"]


def _shared(question: Question, text: str) -> Iterator[str]:
    code = spoken([text]).code if question.translations else question.language
    asked, translated = set(question.stems), {t.term for t in question.translations if t.language == code}
    shared = [
        word for word in words(text, code)
        if not (asked.isdisjoint(stems(word, question.language)) and translated.isdisjoint(stems(word, code)))
    ]  # fmt: skip
    if shared:
        yield f"says {', '.join(f'*{word}*' for word in dict.fromkeys(shared))}"


def _speaker(question: Question, speaker: str) -> Iterator[str]:
    if speaker and speaker.lower() in {each.speaker.lower() for each in question.named}:
        yield f"by {speaker}"


def _time(question: Question, at: datetime | None, asked_at: datetime) -> Iterator[str]:
    named = [
        e for e in language(question.language).asked_times(question.text, asked_at) if e.kind is not TimeKind.CLOCK
    ]
    said = at.replace(tzinfo=None) if at else None
    for each in named:
        if said and each.span.start.replace(tzinfo=None) <= said < each.span.end.replace(tzinfo=None):
            yield f"in the time that was asked for ({each.text.strip()})"
            return


def _raised(trace: Mapping[str, float]) -> Iterator[str]:
    score = {name.removeprefix("score."): value for name, value in trace.items() if name.startswith("score.")}
    most = max(score.values(), default=0.0)
    for name, value in sorted(score.items(), key=lambda pair: -pair[1]):
        if name in _SAID and value > _TELLING * most:
            yield _SAID[name]
