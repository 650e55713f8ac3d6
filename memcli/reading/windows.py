"""What the reader reads at once: some sentences of one turn, with who says them and what stands before them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..text import sentences

__all__ = ["FORMER", "Window", "before", "placed", "spans"]

#: Words of a window; a longer sentence is one alone.
LONGEST = 40
#: Words of what stands before it, and turns that they may be of: a reply is often not the next turn.
BEFORE, FORMER = 24, 3


@dataclass(frozen=True, slots=True)
class Window:
    """`text`, said by `speaker`, after `before`: the end of what was said just before it, with who said it."""

    speaker: str
    text: str
    before: str

    @property
    def shown(self) -> str:
        """The text behind its speaker, who may be the answer."""
        return f"{self.speaker}: {self.text}"


def spans(sentences: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where windows begin and end, as places of sentences."""
    start, words = 0, 0
    for place, sentence in enumerate(sentences):
        more = len(sentence.split())
        if place > start and words + more > LONGEST:
            yield start, place
            start, words = place, 0
        words += more
    if sentences:
        yield start, len(sentences)


def placed(window: Window) -> Iterator[tuple[int, str]]:
    """The sentences of a window, each behind its place in what is shown of it."""
    end = len(window.shown) - len(window.text)
    for sentence in sentences(window.text):
        start = window.shown.find(sentence, end)
        end = start + len(sentence)
        yield start, sentence


def before(said: Sequence[tuple[str, str]]) -> str:
    """The end of what was said before a window: turns, each by its speaker, the last one nearest."""
    kept: list[str] = []
    room = BEFORE
    for speaker, text in reversed(said[-FORMER:]):
        words = text.split()
        kept.append(f"{speaker}: {'… ' if len(words) > room else ''}{' '.join(words[-room:])}")
        room -= len(words)
        if room <= 0:
            break
    return " ".join(reversed(kept))
