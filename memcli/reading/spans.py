"""Candidate answers: every run of words in a sentence that could stand alone, described by numbers.

The numbers say where the run lies (after a word of the question, before a comma), what it is made of (names, digits,
rare words) and how good its sentence is. A small network, trained by `benchmarks/reading.py` to foretell the overlap
with the right answer, scores them.

Most of these numbers are of the sentence, whoever asks: they, and what they add to the network's hidden units, are
made once a sentence. Only the rest is made for a question, for all of its passages at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from memcli.languages import spoken
from memcli.model import Question, Seeks
from memcli.reading.network import Network
from memcli.reading.passages import Passage
from memcli.text import STOPWORDS, stem

__all__ = ["WIDTH", "Candidate", "best_candidates", "candidates"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float32]

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
    names: list[float]
    digits: list[float]
    content: list[float]
    quoted: list[float]  # a quotation mark before, after
    breaks: list[int]  # after each token: 0 nothing, 1 soft punctuation, 2 hard


@dataclass(frozen=True, slots=True, eq=False)
class _Sentence:
    """What is known of a sentence before it is asked about. Its runs go from word `first` to word `last`."""

    offsets: list[tuple[int, int]]
    stems: list[str]
    joined: list[bool]  # whether nothing but space lies between a word and the next
    first: Ints
    last: Ints
    own: Matrix  # the columns `_OWN` of its runs, or what they add to a network's hidden units

    def candidate(self, passage: Passage, run: int) -> Candidate:
        """A run as a candidate of the passage whose sentence this is."""
        first, last = int(self.first[run]), int(self.last[run])
        return Candidate(passage, self.offsets[first][0], self.offsets[last][1], first, last)


def _tokens(text: str) -> _Tokens:
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
        [float(m.group()[0].isupper() and not s and w != "i" and not w.startswith("i'"))
         for m, w, s in zip(matches, words, starts, strict=True)],
        [float(w in _NUMBER_WORDS or w[0].isdigit()) for w in words],
        [float(w not in STOPWORDS) for w in words],
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
#: A class as a row of zeros with a one; the last row, all zeros, is for where there is no word.
_ONE_HOT = np.eye(_CLASS_COUNT + 1, _CLASS_COUNT, dtype=np.float32)
#: How many numbers describe a candidate: 30 of the run, the classes of its edges, those of its passage and question.
WIDTH = 30 + 4 * _CLASS_COUNT + 12 + len(_KINDS)
#: Which of them depend on the words of the question; on its kind and the passage; and on the sentence alone.
_ASKED = [3, 4, 10, 11, 12, 13, 26, 27, 28, 29]
_SHARED = list(range(30 + 4 * _CLASS_COUNT, WIDTH))
_OWN = [column for column in range(_SHARED[0]) if column not in _ASKED]
#: A word of the question counts as near up to this distance less one; blanks of this width keep sentences apart.
_FAR = 8
#: Sentences that are kept with what they add to the hidden units: some 10 kB each.
_KEPT = 4096


def candidates(question: Question, passage: Passage) -> tuple[list[Candidate], Matrix]:
    """The candidates of one passage, and a row of features for each."""
    sentence = _sentence(passage.text, passage.at)
    found = [sentence.candidate(passage, run) for run in range(len(sentence.first))]
    rows = np.empty((len(found), WIDTH), dtype=np.float32)
    rows[:, _OWN] = sentence.own
    rows[:, _ASKED] = _asked(question, [sentence])
    rows[:, _SHARED] = _shared(question, [passage])
    return found, rows


def best_candidates(question: Question, passages: Sequence[Passage], network: Network) -> list[tuple[float, Candidate]]:
    """The best candidate of every passage that has any, with its score."""
    known = [_weighed(network, p.text, p.at, p.at.tzinfo if p.at else None) for p in passages]
    counts = [len(sentence.first) for sentence in known]
    if not any(counts):
        return []
    sums = np.concatenate([sentence.own for sentence in known])
    sums += network.sums(_asked(question, known), _ASKED)
    sums += np.repeat(network.sums(_shared(question, passages), _SHARED), counts, axis=0)
    parts = np.split(network.scores(sums), np.cumsum(counts)[:-1])
    return [
        (float(scores[run := int(scores.argmax())]), sentence.candidate(passage, run))
        for passage, sentence, scores in zip(passages, known, parts, strict=True)
        if len(scores)
    ]


@lru_cache(maxsize=_KEPT)
def _weighed(network: Network, text: str, at: datetime | None, zone: tzinfo | None) -> _Sentence:  # noqa: ARG001
    """`zone` is that of `at`: two times that are equal may be of different days."""
    sentence = _sentence(text, at)
    return replace(sentence, own=network.sums(sentence.own, _OWN))


def _sentence(text: str, at: datetime | None) -> _Sentence:
    tokens = _tokens(text)
    times = [(e.start_offset, e.end_offset) for e in spoken([text]).times(text, at)]
    offsets = tokens.offsets
    runs = [(i, j) for i, j in _runs(tokens) if not _within(offsets[i][0], offsets[j][1], times)]
    first, last = np.array(runs, dtype=np.int64).reshape(-1, 2).T
    joined = [b == 0 for b in tokens.breaks]
    return _Sentence(offsets, [stem(w) for w in tokens.words], joined, first, last, _own(tokens, first, last))


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


def _own(tokens: _Tokens, i: Ints, j: Ints) -> Matrix:
    """The columns that depend on the sentence alone, for its runs from word `i` to word `j`."""
    length = j - i + 1
    names, digits, content = (_between(np.array(c), i, j + 1) for c in (tokens.names, tokens.digits, tokens.content))
    breaks = np.array([0, *tokens.breaks])  # at [i]: before word i, at [j + 1]: after word j
    to = np.array([False, *(word == "to" for word in tokens.words)])
    numbers = [
        length / 5, length == 1, length <= 3, names / length, names > 0, digits, content / length, content / 3,
        i == 0, j == len(tokens.words) - 1, breaks[i] > 0, breaks[j + 1] == 1, breaks[j + 1] == 2,
        _between(breaks[1:] > 0, i, j) > 0, to[i + 1], to[i], *_edges(tokens, i, j),
    ]  # fmt: skip
    classes = np.array([-1, *tokens.classes, -1])
    edges = [_ONE_HOT[classes[places]] for places in (i, i + 1, j + 1, j + 2)]
    return np.concatenate([np.stack(numbers, axis=1).astype(np.float32), *edges], axis=1)


def _edges(tokens: _Tokens, i: Ints, j: Ints) -> list[npt.NDArray[np.bool_]]:
    """Whether the run cuts a name or a quotation."""
    name, quoted = np.array([0.0, *tokens.names, 0.0]) > 0, np.array(tokens.quoted)
    follows = np.array(tokens.breaks)[j] == 0
    return [
        name[i] & name[i + 1], follows & name[j + 1] & name[j + 2],
        (quoted[i] == 1) | (quoted[i] == -1), quoted[j] < 0,
    ]  # fmt: skip


def _between(column: npt.NDArray[Any], start: Ints, end: Ints) -> Floats:
    """The sums of `column` over the places from each `start` up to `end`, without it."""
    sums: Floats = np.concatenate([[0.0], np.cumsum(column)])
    return sums[end] - sums[start]


def _asked(question: Question, sentences: Sequence[_Sentence]) -> Matrix:
    """The columns that depend on the question's words and its head, for the runs of all `sentences`."""
    wanted, blank = frozenset(question.stems), [""] * _FAR
    words = blank + [word for s in sentences for word in s.stems + blank]
    asked = np.array([word in wanted for word in words])
    head = np.array([word == question.head != "" for word in words])
    joined = np.array([False] * _FAR + [near for s in sentences for near in s.joined + [False] * _FAR])
    starts = np.cumsum([_FAR, *(len(s.stems) + _FAR for s in sentences)])
    counts = [len(s.first) for s in sentences]
    shift = np.repeat(starts[:-1], counts)
    i, j = np.concatenate([s.first for s in sentences]) + shift, np.concatenate([s.last for s in sentences]) + shift
    inside = _between(asked, i, j + 1)
    before, after = _distances(asked)
    columns = [
        inside / (j - i + 1), inside, asked[i], asked[j], 1 / before[i], 1 / after[j],
        joined[j] & head[j + 1], head[j], _between(head, i, j) > 0,
        np.repeat(_between(head, starts[:-1], starts[1:]) > 0, counts),
    ]  # fmt: skip
    return np.stack(columns, axis=1).astype(np.float32)


def _distances(asked: npt.NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """How far before, and after, each place the next one is that is `asked`; at most `_FAR`."""
    here = np.arange(len(asked))
    latest = np.maximum.accumulate(np.where(asked, here, -_FAR))
    soonest = np.minimum.accumulate(np.where(asked, here, len(asked) + _FAR)[::-1])[::-1]
    before, after = here - np.r_[-_FAR, latest[:-1]], np.r_[soonest[1:], len(asked) + _FAR] - here
    return np.minimum(before, _FAR), np.minimum(after, _FAR)


def _shared(question: Question, passages: Sequence[Passage]) -> Matrix:
    """The columns that all candidates of a passage share."""
    own = [
        [p.score, 1 / (1 + p.rank), p.cosine, p.covered, p.turn_covered, p.asked, p.by_asked, p.behind, p.lacking,
         "?" in p.text, p.text.startswith("[image")] for p in passages
    ]  # fmt: skip
    kind = [question.listing, *(question.seeks is kind for kind in _KINDS)]
    return np.hstack([np.array(own, dtype=np.float32), np.tile(np.array(kind, dtype=np.float32), (len(own), 1))])
