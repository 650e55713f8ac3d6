"""The words of a window that answer: whole, of the kind that was asked for, and never those of the question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ..languages import language, spoken
from ..model import Question, Seeks
from ..text import content_stems, sentences
from .network import Span
from .relevance import Found

__all__ = ["Value", "values"]

#: What stays together with a digit or a letter beside it: 3.4, 2:04:10, BA-2760, a@b.org, £1,899.
_JOINED = re.compile(r"(?<=\w)[.,:'’&@/_=-](?=\w)|[£$€¥](?=\d)|(?<=\d)\s?[%€£$]|(?<=\d)(?=[a-zA-Z])")
#: A number, right before a unit that was taken without it.
_AMOUNT = re.compile(r"(?<![\w.,])[£$€¥]?\d[\d.,:]*\s?$")
_AMOUNTS = (Seeks.COUNT, Seeks.OFTEN, Seeks.LENGTH)
#: The number of a house, right before its street, and no year.
_HOUSE = re.compile(r"(?<![\w.,:])(?!(?:19|20)\d\d)\d{1,4}[a-z]? $")
#: A number or a letter by itself, which a label may stand before.
_LABELLED = re.compile(r"(?:\d|[A-Z]\b)")
_WORD = re.compile(r"[^\W_]+")
#: What parts of a sentence are divided by.
_PAUSE = re.compile(r"[,;:.!?…–—`]+(?=\s|$)")
_EDGES = " \t\n,.;:!?…\"“”„'’`()[]"
#: Words on both sides of a picture, which ends a sentence as a full stop does: "last night 😡 the blue Fiesta".
_PICTURED = re.compile(r"\w\W*[\U0001F300-\U0001FAFF]\W*\w")
_YEAR = re.compile(r"(?:in )?(?:19|20)\d\d")
#: Times without a year are found only where there is a day to count from.
_SOME_DAY = datetime(2000, 1, 1)


@dataclass(frozen=True, slots=True)
class Value:
    """`text`, found in `found` with this chance, if the window answers. `typed`: it is of the kind asked for."""

    text: str
    found: Found
    chance: float
    typed: bool = True


def values(question: Question, found: Found) -> list[Value]:
    """The values of a window, the likeliest first; those of the kind that is asked for before all others."""
    shown, asked = found.passage.window.shown, frozenset(question.stems)
    made: dict[str, Value] = {}
    spans = list(_spans(question, found))
    for span in spans if question.seeks in _AMOUNTS else _weighed(spans, shown):
        text = _told(question, shown, span, found)
        if text and not _repeats(text, asked, question) and text not in made:
            made[text] = Value(text, found, span.chance, _is_typed(question, text))
    return sorted(made.values(), key=lambda value: (not value.typed, -value.chance))


def _spans(question: Question, found: Found) -> Iterator[Span]:
    """The network's, and where a number or name that stands for something is asked for, what looks like one."""
    pattern = language(question.language).identifier(question.asks)
    spans = found.finding.spans
    for match in pattern.finditer(found.passage.window.shown) if pattern else ():
        inside = sum(s.chance for s in spans if s.start < match.end() and s.end > match.start())
        yield Span(match.start(), match.end(), max(inside, 0.2))
    yield from spans


def _weighed(spans: Sequence[Span], shown: str) -> list[Span]:
    """The spans, each with how much of the answer is expected in it instead of how likely it is all of it: the mean F1
    of its words over what the answer may be (minimum Bayes risk; Kumar and Byrne 2004). Of "kundalini" (0.3), "yoga"
    (0.2) and "kundalini yoga" (0.25) the last has the most of all. What goes on over a pause, as the likeliest does
    not, is left as likely as it is: "Leeds now, Headingley".
    """
    words = [{m.start() for m in _WORD.finditer(shown, each.start, each.end)} for each in spans]
    pauses = [len(_PAUSE.findall(shown[each.start : each.end].rstrip(_EDGES))) for each in spans]
    likeliest = max(range(len(spans)), key=lambda place: spans[place].chance, default=0)
    expected = [
        sum(other.chance * _f1(ours, theirs) for other, theirs in zip(spans, words, strict=True)) for ours in words
    ]
    return [
        replace(each, chance=min(of, 1.0)) if inside <= pauses[likeliest] else each
        for each, of, inside in zip(spans, expected, pauses, strict=True)
    ]


def _f1(ours: set[int], theirs: set[int]) -> float:
    return 2 * len(ours & theirs) / (len(ours) + len(theirs)) if ours and theirs else 0.0


def _told(question: Question, shown: str, span: Span, found: Found) -> str:
    """The words of a span to their ends; the speaker's name where somebody is asked for who speaks of himself, or who
    did what is done by saying this.
    """
    speaker, said = found.passage.window.speaker, spoken([shown])
    if question.seeks is Seeks.WHO and said.does_by_saying(question.asks, found.passage.window.text):
        return speaker
    start, end = _whole(shown, span.start, span.end)
    end = start + len(shown[start:end].rstrip(_EDGES))
    start = _numbered(question, shown, start)
    if question.seeks not in _AMOUNTS:
        start, end = _labelled(shown, start, end)
    text = shown[start:end].strip(_EDGES)
    if start < len(speaker) + 1 or said.is_oneself(text):
        return speaker if question.seeks is Seeks.WHO and not said.asks(found.passage.window.text) else ""
    if "(" in text and ")" not in text:
        text = text[: text.index("(")].rstrip(_EDGES) or text
    if question.seeks is Seeks.WHO and said.is_somebody(text):
        text += said.named_after(shown, end)
    if question.listing:
        text += said.listed_after(shown, end).rstrip(_EDGES)
    return said.untied(text)


def _numbered(question: Question, text: str, start: int) -> int:
    """Where the number begins that belongs to what follows: an amount with its unit, a house with its street."""
    first = text[start : start + 1]
    before = _AMOUNT if first.islower() else _HOUSE if first.isupper() and question.seeks is Seeks.WHERE else None
    number = before.search(text[:start]) if before else None
    return number.start() if number else start


def _labelled(text: str, start: int, end: int) -> tuple[int, int]:
    """The words with the label before them, if they begin with a number, and the labels that follow."""
    said = spoken([text])
    start = said.label_before(text, start) if _LABELLED.match(text, start) else start
    return start, end + len(said.labelled_after(text, end))


def _whole(text: str, start: int, end: int) -> tuple[int, int]:
    """The span to the ends of its first and last words, and of what these are joined to."""
    bounds = [m.span() for m in _WORD.finditer(text)]
    joints = {m.start() for m in _JOINED.finditer(text)} | {m.end() for m in _JOINED.finditer(text)}
    while start > 0 and (_inside(bounds, start) or start in joints or start - 1 in joints):
        start -= 1
    while end < len(text) and (_inside(bounds, end) or (end in joints and text[end] != " ") or _counts(text, end)):
        end += 1
    return start, end


def _inside(bounds: list[tuple[int, int]], place: int) -> bool:
    return any(start < place < end for start, end in bounds)


def _counts(text: str, end: int) -> bool:
    """Whether a number goes on: "3.4", "285k", "9 %"."""
    return bool(re.match(r"\d[.,:]\d|\d[k%€]\b", text[max(0, end - 1) : end + 2], re.I))


def _repeats(text: str, asked: frozenset[str], question: Question) -> bool:
    """Whether it says mostly what the question says; a choice is offered by the question itself."""
    own = set(content_stems(text))
    return bool(own) and len(own - asked) < len(own & asked) and " or " not in question.asks


def _is_typed(question: Question, text: str) -> bool:
    if not language(question.language).is_such(question.asks, text):
        return False
    if question.seeks in _AMOUNTS:
        return bool(spoken([text]).number(text))
    if _is_time(text) or _PICTURED.search(text) or (len(sentences(text)) > 1 and not question.listing):
        return False
    if question.seeks is Seeks.WHO:
        return spoken([text]).is_somebody(text)
    return question.seeks is not Seeks.WHICH or bool(re.search(r"[^\W\d_]{2}", text))


def _is_time(text: str) -> bool:
    """Whether it is nothing but a time, which answers other questions."""
    times = spoken([text]).times(text, _SOME_DAY)
    return any(len(each.text.strip()) >= len(text) - 3 for each in times) or bool(_YEAR.fullmatch(text))
