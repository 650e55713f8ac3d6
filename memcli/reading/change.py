"""Facts that changed: the newest statement answers, the one before it is named with the date until it held."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from memcli.model import Question, Seeks
from memcli.reading.spans import Candidate
from memcli.text import content_stems, stems

__all__ = ["Scored", "newest"]

Scored = tuple[float, Candidate]

#: Two statements closer in time than this are one conversation's back and forth, not a change.
_APART = timedelta(days=7)
_CHANGING = (Seeks.WHERE, Seeks.WHO, Seeks.COUNT, Seeks.WHAT, Seeks.WHICH)


def newest(question: Question, ranked: Sequence[Scored]) -> tuple[Candidate, Candidate | None]:
    """The candidate that holds now, and the one that held before if the best two statements are of the same thing."""
    score, best = ranked[0]
    if question.listing or not question.holds_now or question.seeks not in _CHANGING:
        return best, None
    for other_score, other in ranked[1:]:
        if other_score >= 0.8 * score and _same_thing(question, best, other):
            newer, older = sorted((best, other), key=_when, reverse=True)
            return newer, older
    return best, None


def _when(candidate: Candidate) -> float:
    at = candidate.passage.at
    assert at is not None
    return at.timestamp()


def _same_thing(question: Question, one: Candidate, other: Candidate) -> bool:
    """Said by the same person in the same words of the question, at different times, with another value."""
    a, b = one.passage, other.passage
    if (
        a.at is None
        or b.at is None
        or a.speaker != b.speaker
        or abs(_when(one) - _when(other)) < _APART.total_seconds()
    ):
        return False
    asked = set(question.stems)
    matched = asked & set(stems(a.text))
    disjoint = not set(content_stems(one.text)) & set(content_stems(other.text))
    return bool(matched) and matched == asked & set(stems(b.text)) and min(a.covered, b.covered) >= 0.5 and disjoint
