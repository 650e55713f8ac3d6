"""The reader that asks a small language model: few turns, the answer first, nothing that no cited turn says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ..model import Answer, Form, Hit, Query
from ..providers.language import LanguageModel, Watch
from ..providers.prompts import Prompt, fenced, prompt
from ..providers.structured import ModelMessage, Schema
from ..text.times import weekday_name
from .extractive import NOTHING
from .quoting import said
from .remarks import LETTERS, Consulted, Remark, lines, remarks
from .support import unsupported
from .written import Written, instead, plain, told

__all__ = ["SmallReader", "asked", "small_prompt"]

#: Tokens of a short answer with its citations.
_LONGEST = 80
#: What the model writes where it finds nothing.
_NONE = frozenset(("", "none", "none.", "unknown", "not mentioned", "not said", "n/a"))


@lru_cache(maxsize=1)
def small_prompt() -> Prompt:
    """The prompt, with its version."""
    return prompt("memcli.reading", "answer_small")


class SmallReader:
    """Has `model`, a small one, word the answer from the best five turns and their neighbours.

    What `extractive` finds is the answer where the model fails, and where a name, number or date that it writes stands
    in no turn that it cites. The confidence is the extractive reader's.
    """

    def __init__(self, model: LanguageModel, extractive: Consulted) -> None:
        self._model, self._extractive = model, extractive

    def write(self, query: Query, hits: Sequence[Hit], watch: Watch | None = None) -> Written:  # noqa: ARG002
        """The answer to `query` that `hits`, best first, support. `watch` hears nothing: it is checked when it is done.

        Nothing is sent where there is no evidence.
        """
        found = self._extractive.read(query, hits)
        shown = remarks(hits, self._extractive.look(query, hits), self._extractive)
        if not shown:
            return Written(found)
        return told(
            self._model,
            found,
            lambda: self._model.complete(_messages(query, shown), _form(len(shown)), most=_LONGEST),
            lambda reply: _checked(query, reply, shown, found),
        )


def _form(turns: int) -> Schema:
    letters = {"type": "array", "items": {"type": "string", "enum": list(LETTERS[:turns])}}
    return Schema("answer", {"answer": {"type": "string"}, "from": letters})


def _messages(query: Query, shown: Sequence[Remark]) -> list[ModelMessage]:
    return [ModelMessage("system", small_prompt().text), ModelMessage("user", asked(query, lines(shown)))]


def asked(query: Query, evidence: str) -> str:
    """What a small model is asked, behind its instructions, which stay the same for every question."""
    today = f"{query.asked_at:%Y-%m-%d} {weekday_name(query.asked_at)}"
    return f"Messages:\n{fenced(evidence)}\n\nQuestion, asked on {today}:\n{fenced(plain(query.text))}"


def _checked(query: Query, reply: Mapping[str, Any], shown: Sequence[Remark], found: Answer) -> Written:
    text, cited = plain(reply["answer"]), [shown[LETTERS.index(letter)].turn for letter in dict.fromkeys(reply["from"])]
    turns = tuple(turn.id for turn in cited)
    if text.casefold() in _NONE:
        return Written(Answer(NOTHING, turns, 0.0, abstained=True))
    if because := unsupported(text, cited, query.text):
        return instead(replace(found, unsupported=False), f"what it wrote is not said ({because})")
    quote = said(cited[0].speaker, cited[0].said_at, cited[0].text)
    return Written(Answer(text, turns, found.confidence, abstained=False, form=Form.VALUE, quote=quote))
