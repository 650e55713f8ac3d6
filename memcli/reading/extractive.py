"""The reader that needs no language model: it picks the words that answer, resolves dates, or says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memcli.languages import language, spoken
from memcli.model import Answer, Hit, Query, Question, Seeks
from memcli.reading import confidence, identifiers, spans, temporal
from memcli.reading.change import Scored, newest
from memcli.reading.confidence import Confidence, signals
from memcli.reading.network import Network
from memcli.reading.passages import Passage, Transcript, gather
from memcli.reading.spans import Candidate, best_candidates
from memcli.reading.temporal import ShortAnswer
from memcli.text import content_stems
from memcli.text.times import month_name

__all__ = ["NOTHING", "ExtractiveReader", "Reader"]

#: What an answer says that abstains.
NOTHING = "nothing in memory answers this"

#: An item is listed beside the best one if its score is at least this share of it.
_LISTED = 0.75
_MOST_LISTED = 4


class Reader(Protocol):
    """Turns hits into an answer."""

    def read(self, query: Query, hits: Sequence[Hit]) -> Answer:
        """The answer to `query` that `hits`, best first, support; or an abstention."""


class ExtractiveReader:
    """Answers in the words of memory: no model beside the embedder, no connection, the same answer every time.

    `network` scores candidates, `judge` the doubt of an answer; None for the package's.
    """

    def __init__(self, transcript: Transcript, network: Network | None = None, judge: Confidence | None = None) -> None:
        self._transcript = transcript
        self._network, self._judge = network or spans.packaged(), judge or confidence.packaged()

    def read(self, query: Query, hits: Sequence[Hit]) -> Answer:
        """The answer to `query` that `hits`, best first, support; or an abstention."""
        question, passages, found = self.look(query, hits)
        if found is None:
            return Answer(NOTHING, (), 0.0, abstained=True)
        trust = self._judge(signals(question, passages, found))
        abstained = trust < self._judge.threshold
        cited = tuple(dict.fromkeys(p.turn for p in found.turns))
        return Answer(NOTHING if abstained else found.text, cited, trust, abstained)

    def trust(self, query: Query, hits: Sequence[Hit]) -> Answer:
        """The same from hits of which somebody said that they hold the answer: none is doubted."""
        question, passages, found = self.look(query, hits)
        if found is None:
            unit = hits[0].unit
            return Answer(unit.text, (unit.sources[0],), self._judge.threshold, abstained=False)
        trust = max(self._judge(signals(question, passages, found)), self._judge.threshold)
        return Answer(found.text, tuple(dict.fromkeys(p.turn for p in found.turns)), trust, abstained=False)

    def look(self, query: Query, hits: Sequence[Hit]) -> tuple[Question, list[Passage], ShortAnswer | None]:
        """The question as understood, what was read, and the answer before it is doubted."""
        question = query.question
        passages = gather(question, query, hits, self._transcript)
        return question, passages, self._find(question, query, passages) if passages else None

    def _find(self, question: Question, query: Query, passages: list[Passage]) -> ShortAnswer | None:
        value = language(question.language).identifier(question.text)
        if value is not None and (known := identifiers.find(value, passages)):
            return known
        if question.seeks is Seeks.WHEN:
            return temporal.when(question, query, passages)
        if question.seeks is Seeks.LENGTH and (stretch := temporal.how_long(passages)):
            return stretch
        scored = best_candidates(question, passages, self._network)
        ranked = sorted(scored, key=lambda pair: -pair[0])
        if not ranked:
            return None
        if question.seeks is Seeks.YES_NO:
            return _yes_or_no(question, passages)
        if question.seeks is Seeks.COUNT and (counted := _counted(ranked)):
            return counted
        return _listed(ranked) if question.listing else _single(question, ranked)


def _single(question: Question, ranked: list[Scored]) -> ShortAnswer:
    now, before = newest(question, ranked)
    text = _wording(now)
    if before is None:
        return ShortAnswer(text, (now.passage,), ranked[0][0], _is_typed(question, text))
    return ShortAnswer(f"{text} (before: {_wording(before)}{_until(now)})", (now.passage, before.passage), ranked[0][0])


def _until(now: Candidate) -> str:
    at = now.passage.at
    return f", until {month_name(at)} {at.year}" if at else ""


def _counted(ranked: list[Scored]) -> ShortAnswer | None:
    """The first number among the best candidates' sentences."""
    for score, candidate in ranked[:8]:
        said = candidate.passage.text
        if number := spoken([said]).number(said):
            return ShortAnswer(number, (candidate.passage,), score)
    return None


def _listed(ranked: list[Scored]) -> ShortAnswer:
    chosen: list[Candidate] = []
    seen: set[str] = set()
    for score, candidate in ranked:
        new = set(content_stems(candidate.text))
        if score >= _LISTED * ranked[0][0] and not new & seen and len(chosen) < _MOST_LISTED:
            chosen.append(candidate)
            seen |= new
    return ShortAnswer(", ".join(_wording(c) for c in chosen), tuple(c.passage for c in chosen), ranked[0][0])


def _wording(candidate: Candidate) -> str:
    """The candidate's words without what only tied them to their sentence."""
    return spoken([candidate.passage.text]).untied(candidate.text) or candidate.text


def _is_typed(question: Question, text: str) -> bool:
    if question.seeks is Seeks.COUNT:
        return bool(spoken([text]).number(text))
    if question.seeks in (Seeks.WHERE, Seeks.WHO):
        return any(word[:1].isupper() for word in text.split())
    return True


def _denies(text: str) -> bool:
    heard = spoken([text])
    return heard.denies(text) or heard.is_over(text)


def _yes_or_no(question: Question, passages: list[Passage]) -> ShortAnswer:
    """Yes where the best sentence affirms what the question says; no where one of the two denies it."""
    best = max(passages, key=lambda p: p.covered + p.cosine + 0.3 * p.score)
    denied = _denies(best.text) != _denies(question.text)
    return ShortAnswer("No" if denied else "Yes", (best,), best.cosine, typed=best.covered > 0)
