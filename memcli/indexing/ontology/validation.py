"""Assertions that a language model holds against what was said, as a validator (ontology-guided memory, §3.2, step I).

The tagger over-generates. The model says of each of its candidates whether it was meant, and by which relation of the
inventory; it can add none, and changes neither whose assertion it is nor its words. What it does not judge stays as the
tagger left it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...model import Turn
from ...model.generated import Assertion, SessionText, speaker_name
from ...model.relations import AVERSIONS, GROUPS, SHAPING, RelationType
from ...providers.language import LanguageModel, ModelMessage, Schema
from ...providers.prompts import fenced, prompt, short_id, tidy
from ...text import token_estimate
from ..plan import Producer
from ..producer.prompting import PER_LINE, longest_reply, packed, shortened, transcript
from .asserted import asserted
from .relating import Classifier

__all__ = ["CONFIRMED", "REFUTED", "ModelValidator"]

#: The least confidence of what the model confirms, and the most of what it refutes: stored, but under `SHAPING`.
CONFIRMED = 0.95
REFUTED = SHAPING / 2

_MOST_TOKENS = 2400  # of what is shown in one call, by estimate
_SHOWN = 600  # tokens of a turn: the clause of a candidate is shown beside it, whole
_CONTEXT = 200  # tokens of a turn that is shown only so that the next is understood
_PER_VERDICT = 24  # tokens of a candidate's line beside its words, and of the verdict on it

_RELATIONS: Mapping[str, RelationType] = {relation.value: relation for relation in RelationType}

_STRING = {"type": "string"}
_VERDICT = {"id": _STRING, "holds": {"type": "boolean"}, "relation": _STRING}
_VERDICTS = Schema("assertions", {"verdicts": {"type": "array", "items": {"type": "object", "properties": _VERDICT}}})


class ModelValidator:
    """Validates what sessions assert with a language model; safe to share between threads.

    `at_once`: for how many sessions it may be asked at the same time. `classifier`: what proposes candidates where a
    language has no rules.
    """

    coverage = 1.0  # an assertion is in the words of its turn

    def __init__(
        self, model: LanguageModel, producer: Producer, at_once: int = 4, classifier: Classifier | None = None
    ) -> None:
        self.producer = producer
        self._classifier = classifier
        self.at_once = at_once
        self._model = model
        self._prompt = prompt("memcli.indexing", "assertions")

    def session(self, text: SessionText) -> list[Assertion]:
        """The candidates of a session with the model's verdicts on them, one call or several for a long session.

        None for a session that asserts nothing. Raises ModelUnavailable, BudgetSpent.
        """
        return _distinct(judged for part in _parts(text, self._classifier) for judged in self._judged(part))

    def _judged(self, part: _Part) -> list[Assertion]:
        listed = {f"a{number}": one for number, one in enumerate(part.candidates, start=1)}
        claims = "\n".join(f"{id_} {part.claim(one)}" for id_, one in listed.items())
        text = self._prompt.fill(transcript=fenced(part.said()), candidates=fenced(claims))
        reply = self._model.complete([ModelMessage("user", text)], _VERDICTS, most=longest_reply(claims, 2))
        given: dict[str, Mapping[str, Any]] = {}
        for verdict in reply["verdicts"]:
            given.setdefault(short_id(verdict["id"]), verdict)
        return [_validated(one, given[id_]) if id_ in given else one for id_, one in listed.items()]


def _validated(one: Assertion, verdict: Mapping[str, Any]) -> Assertion:
    """The candidate as the verdict has it; a relation that there is not leaves the tagger's."""
    if not verdict["holds"]:
        return replace(one, confidence=min(one.confidence, REFUTED))
    named = short_id(verdict["relation"]).replace(" ", "_").removeprefix("not_")
    relation = _RELATIONS.get(named, one.relation)
    sure = replace(one, confidence=max(one.confidence, CONFIRMED))
    if not _opposed(relation, one.relation):
        return replace(sure, relation=relation)
    # The relation of the other sign says a negation itself: "not likes" is "dislikes". Without one it is a slip: what
    # holds is what was asked about.
    return replace(sure, relation=relation, negated=False) if one.negated else sure


def _opposed(first: RelationType, second: RelationType) -> bool:
    """Whether one is for what the other is against."""
    return GROUPS[first] == GROUPS[second] and (first in AVERSIONS) != (second in AVERSIONS)


def _distinct(found: Iterable[Assertion]) -> list[Assertion]:
    """Without those that the same relation has made the same: the surest stays, in the place of the first."""
    kept: dict[tuple[object, ...], Assertion] = {}
    for one in found:
        key = (one.turn, one.head, one.relation, one.negated, one.tail)
        if key not in kept or kept[key].confidence < one.confidence:
            kept[key] = one
    return list(kept.values())


# What is shown


@dataclass(frozen=True, slots=True)
class _TurnToJudge:
    """A turn with its candidates, and the turn before it, if any."""

    id: str
    turn: Turn
    candidates: Sequence[Assertion]
    before: Turn | None

    def lines(self, *, after: bool) -> list[tuple[Turn, list[str]]]:
        """The lines of a transcript; `after`: the turn before has just been shown."""
        own = (self.turn, [f"{self.id} {_line(self.turn, _SHOWN)}"])
        if self.before is None or after:
            return [own]
        return [(self.before, [f"(context) {_line(self.before, _CONTEXT)}"]), own]

    @property
    def tokens(self) -> int:
        said = [line for _, lines in self.lines(after=False) for line in lines]
        said += [f"{one.tail} {one.clause}" for one in self.candidates]
        return sum(map(token_estimate, said)) + 2 * PER_LINE + _PER_VERDICT * len(self.candidates)


@dataclass(frozen=True, slots=True)
class _Part:
    """What one call shows of a session: turns that assert something, in their order."""

    turns: Sequence[_TurnToJudge]

    @property
    def candidates(self) -> list[Assertion]:
        return [one for turn in self.turns for one in turn.candidates]

    def said(self) -> str:
        """The transcript, of these turns and of those that they follow."""
        shown = [None, *(turn.turn for turn in self.turns)]
        lines = [
            line
            for last, turn in zip(shown, self.turns, strict=False)
            for line in turn.lines(after=last is not None and last is turn.before)
        ]
        return transcript(lines)

    def claim(self, one: Assertion) -> str:
        """A candidate: where it was said, of whom, the provisional relation and the tail, and the clause it is from."""
        id_ = next(turn.id for turn in self.turns if turn.turn.id == one.turn)
        relation = f"{'not ' * one.negated}{one.relation}"
        return f"({id_}) {' | '.join(map(tidy, (one.head, relation, one.tail, one.clause)))}"


def _parts(text: SessionText, classifier: Classifier | None) -> list[_Part]:
    """The turns of a session that assert something, in as few calls as they fit."""
    places = {turn.id: place for place, turn in enumerate(text.turns)}
    found: dict[int, list[Assertion]] = {}
    for one in asserted(text, classifier=classifier):
        found.setdefault(places[one.turn], []).append(one)
    turns = [
        _TurnToJudge(f"t{place + 1}", text.turns[place], candidates, text.turns[place - 1] if place else None)
        for place, candidates in found.items()
    ]
    return [_Part(part) for part in packed(turns, lambda turn: turn.tokens, _MOST_TOKENS)]


def _line(turn: Turn, room: int) -> str:
    return f"{tidy(speaker_name(turn))}: {shortened(tidy(turn.text), room)}"
