"""Events by a language model: a session's EDUs and structured chunks, then their types and arguments (EMem §3.2).

The model sees short ids of turns, lines and events, and nothing that it says is taken for more than a claim: an id that
does not exist is dropped, sources are turns of the session, the body of a chunk is cut from the turn that it is in, and
the caller holds every event against its sources by `verify`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from ...model import Turn
from ...model.generated import Argument, Event, SessionText, began, speaker_name
from ...providers.language import LanguageModel, ModelMessage, Schema
from ...providers.prompts import Prompt, fenced, prompt, short_id, tidy
from ...providers.structured import objects, strings
from ...text import token_estimate
from ..memories.by_model import COVERAGE
from ..plan import Producer
from ..producer.prompting import PER_LINE, longest_reply, packed, shortened, transcript

__all__ = ["ModelEvents"]

_MOST_TOKENS = 2400  # of what is said in one call, by estimate: nothing is left out, so the reply is longer than that
_CONTEXT = 200  # tokens of a turn that is shown only so that the others are understood
_PER_NUMBERED = 4  # tokens of the id of a line of a turn
_BATCH = 25  # events whose arguments are asked for in one call
_PER_EDU = 15  # tokens of what is said, at least, for each EDU that is to be expected
_FEWEST = 4  # EDUs that are to be expected of the shortest session

#: A line of a turn; a long one is cut after a sentence, else between words.
_LINE = re.compile(r"\S(?:.{0,599}$|.{0,598}(?:[.!?](?=\s)|[。！？])|.{0,599}(?=\s)|.{0,599})", re.MULTILINE)

_STRING = {"type": "string"}
_ARGUMENTS = Schema(
    "arguments",
    {"events": objects(_BATCH, id=_STRING, type=_STRING, arguments=objects(8, role=_STRING, text=_STRING))},
)


class ModelEvents:
    """Extracts sessions' events with a language model; safe to share between threads.

    `at_once`: for how many sessions it may be asked at the same time.
    """

    coverage = COVERAGE

    def __init__(self, model: LanguageModel, producer: Producer, at_once: int = 4) -> None:
        self.producer = producer
        self.at_once = at_once
        self._model = model
        self._sides = (
            _Side(prompt("memcli.indexing", "edus"), assistant=False),
            _Side(prompt("memcli.indexing", "assistant_edus"), assistant=True),
        )
        self._arguments = prompt("memcli.indexing", "arguments")

    def session(self, text: SessionText) -> list[Event]:
        """The EDUs and chunks of a session, those of people and those of an assistant each asked for (appendix A).

        One call a side, or several for a long session, and one for the arguments of 25 events. An event of which the
        model gives no arguments has none. Raises ModelUnavailable, BudgetSpent.
        """
        found = _distinct(event for side in self._sides for part in side.parts(text) for event in self._told(part))
        batches = [found[start : start + _BATCH] for start in range(0, len(found), _BATCH)]
        return [event for batch in batches for event in self._with_arguments(batch)]

    def _told(self, part: _Part) -> Iterator[Event]:
        said = transcript((passage.turn, passage.lines) for passage in part.passages)
        text = part.side.prompt.fill(transcript=fenced(said))
        reply = self._model.complete([ModelMessage("user", text)], part.schema, most=longest_reply(said, 3))
        yield from _edus(part, reply["edus"])
        yield from _chunks(part, reply.get("chunks", ()))

    def _with_arguments(self, batch: Sequence[Event]) -> list[Event]:
        listed = {f"e{number}": event for number, event in enumerate(batch, start=1)}
        text = self._arguments.fill(events=fenced("\n".join(f"{id_} {event.text}" for id_, event in listed.items())))
        reply = self._model.complete([ModelMessage("user", text)], _ARGUMENTS)
        given: dict[str, Mapping[str, Any]] = {}
        for item in reply["events"]:
            given.setdefault(short_id(item["id"]), item)
        return [_argued(event, given.get(id_)) for id_, event in listed.items()]


def _distinct(events: Iterable[Event]) -> list[Event]:
    """Without those that come again: chunks of the same block, and EDUs in the same words."""
    found: dict[str, Event] = {}
    for event in events:
        found.setdefault(event.body or event.text.rstrip(".").lower(), event)
    return list(found.values())


def _argued(event: Event, given: Mapping[str, Any] | None) -> Event:
    """The event with the type and the arguments that are given for it; a text is an argument once."""
    if given is None:
        return event
    arguments: dict[str, Argument] = {}
    for item in given["arguments"]:
        said = tidy(item["text"]).strip(",;. ")
        if said and said.lower() != event.text.rstrip(".").lower():
            arguments.setdefault(said.lower(), Argument(tidy(item["role"]).lower(), said))
    return replace(event, type=tidy(given["type"]).lower(), arguments=tuple(arguments.values()))


# What is shown


@dataclass(frozen=True, slots=True)
class _Excerpt:
    """A turn as one call shows it: all of it, as much of a long one as fits or, for context, its beginning.

    `numbered`: where in the turn its lines are that have an id of their own.
    """

    id: str
    turn: Turn
    lines: Sequence[str]
    asked: bool
    numbered: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        return sum(map(token_estimate, self.lines)) + PER_LINE


@dataclass(frozen=True, slots=True)
class _Side:
    """Whose events one prompt asks for: people's, or an assistant's. The turns of the others are shown for context."""

    prompt: Prompt
    assistant: bool

    def asks(self, turn: Turn) -> bool:
        """Whether it is a turn of this side."""
        return (turn.role.lower() == "assistant") is self.assistant

    def parts(self, text: SessionText) -> Iterator[_Part]:
        """The session in as few calls as it fits; a later one begins with the turn before it, for context."""
        passages = [p for place, turn in enumerate(text.turns, start=1) for p in self._passages(f"t{place}", turn)]
        before: list[_Excerpt] = []
        for part in packed(passages, lambda passage: passage.tokens, _MOST_TOKENS):
            if any(passage.asked for passage in part):
                yield _Part(self, text, (*before, *part))
            before = [_context(part[-1].id, part[-1].turn)]

    def _passages(self, id_: str, turn: Turn) -> Iterator[_Excerpt]:
        if not self.asks(turn):
            yield _context(id_, turn)
            return
        name = tidy(speaker_name(turn))
        room = _MOST_TOKENS - PER_LINE - token_estimate(name)
        found = enumerate(_LINE.finditer(turn.text), start=1)
        for piece in packed(found, lambda line: token_estimate(line[1].group()) + _PER_NUMBERED, room):
            said = {f"{id_}.{number}": tidy(line.group()) for number, line in piece}
            if self.assistant:
                lines = [f"{id_} {name}:", *map(" ".join, said.items())]
                spans = [line.span() for _, line in piece]
                yield _Excerpt(id_, turn, lines, asked=True, numbered=dict(zip(said, spans, strict=True)))
            else:
                yield _Excerpt(id_, turn, [f"{id_} {name}: {' '.join(said.values())}"], asked=True)


def _context(id_: str, turn: Turn) -> _Excerpt:
    said = f"{id_} (context) {tidy(speaker_name(turn))}: {shortened(tidy(turn.text), _CONTEXT)}"
    return _Excerpt(id_, turn, [said], asked=False)


@dataclass(frozen=True, slots=True)
class _Part:
    """What one call shows of a session."""

    side: _Side
    text: SessionText
    passages: Sequence[_Excerpt]

    @property
    def schema(self) -> Schema:
        """The form of the reply: EDUs, one at least, and of an assistant chunks."""
        most = max(_FEWEST, sum(passage.tokens for passage in self.passages if passage.asked) // _PER_EDU)
        edus = objects(most, least=1, text=_STRING, turns=strings(5))
        if not self.side.assistant:
            return Schema("edus", {"edus": edus})
        chunks = objects(20, first=_STRING, last=_STRING, summary=_STRING)
        return Schema("assistant_edus", {"edus": edus, "chunks": chunks})

    def request(self, answer: Turn) -> list[Turn]:
        """The last turn of the other side before an answer, if any: the summary of a chunk speaks of it."""
        before = self.text.turns[: self.text.turns.index(answer)]
        return [turn for turn in before if not self.side.asks(turn)][-1:]


# What is made of a reply


def _edus(part: _Part, items: Iterable[Mapping[str, Any]]) -> Iterator[Event]:
    """The EDUs that a turn of the side tells; what only the other side tells is asked for on its own."""
    turns = {passage.id: passage.turn for passage in part.passages}
    asked = {passage.id for passage in part.passages if passage.asked}
    for item in items:
        # The id of a line says which turn it is of.
        named = dict.fromkeys(short_id(turn).partition(".")[0] for turn in item["turns"])
        sources = sorted((id_ for id_ in named if id_ in turns), key=lambda id_: id_ not in asked)
        said = tidy(item["text"])
        if said and asked.intersection(sources):
            yield _event(said, [turns[id_] for id_ in sources], part.text)


def _chunks(part: _Part, items: Iterable[Mapping[str, Any]]) -> Iterator[Event]:
    """The blocks that begin and end with numbered lines of one turn; beside it they name the turn that asked."""
    lines = {id_: (passage.turn, span) for passage in part.passages for id_, span in passage.numbered.items()}
    for item in items:
        first, last = lines.get(short_id(item["first"])), lines.get(short_id(item["last"]))
        said = tidy(item["summary"])
        if said and first and last and first[0] is last[0]:
            (turn, block), ends = first, last[1]
            body = turn.text[min(block + ends) : max(block + ends)].rstrip()
            yield replace(_event(said, [turn, *part.request(turn)], part.text), body=body)


def _event(said: str, sources: Sequence[Turn], text: SessionText) -> Event:
    """An event of who tells it; it is dated by the last that was said of it."""
    dated = max((turn for turn in sources if turn.said_at is not None), key=lambda turn: turn.position, default=None)
    at: datetime | None = dated.said_at if dated else began(text)
    return Event(said, tuple(turn.id for turn in sources), at, speaker_name(sources[0]))
