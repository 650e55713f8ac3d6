"""Words of feeling and filling: what is left of a sentence without them is what it tells."""

from __future__ import annotations

from ...text import content_stems, stem
from .words import listed

__all__ = ["informative", "is_reaction", "telling_stems"]

_REACTIONS = frozenset(
    map(
        stem,
        listed("reactions", "reactions"),
    )
)


def informative(sentence: str, least: int = 1) -> bool:
    """Whether a sentence has at least `least` words that carry more than grammar and feeling."""
    return len(telling_stems(sentence)) >= least


def telling_stems(text: str) -> frozenset[str]:
    """The stems of `text` that carry more than grammar and feeling."""
    return frozenset(content_stems(text)) - _REACTIONS


def is_reaction(word: str) -> bool:
    """Whether a lower-case word is one of feeling and filling that says little by itself."""
    return stem(word) in _REACTIONS
