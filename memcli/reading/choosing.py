"""The extractive reader and a language model together: the one proposes answers, the other chooses one or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..languages import language
from ..model import Answer, Form, Hit, Query, Question, Seeks
from ..providers.language import LanguageModel, Watch
from ..providers.prompts import Prompt, prompt
from ..providers.structured import ModelMessage, Schema
from ..text import content_stems, token_estimate
from . import temporal
from .look import Look
from .quoting import said
from .relevance import Found
from .remarks import LETTERS, Extractive, when
from .small import asked
from .values import values
from .written import Written, plain, told

__all__ = ["Candidate", "ChoosingReader", "candidates", "choice_prompt"]

#: Windows that propose, answers of each, and tokens of it all.
_WINDOWS, _OF_WINDOW, _TOKENS = 8, 2, 500
_NONE = "none"
#: Tokens of a choice.
_LONGEST = 16


@lru_cache(maxsize=1)
def choice_prompt() -> Prompt:
    """The prompt, with its version."""
    return prompt("memcli.reading", "choose")


@dataclass(frozen=True, slots=True)
class Candidate:
    """An answer that the extractive reader proposes, the windows that it rests on, and how likely they answer."""

    text: str
    found: Sequence[Found]
    chance: float


class ChoosingReader:
    """Has `model` choose among the answers that `extractive` proposes: a small model chooses better than it writes.

    Nothing can be answered that nobody said. What `extractive` finds is the answer where the model fails.
    """

    def __init__(self, model: LanguageModel, extractive: Extractive) -> None:
        self._model, self._extractive = model, extractive

    def write(self, query: Query, hits: Sequence[Hit], watch: Watch | None = None) -> Written:  # noqa: ARG002
        """The answer to `query` that `hits`, best first, support. `watch` hears nothing: a choice is made at once.

        Nothing is sent where nothing is proposed.
        """
        found, look = self._extractive.looked(query, hits)
        proposed = candidates(query.question, look)
        if not proposed:
            return Written(found)
        return told(
            self._model,
            found,
            lambda: self._model.complete(_messages(query, proposed), _form(len(proposed)), most=_LONGEST),
            lambda reply: Written(_chosen(query.question, reply, proposed)),
        )


def candidates(question: Question, look: Look) -> list[Candidate]:
    """The answers that a look holds, the reader's own first, each once."""
    found: dict[tuple[str, ...], Candidate] = {}
    spent = 0
    for each in _proposed(question, look):
        gist = tuple(content_stems(each.text)) or (each.text.casefold(),)
        cost = token_estimate(each.found[0].passage.window.shown)
        if gist not in found and spent + cost <= _TOKENS and len(found) < len(LETTERS):
            found[gist] = each
            spent += cost
    return list(found.values())


def _proposed(question: Question, look: Look) -> Iterator[Candidate]:
    if look.text:
        cited = look.cited or (look.found[0],)
        yield Candidate(look.text, cited, cited[0].trust)
    if question.seeks is Seeks.YES_NO:
        asked = language(question.language)
        both = (asked.yes(), asked.no())
        yield from (Candidate(text, look.found[:1], look.found[0].trust) for text in both if look.found)
        return
    for found in look.found[:_WINDOWS]:
        for text in _values(question, found)[:_OF_WINDOW]:
            yield Candidate(text, (found,), found.trust)


def _values(question: Question, found: Found) -> list[str]:
    if question.seeks is Seeks.WHEN:
        return [value.text for value in temporal.dates(question, found)]
    if question.seeks is Seeks.LENGTH:
        return [value.text for value in temporal.lengths(question, found)]
    return [value.text for value in values(question, found)]


def _form(proposed: int) -> Schema:
    return Schema("choice", {"choice": {"type": "string", "enum": [*LETTERS[:proposed], _NONE]}})


def _messages(query: Query, proposed: Sequence[Candidate]) -> list[ModelMessage]:
    return [ModelMessage("system", choice_prompt().text), ModelMessage("user", asked(query, _listed(proposed)))]


def _listed(proposed: Sequence[Candidate]) -> str:
    """Each window once, and below it what is proposed from it."""
    below: dict[str, list[str]] = {}
    for letter, each in zip(LETTERS, proposed, strict=False):
        shown = "\n".join(_line(found) for found in each.found)
        below.setdefault(shown, []).append(f"  {letter}) {plain(each.text)}")
    return "\n".join(line for shown, answers in below.items() for line in (shown, *answers))


def _line(found: Found) -> str:
    passage = found.passage
    return f"{when(passage.at)}{plain(passage.window.speaker) or 'somebody'}: {plain(passage.window.text)}"


def _chosen(question: Question, reply: Mapping[str, Any], proposed: Sequence[Candidate]) -> Answer:
    if reply["choice"] == _NONE:
        return Answer(language(question.language).nothing(), (), 0.0, abstained=True)
    chosen = proposed[LETTERS.index(reply["choice"])]
    turns = tuple(dict.fromkeys(found.passage.turn for found in chosen.found))
    passage = chosen.found[0].passage
    quote = said(question, passage.window.speaker, passage.at, passage.window.text)
    return Answer(chosen.text, turns, chosen.chance, abstained=False, form=Form.VALUE, quote=quote)
