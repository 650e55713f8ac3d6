"""Generated memory by a language model: one call writes a session's summary, keywords and facts, one its insights.

The model sees short ids of turns and groups, and nothing that it says is taken for more than a claim: an id that does
not exist is dropped, sources are turns of the session, and the caller holds every unit against them by `verify`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from ...model import Kind, Turn, TurnId
from ...model.generated import Generated, SessionText, Told, began, speaker_name
from ...providers.language import LanguageModel, ModelMessage, Schema
from ...providers.profiles import ENCODER, Profile
from ...providers.prompts import fenced, prompt, short_id, tidy
from ...providers.structured import objects, strings
from ...store.cosine import cosines
from ...text import content_stems, token_estimate
from ..plan import by_model
from ..producer.prompting import PER_LINE, date_of, longest_reply, packed, shortened, transcript
from .insights import insights

__all__ = ["COVERAGE", "ModelMemories"]

#: The least share of a unit's content words that its sources must hold. A model paraphrases: of the 1,210 observations
#: that a model wrote for the development conversations of LoCoMo, `verify` passes 53 % at 0.75, 75 % at 0.6 and 85 % at
#: 0.5, and with another turn of the session for a source, which it should refuse, none, none and 1 %.
COVERAGE = 0.5

_MOST_TOKENS = 6000  # of one call, by estimate
_PER_GROUP = 8  # statements of a group that are shown
_SHARED = 2  # content words by which a turn is one that a summary is about
_TALLY = " (said in "

_STRING = {"type": "string"}
_MEMORY = Schema(
    "session_memory",
    {"summary": _STRING, "keywords": strings(12), "facts": objects(100, text=_STRING, turns=strings(8))},
)
_INSIGHTS = Schema("insights", {"insights": objects(100, group=_STRING, text=_STRING)})


class ModelMemories:
    """Writes sessions' memory with a language model; safe to share between threads.

    `at_once`: for how many sessions it may be asked at the same time.
    """

    coverage = COVERAGE

    def __init__(self, model: LanguageModel, at_once: int = 4, profile: Profile = ENCODER) -> None:
        self.producer = by_model(model.id)
        self.at_once = at_once
        self._model = model
        self._same_fact = profile.same_fact
        self._session = prompt("memcli.indexing", "session_memory")
        self._insights = prompt("memcli.indexing", "insights")

    def session(self, text: SessionText) -> list[Generated]:
        """The summary, keywords and facts of a session: one call, or several for a long one.

        Raises ModelUnavailable, BudgetSpent.
        """
        lines = [_Line(f"t{number}", turn) for number, turn in enumerate(text.turns, start=1)]
        room = _MOST_TOKENS - token_estimate(self._session.text)
        notes = [self._noted(part, room) for part in packed(lines, lambda line: line.tokens(room), room)]
        return [*_summary(text, notes), *_keywords(text, notes), *_facts(text, notes)]

    def insights(self, new: Sequence[Told], earlier: Sequence[Told]) -> list[Generated]:
        """What the groups of like facts show, in the model's words; which groups there are is counted, not asked.

        Raises ModelUnavailable, BudgetSpent.
        """
        found = insights(new, earlier, similar=self._same_fact)
        members = [_members(made, new, earlier, self._same_fact) for made in found]
        groups = [_Group(f"g{i}", *each) for i, each in enumerate(zip(found, members, strict=True), start=1)]
        room = _MOST_TOKENS - token_estimate(self._insights.text)
        parts = packed(groups, lambda group: token_estimate(group.text), room)
        return [unit for part in parts for unit in self._worded(part)]

    def _noted(self, lines: Sequence[_Line], room: int) -> _Notes:
        said = transcript((line.turn, [line.text(room)]) for line in lines)
        text = self._session.fill(transcript=fenced(said))
        reply = self._model.complete([ModelMessage("user", text)], _MEMORY, most=longest_reply(said, 2))
        return _Notes(reply, {line.id: line.turn for line in lines})

    def _worded(self, groups: Sequence[_Group]) -> Iterator[Generated]:
        text = self._insights.fill(groups=fenced("\n\n".join(group.text for group in groups)))
        reply = self._model.complete([ModelMessage("user", text)], _INSIGHTS)
        worded = {short_id(item["group"]): tidy(item["text"]).rstrip(".") for item in reply["insights"]}
        for group in groups:
            if said := worded.get(group.id):
                tally = group.insight.text[group.insight.text.rindex(_TALLY) :]
                yield replace(group.insight, text=said + tally)


# A session


@dataclass(frozen=True, slots=True)
class _Line:
    """A turn under the short id that the model knows it by."""

    id: str
    turn: Turn

    def tokens(self, room: int) -> int:
        return min(room, token_estimate(self.turn.text) + PER_LINE)

    def text(self, room: int) -> str:
        """What is longer than a whole call is cut."""
        return f"{self.id} {tidy(speaker_name(self.turn))}: {shortened(tidy(self.turn.text), room - PER_LINE)}"


@dataclass(frozen=True, slots=True)
class _Notes:
    """A reply, and the turns that it is about, by short id."""

    reply: Mapping[str, Any]
    turns: Mapping[str, Turn]


def _summary(text: SessionText, notes: Sequence[_Notes]) -> Iterator[Generated]:
    said = " ".join(filter(None, (tidy(note.reply["summary"]) for note in notes)))
    if said:
        sources = _about(content_stems(said), text, _SHARED)
        yield Generated(Kind.SUMMARY, said, sources, began(text), text.session.title)


def _keywords(text: SessionText, notes: Sequence[_Notes]) -> Iterator[Generated]:
    found = (tidy(word).strip(",;. ") for note in notes for word in note.reply["keywords"])
    words = {word.lower(): word for word in found if word}
    if words:
        said = ", ".join(words.values())
        yield Generated(Kind.KEYWORD, said, _about(content_stems(said), text, 1), began(text), text.session.title)


def _about(stems: Sequence[str], text: SessionText, least: int) -> tuple[TurnId, ...]:
    """The turns that share at least so many content words with a unit, and those that alone have one of its words.

    The names of those who speak are in every turn, so to say. Never empty: where nothing is shared, the first turn.
    """
    wanted = set(stems).difference(content_stems(" ".join(text.people())))
    shared = {turn.id: wanted.intersection(content_stems(turn.text)) for turn in text.turns}
    chosen = {turn for turn, common in shared.items() if len(common) >= least}
    missing = wanted.difference(*(shared[turn] for turn in chosen))
    for turn, common in shared.items():
        if common & missing:
            chosen.add(turn)
            missing -= common
    return tuple(turn for turn in shared if turn in chosen) or (text.turns[0].id,)


def _facts(text: SessionText, notes: Sequence[_Notes]) -> list[Generated]:
    """The facts that name a turn which exists; a wording that comes again is not repeated."""
    people = text.people()
    found: dict[str, Generated] = {}
    for note in notes:
        for item in note.reply["facts"]:
            named = {short_id(turn) for turn in item["turns"]}
            sources = [turn for id_, turn in note.turns.items() if id_ in named]
            said = tidy(item["text"]).rstrip(".")
            if said and sources:
                found.setdefault(said.lower(), _fact(said, sources, people))
    return list(found.values())


def _fact(said: str, sources: Sequence[Turn], people: Sequence[str]) -> Generated:
    """A fact is of the person whom it begins with, else of who says it; it is dated by the last that was said."""
    about = next((name for name in people if _begins(said, name)), speaker_name(sources[0]))
    at = next((turn.said_at for turn in reversed(sources) if turn.said_at is not None), None)
    return Generated(Kind.FACT, said, tuple(turn.id for turn in sources), at, about)


def _begins(said: str, name: str) -> bool:
    start = said[: len(name)].lower() == name.lower()
    return start and not said[len(name) : len(name) + 1].isalnum()


# Insights


@dataclass(frozen=True, slots=True)
class _Group:
    """Like facts under the short id that the model knows them by, and the insight that they are without it."""

    id: str
    insight: Generated
    members: Sequence[Told]

    @property
    def text(self) -> str:
        dated = (f"{date_of(fact.at)}: " if fact.at else "" for fact in self.members)
        lines = [f"- {date}{tidy(fact.text)}" for date, fact in zip(dated, self.members, strict=True)]
        return "\n".join(
            (f"{self.id}, about {tidy(self.insight.label)}, {self.insight.support} conversations:", *lines)
        )


def _members(insight: Generated, new: Sequence[Told], earlier: Sequence[Told], same: float) -> list[Told]:
    """The facts behind an insight: the one that it is worded by, then the others, the latest first."""
    turns = set(insight.sources)
    of_it = [f for f in (*new, *earlier) if f.speaker == insight.label and turns.issuperset(f.sources)]
    central = next(fact for fact in of_it if insight.text.startswith(fact.text + _TALLY))
    near = cosines(central.vector, np.stack([fact.vector for fact in of_it])).tolist()
    like = [fact for fact, cosine in zip(of_it, near, strict=True) if fact is not central and cosine >= same]
    like.sort(key=lambda fact: fact.at.replace(tzinfo=None) if fact.at else datetime.min, reverse=True)
    return [central, *like[: _PER_GROUP - 1]]
