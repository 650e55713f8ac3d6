"""A sentence made ready to be told: without address, with the subject that speech leaves out; whether it informs."""

from __future__ import annotations

import re

from .reactions import telling_stems
from .statements import trimmed, with_subject

__all__ = ["clause", "informs", "is_advice"]

_ELIDED = (
    (re.compile(r"^(?:just |so |really |super |also |very )*(?:glad|happy|excited|thrilled|proud|sorry|stoked|pumped|"
                r"grateful|thankful|ready|sure|afraid|curious|nervous|looking|planning|thinking|hoping|trying|"
                r"working|"
                r"off to|keen|determined|lucky|blessed)\b(?! (?:me|us|people|for a)\b)", re.IGNORECASE), "I am "),
    (re.compile(r"^(?:just |really |so |also |definitely |totally )*(?:hope|wish|can't|cannot|couldn't|don't think|"
                r"appreciate|love|loved|miss|missed|think|thought|guess|believe|have to|had to|need to|wanted|will|"
                r"won't|gotta|know|haven't|didn't|don't think|don't know|wasn't|felt|tried|gave|came|kept|"
                r"managed|got|met|saw)\b(?! (?:is|was|and)\b)",
                re.IGNORECASE), "I "),
    (re.compile(r"^(?:[a-z]+ed|did)\s+(?:my|our|a|an|the)\b", re.IGNORECASE), "I "),
    (re.compile(r"^still\s+[a-z]+ing\b", re.IGNORECASE), "I am "),
    (re.compile(r"^(?:always |just |really |so )*(?!during|being|every|any|some|no|spring|morning|evening)"
                r"[a-z]{3,}ing\b"
                r"(?!.*(?:'(?:s|re|ll|d)\b|\b(?:is|are|was|were|has|have|had|can|will|would|could|must|might|should|"
                r"\w{2,}(?:ed|[^s]s)|got|went|made|took|gave|felt|put|let)\b))", re.IGNORECASE), "I am "),
    (re.compile(r"^bet\b", re.IGNORECASE), "I "),
    (re.compile(r"^(?:never |already |just )?been\b", re.IGNORECASE), "I have "),
    (re.compile(r"^(?:sounds|looks|seems|feels|makes|reminds|turns out|helps|brings|gives|keeps)\b",
                re.IGNORECASE), "It "),
)  # fmt: skip
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
    for pattern, subject in _ELIDED:
        if pattern.match(bare):
            return subject + bare[:1].lower() + bare[1:]
    return bare


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
