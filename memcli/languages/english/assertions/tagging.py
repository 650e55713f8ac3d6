"""The offline tagger: what a turn asserts of who says it, from typed patterns over clauses (ontology paper, §3.2).

It over-generates with a confidence; who calls it keeps what is under `relations.SHAPING` out of the graph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ....model import Turn
from ....model.generated import Assertion, speaker_name
from ....model.relations import GROUPS
from ....model.relations import RelationType as R
from ..address import trimmed
from ..negation import NEGATED_VERB
from . import circumstances, tastes
from .choices import choices
from .clauses import Clause, clauses, expanded
from .rules import Asserted, Rule, rules, strength_of
from .tails import is_about_something, is_telling, tail_of

__all__ = ["assertions"]

_SPEAKING = frozenset("i my me we our us mine".split())
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?(?:-[a-z]+)*")
_CHOOSING = re.compile(
    r"\b(?:option|sounds?|go with|choose|prefer|one|take|best|others?|better|perfect|pick|suits?|stick|please|latter|"
    r"former|pass)\b",
    re.I,
)
_COMMISSION = re.compile(
    r"^(?:please |can you |could you |now |hi,? )*(?:write|rewrite|rephrase|summari[sz]e|translate|paraphrase|extract|"
    r"edit|proofread|correct|act as|"
    r"create an? (?:story|script|article|persona|dialogue)|i want you to|generate|compose|imagine|pretend|"
    r"you are (?:a|an)|continue|respond)\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|might|not sure (?:if|whether)|possibly|thinking maybe|i guess|may)\b", re.IGNORECASE
)
_ONCE = re.compile(r"\bused to\b", re.IGNORECASE)
_PAST = 0.45  # what was so once: less sure, and of the past
_WISHED = re.compile(r"\b(?:prefer|refuse|avoid|want|wanted|would|like|love|hope|hate)\b", re.IGNORECASE)
_FACTS = frozenset({R.USES, R.OWNS, R.LIVES_IN, R.COMES_FROM, R.WORKS_AT, R.WORKS_AS, R.STUDIES, R.HAS_PET, R.IS})
_MACHINES = frozenset({"assistant", "system", "tool"})
_LONGEST = 900
_MOST_SENTENCES = 200
_RULES = (*tastes.RULES, *circumstances.RULES, *rules("intents"))


def assertions(turn: Turn, sentences: Sequence[str], before: Sequence[Turn], people: Sequence[str]) -> list[Assertion]:
    """What `turn`, of these sentences, asserts of its speaker and those the speaker tells of, surest first.

    `before`: the turns before it in its session, whose last by somebody else may offer what is chosen here.
    `people`: the names of those who speak. A turn of an assistant or a system asserts nothing.
    """
    me = speaker_name(turn)
    if turn.role.lower() in _MACHINES or me in ("the assistant", "the system"):
        return []
    others = tuple(name for name in people if name != me)
    doubt = 0.5 if _is_commission(sentences) else 1.0
    found: list[Assertion] = []
    told_of = ""
    for sentence in sentences[:_MOST_SENTENCES]:
        parts = list(clauses(sentence[:_LONGEST], others, told_of))
        found += _of_clauses(turn, me, parts, doubt)
        told_of = parts[-1].last if parts else told_of
    found += _of_choices(turn, me, sentences, before, others)
    return _distinct(found)


def _is_commission(sentences: Sequence[str]) -> bool:
    """Whether a turn orders a text, so that what follows need not be meant: "Rewrite this: I love …"."""
    return bool(sentences) and bool(_COMMISSION.match(sentences[0]))


def _of_clauses(turn: Turn, me: str, parts: Sequence[Clause], doubt: float) -> Iterator[Assertion]:
    for clause in parts:
        for head, found in _in_clause(clause, me):
            made = _made(turn, head, clause.told, found, doubt * _sureness(clause, found))
            if made is not None:
                yield made


def _in_clause(clause: Clause, me: str) -> Iterator[tuple[str, Asserted]]:
    """What a clause tells, with whom it tells it of; what it takes for granted is the speaker's."""
    for found in circumstances.circumstances(clause.told, _words(clause.told)):
        yield me, found
    low = _words(clause.text)
    if not low.isdisjoint(_SPEAKING):
        for found in tastes.tastes(clause.text, low):
            yield clause.of or me, found
    for candidate in _RULES:
        if candidate.cues and candidate.cues.isdisjoint(low):
            continue
        match = candidate.pattern.search(clause.text)
        if match is not None:
            for found in _found(candidate, match):
                yield clause.of or me, found


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _found(candidate: Rule, match: re.Match[str]) -> Iterator[Asserted]:
    """What a rule found, turned by a "not" before it; what is only wished for is no fact."""
    before = match.string[match.start() : match.start("tail")]
    if candidate.relation in _FACTS and _WISHED.search(before):
        return
    if _ONCE.search(before):
        yield Asserted(candidate.relation, match["tail"], _PAST, not candidate.negated, candidate.strength)
        return
    turnable = candidate.relation not in (R.AVOIDS, R.BUDGET) and not candidate.negated
    turned = turnable and bool(NEGATED_VERB.search(before))
    yield Asserted(
        candidate.relation, match["tail"], candidate.confidence, candidate.negated or turned, candidate.strength
    )


def _sureness(clause: Clause, found: Asserted) -> float:
    """How much of a rule's confidence is left in this clause."""
    if found.presupposed:
        return 0.9 if clause.asked else 1.0
    sure = 0.4 if clause.asked else 1.0
    sure *= 0.5 if clause.conditional else 1.0
    before = clause.text[: max(0, clause.text.find(found.tail))]
    return sure * (0.7 if _HEDGE.search(before) else 1.0)


def _made(turn: Turn, head: str, clause: str, found: Asserted, sureness: float) -> Assertion | None:
    tail = tail_of(found.tail).replace("we am ", "we are ")
    if not is_telling(tail) or (found.relation is R.HABIT and not is_about_something(tail)):
        return None
    strength = found.strength if found.strength is not None else strength_of(clause)
    confidence = round(min(1.0, found.confidence * sureness), 3)
    return Assertion(
        head,
        found.relation,
        tail,
        turn.said_at,
        turn.id,
        confidence,
        found.negated,
        strength,
        clause.replace("we am ", "we are "),
    )


def _of_choices(
    turn: Turn, me: str, sentences: Sequence[str], before: Sequence[Turn], others: tuple[str, ...]
) -> Iterator[Assertion]:
    offering = next((earlier for earlier in reversed(before) if speaker_name(earlier) != me), None)
    said = [expanded(trimmed(s[:_LONGEST], others)) for s in sentences[:6]]
    if not any(_CHOOSING.search(s) for s in said):
        return
    for found, sentence in choices(said, offering.text if offering else ""):
        made = _made(turn, me, sentence, found, 0.7 if _HEDGE.search(sentence) else 1.0)
        if made is not None:
            yield made


def _distinct(found: Sequence[Assertion]) -> list[Assertion]:
    """Each tail once for a group of relations, by the surest, which stands for tails that it is part of too."""
    kept: list[Assertion] = []
    for one in sorted(found, key=lambda a: -a.confidence):
        if not any(_same(one, other) for other in kept):
            kept.append(one)
    return kept


def _same(one: Assertion, other: Assertion) -> bool:
    if one.head != other.head or GROUPS[one.relation] != GROUPS[other.relation] or one.favours != other.favours:
        return False
    short, long = sorted((one.tail.lower(), other.tail.lower()), key=len)
    return short == long or (one.relation is other.relation and (long.startswith(short) or long.endswith(short)))
