"""English verbs as far as a change of person needs them: which form a word is, and its third person singular."""

from __future__ import annotations

import re

__all__ = ["COORDINATED", "agreeing", "is_adverb", "is_past"]

_SPECIAL = {
    "am": "is", "are": "is", "were": "was", "have": "has", "do": "does", "go": "goes", "don't": "doesn't",
    "haven't": "hasn't", "aren't": "isn't", "weren't": "wasn't", "dont": "doesn't",
}  # fmt: skip
# Past forms that do not end in -ed, and forms that are past and present alike.
_PAST = frozenset(
    """was wasn't had hadn't did didn't got went made took gave found met saw bought brought thought taught caught felt
    kept left lost met paid said sold sent spent slept sat stood told understood wore won wrote woke drove rode flew
    grew knew threw drew blew ate fell became began ran came swam sang drank rang sank spoke broke chose froze stole
    forgot forgave hid bit did built burnt dealt dreamt dug fed fought held heard hung led learnt lent lit meant shook
    shot shut slid spun stuck struck swept tore swore bent put set cut let hit hurt cost quit read beat bet shed spread
    upset cast burst overcame undertook withdrew rose arose rewrote bore laid lay hooked used ended
    done been gone seen taken given written known begun""".split()
)
_NOT_PAST = frozenset("need feed seed weed heed speed breed bleed exceed succeed proceed embed shed wed".split())
_MODAL = frozenset(
    """will would can could may might must shall should won't wouldn't can't cannot couldn't mightn't mustn't shouldn't
    shan't ought gonna is isn't has hasn't does doesn't 'd 'll""".split()
)
# Words after a subject that are not its verb.
_NO_VERB = frozenset(
    """a an the and or but nor of in on at by for from to with without about as than that which who whom whose this
    these those it its he she they them his her their my your our me him us not no too so if when while because
    though although since until after before then there here all each every any some one two both either neither
    instead again alone more most less least even only own such like-minded out up down off over i we you what
    why how where whether except besides personally""".split()
)
_ADVERBS = frozenset(
    """also always never often ever just still already even now usually sometimes really actually finally recently
    definitely totally absolutely currently mainly mostly truly honestly simply probably especially particularly
    especially seriously almost barely hardly only rarely seldom soon once first then both all completely fully deeply
    strongly highly quite kinda sorta later""".split()
)
_LY_VERBS = frozenset("reply apply rely supply fly imply comply multiply family rally bully tally ally".split())
_ING_VERBS = frozenset("bring sing ring cling swing fling sting wring spring string".split())
#: Present forms that, after "and" or "but", go on with the subject's verb and are hardly ever nouns.
COORDINATED = frozenset(
    """am have do don't haven't go feel want think know keep get make enjoy believe need take try see give tell find
    understand become bring learn hope spend eat meet remember appreciate prefer hate love live""".split()
)
_SIBILANT = re.compile(r"(?:s|x|z|ch|sh|o)$")
_Y = re.compile(r"(?<=[^aeiou])y$")


def is_past(word: str) -> bool:
    """Whether a lower-case word, if a verb, is in the past or a form that does not show it."""
    return word in _PAST or (word.endswith("ed") and word not in _NOT_PAST)


def is_adverb(word: str) -> bool:
    """Whether a lower-case word may stand between a subject and its verb."""
    return word in _ADVERBS or (word.endswith("ly") and word not in _LY_VERBS)


def agreeing(verb: str) -> str:
    """The verb in the form that goes with "she", after a lower-case one that went with "I" or "you"."""
    if verb in _SPECIAL:
        return _SPECIAL[verb]
    if is_past(verb) or verb in _MODAL or verb in _NO_VERB or not verb.isalpha():
        return verb
    if verb.endswith("ing") and verb not in _ING_VERBS:
        return verb
    if _Y.search(verb):
        return verb[:-1] + "ies"
    return verb + ("es" if _SIBILANT.search(verb) else "s")
