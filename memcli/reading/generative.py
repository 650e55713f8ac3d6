"""The reader that asks a language model: it is shown the evidence and nothing else, and what it cites is checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from memcli.languages import language
from memcli.model import Answer, Form, Hit, Query, Question, SessionId, Turn, TurnId
from memcli.providers.language import LanguageModel, Watch
from memcli.providers.prompts import Prompt, fenced, prompt
from memcli.providers.structured import ModelMessage, Schema, begun, strings
from memcli.reading.context import build_context
from memcli.reading.extractive import Reader
from memcli.reading.quoting import said
from memcli.reading.support import unsupported
from memcli.reading.written import Written, instead, plain, told
from memcli.text.times import weekday_name

__all__ = ["FORM", "MOST_TURNS", "GenerativeReader", "answer_prompt"]

#: How many turns leave the store at the most, however many hits there are.
MOST_TURNS = 20
#: And how many tokens of them.
_TOKENS = 4000

#: What the model fills in, in this order: it thinks before it commits itself.
FORM = Schema(
    "answer",
    {
        "reasoning": {"type": "string"},
        "answerable": {"type": "boolean"},
        "answer": {"type": "string"},
        "citations": strings(20),
    },
)


@lru_cache(maxsize=1)
def answer_prompt() -> Prompt:
    """The prompt, with its version."""
    return prompt("memcli.reading", "answer")


class GenerativeReader:
    """Has `model` word the answer; what `extractive` finds is the answer where the model fails.

    A model's own word for how sure it is is worth little: an answer's confidence is the extractive reader's, that
    the extractive answer is right, times the share of the citations that name evidence. It is 0 for an answer that
    cites none and for an abstention.
    """

    def __init__(
        self, model: LanguageModel, extractive: Reader, budget_tokens: int = _TOKENS, *, most: int = MOST_TURNS
    ) -> None:
        self._model = model
        self._extractive = extractive
        self._budget = budget_tokens
        self._most = most

    def read(self, query: Query, hits: Sequence[Hit]) -> Answer:
        """The answer to `query` that `hits`, best first, support; or an abstention."""
        return self.write(query, hits).answer

    def write(self, query: Query, hits: Sequence[Hit], watch: Watch | None = None) -> Written:
        """The same with all that is known about it; `watch` hears the answer as it is written.

        Nothing is sent where there is no evidence.
        """
        found = self._extractive.read(query, hits)
        shown = build_context(hits[: self._most], self._budget).hits
        if not shown:
            return Written(found)
        return told(
            self._model,
            found,
            lambda: self._model.complete(_messages(query, shown), FORM, watch=_listening(watch)),
            lambda reply: _checked(query, _answer(query.question, reply, shown, found.confidence), shown, found, reply),
        )


def _messages(query: Query, shown: Sequence[Hit]) -> list[ModelMessage]:
    # Of the moment that it is asked only the day: the same question has the same kept reply until tomorrow.
    text = answer_prompt().fill(
        asked_on=f"{query.asked_at:%Y-%m-%d} {weekday_name(query.asked_at)}",
        evidence=fenced("\n".join(map(_line, _names(shown), shown))),
        question=fenced(plain(query.text)),
    )
    return [ModelMessage("user", text)]


def _names(shown: Sequence[Hit]) -> list[str]:
    return [f"e{number}" for number in range(1, len(shown) + 1)]


def _line(name: str, hit: Hit) -> str:
    """One line whatever was said: no turn, and no speaker's name, can look like two."""
    unit = hit.unit
    date = f" [{unit.at:%Y-%m-%d} {weekday_name(unit.at)} {unit.at:%H:%M}]" if unit.at else ""
    return f"{name}{date} {plain(unit.label) or 'somebody'}: {plain(unit.text)}"


def _listening(watch: Watch | None) -> Watch | None:
    """Hears a reply in its form, and passes on the answer in it."""

    def listen(reply: str) -> None:
        found = begun(reply)
        # An answer that the model does not stand by is not shown, and half a surrogate pair waits for the other half.
        if watch is not None and found and found.get("answerable") is True and isinstance(found.get("answer"), str):
            watch(plain(found["answer"].rstrip("".join(map(chr, range(0xD800, 0xDC00))))))

    return listen if watch is not None else None


def _checked(query: Query, answer: Answer, shown: Sequence[Hit], found: Answer, reply: Mapping[str, Any]) -> Written:
    """The answer, or the one that was found where a name, number or date in it stands in no turn that it cites."""
    cited = [_turn(hit) for hit in shown if hit.unit.sources[0] in answer.citations]
    if cited and not answer.abstained and (because := unsupported(answer.text, cited, query.text)):
        return instead(found, f"what it wrote is not said ({because})")
    return Written(answer, plain(reply["reasoning"]))


def _turn(hit: Hit) -> Turn:
    unit = hit.unit
    return Turn(unit.sources[0], SessionId(""), 0, unit.label, "", unit.at, unit.text)


def _answer(question: Question, reply: Mapping[str, Any], shown: Sequence[Hit], held: float) -> Answer:
    """The reply as an answer, of whose citations only those count that name evidence."""
    text = plain(reply["answer"])
    citations, share = _cited(reply["citations"], shown)
    if not (reply["answerable"] and text):
        return Answer(language(question.language).nothing(), citations, 0.0, abstained=True)
    cited = [hit.unit for hit in shown if hit.unit.sources[0] in citations]
    quote = said(question, cited[0].label, cited[0].at, cited[0].text) if cited else ""
    return Answer(
        text,
        citations,
        share * held,
        abstained=False,
        unsupported=not citations,
        form=Form.VALUE,
        quote=quote,
    )


def _cited(given: Sequence[str], shown: Sequence[Hit]) -> tuple[tuple[TurnId, ...], float]:
    """The turns that are cited, each once, and the share of the citations that name one."""
    turns = {name: hit.unit.sources[0] for name, hit in zip(_names(shown), shown, strict=True)}
    wanted = list(dict.fromkeys(name.strip(" []").lower() for name in given))
    known = [turns[name] for name in wanted if name in turns]
    return tuple(dict.fromkeys(known)), len(known) / len(wanted) if wanted else 0.0
