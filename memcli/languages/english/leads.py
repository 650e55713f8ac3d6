"""What of a question asks: people lead up to it, most of all where they talk to an assistant."""

from __future__ import annotations

import re

from ...text import content_stems, sentences

__all__ = ["core"]

_LEAD = re.compile(
    r"(?:\b(?:can|could|would|will) you (?:please |just |quickly )?(?:remind|tell) me(?: again)?(?: of| about)?"
    r"|^(?:please )?(?:remind|tell) me(?: again)?(?: of| about)?"
    r"|\bi(?:'m| am| was)(?: just)? (?:wondering|curious)"
    r"(?:,? (?:if|whether) you (?:can|could|would) (?:please )?(?:remind|tell) me(?: of| about)?)?"
    r"|\bi(?:'d| would)? (?:just )?(?:wanted|want|need|like) to (?:confirm|check|double-check|know|ask|verify)"
    r"|^do you (?:happen to )?(?:remember|recall|know(?= wh| how))"
    r"|^(?:hi|hello|hey|so|ok|okay|also|btw|by the way|actually|please|just"
    r"|(?:one )?(?:quick|more) (?:question|thing|one))\b)"
    r"[\s,:;!–—-]*"
)
#: A sentence that begins so asks, and leads up to nothing.
_ASKS = re.compile(
    r"(?:what|which|who|whom|whose|when|where|why|how|do(?! you (?:happen|remember|recall|know))|does|did|is|are|was"
    r"|were|has|have|had|should|must)\b"
)
#: What is said of a talk, and of nothing in it.
_OF_TALK = re.compile(r"\b(?:previous|earlier|last|past|our|other) (?:chats?|conversations?|discussions?|exchanges?)\b")
#: What the other one said belongs to what is asked.
_SAID = re.compile(r"\byou (?!can\b|could\b|would\b)\w+")
#: What may end a sentence before the last one: to look closer loads a library.
_ENDS_WITHIN = re.compile(r"[.!?。！？]\s*\S")
#: Stems that are left at least: less asks for nothing.
_FEWEST = 2


def core(text: str) -> str:
    """The part of a question that asks: "what sealant you recommended for the vase?" of "I'm back to our previous chat
    about old paper. Can you remind me what sealant you recommended for the vase?"; the whole text where nothing leads
    up to it.
    """
    *before, asking = (sentences(text) if _ENDS_WITHIN.search(text) else []) or [text]
    kept = " ".join([*(each for each in before if not _is_of_talk(each)), _without_lead(asking)])
    return kept if len(content_stems(kept)) >= _FEWEST else text


def _is_of_talk(sentence: str) -> bool:
    plain = sentence.lower()
    return bool(_OF_TALK.search(plain)) and not _SAID.search(plain)


def _without_lead(sentence: str) -> str:
    plain = sentence.lower().replace("’", "'")
    while (lead := _last_lead(plain)) and content_stems(plain[lead:]):
        sentence, plain = sentence[lead:], plain[lead:]
    return sentence


def _last_lead(plain: str) -> int:
    """Where the last thing ends that leads up to a question; 0 where nothing does."""
    return 0 if _ASKS.match(plain) else max((match.end() for match in _LEAD.finditer(plain)), default=0)
