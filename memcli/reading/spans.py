"""Candidate answers: every run of words in a sentence that could stand alone, described by numbers.

The numbers say where the run lies (after a word of the question, before a comma), what it is made of (names, digits,
rare words) and how good its sentence is. A small network, trained by `benchmarks/reading.py` to foretell the overlap
with the right answer, scores them.

Most of these numbers are of the sentence, whoever asks: they, and what they add to the network's hidden units, are
made once a sentence. Only the rest is made for a question, for all of its passages at once. Each number has a name
(`NAMES`), by which it is computed here and weighed in `span_weights.json`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from memcli.languages import Language, spoken
from memcli.model import Question, Seeks
from memcli.ranking import learned
from memcli.reading.network import Network
from memcli.reading.passages import Passage
from memcli.text import STOPWORDS, stem

__all__ = ["NAMES", "Candidate", "best_candidates", "candidates", "packaged"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float32]

LONGEST = 12
_QUOTES = tuple('"“”')

_TOKEN = re.compile(r"[^\W_]+(?:['’.&/-][^\W_]+)*\+?%?")
_HARD = re.compile(r"[.!?;:()\[\]\n]|\s[-–—]\s|—")
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
class _TokenClasses:
    words: list[str]
    offsets: list[tuple[int, int]]
    language: Language
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
    own: Matrix  # the numbers `_OWN` of its runs, or what they add to a network's hidden units

    def candidate(self, passage: Passage, run: int) -> Candidate:
        """A run as a candidate of the passage whose sentence this is."""
        first, last = int(self.first[run]), int(self.last[run])
        return Candidate(passage, self.offsets[first][0], self.offsets[last][1], first, last)


def _tokens(text: str, language: Language) -> _TokenClasses:
    matches = list(_TOKEN.finditer(text))
    following = [m.start() for m in matches[1:]] + [len(text)] * bool(matches)
    words = [m.group().lower().replace("’", "'") for m in matches]
    gaps = [text[m.end() : end] for m, end in zip(matches, following, strict=True)]
    breaks = [2 if _HARD.search(g) or n == len(gaps) - 1 else int(bool(g.strip())) for n, g in enumerate(gaps)]
    starts = [n == 0 or breaks[n - 1] == 2 for n in range(len(breaks))]
    return _TokenClasses(
        words,
        [m.span() for m in matches],
        language,
        [_PLACE[language.word_class(w)] for w in words],
        [float(m.group()[0].isupper() and not s and w not in language.capitals)
         for m, w, s in zip(matches, words, starts, strict=True)],
        [float(language.is_number(w)) for w in words],
        [float(w not in STOPWORDS) for w in words],
        [float(text[m.start() - 1 : m.start()] in _QUOTES) - 2 * float(text[m.end() : m.end() + 1] in _QUOTES)
         for m in matches],
        breaks,
    )  # fmt: skip


#: The classes of words that the network was trained with; a language may use some of them (`Language.word_class`).
_CLASS_NAMES = (
    "determiner", "possessive", "preposition of place", "preposition", "conjunction", "reason", "pronoun", "auxiliary",
    "negation", "adverb", "common verb", "-ing", "-ed", "-ly", "-s", "other",
)  # fmt: skip
_PLACE = {name: place for place, name in enumerate(_CLASS_NAMES)}
#: A class as a row of zeros with a one; the last row, all zeros, is for where there is no word.
_ONE_HOT = np.eye(len(_CLASS_NAMES) + 1, len(_CLASS_NAMES), dtype=np.float32)

#: The numbers of a run: `asked` and `head` depend on the question's words and its head, `run` on the sentence alone.
_RUN = (
    "run.length", "run.one_word", "run.short", "asked.share", "asked.count", "run.name_share", "run.name", "run.digits",
    "run.content_share", "run.content", "asked.first", "asked.last", "asked.before", "asked.after", "run.opens",
    "run.closes", "run.after_break", "run.before_soft_break", "run.before_hard_break", "run.over_break", "run.to",
    "run.after_to", "run.cuts_name_before", "run.cuts_name_after", "run.opens_quote", "run.closes_quote",
    "head.follows", "head.last", "head.inside", "head.in_sentence",
)  # fmt: skip
#: The classes of the words before a run, at its two ends, and after it.
_EDGES = tuple(f"{place}.{name}" for place in ("before", "first", "last", "after") for name in _CLASS_NAMES)
#: What all runs of a passage share, by the passage and by the question.
_SHARED = (
    "passage.score", "passage.rank", "passage.cosine", "passage.covered", "passage.turn_covered", "passage.asked",
    "passage.by_asked", "passage.behind", "passage.lacking", "passage.question_mark", "passage.image",
    "question.listing", *(f"question.{kind}" for kind in _KINDS),
)  # fmt: skip
#: The numbers that describe a candidate.
NAMES = (*_RUN, *_EDGES, *_SHARED)
_ASKED = tuple(name for name in _RUN if not name.startswith("run."))
_OWN_RUN = tuple(name for name in _RUN if name.startswith("run."))
_OWN = (*_OWN_RUN, *_EDGES)
#: A word of the question counts as near up to this distance less one; blanks of this width keep sentences apart.
_FAR = 8
#: Sentences that are kept with what they add to the hidden units: some 10 kB each.
_KEPT = 4096


@lru_cache(maxsize=1)
def packaged() -> Network:
    """The network that ships with memcli."""
    return Network.of(learned.packaged(__package__, "span_weights.json"), NAMES)


def candidates(question: Question, passage: Passage) -> tuple[list[Candidate], Matrix]:
    """The candidates of one passage, and a row of numbers for each, in the order of `NAMES`."""
    sentence = _sentence(passage.text, passage.at)
    found = [sentence.candidate(passage, run) for run in range(len(sentence.first))]
    shared = np.repeat(_shared(question, [passage]), len(found), axis=0)
    parts = {_OWN: sentence.own, _ASKED: _asked(question, [sentence]), _SHARED: shared}
    columns = {name: column for names, rows in parts.items() for name, column in zip(names, rows.T, strict=True)}
    return found, _rows(columns, NAMES)


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
    language = spoken([text])
    tokens = _tokens(text, language)
    times = [(e.start_offset, e.end_offset) for e in language.times(text, at)]
    offsets = tokens.offsets
    runs = [(i, j) for i, j in _runs(tokens) if not _within(offsets[i][0], offsets[j][1], times)]
    first, last = np.array(runs, dtype=np.int64).reshape(-1, 2).T
    joined = [b == 0 for b in tokens.breaks]
    return _Sentence(offsets, [stem(w) for w in tokens.words], joined, first, last, _own(tokens, first, last))


def _within(start: int, end: int, times: list[tuple[int, int]]) -> bool:
    """Whether it is nothing but a time, which answers other questions than these."""
    return any(first <= start and end <= last for first, last in times)


def _runs(tokens: _TokenClasses) -> Iterator[tuple[int, int]]:
    size = len(tokens.words)
    for i in range(size):
        if not tokens.language.may_begin(tokens.words[i]):
            continue
        for j in range(i, min(size, i + LONGEST)):
            if tokens.language.may_end(tokens.words[j]) and any(tokens.content[i : j + 1]):
                yield i, j
            if tokens.breaks[j] == 2:
                break


def _own(tokens: _TokenClasses, i: Ints, j: Ints) -> Matrix:
    """The numbers `_OWN`, for the runs from word `i` to word `j` of a sentence."""
    length = j - i + 1
    names, digits, content = (_between(np.array(c), i, j + 1) for c in (tokens.names, tokens.digits, tokens.content))
    breaks = np.array([0, *tokens.breaks])  # at [i]: before word i, at [j + 1]: after word j
    to = np.array([False, *(word == tokens.language.infinitive for word in tokens.words)])
    numbers = {
        "run.length": length / 5,
        "run.one_word": length == 1,
        "run.short": length <= 3,
        "run.name_share": names / length,
        "run.name": names > 0,
        "run.digits": digits,
        "run.content_share": content / length,
        "run.content": content / 3,
        "run.opens": i == 0,
        "run.closes": j == len(tokens.words) - 1,
        "run.after_break": breaks[i] > 0,
        "run.before_soft_break": breaks[j + 1] == 1,
        "run.before_hard_break": breaks[j + 1] == 2,
        "run.over_break": _between(breaks[1:] > 0, i, j) > 0,
        "run.to": to[i + 1],
        "run.after_to": to[i],
        **_cuts(tokens, i, j),
    }
    classes = np.array([-1, *tokens.classes, -1])
    edges = [_ONE_HOT[classes[places]] for places in (i, i + 1, j + 1, j + 2)]
    return np.concatenate([_rows(numbers, _OWN_RUN), *edges], axis=1)


def _cuts(tokens: _TokenClasses, i: Ints, j: Ints) -> dict[str, npt.NDArray[np.bool_]]:
    """Whether the run cuts a name, and whether it begins or ends with a quotation."""
    name, quoted = np.array([0.0, *tokens.names, 0.0]) > 0, np.array(tokens.quoted)
    follows = np.array(tokens.breaks)[j] == 0
    return {
        "run.cuts_name_before": name[i] & name[i + 1],
        "run.cuts_name_after": follows & name[j + 1] & name[j + 2],
        "run.opens_quote": (quoted[i] == 1) | (quoted[i] == -1),
        "run.closes_quote": quoted[j] < 0,
    }


def _rows(columns: Mapping[str, npt.NDArray[Any]], names: Sequence[str]) -> Matrix:
    """The columns side by side, in the order of `names`. Raises ValueError where they have other names."""
    return np.stack(learned.in_order(columns, names), axis=1).astype(np.float32)


def _between(column: npt.NDArray[Any], start: Ints, end: Ints) -> Floats:
    """The sums of `column` over the places from each `start` up to `end`, without it."""
    sums: Floats = np.concatenate([[0.0], np.cumsum(column)])
    return sums[end] - sums[start]


def _asked(question: Question, sentences: Sequence[_Sentence]) -> Matrix:
    """The numbers `_ASKED`, for the runs of all `sentences`."""
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
    columns = {
        "asked.share": inside / (j - i + 1),
        "asked.count": inside,
        "asked.first": asked[i],
        "asked.last": asked[j],
        "asked.before": 1 / before[i],
        "asked.after": 1 / after[j],
        "head.follows": joined[j] & head[j + 1],
        "head.last": head[j],
        "head.inside": _between(head, i, j) > 0,
        "head.in_sentence": np.repeat(_between(head, starts[:-1], starts[1:]) > 0, counts),
    }
    return _rows(columns, _ASKED)


def _distances(asked: npt.NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """How far before, and after, each place the next one is that is `asked`; at most `_FAR`."""
    here = np.arange(len(asked))
    latest = np.maximum.accumulate(np.where(asked, here, -_FAR))
    soonest = np.minimum.accumulate(np.where(asked, here, len(asked) + _FAR)[::-1])[::-1]
    before, after = here - np.r_[-_FAR, latest[:-1]], np.r_[soonest[1:], len(asked) + _FAR] - here
    return np.minimum(before, _FAR), np.minimum(after, _FAR)


def _shared(question: Question, passages: Sequence[Passage]) -> Matrix:
    """The numbers `_SHARED`, a row for each passage."""
    kind = {"question.listing": question.listing, **{f"question.{kind}": question.seeks is kind for kind in _KINDS}}
    own = [
        {
            "passage.score": p.score,
            "passage.rank": 1 / (1 + p.rank),
            "passage.cosine": p.cosine,
            "passage.covered": p.covered,
            "passage.turn_covered": p.turn_covered,
            "passage.asked": p.asked,
            "passage.by_asked": p.by_asked,
            "passage.behind": p.behind,
            "passage.lacking": p.lacking,
            "passage.question_mark": "?" in p.text,
            "passage.image": p.text.startswith("[image"),
        }
        for p in passages
    ]
    return np.array([learned.in_order(each | kind, _SHARED) for each in own], dtype=np.float32)
