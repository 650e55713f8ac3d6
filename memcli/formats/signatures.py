"""Where a mail's signature begins: below two hyphens, a rule, "Sent from my …", or a line that takes leave."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

__all__ = ["unsigned"]

#: What follows on a line that takes leave is a name, each word with a capital where the script has them, or two words
#: more: "Best regards, Ana Silva", "Hilsen fra Ana". "Thanks, that helps." and "Take the bus" are sentences.
_WORD = r"[^\W\d_a-zß-öø-ÿ][\w.'-]*"
_NAME = re.compile(rf"[\s,.!/-]*(?:{_WORD}(?:[\s,]+{_WORD}){{0,3}})?[\s,]*")
_MORE = re.compile(r"(?: [^\W\d_]+){1,2}[\s,!]*")
_RULE = re.compile(r"[-_]{2}|[-_]{32,}")
#: A longer line is none of these.
_LONGEST = 200
_DEVICE = r" ?[\w.<>:/ ]*"
#: How one takes leave where mailparser-reply has but a part of the word.
_ALSO = ("Met vriendelijke groeten", "Vriendelijke groeten")


def unsigned(text: str, languages: tuple[str, ...]) -> str:
    """The text above its signature. What takes leave in its first line is the whole of a mail."""
    lines = text.strip().split("\n")
    ends = (place for place, line in enumerate(lines) if _begins(line.strip(), languages, is_first=not place))
    return "\n".join(lines[: next(ends, len(lines))]).strip()


def _begins(line: str, languages: tuple[str, ...], *, is_first: bool) -> bool:
    if len(line) > _LONGEST:
        return False
    leave, sent = _words(languages)
    found = None if is_first else leave.match(line)
    return bool(_RULE.fullmatch(line) or sent.fullmatch(line) or (found and _takes_leave(found, line)))


def _takes_leave(found: re.Match[str], line: str) -> bool:
    rest = line[found.end() :]
    return bool(_NAME.fullmatch(rest) or (not found[0].endswith(",") and _MORE.fullmatch(rest)))


@lru_cache
def _words(languages: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """How one takes leave, and what devices put below a mail, as mailparser-reply has them."""
    from mailparser_reply.constants import MAIL_LANGUAGES

    leave, sent = (
        "|".join(_each(MAIL_LANGUAGES[code].get(kind, ()) for code in languages))
        for kind in ("signatures", "sent_from")
    )
    leaves = "|".join((*_ALSO, leave))
    return re.compile(rf"(?:{leaves})(?!\w)", re.IGNORECASE), re.compile(rf"(?:{sent}){_DEVICE}", re.IGNORECASE)


def _each(kinds: Iterable[str | list[str]]) -> Iterator[str]:
    for words in kinds:
        yield from (word for word in ([words] if isinstance(words, str) else words) if word)
