"""What an agent may do with a memory: a method each, which returns the document that the command of its name prints
with `--json`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..errors import NothingFound, UsageError
from ..model import Turn, TurnId
from . import options as o
from .documents import asked_document, found_document
from .fitting import fitted
from .hits import records

if TYPE_CHECKING:
    from ..memory import Memory
    from ..store.forgetting import Marked

__all__ = ["Tools"]

#: Where an agent keeps what it is told to remember, unless it is held to another conversation.
_NOTES = "notes"


class Tools:
    """A memory for agents. `conversation`: the only one that they see and write to, None: all; `reranker`: the name of
    what has a say in the order of hits, empty: nothing; `max_tokens`: how long a document may be, None: as long as it
    is; `tell` hears, before a language model is first asked over a store, what goes where. What `Memory` raises, its
    methods raise. An empty string is not given: many agents fill in every argument.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        strategy: str = "fused",
        reranker: str = "",
        speaker: str = "me",
        conversation: str | None = None,
        max_tokens: int | None = None,
        tell: Callable[[str], object] = lambda _line: None,
    ) -> None:
        self.memory, self._tell = memory, tell
        self._strategy, self._reranker = strategy, reranker
        self._speaker, self._max_tokens = speaker, max_tokens
        self.conversation = conversation

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        speaker: str | None = None,
        since: str | None = None,
        until: str | None = None,
        around: int = 0,
    ) -> dict[str, Any]:
        """See `Memory.search`; dates are as people write them."""
        narrowing = self._narrowed(since, until, speaker)
        hits = self.memory.search(
            query, k=k, filters=narrowing.filters, at=narrowing.at, strategy=self._strategy, reranker=self._reranker
        )
        found = found_document(self.memory, query, self._strategy, narrowing, hits, around, explain=False)
        return fitted(found, [found["hits"]], self._max_tokens)

    def ask(
        self,
        question: str,
        *,
        k: int = 5,
        speaker: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> dict[str, Any]:
        """See `Memory.ask`; the answer is not noted for feedback."""
        narrowing = self._narrowed(since, until, speaker)
        reading = self.memory.ask(
            question, k=max(k, o.READ), filters=narrowing.filters, at=narrowing.at, strategy=self._strategy,
            reranker=self._reranker, tell=self._tell,
        )  # fmt: skip
        evidence = records(self.memory, reading.shown(k))
        answered = asked_document(question, self._strategy, narrowing, reading) | {"id": None, "evidence": evidence}
        return fitted(answered, [evidence], self._max_tokens)

    def remember(self, text: str, *, speaker: str | None = None, at: str | None = None) -> dict[str, Any]:
        """See `Memory.remember`."""
        from .add import record

        when = o.narrowed(None, None, None, None, at).at
        where = self.conversation or _NOTES
        return record(self.memory.remember(text, speaker=speaker or self._speaker, at=when, conversation=where))

    def show(self, ids: Sequence[str], *, around: int = 0, session: bool = False) -> dict[str, Any]:
        """See `Memory.show`."""
        from .show import record

        entries = [record(each) for each in self.memory.show(ids, around=around, whole=session)]
        excerpts = [excerpt for entry in entries for excerpt in entry["excerpts"]]
        if any(not self._is_open(excerpt["conversation"]) for excerpt in excerpts):
            raise NothingFound("nothing in this conversation has one of these ids", "search shows the ids")
        turns = [excerpt["turns"] for excerpt in excerpts]
        for each in turns:
            each.sort(key=_away(each))  # what is left out are the turns that are farthest from those that were meant
        shown = fitted({"shown": entries}, turns, self._max_tokens)
        for each in turns:
            each.sort(key=itemgetter("position"))
        return shown

    def who(self, name: str | None = None, *, at: str | None = None) -> dict[str, Any]:
        """The card of a person (see `Memory.who`), of somebody who is only spoken of the turns that do, the newest
        first; or everybody who speaks.
        """
        from ..store import names
        from .card import card_record
        from .listing import record

        if not name:
            with self.memory.store.reading() as db:
                found = [record(one, "conversations") for one in names.speakers(db, self.conversation)]
            return fitted({"card": None, "speakers": found, "naming": []}, [found], self._max_tokens)
        then = o.narrowed(None, None, None, None, at).at if at else None
        try:
            card = card_record(self.memory.who(name, at=then, conversation=self.conversation), brief=True)
        except UsageError:  # nobody who speaks
            naming = self._naming(name)
            return fitted({"card": None, "speakers": [], "naming": naming}, [naming], self._max_tokens)
        parts = [card["holds"], card["before"], card["maybe"]]
        return fitted({"card": card, "speakers": [], "naming": []}, parts, self._max_tokens)

    def _naming(self, name: str) -> list[dict[str, Any]]:
        """The turns that name somebody who is only spoken of, as far as they may be seen. Raises UsageError where there
        are none, and where several people are meant.
        """
        from .render import turn_record

        turns = self.memory.people.find(name).naming
        sessions = self.memory.turns([turn.id for turn in turns])
        seen = [turn_record(*sessions[turn.id]) for turn in turns if self._is_open(sessions[turn.id][1].conversation)]
        if not seen:
            raise UsageError(f"nobody speaks or is spoken of as {name!r} here", "who without a name lists them")
        return seen

    def recap(
        self,
        when: str = "",
        *,
        speaker: str | None = None,
        by: str | None = None,
        k: int = 5,
    ) -> dict[str, Any]:
        """See `Memory.recap`; `when` is a time as people write it, empty: all."""
        from .recap import record, within

        narrowing = within(self._narrowed(None, None, speaker), when)
        found = record(self.memory.recap(filters=narrowing.filters, by=by or None, most=k, tell=self._tell))
        short = fitted(found, [part["told"] for part in found["parts"]], self._max_tokens)
        return short | {"parts": [part for part in found["parts"] if part["told"]]}

    def forgettable(self, ids: Sequence[str]) -> list[Turn]:
        """The turns that `forget` would remove. Raises NothingFound, UsageError where no ids are given."""
        if not ids:
            raise UsageError("nothing was said to be forgotten", "give ids")
        found = [turn for entry in self.memory.show(ids) for each in entry.excerpts for turn in each.turns]
        sessions = self.memory.turns([turn.id for turn in found])
        if any(not self._is_open(session.conversation) for _, session in sessions.values()):
            raise NothingFound("nothing in this conversation has one of these ids", "search shows the ids")
        return list({turn.id: turn for turn in found}.values())

    def forget(self, turns: Sequence[TurnId], *, sure: bool, coded: bool = True) -> dict[str, Any]:
        """See `Care.forget`; unless it is `sure`, what would go, and, if `coded`, the code that confirms it."""
        from .forget import record

        done: Marked = self.memory.care.forget(turns, dry_run=not sure)
        return record(done, dry_run=not sure) | ({"confirm": self.code(turns)} if coded and not sure else {})

    @staticmethod
    def code(turns: Sequence[TurnId]) -> str:
        """What confirms that just these turns are to be forgotten."""
        return blake2b(" ".join(sorted(turns)).encode(), digest_size=4).hexdigest()

    def _is_open(self, conversation: str) -> bool:
        return self.conversation is None or conversation.casefold() == self.conversation.casefold()

    def _narrowed(self, since: str | None, until: str | None, speaker: str | None) -> o.Narrowing:
        return o.narrowed(since, until, speaker or None, self.conversation, None)


def _away(turns: Sequence[dict[str, Any]]) -> Callable[[dict[str, Any]], int]:
    """How many turns each of an excerpt stands away from the next that was meant; as its place where none was."""
    meant = [turn["position"] for turn in turns if turn["meant"]] or [-1]
    return lambda turn: min(abs(turn["position"] - place) for place in meant)
