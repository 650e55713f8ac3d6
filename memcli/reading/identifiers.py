"""Numbers that stand for something: phone numbers, e-mail addresses, codes. They are given whole or not at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from memcli.reading.passages import Passage
from memcli.reading.temporal import ShortAnswer
from memcli.text.times import month_name

__all__ = ["find"]

#: A value counts where its turn holds this share of the question's weight of words.
_COVERED = 0.4


def find(value: re.Pattern[str], passages: Sequence[Passage]) -> ShortAnswer | None:
    """The newest value that the evidence holds, and the one before it; None where there is none."""
    spoken = [p for p in passages if p.turn_covered >= _COVERED or p.asked >= _COVERED]
    said = [(match.group().strip(), p) for p in spoken for match in value.finditer(p.text)]
    if not said:
        return None
    said.sort(key=lambda pair: (pair[1].by_asked, _time(pair[1].at)), reverse=True)
    now, at = said[0]
    before = next((pair for pair in said[1:] if pair[0] != now and pair[1].speaker == at.speaker), None)
    if before is None:
        return ShortAnswer(now, (at,), at.score)
    until = f", until {month_name(at.at)} {at.at.year}" if at.at else ""
    return ShortAnswer(f"{now} (before: {before[0]}{until})", (at, before[1]), at.score)


def _time(at: datetime | None) -> float:
    return at.timestamp() if at else float("-inf")
