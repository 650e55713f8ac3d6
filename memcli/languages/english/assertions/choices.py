"""Choices between what was offered, read as preferences: "I'd rather go with the second one, it has no long hikes"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ....model.relations import RelationType as R
from .options import matching, options
from .rules import Asserted
from .tails import is_telling, tail_of

__all__ = ["choices"]

_WILLING = (
    r"(?:(?:will|would|think|I|am|going to|probably|definitely|have|decided to|like to|prefer to|rather|want to|just|"
    r"really|still|actually|also|we|"
    r"might|could|guess|believe|say|to|always|personally) ){0,7}"
)
_PICK = re.compile(
    rf"\b(?:I|we|let's|let us) {_WILLING}(?:(?:go(?:ing)? with|go for|choose|pick|stick(?:ing)? with|opt for|select|"
    rf"lean(?:ing)? towards?|vote for|settle on)|"
    r"(?<=will )(?:take|have|start with)|(?<=rather )(?:take|have|do|get|try))\s+"
    r"(?P<tail>(?!it\b|them\b|care\b|(?:\w+ ){0,2}(?:days?|weeks?|mornings?|afternoons?|evenings?|time) off\b)\S.*)",
    re.IGNORECASE,
)
_SUITS = re.compile(
    r"^(?:(?:yes|yeah|hmm|oh|well|personally|honestly|thanks|great),? )*(?:(?:I|we) (?:\w+ )?(?:think|believe|feel|"
    r"guess|like)(?: that)? )?(?P<tail>(?!it\b|that (?:sounds|would|looks|seems|is|all)|this\b|those\b|these\b|they\b|"
    r"I\b)\S[^;?]{0,120}?)"
    r" (?P<cue>(?:sounds?|looks?|seems?)(?: like)? (?:\w+ly |so |much |a )*(?:good|better|best|great|perfect|ideal|"
    r"nice|lovely|fantastic|wonderful|"
    r"appealing|intriguing|interesting|fun|right|the best|the most|more|my|delightful|amazing|the perfect|the ideal|"
    r"an? (?:great|good|better|perfect))\b|(?:would|could|will|might) (?:definitely |probably |really )?(?:be|work|"
    r"suit) "
    r"(?:[\w,]+ ){0,4}?(?:best|perfect|ideal|great|better|good|right|fit|choice|option|me|idea)\b|(?:is|"
    r"are) (?:\w+ ){0,4}?(?:best|better|perfect|ideal|the way to go|my (?:choice|pick)|"
    r"more (?:my|appealing)|right up my|what I)\b|(?:appeals?|suits?|fits?|works?|speaks?) (?:to |for |better |"
    r"most )*(?:me|my|best|better|us))",
    re.IGNORECASE,
)
_OTHER_CLAUSE = re.compile(r"\b(?:is|are|was|were|I|we|since|if|when|because|you|your)\b", re.IGNORECASE)
_WELCOME = re.compile(r"\b(?:choice|option|me|best|idea|my)\b", re.IGNORECASE)
_BARE = re.compile(
    r"^(?P<tail>(?:the |option |number )?(?:\w+ )?(?:one|option|choice)?(?: \w)?),? please\b|"
    r"^(?P<first>(?:the )?(?:first|second|third|fourth|last|former|latter)(?: one| option)?)$",
    re.IGNORECASE,
)
_TAKEN = re.compile(
    r"\b(?:I|we) will (?:\w+ly )?(?P<tail>(?:check|try|visit|book|join|attend|explore|watch|do|use|"
    r"order|get|buy)\b.*)",
    re.I,
)
_ORDINALS = {
    "first": 0, "former": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5, "last": -1,
    "latter": -1, "final": -1,
}  # fmt: skip
_NUMBERED = re.compile(
    r"\b(?:option|number|choice|suggestion|#)\s?#?(?P<mark>\d{1,2}|[A-F]|one|two|three|four|five)\b", re.IGNORECASE
)
_ORDINAL = re.compile(
    rf"\b(?:the )?(?P<word>{'|'.join(_ORDINALS)})(?: (?:one|option|choice|suggestion|idea|two)\b|$|,| sounds| seems|"
    rf", please| is | would)",
    re.IGNORECASE,
)
_WORDS = {"one": 0, "two": 1, "three": 2, "four": 3, "five": 4}
_REST = re.compile(
    r"\b(?P<tail>(?:the |all |all the |any of the )?(?:others?|rest|remaining(?: \w+)?|(?:other |"
    r"remaining )(?:[\w-]+ ){0,2}?(?:options?|choices?|ones|suggestions|alternatives|"
    r"locations|destinations|places|cities|hotels|models|brands|methods|activities|restaurants|cars|vehicles|products|"
    r"ideas|types))\b)"
    r"(?P<verdict>.*)",
    re.IGNORECASE,
)
_OWN_KIND = re.compile(
    r"^(?:the )?(?P<tail>[^,;?]{3,70}?)(?: options?| ones?| choices?)? (?:do|does) not (?:really |quite )?(?:appeal|"
    r"align|suit|fit|work|interest|seem|sound)\b",
    re.I,
)
_DOWN = re.compile(
    r"\b(?:not|too|less|more of a|concerns?|risky|worr\w+|avoid|would rather|don't|lack|noisy|crowded|expensive|"
    r"hesitant|however|but)\b",
    re.IGNORECASE,
)
_TOO = re.compile(
    r"\b(?:too|overly|a bit) (?P<tail>(?!not\b|too\b|many\b|much\b|more\b|less\b|overly\b)[\w-]+(?: (?:and|"
    r"or) [\w-]+)?(?: (?:to|for) (?!me\b|my\b)[^,;.]{3,60})?)",
    re.IGNORECASE,
)
_PASSED = re.compile(
    r"\b(?:pass on|skip|rule out|not (?:go|going) (?:with|for)|not (?:the|option))\s+(?P<tail>\S.*)", re.IGNORECASE
)
_NOT_KEEN = re.compile(
    r"\b(?:I|we) (?:am|was) not (?:\w+ )?(?:too |very |so |really )?(?:keen on|interested in|into|sold on|"
    r"a fan of)\s+(?P<tail>\S.*)",
    re.IGNORECASE,
)
_WITHOUT = re.compile(r"\b(?:since|because|as) (?:it|they|that one|this one) (?:has no|have no|does not (?:have|"
    r"involve|require|include|need)|do not (?:have|involve|require)|avoids?|is not|"
                      r"is free of|lacks?)\s+(?P<tail>\S.*)", re.IGNORECASE)  # fmt: skip
_RENAMED = re.compile(r"^\W*(?:and|which is|i\.e\.|:|with|for|using|-)?\s*", re.IGNORECASE)
_APPEAL = 0.75


def choices(sentences: Sequence[str], offered_text: str) -> Iterator[tuple[Asserted, str]]:
    """What sentences, contractions written out, choose or turn down of what is offered, with the sentence."""
    offered = options(offered_text)
    chosen: set[int] = set()
    refusing = any(map(_REST.search, sentences))
    for sentence in sentences:
        picked = _picked(sentence, offered=bool(offered)) or (_taken(sentence) if refusing and offered else "")
        is_down = (
            _REST.search(sentence)
            or _OWN_KIND.match(sentence)
            or _PASSED.search(sentence)
            or _NOT_KEEN.search(sentence)
        )
        if not picked and not is_down:
            continue
        if picked:
            for found, index in _chosen(picked, offered):
                chosen |= {index} if index is not None else set()
                yield found, sentence
            without = _WITHOUT.search(sentence)
            if without:
                yield Asserted(R.AVOIDS, without["tail"], 0.7), sentence
        if is_down and (chosen or offered):
            for found in _refused(sentence, offered, chosen):
                yield found, sentence


def _picked(sentence: str, *, offered: bool) -> str:
    """What a sentence picks, in its words; empty where it picks nothing."""
    if sentence.endswith("?"):
        return ""
    if _REST.match(sentence) or _OWN_KIND.match(sentence):
        return ""
    pick = _PICK.search(sentence)
    if pick and " not " not in sentence[: pick.start("tail")]:
        return pick["tail"]
    suits = _SUITS.match(sentence)
    if suits and not _OTHER_CLAUSE.search(suits["tail"]) and " not " not in suits[0]:
        return suits["tail"] if offered or _WELCOME.search(suits[0]) else ""
    bare = _BARE.match(sentence.rstrip(".! "))
    return (bare["tail"] or bare["first"] or "") if bare else ""


def _taken(sentence: str) -> str:
    """What a sentence means to do, which is a choice where the rest is turned down: "I will visit the museum"."""
    taken = _TAKEN.search(sentence)
    return taken["tail"] if taken and not sentence.endswith("?") else ""


def _chosen(picked: str, offered: Sequence[str]) -> Iterator[tuple[Asserted, int | None]]:
    index, said = _pointed(picked, len(offered))
    spoken = tail_of(said, most=10)
    named = is_telling(spoken)
    if index is None and offered and named:
        index = matching(spoken, offered)
    if named:
        yield Asserted(R.PREFERS, spoken, 0.8 if index is not None else 0.55, strength=0.7), index
    elif index is not None and index < len(offered):
        yield Asserted(R.PREFERS, offered[index], 0.85, strength=0.7), index


def _pointed(picked: str, count: int) -> tuple[int | None, str]:
    """The place of an option that is pointed at by number, letter or order, and what is said beside that."""
    match = _NUMBERED.search(picked)
    if match:
        mark = match["mark"].lower()
        place = int(mark) - 1 if mark.isdigit() else _WORDS.get(mark, ord(mark[0]) - ord("a"))
        return (place if 0 <= place < count else None), _beside(picked, match)
    match = _ORDINAL.search(picked)
    if match:
        place = _ORDINALS[match["word"].lower()] % count if count else 0
        return (place if count and _ORDINALS[match["word"].lower()] < count else None), _beside(picked, match)
    return None, picked


def _beside(picked: str, match: re.Match[str]) -> str:
    rest = _RENAMED.sub("", picked[match.end() :])
    return (
        rest
        if len(rest.split()) > 1 and not re.match(r"(?:since|because|as|it|that|please|sounds|seems|is)\b", rest, re.I)
        else ""
    )


def _refused(sentence: str, offered: Sequence[str], chosen: set[int]) -> Iterator[Asserted]:
    rest = _REST.search(sentence)
    if rest and _DOWN.search(rest["verdict"]):
        if chosen:
            for index, option in enumerate(offered):
                if index not in chosen:
                    yield Asserted(R.PREFERS, option, _APPEAL, negated=True, strength=0.5)
        too = _TOO.search(rest["verdict"])
        if too:
            yield Asserted(R.AVOIDS, too["tail"], 0.7, strength=0.6)
        return
    own = _OWN_KIND.match(sentence) or _PASSED.search(sentence)
    if own:
        yield Asserted(R.PREFERS, own["tail"], 0.7, negated=True, strength=0.6)
