"""A sentence made ready to be told: without address, with the subject that speech leaves out; whether it informs."""

from __future__ import annotations

import re
from functools import lru_cache

from ..data import filled, table
from .address import trimmed
from .reactions import telling_stems

__all__ = ["FIRST_PERSON", "clause", "informs", "is_advice", "with_subject"]

FIRST_PERSON = re.compile(r"\b(?:I|me|my|mine|myself|we|us|our|ours|ourselves)\b(?!\.)", re.IGNORECASE)

_ADVICE = re.compile(
    r"^(?:just |please |also |always |never |don't |do not |definitely |try to |be sure to |make sure to |"
    r"remember to )*(?:keep|take|check|try|make|go|let me|tell|remember|remind|don't|enjoy|have|stay|feel|trust|"
    r"believe|"
    r"come|join|gather|find|look|start|use|get|give|do|be|bring|focus|set|ask|talk|think|read|watch|add|mix|put|bake|"
    r"write|follow|treat|hang|send|share|save|search|research|visit|listen|reach|consider|wait|spend|surround|"
    r"break|create|see if|pick|choose|call|show|work on|practice|plan|stick|cherish|embrace|imagine|learn)\b"
    r"(?! (?:is|was|are|were|has|have|can|will|to be|me of)\b)",
    re.IGNORECASE,
)
_COMPLIMENT = re.compile(
    r"^(?:what an?|such an?|an? )?\s*(?:really |so |very |super |absolutely |totally )*(?:nice|cute|great|"
    r"lovely|beautiful|"
    r"gorgeous|awesome|amazing|cool|sweet|good|stunning|wonderful|fantastic|incredible|adorable|impressive|love)\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:am|is|are|was|were|have|has|had|do|does|did|will|would|can|could|\w+ed|got|went|made|took)\b|'(?:s|m|"
    r"re|ve|ll)\b"
)
_CLOSING = re.compile(
    r"^(?:see (?:you|ya|u)\b|(?:talk|chat|speak|catch)(?: (?:to|with) (?:you|ya))?(?: up)? (?:soon|later)|"
    r"catch (?:you|ya)|"
    r"take care|take it easy|have an? (?:safe|great|good|nice|wonderful|lovely|amazing|awesome|fun)\b|bye|"
    r"goodbye|later\b|"
    r"(?:yea|yeah|yep|ok|okay)?,?\s*no (?:worries|problem|prob)|good luck[.! ]*$|best of luck|safe travels|"
    r"cheers|enjoy your|"
    r"good night|keep (?:it|me) (?:up|posted)|keep in touch|stay safe|you(?:'re| are) welcome|my pleasure|"
    r"long time no|"
    r"(?:it's |it is |it was |was )?(?:great|good|nice|lovely|awesome) (?:to (?:hear|see|chat|catch|talk)|"
    r"hearing|seeing|"
    r"chatting|catching|talking)\b|(?:I )?(?:can't wait to|hope to|let's) (?:hear|see|chat|catch|talk)\b)",
    re.IGNORECASE,
)
_COMPLIMENT_WORDS = 5


def clause(sentence: str, others: tuple[str, ...]) -> str:
    """A sentence trimmed, with its subject where speech leaves it out: "Glad it worked" is "I am glad it worked"."""
    bare = trimmed(sentence, others).lstrip(")]}.,;:!? ")
    if is_advice(bare):
        return bare
    whole = with_subject(bare)
    if whole != bare:
        return whole
    return _completed(bare, "likely")


def with_subject(clause: str) -> str:
    """A clause with the subject that speech surely leaves out: "Got a dog" is "I got a dog"."""
    return clause if FIRST_PERSON.match(clause) else _completed(clause, "sure")


def _completed(clause: str, kind: str) -> str:
    subject = next((subject for pattern, subject in _rules(kind) if pattern.match(clause)), "")
    return f"{subject} {clause[:1].lower()}{clause[1:]}" if subject else clause


@lru_cache
def _rules(kind: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    rows = table(__package__, "elision")[kind]
    return tuple((re.compile(filled(row["pattern"], {}), re.IGNORECASE), row["subject"]) for row in rows)


def is_advice(bare: str) -> bool:
    """Whether a trimmed sentence tells whoever is spoken to what to do: "Keep at it"."""
    return bool(_ADVICE.match(bare))


def informs(text: str, least: int = 1) -> bool:
    """Whether a clause carries information: more than grammar, feeling, a farewell, or a compliment without a verb."""
    if _CLOSING.match(text):
        return False
    if _COMPLIMENT.match(text) and len(text.split()) <= _COMPLIMENT_WORDS and not _VERB.search(text):
        return False
    return len(telling_stems(text)) >= least
