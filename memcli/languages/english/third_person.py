"""First and second person into the third: "I love my dog", said by Ana, is "Ana loves their dog".

Rules over words, without a parser. Since nobody's gender is known, a possessive whose owner is the sentence's subject
is "their"; elsewhere the name stands. "We" is the speaker "and others", unless the sentence names them or plainly
means the two who talk. Whoever is not known cannot be put in: then there is no rewriting (None).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .contractions import RETELLING, written_out
from .verbs import COORDINATED, agreeing, is_adverb, is_past
from .words import listed

__all__ = ["in_third_person"]

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_PAIR = re.compile(
    r"\bwe (?:both|two|should|could)\b|\bthe two of us\b|\bus both\b|\bsince we(?: have| had)?(?: last)?(?: \w+ed|"
    r" spoke| met)\b",
    re.IGNORECASE,
)
_EVERYBODY = re.compile(
    r"\b(?:we|us)(?:'re| are| can|'ve| have)? all\b|\ball of us\b|\b(?:why|how) we\b|\blet's\b|\blet us\b",
    re.IGNORECASE,
)
_BREAK = re.compile(r"[^\s]")
_COMPOUND = re.compile(
    r"(?:^|[,;:—–]\s*|\b(?:that|when|because|where|as|since|while|but|so|after|before|and)\s+)"
    r"((?:my|the|a|our|both|[A-Z]\w+)(?:\s+[\w']+){0,4}|me|(?:[A-Z]\w+))\s+and\s+$"
)
_VERBISH = re.compile(
    r"\b(?:is|was|are|were|am|be|have|has|had|do|did|will|would|can|could|\w+ed|got|went|made|took)\b"
)
_PLURAL = frozenset("they them their theirs".split())
_TO_ANOTHER = frozenset(listed("third_person", "to_another"))
_MODAL = frozenset(listed("third_person", "modal"))


@dataclass(slots=True)
class _Rewriting:
    """A sentence while it is rewritten: what is out, and what the words before decide about the next."""

    text: str
    me: str
    you: str | None
    out: list[str] = field(default_factory=list)
    awaiting: bool = False  # a subject whose verb is still to come
    conjugated: bool = False  # the subject's verb was in the present, so one after "and" agrees with it as well
    subject: bool = False  # the speaker has been the subject
    group: bool = False  # "we" has been named
    plural: bool = False
    quoted: bool = False
    verb: str = ""
    previous: str = ""
    earlier: str = ""
    failed: bool = False


def in_third_person(sentence: str, me: str, you: str | None = None) -> str | None:
    """What `me` said to `you`, told of them by name; None where it cannot be told who is meant."""
    said = sentence.replace("’", "'")
    if _EVERYBODY.search(said):
        return None
    text = written_out(said, RETELLING)
    state = _Rewriting(text, me, you, plural=bool(_PLURAL & set(text.lower().split())))
    last = 0
    for match in _WORD.finditer(text):
        _between(state, text[last : match.start()])
        _word(state, match)
        last = match.end()
    state.out.append(text[last:])
    return None if state.failed else "".join(state.out)


def _between(state: _Rewriting, gap: str) -> None:
    """Spaces go on with the clause; a mark ends the wait for a verb; quotation marks begin and end another's words."""
    state.out.append(gap)
    if _BREAK.search(gap):
        state.awaiting = False
        if gap.strip() not in (",", "-"):
            state.conjugated = False
    if sum(gap.count(mark) for mark in '"“”') % 2:
        state.quoted = not state.quoted


def _word(state: _Rewriting, match: re.Match[str]) -> None:
    word, low = match.group(), match.group().lower()
    if state.quoted:
        state.out.append(word)
        return
    rule = _RULES.get(low)
    if rule is not None and not (low == "us" and word == "US"):
        rule(state, match)
    elif state.awaiting:
        _verb(state, word, low)
    else:
        _other(state, word, low)
    state.earlier, state.previous = state.previous, low


def _verb(state: _Rewriting, word: str, low: str) -> None:
    if is_adverb(low) and not low.endswith("n't"):
        state.out.append(word)
        return
    state.awaiting = False
    form = agreeing(low)
    state.conjugated, state.verb = form != low, low
    state.out.append(form if form != low else word)


def _other(state: _Rewriting, word: str, low: str) -> None:
    joined = state.conjugated and state.previous in ("and", "but")
    coordinated = joined and (low in COORDINATED or state.earlier == state.verb)
    if low in _TO_ANOTHER or low in _MODAL:
        state.conjugated = False
    state.out.append(agreeing(low) if coordinated else word)


def _i(state: _Rewriting, match: re.Match[str]) -> None:
    before = state.text[: match.start()]
    compound = _COMPOUND.search(before)
    inverted = {"am": "is", "do": "does", "have": "has"}.get(state.previous)
    if inverted and len(state.out) > 1 and not compound:
        state.out[-2] = inverted
    state.out.append(state.me)
    state.subject = True
    if compound and not _VERBISH.search(compound[1]):
        state.group = True
        return
    state.awaiting = not inverted
    state.conjugated = False


def _me(state: _Rewriting, match: re.Match[str]) -> None:
    state.out.append(state.me)
    if state.text[match.end() :].startswith(" and ") and len(state.out) < 3:
        state.subject = state.group = True


def _my(state: _Rewriting, _match: re.Match[str]) -> None:
    owner_is_subject = (state.subject or state.group) and not state.plural
    state.out.append("their" if owner_is_subject else f"{state.me}'s")


def _mine(state: _Rewriting, _match: re.Match[str]) -> None:
    state.out.append("theirs" if state.subject or state.group else f"{state.me}'s")


def _we(state: _Rewriting, _match: re.Match[str]) -> None:
    if _PAIR.search(state.text):
        state.failed |= state.you is None
        state.out.append(f"{state.me} and {state.you}")
    else:
        state.out.append("they" if state.group else f"{state.me} and others")
    state.group = True
    state.conjugated = state.awaiting = False


def _us(state: _Rewriting, _match: re.Match[str]) -> None:
    state.out.append("them" if state.group else f"{state.me} and others")


def _you(state: _Rewriting, match: re.Match[str]) -> None:
    """As an object it is the one spoken to; as a subject of the present it may be anybody."""
    following = _WORD.findall(state.text[match.end() :][:60])
    verb = next((w.lower() for w in following if not is_adverb(w.lower())), "")
    adjacent = state.text[match.end() :][:1] == " " and bool(verb)
    subject = adjacent and agreeing(verb) != verb
    if state.you is None or (subject and not is_past(verb)) or (adjacent and verb in _MODAL - {"to"}):
        state.failed = True
        return
    state.out.append(state.you)
    state.awaiting = subject


def _your(state: _Rewriting, _match: re.Match[str]) -> None:
    state.failed |= state.you is None
    state.out.append(f"{state.you}'s")


def _self(state: _Rewriting, _match: re.Match[str]) -> None:
    state.failed |= not (state.subject or state.group)
    state.out.append("themselves")


_RULES = {
    "i": _i, "me": _me, "my": _my, "mine": _mine, "myself": _self, "we": _we, "us": _us, "our": _my,
    "ours": _mine, "ourselves": _self, "you": _you, "your": _your, "yours": _your,
}  # fmt: skip
