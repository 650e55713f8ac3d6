"""The EDUs of what persons say to each other, turn by turn, each with what it needs of its neighbours.

A sentence that points back joins the one before it; the question that a turn answers, or what it replies to, is told
along with each of its statements, for without it "a blue one" and "I loved it" say nothing (EMem, §3.2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...model import Turn, TurnId
from ...model.generated import speaker_name
from ...text import image
from .address import trimmed
from .coreference import Antecedents, points_back
from .elision import clause, informs, is_advice
from .reactions import telling_stems
from .replies import completed, is_fragment, retold_question
from .voice import Voice, capitalised

__all__ = ["Discourse", "OpenEvent"]

_LONGEST = 900
_CONTEXT_WORDS = 15
_MERGED_WORDS = 40
#: A mark after a word that the finding of sentences took for an abbreviation: "to me. Enjoy".
_RUN_ON = re.compile(r"(?<=\b(?:me|no|so|it|up|us)[.])\s+(?=[A-Z])")
_WORDY = re.compile(r"\w\w|[^\x00-\x7f]|\d")
_POINTING = re.compile(r"\b(?:it|that|this|these|those|them|him|her|one|there)\b", re.IGNORECASE)
#: Somebody named before: "Seeing her wobble".
_EARLY = re.compile(r"^\w+\s+(?:\w+\s+)?(?:her|him|them|'em)\b", re.IGNORECASE)
#: So many words must tell something, or the sentence counts only where its turn has nothing better.
_LEAST = 2


@dataclass(slots=True)
class OpenEvent:
    """An EDU while it may still take in a sentence that points back to it. `context`: what it answers or replies to."""

    text: str
    sources: tuple[TurnId, ...]
    turn: Turn
    context: str = ""
    tail: str = ""

    def own(self) -> str:
        """What its turn says."""
        return f"{_unmarked(self.text)}. {self.tail}" if self.tail else self.text

    def whole(self) -> str:
        """What its turn says, and what that answers or replies to."""
        return f"{_unmarked(self.own())} ({self.context})" if self.context else self.own()


@dataclass(frozen=True, slots=True)
class _OpenQuestion:
    """A question that the next turn of another speaker may answer, as it was put, and with names."""

    text: str
    retold: str
    turn: Turn

    def context(self) -> str:
        return f"asked by {speaker_name(self.turn)}: {self.retold}"


@dataclass(slots=True)
class Discourse:
    """What of a session is known while its turns are read in order: who was named, asked, and told of last."""

    people: tuple[str, ...]
    names: frozenset[str]
    assisted: bool = False
    antecedents: Antecedents = field(init=False)
    asked: list[_OpenQuestion] = field(default_factory=list)
    topic: OpenEvent | None = None

    def __post_init__(self) -> None:
        self.antecedents = Antecedents(self.people)

    def turn(self, turn: Turn, sentences: Sequence[str]) -> list[OpenEvent]:
        """The EDUs of the next turn."""
        me = speaker_name(turn)
        others = tuple(name for name in self.people if name != me)
        telling = _Telling(self, turn, Voice(me, others[0] if len(others) == 1 else None, self.names), others)
        self.antecedents.forget()
        for sentence in sentences:
            telling.sentence(sentence)
        drafts = telling.finished()
        self.asked = telling.questions
        self.topic = drafts[-1] if drafts else self.topic
        return drafts

    def interrupted(self) -> None:
        """An assistant spoke: what follows replies to that, and so goes on with what it was asked for."""
        self.asked = []

    def answered(self, me: str) -> _OpenQuestion | None:
        """The question that a turn of `me` answers: the last one that says what it asks about."""
        asked = [q for q in self.asked if speaker_name(q.turn) != me]
        return next((q for q in reversed(asked) if telling_stems(q.text)), None) or next(
            (q for q in reversed(asked) if len(q.text.split()) > 3), None
        )


class _Telling:
    """One turn while its sentences are told."""

    def __init__(self, reading: Discourse, turn: Turn, voice: Voice, others: tuple[str, ...]) -> None:
        self._reading, self._turn, self._voice, self._others = reading, turn, voice, others
        self._asked = reading.answered(voice.me)
        self._drafts: list[OpenEvent] = []
        self._poor: list[str] = []
        self._captions: list[str] = []
        self.questions: list[_OpenQuestion] = []

    def sentence(self, sentence: str) -> None:
        """Takes in one sentence of the turn."""
        if not _WORDY.search(sentence):
            return
        if caption := image(sentence):
            self._captions.append(caption)
        elif len(sentence) <= _LONGEST and len(parts := _RUN_ON.split(sentence)) > 1:
            for part in parts:
                self.sentence(part)
        elif sentence.rstrip().endswith("?"):
            self._question(sentence)
        elif len(sentence) > _LONGEST:
            self._drafts.append(self._draft(self._voice.tell(sentence, self._turn)))
        else:
            self._statement(sentence)
            self._reading.antecedents.note(sentence, self._voice.me)

    def finished(self) -> list[OpenEvent]:
        """The turn's EDUs; of one that only asks, its questions."""
        drafts = [*self._drafts, *self._shared()]
        if self._reading.assisted or not drafts:
            drafts += self._told_questions()
        return drafts or [self._draft(self._told(bare)) for bare in self._poor]

    def _told(self, bare: str) -> str:
        return self._voice.tell(self._reading.antecedents.resolve(bare), self._turn)

    def _question(self, sentence: str) -> None:
        bare = trimmed(sentence.rstrip(" ?!"), self._others) if len(sentence) <= _LONGEST else sentence
        if bare:
            told = retold_question(f"{capitalised(bare)}?", self._voice.me, self._voice.you or "the others")
            self.questions.append(_OpenQuestion(sentence, told, self._turn))

    def _statement(self, sentence: str) -> None:
        bare = clause(sentence, self._others)
        if full := self._completed(sentence, bare):
            self._drafts.append(self._draft(capitalised(full), full=not _POINTING.search(full)))
        elif bare and informs(bare, _LEAST):
            added = bool(self._drafts) and is_fragment(bare) and not is_advice(bare)
            text = capitalised(self._plain(bare)) if added else self._told(bare)
            if not self._joins(text, bare):
                self._drafts.append(self._continued(text, bare) or self._draft(text))
        elif bare and informs(bare):
            self._poor.append(bare)

    def _completed(self, sentence: str, bare: str) -> str | None:
        """What an elliptic answer says together with its question; "yes" only the whole sentence has."""
        if self._asked is None or self._drafts:
            return None
        question, me, asker = self._asked.text, self._voice.me, speaker_name(self._asked.turn)
        said = [sentence, bare] if bare and (informs(bare) or any(map(str.isdigit, bare))) else [sentence]
        told = (completed(question, words, me, asker, self._plain) for words in said)
        return next((statement for statement in told if statement), None)

    def _plain(self, words: str) -> str:
        return self._voice.plain(words, self._turn)

    def _joins(self, text: str, bare: str) -> bool:
        """Whether a sentence that points back was taken in by the one before."""
        last = self._drafts[-1] if self._drafts else None
        if last is None or not _leans(bare) or len(last.own().split()) >= _MERGED_WORDS:
            return False
        last.tail = f"{last.tail}. {text}" if last.tail else text
        return True

    def _continued(self, text: str, bare: str) -> OpenEvent | None:
        """A sentence that points back to one that is too long to take it in."""
        if not self._drafts or not _leans(bare):
            return None
        return OpenEvent(text, (self._turn.id,), self._turn, f"said after: {_shortened(self._drafts[-1].text)}")

    def _draft(self, text: str, *, full: bool = False) -> OpenEvent:
        asked, topic, turn = self._asked, self._reading.topic, self._turn
        if asked is not None:
            return OpenEvent(text, (turn.id, asked.turn.id), turn, "" if full else asked.context())
        own = topic is not None and speaker_name(topic.turn) == self._voice.me
        if topic is None or topic.turn.id == turn.id or (own and not self._reading.assisted):
            return OpenEvent(text, (turn.id,), turn)
        lead = "said after" if own else "in reply to"
        return OpenEvent(text, (turn.id, topic.turn.id), turn, f"{lead}: {_shortened(topic.text)}")

    def _shared(self) -> Iterator[OpenEvent]:
        for caption in self._captions:
            known = caption.lower().startswith(("a photo", "a pic", "a paint", "a screen", "a close", "a draw"))
            shared = f"{capitalised(self._voice.me)} shared {caption if known else f'an image: {caption}'}"
            yield OpenEvent(shared, (self._turn.id,), self._turn)

    def _told_questions(self) -> Iterator[OpenEvent]:
        to = f" {self._voice.you}" if self._voice.you else ""
        for question in self.questions:
            if len(telling_stems(question.text)) >= 2:
                text = f"{capitalised(self._voice.me)} asked{to}: {capitalised(question.retold)}"
                points = _POINTING.search(question.text)
                yield self._draft(text) if points else OpenEvent(text, (self._turn.id,), self._turn)


def _leans(bare: str) -> bool:
    """Whether a sentence says little without the one before it."""
    return points_back(bare) or is_fragment(bare) or bool(_EARLY.search(bare))


def _unmarked(text: str) -> str:
    return text.rstrip(" .")


def _shortened(text: str) -> str:
    words = text.split(None, _CONTEXT_WORDS)
    return _unmarked(text) if len(words) <= _CONTEXT_WORDS else " ".join(words[:_CONTEXT_WORDS]) + " …"
