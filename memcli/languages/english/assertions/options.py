"""The options that a turn offers: numbered, lettered or bulleted lists, series, and "X or Y?" questions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ....text import content_stems
from .tails import is_telling, tail_of

__all__ = ["matching", "options"]

_READ = 4000
_MOST = 12
_LINE = re.compile(
    r"^\s*(?:\(?(?:\d{1,2}|[A-Ea-e])[.):]|[-*•–]|option (?:\d|[A-E])\b[:.]?|#\d)\s+(?P<text>\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_INLINE = re.compile(r"(?:(?<=\s)|^)\(?(?P<mark>\d|[A-E])[.)](?=\s)\s*")
_AFTER = re.compile(r"\s*\((?P<mark>\d)\)")
_SERIES = re.compile(
    r"(?:\b(?:you (?:could|can|might|may)(?: also)?(?: consider| try)?|consider|such as|include|including|"
    r"options?(?: to consider)?"
    r"(?: are|:)|like|try|here are \w+ \w+)\b|:)\s*(?P<text>[^.?!\n]{10,600}?,?\s(?:or|and)\s[^.?!\n]{3,250})",
    re.IGNORECASE,
)
_EITHER = re.compile(r"(?P<left>[^.?!\n,:;]{3,80})(?:,)?\s+or\s+(?P<right>[^.?!\n,]{3,80})\?", re.IGNORECASE)
_EITHER_LEAD = re.compile(
    r"^.*?\b(?:prefer|like|want|choose|go for|pick|rather(?: have)?|into|think|have|try|take|more of|be|for|is it|"
    r"are you)\s+(?:the |a |an )?(?=\S)",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:[\"'*_]+|(?:(?:also|another option (?:is|could be)|finally|lastly|or|and|either|maybe|perhaps|then|"
    r"alternatively|instead|first|option \w:)\b,?|"
    r"(?:I|we) (?:could|can|would|might)(?: (?:recommend|suggest|go))?|how about|what about|why not|(?:I(?:'d|"
    r" would)?|we) (?:suggest|recommend|propose)|you (?:could|can|might(?: want to)?|may)(?: also)?|"
    r"let's|there(?:'s| is| are)|have you (?:considered|tried|explored)|here(?:'s| is| are)|it'?s|"
    r"consider|try|go (?:for|with)|opt for|attend|watch|explore|visit|check out|enjoy|take|use|hire|hiring|rent|hail|"
    r"hop on|book|purchase|buy|"
    r"download|sign up for|subscribe to|stay (?:at|in)|experience|enroll in|join|invest in|set up|choose|get|"
    r"look (?:at|into)|"
    r"discover|head to|pick up|select|make|relocating to|moving to|move to|trying|using|taking|visiting|attending|"
    r"exploring|reading|watching)(?=\s)\s*)",
    re.IGNORECASE,
)
_CLOSED_SERIES = re.compile(r",\s*(?:or|and)\s")
_COMMAS = re.compile(r",\s*(?:(?:or|and)\s+)?")
_COMMAS_OR = re.compile(r",\s*|\s+or\s+")
_NAME_END = re.compile(
    r"\s(?:to (?:keep|help|enjoy|avoid|improve|give|suit) |your?\b|is|are|was|has|have|offers?|provides?|features?|"
    r"would|could|might|can|will|combines?|includes?|boasts?|"
    r"just|allows?|that|which|where|"
    r"with its|known for|perfect for|ideal for|remains?|comes?|makes?|gives?|stands|helps?|sounds|for (?:a|an|your|"
    r"those|some|easy|convenience))\b|[:;.!?(]|\s[-–—]\s|,\s",
    re.IGNORECASE,
)
_MOST_WORDS = 9


def options(text: str) -> list[str]:
    """Short names of what `text` offers, in its order; empty where one has no name; fewer than two names are none."""
    text = text[:_READ].replace("’", "'")
    for offered in (_listed(text), _marked(text), _in_series(text), _either(text)):
        names = [_name(offer) for offer in offered]
        if sum(map(bool, names)) > 1:
            return names[:_MOST]
    return []


def matching(spoken: str, offered: Sequence[str]) -> int | None:
    """Which of the options `spoken` names: the one that it shares most words with; None where it shares none."""
    said = set(content_stems(spoken))
    shares = [len(said & set(content_stems(option))) / (1 + 0.05 * len(option.split())) for option in offered]
    best = max(range(len(shares)), key=shares.__getitem__, default=None)
    return best if best is not None and shares[best] > 0 else None


def _name(text: str) -> str:
    before = ""
    while text != before:
        before = text
        text = _LEAD.sub("", _unmarked(text), count=1)
    end = _NAME_END.search(text, 3)
    name = tail_of(text[: end.start()] if end else text, most=_MOST_WORDS)
    return name if is_telling(name) else ""


def _unmarked(text: str) -> str:
    """`text` without the marks and determiners that it begins with."""
    return re.sub(r"^(?:[\s\"'*_.,]+|(?:the|a|an|some|your)\s)+", "", text, flags=re.IGNORECASE)


def _listed(text: str) -> list[str]:
    return [m["text"].replace("**", "") for m in _LINE.finditer(text)]


def _marked(text: str) -> list[str]:
    """ "1. a salad 2. a soup", or "a salad (1), a soup (2)"."""
    starts = list(_INLINE.finditer(text))
    if len(starts) > 1:
        ends = [*(m.start() for m in starts[1:]), len(text)]
        return [text[m.end() : end] for m, end in zip(starts, ends, strict=True)]
    marks = list(_AFTER.finditer(text))
    begins = [0, *(m.end() for m in marks[:-1])]
    return (
        [re.split(r"[.!:]\s", text[b : m.start()])[-1].strip(" ,") for b, m in zip(begins, marks, strict=False)]
        if marks
        else []
    )


def _in_series(text: str) -> list[str]:
    found: list[str] = []
    for match in _SERIES.finditer(text):
        series = _CLOSED_SERIES.search(match["text"])
        parts = (_COMMAS if series else _COMMAS_OR).split(match["text"])
        if len(parts) > len(found):
            found = parts
    return found if len(found) > 2 else []


def _either(text: str) -> list[str]:
    match = None
    for match in _EITHER.finditer(text):  # noqa: B007 - the last one is what is answered
        pass
    return [_EITHER_LEAD.sub("", match["left"]), match["right"]] if match else []
