"""Sources and detection: files, folders, gzip, standard input, and every way in which they cannot be read."""

from __future__ import annotations

import gzip
import io
import os
import select
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.errors import InputUnreadable, UsageError
from memcli.formats import FORMATS, HEAD_BYTES, Message, Problem, Source, detect, named, read, sources

_CHAT = b'{"text": "one"}\n{"text": "two"}\n'
_LOCOMO = b'{"sample_id": "c", "conversation": {"session_1": [{"speaker": "A", "dia_id": "D1:1", "text": "hi"}]}}'
_HAYSTACK = b'[{"question_id": "q", "haystack_sessions": [[{"role": "user", "content": "hi"}]]}]'


def _texts(path: Path, format_name: str | None = None) -> list[str]:
    [source] = sources([path])
    return [record.text for record in read(source, format_name) if isinstance(record, Message)]


def _file(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


class _Stdin:
    """Standard input with `data` in it."""

    closed = False

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def test_the_table_knows_each_format_by_its_own_name() -> None:
    assert list(FORMATS) == [
        "chatgpt", "claude-ai", "claude-code", "codex", "slack", "whatsapp", "telegram", "discord",
        "messenger", "signal", "gemini", "locomo", "longmemeval", "jsonl", "imessage", "mail", "notes", "markdown",
        "plain",
    ]  # fmt: skip
    for name, each in ((name, named(name)) for name in FORMATS):
        assert name == each.name
        assert all(line and "\n" not in line for line in (each.description, each.recognised, each.export))


@pytest.mark.parametrize(("data", "name"), [(_CHAT, "jsonl"), (_LOCOMO, "locomo"), (_HAYSTACK, "longmemeval")])
def test_detection_by_content(data: bytes, name: str) -> None:
    assert detect(data[:HEAD_BYTES]).name == name


def test_an_unknown_format_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(InputUnreadable, match="not recognised") as caught:
        detect(b"Dear diary,", "diary.txt")
    assert "diary.txt" in caught.value.message
    assert all(name in caught.value.hint for name in [*FORMATS, "--format"])


@given(st.binary())
def test_detection_of_any_bytes_finds_a_format_or_says_so(head: bytes) -> None:
    with suppress(InputUnreadable):
        assert detect(head).name in FORMATS


def test_an_unknown_format_name_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="csv") as caught:
        read(Source(tmp_path / "missing"), "csv")
    assert "jsonl" in caught.value.hint


@pytest.mark.parametrize(("data", "texts"), [(_CHAT, ["one", "two"]), (_LOCOMO, ["hi"]), (_HAYSTACK, ["hi"])])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, b"\xef\xbb\xbf".__add__], ids=["plain", "gzip", "bom"])
def test_a_file_of_any_format_packed_in_any_way(tmp_path: Path, data: bytes, texts: list[str], pack: Any) -> None:
    assert _texts(_file(tmp_path, "no-extension", pack(data))) == texts


def test_a_chosen_format_overrides_detection(tmp_path: Path) -> None:
    path = _file(tmp_path, "odd.txt", b'hello\n{"speaker": "Ana"}\n')
    [source] = sources([path])
    assert [type(record) for record in read(source, "jsonl")] == [Problem, Problem]
    with pytest.raises(InputUnreadable, match="not recognised"):
        list(read(source))


def test_gzip_of_several_members_is_one_input(tmp_path: Path) -> None:
    data = gzip.compress(b'{"text": "one"}\n') + gzip.compress(b'{"text": "two"}\n')
    assert _texts(_file(tmp_path, "a.gz", data)) == ["one", "two"]


def _noise(lines: int) -> bytes:
    return b"".join(b'{"text": "%s"}\n' % os.urandom(40).hex().encode() for _ in range(lines))


@pytest.mark.parametrize("damage", ["truncated", "corrupt"])
def test_of_a_damaged_gzip_what_can_be_read_is_kept(tmp_path: Path, damage: str) -> None:
    data = gzip.compress(_noise(5000))
    half = len(data) // 2
    broken = data[:half] if damage == "truncated" else data[:half] + b"\xff" * 64 + data[half + 64 :]
    [source] = sources([_file(tmp_path, "a.gz", broken)])
    records = list(read(source))
    assert sum(isinstance(record, Message) for record in records) > 2000
    assert isinstance(records[-1], Problem)
    assert records[-1].where == source.label
    assert records[-1].reason.startswith("the rest cannot be read")


def test_a_gzip_of_which_nothing_can_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputUnreadable, match="cannot be read"):
        _texts(_file(tmp_path, "a.gz", b"\x1f\x8b\x08garbage"))


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b" \r\n\n", gzip.compress(b"", mtime=0)])
def test_an_empty_file(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(InputUnreadable, match=r"chat\.jsonl is empty"):
        _texts(_file(tmp_path, "chat.jsonl", data))


def test_a_file_without_a_message_is_a_problem(tmp_path: Path) -> None:
    [source] = sources([_file(tmp_path, "a.json", b"[]")])
    assert list(read(source, "locomo")) == [Problem(source.label, "no messages in it")]


@pytest.mark.parametrize("name", ["missing.jsonl", "bad\0name"])
def test_a_missing_file_is_an_error_before_anything_is_read(tmp_path: Path, name: str) -> None:
    good = _file(tmp_path, "good.jsonl", _CHAT)
    with pytest.raises(InputUnreadable, match="cannot read"):
        sources([good, tmp_path / name])


def test_a_file_that_vanishes_or_may_not_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [source] = sources([_file(tmp_path, "chat.jsonl", _CHAT)])

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputUnreadable, match=r"cannot read .*chat\.jsonl: Permission denied") as caught:
        list(read(source))
    assert "permissions" in caught.value.hint
    [again] = sources([tmp_path])  # in a folder, too, it is not passed over in silence
    assert again.path == source.path


def test_a_disk_that_fails_keeps_what_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(io.BytesIO):
        def read1(self, size: int | None = -1) -> bytes:
            data = super().read1(min(size or 0, 20))
            if not data:
                raise OSError(5, "Input/output error")
            return data

    stdin = _Stdin(b"")
    stdin.buffer = Failing(_CHAT)
    monkeypatch.setattr(sys, "stdin", stdin)
    *messages, problem = read(Source(None))
    assert messages == [Message("one"), Message("two")]
    assert isinstance(problem, Problem)
    assert "Input/output error" in problem.reason


def test_a_folder_is_read_in_order_and_what_is_no_transcript_is_told(tmp_path: Path) -> None:
    for name in ("b.jsonl", "d/x", "c/x", "a/z.json.gz", "a/a.txt", "e/x"):
        _file(tmp_path, name, gzip.compress(_LOCOMO) if name.endswith("gz") else _CHAT)
    other = [_file(tmp_path, name, data) for name, data in [("a/photo.png", b"\x89PNG"), ("empty.jsonl", b"")]]
    skipped: list[Path] = []
    found = list(sources([tmp_path], skipped.append))
    assert [source.path for source in found] == [
        tmp_path / name for name in ("b.jsonl", "a/a.txt", "a/z.json.gz", "c/x", "d/x", "e/x")
    ]
    assert [source.name for source in found] == ["b.jsonl", "a.txt", "z.json.gz", "x", "x", "x"]
    assert sorted(skipped) == sorted(other)


def test_a_folder_without_transcripts(tmp_path: Path) -> None:
    _file(tmp_path, "notes.txt", b"hello")
    os.mkfifo(tmp_path / "pipe")  # must not be waited for
    with pytest.raises(InputUnreadable, match="no transcripts in"):
        sources([tmp_path])


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_progress_is_in_bytes_as_stored(tmp_path: Path, pack: Any) -> None:
    path = _file(tmp_path, "a", pack(_noise(20000)))
    [source] = sources([path])
    done = [source.bytes_done for _ in read(source)]
    assert done == sorted(done)
    assert 0 < done[0] < source.bytes_total / 2  # type: ignore[operator]
    assert done[-1] == source.bytes_done == source.bytes_total == path.stat().st_size


def test_a_source_can_be_read_again_and_reading_it_can_be_given_up(tmp_path: Path) -> None:
    [source] = sources([_file(tmp_path, "a", _CHAT)])
    half = read(source)
    assert next(half) == Message("one")
    half.close()  # type: ignore[attr-defined]
    assert len(list(read(source))) == 2
    assert source.bytes_done == len(_CHAT)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, pack: Any) -> None:
    monkeypatch.setattr(sys, "stdin", _Stdin(pack(_CHAT)))
    [source] = sources(["-"])
    assert (source.label, source.name, source.bytes_total) == ("stdin", "stdin", None)
    assert list(read(source)) == [Message("one"), Message("two")]


@pytest.mark.parametrize("stdin", [None, _Stdin(b"")])
def test_standard_input_that_is_closed_or_empty(monkeypatch: pytest.MonkeyPatch, stdin: object) -> None:
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(InputUnreadable, match=r"standard input is closed|stdin is empty"):
        list(read(Source(None)))


@pytest.mark.parametrize(
    ("format_name", "first", "shown"), [(None, b'xt": "one"}\n', b"one\n"), ("jsonl", b"oops\n", b"problem\n")]
)
def test_a_live_stream_is_followed_line_by_line(format_name: str | None, first: bytes, shown: bytes) -> None:
    program = (
        "from memcli.formats import read, sources\n"
        f"for record in read(next(sources(['-'])), {format_name!r}):\n"
        "    print(getattr(record, 'text', 'problem'), flush=True)\n"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        process.stdin.write(b'{"te')  # the first line, in two halves
        process.stdin.write(first)
        assert _line(process) == shown
        process.stdin.write(b'{"text": "two"}\n')
        assert _line(process) == b"two\n"
        process.stdin.close()
        assert process.wait() == 0


def _line(process: subprocess.Popen[bytes]) -> bytes:
    """The next line that `process` writes, or nothing if it keeps silent; then its input ends, so that it does."""
    assert process.stdin is not None
    assert process.stdout is not None
    if not select.select([process.stdout], [], [], 20)[0]:
        process.stdin.close()
        return b""
    return process.stdout.readline()


def test_a_pipe_given_as_a_path(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen([sys.executable, "-c", f"open({str(pipe)!r}, 'wb').write({_CHAT!r})"]) as process:
        assert _texts(pipe) == ["one", "two"]
        assert process.wait() == 0


def test_a_name_that_is_not_utf8_can_be_printed(tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.jsonl")
    Path(path).write_bytes(_CHAT)
    [source] = sources([path])
    assert source.name == "\ufffd.jsonl"
    assert source.label.encode()
    assert len(list(read(source))) == 2


@pytest.mark.parametrize("name", list(FORMATS))
@given(data=st.binary(max_size=400), packed=st.booleans())
def test_no_content_raises_anything_but_our_own_errors(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: bytes, packed: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "anything"
    path.write_bytes((b"\x1f\x8b\x08\x00" + data) if packed else data)
    for format_name in (None, name):
        with suppress(InputUnreadable):
            assert all(isinstance(record, Message | Problem) for record in read(Source(path), format_name))
