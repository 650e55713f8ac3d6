"""Lists as they are written in a turn, item by item: mostly an assistant's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .passages import Passage

__all__ = ["enumerated", "introduced"]

_WORD = re.compile(r"\w+")
#: A bullet that Markdown does not know.
_BULLET = re.compile(r"^(\s*)[•●▪‣]\s*", re.MULTILINE)
_ITEM = re.compile(r"^\s*(?:[-*+•●▪‣]|\d{1,3}[.)])\s", re.MULTILINE)
#: What divides the name of an item from what is said of it.
_NAMED = re.compile(r":(?=\s|$)|\s[-–—]+\s|(?<=[.!?])\s")
#: Words by which a window is known to hold an item or what introduces a list.
_KNOWN_BY = 6
_FEWEST = 2
#: Longer texts are not parsed: what was made to take long takes a fifth of a second at the most.
_LONGEST = 20_000


@dataclass(slots=True)
class _List:
    """`introduction`: what stands before it; `items`: the first line of each."""

    introduction: str
    items: list[str] = field(default_factory=list)


def enumerated(passage: Passage) -> list[str]:
    """The names of the items of the list that a window is of, or that it introduces; none where it is of none."""
    held = _words(passage.window.text)
    for each in _lists(passage.turn_text):
        begins = [_words(each.introduction)[-_KNOWN_BY:], *(_words(item)[:_KNOWN_BY] for item in each.items)]
        if any(begin and f" {' '.join(begin)} " in f" {' '.join(held)} " for begin in begins):
            return [_name(item) for item in each.items]
    return []


def introduced(passage: Passage, sentence: str) -> list[str]:
    """The same, if the sentence introduces the list: "three books for it:"."""
    last = _words(sentence)[-_KNOWN_BY:]
    if not sentence.rstrip().endswith(":") or not last:
        return []
    found = (each for each in _lists(passage.turn_text) if _words(each.introduction)[-_KNOWN_BY:] == last)
    return [_name(item) for each in found for item in each.items]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _name(item: str) -> str:
    """What an item is called: "Naked Statistics" of "Naked Statistics: the ideas without the formulas"."""
    return _NAMED.split(item, maxsplit=1)[0].strip(" .") or item


def _lists(text: str) -> Sequence[_List]:
    """The lists of a text that have several items; those within items are none of their own."""
    return _parsed(text) if len(text) <= _LONGEST and len(_ITEM.findall(text)) >= _FEWEST else ()


@lru_cache(maxsize=32)
def _parsed(text: str) -> Sequence[_List]:
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("zero").enable(["list", "emphasis", "backticks"]).parse(_BULLET.sub(r"\1- ", text))
    return tuple(each for each in _collected(tokens) if len(each.items) >= _FEWEST)


def _collected(tokens: Sequence[Any]) -> Iterator[_List]:
    before, depth, found = "", 0, None
    for place, token in enumerate(tokens):
        if token.type.endswith("_list_open"):
            found, depth = (_List(before) if depth == 0 else found), depth + 1
        elif token.type.endswith("_list_close"):
            depth -= 1
            if depth == 0 and found:
                yield found
        elif token.type == "inline":
            lines = _lines(token)
            if depth == 1 and found and tokens[place - 2].type == "list_item_open":
                found.items.append(lines[0])
            elif depth == 0:
                before = lines[-1]


def _lines(inline: Any) -> list[str]:
    """The words of a paragraph by lines, without marks."""
    lines = [""]
    for child in inline.children or ():
        if child.type in ("softbreak", "hardbreak"):
            lines.append("")
        elif child.type in ("text", "code_inline"):
            lines[-1] += child.content
    return [each.strip() for each in lines if each.strip()] or [""]
