"""Contractions written out: "I'm gonna" is "I am going to". One table, for retelling and for matching alike."""

from __future__ import annotations

import re
from functools import lru_cache

from ..data import table

__all__ = ["MATCHING", "RETELLING", "written_out"]

#: To be told in the third person: of whoever speaks or is spoken to.
RETELLING = "retelling"
#: To be matched with patterns.
MATCHING = "matching"


def written_out(text: str, purpose: str) -> str:
    """`text` with its contractions written out, as far as RETELLING or MATCHING asks for."""
    for pattern, into in _rules(purpose):
        text = pattern.sub(into, text)
    return text


@lru_cache
def _rules(purpose: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    rows = table(__package__, "contractions")["rule"]
    return tuple(
        (re.compile(row["pattern"], re.IGNORECASE), row["into"]) for row in rows if row.get("for", purpose) == purpose
    )
