"""One clause told of its speaker by name and with dates; what cannot be, attributed to them in their own words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ...model import Turn
from .dates import dated
from .elision import is_advice
from .third_person import in_third_person
from .verbs import agreeing, is_adverb, is_past

__all__ = ["Voice", "capitalised"]

_LONGEST = 900
_TO_ANYBODY = re.compile(
    r"\b(?:when|if|whenever|once|how|where|what|until|lets?|helps?|makes?|gives?|allows?|as|like|takes?|gets?|"
    r"teaches|"
    r"keeps?|brings?|before|after|because|sometimes|ways?) you\b",
    re.IGNORECASE,
)
_YOU = re.compile(
    r"\b(?P<inverted>are|were|do|have) you\b|\byou(?P<short>'(?:re|ve|ll|d))?\b(?P<gap>\s+)?(?P<word>[a-z']+)?",
    re.IGNORECASE,
)
_SHORT = {"'re": "is", "'ve": "has", "'ll": "will", "'d": "would"}
_INVERTED = {"are": "is", "were": "was", "do": "does", "have": "has"}
_OBJECT_OF = re.compile(
    r"\b(?:to|of|for|with|about|from|by|at|on|in|like|than|thank|see|saw|hear|know|tell|told|show|give|gave|help|ask|"
    r"love|loves|support|supports|join|meet|met|send|sent|keep|remind|wish|let|made|make|makes|inspired|"
    r"motivated|got|"
    r"get|bring|brought|helped|supporting|having|around|behind|between|both|and|\w+ing)\s+$",
    re.IGNORECASE,
)
_GUYS = re.compile(r"\by(?:ou guys|'all|ou all)\b", re.IGNORECASE)
_YOURSELF = re.compile(r"\byourself\b", re.IGNORECASE)
_LETS = re.compile(r"^let's\s+|^let us\s+", re.IGNORECASE)
_PERFORMED = (
    (re.compile(r"^(?:many |huge |big )?congrat(?:s|ulations)\s+(?=on |"
    r"for )", re.IGNORECASE), "congratulated {you} "),
    (re.compile(r"^(?:thanks|thank you)(?: so much| again| a lot|"
    r" a ton)?\s+(?=for )", re.IGNORECASE), "thanked {you} "),
    (re.compile(r"^good luck\s+(?=with |on |in |at )", re.IGNORECASE), "wished {you} good luck "),
)  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Voice:
    """Who speaks, to whom if there is but one, and which words of the session are names."""

    me: str
    you: str | None
    names: frozenset[str] = field(default=frozenset())

    def tell(self, clause: str, turn: Turn) -> str:
        """What `clause` tells, said in `turn`, with the speaker's name in it."""
        if len(clause) > _LONGEST:
            return self._quoted(clause)
        text = _GUYS.sub("you", dated(clause.replace("’", "'"), turn.said_at))
        if performed := self._performed(text):
            return performed
        if is_advice(text) or _LETS.match(text):
            return self._urged(text)
        rewritten = in_third_person(text, self.me, self.you)
        if rewritten is None:
            return self._addressed(text)
        if not self._named(rewritten):
            return f"{capitalised(self.me)} said that {self._lowered(rewritten)}"
        return capitalised(rewritten)

    def plain(self, words: str, turn: Turn) -> str:
        """Words that are no sentence, with names and dates where they can be put in."""
        text = dated(words.replace("’", "'"), turn.said_at)
        return in_third_person(text, self.me, self.you) or text

    def _performed(self, text: str) -> str | None:
        """Thanks, wishes and congratulations: "Congrats on the job" is "Ana congratulated Ben on the job"."""
        for pattern, act in _PERFORMED:
            if self.you and (match := pattern.match(text)):
                rest = in_third_person(self._for_name(text[match.end() :]), self.me, self.you)
                return f"{capitalised(self.me)} {act.format(you=self.you)}{rest}" if rest else None
        return None

    def _urged(self, text: str) -> str:
        """ "Keep at it" is "Ana told Ben to keep at it"; "let's go" is "Ana suggested to Ben that they go"."""
        to = f" {self.you}" if self.you else ""
        bare = _LETS.sub("", text)
        rest = in_third_person(self._for_name(bare), self.me, self.you) if self.you else None
        if rest is None:
            return self._quoted(text)
        rest = rest[:1].lower() + rest[1:]
        if bare != text:
            return f"{capitalised(self.me)} suggested{' to' + to if to else ''} that they {rest}"
        if rest.startswith(("don't ", "do not ", "never ")):
            return (
                f"{capitalised(self.me)} told{to} not to {rest.split(' ', 2 if rest.startswith('do not') else 1)[-1]}"
            )
        return f"{capitalised(self.me)} told{to} to {rest}"

    def _addressed(self, text: str) -> str:
        """What is said of the one spoken to, by name; in the speaker's words where "you" may be anybody."""
        if self.you is None or _TO_ANYBODY.search(text):
            return self._quoted(text)
        rewritten = in_third_person(self._for_name(text), self.me, self.you)
        if rewritten is None:
            return self._quoted(text)
        if self._named(rewritten):
            return capitalised(rewritten)
        return f"{capitalised(self.me)} told {self.you} that {self._lowered(rewritten)}"

    def _for_name(self, text: str) -> str:
        return _YOU.sub(self._you, _YOURSELF.sub("themselves", text)) if self.you else text

    def _you(self, match: re.Match[str]) -> str:
        name = self.you or ""
        if match["inverted"]:
            return f"{_INVERTED[match['inverted'].lower()]} {name}"
        gap, word = match["gap"] or "", match["word"] or ""
        if match["short"]:
            return f"{name} {_SHORT[match['short'].lower()]}{gap}{word}"
        is_object = _OBJECT_OF.search(match.string[: match.start()])
        if is_object or not word or is_adverb(word.lower()):
            return f"{name}{gap}{word}"
        return f"{name}{gap}{word if is_past(word) else agreeing(word.lower())}"

    def _quoted(self, text: str) -> str:
        text = text.replace('"', "'")
        return (
            f'{capitalised(self.me)} told {self.you}: "{text}"'
            if self.you
            else f'{capitalised(self.me)} said: "{text}"'
        )

    def _named(self, text: str) -> bool:
        return bool(re.search(rf"(?<!\w){re.escape(self.me)}(?!\w)", text, re.IGNORECASE))

    def _lowered(self, text: str) -> str:
        """`text` as it goes on after "that": a first word that is no name of the session loses its capital."""
        first = _WORD.match(text)
        if first is None or first[0] in self.names or (first[0].isupper() and len(first[0]) > 1):
            return text
        return text[:1].lower() + text[1:]


def capitalised(text: str) -> str:
    """`text` with a capital first letter."""
    return text[:1].upper() + text[1:]
