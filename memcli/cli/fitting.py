"""Documents that are to be no longer than an agent wants them: what stands last in their lists is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..text import token_estimate

__all__ = ["fitted"]

_CUT = " … [cut]"


def fitted(document: dict[str, Any], lists: Sequence[list[Any]], tokens: int | None) -> dict[str, Any]:
    """The document with so many estimated `tokens` at the most, as far as leaving out what stands last in `lists`,
    parts of it, can do it; it then says how many were left out. The first item stays, its text cut.
    """
    if tokens is None:
        return document
    own = _cost(document) - sum(_cost(item) for items in lists for item in items)
    left, out, full = tokens - own, 0, False
    for items in lists:
        kept = 0
        for item in items:
            full = full or _cost(item) > left
            if full and (out or kept or items is not lists[0]):
                break
            _shorten(item, left)
            left -= _cost(item)
            kept += 1
        out += len(items) - kept
        del items[kept:]
    return document | ({"left_out": out} if out else {})


def _shorten(item: Any, tokens: int) -> None:
    over = _cost(item) - tokens
    if over > 0 and isinstance(item, dict) and isinstance(item.get("text"), str):
        text = item["text"]
        share = max(token_estimate(text) - over - token_estimate(_CUT), 1) / max(token_estimate(text), 1)
        item["text"] = text[: int(len(text) * share)] + _CUT


def _cost(part: Any) -> int:
    import orjson

    return token_estimate(orjson.dumps(part).decode())
