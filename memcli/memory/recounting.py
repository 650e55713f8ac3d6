"""A recap in the words of a language model: some sentences for each part, held against the turns that they name.

The model is shown the telling sentences of a part and nothing else. What it writes is held against what it names by
the rule for generated memory (`verify`); what names nothing, or is not supported, is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ..errors import ModelUnavailable, UsageError
from ..indexing.memories.by_model import COVERAGE
from ..indexing.memories.verification import verify
from ..model import Kind
from ..model.generated import Generated
from ..providers.language import LanguageModel, ModelMessage, Schema
from ..providers.prompts import Prompt, fenced, prompt, short_id, tidy
from ..providers.structured import objects, strings
from .recapping import Part, Recap, Told, Written

__all__ = ["recap_prompt", "worded"]

#: Sentences that are written of a part.
_MOST = 3
_FORM = Schema("recap", {"sentences": objects(_MOST, 1, text={"type": "string"}, **{"from": strings(8)})})


@lru_cache(maxsize=1)
def recap_prompt() -> Prompt:
    """The prompt, with its version."""
    return prompt("memcli.memory", "recap")


def worded(found: Recap, made: Callable[[], LanguageModel]) -> Recap:
    """The recap with what a model, once it is `made`, writes of each part; where it cannot be had or fails, the parts
    that are left have nothing of it, and `fallback` says why.
    """
    parts: list[Part] = []
    people = sorted({each.turn.speaker for each in found.told})
    try:
        model = made()
        for part in found.parts:
            parts.append(replace(part, written=_written(model, part.told, people)))  # noqa: PERF401  # a failure keeps them
    except (ModelUnavailable, UsageError) as error:
        return replace(found, parts=[*parts, *found.parts[len(parts) :]], fallback=error.told)
    return replace(found, parts=parts)


def _written(model: LanguageModel, told: Sequence[Told], people: Sequence[str]) -> list[Written]:
    named = {f"r{number}": each for number, each in enumerate(told, start=1)}
    lines = "\n".join(_line(name, each) for name, each in named.items())
    reply = model.complete([ModelMessage("user", recap_prompt().fill(said=fenced(lines)))], _FORM)
    made = (_sentence(given, named, people) for given in reply["sentences"])
    return [sentence for sentence in made if sentence]


def _line(name: str, told: Told) -> str:
    day = f" [{told.turn.said_at:%Y-%m-%d}]" if told.turn.said_at else ""
    return f"{name}{day} {tidy(told.turn.speaker) or 'somebody'}: {tidy(told.text)}"


def _sentence(given: Mapping[str, Any], named: Mapping[str, Told], people: Sequence[str]) -> Written | None:
    """A sentence with the turns that it names; None where it names none, or they do not support it."""
    names = dict.fromkeys(short_id(name) for name in given["from"])
    turns = list({named[name].turn.id: named[name].turn for name in names if name in named}.values())
    text = tidy(given["text"])
    if not (text and turns):
        return None
    sources = tuple(turn.id for turn in turns)
    supported, _ = verify(Generated(Kind.SUMMARY, text, sources, turns[0].said_at), turns, people, coverage=COVERAGE)
    return Written(text, sources) if supported else None
