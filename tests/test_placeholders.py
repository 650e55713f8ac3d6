"""What an app writes where something else was is no message; what comes without a time from a pipe is said now."""

from __future__ import annotations

import io
import tomllib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memcli.formats import Message, whatsapp_words
from memcli.formats.whatsapp import WhatsApp
from memcli.memory import Memory

from .conftest import Ran

Cli = Callable[..., Ran]
TABLE = tomllib.loads(Path(whatsapp_words.__file__).with_suffix(".toml").read_text(encoding="utf-8"))
ANDROID = "15/01/2024, 10:30 - Ana: {}\n15/01/2024, 10:31 - Ben: Yes.\n"
IPHONE = "[15/01/2024, 10:30:05] Ana: \u200e{}\n[15/01/2024, 10:31:05] Ben: Yes.\n"


def _read(chat: str) -> list[str]:
    return [
        found.text for found in WhatsApp().read(io.BytesIO(chat.encode()), "chat.txt") if isinstance(found, Message)
    ]


def _phrases() -> Iterator[tuple[str, str, str]]:
    for language, kinds in TABLE.items():
        for kind, phrases in kinds.items():
            for phrase in phrases:
                yield language, kind, phrase


def test_the_table_has_the_languages_of_the_apps() -> None:
    assert len(TABLE) >= 50
    for kind in ("media", "image", "video", "audio", "sticker", "file", "deleted", "missed"):
        assert sum(kind in kinds for kinds in TABLE.values()) >= 25, kind
    assert {kind for _, kind, _ in _phrases()} <= {
        "media", "image", "video", "audio", "gif", "sticker", "file", "contact", "location", "deleted", "missed",
    }  # fmt: skip


@pytest.mark.parametrize("language", sorted(TABLE))
@pytest.mark.parametrize("chat", [ANDROID, IPHONE], ids=["android", "iphone"])
def test_a_placeholder_is_a_mark_or_nothing(chat: str, language: str) -> None:
    for own, kind, phrase in _phrases():
        forms = (
            [f"<{phrase}>"]
            if kind == "media"
            else [phrase, f"{phrase}.", f"<{phrase}>", phrase[:1].upper() + phrase[1:]]
        )
        for form in forms if own == language else []:
            expected = [] if kind in ("deleted", "missed") else [f"[{kind}]"]
            found = _read(chat.format(form))
            assert found[-1] == "Yes."
            assert len(found[:-1]) == len(expected), (form, found)
            assert all(each.startswith("[") and each.endswith("]") for each in found[:-1]), (form, found)


def test_the_brackets_may_be_quotation_marks() -> None:
    assert _read(ANDROID.format("‹Без медиафайлов>")) == ["[media]", "Yes."]


@pytest.mark.parametrize(
    "said",
    ["Без медиафайлов", "I had a missed voice call", "Why is there <Media omitted> here?", "null", "<3", "<html>"],
)
def test_what_people_write_stays(said: str) -> None:
    assert _read(ANDROID.format(said)) == [said, "Yes."]


def test_a_file_that_is_left_out_keeps_its_name() -> None:
    assert _read(IPHONE.format("menu.pdf • 2 pages document omitted")) == ["[file: menu.pdf]", "Yes."]
    assert _read(IPHONE.format("Speisekarte.pdf • 2 Seiten Dokument weggelassen")) == [
        "[file: Speisekarte.pdf]",
        "Yes.",
    ]


# -- when a message without a time was said -------------------------------------------------------------------------


def _times(memory: Memory) -> dict[str, datetime | None]:
    view = memory.view()
    return {turn.text: turn.said_at for turn in view.fetch(list(range(view.n)))}


def _is_now(at: datetime | None) -> bool:
    return at is not None and abs(datetime.now(UTC) - at.astimezone(UTC)) < timedelta(minutes=5)


def test_what_arrives_without_a_time_is_said_now(cli: Cli, memory: Memory, tmp_path: Path) -> None:
    store, file = str(memory.store.path), tmp_path / "notes.jsonl"
    cli(
        "ingest",
        "-",
        "--store",
        store,
        "--embedder",
        "fake",
        stdin='{"text": "The boiler is mended.", "speaker": "Ana"}\n',
    )
    file.write_text('{"text": "The boiler is broken.", "speaker": "Ana"}\n', encoding="utf-8")
    cli("ingest", file, "--store", store)
    cli("ingest", "-", "--store", store, stdin="Ana: The heating is on.\nBen: Good.\n")
    times = _times(memory)
    assert _is_now(times["The boiler is mended."])
    assert _is_now(times["The heating is on."])
    assert times["The boiler is broken."] is None


def test_what_arrives_twice_is_known(cli: Cli, memory: Memory) -> None:
    said = '{"text": "The boiler is mended.", "speaker": "Ana"}\n'
    counts = []
    for _ in range(2):
        done = cli("ingest", "-", "--json", "--store", str(memory.store.path), "--embedder", "fake", stdin=said).json
        assert isinstance(done, dict)
        counts.append((done["added"], done["known"]))
    assert counts == [(1, 0), (0, 1)]


@pytest.mark.parametrize(
    "chat",
    [
        '{"text": "One.", "timestamp": "2020-01-01"}\n{"text": "Two."}\n',  # one of a chat that tells times
        '{"text": "Two.", "timestamp": "the day before"}\n',  # there is a time, and nobody can say which
    ],
)
def test_what_is_not_known_stays_unknown(cli: Cli, memory: Memory, chat: str) -> None:
    cli("ingest", "-", "--store", str(memory.store.path), "--embedder", "fake", stdin=chat)
    assert _times(memory)["Two."] is None


def test_an_export_without_times_comes_back_as_it_was(cli: Cli, memory: Memory, tmp_path: Path) -> None:
    memory.add([Message("No date.", "Ana")])
    out = cli("export", "--store", str(memory.store.path)).out
    copy = tmp_path / "copy.memcli"
    cli("ingest", "-", "--store", copy, "--embedder", "fake", stdin=out)
    assert cli("export", "--store", copy).out == out
