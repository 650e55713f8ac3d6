"""The answer to who asks of a person as a whole: what is known on the card, else what they said that tells most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import groupby, islice
from typing import TYPE_CHECKING

import numpy as np

from ..care.cards import Cards, Note
from ..languages import Language, spoken
from ..languages.names import is_part
from ..model import Answer, Filters, Form, Hit, Item
from ..store import aliases, names, spoken_of
from ..strategies.base import turn_unit
from .recapping import MOST, quoted, recap, telling

if TYPE_CHECKING:
    from ..store.connection import Store
    from ..store.views.view import View

__all__ = ["portrait"]

#: Of what stands on cards of chats that the rules had not seen, so much is right (docs/who.md).
_RIGHT = 0.8
#: Values of a kind that are told, the newest.
_OF_KIND = 3
#: How far back from the last that somebody said is of late.
_LATE = timedelta(days=30)


def portrait(
    store: Store, view: View, question: str, filters: Filters, at: datetime
) -> tuple[Answer, list[Hit]] | None:
    """What holds of the one of whom a question asks everything, by kind, the newest first, each with its turn; where
    nothing is known, or only what was of late is asked, what that person said that tells most, in quotes.

    Of somebody who is only spoken of, what tells most of the turns that do. None for any other question, and where
    nobody is meant, or what was said at some time.
    """
    asked = spoken([question])
    called, lately = asked.asks_of(question)
    if not called or filters.since or filters.until:
        return None
    who = _meant(store, called, asked)
    if who is None:
        return _of_others(store, view, called, filters)
    card = Cards(store).of(who, at=at, conversation=filters.conversation, doubtful=False)
    told = [note for _, own in groupby(card.holds, lambda note: note.kind) for note in islice(own, _OF_KIND)]
    if told and not lately:
        return _answer(told, labelled=asked.has_assertions)
    since = card.last - _LATE if card.last and lately else None
    return quoted(recap(view, replace(filters, since=since, until=at, speaker=who), most=MOST).told)


def _meant(store: Store, called: str, asked: Language) -> str | None:
    """The one speaker who bears this name, goes by it, or whose name it is as words are bent in the question's
    language: "o Полине".
    """
    with store.reading() as db:
        speakers = [each.name for each in names.speakers(db)]
        whole = [name for name in speakers if is_part(called, name)]
        known = whole or aliases.by_name(db).get(aliases.folded(called), [])
    if not known:
        known = list({each.speaker: "" for each in asked.question(called, speakers).named if each.word == called})
    return known[0] if len(known) == 1 else None


def _of_others(store: Store, view: View, called: str, filters: Filters) -> tuple[Answer, list[Hit]] | None:
    """What is said of somebody who says nothing, in quotes; None where nobody is called so."""
    name = spoken_of.spelled(called)
    with store.reading() as db:
        turns = spoken_of.naming(db, [name]).get(name, [])
        if not spoken_of.is_named(db, name, turns):
            return None
    rows = np.unique(view.rows_of([turn.id for turn in turns]))
    rows = rows[rows >= 0]
    return quoted(telling(view, rows[view.allowed(filters)[rows]]))


def _answer(told: Sequence[Note], *, labelled: bool) -> tuple[Answer, list[Hit]]:
    """What is told, `labelled` by its kinds, whose names are English."""
    label = {note.kind: f"{note.kind.value}: " if labelled else "" for note in told}
    lines = [
        f"{label[kind]}{', '.join(note.told for note in of)}" for kind, of in groupby(told, lambda note: note.kind)
    ]
    items = tuple(Item(f"{label[note.kind]}{note.told}", note.turn.said_at, note.turn.id) for note in told)
    turns = list(dict.fromkeys(note.turn for note in told))
    answer = Answer("\n".join(lines), tuple(turn.id for turn in turns), _RIGHT, False, form=Form.VALUE, items=items)
    return answer, [Hit(turn_unit(turn), 1.0) for turn in turns]
