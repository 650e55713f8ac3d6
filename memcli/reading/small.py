"""The reader that asks a small language model where the extractive reader is silent: few turns, the answer first,
nothing that no cited turn says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ..languages import language
from ..model import Answer, Form, Hit, Query, Question, TurnId
from ..providers.chances import CHANCE
from ..providers.language import LanguageModel, Watch
from ..providers.prompts import Prompt, fenced, prompt
from ..providers.structured import ModelMessage, Schema
from ..text import content_stems
from ..text.times import weekday_name
from .extractive import earlier
from .look import Look
from .quoting import said
from .remarks import LETTERS, Extractive, Remark, lines, remarks
from .support import unsupported
from .written import Written, instead, plain, told

__all__ = ["SmallReader", "asked", "small_prompt"]

#: Tokens of a short answer with its citations.
_LONGEST = 80
#: An answer counts from this on, by how likely what it cites answers: a small model rarely says that nothing does.
_LEAST = 0.05
#: And from this on, by how probably the model writes it, where it tells: what it has to guess it writes hesitantly.
_SURE = 0.3
#: What the model writes where it finds nothing.
_NONE = frozenset(("none", "unknown", "not mentioned", "not said", "n/a"))
_WORD = re.compile(r"\w")
_GRANTED = frozenset(("yes", "no", "not"))


@lru_cache(maxsize=1)
def small_prompt() -> Prompt:
    """The prompt, with its version."""
    return prompt("memcli.reading", "answer_small")


class SmallReader:
    """Has `model`, a small one, word the answer from the best five turns and their neighbours.

    It is asked where `extractive` is silent, or, with `always`, whatever that says: of what the extractive reader
    is sure of, it is right more often than a small model, and at once (docs/models.md). What it finds is the answer
    where the model fails, where that only says the question again, where a name, number or date that it writes
    stands in no turn that it cites, and where what it cites hardly answers. The confidence is how likely the
    extractive reader takes the best window of these turns to answer: what a model thinks of itself is worth little.
    """

    def __init__(self, model: LanguageModel, extractive: Extractive, *, always: bool = False) -> None:
        self._model, self._extractive, self._always = model, extractive, always

    def write(self, query: Query, hits: Sequence[Hit], watch: Watch | None = None) -> Written:  # noqa: ARG002
        """The answer to `query` that `hits`, best first, support. `watch` hears nothing: it is checked when it is done.

        Nothing is sent where there is no evidence.
        """
        found, look = self._extractive.looked(query, hits)
        if not (found.abstained or self._always):
            return Written(found)
        shown = remarks(hits, look, self._extractive)
        if not shown:
            return Written(found)
        return told(
            self._model,
            found,
            lambda: self._model.complete(_messages(query, shown, look), _form(len(shown)), most=_LONGEST),
            lambda reply: _checked(query, reply, shown, found, look),
        )


def _form(turns: int) -> Schema:
    letters = {"type": "array", "items": {"type": "string", "enum": list(LETTERS[:turns])}}
    return Schema("answer", {"answer": {"type": "string"}, "from": letters}, weighed="answer")


def _messages(query: Query, shown: Sequence[Remark], look: Look) -> list[ModelMessage]:
    evidence = "\n".join([lines(shown), *_standing(look)])
    return [ModelMessage("system", small_prompt().text), ModelMessage("user", asked(query, evidence))]


def _standing(look: Look) -> list[str]:
    """What holds now and what held before it, where the extractive reader can tell: a small model mostly cannot."""
    return [f"Now: {plain(look.text)}"] if earlier(look.question) in look.text else []


def asked(query: Query, evidence: str) -> str:
    """What a small model is asked, behind its instructions, which stay the same for every question."""
    today = f"{query.asked_at:%Y-%m-%d} {weekday_name(query.asked_at)}"
    return f"Messages:\n{fenced(evidence)}\n\nQuestion, asked on {today}:\n{fenced(plain(query.text))}"


def _checked(query: Query, reply: Mapping[str, Any], shown: Sequence[Remark], found: Answer, look: Look) -> Written:
    text, cited = plain(reply["answer"]), [shown[LETTERS.index(letter)].turn for letter in dict.fromkeys(reply["from"])]
    if not _WORD.search(text) or text.casefold().rstrip(".") in _NONE:
        nothing = language(query.question.language).nothing()
        return Written(Answer(nothing, tuple(turn.id for turn in cited), 0.0, abstained=True))
    if _repeats(text, query.question):
        return instead(found, "what it wrote only says the question again")
    if because := unsupported(text, cited, query.text):
        return instead(found, f"what it wrote is not said ({because})")
    if reply.get(CHANCE, 1.0) < _SURE:
        return instead(found, "it was not sure of what it wrote")
    turns = tuple(turn.id for turn in cited)
    if (trust := _trust(turns, look)) < _LEAST:
        return instead(found, "what it cites hardly bears on the question")
    quote = said(query.question, cited[0].speaker, cited[0].said_at, cited[0].text)
    return Written(Answer(text, turns, trust, abstained=False, form=Form.VALUE, quote=quote))


def _repeats(text: str, question: Question) -> bool:
    """Whether an answer holds nothing that the question does not; yes, no and a choice that it offers are answers."""
    own = set(content_stems(text)) - _GRANTED
    return bool(own) and own <= set(content_stems(question.text)) and " or " not in question.text


def _trust(turns: Sequence[TurnId], look: Look) -> float:
    """How likely the best window of these turns answers; a turn that was not read is as good as the worst that was."""
    read = [each.trust for each in look.found]
    return max((each.trust for each in look.found if each.passage.turn in turns), default=min(read, default=0.0))
