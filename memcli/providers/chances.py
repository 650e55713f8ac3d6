"""How probably a model writes what it wrote, by the probabilities of its tokens."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["CHANCE", "chance", "weights"]

#: Beside the properties of a reply: how probably the model writes the one that its form weighs.
CHANCE = "chance"


def weights(told: object) -> list[tuple[int, float]]:
    """The bytes and the log probability of each token that an endpoint tells of; none where it tells something else."""
    try:
        return [_weight(each if isinstance(each, Mapping) else vars(each)) for each in told or ()]  # type: ignore[attr-defined]
    except (TypeError, ValueError, KeyError):
        return []


def _weight(token: Mapping[str, Any]) -> tuple[int, float]:
    written = token.get("bytes")
    return len(str(token["token"]).encode() if written is None else written), float(token["logprob"])


def chance(text: str, tokens: Iterable[tuple[int, float]], name: str) -> float | None:
    """The product of the probabilities of the tokens that write the value of `name` in the JSON object `text`, its
    quotes with it; None where these tokens are not those of the text, or it holds no such value.
    """
    tokens = list(tokens)
    key = re.search(rf"{re.escape(json.dumps(name))}\s*:\s*", text)
    if key is None or sum(length for length, _ in tokens) != len(text.encode()):
        return None
    try:
        _, end = json.JSONDecoder().raw_decode(text, key.end())
    except ValueError:
        return None
    first, last = len(text[: key.end()].encode()), len(text[:end].encode())
    place, logs = 0, []
    for length, log in tokens:
        if place < last and place + length > first:
            logs.append(log)
        place += length
    return math.exp(min(sum(logs), 0.0))
