"""Candidate answers: every run of words in a sentence that could stand alone, described by numbers.

The numbers say where the run lies (after a word of the question, before a comma), what it is made of (names, digits,
rare words) and how good its sentence is. A small network, trained by `benchmarks/reading.py` to foretell the overlap
with the right answer, scores them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from memcli.reading.passages import Passage
from memcli.reading.question import Question, Seeks
from memcli.text import STOPWORDS, stem
from memcli.times import find

__all__ = ["WIDTH", "Candidate", "candidates"]

LONGEST = 12
_QUOTES = tuple('"“”')

_TOKEN = re.compile(r"[^\W_]+(?:['’.&/-][^\W_]+)*\+?%?")
_HARD = re.compile(r"[.!?;:()\[\]\n]|\s[-–—]\s|—")
_CLASSES: tuple[frozenset[str], ...] = tuple(
    frozenset(group.split())
    for group in (
        "a an the this that these those some any another each every",
        "my your his her its our their",
        "in at on to from into near around through across inside",
        "of with by for about as like than",
        "and or but so plus nor while though although if",
        "because since cause cuz due",
        "i you he she it we they me him them us who which what there here "
        "i'm i've it's he's she's they're we're that's",
        "is are was were be been being am has have had do does did will would can could should may might must i'll i'd",
        "not never no don't didn't can't won't isn't wasn't doesn't haven't",
        "very really so just too also still now then even always often super pretty quite ever actually recently",
        "love loved like liked enjoy enjoyed want wanted feel felt think thought know went go going got get made make",
    )
)  # fmt: skip
_NUMBER_WORDS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve once twice dozen hundred several few couple".split()
)
#: A run of words that ends in one of these is cut short.
_NO_END = frozenset().union(*_CLASSES[:6]) | _CLASSES[7] | {"i", "we", "he", "she", "they"}
_NO_START = (_CLASSES[4] | {"of", "than", "is", "are", "was", "were", "am", "be"}) - {"while"}
_KINDS = tuple(Seeks)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A run of words in a passage: `passage.text[start:end]`."""

    passage: Passage
    start: int
    end: int
    first: int
    last: int

    @property
    def text(self) -> str:
        """The words as they were said."""
        return self.passage.text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class _Tokens:
    words: list[str]
    offsets: list[tuple[int, int]]
    classes: list[int]
    asked: list[float]
    names: list[float]
    digits: list[float]
    content: list[float]
    heads: list[float]
    quoted: list[float]  # a quotation mark before, after
    breaks: list[int]  # after each token: 0 nothing, 1 soft punctuation, 2 hard


def _tokens(text: str, stems: frozenset[str], head: str) -> _Tokens:
    matches = list(_TOKEN.finditer(text))
    following = [m.start() for m in matches[1:]] + [len(text)] * bool(matches)
    words = [m.group().lower().replace("’", "'") for m in matches]
    gaps = [text[m.end() : end] for m, end in zip(matches, following, strict=True)]
    breaks = [2 if _HARD.search(g) or n == len(gaps) - 1 else int(bool(g.strip())) for n, g in enumerate(gaps)]
    starts = [n == 0 or breaks[n - 1] == 2 for n in range(len(breaks))]
    return _Tokens(
        words,
        [m.span() for m in matches],
        [_class(w) for w in words],
        [float(stem(w) in stems) for w in words],
        [float(m.group()[0].isupper() and not s and w != "i" and not w.startswith("i'"))
         for m, w, s in zip(matches, words, starts, strict=True)],
        [float(w in _NUMBER_WORDS or w[0].isdigit()) for w in words],
        [float(w not in STOPWORDS) for w in words],
        [float(stem(w) == head) for w in words],
        [float(text[m.start() - 1 : m.start()] in _QUOTES) - 2 * float(text[m.end() : m.end() + 1] in _QUOTES)
         for m in matches],
        breaks,
    )  # fmt: skip


def _class(word: str) -> int:
    """Which closed class a word is of; after those, whether it looks like a verb, an adverb or a plural."""
    for number, group in enumerate(_CLASSES):
        if word in group:
            return number
    for number, ending in enumerate(("ing", "ed", "ly", "s")):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return len(_CLASSES) + number
    return len(_CLASSES) + 4


_CLASS_COUNT = len(_CLASSES) + 5
#: How many numbers describe a candidate.
WIDTH = 30 + 4 * _CLASS_COUNT + 12 + len(_KINDS)


def candidates(question: Question, passage: Passage) -> tuple[list[Candidate], npt.NDArray[np.float32]]:
    """The candidates of one passage, and a row of features for each."""
    tokens = _tokens(passage.text, frozenset(question.stems), question.head)
    times = [(e.start_offset, e.end_offset) for e in find(passage.text, passage.at)]
    runs = [(i, j) for i, j in _runs(tokens) if not _within(tokens.offsets[i][0], tokens.offsets[j][1], times)]
    found = [Candidate(passage, tokens.offsets[i][0], tokens.offsets[j][1], i, j) for i, j in runs]
    return found, _features(question, passage, tokens, runs)


def _within(start: int, end: int, times: list[tuple[int, int]]) -> bool:
    """Whether it is nothing but a time, which answers other questions than these."""
    return any(first <= start and end <= last for first, last in times)


def _runs(tokens: _Tokens) -> Iterator[tuple[int, int]]:
    size = len(tokens.words)
    for i in range(size):
        if tokens.words[i] in _NO_START:
            continue
        for j in range(i, min(size, i + LONGEST)):
            if tokens.words[j] not in _NO_END and any(tokens.content[i : j + 1]):
                yield i, j
            if tokens.breaks[j] == 2:
                break


def _features(
    question: Question, passage: Passage, tokens: _Tokens, runs: list[tuple[int, int]]
) -> npt.NDArray[np.float32]:
    """One row a run: its own numbers, then those of its sentence, then the kind of the question."""
    shared = _shared(question, passage)
    sums = [list(accumulate(column, initial=0.0))
            for column in (tokens.asked, tokens.names, tokens.digits, tokens.content)]  # fmt: skip
    rows = [_row(tokens, sums, i, j) + shared for i, j in runs]
    return np.asarray(rows, dtype=np.float32).reshape(len(rows), WIDTH)


def _shared(question: Question, passage: Passage) -> list[float]:
    return [
        passage.score, 1 / (1 + passage.rank), passage.cosine, passage.covered, passage.turn_covered, passage.asked,
        passage.by_asked, passage.behind, passage.lacking,
        float("?" in passage.text), float(passage.text.startswith("[image")),
        float(question.listing), *(float(question.seeks is kind) for kind in _KINDS),
    ]  # fmt: skip


def _row(tokens: _Tokens, sums: list[list[float]], i: int, j: int) -> list[float]:
    size, length = len(tokens.words), j - i + 1
    asked, names, digits, content = (column[j + 1] - column[i] for column in sums)
    left = next((d for d in range(1, 8) if i - d >= 0 and tokens.asked[i - d]), 8)
    right = next((d for d in range(1, 8) if j + d < size and tokens.asked[j + d]), 8)
    return [
        length / 5, float(length == 1), float(length <= 3), asked / length, asked, names / length, float(names > 0),
        digits, content / length, content / 3, tokens.asked[i], tokens.asked[j], 1 / left, 1 / right,
        float(i == 0), float(j == size - 1), float(i > 0 and tokens.breaks[i - 1] > 0), float(tokens.breaks[j] == 1),
        float(tokens.breaks[j] == 2), float(any(tokens.breaks[i:j])), float(tokens.words[i] == "to"),
        float(tokens.words[i - 1] == "to" if i else 0),
        *_edges(tokens, i, j),
        *_one_hot(tokens.classes[i - 1] if i else -1), *_one_hot(tokens.classes[i]), *_one_hot(tokens.classes[j]),
        *_one_hot(tokens.classes[j + 1] if j + 1 < size else -1),
    ]  # fmt: skip


def _edges(tokens: _Tokens, i: int, j: int) -> list[float]:
    """Whether the run cuts a name or a quotation, and where the noun is that the answer is one of."""
    size = len(tokens.words)
    follows = j + 1 < size and tokens.breaks[j] == 0
    heads = tokens.heads
    return [
        float(i > 0 and tokens.names[i - 1] * tokens.names[i] > 0),
        float(follows and tokens.names[j + 1] * tokens.names[j] > 0),
        float(tokens.quoted[i] in (1, -1)), float(tokens.quoted[j] < 0),
        float(follows and heads[j + 1]), heads[j], float(any(heads[i:j])), float(any(heads)),
    ]  # fmt: skip


def _one_hot(number: int) -> list[float]:
    row = [0.0] * _CLASS_COUNT
    if number >= 0:
        row[number] = 1.0
    return row
