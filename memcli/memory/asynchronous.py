"""The same memory for programs that await: each call runs in one thread of its own, one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial, update_wrapper
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self, TypeVar

from ..formats.following import awake
from . import Memory
from .watching import Noticed, Watching

if TYPE_CHECKING:
    from types import TracebackType

    from ..formats.redaction import Redactor

__all__ = ["AsyncMemory"]

_OVER = object()
_P = ParamSpec("_P")
_Made = TypeVar("_Made")


def _awaited(
    method: Callable[Concatenate[Memory, _P], _Made],
) -> Callable[Concatenate[AsyncMemory, _P], Awaitable[_Made]]:
    """The method as a coroutine, with the same parameters."""

    async def called(self: AsyncMemory, /, *args: _P.args, **kwargs: _P.kwargs) -> _Made:
        return await self.run(partial(method, self.memory, *args, **kwargs))

    update_wrapper(called, method)
    return called


class AsyncMemory:
    """Everything of a `Memory` that takes time, to be awaited; see its methods for what they do and raise.

    `memory`: one, or where its store is. Who cancels a call is not waited for by it: what was begun is brought to its
    end, or a transaction would be torn.
    """

    def __init__(self, memory: Memory | str | Path) -> None:
        self.memory = memory if isinstance(memory, Memory) else Memory(memory)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="memcli")

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

    async def run(self, call: Callable[[], _Made]) -> _Made:
        """What `call` gives, made in the memory's thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

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
