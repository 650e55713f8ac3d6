"""What a reader, or a person, is shown of the hits: dated lines within a budget, and evidence with resolved dates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from memcli.languages import spoken
from memcli.model import Context, Hit, TurnId
from memcli.text import token_estimate
from memcli.text.times import TimeKind, describe

__all__ = ["EvidenceLine", "build_context", "evidence", "resolved", "within"]


@dataclass(frozen=True, slots=True)
class EvidenceLine:
    """One turn that speaks for an answer; `dates` are its time expressions with what they stand for."""

    turn: TurnId
    at: datetime | None
    speaker: str
    text: str
    dates: tuple[tuple[str, str], ...]


def within(hits: Sequence[Hit], budget_tokens: int) -> Context:
    """The best hits that fit `budget_tokens`, one a line, best first; a hit that does not fit is left out."""
    chosen: list[tuple[Hit, str]] = []
    spent = 0
    for hit in hits:
        line = _line(hit)
        cost = _tokens(line) + bool(chosen)
        if spent + cost <= budget_tokens:
            chosen.append((hit, line))
            spent += cost
    return Context(tuple(hit for hit, _ in chosen), "\n".join(line for _, line in chosen), spent)


#: The same turns come up again and again where many questions are asked over one store.
_tokens = lru_cache(maxsize=8192)(token_estimate)


def build_context(hits: Sequence[Hit], budget_tokens: int) -> Context:
    """What `within` chooses, oldest first: the context that is easiest to read."""
    chosen = within(hits, budget_tokens)
    ordered = sorted(chosen.hits, key=lambda hit: hit.unit.at.timestamp() if hit.unit.at else float("-inf"))
    return Context(tuple(ordered), "\n".join(map(_line, ordered)), chosen.tokens)


def _line(hit: Hit) -> str:
    at, text = hit.unit.at, " ".join(hit.unit.text.split())
    date = f"[{at:%Y-%m-%d %H:%M}] " if at else ""
    return f"{date}{hit.unit.label}: {text}" if hit.unit.label else f"{date}{text}"


def evidence(hits: Sequence[Hit], citations: Sequence[TurnId] = ()) -> list[EvidenceLine]:
    """The hits as lines to print, those that the answer cites first."""
    lines = [_evidence(hit) for hit in hits]
    cited = {turn: place for place, turn in enumerate(citations)}
    return sorted(lines, key=lambda line: cited.get(line.turn, len(cited)))


def _evidence(hit: Hit) -> EvidenceLine:
    unit = hit.unit
    return EvidenceLine(unit.sources[0], unit.at, unit.label, unit.text, resolved(unit.text, unit.at))


def resolved(text: str, at: datetime | None) -> tuple[tuple[str, str], ...]:
    """The time expressions of a text, said `at`, with what they stand for where they do not say it themselves."""
    found = (
        (e.text, describe(e.span) if e.kind not in (TimeKind.SINCE, TimeKind.STRETCH) else describe(e))
        for e in spoken([text]).times(text, at)
        if e.kind is not TimeKind.CLOCK
    )
    return tuple((said, meant) for said, meant in found if meant.casefold() not in said.casefold())
