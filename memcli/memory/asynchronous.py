"""The same memory for programs that await: each call runs in one thread of its own, one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import update_wrapper
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Concatenate, Generic, ParamSpec, Self, TypeVar

from ..care import Care
from ..care.cards import Cards
from ..care.people import People
from ..formats.following import awake
from . import Memory
from .watching import Noticed, Watching

if TYPE_CHECKING:
    from types import TracebackType

    from ..formats.redaction import Redactor

__all__ = ["AsyncCards", "AsyncCare", "AsyncMemory", "AsyncPeople"]

_OVER = object()
_P = ParamSpec("_P")
_Made = TypeVar("_Made")
_Whose = TypeVar("_Whose")


class _Awaiting(Generic[_Whose]):
    """What has the methods of another object, each to be awaited: `whose` gives it, in the `thread` that calls them."""

    def __init__(self, thread: ThreadPoolExecutor, whose: Callable[[], _Whose]) -> None:
        self._thread, self._whose = thread, whose

    async def run(self, call: Callable[[], _Made]) -> _Made:
        """What `call` gives, made in the memory's thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    async def _called(self, call: Callable[[_Whose], _Made]) -> _Made:
        return await self.run(lambda: call(self._whose()))


def _awaited(
    method: Callable[Concatenate[_Whose, _P], _Made],
) -> Callable[Concatenate[_Awaiting[_Whose], _P], Awaitable[_Made]]:
    """The method as a coroutine, with the same parameters."""

    async def called(self: _Awaiting[_Whose], /, *args: _P.args, **kwargs: _P.kwargs) -> _Made:
        return await self._called(lambda whose: method(whose, *args, **kwargs))

    update_wrapper(called, method)
    return called


class AsyncCare(_Awaiting[Care]):
    """Everything of `Care`, to be awaited."""

    select = _awaited(Care.select)
    turns = _awaited(Care.turns)
    forget = _awaited(Care.forget)
    export = _awaited(Care.export)
    statistics = _awaited(Care.statistics)
    is_calibrated = _awaited(Care.is_calibrated)
    examine = _awaited(Care.examine)


class AsyncPeople(_Awaiting[People]):
    """Everything of `People`, to be awaited."""

    found = _awaited(People.found)
    find = _awaited(People.find)
    call = _awaited(People.call)
    uncall = _awaited(People.uncall)


class AsyncCards(_Awaiting[Cards]):
    """Everything of `Cards`, to be awaited."""

    of = _awaited(Cards.of)
    wrong = _awaited(Cards.wrong)
    right = _awaited(Cards.right)


class AsyncMemory(_Awaiting[Memory]):
    """Everything of a `Memory` that takes time, to be awaited; see its methods for what they do and raise.

    `memory`: one, or where its store is. Who cancels a call is not waited for by it: what was begun is brought to its
    end, or a transaction would be torn. `care`, `people` and `cards` have the methods of the memory's own.
    """

    def __init__(self, memory: Memory | str | Path) -> None:
        self.memory = memory if isinstance(memory, Memory) else Memory(memory)
        super().__init__(ThreadPoolExecutor(1, thread_name_prefix="memcli"), lambda: self.memory)
        self.care = AsyncCare(self._thread, lambda: self.memory.care)
        self.people = AsyncPeople(self._thread, lambda: self.memory.people)
        self.cards = AsyncCards(self._thread, lambda: self.memory.cards)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Waits for what was begun, and closes the memory."""
        await self.run(self.memory.close)
        self._thread.shutdown()

    ingest = _awaited(Memory.ingest)
    add = _awaited(Memory.add)
    remember = _awaited(Memory.remember)
    prepare = _awaited(Memory.prepare)
    re_embed = _awaited(Memory.re_embed)
    generate = _awaited(Memory.generate)
    search = _awaited(Memory.search)
    ask = _awaited(Memory.ask)
    recap = _awaited(Memory.recap)
    turns = _awaited(Memory.turns)
    show = _awaited(Memory.show)
    surroundings = _awaited(Memory.surroundings)
    who = _awaited(Memory.who)
    knows = _awaited(Memory.knows)
    compact = _awaited(Memory.compact)

    async def watch(self, paths: Iterable[str | Path], *, redactor: Redactor | None = None) -> AsyncIterator[Noticed]:
        """See `Memory.watch`; it ends when nobody asks for more. It waits elsewhere, and stores between other calls."""
        followed = [Path(path) for path in paths]
        watching, stop = Watching(self.memory, followed, redactor), Event()
        rounds = awake(followed, stop)
        waiting = ThreadPoolExecutor(1, thread_name_prefix="memcli-watch")
        try:
            while await asyncio.wrap_future(waiting.submit(next, rounds, _OVER)) is not _OVER:
                for noticed in await self.run(lambda: list(watching.look())):
                    yield noticed
        finally:
            stop.set()
            waiting.shutdown(wait=False)
