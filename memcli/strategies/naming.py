"""Candidates as a language model is shown them, a line each under a short id, and which of them it names."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Hit
from ..providers.language import LanguageModel, ModelMessage, Schema
from ..providers.prompts import Prompt, fenced, short_id, tidy
from ..providers.structured import strings

__all__ = ["line", "named"]


def line(hit: Hit) -> str:
    """A hit with when it was said and who says it, as far as these are known."""
    unit = hit.unit
    date = f"[{unit.at:%Y-%m-%d}] " if unit.at else ""
    speaker = f"{label}: " if (label := tidy(unit.label)) else ""
    return f"{date}{speaker}{tidy(unit.text)}"


def named(
    model: LanguageModel, form: Prompt, key: str, letter: str, most: int, question: str, lines: Sequence[str]
) -> list[int]:
    """The places of the lines that the model names under `key`, in its order, each once; ids are `letter` and a number.

    `form` has the places `question` and `candidates`; `most`: ids that a reply may have. Raises ModelUnavailable,
    BudgetSpent.
    """
    places = {f"{letter}{number}": number - 1 for number in range(1, len(lines) + 1)}
    listed = "\n".join(f"{name} {text}" for name, text in zip(places, lines, strict=True))
    text = form.fill(question=fenced(tidy(question)), candidates=fenced(listed))
    reply = model.complete([ModelMessage("user", text)], Schema(form.name, {key: strings(most)}))
    said = dict.fromkeys(short_id(each) for each in reply[key])
    return [places[name] for name in said if name in places]
