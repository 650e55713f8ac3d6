"""What people say of themselves that belongs on a card: rules over one turn, in `cards.toml`, each with an example.

A question, and what is said of somebody else, notes nothing. Precision before recall: who is looked up is believed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...model.cards import SINGLE, CardKind, Noted
from ...text import sentences
from ..data import filled, table

__all__ = ["CardRule", "card_rules", "noted"]

_PARTS = {
    "me": r"(?:I'm|I am|we're|we are)",
    "name": r"[A-Z][\w’'-]*\w(?: [A-Z][\w’'-]*\w)?",
    "place": r"(?:the )?[A-Z][\w’'-]*\w(?: (?:[A-Z][\w’'-]*\w))*",
    "thing": r"(?:the |a |an )?[\w&’'-]+(?: [A-Z&][\w&’'-]*)*",
    "body": r"(?:collarbone|arm|wrist|elbow|shoulder|finger|thumb|hand|leg|ankle|knee|foot|toe|hip|ribs?|nose|jaw)",
    "workplace": r"(?:bank|school|office|firm|company|shop|agency|hospital|factory|restaurant|café|bakery|university"
    r"|library|council|studio|clinic|practice|lab|garage|farm|museum|theatre|cinema|hotel|bar|pub|call centre)",
    "durable": r"(?:\w*cycle|\w*bike|car|van|truck|boat|caravan|camper|moped|scooter|house|flat|cottage|piano"
    r"|guitar|violin|cello|accordion|camera|telescope|laptop|greenhouse)",
    "date": r"(?:\d{1,2}(?:st|nd|rd|th)?(?: of)? [A-Z][a-z]+|[A-Z][a-z]+ \d{1,2}(?:st|nd|rd|th)?)(?:,? \d{4})?",
}
#: What chats put behind a statement, and is no part of it.
_FILLER = re.compile(r"(?:,? (?:btw|lol|haha|tho|though|actually|remember|sorry))+$")


@dataclass(frozen=True, slots=True)
class CardRule:
    """A rule: see `cards.toml`. `needs`: what the turn has to hold beside it."""

    kind: CardKind
    pattern: re.Pattern[str]
    slot: str
    ends: bool
    needs: re.Pattern[str] | None


@lru_cache(maxsize=1)
def card_rules() -> Sequence[CardRule]:
    """Every rule, in the order of the file."""
    return tuple(
        CardRule(
            CardKind(row["kind"]),
            re.compile(filled(row["pattern"], _PARTS)),
            row.get("slot", ""),
            row.get("ends", False),
            re.compile(row["needs"], re.IGNORECASE) if "needs" in row else None,
        )
        for row in table(__package__, "cards")["rule"]
    )


def noted(text: str) -> list[Noted]:
    """What a turn notes of who says it, once each."""
    plain = text.replace("’", "'")
    said = [each for each in sentences(plain) if not each.rstrip().endswith("?")]
    return list(dict.fromkeys(note for sentence in said for note in _in(sentence, plain)))


def _in(sentence: str, turn: str) -> Iterator[Noted]:
    for rule in card_rules():
        if rule.needs is not None and not rule.needs.search(turn):
            continue
        lowered = sentence[:1].lower() + sentence[1:]  # a sentence begins with a capital, and a name does, too
        if match := rule.pattern.search(sentence) or rule.pattern.search(lowered):
            value = _FILLER.sub("", " ".join(match["value"].split()).rstrip(" ,"))
            yield Noted(rule.kind, value, _slot(rule, match), rule.ends)


def _slot(rule: CardRule, match: re.Match[str]) -> str:
    thing = match.groupdict().get("thing") or rule.slot
    return thing.lower() or (rule.kind.value if rule.kind in SINGLE else "")
