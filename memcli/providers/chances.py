"""How probably a model writes what it wrote, by the probabilities of its tokens."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from itertools import accumulate
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
    written, log = token.get("bytes"), float(token["logprob"])
    if math.isnan(log):
        raise ValueError("no probability")
    return _length(str(token["token"])) if written is None else len(written), min(log, 0.0)


def _length(text: str) -> int:
    """In bytes; half of a surrogate pair, which an endpoint may send, has some, too."""
    return len(text.encode("utf-8", "surrogatepass"))


def chance(text: str, tokens: Sequence[tuple[int, float]], name: str) -> float | None:
    """The product of the probabilities of the tokens that write the value of `name` in the JSON object `text`, its
    quotes with it; None where these tokens are not those of the text, or it holds no such value. `tokens` of `weights`.
    """
    value = _value(text, name)
    if value is None or sum(length for length, _ in tokens) != _length(text):
        return None
    first, last = (_length(text[:place]) for place in value)
    ends = accumulate(length for length, _ in tokens)
    logs = [log for end, (length, log) in zip(ends, tokens, strict=True) if end > first and end - length < last]
    return math.exp(sum(logs))


def _value(text: str, name: str) -> tuple[int, int] | None:
    """Where the value of `name` begins and ends; the last one, for a model may think of others before it answers."""
    keys = list(re.finditer(rf"{re.escape(json.dumps(name))}\s*:\s*", text))
    try:
        return (keys[-1].end(), json.JSONDecoder().raw_decode(text, keys[-1].end())[1]) if keys else None
    except (ValueError, RecursionError):
        return None
