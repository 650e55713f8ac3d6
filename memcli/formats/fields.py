"""What an export's JSON holds at a key, if it is of the type that is looked for; else nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["mapping", "name_in", "sequence", "string"]


def mapping(record: object, key: str) -> dict[str, Any]:
    """The object at `key`, or an empty one."""
    value = record.get(key) if isinstance(record, Mapping) else None
    return value if isinstance(value, dict) else {}


def sequence(record: object, key: str) -> list[Any]:
    """The list at `key`, or an empty one."""
    value = record.get(key) if isinstance(record, Mapping) else None
    return value if isinstance(value, list) else []


def string(record: object, key: str) -> str:
    """The text at `key`, as it is, or an empty one."""
    value = record.get(key) if isinstance(record, Mapping) else None
    return value if isinstance(value, str) else ""


def name_in(record: object, *keys: str) -> str:
    """The first of these keys that holds a name: text with something in it, or a whole number."""
    for key in keys:
        value = record.get(key) if isinstance(record, Mapping) else None
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value) if abs(value) < 1 << 128 else ""
    return ""
