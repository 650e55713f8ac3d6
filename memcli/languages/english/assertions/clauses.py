"""Sentences into clauses with a subject each, and what is known of them: asked, conditional, told of a relative."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...data import filled, table
from ..contractions import MATCHING, written_out
from ..elision import clause as whole_clause
from ..grounding import CALENDAR
from ..tenses import base_form
from ..verbs import is_adverb

__all__ = ["Clause", "clauses", "expanded", "spoken_of"]

_PEOPLE = table(__package__, "people")
_KIN, _FRIENDS, _PETS = (filled(_PEOPLE[name], {}) for name in ("kin", "friends", "pets"))
_VERBS = (
    r"prefer|avoid|dislike|hate|love|like|enjoy|despise|refuse|use|find|tend|stick|stay|steer|need|want|consume|eat|"
    r"buy|only|never|strongly|exclusively|try to avoid|am|adore|opt|favou?r|cannot|do not|will not|(?<!or )have (?:a|"
    r"an|no)\b|must"
)
_SUBJECT = r"(?:I|we|my|our|it|they|he|she|there|the others?|some of)\b"
_SPLIT = re.compile(
    rf"(?P<reason>[,\s]+(?:since|because|given that|as)\s+)(?={_SUBJECT})|"
    rf";\s*|:\s+(?={_SUBJECT})|\s[-–—]+\s+|[.!]\s+|"
    rf",?\s+(?:and|but|so|although|though|while|whereas|or|plus|yet|which is why)\s+"
    rf"(?=(?:then |now |also |usually |currently |sometimes )?{_SUBJECT})|"
    r",\s+(?=(?:usually,? |also,? |but )?(?:I|we|my|our)\s)|"
    r",\s+(?=(?:he|she|they)(?:'s|\s+(?:is|are|has|hates?|loves?|likes?|cannot|can not|does not|do not|will not))\s)|"
    rf",?\s+(?P<time>whenever|when|after|before)\s+(?={_SUBJECT})|"
    rf",?\s+(?P<joined>and|but|or)\s+(?=(?:\w+ly |always |also |usually |then )?(?:{_VERBS})\b)|"
    r",\s+(?=(?-i:[A-Z][\w-]+)\s+(?:hates?|loves?|likes?|cannot|can not|does not|do not|will not)\s)|"
    r",\s+(?=(?:do|does|can|could|should|would|what|which|how|is|are|any|have)\b)",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"^(?:and |so |but |also |or |anyway |well |then |by the way )*(?:do|does|did|can|could|would|will|should|is|are|"
    r"was|were|have|"
    r"has|what|which|who|whose|where|when|why|how|any|may|shall|am)\b",
    re.IGNORECASE,
)
_WONDERING = re.compile(r"\b(?:wondering|not sure|do you|can you|could you)\b", re.IGNORECASE)
_REASON = re.compile(
    r"^(?:since|because|as|given(?: that)?|considering)\s+(?=(?:I|we|my|our|someone|a)\b)", re.IGNORECASE
)
_CONDITION = re.compile(
    r"\bin case (?:I|we)\b|\b(?:if|unless|imagine|suppose|pretend|wish|assuming)\s+(?:that )?(?:I|we|my)\b|^(?:if|"
    r"unless)\b",
    re.I,
)
_SOMEONE = re.compile(
    r"^(?:as |being )?(?:someone|somebody|a person|the type|the kind of person|one)\s+who\s+", re.IGNORECASE
)
_OF_KIN = re.compile(
    rf"^(?:(?:and|but|so|also|plus) )?(?:my|our) (?:\w+ ){{0,2}}?(?P<kin>{_KIN}|{_FRIENDS}|{_PETS})"
    r"(?:,? (?-i:(?P<name>[A-Z][\w-]+)),?)?\s+(?=[a-z])",
    re.IGNORECASE,
)
#: What is told of somebody by name, or of whom the sentence before told: what limits them, and what they like.
_TELLING = (
    r"(?:is|are|was|were|has (?:gone|turned|been)|goes|went|turned)\s+(?:\w+\s+){0,2}?(?:vegan|vegetarian|veggie|"
    r"pescatarian|coeliac|celiac|allergic|intolerant|diabetic|lactose|gluten)\b"
    r"|(?:is|are) not (?:allowed|supposed)\b|has (?:an? )?(?:[\w-]+ ){1,3}(?:allergy|intolerance)\b"
    r"|(?:gets?|comes? out in|breaks? out in) (?:\w+ )?(?:hives|rash|spots|blotches|itchy)\b|swells? up\b"
    r"|reacts?(?: badly)? to\b|keeps? (?:kosher|halal)\b"
    r"|(?:really |absolutely |only )?(?:hates?|loves?|likes?|adores?|dislikes?|prefers?|avoids?|never eats?)\b"
    r"|(?:cannot|can not|does not|do not|will not)\s+(?:eat|have|drink|stand|tolerate|like|do|touch)\b"
)
_CALLED = r"mum(?:my)?|mom(?:my)?|dad(?:dy)?|gran(?:ny|dma|dpa|dad)?|nan(?:a)?|grandma|grandpa"
_TITLE = r"(?i:uncle|aunt(?:ie|y)?|nana?|gran(?:ny|dma|dpa)?|mrs?|ms|dr)\.? "
_OF_NAMED = re.compile(
    r"^(?:(?:and|but|so|also|plus|btw|oh|please remember|remember|note|fyi) )?(?P<who>"
    rf"(?-i:(?:{_TITLE})?[A-Z][\w-]+)|{_CALLED}|he|she|they)\s+(?={_TELLING})",
    re.IGNORECASE,
)
#: "Anselm who is a coeliac" tells of Anselm; "no egg for Jesse" what "no egg for me" tells of oneself.
_WHO_IS = re.compile(r"\b(?P<who>[A-Z][\w-]+),? who(?:'s| is| has| cannot| does not| will not) [^,;]+")
_FOR_NAMED = re.compile(
    r"^(?P<what>.*\b(?:no|nothing|without|out|off|free|poison)\b.*?) for "
    rf"(?P<who>(?-i:(?:{_TITLE})?[A-Z][\w-]+)|(?:my |our )?(?:{_KIN}|{_CALLED}))\b(?P<rest>.*)$",
    re.IGNORECASE,
)
_HAS = re.compile(r"'s(?= (?:gone|been|turned|become)\b)")
_HIM_OR_HER = frozenset(("he", "she", "they"))
_BEGINNING = re.compile(
    r"^(?:(?:and|but|so|also|oh),? )?(?P<who>[A-Z][\w-]+)(?='s | (?:is|was|has|will|can|came|went)\b)"
)
#: Capitals that begin a sentence and are nobody's name.
_NOBODY = frozenset(
    "i it this that these those there who what everyone everybody nobody someone somebody anyone one we you most some "
    "people kids not all both none".split()
)
_FOR = re.compile(
    rf"\b(?:my |our |the )?(?P<kin>{_KIN}|{_FRIENDS}|{_CALLED})\b|(?<=[a-z,] )(?P<name>(?-i:[A-Z])[\w-]+)",
    re.IGNORECASE,
)
# After an infinitive these go on with it: "to create folders and use tags".
_LOOSE = re.compile(
    r"(?:\w+ly |always |also |usually |then )?(?:use|buy|eat|consume|need|want|find|stay|have|enjoy|"
    r"like|love)\b",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\b(?:I|we)\b(?!.*[, ](?:they|he|she)\b)", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“]([^\"“”]{0,400})[\"”]")
_OWN_WORDS = re.compile(r"\b(?:I|my|me)\b")


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause told in the first person. `of`: the relative, friend or pet whose "I" it is; empty: the speaker.

    `told`: the clause before its subject became "I". `last`: whom it is that "she" means after it; empty: nobody.
    """

    text: str
    told: str
    asked: bool = False
    conditional: bool = False
    of: str = ""
    last: str = ""


def expanded(text: str) -> str:
    """`text` with straight apostrophes and single spaces, the contractions of "I" and "not" written out."""
    text = " ".join(text.replace("’", "'").replace("—", " - ").split())
    if "'" in text or "gonna" in text or "wanna" in text or "gotta" in text or "dont" in text or "Im " in text:
        return written_out(text, MATCHING)
    return text


def spoken_of(text: str) -> list[str]:
    """Whom a text names who may be told of: people by name, and relatives and friends as "sister" or "mum"."""
    return list(dict.fromkeys(match["name"] or match["kin"].lower() for match in _FOR.finditer(text)))


def _last_named(part: str) -> str:
    """Who is named last in a clause, as "she" of the next one: "ask mum, she hates olives"."""
    first = _BEGINNING.match(part)
    own = [first["who"]] if first and first["who"].lower() not in _NOBODY else []
    return next(iter([*spoken_of(part)[::-1], *own]), "")


def clauses(sentence: str, others: Sequence[str], told_of: str = "") -> Iterator[Clause]:
    """The clauses of a sentence in order. Quoted speech is left out; titles in quotation marks stay.

    `told_of`: who is "he" or "she" by the sentence before.
    """
    question = sentence.rstrip(" \"'”)").endswith("?")
    bare = sentence.strip()
    if len(bare) > 1 and bare[0] in '"“' and bare[-1] in '"”':
        bare = bare[1:-1].strip()
    bare = _QUOTED.sub(lambda m: " " if _OWN_WORDS.search(m[1]) else m[0], bare)
    whole = expanded(bare if question else whole_clause(bare, tuple(others)))
    asked = conditional = False
    subject, of, previous = "I", "", ""
    for part, reason, joined, timed in _parts(whole):
        if question and not reason and (_QUESTION.match(part) or _WONDERING.search(part)):
            asked = True
        if reason:
            asked = False
        conditional = timed or bool(_CONDITION.search(part)) or (conditional and " would " in part)
        if joined and subject and not (_LOOSE.match(part) and " to " in previous):
            text = told = f"{subject} {part}"
        else:
            told = part
            text, of = _in_first_person(part, told_of)
            subject = "I" if of or _FIRST.search(text) else ""
        told_of = of or _last_named(part) or told_of
        previous = part
        yield Clause(text, told, asked, conditional, of, told_of)


def _parts(text: str) -> Iterator[tuple[str, bool, bool, bool]]:
    """Each part with whether it gives a reason and whether it shares the subject of the part before."""
    start, reason, joined, timed = 0, False, False, False
    for match in _SPLIT.finditer(text):
        yield from _part(text[start : match.start()], reason, joined, timed)
        start, reason, joined, timed = match.end(), bool(match["reason"]), bool(match["joined"]), bool(match["time"])
    yield from _part(text[start:], reason, joined, timed)


def _part(part: str, reason: bool, joined: bool, timed: bool) -> Iterator[tuple[str, bool, bool, bool]]:
    part = part.strip(" ,")
    bare = _REASON.sub("", part)
    if bare:
        yield bare if not bare.lower().startswith("a ") else part, reason or bare != part, joined, timed


def _in_first_person(part: str, told_of: str) -> tuple[str, str]:
    """A clause with "I" for its subject, and whose it is: "my sister Eva loves tea" is "I love tea", of Eva. `told_of`:
    whom "she" means.
    """
    someone = _SOMEONE.match(part)
    if someone:
        return f"I {_based(part[someone.end() :])}", ""
    own = _HAS.sub(" has", part, count=1).replace("'s ", " is ", 1)
    kin = _OF_KIN.match(part) or _of_kin(own)
    part = part if _OF_KIN.match(part) else own if kin else part
    if kin and not part[kin.end() :].lower().startswith(("and ", "or ")):
        return f"I {_based(part[kin.end() :])}", kin["name"] or kin["kin"].lower()
    return _of_named(own, told_of) or _who_is(part, told_of) or _for_named(part) or (part, "")


def _of_kin(part: str) -> re.Match[str] | None:
    """My son is allergic …, written "my son's"."""
    kin = _OF_KIN.match(part)
    return kin if kin and re.match(_TELLING, part[kin.end() :]) else None


def _who_is(part: str, told_of: str) -> tuple[str, str] | None:
    named = _WHO_IS.search(part)
    return named and _of_named(re.sub(r",? who(?:'s)? ", lambda m: " is " if "'" in m[0] else " ", named[0]), told_of)


def _of_named(part: str, told_of: str) -> tuple[str, str] | None:
    named = _OF_NAMED.match(part)
    if named is None or named["who"].lower() in _NOBODY:
        return None
    who = told_of if named["who"].lower() in _HIM_OR_HER else re.sub(rf"^{_TITLE}", "", named["who"])
    of = who.lower() if re.fullmatch(_CALLED, who, re.IGNORECASE) else who
    return (f"I {_based(part[named.end() :])}", of) if of else None


def _for_named(part: str) -> tuple[str, str] | None:
    named = _FOR_NAMED.match(part)
    if named is None or named["who"].lower() in _NOBODY | CALENDAR or _FIRST.search(part):
        return None
    who = re.sub(r"^(?:my|our) ", "", named["who"], flags=re.IGNORECASE)
    is_called = re.fullmatch(rf"{_KIN}|{_CALLED}", who, re.IGNORECASE)
    return f"{named['what']} for me{named['rest']}", who.lower() if is_called else who


def _based(predicate: str) -> str:
    """A predicate in the third person in the form that goes with "I"."""
    words = predicate.split(" ")
    for index, word in enumerate(words[:4]):
        low = word.lower()
        if is_adverb(low):
            continue
        words[index] = {"is": "am", "are": "am", "has": "have", "does": "do"}.get(low) or (
            base_form(low) if low.endswith("s") else word
        )
        break
    return " ".join(words)
