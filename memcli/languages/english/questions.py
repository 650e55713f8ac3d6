"""What a question asks for: the kind of answer, whom it is about, the words that carry it, and its other wordings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ...model import Question, Seeks, Standing
from ...text import STOPWORDS, content_stems, stem
from ..base import NAMELESS
from ..data import filled, table
from ..names import named, nameless, stems_beside
from .leads import core

__all__ = [
    "asks_for_another",
    "asks_for_record",
    "asks_what_to_give",
    "does_by_saying",
    "may_have_said",
    "nth",
    "parse",
    "wording",
]

_FORMS = tuple(
    (re.compile(filled(row["pattern"], {})), Seeks(row["seeks"])) for row in table(__package__, "questions")["form"]
)
#: Behind the name of several things stands what is said of them: "what sports does Ana do", where "what helps Ana" asks
#: for one.
_SAID_OF = (
    r"(?=\s+\w+ed\b|\s+(?:i|we|they|he|she|you (?:suggest|recommend|mention|list|nam|propos|advis|gave|said|told)\w*)\b"
    r"|.*\b(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|might|\w+n't)\b)"
)
_LISTING = re.compile(
    r"\b(?:what|which)\s+(?:are|were|(?:(?!do|did|can|will|would|should|could|is|was)\w+\s+)?"
    rf"(?!does|was|is|has)\w+(?:[^s\W]|e)s\b{_SAID_OF})"
    r"|\bother\s+\w+s\b|\ball the\b"
    r"|(?:\b(?:what|which)|^(?:the|those|these))\s+(?:two|three|four|five|six|seven|eight|nine|ten|\d+)\s+(?:\w+\s+)?\w+s\b"
)
#: Who asks what is on a list asks for its items; where the list is, or how many are on it, for one thing.
_LIST = re.compile(r"^(?:what|which)\b.*\blist\b|(?:^|\byou )(?:please )?list\b|\ba list of\b")
_LIST_WORD = re.compile(r"\blist\b")
_NUMBERS = frozenset({Seeks.COUNT, Seeks.OFTEN, Seeks.LENGTH})
#: Counts, comparisons and what is common to two rest on several pieces of evidence, like lists do.
_SEVERAL = re.compile(
    r"\b(?:how (?:many|often)|in common|both|compar\w+|differ\w*|each|every|total|altogether"
    r"|all (?:of|my|our|his|her|their)|between \w+ and|order of|which .* (?:first|more)|most often)\b"
)
_HEAD = re.compile(
    r"\b(?:what|which|how many)\s+(?:(?:kinds?|types?|sorts?)\s+of\s+)?"
    r"(?:\w+\s+(?=\w+\s+(?:do|does|did|is|was|has|had)\b))?"
    r"(?P<head>\w+)"
)
_I = re.compile(r"\b(?:i|my|me|mine)\b")
_YOU_SAID = re.compile(
    r"\b(?:did you|you(?:'ve| have| had)?) (?:\w+ )?(?:sa(?:y|id)|tell|told|g[ai]ven?|wr[io]te|written|ma[dk]e"
    r"|(?:nam|suggest|recommend|mention|list|propos|provid|advis|creat|explain|describ|generat|quot)(?:e|ed)?)\b"
)
_BOT = r"(?:chat ?gpt|claude|gemini|copilot|the (?:assistant|chatbot|bot|ai))"
#: An assistant, as people call it, and that it said something.
_IT_SAID = re.compile(
    rf"\b(?:did|had|has|have) {_BOT}\b"
    rf"|\b{_BOT} (?:\w+ )?(?:said|told|wrote|gave|advised|(?:suggest|recommend|list|mention)ed)\b"
)
#: Who said certain words is asked for.
_WHO_SAID = re.compile(r"^who(?: was it (?:who|that))? (?:said|says|wrote|claimed)(?: that)? (?P<words>.+)")
#: Who gave advice is asked for, and advice as it is given.
_WHO_ADVISED = re.compile(r"^who(?: was it (?:who|that))? (?:first )?(?P<act>recommended|suggested|advised)\b")
_ADVISES = re.compile(
    r"\byou(?:'ve (?:got to|gotta)| (?:have to|need to|must|should|ought to|could|really (?:must|should)))\b"
    r"|\b(?:why (?:don't|not)|how about|what about|let's|shall we|we (?:should|could)|have you (?:tried|read|seen))\b"
)
_ORDINALS = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NTH = re.compile(rf"\b(?P<word>first|{'|'.join(_ORDINALS)})\b|\b(?P<digits>\d{{1,3}})(?:st|nd|rd|th)\b")
_OF_LIST = re.compile(r"\b(?:on|in|of|from) (?:that|the|your|this) list\b")
_WE = re.compile(r"\b(?:we|our)\b")
#: Which of several statements is asked for: the first of these that is found. "Last week" and "how old" are neither.
_STANDING = tuple(
    (re.compile(form), standing)
    for form, standing in (
        (r"^(?!.*\b(?:currently|now|initially)\b).*"
         r"(?<!how )\bold (?!\w+ (?:is|are)\b|(?:m[ae]n|lad(?:y|ies)|wom[ae]n|people|folks?|friends?|guys?)\b)"
         r"|\b(?:former(?:ly)?|previous(?:ly)?|used to|originally|back then)\b"
         r"|\b(?:was|were|had)\b.*\boriginal \w"
         r"|^(?:where|when|who|how)\b.*\bdid\b.*\buse to\b"
         r"|^(?:where|which|what|who)\b.*\bbefore(?: \w|\W*$)", Standing.FORMER),
        (r"\b(?:first|earliest|initially)\b", Standing.FIRST),
        (r"\b(?:latest|newest|most recent(?:ly)?|finally|in the end)\b"
         r"|\blast\b(?! (?:week|weekend|month|year|night|time|summer|winter|spring|autumn|fall|name|\w+day)\b)",
         Standing.LAST),
        (r"\b(?:is|are|do|does|am|still|now|these days|current\w*|has|have)\b|\b(?:what|when|where|which|who|how)'s\b"
         r"|^(?!.*\b(?:did|was|were|had)\b)[^?]{1,40}$",
         Standing.NOW),
    )
)  # fmt: skip
#: Stems that only say that something holds on, or does by now.
LASTING = frozenset(map(stem, ("still", "now", "yet", "already", "anymore", "currently")))
_TIMES = re.compile(r"\bhow (?:many times|often)\b")
_TIME = re.compile(
    r"\b(when|what (?:date|day|month|year|time)|which (?:day|month|year|week)|how long|"
    r"how many (?:days|weeks|months|years))\b"
)
_ADVICE = re.compile(
    r"\b(recommend|suggest|suggestions?|advice|advise|tips?|ideas?|help me|can you|could you|should i|"
    r"what (?:should|are some|would)|how (?:can|should|do) i|any (?:good|thoughts|recommendations)|looking for|"
    r"plan(?:ning)?|best|an? good|options)\b"
)
_WISH = re.compile(
    r"\bwhat(?: (?:food|meal|dish|cake|takeaway|snack|drink|wine|dinner|lunch|dessert|pudding|present|gift|treat)s?)? "
    r"can (?:i|we) (?:cook|make|bake|serve|get|give|buy|bring|order)\b"
    r"|\b(?:should|shall|could) (?:i|we)\b|\bany (?:ideas?|tips?|suggestions?|advice|recommendations?)\b"
    r"|\bwhat (?:do|must) (?:i|we) (?:have to |need to )?"
    r"(?:avoid|leave out|watch out for|look out for|keep in mind|bear in mind|be careful|remember|think of)\b"
    r"|\b(?:suggest|recommend|give me|tell me) (?:me |us )?(?:a|an|some|any|something)\b"
    r"|\b(?:might|would|could)\b.*\b(?:like|enjoy|love|want|please)\b"
    r"|^(?!.*\b(?:does|did|was|were|has|had|gets?|got|gave|made|bought|wanted)\b).*\b(?:ideas?|gifts?|presents?) for\b"
)
#: What somebody does for another, whatever he says of himself: "what should I bake for Fiadh?".
_DONE_FOR = re.compile(
    r"\b(?:cook|bake|make|get|buy|give|bring|order|book|serve)\b.* for (?:(?:my|our|his|her|the) )?(?P<whom>\w+)"
)
#: "What word could you never say?" asks nobody for advice.
_ANYBODY = re.compile(
    r"^(?:what|which|who|where|when|why|how)\b.*\b(?:can|could) you\b"
    r"(?! (?:please |also )?(?:recommend|suggest|help|give|tell|share|advise|think|propose|find|show|provide|offer)\b)"
)
#: The best of the times that somebody has run, and no time that suits: "the best time to call".
_RECORD = re.compile(r"\b(?:fastest|quickest|pb|record|best(?! time (?:to|for|of)\b))\b")
_GIVING = re.compile(r"\b(?:get|give|buy|gifts?|presents?|surprise)\b")
_EATEN = re.compile(
    r"\b(?:food|meal|dish|cake|takeaway|snack|drink|wine|dinner|lunch|breakfast|dessert|pudding|eat)s?\b"
)
#: Whoever asks an assistant so asks for himself.
_REQUESTED = re.compile(
    r"\b(?:can|could|will|would) you (?:(?:please|kindly|possibly|also) )?"
    r"(?:(?:recommend|suggest|advise|propose|come up with|put together|help me (?:find|choose|pick|plan|decide))\b"
    r"|(?:give|provide|share|offer|find|show)(?: me| us)?(?: with)? (?:some|any|a few)\b)"
    r"|\byou(?:'d| would| might)? (?:recommend|suggest|advise)\b"
    r"|\b(?:would|do|can|could) you (?:recommend|suggest|advise)\b"
    r"|\b(?:any|some|your) (?:\w+ ){0,3}(?:recommendations?|suggestions?|tips)\b"
)
#: Who asks what he likes himself.
_OWN_TASTES = re.compile(
    r"\bdo(?:n't| not)? i (?:really |usually )?(?:like|love|enjoy|prefer|avoid|hate|dislike)\b"
    r"|\bmy (?:\w+ )?(?:preferences?|tastes?|likes|dislikes)\b"
)
#: Who asks what was so asks for no advice, whatever else he says.
_PAST = re.compile(
    r"\b(?:did|was|were|had|(?:you|we|i|he|she|they)(?:'ve| have)? "
    r"(?:said|told|mentioned|recommended|suggested|gave|given))\b"
)
#: The same of a question of yes or no, which else asks for what was said.
_MAY = re.compile(
    r"^(?:can|may|could)\b.*\b(?:eat|drink)\b|^is\b.*\ballowed to (?:eat|drink)\b|\bshould (?:i|we)\b"
    r"|\bany (?:ideas?|tips?|suggestions?|advice|recommendations?)\b"
    r"|\b(?:suggest|recommend|give me|tell me) (?:me |us )?(?:a|an|some|any|something)\b"
)
#: Who asks for one of these asks for what was said or agreed, also with a "should".
_SAID = frozenset({Seeks.COUNT, Seeks.OFTEN, Seeks.LENGTH, Seeks.WHEN, Seeks.WHY})
_GRAIN = re.compile(r"(?:\b(?:what|which) |^(?:the )?)(?P<grain>year|month|(?:time|hour)(?! of))\b")
#: Who asks so asks for what comes again every week.
_WEEKLY = re.compile(r"\b(?:what|which) day (?:of the week )?do\b")
_ADDRESS = re.compile(r"^\s*(?:(?:hi|hey|hello|please|so|ok|okay)\b[,!]?\s*)+", re.I)
_REQUEST = re.compile(
    r"^(?:(?:can|could|would|will) you (?:please )?(?:help me |recommend |suggest |give me |tell me |share |provide |"
    r"create |plan |find |design |write )*(?:me |some |any |a |an |the )*|"
    r"(?:what|which|who|whom|whose|when|where|why|how)(?:'s)?\b(?: (?:many|much|long|often|old|kind of|type of|"
    r"are some|are the best|are))*\s*|i'm looking for |i need |i want )",
    re.I,
)
_AUXILIARY = re.compile(r"^(?:do|does|did|is|are|was|were|has|have|had|should|would|can|could|will|be|been)\b\s*", re.I)


@lru_cache(maxsize=64)
def parse(text: str, speakers: Sequence[str]) -> Question:
    """`text` as a question to a memory in which `speakers` (a tuple) talk; read once for every way of retrieving."""
    asks, mentioned = core(text), named(text, speakers)
    plain, whole = (each.strip().lower().replace("’", "'") for each in (asks, text))
    written = [each for each in mentioned if each.word]
    seeks = _seeks(plain)
    return Question(
        text,
        seeks,
        stems_beside(asks, mentioned),
        written[0].speaker if written else _speaking(plain, speakers),
        listing=seeks not in _NUMBERS and bool(_LISTING.search(plain) or _LIST.search(plain)),
        several=bool(_LISTING.search(whole) or _LIST_WORD.search(whole) or _SEVERAL.search(whole)),
        standing=next((standing for form, standing in _STANDING if form.search(plain)), Standing.ANY),
        counts_times=bool(_TIMES.search(plain)),
        head=_head(plain),
        grain=_grain(plain),
        named=mentioned,
        seeks_time=bool(_TIME.search(text.lower())),
        seeks_advice=bool(_ADVICE.search(text.lower())),
        wants_advice=_wants_advice(plain, seeks),
        may_want_advice=_may_want_advice(plain, whole, seeks),
        first_person=bool(_I.search(whole) or _WE.search(whole)),
        core=asks,
    )


def _wants_advice(plain: str, seeks: Seeks) -> bool:
    if seeks in _SAID:
        return False
    if seeks is Seeks.YES_NO:
        return bool(_MAY.search(plain))
    return bool(_WISH.search(plain) or (_REQUESTED.search(plain) and not _PAST.search(plain)))


def _may_want_advice(plain: str, whole: str, seeks: Seeks) -> bool:
    words = (_ADVICE.search(plain) and not _ANYBODY.search(plain)) or _OWN_TASTES.search(plain)
    return seeks not in _SAID and bool(words) and not _PAST.search(whole)


def asks_for_another(question: str) -> bool:
    """Whether what somebody should cook, get or book is for another: "what should I bake for Fiadh?"."""
    from .assertions.clauses import spoken_of

    done = _DONE_FOR.search(question)
    return done is not None and done["whom"] in spoken_of(question)


def _speaking(plain: str, speakers: Sequence[str]) -> str | None:
    """Of a talk with an assistant, whom a question without a name is about: what you said, or I did."""
    is_assistant = _YOU_SAID.search(plain) or _IT_SAID.search(plain)
    role = "assistant" if is_assistant else "user" if _I.search(plain) else ""
    return next((speaker for speaker in speakers if speaker.lower() == role), None)


def asks_for_record(question: str) -> bool:
    """Whether it asks for the best time that somebody has run."""
    return bool(_RECORD.search(question.lower()))


def asks_what_to_give(question: str) -> bool:
    """Whether somebody looks for a present; what is to be eaten is none."""
    low = question.lower()
    return bool(_GIVING.search(low)) and not _EATEN.search(low)


def does_by_saying(question: str, text: str) -> bool:
    """Whether whoever says `text` does by that what somebody asks who did (Austin 1962): "you have to read it" is said
    by who recommended it. Where the text tells of a recommendation it is another's: "Ines recommended it to me".
    """
    act = _WHO_ADVISED.search(question.lower())
    return act is not None and act["act"][:-2] not in text.lower() and bool(_ADVISES.search(text.lower()))


def may_have_said(question: str, text: str) -> bool:
    """Whether a text may be what somebody is asked for who said it: one that has a word of it. Any, where nobody is."""
    asked = _WHO_SAID.search(question.lower())
    words = content_stems(asked["words"]) if asked else []
    return not words or not set(words).isdisjoint(content_stems(text))


def nth(question: str) -> int:
    """The how-manieth item a question asks for of a list that somebody gave; 0 where it asks for none. The first of
    what you suggested may be what was suggested first, and counts on a list alone.
    """
    plain = question.lower()
    match, is_listed = _NTH.search(plain), bool(_OF_LIST.search(plain))
    if not match or not (is_listed or (_YOU_SAID.search(plain) and match["word"] != "first")):
        return 0
    return int(match["digits"]) if match["digits"] else ("first", *_ORDINALS).index(match["word"]) + 1


def _head(plain: str) -> str:
    match = _HEAD.search(plain)
    return stem(match["head"]) if match and match["head"] not in STOPWORDS else ""


def _grain(plain: str) -> str:
    """The year, if it is named at all: who asks for a year and a month is given the year."""
    if _WEEKLY.search(plain):
        return "weekday"
    asked = {match["grain"] for match in _GRAIN.finditer(plain)}
    coarse = next((grain for grain in ("year", "month") if grain in asked), "")
    return coarse or ("minute" if asked else "")


def _seeks(plain: str) -> Seeks:
    return next((seeks for form, seeks in _FORMS if form.search(plain)), Seeks.WHAT)


def wording(kind: str, question: Question) -> str:
    """The question in other words, `kind` of `languages.base`."""
    bare = nameless(question)
    return bare if kind == NAMELESS else f"I don't like, I avoid, I prefer: {_topic(bare) or question.text}"


def _topic(question: str) -> str:
    topic = _ADDRESS.sub("", question.rstrip("?. "))
    for _ in range(2):
        topic = _AUXILIARY.sub("", _REQUEST.sub("", topic).strip())
    return topic.strip()
