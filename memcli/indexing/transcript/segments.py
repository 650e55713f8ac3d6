"""Turns to sentences, stems and cues: everything of a session's index that needs no store and no model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from ...languages import language, tongues
from ...model import Session, Turn
from ...text import indexed_stems, sentences

__all__ = ["Segmented", "TurnSegments", "segment", "sentence_hash"]


@dataclass(frozen=True, slots=True)
class TurnSegments:
    """A turn's language, its sentences with the hashes under which their vectors are stored, its stems and its cues.

    `stems`: content words, as the turn is found by them.
    """

    language: str
    sentences: tuple[str, ...]
    hashes: tuple[int, ...]
    stems: Counter[str]
    cues: int


@dataclass(frozen=True, slots=True)
class Segmented:
    """Turns of one session, ready to be embedded and stored."""

    session: Session
    turns: Sequence[Turn]
    segments: Sequence[TurnSegments]


def segment(session: Session, turns: Sequence[Turn]) -> Segmented:
    """Segments the turns of one session. A turn always has at least one sentence."""
    return Segmented(
        session, turns, [_segments(turn.text, code) for turn, code in zip(turns, tongues(turns), strict=True)]
    )


def _segments(text: str, code: str) -> TurnSegments:
    found = tuple(sentences(text, code)) or (text,)
    stems = Counter(indexed_stems(text, code))
    return TurnSegments(code, found, tuple(map(sentence_hash, found)), stems, int(language(code).cues(text)))


def sentence_hash(sentence: str) -> int:
    """64 bits of the sentence's content: two turns that share a sentence share its vector."""
    return int.from_bytes(blake2b(sentence.encode(), digest_size=8).digest(), "little")
