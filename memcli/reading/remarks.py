"""What a small model is shown: the best turns with their neighbours, few enough to keep in mind, each by a letter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from string import ascii_uppercase
from typing import Protocol

from ..model import Answer, Hit, Query, Turn, TurnId
from ..text import token_estimate
from ..text.times import weekday_name
from .context import resolved
from .look import Look
from .written import plain

__all__ = ["LETTERS", "Extractive", "Remark", "lines", "remarks", "when"]

LETTERS = ascii_uppercase

#: Hits that are shown, and tokens of them and their neighbours.
_HITS, _TOKENS = 5, 600
#: Words of a turn that is shown whole; of a neighbour that is longer, so many.
_WHOLE, _NEIGHBOUR = 80, 40


class Extractive(Protocol):
    """The extractive reader, as a reader by a small model needs it."""

    def read(self, query: Query, hits: Sequence[Hit]) -> Answer:
        """See `Reader.read`."""

    def looked(self, query: Query, hits: Sequence[Hit]) -> tuple[Answer, Look]:
        """See `HeedingReader.looked`."""

    def around(self, turn: TurnId, before: int, after: int) -> Sequence[Turn]:
        """See `Transcript.around`."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A turn, and what of it is shown."""

    turn: Turn
    text: str


def remarks(hits: Sequence[Hit], look: Look, reader: Extractive, tokens: int = _TOKENS) -> list[Remark]:
    """The turns of the best hits and, as far as there is room, those after and before them, oldest first."""
    chosen: dict[TurnId, Remark] = {}
    spent = 0
    for remark in _wanted(hits[:_HITS], look, reader):
        cost = token_estimate(_line("A", remark))
        if remark.turn.id not in chosen and spent + cost <= tokens and len(chosen) < len(LETTERS):
            chosen[remark.turn.id] = remark
            spent += cost
    return sorted(chosen.values(), key=_order)


def _wanted(hits: Sequence[Hit], look: Look, reader: Extractive) -> Iterator[Remark]:
    near = [(hit.unit.sources[0], reader.around(hit.unit.sources[0], 1, 1)) for hit in hits]
    read = _windows(look)
    for id_, turns in near:
        yield from (Remark(turn, _shown(turn, read)) for turn in turns if turn.id == id_)
    for step in (1, -1):
        for id_, turns in near:
            place = next((i for i, turn in enumerate(turns) if turn.id == id_), 0) + step
            if 0 <= place < len(turns):
                yield Remark(turns[place], _cut(turns[place].text))


def _windows(look: Look) -> Mapping[TurnId, Sequence[str]]:
    """What the extractive reader read of each turn, in the order in which it was said."""
    read: dict[TurnId, list[str]] = {}
    for found in look.found:
        read.setdefault(found.passage.turn, []).append(found.passage.window.text)
    texts = {found.passage.turn: found.passage.turn_text for found in look.found}
    return {turn: sorted(parts, key=texts[turn].find) for turn, parts in read.items()}


def _shown(turn: Turn, read: Mapping[TurnId, Sequence[str]]) -> str:
    """A short turn; of a long one what is nearest to the question."""
    if len(turn.text.split()) <= _WHOLE:
        return turn.text
    return " … ".join(read.get(turn.id, ())) or _cut(turn.text)


def _cut(text: str) -> str:
    said = text.split()
    return text if len(said) <= _NEIGHBOUR else f"{' '.join(said[:_NEIGHBOUR])} …"


def _order(remark: Remark) -> tuple[float, str, int]:
    turn = remark.turn
    return turn.said_at.timestamp() if turn.said_at else float("-inf"), turn.session, turn.position


def lines(shown: Sequence[Remark]) -> str:
    """The remarks, one a line behind its letter: whatever was said, none can look like two."""
    return "\n".join(_line(letter, remark) for letter, remark in zip(LETTERS, shown, strict=False))


def _line(letter: str, remark: Remark) -> str:
    speaker = plain(remark.turn.speaker) or "somebody"
    return f"{letter} {when(remark.turn.said_at)}{speaker}: {plain(remark.text)}{_dates(remark)}"


def when(at: datetime | None) -> str:
    """The day on which something was said, in brackets."""
    return f"[{at:%Y-%m-%d} {weekday_name(at)}] " if at else ""


def _dates(remark: Remark) -> str:
    """The dates that a remark means: a small model does not work them out."""
    found = resolved(remark.text, remark.turn.said_at)
    return f" ({'; '.join(f'{plain(said)} = {meant}' for said, meant in found)})" if found else ""
