"""Noun phrases, and what a question mentions, without a parser.

A noun phrase is what stands between function words and verbs. Which words are verbs is known from closed lists, from
suffixes, and from what stands before: after "to", a name or a modal a word is a verb, after a determiner it is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...text import STOPWORDS
from ...times import TimeKind, describe
from ..names import in_full
from .reactions import is_reaction
from .tenses import base_form
from .times import find
from .verbs import is_adverb, is_past

__all__ = ["Phrase", "ends_phrase", "head_verb", "mentions", "phrases", "without"]

_STARTING = frozenset('.!?:"“(')
_LONGEST = 4
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")
_VERBS = frozenset(
    """be is are was were am been being have has had do does did say says said tell tells told ask asks asked go goes
    make makes take takes get gets give gives see sees know knows think thinks want wants need needs feel feels keep
    keeps let lets seem seems look looks come comes become becomes mean means try tries find finds put puts enjoy
    enjoys help helps helping start starts believe believes hope hopes wish wishes add adds bring brings recommend
    recommends suggest suggests include includes consider provide provides create creates ensure learn learns become
    remember appreciate thank check going doing having getting making taking being trying looking using feeling
    seeing giving knowing coming remind reminds share shares talk talks hear hears understand understands would could
    should will can may might must cannot like likes love loves happen happens happening describe describes
    shared listed choose decide decides prefer prefers plan plans use uses allow allows follow explain explains
    involve involves""".split()
)
_LOOSE = frozenset(
    """yet least next past maybe around away together else ahead along apart besides without within toward towards upon
    despite across instead though although since ever kinda soon wanna gonna gotta till beside onto anyway whatever
    whenever throughout whether per via plus less enough anymore""".split()
)
_GENERIC = frozenset(
    """thing things stuff lot lots bit way ways kind kinds sort type types something anything everything nothing
    someone anyone everyone people one ones time times day days part others other kinda photo picture pic image
    question answer reply user assistant much many many new good great nice really best better able little big
    various several different certain own full favorite favourite long next last first second recent recently
    yesterday today tomorrow tonight week month year weekend morning evening afternoon night ago lately back
    """.split()
)
#: Words that tell when, where from or how a picture was taken: they end a phrase and are none.
_PICTURED = frozenset(
    """yesterday today tonight tomorrow last next week weekend month year morning evening night ago photo photography
    picture pic image front background sitting standing walking holding laying looking together without around near
    away along across towards among upon must since via per getting another others many much something""".split()
)
_AUXILIARIES = frozenset("is was are were has have had been be would could should will can may might must".split())
_MODAL = frozenset("to will would can could may might must should not".split())
_PRONOUNS = frozenset("i you he she it we they who which that".split())
_DETERMINERS = frozenset("a an the my your his her its our their this these those that some any no each every".split())
_CALENDAR = frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday""".split()
)
_QUESTION_WORDS = frozenset(
    """what which who whom whose when where why how many much did does do is are was were has have had would could
    can might long often""".split()
)
_GRAMMAR_BEFORE_ING = frozenset("is are was were am been be by of for about start started keep kept".split())


@dataclass(frozen=True, slots=True)
class Phrase:
    """A run of words, and the lower-case word before it."""

    words: tuple[str, ...]
    before: str

    @property
    def text(self) -> str:
        """The words."""
        return " ".join(self.words)

    @property
    def named(self) -> bool:
        """Whether it is a name."""
        return self.words[0][:1].isupper()


def mentions(question: str, names: Sequence[str]) -> list[str]:
    """What a question names: persons, noun phrases and dates, in that order; `names` are the known speakers."""
    text = question.replace("’", "'")
    found = list(in_full(text, names))
    dates = [e for e in find(text, None) if e.kind is not TimeKind.CLOCK]
    rest = without(text, [(e.start_offset, e.end_offset) for e in dates])
    known = {part.lower() for name in names for part in name.split()}
    found += [phrase.text for phrase in phrases(rest, known)]
    found += [describe(e) for e in dates]
    named = "\n".join(found).lower()  # as one string: a loop over the phrases for each word is slow
    found += [w for w in _TOKEN.findall(rest) if _is_concept(w.lower(), known) and w.lower() not in named]
    return list({text.lower(): text for text in reversed(found)}.values())[::-1]


def ends_phrase(low: str) -> bool:
    """Whether a lower-case word is no part of a keyword: grammar, feeling, a verb of the past, a number."""
    bare = low.removesuffix("'s")
    grammar = low in STOPWORDS or "'" in bare or len(bare) < 3 or bare.isdigit() or is_adverb(low) or is_past(low)
    return grammar or low in _PICTURED or is_reaction(low)


def head_verb(text: str, label: str = "") -> str:
    """About the lemma of the verb that follows the subject; empty where none is found."""
    previous = ""
    names = {part.lower() for part in label.split()}
    for token in _TOKEN.findall(text[:300]):
        low = token.lower()
        if (
            low not in _AUXILIARIES
            and low.isalpha()
            and (low in _VERBS or is_past(low) or (previous in names and low.endswith("s")))
        ):
            return base_form(low) if low not in _MODAL else ""
        previous = low if not is_adverb(low) else previous
    return "be" if re.search(r"\b(?:is|was|are|were)\b", text[:300]) else ""


def phrases(text: str, known: set[str]) -> Iterator[Phrase]:
    """Runs of words that are no grammar, verbs or known names; a name begins a run of its own."""
    run: list[str] = []
    before = previous = ""
    start = True
    tokens = [*_TOKEN.findall(text.replace("’", "'")), "."]
    for token, following in zip(tokens, [*tokens[1:], "."], strict=True):
        word = token.removesuffix("'s")
        low = word.lower()
        ends = _is_break(token, low, previous, known, start=start) or (bool(run) and _is_participle(low, following))
        begins = bool(run) and token[:1].isupper() and not run[-1][:1].isupper()
        if run and (ends or begins or len(run) == _LONGEST):
            yield from _kept(run, before)
            run = []
        if not ends:
            before = before if run else previous
            run.append(word if word[:1].isupper() and not (start and not _named(word, low)) else low)
        if run and token != word:
            yield from _kept(run, before)
            run = []
        previous = low
        start = token in _STARTING


def without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """`text` with a mark in the place of each span."""
    for start, end in reversed(spans):
        text = f"{text[:start]} ; {text[end:]}"
    return text


def _is_concept(low: str, known: set[str]) -> bool:
    plain = low.isalpha() and len(low) > 3 and low not in STOPWORDS and low not in _QUESTION_WORDS
    return plain and low not in _GENERIC and low not in known and not is_reaction(low) and not is_adverb(low)


def _is_participle(low: str, following: str) -> bool:
    """Whether a word after a noun goes on with what that does: "a woman standing on"."""
    return low.endswith("ing") and (following.lower() in STOPWORDS or not following[:1].isalnum())


def _named(word: str, low: str) -> bool:
    return len(word) > 1 and not (is_past(low) or low in STOPWORDS or is_reaction(low) or is_adverb(low))


def _kept(run: list[str], before: str) -> Iterator[Phrase]:
    while run and (run[0].lower() in _GENERIC or is_reaction(run[0].lower())) and len(run) > 1:
        run = run[1:]
    if len(run) > 1 and run[0].endswith("ing") and before not in _DETERMINERS and not run[0][:1].isupper():
        run = run[1:]
    last = run[-1].lower()
    if len(run) == 1 and (last in _GENERIC or is_reaction(last) or len(last) < 3 or last in _CALENDAR):
        return
    if not (len(run) == 1 and last.endswith(("ly", "'t"))):
        yield Phrase(tuple(run), before)


def _is_break(token: str, low: str, previous: str, known: set[str], *, start: bool) -> bool:
    if not token[:1].isalnum() or low in STOPWORDS or low in known or low in _LOOSE or low.isdigit() or "'" in low:
        return True
    if token[:1].isupper() and not start:
        return False
    if previous in _DETERMINERS:
        return low in _VERBS and low in ("is", "was")
    return low in _VERBS or is_adverb(low) or _is_verb(low, previous, known)


def _is_verb(low: str, previous: str, known: set[str]) -> bool:
    if previous in _MODAL or previous in _PRONOUNS or previous in known:
        return True
    return (is_past(low) and not previous.endswith("ly")) or (low.endswith("ing") and previous in _GRAMMAR_BEFORE_ING)
