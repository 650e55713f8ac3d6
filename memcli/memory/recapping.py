"""What was talked about in a stretch of time: the telling sentences, ranked by what is particular to that time.

A sentence tells much if its words are rare (the sum of their idf, Robertson and Spärck Jones 1976, up to a limit), and
is particular if nothing like it was said at another time: one less its largest cosine with a sentence that was.
Greetings and what is said again and again fall away by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from ..languages import spoken
from ..model import Answer, Filters, Form, Hit, Session, Turn, TurnId
from ..reading.stored import StoredTranscript
from ..store import names, transcript
from ..strategies.base import turn_unit
from ..text import content_stems, is_unspaced, words
from ..text.times import Span, describe, month, week

if TYPE_CHECKING:
    from ..store.views.view import View

__all__ = ["MOST", "By", "Part", "Recap", "Told", "Written", "quoted", "recap", "telling", "told_of"]

#: So many sentences of a part are told unless somebody says how many.
MOST = 5
#: The sum of idf from which on a sentence's words tell no more.
_RICH = 20.0
#: What a question, and what an assistant says, is worth beside what a person states.
_ASKED, _ASSISTANT = 0.4, 0.5
#: Sentences that are looked at closely, the richest; of one session, of one turn.
_LOOKED_AT, _OF_SESSION = 600, 3
#: A sentence is told if it scores at least this share of the best; and says nothing that a better one says.
_LEAST, _SAME = 0.35, 0.8
#: Sentences of one topic share at least so much of the weight of the lighter one's words with its best one.
_TOPIC = 0.15
#: Characters of a topic's name in a script without spaces.
_BEGINNING = 16
_BLOCK = 64
#: From so many days on a recap is told by the week, and by the month.
_WEEKS, _MONTHS = timedelta(days=15), timedelta(days=100)


class By(StrEnum):
    """What the parts of a recap are."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    CONVERSATION = "conversation"
    TOPIC = "topic"


@dataclass(frozen=True, slots=True)
class Told:
    """A telling sentence, the turn and session that it is from, and its score in [0, 1]."""

    text: str
    turn: Turn
    session: Session
    score: float


@dataclass(frozen=True, slots=True)
class Written:
    """A sentence of a language model's, and the turns that support it."""

    text: str
    turns: tuple[TurnId, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A day, a week, a month, a conversation or a topic: its name, what was said, in the order of time, and what a
    language model has `written` of that, if one was asked (`recounting`).
    """

    name: str
    told: Sequence[Told]
    written: Sequence[Written] = ()


@dataclass(frozen=True, slots=True)
class Recap:
    """What was talked about within `since` and `until` (None: open), and how many turns that were. `fallback`: why a
    language model that was asked has not written of all of it.
    """

    since: datetime | None
    until: datetime | None
    by: By
    turns: int
    parts: Sequence[Part]
    fallback: str = ""

    @property
    def told(self) -> list[Told]:
        """Every sentence, the best first."""
        return sorted((each for part in self.parts for each in part.told), key=lambda each: -each.score)


def recap(view: View, filters: Filters, by: By | None = None, most: int = MOST) -> Recap:
    """What was talked about within the filters, whose names are whole; at most so many sentences a part.

    `by` None: by the day, for longer stretches by the week, then by the month. Raises UsageError, StoreError.
    """
    if most < 1:
        raise UsageError("-k must be at least 1")
    rows = np.flatnonzero(view.allowed(filters))
    found = telling(view, rows)
    chosen = by or _grain(filters, [each.turn.said_at for each in found])
    parts = [Part(name, _first(told, most)) for name, told in _parts(view, found, chosen, filters)]
    return Recap(filters.since, filters.until, chosen, len(rows), parts)


# -- which sentences ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A sentence by its number, its turn's row and session, and how much its words tell."""

    number: int
    row: int
    text: str
    rich: float


def telling(view: View, rows: npt.NDArray[np.int64]) -> list[Told]:
    """What tells most of what these turns say, by their rows, the best first."""
    candidates = sorted(_candidates(view, rows), key=lambda each: (-each.rich, each.number))[:_LOOKED_AT]
    if not candidates:
        return []
    vectors = view.vectors(np.array([each.number for each in candidates], dtype=np.int64))
    particular = 1 - _nearest(view, candidates, vectors, rows)
    scores = np.array([each.rich for each in candidates]) * particular
    kept = _distinct(scores, vectors, [int(view.session[each.row]) for each in candidates])
    turns = view.fetch([candidates[i].row for i in kept])
    sessions = view.read(lambda db: transcript.sessions_of(db, {turn.session for turn in turns}))
    return [
        Told(candidates[i].text, turn, sessions[turn.session], round(float(scores[i]), 4))
        for i, turn in zip(kept, turns, strict=True)
    ]


def _candidates(view: View, rows: npt.NDArray[np.int64]) -> Iterator[_Candidate]:
    said = view.sentence_texts(rows.tolist())
    stems = {text: _stems(text) for each in said.values() for _, text in each}
    rarity = StoredTranscript(view).rarity(sorted(frozenset().union(*stems.values())))
    roles = view.roles
    for row, each in said.items():
        for number, text in each:
            if rich := _rich(text, sum(map(rarity.__getitem__, stems[text])), assistant=roles[row] == "assistant"):
                yield _Candidate(number, row, text, rich)


def _rich(text: str, rarity: float, *, assistant: bool) -> float:
    """How much a sentence tells whose words have this rarity in all."""
    language = spoken([text])
    asks = text.rstrip().endswith(("?", "？", "؟"))
    if not language.informative(text, 2) or (not asks and language.is_small_talk(text)):
        return 0.0
    rich = min(rarity / _RICH, 1.0)
    return rich * (_ASKED if asks else 1.0) * (_ASSISTANT if assistant else 1.0)


def _stems(text: str) -> frozenset[str]:
    """Those of its words that carry more than grammar, by the rules of its language."""
    return frozenset(content_stems(text, spoken([text]).code))


def _nearest(
    view: View, candidates: Sequence[_Candidate], vectors: npt.NDArray[np.float32], rows: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """For each candidate its largest cosine with a sentence of another time; where most was said within the time, of
    another session.
    """
    outside = np.ones(view.n, dtype=bool)
    outside[rows] = len(rows) > view.n // 2
    owners = view.owner
    elsewhere = outside[owners]
    session = view.session[owners]
    best = []
    for at in range(0, len(candidates), _BLOCK):
        cosines = view.cosines(vectors[at : at + _BLOCK])
        own = np.array([view.session[each.row] for each in candidates[at : at + _BLOCK]])
        best.append(np.where(elsewhere & (session != own[:, None]), cosines, 0.0).max(axis=1, initial=0.0))
    return np.concatenate(best).clip(0.0, 1.0)


def _distinct(scores: npt.NDArray[np.float64], vectors: npt.NDArray[np.float32], sessions: Sequence[int]) -> list[int]:
    """The places of the sentences that are told, the best first: none says what a better one says."""
    kept: list[int] = []
    of_session: dict[int, int] = {}
    order = np.argsort(-scores, kind="stable").tolist()
    for i in order:
        if scores[i] < _LEAST * scores[order[0]] or scores[i] <= 0:
            break
        if of_session.get(sessions[i], 0) < _OF_SESSION and not (kept and (vectors[kept] @ vectors[i]).max() >= _SAME):
            kept.append(i)
            of_session[sessions[i]] = of_session.get(sessions[i], 0) + 1
    return kept


# -- in which parts ----------------------------------------------------------------------------------------------------


def _grain(filters: Filters, times: Iterable[datetime | None]) -> By:
    known = [at.replace(tzinfo=None) for at in (*times, filters.since, filters.until) if at]
    length = max(known) - min(known) if known else timedelta(0)
    return By.DAY if length <= _WEEKS else By.WEEK if length <= _MONTHS else By.MONTH


def _parts(view: View, found: Sequence[Told], by: By, filters: Filters) -> Iterator[tuple[str, Sequence[Told]]]:
    if by is By.TOPIC:
        yield from _topics(view, found)
        return
    named = sorted(((_place(each, by, filters), each) for each in found), key=lambda pair: (pair[0], _when(pair[1])))
    for (_, name), group in groupby(named, key=lambda pair: pair[0]):
        yield name, [each for _, each in group]


def _place(told: Told, by: By, filters: Filters) -> tuple[float, str]:
    """Where a part stands among the others, and its name: of a week the days that were asked for."""
    if by is By.CONVERSATION:
        return 0.0, told.session.conversation
    at = told.turn.said_at
    if at is None:
        return float("inf"), "undated"
    day = at.replace(tzinfo=None)
    if by is By.DAY:
        return float(day.toordinal()), f"{day:%Y-%m-%d}"
    span = week(day) if by is By.WEEK else month(day)
    return float(span.start.toordinal()), describe(_within(span, filters) if by is By.WEEK else span)


def _within(span: Span, filters: Filters) -> Span:
    since, until = (each and each.replace(tzinfo=None) for each in (filters.since, filters.until))
    start, end = max(span.start, since or span.start), min(span.end, until or span.end)
    return replace(span, start=start, end=end) if start < end else span


def _when(told: Told) -> tuple[float, int, int]:
    """When it was said; sentences of one time in the order of their turns, and of one turn in its own."""
    turn = told.turn
    at = turn.said_at.replace(tzinfo=None).timestamp() if turn.said_at else float("inf")
    return at, turn.position, turn.text.find(told.text)


def _topics(view: View, found: Sequence[Told]) -> Iterator[tuple[str, Sequence[Told]]]:
    """Sentences about the best one that is left, until none is; named by its rarest words."""
    left = list(found)
    stems = {each.text: _stems(each.text) for each in found}
    rarity = StoredTranscript(view).rarity(sorted(frozenset().union(*stems.values())))
    while left:
        best = stems[left[0].text]
        group = [each for each in left if _share(best, stems[each.text], rarity) >= _TOPIC]
        left = [each for each in left if each not in group]
        yield _topic_name(group[0].text, rarity), sorted(group, key=_when)


def _share(one: frozenset[str], other: frozenset[str], rarity: Mapping[str, float]) -> float:
    """How much of the lighter one's weight of words both have."""
    weights = [sum(rarity[stem] for stem in stems) for stems in (one & other, one, other)]
    return weights[0] / max(min(weights[1:]), 1e-9)


def _topic_name(text: str, rarity: Mapping[str, float]) -> str:
    """The rarest words of a text, in its order; of one without spaces its beginning."""
    if is_unspaced(text):
        return text if len(text) <= _BEGINNING else f"{text[:_BEGINNING]}…"
    code = spoken([text]).code
    stems = {word: content_stems(word, code) for word in words(text, code)}
    rare = {word: max(map(rarity.__getitem__, found)) for word, found in stems.items() if found}
    return ", ".join(sorted(sorted(rare, key=lambda word: -rare[word])[:3], key=text.lower().find))


def _first(told: Sequence[Told], most: int) -> list[Told]:
    """The best of a part, in its order."""
    chosen = set(sorted(range(len(told)), key=lambda i: -told[i].score)[:most])
    return [each for i, each in enumerate(told) if i in chosen]


# -- as an answer ------------------------------------------------------------------------------------------------------


def told_of(view: View, question: str, filters: Filters, at: datetime) -> tuple[Answer, list[Hit]] | None:
    """The answer to a question that asks what was said or happened at some time, with what it quotes; None for others.

    It quotes; where nothing was said then, it abstains.
    """
    asked = spoken([question]).looks_back(question, at)
    if asked is None:
        return None
    span, who = asked
    try:
        speaker = view.read(lambda db: names.person(db, who, [])) if who else filters.speaker
    except UsageError:
        return None
    since, until = max(_known(span.start, filters.since)), min(_known(span.end, filters.until))
    found = quoted(recap(view, replace(filters, since=since, until=until, speaker=speaker), most=MOST).told)
    return found or (Answer(spoken([question]).nothing(), (), 0.0, abstained=True), [])


def quoted(found: Sequence[Told]) -> tuple[Answer, list[Hit]] | None:
    """The best of these sentences in the order of time, as an answer that concludes nothing: its confidence is 1. None
    where there are none.
    """
    if not found:
        return None
    ordered = sorted(found[:MOST], key=_when)
    text = "\n".join(f"{_day(each)}{each.turn.speaker}: {each.text}" for each in ordered)
    answer = Answer(text, tuple(dict.fromkeys(each.turn.id for each in ordered)), 1.0, False, form=Form.QUOTE)
    best = {each.turn.id: each for each in reversed(found[: 2 * MOST])}  # a turn's best sentence is its first
    return answer, [Hit(turn_unit(each.turn), each.score) for each in sorted(best.values(), key=lambda one: -one.score)]


def _known(one: datetime, other: datetime | None) -> list[datetime]:
    if other is None:
        return [one]
    return [one, other] if (one.tzinfo is None) == (other.tzinfo is None) else [one, other.replace(tzinfo=one.tzinfo)]


def _day(told: Told) -> str:
    return f"{told.turn.said_at:%Y-%m-%d} " if told.turn.said_at else ""
