"""What short answers look like in English: numbers, identifiers, and what only ties them to their sentence."""

from __future__ import annotations

import re

from .amounts import in_kind
from .grammar import NUMBER

__all__ = [
    "CONJUNCTION",
    "ENDED",
    "FORMER",
    "SOMEBODY",
    "UNDONE",
    "comes_yearly",
    "corrects",
    "identifier",
    "is_moved",
    "is_of_what_was_said",
    "is_oneself",
    "is_such",
    "is_vague",
    "is_worked_out",
    "label_before",
    "labelled_after",
    "listed_after",
    "may_tell",
    "named_after",
    "number",
    "recurring",
    "replaced",
    "untied",
]

_NUMBER = re.compile(
    rf"[$€£]?\d[\d.,]*\d%?|\d%?|\b(?:(?!one\b){NUMBER}|once|twice|several|dozen)\b",
    re.IGNORECASE,
)
_TIE = re.compile(r"^(?:(?:about|at|in|on|from|with|like|as|that|this|into|onto)\s+)+", re.IGNORECASE)
_SELVES = frozenset(("i", "me", "my", "mine", "myself", "i'm", "i've", "i'll"))
_COORDINATED = re.compile(
    r"(?:(?:, (?:and |& )?| and | & )[\w'’-]+(?: [A-Z][\w'’-]+){0,3}(?=[,.;!?]|\s+and\b|\s+&|$))+"
)
_MORE = (
    "more|less|fewer|older|younger|longer|shorter|earlier|later|sooner|cheaper|dearer|higher|lower|bigger|larger|smaller"
    "|taller|heavier|lighter|faster|slower|further|farther|closer|nearer|wider|deeper|warmer|hotter|colder"
)
#: Of a sum, a difference or a mean: what asks for one, and what tells one.
_WORKED_OUT = re.compile(
    r"\b(?:total\w*|altogether|all told|in all(?! \w)|combined|averag\w+|difference|compared)\b"
    r"|(?<!other )(?<!rather )\bthan\b"
    r"|\b(?:how (?:much|many)|costs?|weigh)\b.*\btogether\b"
    rf"|\bhow (?:much|many \w+) (?:{_MORE})\b", re.IGNORECASE
)  # fmt: skip
#: That something is over denies that it is so.
ENDED = re.compile(
    r"\b(?:stopped|quit|sold|lost|gave (?:\w+ )?up|cancel\w+|scrapped|broke up|called off|returned"
    r"|(?:gave|given|handed|brought|sent) (?:\S+ ){0,3}?back)\b"
)
#: What joins one clause to another.
CONJUNCTION = re.compile(
    r"\s+(?:and|but|who|which|that|because|so|although|though|while|when|where|since|until|if)\s+"
    r"|\s+(?=(?:instead of|rather than)\b)", re.IGNORECASE
)  # fmt: skip
#: That something was not done, or not to its end.
UNDONE = re.compile(
    r"\b(?:g(?:i|a)v(?:e|en|ing) (?:\w+ )?up|abandon\w*|bail(?:ed)?|cancel\w*|call(?:ed)? off|scrap(?:ped)?|dnf"
    r"|instead of|rather than)\b"
)
#: Somebody who is not called by name.
SOMEBODY = re.compile(r"(?:my|our|your|his|her|their|the|an?|some|one of|both|\w+['’]s) \w")
#: That something was so, once; what says that it has changed tells what is so now.
FORMER = re.compile(
    r"\b(?:was|were|had|did|been|used to|old|former\w*|previous\w*|original\w*|before|until|till|last|ago|ex|once|"
    r"back then|no longer|any ?more|instead of|left|went|from|(?!chang|mov|switch|replac)\w+(?:n't|ed))\b"
)
#: What stands before a number, or a letter, that is its name: "level 3", "room 214", "row F".
_LABELS = (
    r"(?:level|floor|room|ward|bed|row|seat|aisle|shelf|drawer|locker|box|bay|slot|lot|plot|gate|platform|track|terminal|"
    r"exit|junction|flat|apartment|apt|unit|suite|block|building|house|door|cabin|tent|table|number|no\.|bus|tram|train|line|"
    r"route|road|highway|flight|channel|page|chapter|part|volume|episode|season|version|grade|class|size|type|group|team|"
    r"stage|zone|sector|pier|berth|hall|stand|booth)"
)
_LABEL = re.compile(rf"\b{_LABELS} $", re.IGNORECASE)
#: A second label with its number, behind a first: ", row C".
_LABELLED = re.compile(rf"(?:,? {_LABELS} (?:\d[\w.-]*|[A-Z])\b)+", re.IGNORECASE)
#: Where somebody is from, or what he is called, behind "a man", "my friend".
_OF_WHOM = re.compile(r" (?:from|called|named) [A-Z][\w’'-]*(?: [A-Z][\w’'-]*)*")
#: What few texts are asked for, as what follows is, is compiled when it is, and kept by `re`.
_MOVED = r"(?:moved?|moving|shifted|switched|changed|postponed?|extended|pushed|delayed|rescheduled|bumped|brought|put)"
_IT_IS = (
    r"\bit(?:(?:'s| is) (?:on |at )?(?:the )?(?:\d[\w:.]{0,9}|\w{0,9}day)(?: \w+)? now"
    r"|(?:'ll| will) be (?:on |at )?(?:the \d|\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day))\b"
)
#: That something is at another time now: "moved to Friday", "pushed it back to the 2nd", "brought forward to 9 May".
_OTHER_TIME = (
    rf"\b{_MOVED}\b(?: [\w'’-]+){{0,4}}? (?:to|till|until|for) (?:the |next |this )?"
    r"(?:\d|\w{0,9}day\b|tomorrow|week|month|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b)"
    r"|\bchanges? of plans?\b"
    r"|\b(?:(?:on|at) (?:the )?(?:\d[\w:.]{0,9}|\w{0,9}day)(?: (?:morning|afternoon|evening|night))?"
    r"|\d{1,2}(?:st|nd|rd|th)? [A-Za-z]{3,9}) now\b"
    r"|\b(?:slips|slipped|delayed|postponed|pushed|moved|bumped|put)(?: [\w'’-]+){0,4}? (?:by )?(?:a|an|one|two|\d+) "
    r"(?:day|week|month)s?\b(?! (?:ago|before|later|earlier))"
    r"|\b(?:\w{0,9}days?|\d[\w:.]{0,9}) instead\b"
    r"|\b(?:\d[\w:.]{0,9}|\w{0,9}days?)(?: \w+)? (?:rather than|instead of)\b"
    rf"|{_IT_IS}"
)
#: That what was spoken of before is at another time now: "they've pushed it to half four".
_IT = rf"\b{_MOVED} (?:it|this|that|him|her|them|us|me|things)(?: \w+){{0,2}}? (?:to|till|until|for)\b|{_IT_IS}"
#: That what was just said was wrong.
_CORRECTED = (
    r"^\*\w[^*]*$|\bsorry\b(?! (?:for|about|to|i|if|that|your?)\b)|\bi mean(?:t)?\b|\btypo\b|\bcorrection\b|\bmisread\b"
    r"|\bscratch that\b|\bno,? wait\b|\bmake (?:that\b|it (?:\d|noon\b|half\b|(?:the )?\w*day\b))"
    r"|\bmy mistake\b|\bautocorrect\b"
)
_OTHER = r"(?:(?:the|my|our|a|an) )?(?P<{}>[\w.+#'’&/-]+(?: [A-Z\d][\w.+#'’&/-]*){{0,3}})"
#: One thing in the place of another: what was, and what is.
_REPLACED = tuple(
    form.replace("OLD", _OTHER.format("old")).replace("NEW", _OTHER.format("new"))
    for form in (
        r"(?i:\b(?:switch|chang|mov|migrat|swap|convert|upgrad)\w*\b(?: \w+){0,4}? from) OLD (?i:(?:over )?to) NEW",
        r"(?i:\breplac\w+) OLD (?i:with|by) NEW",
        r"(?i:\b(?:swap|exchang|trad)\w+) OLD (?i:for) NEW",
        r"NEW (?i:instead of|rather than) OLD",
    )
)
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days"
_RECURRING = re.compile(
    rf"\b(?:(?:on )?{_DAYS}(?:(?:, | and |, and | & |/|\+){_DAYS})*"
    r"|(?:every|each) (?:(?:other|second|third|single|first|last) )?(?:day|night|morning|afternoon|evening|"
    r"week(?:day|end)?|month|year|spring|summer|autumn|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?"
    r"(?: (?:morning|afternoon|evening|night))?)\b",
    re.IGNORECASE,
)
#: A day that comes again each year, and not what is held on one.
_YEARLY = r"\b(?:birthday|anniversary|name ?day)\b(?!['’]?s? (?!again\b|now\b|actually\b|this\b|next\b)\w)"
#: What a question asks for, and what such a thing looks like.
_IDENTIFIERS = tuple(
    (re.compile(asked), re.compile(value))
    for asked, value in (
        (r"\b(?:phone|telephone|mobile|cell) ?(?:number)?\b|\b(?:call|text|ring) (?:me|him|her|them) on\b",
         r"\+?\d(?:[ ()./–-]{0,3}\d){6,14}"),
        (r"\be-?mail(?: address)?\b", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
        (r"\b(?:pin|password|passcode|door code|code|plate|booking reference|reference|postcode|zip code)\b",
         r"\b(?=[\w-]*\d)[A-Za-z\d][\w-]{2,}\b"),
        (r"\b(?:command|one-liner|snippet)\b", r"`[^`\n]+`|(?<=: )(?=\S+ \S)(?:(?!: )[^\n`])+$"),
    )
)  # fmt: skip
#: What stands in whatever tells it: five digits, an @.
_TOLD_BY = tuple(
    (re.compile(rf"^(?:what|which)\b.*\b{asked}\b"), re.compile(value))
    for asked, value in (
        (r"(?:phone|telephone|mobile|cell) ?number", r"\d(?:\D{0,2}\d){4}"),
        (r"e-?mail address", "@"),
    )
)
#: Where somebody is for long, and a text that says no more than where its speaker is just now: "I'm in the bath".
_FOR_LONG = re.compile(r"^where\b.*\b(?:live|living|lives|work|working|works|based|employed)\b")
_JUST_NOW = re.compile(
    r"(?!.*\b(?:these days|nowadays|for good|full[- ]time|since|job|work\w*|liv(?:e|ing)|moved)\b)"
    r"\W*(?:(?:still|just|now|sorry)\W+)*(?i:i['’]?m|i am)(?: (?:still|just|now|already|back))?"
    r" (?:in|at|on) (?:the|an?|my)\b[^A-Z\d]*"
)
#: Who asks for this is told a number.
_NUMBERED = re.compile(r"^what(?:'s|’s| is| was) (?:\S+ ){1,4}(?:number|digits)\b(?! (?:plate|one)\b)")
_COINS = r"(?:quid|pounds?|dollars?|bucks?|euros?|cents?|pence|p)\b"
_MONEY = rf"[$€£]\s?\d|\d\s?[$€£]|\d ?{_COINS}"
#: What a question asks for, and what does not answer it.
_OTHERS = tuple(
    (re.compile(asked), re.compile(other))
    for asked, other in (
        (r"\b(?:called|named|names?)\b", r"^(?:an?|my|his|her|our|their|your|its|this|that|some) "),
        (rf"\bhow many (?!{_COINS})", rf"{_MONEY}|\d\s?%|\d[:.]\d\d\b"),
        (r"\bhow many (?!.*\b(?:an?|per|every|each)\b)", r"\d (?:an?|per) [a-z]+\b"),
        (r"\b(?:how much|costs?|price|charged?|paid|pay|rent|fees?)\b", r"^\W*(?:\+|0)\d(?:[\s/-]?\d){7,}"),
        (r"\bhow (?:old|tall|far|long|heavy|deep|wide|high|big|fast)\b", _MONEY),
        (r"\bpercent", r"^(?!.*(?:\d|%|percent|per cent))"),
        (r"\bwhat (?:has )?happened\b", r"^(?:the|an?|my|his|her|our|their|your) \w+$"),
    )
)


def number(text: str) -> str:
    """The first number of a text, as it is written; empty where there is none."""
    match = _NUMBER.search(text)
    return match[0] if match else ""


def untied(text: str) -> str:
    """Words without what only tied them to their sentence."""
    return _TIE.sub("", text.removesuffix("'s").strip(" \"“”'"))


def is_oneself(text: str) -> bool:
    """Whether the words are the speaker: "I", "my"."""
    return text.lower().replace("’", "'") in _SELVES


def is_such(question: str, value: str) -> bool:
    """Whether a value may be what a question asks for: no price is a number of things, no "a whippet" a name."""
    low = question.lower()
    if (_NUMBERED.search(low) and not number(value)) or not may_tell(question, value) or not in_kind(low, value):
        return False
    return not any(asked.search(low) and other.search(value) for asked, other in _OTHERS)


def may_tell(question: str, text: str) -> bool:
    """Whether a text may tell what a question asks for: a phone number has digits, and nobody lives in the bath."""
    low = question.lower()
    if _FOR_LONG.search(low) and _JUST_NOW.fullmatch(text):
        return False
    return all(value.search(text) for asked, value in _TOLD_BY if asked.search(low))


def is_worked_out(text: str) -> bool:
    """Whether a text asks for a sum, a difference or a mean, or tells one."""
    return bool(_WORKED_OUT.search(text))


def label_before(text: str, start: int) -> int:
    """Where the label of the number begins that stands at `start`; `start` where it has none."""
    label = _LABEL.search(text[:start])
    return label.start() if label else start


def labelled_after(text: str, end: int) -> str:
    """What goes on with labels: ", row C" behind "level 4"."""
    more = _LABELLED.match(text, end)
    return more[0] if more else ""


def named_after(text: str, end: int) -> str:
    """What tells somebody without a name apart: " from Bremen", " called Ida"."""
    more = _OF_WHOM.match(text, end)
    return more[0] if more else ""


def listed_after(text: str, end: int) -> str:
    """What goes on with a list: ", Piotr and Leszek"."""
    more = _COORDINATED.match(text, end)
    return more[0] if more else ""


def is_vague(time: str) -> bool:
    """Whether a time expression dates hardly anything: it is said of everything that is told."""
    return time.lower() in ("today", "recently")


def corrects(text: str) -> bool:
    """Whether a text says that what was just said was wrong: "sorry, 430", "I meant Tuesday"."""
    return bool(re.search(_CORRECTED, text.strip(), re.IGNORECASE))


def replaced(text: str) -> list[tuple[str, str]]:
    """What a text says has taken the place of what: (what was, what is)."""
    found = (match for form in _REPLACED for match in re.finditer(form, text))
    return [(match["old"].rstrip("."), match["new"].rstrip(".")) for match in found]


def is_moved(text: str) -> bool:
    """Whether a text says that something is at another time now than it was to be."""
    return bool(re.search(_OTHER_TIME, text, re.IGNORECASE))


def is_of_what_was_said(text: str) -> bool:
    """Whether a text says of what was spoken of before that it is at another time now: "they've pushed it to ten"."""
    return bool(re.search(_IT, text, re.IGNORECASE))


def recurring(text: str) -> list[tuple[int, int]]:
    """Where a text says that something happens again and again: "every Tuesday", "on tuesdays and thursdays"."""
    return [match.span() for match in _RECURRING.finditer(text)]


def comes_yearly(question: str) -> bool:
    """Whether a question asks for a day that comes again each year: "when is her birthday?", but not the party."""
    return bool(re.search(_YEARLY, question.lower()))


def identifier(question: str) -> re.Pattern[str] | None:
    """What the answer to a question looks like that asks for a phone number, an address or a code."""
    low = question.lower()
    return next((value for asked, value in _IDENTIFIERS if asked.search(low)), None)
