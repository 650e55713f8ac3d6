"""Languages that memcli knows by tables instead of rules: what their words are, what their questions ask for, and when.

Each has a TOML file here; one without a file is recognised, and found by its words. Whatever else is asked of one is
answered by the rules that hold for all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from importlib import resources
from typing import Any

from ...model import Cue, Question, Seeks, Standing
from ...text import content_stems
from ...text.lexicon import function_words
from ...text.times import Expression, Length, Span
from .. import names as known
from ..base import NOTHING, Language
from ..data import table
from . import cldr
from .times import Times, plain

__all__ = ["Tabled"]

#: What a question may ask for, in the order in which it is looked for.
_ASKED = tuple(
    (name, Seeks(name.replace("_", "-")))
    for name in ("length", "often", "count", "when", "where", "who", "why", "which", "how", "yes_no")
)
#: The languages that write compounds as one word.
_COMPOUNDING = frozenset({"da", "de", "fi", "hu", "nl", "no", "sv"})
#: A name of up to three words, and what stands around a question.
_WHO, _ASKING = r"(?P<who>\S+?(?: \S+){0,2}?)", " ¿¡?!.؟？。！"


class Tabled(Language):
    """The language called `code`."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.compounds = code in _COMPOUNDING

    @cached_property
    def _table(self) -> Mapping[str, Any]:
        known_ = resources.files(__package__).joinpath(f"{self.code}.toml").is_file()
        return table(__package__, self.code) if known_ else {}

    @cached_property
    def _times(self) -> Times:
        return Times(self._table)

    @cached_property
    def _forms(self) -> Sequence[tuple[re.Pattern[str], Seeks]]:
        asked = self._table.get("asked", {})
        return [
            (re.compile(asked[name]) if name == "yes_no" else self._whole(asked[name]), seeks)
            for name, seeks in _ASKED
            if name in asked
        ]

    @cached_property
    def _grains(self) -> Sequence[tuple[re.Pattern[str], str]]:
        """What asks for a year, a month or a time of day."""
        return [(self._whole(form), grain) for grain, form in self._table.get("grain", {}).items()]

    @cached_property
    def _standings(self) -> Sequence[tuple[re.Pattern[str], Standing]]:
        """What asks for the former one of several statements, the first, the last, or what holds now."""
        return [(self._whole(form), Standing(name)) for name, form in self._table.get("standing", {}).items()]

    @cached_property
    def _moved(self) -> re.Pattern[str] | None:
        return self._whole(self._table["moved"]) if "moved" in self._table else None

    @cached_property
    def _yearly(self) -> re.Pattern[str] | None:
        return self._whole(self._table["yearly"]) if "yearly" in self._table else None

    @cached_property
    def _portraits(self) -> Sequence[re.Pattern[str]]:
        """What asks everything of somebody."""
        return [re.compile(form.replace("{who}", _WHO)) for form in self._table.get("portrait", ())]

    def _whole(self, form: str) -> re.Pattern[str]:
        """Such whole words; between characters that are written without spaces, there is no boundary of words."""
        if self._table.get("unspaced"):
            return re.compile(form)
        return re.compile(rf"(?<![\w\u0900-\u0963])(?:{form})(?![\w\u0900-\u0963])")

    def telling_stems(self, text: str) -> frozenset[str]:
        """See `Language.telling_stems`."""
        return frozenset(content_stems(text, self.code))

    def ends_phrase(self, word: str) -> bool:
        """See `Language.ends_phrase`."""
        low = word.lower()
        return low in function_words(self.code) or len(low) < 2 or low.isdigit()

    def times(self, text: str, said_at: datetime | None) -> list[Expression]:
        """See `Language.times`."""
        return self._times.find(text, said_at)

    def lengths(self, text: str) -> list[Length]:
        """See `Language.lengths`."""
        return self._times.lengths(text)

    def describe(self, what: Expression | Span) -> str:
        """See `Language.describe`."""
        return cldr.describe(what, self.code)

    def full_date(self, at: datetime) -> str:
        """See `Language.full_date`."""
        return cldr.full_date(at, self.code)

    def length(self, count: float, unit: str) -> str:
        """See `Language.length`."""
        return cldr.length(count, unit, self.code)

    def nothing(self) -> str:
        """See `Language.nothing`."""
        return str(self._table.get("nothing", NOTHING))

    def yes(self) -> str:
        """See `Language.yes`."""
        return str(self._table.get("yes", super().yes()))

    def no(self) -> str:
        """See `Language.no`."""
        return str(self._table.get("no", super().no()))

    def before(self) -> str:
        """See `Language.before`."""
        return str(self._table.get("before", super().before()))

    def otherwise(self) -> str:
        """See `Language.otherwise`."""
        return str(self._table.get("otherwise", super().otherwise()))

    def until(self, at: datetime) -> str:
        """See `Language.until`."""
        form = self._table.get("until")
        return form.format(cldr.month_within(at, self.code)) if form else super().until(at)

    def is_moved(self, text: str) -> bool:
        """See `Language.is_moved`."""
        return bool(self._moved and self._moved.search(plain(text)))

    def comes_yearly(self, question: str) -> bool:
        """See `Language.comes_yearly`."""
        return bool(self._yearly and self._yearly.search(plain(question)))

    def asks_of(self, question: str) -> tuple[str, bool]:
        """See `Language.asks_of`; of late is not told apart."""
        bare = question.strip(_ASKING)
        match = next(filter(None, (form.fullmatch(plain(bare)) for form in self._portraits)), None)
        return (bare[match.start("who") : match.end("who")], False) if match else ("", False)

    def number(self, text: str) -> str:
        """See `Language.number`."""
        return super().number(text) or self._times.has_number(text)

    def cues(self, text: str) -> Cue:
        """See `Language.cues`."""
        return super().cues(text) | (Cue.DATE if self.times(text, _SOME_DAY) else Cue(0))

    def question(self, text: str, speakers: Sequence[str]) -> Question:
        """See `Language.question`."""
        low, mentioned = plain(text).strip(), known.named(text, tuple(speakers), self.code)
        grain = next((grain for form, grain in self._grains if form.search(low)), "")
        seeks = Seeks.WHEN if grain else next((seeks for form, seeks in self._forms if form.search(low)), Seeks.WHAT)
        asking = self._asking_stems(low) if seeks is Seeks.WHEN else frozenset()
        return Question(
            text,
            seeks,
            stems=tuple(s for s in known.stems_beside(text, mentioned, self.code) if s not in asking),
            about=next((each.speaker for each in mentioned if each.word), None),
            standing=next((each for form, each in self._standings if form.search(low)), Standing.ANY),
            grain=grain,
            named=mentioned,
            seeks_time=seeks in (Seeks.WHEN, Seeks.LENGTH),
            language=self.code,
        )

    def _asking_stems(self, low: str) -> frozenset[str]:
        """Of what asks for a time, in such a question: "em que dia" asks, and is not about days."""
        forms = [*(form for form, _ in self._grains), *(form for form, seeks in self._forms if seeks is Seeks.WHEN)]
        return frozenset(
            stem for form in forms for each in form.finditer(low) for stem in content_stems(each[0], self.code)
        )

    def mentions(self, question: str, speakers: Sequence[str]) -> list[str]:
        """See `Language.mentions`."""
        return [*known.in_full(question, speakers), *dict.fromkeys(content_stems(question, self.code))]


#: Some day to count from, where only that there is a time is asked.
_SOME_DAY = datetime(2000, 1, 5)
