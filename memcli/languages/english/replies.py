"""Questions told with names, and answers that are only whole together with them.

"Where did you go?" and "To Rome with Tom." are "Ana went to Rome with Tom" together. Rules over words: what they do
not know how to put in is left to an attribution that quotes the question.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from .tenses import past_form
from .verbs import agreeing
from .words import listed

__all__ = ["completed", "is_fragment", "retold_question"]

_INVERTED = {"are": "is", "were": "was", "do": "does", "have": "has", "aren't": "isn't", "weren't": "wasn't",
             "don't": "doesn't", "haven't": "hasn't"}  # fmt: skip
_AUXILIARY = (
    r"(?P<aux>did|do|does|are|is|was|were|have|has|had|will|would|can|could|should|didn't|don't|doesn't|aren't|isn't|"
    r"wasn't|weren't|haven't|hasn't|won't|can't|couldn't)"
)
_YOU = re.compile(
    r"\b(?:(?P<aux>are|were|do|have|aren't|weren't|don't|haven't) you|(?P<short>you're|you've|you'd|you'll)|"
    r"(?P<word>yourself|yours|your|you|y'all|my|mine|me|I'm|I've|I))\b(?!')",
    re.IGNORECASE,
)
_GUYS = re.compile(r"\byou (?:guys|all)\b", re.IGNORECASE)
_SHORT = {"you're": "is", "you've": "has", "you'd": "would", "you'll": "will", "i'm": "is", "i've": "has"}
_YES = re.compile(
    r"^(?:oh |well,? |haha,? )?(?:yes|yeah|yep|yup|sure|definitely|absolutely|of course|totally|certainly|indeed|"
    r"for sure|i did|i do|i am|i have|i will)\b[\s,.!:;–—-]*",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^(?:oh |well,? |haha,? )?(?:no|nope|nah|not yet|not really|never|unfortunately not|i didn't|i don't|"
    r"i haven't)\b[\s,.!:;–—-]*",
    re.IGNORECASE,
)
_SAME_SUBJECT = re.compile(
    r"^(?:I|we)(?: \w+)? (?:did|do|am|are|have|was|were|will|can|didn't|don't|haven't)[.!, ]*$", re.IGNORECASE
)
_LEADING = re.compile(r"^(?:(?:and|so|but|oh|wow|well|hey|by the way)[, ]+)+", re.IGNORECASE)
_NAMED_LEADING = re.compile(r"^[A-Z]\w+, ")
_ADVERBIAL = re.compile(
    r"^(?:in|on|at|by|for|since|with|to|from|during|after|before|last|this|next|yesterday|today|about|around|because|"
    r"near|through|every|once|twice|the (?:day|week|month) |\d|a (?:few|couple)|two|three|four|five|six)\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:am|is|are|was|were|be|been|have|has|had|do|does|did|will|would|can|could|should|may|might|must|"
    r"\w+n't|\w+ed|"
    r"went|got|made|took|came|saw|gave|found|met|felt|kept|left|lost|bought|brought|said|told|'s|'re|'m|'ve|'ll|love|"
    r"like|want|need|think|know|feel|enjoy|hope|plan|try|go|get|make|take|see|help|keep|work|play|use|gives?|makes?|"
    r"helps?|keeps?|loves?|likes?|means?|feels?|seems?|looks?|brings?|takes?|wants?|needs?|lets?|let|check|look)\b|"
    r"\w'(?:s|re|m|ve|ll|d)\b"
)
_SUBJECT = re.compile(r"\b(?:I|we|they|he|she|it|you)\s+\w", re.IGNORECASE)
_POLAR = re.compile(rf"^{_AUXILIARY}\s+you\s+(?P<rest>.+)$", re.IGNORECASE)
_ASKED = re.compile(
    r"^(?P<wh>(?:what|which|whose|how)(?: (?:kind|kinds|type|types|sort|sorts|genre|genres) of)?(?: (?!did|do|"
    r"does|are|"
    r"is|was|were|have|has|will|would|can|could|should)[\w'-]+){0,3}|what|who|where|when|why|who with|with whom)\s+"
    rf"{_AUXILIARY}\s+you\s+(?P<rest>.+)$",
    re.IGNORECASE,
)
_EQUATED = re.compile(
    r"^(?:what|who|which|where|when)(?:'s| is| are| was| were)\s+(?P<what>your [\w' -]{2,60})$", re.IGNORECASE
)
_PAST_EQUATED = re.compile(r"^\w+ (?:was|were)\b", re.IGNORECASE)
_PLURAL_EQUATED = re.compile(r"^\w+ (?:are|were)\b", re.IGNORECASE)
_EXCLAMATION = re.compile(
    r"^(?:thanks|thank you|yes|yeah|yep|yup|no|nope|nah|wow|hey|hi|hello|oh|sure|well|great|ok|okay|definitely|"
    r"absolutely|"
    r"totally|of course|haha|aww?|good question|sorry|congrats|awesome|cool|nice|good|sounds|so|and)\b",
    re.IGNORECASE,
)
_PERSON = re.compile(r"\b(?:yourself|yours|your|you|my|mine|me|I)\b")
#: "Yes" says little to a choice, a request or an offer.
_OPEN_CHOICE = re.compile(r"\bor\b|^(?:would|could|can|will|won't|can't|couldn't)\b|\bmind\b", re.IGNORECASE)
_CUT = re.compile(r"[,.;:!?]")
_FRAGMENT_MOST = 16


def retold_question(question: str, asker: str, asked: str) -> str:
    """What `asker` asked `asked`, with names for "you" and "I": "Where did you go?" is "Where did Ana go?"."""
    said = _GUYS.sub("you", question.replace("’", "'"))
    return _YOU.sub(lambda match: _named(match, asker, asked), said)


def _named(match: re.Match[str], asker: str, asked: str) -> str:
    if match["aux"]:
        form = _INVERTED[match["aux"].lower()]
        return f"{form.capitalize() if match['aux'][0].isupper() else form} {asked}"
    if match["short"]:
        return f"{asked} {_SHORT[match['short'].lower()]}"
    low = match["word"].lower()
    if low in ("i'm", "i've"):
        return f"{asker} {_SHORT[low]}"
    who = asker if low in ("i", "me", "my", "mine") else asked
    return f"{who}'s" if low in ("my", "mine", "your", "yours") else who


def is_fragment(answer: str) -> bool:
    """Whether an answer has no subject or verb of its own: "To Rome with Tom.", "A blue one!"."""
    short = len(answer.split()) <= _FRAGMENT_MOST
    return short and not _VERB.search(answer) and not _SUBJECT.search(answer)


@lru_cache(maxsize=1024)
def _bare(question: str) -> str:
    """The last question of a sentence, without address, lead and mark."""
    text = _NAMED_LEADING.sub("", _LEADING.sub("", " ".join(question.replace("’", "'").split())))
    return text.rstrip(" ?!.")


def completed(question: str, answer: str, me: str, asker: str, plain: Callable[[str], str] = str) -> str | None:
    """What `me` says who answers `asker` elliptically, as one statement of them by name; None if not elliptic.

    `plain` puts names and dates into words of the answer.
    """
    bare = _bare(question)
    if (match := _POLAR.match(bare)) and not _CUT.search(bare) and not _OPEN_CHOICE.search(bare):
        return _polar(match, answer, me, asker, plain)
    fragment = answer.strip().rstrip(" .!")
    if not fragment or _EXCLAMATION.match(fragment) or "?" in answer or not is_fragment(fragment):
        return None
    if match := _EQUATED.match(bare):
        return _equated(bare, match["what"], plain(fragment), me)
    match = _ASKED.match(bare)
    return _open(match, plain(fragment), me, asker) if match and not _CUT.search(bare) else None


def _polar(match: re.Match[str], answer: str, me: str, asker: str, plain: Callable[[str], str]) -> str | None:
    agrees = _YES if _YES.match(answer) else _NO
    if not agrees.match(answer):
        return None
    rest = answer
    while rest and ((echo := agrees.match(rest)) or _SAME_SUBJECT.match(rest)):
        rest = rest[echo.end() :].strip() if echo else ""
    aux = match["aux"].lower()
    stated = _statement(aux, _own(match["rest"], me, asker), me, denied=agrees is _NO)
    if not rest:
        return stated
    short = is_fragment(rest) and _ADVERBIAL.match(rest) and agrees is _YES
    return plain(f"{stated} {rest[:1].lower()}{rest[1:]}".rstrip(" .!")) if short else None


def _statement(aux: str, rest: str, me: str, *, denied: bool = False) -> str:
    """ "did" and "go home" as a statement of `me`."""
    rest = rest.removeprefix("ever ").removeprefix("usually ")
    positive = aux.removesuffix("n't")
    positive = {"wo": "will", "ca": "can"}.get(positive, positive)
    form = _INVERTED.get(positive, positive)
    if denied:
        return f"{me} {form} not {rest}"
    if positive not in ("did", "do", "does"):
        return f"{me} {form} {rest}"
    verb, _, tail = rest.partition(" ")
    finite = past_form(verb.lower()) if positive == "did" else agreeing(verb.lower())
    return f"{me} {finite} {tail}".rstrip()


def _own(text: str, me: str, asker: str) -> str:
    """The words of `asker` to `me`, as told of `me`."""
    return _PERSON.sub(lambda m: _other_person(m[0].lower(), me, asker), text)


def _other_person(low: str, me: str, asker: str) -> str:
    if low in ("your", "yourself", "yours"):
        return {"your": "their", "yourself": "themselves", "yours": "theirs"}[low]
    who = me if low == "you" else asker
    return f"{who}'s" if low in ("my", "mine") else who


def _equated(bare: str, what: str, fragment: str, me: str) -> str:
    past, plural = _PAST_EQUATED.match(bare), _PLURAL_EQUATED.match(bare)
    verb = ("were" if past else "are") if plural else ("was" if past else "is")
    return f"{re.sub(r'^your', f'{me}' + chr(39) + 's', what)} {verb} {fragment}"


def _open(match: re.Match[str], fragment: str, me: str, asker: str) -> str:
    stated = _statement(match["aux"].lower(), _own(match["rest"], me, asker), me)
    wh = match["wh"].lower()
    lowered = fragment if _is_name(fragment) else fragment[:1].lower() + fragment[1:]
    if wh.startswith(("what", "which", "who", "whose")) and stated.endswith((" do", " did", " does")):
        return f"{stated}: {lowered}"
    if wh == "why" and not lowered.startswith(("because", "to ", "for ")):
        return f"{stated} because of {lowered}"
    noun = wh.split(" of ", 1)[-1] if " of " in wh else " ".join(wh.split()[1:])
    return (
        f"{stated} {lowered}"
        if wh in ("where", "when", "why", "what", "who") or not noun
        else (f"{stated} {lowered} ({noun})")
    )


def _is_name(fragment: str) -> bool:
    first = fragment.split(maxsplit=1)[0]
    return first[:1].isupper() and first.lower() not in _LOWERED


_LOWERED = frozenset(listed("replies", "lowered"))
