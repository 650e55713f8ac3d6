"""Asking a language model for several sessions at once, and giving up on one that fails again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, Protocol, TypeVar

from ...errors import BudgetSpent, ModelUnavailable
from ...model import SessionId
from ...model.generated import SessionText
from ..plan import Producer

__all__ = ["PATIENCE", "Failed", "MemoryWriter", "SessionRequests"]

#: A model that fails for so many sessions in a row is asked no more: one that hangs would cost minutes for each.
PATIENCE = 5

#: Told which session a model failed for, and why.
Failed = Callable[[SessionId, ModelUnavailable], object]

Made = TypeVar("Made")


class MemoryWriter(Protocol[Made]):
    """A language model that writes memory. Safe to share between threads where it is asked for several `at_once`."""

    @property
    def producer(self) -> Producer:
        """What the ledger calls it."""
        ...

    @property
    def at_once(self) -> int:
        """For how many sessions it may be asked at the same time."""
        ...

    @property
    def coverage(self) -> float:
        """The share of a unit's content words that its sources must hold; see `verify`."""
        ...

    def session(self, text: SessionText) -> list[Made]:
        """What it writes of a session. Raises ModelUnavailable."""
        ...


class SessionRequests(Generic[Made]):
    """What `writer` makes of sessions; `failed` hears of each that it fails for."""

    def __init__(self, writer: MemoryWriter[Made], failed: Failed) -> None:
        self._writer = writer
        self._failed = failed
        self._in_a_row: list[ModelUnavailable] = []

    def replies(self, texts: Sequence[SessionText]) -> Iterator[list[Made] | None]:
        """What the writer makes of each session, in order; None where it fails. Raises BudgetSpent at its place.

        All replies are there before the first is handed out: the model keeps them in the store, from its threads, and
        nobody else may hold it then.
        """
        with ThreadPoolExecutor(self._writer.at_once, thread_name_prefix="memcli-memory") as pool:
            asked = [pool.submit(self._ask, text) for text in texts]
        for text, reply in zip(texts, asked, strict=True):
            try:
                made = reply.result()
            except ModelUnavailable as why:
                self.gave_way(text.session.id, why)
                yield None
            else:
                self._in_a_row.clear()
                yield made

    def gave_way(self, session: SessionId, why: ModelUnavailable) -> None:
        """The model failed for a session. Raises BudgetSpent again: that is no failure, but the end."""
        if isinstance(why, BudgetSpent):
            raise why
        self._in_a_row.append(why)
        self._failed(session, why)

    def _ask(self, text: SessionText) -> list[Made]:
        if len(self._in_a_row) >= PATIENCE:
            raise self._in_a_row[-1]
        return self._writer.session(text)
