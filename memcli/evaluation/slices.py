"""Slices: the questions of any data set that have something in common which can be computed, whatever their labels.

Gold evidence is looked at, to choose what is asked; nothing that is asked knows of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..errors import UsageError
from ..formats import turn_id
from ..model import TurnId
from ..text import content_stems
from .questions import GoldQuestion, Haystack

__all__ = ["SLICES", "HaystackWords", "Slice", "narrowed", "said_in", "slice_named"]


@dataclass(frozen=True, slots=True)
class HaystackWords:
    """What was said over a haystack: the text of every turn that may be evidence, and who speaks."""

    texts: Mapping[TurnId, str]
    speakers: Sequence[str]


@dataclass(frozen=True, slots=True)
class Slice:
    """A kind of question. `holds`: whether one belongs to it; `description` says so of many, in a few words."""

    name: str
    description: str
    holds: Callable[[GoldQuestion, HaystackWords], bool]


def _is_implicit(question: GoldQuestion, said: HaystackWords) -> bool:
    """Whether a question with evidence shares no content stem with it ("no lexical overlap").

    Who speaks says whose memory is asked for, not what about: names of speakers are no content.
    """
    names = {stem for speaker in said.speakers for stem in content_stems(speaker)}
    evidence = {stem for turn in question.evidence for stem in content_stems(said.texts[turn])}
    return bool(question.evidence) and evidence.isdisjoint(set(content_stems(question.text)) - names)


SLICES: Mapping[str, Slice] = {
    "implicit": Slice("implicit", "share no content word with their evidence", _is_implicit),
}


def slice_named(name: str) -> Slice:
    """The slice called `name`. Raises UsageError."""
    if name not in SLICES:
        raise UsageError(f"no slice is called {name!r}", f"choose from: {', '.join(SLICES)}")
    return SLICES[name]


def said_in(haystack: Haystack) -> HaystackWords:
    """What the messages of a haystack say."""
    texts = {turn: message.text for message in haystack.messages if (turn := turn_id(message)) is not None}
    return HaystackWords(texts, sorted({message.speaker for message in haystack.messages}))


def narrowed(haystack: Haystack, chosen: Slice, said: HaystackWords) -> Haystack:
    """The haystack with only the questions of a slice; the others are counted."""
    kept = [question for question in haystack.questions if chosen.holds(question, said)]
    return replace(haystack, questions=kept, outside=haystack.outside + len(haystack.questions) - len(kept))
