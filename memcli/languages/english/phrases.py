"""Noun phrases, and what a question mentions, without a parser.

A noun phrase is what stands between function words and verbs. Which words are verbs is known from closed lists, from
suffixes, and from what stands before: after "to", a name or a modal a word is a verb, after a determiner it is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...text import STOPWORDS
from ...text.times import TimeKind, describe
from ..names import in_full
from .reactions import is_reaction
from .tenses import base_form
from .times import find
from .verbs import is_adverb, is_past
from .words import listed

__all__ = ["Phrase", "ends_phrase", "head_verb", "mentions", "phrases", "without"]

_STARTING = frozenset('.!?:"“(')
_LONGEST = 4
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")
_VERBS = frozenset(listed("phrases", "verbs"))
_LOOSE = frozenset(listed("phrases", "loose"))
_GENERIC = frozenset(listed("phrases", "generic"))
#: Words that tell when, where from or how a picture was taken: they end a phrase and are none.
_PICTURED = frozenset(listed("phrases", "pictured"))
_AUXILIARIES = frozenset(listed("phrases", "auxiliaries"))
_MODAL = frozenset(listed("phrases", "modal"))
_PRONOUNS = frozenset(listed("phrases", "pronouns"))
_DETERMINERS = frozenset(listed("phrases", "determiners"))
_CALENDAR = frozenset((*listed("calendar", "months"), *listed("calendar", "weekdays")))
_QUESTION_WORDS = frozenset(listed("phrases", "question_words"))
_GRAMMAR_BEFORE_ING = frozenset(listed("phrases", "grammar_before_ing"))


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
