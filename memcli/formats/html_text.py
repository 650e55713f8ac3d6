"""HTML as the text that a person sees: blocks are lines, items have a dash, what is quoted has a `>`."""

from __future__ import annotations

import re
from html.parser import HTMLParser

__all__ = ["html_text"]

_HIDDEN = frozenset({"head", "script", "style", "template", "title"})
_BLOCKS = frozenset(
    "address article aside blockquote br dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p"
    " pre section table td th tr ul".split()
)
#: The next of these begins a line by itself.
_PARTS = frozenset({"br", "dd", "dt", "li", "td", "th", "tr"})
_SPACES = re.compile(r"[ \t\r\f\v\xa0]+")
_GAPS = re.compile(r"\n{3,}")


def html_text(html: str) -> str:
    """What `html` shows, whatever is broken in it."""
    page = _Page()
    page.feed(html)
    page.close()
    lines = (line.strip() for line in "".join(page.parts).split("\n"))
    return _GAPS.sub("\n\n", "\n".join(lines)).strip()


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden = 0
        self._quoted = 0

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in _HIDDEN
        self._quoted += tag == "blockquote"
        if tag in _BLOCKS:
            self.parts.append("\n" + "> " * bool(self._quoted) + "- " * (tag == "li"))

    def handle_endtag(self, tag: str) -> None:
        self._hidden = max(0, self._hidden - (tag in _HIDDEN))
        self._quoted = max(0, self._quoted - (tag == "blockquote"))
        if tag in _BLOCKS - _PARTS:
            self.parts.append("\n" + "> " * bool(self._quoted))

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(_SPACES.sub(" ", data.replace("\n", " ")))
