"""The windows that a reader looks at, each with what speaks for it before it is read."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

from memcli.languages import language, spoken
from memcli.model import Cue, Hit, Query, Question, SessionId, Standing, Turn, TurnId
from memcli.model.generated import Assertion
from memcli.reading import windows
from memcli.reading.windows import Window
from memcli.store.rows import microseconds
from memcli.text import stems
from memcli.text.times import Expression, TimeKind

__all__ = ["Passage", "Transcript", "asks", "gather", "later", "of_hits", "placed", "put_right", "translated"]

#: Hits that are looked at, those of them whose next turns are, too, windows in all.
_DEPTH, _FOLLOWED, _MOST = 20, 5, 24
#: Where a turn stands that is no hit.
_BEHIND = 12
#: Turns that are looked at for what has changed since; and within how many somebody corrects himself.
_LATER, _SOON = 4, 5
#: Windows of one turn: those nearest to the question.
_OF_TURN = 2
#: Who asks what holds of somebody is not told it by what holds of somebody else; what happened to two may be one thing.
_HOLDING = (Standing.NOW, Standing.FORMER)
_WORD = re.compile(r"\w+")


class Transcript(Protocol):
    """What a reader needs to know of the store."""

    def around(self, turn_id: TurnId, before: int, after: int) -> Sequence[Turn]:
        """The turn and its neighbours in its session, in order."""

    def sentences(
        self, turn_ids: Sequence[TurnId], vector: npt.NDArray[np.float32]
    ) -> Mapping[TurnId, Sequence[tuple[str, float]]]:
        """The sentences of each turn with their cosine to `vector`."""

    def asserted(
        self, head: str, query: Query, turns: Sequence[TurnId] | None = None
    ) -> Sequence[tuple[Turn, Assertion, float]]:
        """What is asserted of somebody, in these turns or in any, each with the turn that says it and its cosine to the
        question, as one voices tastes.
        """

    def later(self, turn_id: TurnId, query: Query, n: int) -> Sequence[Turn]:
        """The n turns, of those that the query may see, that the turn's speaker said after it and that are most like
        it.
        """

    def sessions_with(self, speaker: str, sessions: Collection[SessionId]) -> Collection[SessionId]:
        """Those of these sessions in whose conversation a speaker has a part."""

    def rarity(self, stems: Sequence[str]) -> Mapping[str, float]:
        """How rare each stem is among the turns: log(1 + (N - df + ½) / (df + ½))."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A window of a turn, with where its turn stands among the hits.

    `score` is the hit's over the best one's; `cosine` that of the window's best sentence. `covered`, `turn_covered` and
    `thread_covered` are shares of the question's weight of words: in the window, in its turn, in its turn and those
    just before. `replies`: one of these is another's, and asks. `by_asked` is 1 if the one whom the question is about
    says it, -1 if another does; `present`, if that one has a part in the conversation or not. `follows`: it is no hit,
    but the turn after one. `then` is 1 if it was said, or tells of something, at a time that the question names, -1 if
    not, 0 where it names none. `asking`: the turn that it replies to, `asked` its words behind its speaker;
    `asked_cosine`: that turn's, 0 where there is none. `of_another` is 1 if somebody else says it than the one whom the
    question is about, whom neither it nor what was said just before names, and whom it does not answer. What that one
    says of somebody of his own is of another,
    too, and as good as said by one, where it is asked what holds of him.
    """

    window: Window
    turn: TurnId
    at: datetime | None
    rank: int
    score: float
    cosine: float
    covered: float
    turn_covered: float
    by_asked: float
    follows: bool
    turn_text: str
    then: float = 0.0
    thread_covered: float = 0.0
    replies: bool = False
    present: float = 0.0
    asked_cosine: float = 0.0
    of_another: float = 0.0
    asking: TurnId | None = None
    asked: tuple[str, str] | None = None

    @property
    def asked_ahead(self) -> float:
        """By how much what it replies to is nearer to the question than itself; 0 where it is not."""
        return max(self.asked_cosine - self.cosine, 0.0)


@dataclass(frozen=True, slots=True)
class _Place:
    """A turn that is read, for the hit at `rank`; those just before it, and the one of them that it replies to."""

    turn: Turn
    rank: int
    score: float
    follows: bool
    former: Sequence[Turn] = ()
    asking: Turn | None = None


def gather(question: Question, query: Query, hits: Sequence[Hit], transcript: Transcript) -> list[Passage]:
    """The windows of the best hits and of what follows the first of them, best hit first."""
    return _read(question, query, list(_places(query, hits[:_DEPTH], transcript)), transcript)[:_MOST]


def of_hits(question: Question, query: Query, hits: Sequence[Hit], transcript: Transcript) -> list[Passage]:
    """The windows of these hits alone, each with the place of its hit as `rank`."""
    turns = [transcript.around(hit.unit.sources[0], 0, 0)[0] for hit in hits]
    places = [_Place(turn, rank, 0.0, follows=False) for rank, turn in enumerate(turns)]
    return _read(question, query, places, transcript)


def placed(passages: Sequence[Passage], among: Sequence[Passage]) -> list[dict[str, float]]:
    """What is known of each passage before it is read, by name: signals that every judge takes. `among`: all that were
    found for the question.
    """
    nearest = max((passage.cosine for passage in among), default=0.0)
    return [_placed(passage, nearest) for passage in passages]


def _placed(passage: Passage, nearest: float) -> dict[str, float]:
    return {
        "place.score": passage.score,
        "place.rank": 1 / (1 + passage.rank),
        "cosine": passage.cosine,
        "cosine.behind": nearest - passage.cosine,
        "covered": passage.covered,
        "turn_covered": passage.turn_covered,
        "thread_covered": passage.thread_covered,
        "by_asked": passage.by_asked,
        "present": passage.present,
        "follows": float(passage.follows),
        "replies": float(passage.replies),
        "asked.cosine": passage.asked_cosine,
    }


def put_right(question: Question, query: Query, best: Passage, transcript: Transcript) -> list[Passage]:
    """The windows of what the best one's speaker says right after it to put it right: "at seven, sorry"."""
    _, *soon = _onward(query, best.turn, _SOON, transcript)
    said = [turn for turn in soon if turn.speaker == best.window.speaker and spoken([turn.text]).corrects(turn.text)]
    return _read(question, query, [_Place(turn, _BEHIND, 0.0, follows=True) for turn in said], transcript)


def later(question: Question, query: Query, best: Passage, transcript: Transcript) -> list[Passage]:
    """The windows of what the same speaker said later that is most like the best one."""
    turns = transcript.later(best.turn, query, _LATER)
    return _read(question, query, [_Place(turn, _BEHIND, 0.0, follows=False) for turn in turns], transcript)


def _read(question: Question, query: Query, places: Sequence[_Place], transcript: Transcript) -> list[Passage]:
    """The windows of these turns, with what speaks for them."""
    if not places:
        return []
    weights = _StemWeights(transcript.rarity(question.stems), question)
    then = _stretches(language(question.language).asked_times(question.text, query.asked_at))
    threaded = [_threaded(place, transcript) for place in places]
    read = {turn.id for place in threaded for turn in (place.turn, place.asking) if turn}
    sentences = transcript.sentences(sorted(read), query.vector)
    shared = transcript.sessions_with(question.about, {p.turn.session for p in places}) if question.about else ()
    found: list[Passage] = []
    for place in threaded:
        present = _is_so(place.turn.session in shared, question.about)
        windows_ = _of_turn(question, place, sentences, weights)
        found.extend(_about(question, replace(each, present=present, then=_then(each, then))) for each in windows_)
    return found


def _about(question: Question, passage: Passage) -> Passage:
    """The passage with whom it is about: what one says of somebody of his own is as good as said by another."""
    if passage.by_asked > 0 and question.standing in _HOLDING and _is_of_ones_own(question, passage.window.text):
        return replace(passage, by_asked=-1.0, of_another=1.0)
    return replace(passage, of_another=float(_is_of_another(question, passage)))


def _is_of_ones_own(question: Question, text: str) -> bool:
    whom = spoken([text]).of_ones_own(text)
    return bool(whom) and whom not in question.text.lower()


def _threaded(place: _Place, transcript: Transcript) -> _Place:
    """With what stands before it."""
    turn = place.turn
    former = transcript.around(turn.id, windows.FORMER, 0)[:-1]
    asking = next((t for t in reversed(former) if t.speaker != turn.speaker and asks(t.text)), None)
    return replace(place, former=former, asking=asking)


def _stretches(found: Sequence[Expression]) -> list[tuple[datetime, datetime]]:
    """When times begin and end, without zones; of a clock alone there is none."""
    spans = [each.span for each in found if each.kind is not TimeKind.CLOCK]
    return [(span.start.replace(tzinfo=None), span.end.replace(tzinfo=None)) for span in spans]


def _then(passage: Passage, asked: Sequence[tuple[datetime, datetime]]) -> float:
    if not asked:
        return 0.0
    text = passage.window.text
    told = [start for start, _ in _stretches(spoken([text]).times(text, passage.at))]
    stated = told or ([passage.at.replace(tzinfo=None)] if passage.at else [])
    return 1.0 if any(start <= each < end for each in stated for start, end in asked) else -1.0


def _is_of_another(question: Question, passage: Passage) -> bool:
    """See `Passage.of_another`; "you" is who spoke before."""
    if question.about is None or passage.by_asked >= 0 or question.is_of_asker:
        return False
    text, before = passage.window.text, passage.window.before
    if not spoken([text]).cues(text) & Cue.SECOND_PERSON:
        before = before.replace(f"{question.about}: ", "")
    called = [each.word for each in question.named if each.speaker == question.about]
    names = set(_WORD.findall(" ".join([question.about, *called]).lower()))
    return not names & set(_WORD.findall(f"{before} {text}".lower()))


def _onward(query: Query, turn_id: TurnId, n: int, transcript: Transcript) -> list[Turn]:
    """The turn and up to n that follow it in its session, of those that the query may see."""
    turn, *behind = transcript.around(turn_id, 0, n)
    until = query.filters.until
    if until is None:
        return [turn, *behind]
    return [turn, *(t for t in behind if t.said_at is not None and microseconds(t.said_at) < microseconds(until))]


def _places(query: Query, hits: Sequence[Hit], transcript: Transcript) -> Iterator[_Place]:
    """The turns that the hits rest on, and where they ask or go on, the turns behind them; each once."""
    top = max((hit.score for hit in hits), default=0.0)
    seen: set[TurnId] = set()
    for rank, hit in enumerate(hits):
        score = hit.score / top if top > 0 else 1.0 / (1 + rank)
        near = _onward(query, hit.unit.sources[0], _after(hit.unit.text) if rank < _FOLLOWED else 0, transcript)
        for step, turn in enumerate(near):
            if turn.id not in seen:
                seen.add(turn.id)
                yield _Place(turn, rank, score, follows=step > 0)


def _after(text: str) -> int:
    return 2 if asks(text) else 1


def _of_turn(
    question: Question,
    place: _Place,
    sentences: Mapping[TurnId, Sequence[tuple[str, float]]],
    weights: _StemWeights,
) -> list[Passage]:
    turn, said = place.turn, sentences[place.turn.id]
    texts = [text for text, _ in said]
    parts = sorted(windows.spans(texts), key=lambda part: -_nearest(said[slice(*part)]))[:_OF_TURN]
    whole = weights.covered(turn.text)
    by_asked = _is_so(turn.speaker.lower() == (question.about or "").lower(), question.about)
    thread = weights.covered("\n".join(each.text for each in (*place.former, turn)))
    asked = _nearest(sentences[place.asking.id]) if place.asking else 0.0
    return [
        Passage(
            Window(turn.speaker, " ".join(texts[start:end]), _before(turn, texts[:start], place.former)),
            turn.id, turn.said_at, place.rank, place.score, _nearest(said[start:end]),
            weights.covered(" ".join(texts[start:end])), whole, by_asked, place.follows, turn.text,
            thread_covered=thread, replies=place.asking is not None, asked_cosine=asked,
            asking=place.asking.id if place.asking else None,
            asked=(place.asking.speaker, place.asking.text) if place.asking else None,
        )
        for start, end in parts
    ]  # fmt: skip


def _nearest(said: Sequence[tuple[str, float]]) -> float:
    return max((near for _, near in said), default=0.0)


def asks(text: str) -> bool:
    """Whether a text asks anything."""
    return spoken([text]).asks(text)


def _before(turn: Turn, own: Sequence[str], former: Sequence[Turn]) -> str:
    """The end of what stands before a window: what the turn itself says, and the turns before."""
    said = [(each.speaker, each.text) for each in former]
    return windows.before([*said, (turn.speaker, " ".join(own))] if own else said)


def _is_so(true: bool, about: str | None) -> float:
    """1 or -1 of the one whom the question is about; 0 where it is about nobody."""
    return 0.0 if about is None else 1.0 if true else -1.0


class _StemWeights:
    """How much each of the question's words weighs."""

    def __init__(self, rarity: Mapping[str, float], question: Question) -> None:
        self._question = question
        self._weights = list(rarity.items())
        self._whole = sum(rarity.values())

    def covered(self, text: str) -> float:
        """The share of the whole weight that `text` holds, in the question's words or in its own language's."""
        present = _stems_in(text, self._question.language) | translated(self._question, text)
        return sum(w for stem, w in self._weights if stem in present) / self._whole if self._whole > 0 else 0.0


def translated(question: Question, text: str) -> set[str]:
    """The question's stems for which a text has what they are in its language."""
    if not question.translations:
        return set()
    code = spoken([text]).code
    return {each.stem for each in question.translations if each.language == code and each.term in _stems_in(text, code)}


@lru_cache(maxsize=8192)
def _stems_in(text: str, language: str) -> frozenset[str]:
    return frozenset(stems(text, language))
