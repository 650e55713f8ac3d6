"""A transcript's way to write a point in time → `datetime`: aware if an offset was given, else naive."""

from __future__ import annotations

import re
from datetime import UTC, datetime

__all__ = ["moment"]

_MONTHS = {name: n for n, name in enumerate(re.findall("...", "janfebmaraprmayjunjulaugsepoctnovdec"), start=1)}
_EPOCH = re.compile(r"-?\d{9,17}(?:\.\d+)?")
_SLASHED = re.compile(r"(\d{4})[/-](\d{1,2})[/-](\d{1,2})(?: *\([^()]{1,12}\))?(?: +(\d{1,2}):(\d{2})(?::(\d{2}))?)?")
_SPOKEN = re.compile(r"(\d{1,2}):(\d{2}) *([ap])\.?m\.? +on +(\d{1,2}) +([a-z]{3})[a-z]*\.?,? +(\d{4})", re.IGNORECASE)
_ZONE = re.compile(r"\s*(?:UTC|GMT)$|\s+(?=[+-]\d{2}:?\d{2}$)")

#: Outside these years a date is a mistake (a null written as year 1, seconds taken for days), not a memory.
_FIRST_YEAR, _LAST_YEAR = 1900, 2199


def moment(value: object) -> datetime | None:
    """The point in time that `value` stands for, or None where it is not understood.

    Understood: ISO 8601 with or without offset, epoch seconds, milliseconds or microseconds (told apart by
    magnitude, numbers or strings of at least nine digits), "2023/05/30 (Tue) 23:40", "1:56 pm on 8 May, 2023".
    """
    try:
        found = _read(value)
    except (ValueError, OverflowError, OSError):
        return None
    return found if found is not None and _FIRST_YEAR <= found.year <= _LAST_YEAR else None


def _read(value: object) -> datetime | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _from_epoch(float(value))
    if not isinstance(value, str):
        return None
    text = value.strip()
    if _EPOCH.fullmatch(text):
        return _from_epoch(float(text))
    return _from_slashed(text) or _from_spoken(text) or _from_iso(text)


def _from_epoch(number: float) -> datetime:
    for unit in (1_000_000.0, 1_000.0):
        # 10^11 seconds are the year 5138; as milliseconds, 1973.
        if abs(number) >= 1e8 * unit:
            return datetime.fromtimestamp(number / unit, UTC)
    return datetime.fromtimestamp(number, UTC)


def _from_slashed(text: str) -> datetime | None:
    if not (m := _SLASHED.fullmatch(text)):
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in m.groups())
    return datetime(year, month, day, hour, minute, second)


def _from_spoken(text: str) -> datetime | None:
    if not (m := _SPOKEN.fullmatch(text)):
        return None
    hour, minute, half, day, month, year = m.groups()
    if not 1 <= int(hour) <= 12 or month.lower() not in _MONTHS:
        return None
    hours = int(hour) % 12 + (12 if half.lower() == "p" else 0)
    return datetime(int(year), _MONTHS[month.lower()], int(day), hours, int(minute))


def _from_iso(text: str) -> datetime:
    named = text.endswith(("UTC", "GMT"))
    return datetime.fromisoformat(_ZONE.sub("", text) + ("+00:00" if named else ""))
