"""Typed patterns of circumstances: family, pets, friends, possessions, home, work, study, skills, health, beliefs."""

from __future__ import annotations

from collections.abc import Iterator

from .rules import Asserted, rules

__all__ = ["RULES", "circumstances"]

RULES = rules("circumstances")
#: What is taken for granted of the speaker, be it in a question or not.
_KNOWN = rules("circumstances", "known")


def circumstances(text: str, low: frozenset[str]) -> Iterator[Asserted]:
    """What a clause takes for granted of its speaker, be it in a question or not: relatives, pets, belongings, work."""
    if low.isdisjoint(("my", "our", "as", "like", "a")):
        return
    for known in _KNOWN:
        if known.cues and known.cues.isdisjoint(low):
            continue
        for match in known.pattern.finditer(text):
            yield Asserted(known.relation, match["tail"], known.confidence, strength=0.6, presupposed=True)
