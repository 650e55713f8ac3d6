"""Typed patterns of taste: what somebody likes, prefers, avoids, fears and is interested in; negation turns them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....model.relations import RelationType as R
from ..negation import NEGATED_VERB
from .rules import MIDDLE, Asserted, rules

__all__ = ["RULES", "tastes"]

_PAST = re.compile(r"\bused to\b|\bdid not use to\b", re.IGNORECASE)
_ENDED = re.compile(r"\b(?:no longer|not \w* ?any ?more)\b", re.IGNORECASE)
_WISH = re.compile(r"\bwould(?: \w+)?(?: \w+)? (?:love|like|hate|prefer)\b", re.IGNORECASE)

_FEELING = re.compile(
    rf"\b(?:I|we) (?P<mid>{MIDDLE})(?:(?P<likes>lov(?:e|ed|ing)|ador(?:e|ed)|lik(?:e|ed)|enjoy(?:ed|ing)?|cherish|"
    r"treasured?|relish|appreciate|valued?|admired?)|(?P<prefers>prefer(?:red)?|favou?r)|"
    r"(?P<hates>dislik(?:e|ed)|hat(?:e|ed)|despise|detest|loathe|resent)|"
    r"(?P<avoids>avoid(?:ing|ed)?|steer (?:clear|away) (?:of|from)|(?:stay|keep|shy|turn) away from|refrain from|"
    r"abstain from|stay clear of|boycott|keep off|stay off|skip|refuse(?: to)?)|(?P<fears>fear|dread))"
    r" (?P<tail>\S.*)",
    re.IGNORECASE,
)
_UNBEARABLE = re.compile(
    rf"\b(?:I|we) {MIDDLE}(?<=not )(?:really )?(?:stand|bear|tolerate|handle|stomach|abide|trust|take|care for|"
    r"agree with|support|believe in)\b (?P<tail>\S.*)",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\s(?:over|rather than|instead of|as opposed to|more than|compared to)\s+(?P<other>\S.*)", re.IGNORECASE
)
_NOT_TO = re.compile(
    r"^not to\s+(?:be |have |use )?|^(?:to )?(?:avoid(?:ing)?|stay(?:ing)? away from|not)\s+", re.IGNORECASE
)
_TO_VERB = re.compile(r"^(?:to|that|how|the way)\s+", re.IGNORECASE)
_NO_TASTE = re.compile(
    r"^(?:to (?:know|see|hear|ask|learn|get|think|make sure|say|thank|point|add|have|confirm|share|talk|mention|"
    r"find)\b|"
    r"(?:it|that|this)\b(?=[.,!]|$| (?:is|you|I|we|they|so|too|when|for|in|about|a lot|and|how)\b)|what\b|(?:(?:how|"
    r"the way) (?:it|you|they|he|she|this|that|much|your))\b|every moment|"
    r"(?:the |all |these |all the |those |any )?(?:kind |great |nice |helpful |advice |detailed )*(?:words|support|"
    r"help|tips|advice|encouragement|suggestions?|"
    r"info|information|offer|feedback|recommendations?|response|concern|insights?|time|effort|efforts|kindness|invite|"
    r"clarification|explanation)\b|"
    r"(?:you|your|hearing|seeing you|knowing|if|when|a (?:lot|challenge)|with|for you)\b|to\b.*\byou)",
    re.IGNORECASE,
)

RULES = rules("tastes")

_STATES = rules("tastes", "state")
_INTEREST = re.compile(
    r"^(?:learning|hearing|knowing|reading|finding out|learn)(?: (?:more|a bit|a lot))?(?: about|"
    r" of)?\s+(?:how (?:to )?)?|^how (?:to )?",
    re.IGNORECASE,
)


def tastes(text: str, low: frozenset[str]) -> Iterator[Asserted]:
    """What a clause tells of its speaker's taste; `low` holds its lower-case words."""
    felt = _FEELING.search(text)
    if felt is not None:
        yield from _felt(felt)
    if "not" in low or "cannot" in low:
        hated = _UNBEARABLE.search(text)
        if hated is not None:
            yield Asserted(R.DISLIKES, hated["tail"], 0.8, strength=0.9)
    for state in _STATES:
        if not state.cues.isdisjoint(low) and (match := state.pattern.search(text)):
            yield from _in_state(state.relation, match, state.confidence)


def _felt(match: re.Match[str]) -> Iterator[Asserted]:
    mid, tail = match["mid"].lower(), match["tail"]
    if match["likes"] and _NO_TASTE.match(tail):
        return
    negated, past = bool(NEGATED_VERB.search(mid)), bool(_PAST.search(mid))
    kind = str(match.lastgroup and next(k for k in ("likes", "prefers", "hates", "avoids", "fears") if match[k]))
    if _WISH.search(match[0]) and kind == "likes":
        yield from _wished(tail, negated=negated)
        return
    if kind == "likes" and negated and not _ENDED.search(mid):
        yield Asserted(R.DISLIKES, tail, 0.45 if past else 0.85)
        return
    if past:
        yield Asserted(_RELATIONS[kind], tail, 0.45, negated=not negated)
        return
    shunned = _NOT_TO.match(tail)
    if kind == "prefers" and not negated and shunned:
        yield Asserted(R.AVOIDS, tail[shunned.end() :], 0.9)
        return
    if kind == "avoids" and re.search(r"\bprefer", mid):
        negated = False
    yield from _compared(_RELATIONS[kind], tail, _CONFIDENCES[kind], negated=negated)


_RELATIONS = {"likes": R.LIKES, "prefers": R.PREFERS, "hates": R.DISLIKES, "avoids": R.AVOIDS, "fears": R.FEARS}
_CONFIDENCES = {"likes": 0.8, "prefers": 0.9, "hates": 0.9, "avoids": 0.9, "fears": 0.8}


def _wished(tail: str, *, negated: bool) -> Iterator[Asserted]:
    """ "I would love to see the fjords": a wish, which is a plan at the least."""
    wish = _TO_VERB.match(tail)
    if wish and not negated:
        yield Asserted(R.PLANS, tail[wish.end() :], 0.55)
    elif negated:
        yield Asserted(R.DISLIKES, tail, 0.6)
    else:
        yield Asserted(R.LIKES, tail, 0.45)


def _compared(relation: R, tail: str, confidence: float, *, negated: bool) -> Iterator[Asserted]:
    """ "Tea over coffee" prefers the one and not the other."""
    over = _OVER.search(tail)
    if over is None or negated or relation not in (R.PREFERS, R.LIKES):
        yield Asserted(relation, _TO_VERB.sub("", tail), confidence, negated)
        return
    yield Asserted(R.PREFERS, _TO_VERB.sub("", tail[: over.start()]), confidence)
    yield Asserted(R.PREFERS, over["other"], confidence - 0.1, negated=True)


def _in_state(relation: R, match: re.Match[str], confidence: float) -> Iterator[Asserted]:
    mid, tail = match["mid"].lower(), match["tail"]
    negated, past = bool(NEGATED_VERB.search(mid)), bool(_PAST.search(mid))
    if relation is R.INTERESTED_IN:
        tail = _INTEREST.sub("", tail)
    if past:
        yield Asserted(relation, tail, 0.45, negated=not negated)
    elif relation in (R.LIKES, R.INTERESTED_IN) and negated and not _ENDED.search(mid):
        yield Asserted(R.DISLIKES, tail, confidence)
    else:
        yield Asserted(relation, tail, confidence, negated)
