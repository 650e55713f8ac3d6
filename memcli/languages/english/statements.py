"""What of a sentence is a statement: small talk, questions and the hypothetical left out, clauses on their own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .address import trimmed
from .elision import FIRST_PERSON, with_subject
from .reactions import informative

__all__ = ["is_small_talk", "statements"]

_SPLIT = re.compile(
    r"(?:,?\s+(?:and|but|so)|;|\s+[-–—]+|,\s+plus)\s+(?=(?:then |now |also )?(?:I|we)(?:'\w+)?\s)|"
    r"[.!]\s+(?=(?:I|We|My|It|They|She|He)\b)|,\s+(?:and|but)\s+(?=my \w+ (?:is|was|are|were|has|have|had)\b)",
    re.IGNORECASE,
)
_OWN_SUBJECT = re.compile(r"\b(?:I|we|it|he|she|they|that|this|there)\b(?:'\w+)?\s+\w+", re.IGNORECASE)
_OWN_VERB = re.compile(r"\b(?:is|was|are|were|has|have|had|will|would|can|could|\w+ed|got|went|made|took|came)\b")
_INSIDE = re.compile(r"[,;]|\b(?:but|so|that|when|because|and)\b")
_DEPENDENT = re.compile(
    r"^(?:when|after|before|since|because|if|although|though|while|as|once|until|whenever|even|seeing|every time|"
    r"what|whatever|whether|knowing|the (?:more|way))\b",
    re.IGNORECASE,
)
_JOINED_NAMES = re.compile(r"^(?:me|my|the|a|our)?\s*[\w' ]{0,40}$", re.IGNORECASE)
# "World War I", "Part I"; and after another name where no verb of the first person can follow it.
_ROMAN = re.compile(
    r"(?i:\b(?:war|part|chapter|volume|book|level|type|phase|stage|grade|class|act)) I\b|"
    r"\b[A-Z]\w+ I\b(?=\s*(?:$|[.;:!?)]|(?:is|has|of|in|at|on|by|for|from|with|and|or|to|as)\b))"
)
_HYPOTHETICAL = re.compile(
    r"^if\b|^(?:imagine|suppose|what if|maybe if|assuming|wish)\b|\bI (?:really )?wish\b|\bif (?:I|we) (?:were|was|"
    r"had|could|did|can)\b|"
    r"\b(?:would|could|should)(?:n't)?(?:'ve| have)\b|\bwhat if\b|\bas if\b",
    re.IGNORECASE,
)
_TO_YOU = re.compile(
    r"^(?:(?:I|we)(?: \w+ly| just| also| so| really|'m|'ve|'ll|'d)* (?:hope|bet|guess|wish|think|know|believe|agree|"
    r"appreciate|understand|see|hear|feel|admire|trust|imagine|can tell|can see|can imagine|can relate|am sure|"
    r"so? ?sure|get|mean|"
    r"gotta say|have to say|love how|love that|promise|owe|miss)\b.*\b(?:you|your|you're|you've|you'll)\b"
    r"|(?:let|tell|remember|remind|keep|take|don't|enjoy|check|look|have|stay|feel|count|see|talk|catch|wish|good luck|"
    r"hope|glad|so glad|happy|proud|sorry|can't wait|thanks|thank|appreciate|bet|sounds|congrats|way to go|go for|"
    r"feel free|never|always remember|please|just|trust|believe|come|join|looks like you|here's to|cheers)\b)",
    re.IGNORECASE,
)
_TO_YOU_FEELING = re.compile(
    r"^(?:I|we)(?: \w+)?(?:'m| am|'re| are| was|'ve been)?(?: \w+){0,2} (?:glad|happy|proud|sorry|thrilled|excited|"
    r"impressed|"
    r"grateful|thankful|rooting|here|there|stoked|pumped|lucky|curious|interested|inspired|with)\b.*\b(?:you|your|"
    r"you're|you've|you'll)\b",
    re.IGNORECASE,
)
_SAYING = re.compile(
    r"\bI(?:'m| am)? (?:mean\b|not sure what|don't know what|have no idea|can't (?:believe|imagine|thank)|"
    r"couldn't agree|totally agree|agree|"
    r"gotta say|have to say|must say|hear (?:that|you)|know (?:what|how|that feeling|right)|see what|get (?:that|"
    r"it)|got (?:this|you)|"
    r"understand|feel the same|feel that|hope so|think so|guess so|would say|wouldn't say|can (?:see|tell|relate|"
    r"understand)|could use|"
    r"was wondering|wonder|meant|was just saying|just wanted to say|say|'ll let|'ll keep you)\b|"
    r"\b(?:lot|much|lots|stuff|things)(?:'s| has| have)? happened\b|\bbeen .*since we\b|^(?:definitely|absolutely|"
    r"totally|somewhat|one of|not|such|especially)\b",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"^(?:hey|hi|hello|good (?:morning|evening|night|to)|bye|goodbye|see (?:you|ya)|take care|talk (?:to you )?soon|"
    r"have a (?:great|good|nice)|thank|thanks|how are|what's up|long time|congrat|welcome|no problem|you're welcome)\b",
    re.IGNORECASE,
)
_COMMITMENT = re.compile(r"^I(?:'d| would| also| strongly| highly|'ll)* (?:recommend|suggest|advise)\b|"
                         r"^I(?:'ll| will) (?:remember|remind|note|check|send|look|add|schedule|"
                         r"book)\b", re.IGNORECASE)  # fmt: skip
#: Whoever or whatever is spoken of was named in another sentence, so more must be said of it.
_POINTING = re.compile(r"^(?:it|that|this|these|those|they|he|she|there|here)\b", re.IGNORECASE)
_OF_ALL = re.compile(r"\bus\b", re.IGNORECASE)
_NOT_OF_ALL = re.compile(
    r"\b(?:I|me|my|we|our|was|were|had|did|got|went|made|gave|took|brought|\w+ed)\b", re.IGNORECASE
)
_MAXIM = re.compile(
    r"\bour\b.*\bour\b|^(?:our|ours)\b(?!.*\b(?:was|were|had|got|went|is|are|has|have|\w+ed)\b)", re.IGNORECASE
)
_FRAGMENT = re.compile(
    r"^(?:reminds|makes|helps|feels|seems|gives|brings|keeps|takes|turns out|looks|sounds)\b|"
    r"\bI just wanted to\b|\bsomething (?:\w+ )?happened\b",
    re.IGNORECASE,
)
_MOST_WORDS = 45


def is_small_talk(sentence: str) -> bool:
    """Whether a sentence greets, thanks, asks, or says no more than that something is great."""
    return sentence.rstrip().endswith("?") or bool(_GREETING.match(sentence)) or not informative(sentence)


def statements(sentence: str, others: Sequence[str], *, assistant: bool = False) -> list[str]:
    """The statements in the first person that a sentence makes, one a clause, without address and final mark."""
    if sentence.rstrip().endswith("?") or len(sentence.split()) > 2 * _MOST_WORDS:
        return []
    bare = trimmed(sentence, tuple(others))
    if "?" in bare or len(bare.split()) > _MOST_WORDS:
        return []
    if assistant:
        return [bare] if _COMMITMENT.match(bare) and informative(bare, 2) else []
    return [c for c in (with_subject(c) for c in _clauses(bare)) if _states(c)]


def _clauses(text: str) -> list[str]:
    """The coordinated clauses that have a subject each; one that another depends on is not cut off."""
    parts, start = [], 0
    for match in _SPLIT.finditer(text):
        left = text[start : match.start()].strip(" ,")
        if match.group()[0] in ".!" or _is_whole(left):
            parts.append(left)
            start = match.end()
    return [*parts, text[start:].strip(" ,")]


def _is_whole(left: str) -> bool:
    """Whether a clause stands without what follows: "I went home" does, "when I went home" and "my wife" do not."""
    last = _INSIDE.split(left)[-1]
    whole = _OWN_SUBJECT.search(left) or _OWN_VERB.search(left)
    return bool(
        whole and (_OWN_SUBJECT.search(last) or _OWN_VERB.search(last) or " my " not in f" {last.lower()} ")
    ) and (not _DEPENDENT.match(left))


def _states(clause: str) -> bool:
    """Whether a clause tells of its speaker something to remember."""
    if not FIRST_PERSON.search(_ROMAN.sub("", clause)) or len(clause.split()) < 3:
        return False
    if any(p.search(clause) for p in (_MAXIM, _FRAGMENT, _HYPOTHETICAL, _TO_YOU, _TO_YOU_FEELING, _SAYING)):
        return False
    if _OF_ALL.search(clause) and not _NOT_OF_ALL.search(clause):
        return False
    return informative(clause, 3 if _POINTING.match(clause) else 1)
