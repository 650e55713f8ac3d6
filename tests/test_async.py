"""The memory that is awaited: the same answers, one call after the other, nothing torn by a cancellation."""

from __future__ import annotations

import asyncio
import inspect
import json
from pathlib import Path

from memcli import AsyncMemory, Memory
from memcli.formats import Message

from .conftest import SAMPLE

CHATS = SAMPLE / "chats.jsonl"


def test_calls_at_the_same_time_give_what_a_memory_gives(tmp_path: Path) -> None:
    async def asked() -> tuple[list[str], list[str], str]:
        async with AsyncMemory(Memory(tmp_path / "s.memcli", embedder="fake")) as memory:
            await memory.ingest([CHATS])
            first, second, reading = await asyncio.gather(
                memory.search("phone number", k=3), memory.search("night shifts", k=3), memory.ask("Who moved?")
            )
            return [hit.unit.id for hit in first], [hit.unit.id for hit in second], reading.answer.text

    found = asyncio.run(asked())
    with Memory(tmp_path / "s.memcli", embedder="fake") as memory:
        one, other = (memory.search(text, k=3) for text in ("phone number", "night shifts"))
        assert found[:2] == ([hit.unit.id for hit in one], [hit.unit.id for hit in other])
        assert found[2] == memory.ask("Who moved?").answer.text


def test_what_is_cancelled_is_brought_to_its_end(tmp_path: Path) -> None:
    async def cancelled() -> int:
        async with AsyncMemory(Memory(tmp_path / "s.memcli", embedder="fake")) as memory:
            writing = asyncio.create_task(_later(memory))
            await asyncio.sleep(0)
            writing.cancel()
            return len(await memory.search("one", k=9))

    assert asyncio.run(cancelled()) == 2


def test_where_a_store_is_suffices(tmp_path: Path) -> None:
    Memory(tmp_path / "s.memcli", embedder="fake").add([Message("the harbour is frozen", "Ana")])

    async def said() -> list[str]:
        async with AsyncMemory(tmp_path / "s.memcli") as memory:
            return [hit.unit.text for hit in await memory.search("harbour")]

    assert asyncio.run(said()) == ["the harbour is frozen"]


async def _later(memory: AsyncMemory) -> None:
    await memory.add([Message("one", "Ana"), Message("one more", "Bo")])


def test_whatever_takes_time_has_a_twin_with_the_same_parameters() -> None:
    immediate = {"close", "query", "origins", "reasons", "transcript", "view", "watch", "writing"}
    methods = {name for name, each in inspect.getmembers(Memory, inspect.isfunction) if not name.startswith("_")}
    for name in methods - immediate:
        assert inspect.signature(getattr(AsyncMemory, name)) == inspect.signature(getattr(Memory, name)), name


def test_what_is_written_is_noticed_while_others_ask(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"

    def say(*texts: str) -> None:
        path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")

    async def followed() -> list[int]:
        added = []
        async with AsyncMemory(Memory(tmp_path / "s.memcli", embedder="fake")) as memory:
            say("one")
            async for noticed in memory.watch([path]):
                added.append(noticed.added)
                found = await memory.search("one two three", k=9)
                if len(found) == 3:
                    return added
                say("one", "two", "three")
        return added

    assert asyncio.run(asyncio.wait_for(followed(), 60)) == [1, 2]
