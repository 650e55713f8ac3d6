"""Structured chunks: the lists, steps, tables and long explanations of an assistant, each with a short summary.

A chunk is found by its summary, which says what was asked for, what the block covers, and which names are in it, and
shown in full (EMem, appendix A). Beside it every statement and list item is an EDU of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...text import STOPWORDS

__all__ = ["Block", "Item", "blocks", "items", "summary"]

#: A turn of fewer words is one chunk only if it is a list; more words than `_LARGEST` are several chunks.
_LEAST_WORDS, _LARGEST = 120, 450
_MOST_ITEMS = 60
_ITEM_WORDS = 60
_LEADS, _NAMES = 10, 8
_HEADING_WORDS = 16
_LONGEST_LEAD = 400
#: List items of no more words are told together.
_SHORT_ITEM = 6
_REQUEST_WORDS = 40

_BULLET = re.compile(r"^\s*(?:[-*•+–]|\(?\d{1,3}[.):]|\(?[a-zA-Z][.)])\s+(?=\S)")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s+\S|\*\*[^*]{2,80}\*\*:?\s*$|[A-Z][^.!?]{2,70}:\s*$)")
_LEADS_IN = re.compile(r"^.{3,400}:\s*$")
_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULE = re.compile(r"^\s*\|?[\s:|-]+\|?\s*$")
_STEPS = re.compile(r"\bsteps?\b.*^\s*\d{1,3}[.)]", re.IGNORECASE | re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^\s*```")
_MARKUP = re.compile(r"\*\*|__|`|^\s*#{1,6}\s+", re.MULTILINE)
_BREAK = re.compile(r"(?<=[.!?])[\"”)]?\s+(?=[A-Z0-9\"“(])")
_LEAD = re.compile(r"^(.{2,60}?)(?::|\s[-–—]\s|\.\s|$)")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w&'’-]+(?:\s+(?:of|the|de|and)?\s?[A-Z][\w&'’-]+){0,3}")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a turn, as it stands there, and what it is: a list, steps, a table or an explanation."""

    text: str
    form: str


@dataclass(frozen=True, slots=True)
class Item:
    """A statement or list item of an assistant's turn: its text without marks, and the heading it stands under."""

    text: str
    under: str
    listed: bool
    short: bool = False


def items(text: str) -> list[Item]:
    """The statements and list items of a turn in order, at most sixty; code and tables are left to the chunks."""
    found: list[Item] = []
    heading, fenced = "", False
    for line in text.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
            continue
        if fenced or _ROW.match(line) or not line.strip() or _RULE.match(line):
            continue
        if not _BULLET.match(line) and (_HEADING.match(line) or _LEADS_IN.match(line)):
            heading = _shortened(_plain(line[-_LONGEST_LEAD:]).rstrip(": "), _HEADING_WORDS)
            continue
        found.extend(_line_items(line, heading))
        if len(found) >= _MOST_ITEMS:
            break
    return _grouped(found[:_MOST_ITEMS])


def _grouped(found: Sequence[Item]) -> list[Item]:
    """The same with short list items under one heading as one."""
    grouped: list[Item] = []
    for item in found:
        last = grouped[-1] if grouped else None
        short = item.listed and len(item.text.split()) <= _SHORT_ITEM
        alike = last is not None and short and last.short and last.under == item.under
        if last and alike and len(last.text.split()) < _ITEM_WORDS:
            grouped[-1] = Item(f"{last.text}; {item.text}", item.under, listed=True, short=True)
        else:
            grouped.append(Item(item.text, item.under, item.listed, short))
    return grouped


def _line_items(line: str, heading: str) -> Iterator[Item]:
    if _BULLET.match(line):
        yield Item(_shortened(_plain(_BULLET.sub("", line, count=1)), _ITEM_WORDS), heading, listed=True)
        return
    for sentence in _BREAK.split(_plain(line[:20_000]))[:_MOST_ITEMS]:
        yield Item(_shortened(sentence.strip(), _ITEM_WORDS), heading, listed=False)


def blocks(text: str) -> list[Block]:
    """The structured blocks of a turn: all of it where it is one, cut between paragraphs where it is long."""
    if not _structured(text):
        return []
    return [Block(part, _form(part)) for part in _cut(text) if part]


def _form(text: str) -> str:
    """What a block is called: steps, a table, a list or an explanation."""
    if any(map(_ROW.match, text.splitlines())):
        return "a table"
    if not _listed(text):
        return "an explanation"
    return "steps" if _STEPS.search(text) else "a list"


def _structured(text: str) -> bool:
    paragraphs = text.count("\n\n")
    return _listed(text) >= 3 or (paragraphs >= 2 and len(text.split(None, _LEAST_WORDS)) > _LEAST_WORDS)


def _listed(text: str) -> int:
    return sum(bool(_BULLET.match(line) or _ROW.match(line)) for line in text.splitlines())


def _cut(text: str) -> Iterator[str]:
    """Stretches of about `_LARGEST` words, of whole lines where these are not too long; a short rest is not cut off."""
    held: list[str] = []
    size = 0
    left = len(text.split())
    for line in text.splitlines(keepends=True):
        for piece in _pieces(line):
            words = len(piece.split())
            if held and size + words > _LARGEST and left >= _LEAST_WORDS:
                yield "".join(held).strip()
                held, size = [], 0
            held.append(piece)
            size, left = size + words, left - words
    yield "".join(held).strip()


def _pieces(line: str) -> list[str]:
    """A line, in stretches of 4,000 characters if it is longer."""
    return [line[i : i + 4000] for i in range(0, len(line), 4000)]


def summary(block: Block, request: str, asker: str) -> str:
    """Two or three sentences: what was asked for, what the block covers, and which names are in it."""
    asked = f'In answer to {asker}\'s request "{_shortened(request, _REQUEST_WORDS)}", the' if request else "The"
    parts = [f"{asked} assistant gave {block.form}."]
    leads = _leads(block.text)
    if leads:
        parts.append(f"It covers {'; '.join(leads)}.")
    told = " ".join(leads).lower()
    names = [name for name in _names(block.text) if name.lower() not in told]
    if names:
        parts.append(f"It names {', '.join(names)}.")
    return " ".join(parts)


def _leads(text: str) -> list[str]:
    """Headings and what the list items begin with; of prose the beginnings of its sentences."""
    found: list[str] = []
    for line in text.splitlines():
        if _RULE.match(line) or not line.strip():
            continue
        if _BULLET.match(line) or _HEADING.match(line) or _ROW.match(line):
            plain = _plain(_BULLET.sub("", line, count=1)).strip("| ").replace("|", ",")
            match = _LEAD.match(plain)
            found.append(_shortened(match[1] if match else plain, 10).strip(" :,"))
    if not found:
        found = [_shortened(_plain(line), 12).strip(" :,.") for line in text.splitlines() if line.strip()][:4]
    return [lead for lead in dict.fromkeys(found) if lead][:_LEADS]


def _names(text: str) -> list[str]:
    counted: dict[str, int] = {}
    for match in _NAME.finditer(_plain(text[:8000])):
        if (name := match.group().strip()).lower() not in STOPWORDS:
            counted[name] = counted.get(name, 0) + 1
    return sorted(counted, key=lambda name: (-counted[name], -len(name)))[:_NAMES]


def _plain(text: str) -> str:
    return _SPACE.sub(" ", _MARKUP.sub("", text)).strip()


def _shortened(text: str, most: int) -> str:
    words = text.split(None, most)
    return " ".join(words) if len(words) <= most else " ".join(words[:most]) + " …"
