"""Detection over the samples of every format, and that a newer export of any adds only what is new."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memcli.errors import InputUnreadable
from memcli.formats import FORMATS, HEAD_BYTES, Message, detect, named, sources
from memcli.formats.detection import recognise
from memcli.memory import Memory

from .formats import GROWING, SAMPLES, put, records, zipped


@pytest.mark.parametrize(("name", "data"), SAMPLES)
@pytest.mark.parametrize("change", [bytes, lambda data: data.replace(b"\n", b"\r\n")], ids=["as it is", "crlf"])
def test_a_sample_is_of_its_format(name: str, data: bytes, change: object) -> None:
    assert detect(change(data)[:HEAD_BYTES]).name == name  # type: ignore[operator]


@pytest.mark.parametrize(("name", "data"), SAMPLES)
def test_a_sample_is_of_no_other_format_with_a_mark_of_its_own(name: str, data: bytes) -> None:
    weak = {"markdown", "plain", "jsonl"}
    found = {each.name for each in map(named, FORMATS) if each.sniff(data[:HEAD_BYTES])} - weak
    assert found == {name} - weak


@pytest.mark.parametrize(("name", "data"), [pair for pair in SAMPLES if pair[0] not in ("markdown", "plain")])
def test_what_begins_like_a_sample_is_of_its_format_or_of_none(name: str, data: bytes) -> None:
    """A live stream shows its beginning bit by bit: none of it may be taken for another format."""
    found = {each.name for size in range(len(data)) if (each := recognise(data[:size])) is not None}
    assert found <= {name}


@pytest.mark.parametrize("name", list(GROWING))
def test_an_export_that_grew_is_detected(name: str) -> None:
    make = GROWING[name][1]
    if name != "slack":
        data = make(3)
        text = data if isinstance(data, str) else json.dumps(data)
        assert detect(text.encode()).name == name


@pytest.mark.parametrize(
    "text",
    [
        "name: memcli\nversion: 1\nlicense: MIT\n",
        "# Readme\n\n**Note:** read this.\n\n**Requirements:** Python\n",
        "# Changes\n\n" + "## 1.0\n\n### Added\n\n- a\n\n### Fixed\n\n- b\n\n" * 9,
        "# Calls\n\n" + "## Request\n\nGET\n\n## Response\n\n200\n\n## Prompt\n\nx\n\n" * 9,
        "# API\n\n" + "### f\n\n**Parameters:** x\n\n**Gives:** y\n\n" * 9,
        "INFO: started\nINFO: ran\nERROR: failed\nINFO: ended\nINFO: gone\nINFO: over\n",
        "def f(x):\n    return x\n\ntry:\n    f(1)\nexcept E: pass\nelse: pass\n",
        "2024-01-15 10:30:00 - app: started\n2024-01-15 10:30:01 - app: ended\n" * 3,
        "Subject: hello\nFrom: ana@example.org\nTo: bo@example.org\n\nDear Bo,\n",
        '{"name": "x", "type": "module", "messages": []}',
        "[1, 2, 3]",
        "<html><body>Ana: hi</body></html>",
    ],
)
def test_in_a_folder_what_only_looks_like_a_transcript_is_passed_over(tmp_path: Path, text: str) -> None:
    chat = put(tmp_path, "chat.jsonl", '{"text": "hi"}\n')
    other = put(tmp_path, "other", text)
    passed_over: list[Path] = []
    assert [source.path for source in sources([tmp_path], passed_over.append)] == [chat]
    assert passed_over == [other]


@pytest.mark.parametrize("name", list(GROWING))
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_newer_export_adds_only_what_is_new(tmp_path: Path, name: str, newline: str) -> None:
    file, make = GROWING[name]
    memory = Memory(tmp_path / "store", embedder="fake")
    for count, added in ((3, 3), (3, 0), (5, 2)):
        data = make(count)
        path = put(tmp_path, file, data.replace("\n", newline) if isinstance(data, str) else data)
        report = memory.ingest([path])
        assert (report.messages, report.added, report.problems) == (count, added, [])


@pytest.mark.parametrize("name", [name for name in GROWING if name not in ("slack", "plain", "markdown")])
def test_an_export_is_read_alike_from_a_file_a_zip_and_a_folder(tmp_path: Path, name: str) -> None:
    file, make = GROWING[name]
    path = put(tmp_path / "WhatsApp Chat with Ana", file, make(4))
    archive = put(tmp_path, "WhatsApp Chat with Ana.zip", zipped({file: path.read_bytes(), "photo.jpg": b"\xff\xd8"}))
    said = records(path)
    assert [record.text for record in said if isinstance(record, Message)] == [f"text {i}" for i in range(4)]
    assert records(archive) == records(path.parent) == said


@pytest.mark.parametrize("name", list(GROWING))
def test_emoji_and_right_to_left_come_through(tmp_path: Path, name: str) -> None:
    text = "שלום 👩‍👩‍👧 مرحبا é"
    file, make = GROWING[name]
    if name == "slack":
        return
    data = make(2)
    raw = data if isinstance(data, str) else json.dumps(data)
    path = put(tmp_path, file, b"\xef\xbb\xbf" + raw.replace("text 1", text).encode())
    assert [record.text for record in records(path) if isinstance(record, Message)][1] == text


@pytest.mark.parametrize("head", [b"<!DOCTYPE html>\n<html>", b"\xef\xbb\xbf\n <HTML lang='de'><p>Ana: hi</p>"])
def test_who_exported_a_web_page_is_told_to_choose_json(head: bytes) -> None:
    with pytest.raises(InputUnreadable, match="not recognised") as raised:
        detect(head, "messages.html")
    assert "choose JSON" in raised.value.hint
