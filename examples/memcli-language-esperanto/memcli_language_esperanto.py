"""A language for memcli: Esperanto. What it asks, when something was, what it denies; the rest by general rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from memcli import Cue, Language, Question, Seeks
from memcli.text import content_stems, words
from memcli.text.times import Expression, Span, TimeKind, day, month, week, year

__all__ = ["Esperanto"]

#: Words that every text is full of, and that are no words of English.
_FUNCTION = frozenset(
    """la kaj estas estis estos mi vi li ŝi ĝi ni ili mia via lia ŝia nia ilia min vin lin ŝin ĝin nin ilin kiu kio kie
    kiam kial kiel kiom kies kiun kion ĉu ne en al de da por pri kun sen sur sub ĉe ĝis antaŭ post inter tra ke se sed
    ĉar aŭ jam ankoraŭ ankaŭ tre pli plej nur tiu tio tie tiam tiel tiun tion ĉi ĉio ĉiuj havas havis""".split()
)
_ASKS: tuple[tuple[str, Seeks], ...] = (
    (r"^(?:de |ĝis )?kiam\b", Seeks.WHEN),
    (r"\bkiom longe\b|\bkiom da (?:tagoj|semajnoj|monatoj|jaroj)\b", Seeks.LENGTH),
    (r"\bkiom ofte\b", Seeks.OFTEN),
    (r"^kiom\b", Seeks.COUNT),
    (r"^(?:al |kun |de |pri |por )?(?:kiu|kiuj|kiun|kies)\b", Seeks.WHO),
    (r"^(?:de |el |ĝis )?kien?\b", Seeks.WHERE),
    (r"^kial\b", Seeks.WHY),
    (r"^kiel\b", Seeks.HOW),
    (r"^ĉu\b", Seeks.YES_NO),
)
_MONTHS = {
    name: number
    for number, name in enumerate(
        ("januaro", "februaro", "marto", "aprilo", "majo", "junio", "julio", "aŭgusto", "septembro", "oktobro",
         "novembro", "decembro"), start=1)
}  # fmt: skip
_MONTH = "|".join(_MONTHS)
#: Times counted from the day on which they are said.
_RELATIVE: dict[str, Callable[[datetime], Span]] = {
    "antaŭhieraŭ": lambda at: day(at, -2),
    "hieraŭ": lambda at: day(at, -1),
    "hodiaŭ": day,
    "morgaŭ": lambda at: day(at, 1),
    "postmorgaŭ": lambda at: day(at, 2),
    "pasintsemajne": lambda at: week(at, -1),
    "venontsemajne": lambda at: week(at, 1),
    "pasintmonate": lambda at: month(at, -1),
    "pasintjare": lambda at: year(at, -1),
}
_DATE = re.compile(
    rf"\b(?:la )?(?P<day>\d{{1,2}})-an? de (?P<month>{_MONTH})(?: (?P<year>\d{{4}}))?"
    rf"|\b(?P<word>{'|'.join(_RELATIVE)})\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(r"\b(?:ne|neniam|neniu|nenio|nek)\b", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:mi|min|mia|miaj|mian|miajn|ni|nin|nia|niaj|nian|niajn)\b", re.IGNORECASE)
_ENDING = re.compile(r"(?:[oa]j?n?|e|[aiou]s|[iu])$")


class Esperanto(Language):
    """Esperanto, of which every ending says what a word is."""

    code = "eo"

    def claims(self, text: str) -> float:
        """By the share of words that are Esperanto's own little words: of a text of five or more about a third is."""
        said = words(text)
        return min(1.0, 3 * sum(word in _FUNCTION for word in said) / len(said)) if said else 0.0

    def telling_stems(self, text: str) -> frozenset[str]:
        """The stems of `text` that carry more than grammar: words without their endings."""
        return frozenset(_ENDING.sub("", word) for word in words(text) if word not in _FUNCTION)

    def ends_phrase(self, word: str) -> bool:
        """Whether a word is no part of a keyword."""
        return word.lower() in _FUNCTION or super().ends_phrase(word)

    def denies(self, text: str) -> bool:
        """Whether `text` denies anything."""
        return bool(_DENIAL.search(text))

    def times(self, text: str, said_at: datetime | None) -> list[Expression]:
        """The time expressions of `text`: dates, and words such as "hieraŭ" where it is known when they were said."""
        found = []
        for match in _DATE.finditer(text):
            span = _span(match, said_at)
            if span is not None:
                kind = TimeKind.RELATIVE if match["word"] else TimeKind.ABSOLUTE
                found.append(Expression(match.group(), match.start(), match.end(), span, kind, said_at))
        return found

    def cues(self, text: str) -> Cue:
        """The cues that a turn shows."""
        shown = super().cues(text)
        shown |= Cue.DATE if _DATE.search(text) else Cue(0)
        return shown | (Cue.FIRST_PERSON if _FIRST.search(text) else Cue(0))

    def question(self, text: str, speakers: Sequence[str]) -> Question:
        """`text` as a question to a memory in which `speakers` talk."""
        plain = text.strip().lower()
        seeks = next((kind for form, kind in _ASKS if re.search(form, plain)), Seeks.WHAT)
        read = super().question(text, speakers)
        little = _FUNCTION.union(word for mention in read.named for word in words(mention.word))
        content = (stem for word in words(text) if word not in little for stem in content_stems(word))
        return replace(
            read,
            stems=tuple(dict.fromkeys(content)),
            seeks=seeks,
            seeks_time=seeks in (Seeks.WHEN, Seeks.LENGTH),
            first_person=bool(_FIRST.search(plain)),
        )


def _span(match: re.Match[str], said_at: datetime | None) -> Span | None:
    if match["word"]:
        return _RELATIVE[match["word"].lower()](said_at) if said_at else None
    if not (match["year"] or said_at):
        return None
    base = said_at or datetime(2000, 1, 1)
    try:
        return day(base.replace(year=int(match["year"] or base.year), month=_MONTHS[match["month"].lower()],
                                day=int(match["day"])))  # fmt: skip
    except ValueError:  # the 31st of February
        return None
