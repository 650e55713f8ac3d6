"""Zips: nothing is written, names lead nowhere, and what is too large, encrypted or broken is one line."""

from __future__ import annotations

import io
import os
import struct
import sys
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import IO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.errors import InputUnreadable
from memcli.formats import Message, Problem, Source, read, zips

from .formats import SAMPLE, messages, put, records, zipped

_CHAT = b'{"text": "one"}\n'


@pytest.mark.parametrize(
    "name",
    ["../../evil.jsonl", "/etc/evil.jsonl", "C:\\evil.jsonl", "a/../../evil.jsonl", "..", "évil\x1b[31m\n.jsonl", "/"],
)
def test_a_members_name_leads_nowhere(tmp_path: Path, name: str) -> None:
    path = put(tmp_path / "in", "export.zip", zipped({name: _CHAT, "good.jsonl": b'{"text": "two"}\n'}))
    before = sorted(tmp_path.rglob("*"))
    if name != "/":  # a folder's entry
        assert sorted(message.text for message in messages(path)) == ["one", "two"]
    assert sorted(tmp_path.rglob("*")) == before
    assert not Path("/etc/evil.jsonl").exists()


def test_a_members_name_is_shown_on_one_line_without_escapes(tmp_path: Path) -> None:
    [message, problem] = records(put(tmp_path, "e.zip", zipped({"a\x1b[31m\nb.jsonl": _CHAT + b"oops\n"})))
    assert isinstance(message, Message)
    assert isinstance(problem, Problem)
    assert problem.where.endswith("e.zip: a[31m b.jsonl:2")


def test_lists_beside_a_member_are_looked_for_in_the_zip_only(tmp_path: Path) -> None:
    put(tmp_path, "users.json", b'[{"id": "U1", "real_name": "SECRET"}]')
    said = b'[{"type": "message", "user": "U1", "text": "hi", "ts": "1700000060.000200"}]'
    for name in ("general/day.json", "day.json", "../day.json"):
        [message] = messages(put(tmp_path, "in/export.zip", zipped({name: said})))
        assert message.speaker == "U1"


def _bomb(size: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file, file.open("chat.jsonl", "w") as member:
        member.write(_CHAT)
        for _ in range(size // 2**20):
            member.write(b" " * 2**20)
    return buffer.getvalue()


def test_a_member_that_unpacks_to_far_more_than_its_size_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked, unpack = list[int](), zips._read1

    def counted(file: IO[bytes], size: int) -> bytes:
        part = unpack(file, size)
        unpacked.append(len(part))
        return part

    monkeypatch.setattr(zips, "_read1", counted)
    [problem] = records(put(tmp_path, "bomb.zip", _bomb(64 * 2**20)))
    assert isinstance(problem, Problem)
    assert problem.reason == f"it would unpack to more than {zips.HIGHEST_RATIO} times its size"
    assert not unpacked


def test_what_unpacks_well_but_stays_small_is_read(tmp_path: Path) -> None:
    assert len(messages(put(tmp_path, "small.zip", _bomb(8 * 2**20)))) == 1


def test_a_large_member_and_too_many_bytes_together_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path, "e.zip", zipped({"a.jsonl": _CHAT, "b.jsonl": _CHAT * 10, "c.jsonl": _CHAT * 2}))
    monkeypatch.setattr(zips, "LARGEST_MEMBER", 100)
    found = records(path)
    assert sum(isinstance(record, Message) for record in found) == 3
    [problem] = [record for record in found if isinstance(record, Problem)]
    assert "b.jsonl" in problem.where
    assert "160 bytes; at most 100" in problem.reason
    monkeypatch.setattr("memcli.formats.reading.LARGEST_IN_ALL", 20)
    assert sum(isinstance(record, Message) for record in records(path)) == 1


def test_too_many_members_or_too_long_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, "e.zip", zipped({f"{i}.jsonl": _CHAT for i in range(20)}))
    monkeypatch.setattr(zips, "MOST_MEMBERS", 10)
    with pytest.raises(InputUnreadable, match="more than 10 members"):
        records(path)
    monkeypatch.setattr(zips, "LARGEST_DIRECTORY", 1000)
    with pytest.raises(InputUnreadable, match="a directory of more than"):
        records(path)


def test_a_directory_that_a_second_record_says_is_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = zipped({"a.jsonl": _CHAT})
    end = data.rindex(b"PK\x05\x06")
    end64 = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, 1 << 40, 0)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, end, 1)
    with pytest.raises(InputUnreadable, match="a directory of more than"):
        records(put(tmp_path, "e.zip", data[:end] + end64 + locator + data[end:]))


def test_zips_in_zips_are_not_followed(tmp_path: Path) -> None:
    inner = zipped({"chat.jsonl": _CHAT})
    path = put(tmp_path, "outer.zip", zipped({"inner.zip": inner, "inner.gz": b"\x1f\x8b" + inner}, zipfile.ZIP_STORED))
    with pytest.raises(InputUnreadable, match="no transcript in it"):
        records(path)


def test_an_encrypted_zip_is_one_line(tmp_path: Path) -> None:
    data = zipped({"a.jsonl": _CHAT, "b.jsonl": _CHAT})
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        parts = data.split(mark)
        data = mark.join([parts[0], *(part[: offset - 4] + b"\x01" + part[offset - 3 :] for part in parts[1:])])
    [problem] = records(put(tmp_path, "e.zip", data))
    assert isinstance(problem, Problem)
    assert problem.where.endswith("e.zip: a.jsonl")
    assert problem.reason == "it is encrypted: unpack it with its password first (and 1 more)"
    assert records(tmp_path) == [problem]  # nor is it passed over in a folder


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_whose_memory_the_writer_chooses_are_not_read(tmp_path: Path, method: int) -> None:
    [problem] = records(put(tmp_path, "e.zip", zipped({"a.jsonl": _CHAT}, method)))
    assert isinstance(problem, Problem)
    assert "method that is not read" in problem.reason


def test_a_broken_member_does_not_keep_the_others_out(tmp_path: Path) -> None:
    noise = b"".join(b'{"text": "%s"}\n' % os.urandom(40).hex().encode() for _ in range(5000))
    data = bytearray(zipped({"a.jsonl": noise, "b.jsonl": _CHAT}))
    data[len(data) // 2 : len(data) // 2 + 50] = b"\xff" * 50
    found = records(put(tmp_path, "e.zip", bytes(data)))
    [problem] = [record for record in found if isinstance(record, Problem) and "rest" in record.reason]
    assert problem.where.endswith("a.jsonl")
    assert found[-1] == Message("one")
    assert len(found) > 1500


def test_a_member_without_its_header_is_a_line(tmp_path: Path) -> None:
    data = zipped({"a.jsonl": _CHAT, "b.jsonl": b'{"text": "two"}\n'})
    second = data.rindex(b"PK\x03\x04")
    path = put(tmp_path, "e.zip", data[:second] + b"oops" + data[second + 4 :])
    message, problem = records(path)
    assert message == Message("one")
    assert isinstance(problem, Problem)
    assert problem.where.endswith("b.jsonl")
    assert problem.reason.startswith("cannot be read")


@pytest.mark.parametrize("damage", ["cut", "empty", "end only", "no directory"])
def test_a_broken_zip_is_one_line(tmp_path: Path, damage: str) -> None:
    data = zipped({"a.jsonl": _CHAT})
    end = data.rindex(b"PK\x05\x06")
    broken = {
        "cut": data[:40],
        "empty": data[:4],
        "end only": data[end : end + 10],
        "no directory": data[:40] + data[end:],
    }
    with pytest.raises(InputUnreadable) as caught:
        records(put(tmp_path, "e.zip", broken[damage]))
    assert "\n" not in caught.value.message
    assert "e.zip" in caught.value.message
    with pytest.raises(InputUnreadable):
        list(read(Source(tmp_path / "e.zip"), "jsonl"))


def test_a_zip_without_members_or_transcripts(tmp_path: Path) -> None:
    for members in ({}, {"photo.jpg": b"\xff\xd8\xff"}, {"empty.txt": b""}):
        with pytest.raises(InputUnreadable, match="no transcript in it"):
            records(put(tmp_path, "e.zip", zipped(members)))


def test_a_zip_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = type("Stdin", (), {"closed": False, "buffer": io.BytesIO(zipped({"a.jsonl": _CHAT}))})()
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(InputUnreadable, match="a zip in a pipe"):
        list(read(Source(None)))


def test_a_chosen_format_picks_the_members_that_are_of_it(tmp_path: Path) -> None:
    path = put(tmp_path, "e.zip", zipped({"a.jsonl": _CHAT, "b.json": SAMPLE["locomo"]}))
    assert [message.text for message in messages(path, format_name="locomo")] == ["hi"]
    lone = put(tmp_path, "f.zip", zipped({"odd.txt": b"oops\n" + _CHAT}))
    assert len(records(lone, format_name="jsonl")) == 2


def test_progress_is_in_bytes_as_stored(tmp_path: Path) -> None:
    noise = {f"{i}.jsonl": b'{"text": "%s"}\n' % os.urandom(50).hex().encode() for i in range(9)}
    path = put(tmp_path, "e.zip", zipped(noise))
    source = Source(path)
    done = [source.bytes_done for _ in read(source)]
    assert done == sorted(done)
    assert 0 < done[-1] < source.bytes_done <= path.stat().st_size


@settings(max_examples=300, deadline=2000)
@given(st.data())
def test_a_zip_damaged_anywhere_raises_nothing_but_our_own_errors(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    good = zipped({"general/a.json": SAMPLE["slack"], "users.json": b"[]", "b.txt": SAMPLE["whatsapp"]})
    changed = bytearray(good)
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(good) - 1))
        changed[at] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.zip"
    path.write_bytes(bytes(changed[: data.draw(st.integers(4, len(good)))]))
    with suppress(InputUnreadable):
        assert all(isinstance(record, Message | Problem) for record in read(Source(path)))
