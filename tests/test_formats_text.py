"""Transcripts in Markdown and as plain text."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memcli.errors import InputUnreadable
from memcli.formats import Message, named
from memcli.memory import Memory

from .formats import MARKDOWN, PLAIN, messages, put


def _said(path: Path) -> list[tuple[str, str]]:
    return [(message.speaker, message.text) for message in messages(path)]


def test_names_in_bold(tmp_path: Path) -> None:
    first, second, third = messages(put(tmp_path, "trip.md", MARKDOWN))
    assert (first.speaker, first.text, first.conversation, first.title) == (
        "Ana",
        "Hello!\nsecond line",
        "trip",
        "Trip",
    )
    assert second.said_at == datetime(2024, 1, 15, 10, 31)
    assert second.text == "Hi **there**\n\n```\n**Ana:** in a fence\n```"
    assert third.text == "bye"


@pytest.mark.parametrize(
    "text",
    [
        "**Ana:** hi\n\n**Bo:** ho\n",
        "**Ana**: hi\n**Bo**: ho\n",
        "__Ana:__ hi\n__Bo:__ ho\n",
        "- **Ana:** hi\n- **Bo:** ho\n",
        "**Ana (2024-01-15 10:30):** hi\n**Bo (2024-01-15 10:31):** ho\n",
        "## Ana\n\nhi\n\n## Bo\n\nho\n\n## Ana\n\n## Bo\n",
        "### Ana — 2024-01-15 10:30\nhi\n### Bo — 2024-01-15 10:31\nho\n",
        "**Ana** (2024-01-15T10:30:00Z)\nhi\n\n**Bo** (2024-01-15T10:31:00Z)\nho\n",
    ],
)
def test_ways_to_write_a_transcript_in_markdown(tmp_path: Path, text: str) -> None:
    assert _said(put(tmp_path, "chat.md", text)) == [("Ana", "hi"), ("Bo", "ho")]


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("## User\nhi\n## Assistant\nhello\n", ["user", "assistant"]),
        ("**You:** hi\n**ChatGPT:** hello\n", ["user", "assistant"]),
        ("#### You:\nhi\n\n#### ChatGPT:\nhello\n", ["user", "assistant"]),
        ("## Prompt:\nhi\n\n## Response:\nhello\n", ["user", "assistant"]),
        ("Human: hi\nAI: hello\n", ["user", "assistant"]),
        ("You said:\nhi\nChatGPT said:\nhello\n", ["user", "assistant"]),
        ("Ana: hi\nBo: hello\n", ["", ""]),
    ],
)
def test_roles(tmp_path: Path, text: str, roles: list[str]) -> None:
    found = messages(put(tmp_path, "chat.txt", text))
    assert [(each.text, each.role) for each in found] == list(zip(["hi", "hello"], roles, strict=True))


def test_plain_text(tmp_path: Path) -> None:
    found = messages(put(tmp_path, "trip.txt", PLAIN))
    assert [(each.speaker, each.text, each.said_at) for each in found] == [
        ("Ana", "Hello!\nsecond line", None),
        ("Bo", "Hi", datetime(2024, 1, 15, 10, 31)),
        ("Ana", "see https://ex.org", datetime(2024, 1, 15, 10, 32)),
        ("Ana", "bye", None),
    ]
    assert {each.conversation for each in found} == {"trip"}


@pytest.mark.parametrize(
    ("line", "speaker", "at"),
    [
        ("2024-01-15 10:30 Ana: hi", "Ana", datetime(2024, 1, 15, 10, 30)),
        ("2024-01-15T10:30:00Z - Ana: hi", "Ana", datetime(2024, 1, 15, 10, 30, tzinfo=UTC)),
        ("[10:30] Ana: hi", "Ana", None),
        ("Ana de la Cruz: hi", "Ana de la Cruz", None),
        ("Dr. O’Neil: hi", "Dr. O’Neil", None),
        ("אנה: hi", "אנה", None),
        ("安娜: hi", "安娜", None),
        ("\ufeff\u200fAna: hi\r", "Ana", None),
    ],
)
def test_ways_to_begin_a_line(tmp_path: Path, line: str, speaker: str, at: datetime | None) -> None:
    first, _ = messages(put(tmp_path, "chat.txt", f"{line}\nBo: ho\n"))
    assert (first.speaker, first.text, first.said_at) == (speaker, "hi", at)


@pytest.mark.parametrize(
    "line",
    ["Note: it rains", "see https://ex.org: nice", "and then she said: no", "at 10:30 we met", ": oops", "PS: x"],
)
def test_what_no_speaker_begins_goes_on(tmp_path: Path, line: str) -> None:
    assert _said(put(tmp_path, "chat.txt", f"Ana: hi\n{line}\nBo: ho\n")) == [("Ana", f"hi\n{line}"), ("Bo", "ho")]


def test_where_a_model_speaks_a_word_and_a_colon_is_nobody(tmp_path: Path) -> None:
    plain = "User: hi\nAssistant: my plan\nMonday: rest\nUser: thanks\n"
    assert [text for _, text in _said(put(tmp_path, "a.txt", plain))] == ["hi", "my plan\nMonday: rest", "thanks"]
    page = "**User:** hi\n\n**Assistant:** my plan\n\n**Monday:** rest\n\n**User:** thanks\n"
    assert [text for _, text in _said(put(tmp_path, "a.md", page))] == ["hi", "my plan\n\n**Monday:** rest", "thanks"]
    page = "**You:** hi\n\n**ChatGPT:** my plan\n\n**Monday:** rest\n\n## Then\n\n**You:** thanks\n"
    assert [who for who, _ in _said(put(tmp_path, "b.md", page))] == ["You", "ChatGPT", "You"]
    page = "## Ana\n**Idea:** go\n## Bo\nyes\n## Ana\nfine\n## Bo\nbye\n"
    assert [who for who, _ in _said(put(tmp_path, "c.md", page))] == ["Ana", "Bo", "Ana", "Bo"]
    assert len(_said(put(tmp_path, "b.txt", "Me: hi\nMum: hello\nMe: bye\n"))) == 3


def test_names_in_small_letters_where_the_first_is(tmp_path: Path) -> None:
    assert _said(put(tmp_path, "a.txt", "ana: hi\nbo: ho\n")) == [("ana", "hi"), ("bo", "ho")]
    assert _said(put(tmp_path, "b.txt", "Ana: hi\nbo: ho\nAna: ha\n")) == [("Ana", "hi\nbo: ho"), ("Ana", "ha")]


@pytest.mark.parametrize("text", ["Dear diary,\n", "Ana: hi\n", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nAna: hi\nBo: ho\n"])
def test_what_is_no_transcript(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputUnreadable, match="not recognised"):
        messages(put(tmp_path, "diary.txt", text))


def test_in_a_folder_transcripts_whose_names_recur_are_found(tmp_path: Path) -> None:
    for name, text in (("a.md", "## User\nhi\n## Assistant\nhello\n"), ("b.txt", "Ana: a\nBo: b\n" * 3),
                       ("c.md", "# T\n\n" + "**Ana:** a\n\n**Bo:** b\n\n" * 3)):  # fmt: skip
        put(tmp_path, name, text)
    assert len(messages(tmp_path)) == 14


def test_the_same_words_twice_are_two_messages(tmp_path: Path) -> None:
    path = put(tmp_path, "chat.txt", "Ana: ok\nBo (2024-01-15): ok\nAna: ok\nBo (2024-01-15): ok\n")
    memory = Memory(tmp_path / "store", embedder="fake")
    assert [memory.ingest([path]).added for _ in range(2)] == [4, 0]


def test_without_a_name_the_reader_makes_do() -> None:
    found = list(named("plain").read(io.BytesIO(b"Ana: hi\nBo: ho\n"), "folder/chat.txt"))
    assert [each.conversation for each in found if isinstance(each, Message)] == ["chat", "chat"]
