"""Whether a generated unit is supported by the turns that it names as its sources.

A check of words, not of meaning. Enough of the unit's content words must be the sources'; all of its numbers, names
and dates must be in them or follow from them, a date from when something was said; and it may neither deny what no
source denies nor affirm what they only deny. It finds what is invented, not what is misunderstood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...languages import Language
from ...languages.sources import Sources, read, strange_name, wrong_date, wrong_number
from ...model import Kind, Turn
from ...model.generated import Generated, Vectors
from ...providers.profiles import ENCODER
from ...store.cosine import cosines
from ...text import content_stems, sentences

__all__ = ["COVERAGE", "verify"]

#: The least share of a unit's content words that its sources must hold.
COVERAGE = 0.75

_TALLY = re.compile(r"\(said in (\d+) sessions")


def verify(
    unit: Generated,
    turns: Sequence[Turn],
    people: Sequence[str] = (),
    *,
    coverage: float = COVERAGE,
    vector: Vectors | None = None,
    sentence_vectors: Vectors | None = None,
    floor: float = ENCODER.supported,
) -> tuple[bool, str]:
    """Whether `turns`, the sources of `unit`, support it, and why not. `people`: all who speak, who may be named.

    With `vector` [d] and `sentence_vectors` [n, d], of the unit and its sources, the best cosine must reach `floor`.
    """
    sources = read(turns, people)
    checks = (_wrong_dates, _wrong_numbers, _strange_names, _wrong_negation)
    because = next((reason for check in checks if (reason := check(unit, sources))), "")
    because = because or _uncovered(unit, sources, coverage)
    if not because and vector is not None and sentence_vectors is not None and len(sentence_vectors):
        best = float(cosines(vector, sentence_vectors).max())
        because = f"nothing in the sources is like it (cosine {best:.2f})" if best < floor else ""
    return not because, because


def _wrong_dates(unit: Generated, sources: Sources) -> str:
    return wrong_date(unit.text, sources)


def _wrong_numbers(unit: Generated, sources: Sources) -> str:
    text = unit.text
    if unit.kind is Kind.INSIGHT and (tally := _TALLY.search(text)):
        if int(tally[1]) != unit.support:
            return f"it is said in {unit.support} sessions, not {tally[1]}"
        text = text[: tally.start()]
    return wrong_number(text, sources)


def _strange_names(unit: Generated, sources: Sources) -> str:
    return strange_name(unit.text, sources, lambda match: _is_subject(unit, match, sources.language))


def _is_subject(unit: Generated, word: re.Match[str], language: Language) -> bool:
    """Whether a sentence's first word, always capitalised, is a name: a fact begins with whom it is of."""
    own = unit.kind is not Kind.SUMMARY and not word.group().endswith("ing")
    return own or word.group().endswith(("'s", "’s")) or language.is_acting(unit.text[word.end() :])


def _wrong_negation(unit: Generated, sources: Sources) -> str:
    """A fact that denies where nothing is denied, or affirms the very word that is always denied."""
    if unit.kind is not Kind.FACT:
        return ""
    if sources.language.denies(unit.text):
        return "" if sources.language.denies(sources.text) else "no source denies anything"
    affirmed = set(content_stems(unit.text))
    said = max(sentences(sources.text), key=lambda s: len(affirmed & set(content_stems(s))), default="")
    denied, heard = sources.language.denied(said), content_stems(said)
    only = [word for word in denied if word in affirmed and heard.count(word) == denied.count(word)]
    return f"the sources deny {only[0]!r}" if only else ""


def _uncovered(unit: Generated, sources: Sources, least: float) -> str:
    language = sources.language
    needed = [s for part in sentences(unit.text) for s in content_stems(part) if not language.is_added(s)]
    missing = [s for s in needed if s not in sources.stems and not language.is_granted(s) and not s.isdigit()]
    if needed and 1 - len(missing) / len(needed) < least:
        return f"the sources do not say {', '.join(dict.fromkeys(missing))}"
    return ""
