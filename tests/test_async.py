"""The memory that is awaited: the same answers, one call after the other, nothing torn by a cancellation."""

from __future__ import annotations

import asyncio
import inspect
import json
from pathlib import Path

import pytest

from memcli import AsyncMemory, Memory
from memcli.care import Care
from memcli.care.cards import Cards
from memcli.care.people import People
from memcli.formats import Message
from memcli.memory.asynchronous import AsyncCards, AsyncCare, AsyncPeople
from memcli.store.selection import Selection

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


@pytest.mark.parametrize(
    ("awaited", "immediate", "kept"),
    [
        (AsyncMemory, Memory, {"close", "query", "origins", "reasons", "transcript", "view", "watch", "writing"}),
        (AsyncCare, Care, set()),
        (AsyncPeople, People, set()),
        (AsyncCards, Cards, set()),
    ],
)
def test_whatever_takes_time_has_a_twin_with_the_same_parameters(
    awaited: type, immediate: type, kept: set[str]
) -> None:
    methods = {name for name, each in inspect.getmembers(immediate, inspect.isfunction) if not name.startswith("_")}
    assert len(methods - kept) > 2
    for name in methods - kept:
        assert inspect.signature(getattr(awaited, name)) == inspect.signature(getattr(immediate, name)), name


def test_care_people_and_cards_are_the_memorys(tmp_path: Path) -> None:
    said = [Message("I work as a nurse.", "Ana Lima"), Message("The old pin.", "Bo"), Message("Good night.", "Bo")]

    async def cared() -> tuple[list[str], str, list[str], bool]:
        async with AsyncMemory(Memory(tmp_path / "s.memcli", embedder="fake")) as memory:
            await memory.add(said)
            person = await memory.people.call("Annie", "Ana Lima")
            card = await memory.cards.of("Annie")
            (pin, *_) = await memory.search("pin", k=1)
            await memory.care.forget(await memory.care.select(Selection(pin.unit.sources)))
            left = [hit.unit.text for hit in await memory.search("pin", k=9)]
            return [alias.name for alias in person.aliases], card.name, left, (await memory.care.examine()).is_sound

    aliases, name, left, sound = asyncio.run(cared())
    assert (aliases, name, sound) == (["Annie"], "Ana Lima", True)
    assert "Good night." in left
    assert "The old pin." not in left


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
