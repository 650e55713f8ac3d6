"""Whether what one turn says makes what an earlier one said untrue, and what it notes in its place."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from ..model import Turn
from ..model.cards import Noted, of_one_slot
from ..model.generated import Told, speaker_name
from ..text import content_stems, sentences
from . import spoken

__all__ = ["makes_untrue", "noted_anew", "notes_what_changes"]

_NO_VECTOR = np.zeros(1, dtype=np.float32)


def makes_untrue(new: Turn, old: Turn) -> bool:
    """Whether some sentence of `new` takes the place of one of `old`, by the rules of its language."""
    language = spoken([new.text])
    return any(language.supersedes(one, other) for one in _told(new) for other in _told(old))


def notes_what_changes(text: str) -> bool:
    """Whether a turn notes something of its speaker of which one value holds at a time: a home, a number."""
    return any(note.slot for note in _noted(text))


def noted_anew(new: str, old: str, value: str) -> Noted | None:
    """What the turn `new` notes in the place of `value`, which `old` noted; None where it notes nothing of the kind."""
    held = [note for note in _noted(old) if _is_same(note.value, value)]
    instead = (note for note in _noted(new) if not _is_same(note.value, value))
    return next((note for note in instead if any(of_one_slot(note, other) for other in held)), None)


def _is_same(one: str, other: str) -> bool:
    """Whether two values are one: numbers by all of their digits, since two of one town begin alike."""
    digits, others = (re.sub(r"\D", "", each) for each in (one, other))
    if digits and others:
        return digits in others or others in digits
    return bool(set(content_stems(one)) & set(content_stems(other)))


@lru_cache(maxsize=64)
def _noted(text: str) -> tuple[Noted, ...]:
    return tuple(spoken([text]).noted(text))


@lru_cache(maxsize=64)
def _told(turn: Turn) -> tuple[Told, ...]:
    """What a turn says, as it was said and as it is retold: a turn is held against many."""
    language, name = spoken([turn.text]), speaker_name(turn)
    texts = [text for each in sentences(turn.text) for text in (each, *language.retold(each, turn, [name]))]
    return tuple(Told(text, _NO_VECTOR, name, turn.session, turn.said_at, (turn.id,)) for text in texts)
