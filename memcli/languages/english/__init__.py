"""English: rules over words, without a parser. Nothing outside this package knows an English word but by `Language`.

`verbs`, `tenses`, `phrases`, `reactions`, `contractions`, `negation` know words; `elision`, `statements`,
`third_person`, `voice`, `coreference`, `replies` put a clause so that it stands for itself; `facts`, `events` and
`assertions` say what a session tells, `cards` what a turn notes of a person, `calling` whom it calls what, `owning`
whom of the speaker's own it is about; `times` and `dates` know when; `asking` knows whether a turn asks, `questions`,
`recaps` and `portraits` read what memcli is asked, and `answers` knows what a short answer looks like.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from ...model import Cue, Question, Reckoning, Turn
from ...model.cards import Noted
from ...model.generated import Argument, Assertion, Event, Generated, SessionText, Told
from ...model.names import NameUse
from ...providers.profiles import ENCODER
from ...text.amounts import Amount
from ...text.times import Expression, Length, Span
from ..base import Language

__all__ = ["English"]


class English(Language):
    """English. Each rule's module is loaded when it is first asked: a search needs few of them."""

    code = "en"

    def telling_stems(self, text: str) -> frozenset[str]:
        """See `Language.telling_stems`."""
        from .reactions import telling_stems

        return telling_stems(text)

    def is_small_talk(self, sentence: str) -> bool:
        """See `Language.is_small_talk`."""
        from .statements import is_small_talk

        return is_small_talk(sentence)

    def ends_phrase(self, word: str) -> bool:
        """See `Language.ends_phrase`."""
        from .phrases import ends_phrase

        return ends_phrase(word)

    def denies(self, text: str) -> bool:
        """See `Language.denies`."""
        from .negation import denies

        return denies(text)

    def denied(self, sentence: str) -> Sequence[str]:
        """See `Language.denied`."""
        from .negation import denied

        return denied(sentence)

    def numbers(self, text: str) -> Iterable[str]:
        """See `Language.numbers`."""
        from .grounding import numbers

        return numbers(text)

    def is_calendar(self, word: str) -> bool:
        """See `Language.is_calendar`."""
        from .grounding import CALENDAR

        return word in CALENDAR

    def is_added(self, word_stem: str) -> bool:
        """See `Language.is_added`."""
        from .grounding import added

        return added(word_stem)

    def is_granted(self, word_stem: str) -> bool:
        """See `Language.is_granted`."""
        from .grounding import granted

        return granted(word_stem)

    def is_lasting(self, word_stem: str) -> bool:
        """See `Language.is_lasting`."""
        from .questions import LASTING

        return word_stem in LASTING

    def is_acting(self, rest: str) -> bool:
        """See `Language.is_acting`."""
        from .grounding import is_acting

        return is_acting(rest)

    def times(self, text: str, said_at: datetime | None) -> list[Expression]:
        """See `Language.times`."""
        from .times import find

        return find(text, said_at)

    def asked_times(self, question: str, asked_at: datetime | None) -> list[Expression]:
        """See `Language.asked_times`."""
        from .times import find

        return find(question, asked_at, asked=True)

    def lengths(self, text: str) -> list[Length]:
        """See `Language.lengths`."""
        from .times import lengths

        return lengths(text)

    def dated(self, text: str, said_at: datetime | None) -> str:
        """See `Language.dated`."""
        from .dates import dated

        return dated(text, said_at)

    def cues(self, text: str) -> Cue:
        """See `Language.cues`."""
        from .cues import cues

        return cues(text)

    def asks(self, text: str) -> bool:
        """See `Language.asks`."""
        from .asking import asks

        return asks(text)

    def retold(self, sentence: str, turn: Turn, people: Sequence[str]) -> list[str]:
        """See `Language.retold`."""
        from .facts import retold

        return retold(sentence, turn, people)

    def facts(self, session: SessionText) -> list[Generated]:
        """See `Language.facts`."""
        from .facts import facts

        return facts(session)

    def supersedes(self, new: Told, old: Told, one_thing: float = ENCODER.one_thing) -> bool:
        """See `Language.supersedes`."""
        from .changes import supersedes

        return supersedes(new, old, one_thing)

    def events(self, session: SessionText) -> list[Event]:
        """See `Language.events`."""
        from .events import events

        return events(session)

    def arguments(self, text: str, label: str, people: Sequence[str]) -> tuple[Argument, ...]:
        """See `Language.arguments`."""
        from .arguments import arguments

        return arguments(text, label, people)

    def assertions(
        self, turn: Turn, sentences: Sequence[str], before: Sequence[Turn], people: Sequence[str]
    ) -> list[Assertion]:
        """See `Language.assertions`."""
        from .assertions import assertions

        return assertions(turn, sentences, before, people)

    def noted(self, text: str) -> list[Noted]:
        """See `Language.noted`."""
        from .cards import noted

        return noted(text)

    def name_uses(self, text: str) -> list[NameUse]:
        """See `Language.name_uses`."""
        from .calling import name_uses

        return name_uses(text)

    def question(self, text: str, speakers: Sequence[str]) -> Question:
        """See `Language.question`."""
        from .questions import parse

        return parse(text, tuple(speakers))

    def looks_back(self, question: str, at: datetime) -> tuple[Span, str] | None:
        """See `Language.looks_back`."""
        from .recaps import looks_back

        return looks_back(question, at)

    def asks_of(self, question: str) -> tuple[str, bool]:
        """See `Language.asks_of`."""
        from .portraits import asks_of

        return asks_of(question)

    def forms(self, stem: str) -> Sequence[str]:
        """See `Language.forms`."""
        from .tenses import forms

        return forms(stem)

    def failing(self, text: str) -> frozenset[str]:
        """See `Language.failing`."""
        from .negation import failing

        return failing(text)

    def asks_for_another(self, question: str) -> bool:
        """See `Language.asks_for_another`."""
        from .questions import asks_for_another

        return asks_for_another(question)

    def asks_for_record(self, question: str) -> bool:
        """See `Language.asks_for_record`."""
        from .questions import asks_for_record

        return asks_for_record(question)

    def asks_what_to_give(self, question: str) -> bool:
        """See `Language.asks_what_to_give`."""
        from .questions import asks_what_to_give

        return asks_what_to_give(question)

    def does_by_saying(self, question: str, text: str) -> bool:
        """See `Language.does_by_saying`."""
        from .questions import does_by_saying

        return does_by_saying(question, text)

    def may_have_said(self, question: str, text: str) -> bool:
        """See `Language.may_have_said`."""
        from .questions import may_have_said

        return may_have_said(question, text)

    def nth(self, question: str) -> int:
        """See `Language.nth`."""
        from .questions import nth

        return nth(question)

    def reckoning(self, question: str) -> Reckoning | None:
        """See `Language.reckoning`. What few questions need is loaded for these."""
        from .counting import counted
        from .reckonings import reckoning

        found, low = reckoning(question), question.lower()
        if found is None and re.search(r"\b(?:first|last|earlier|later|recently|order|sequence)\b", low):
            from .orders import ordered

            found = ordered(question)
        if found is None and re.search(r"\b(?:than|compar\w+|or)\b", low):
            from .comparisons import compared

            found = compared(question)
        if found is None and re.search(r"\band\b", low):
            from .coordination import summed

            found = summed(question)
        return found or counted(question)

    def amount(self, text: str) -> Amount | None:
        """See `Language.amount`."""
        from .amounts import amount

        return amount(text)

    def spelled(self, amount: Amount) -> str:
        """See `Language.spelled`."""
        from .amounts import spelled

        return spelled(amount)

    def length(self, count: float, unit: str) -> str:
        """See `Language.length`."""
        return f"{count:g} {unit}" if count == 1 else f"{count:g} {unit}s"

    def ago(self, count: int, unit: str) -> str:
        """See `Language.ago`."""
        return f"{self.length(count, unit)} ago"

    def spoken_of(self, question: str) -> Sequence[str]:
        """See `Language.spoken_of`."""
        from .assertions import spoken_of

        return spoken_of(question)

    def wording(self, kind: str, question: Question) -> str:
        """See `Language.wording`."""
        from .questions import wording

        return wording(kind, question)

    def mentions(self, question: str, speakers: Sequence[str]) -> list[str]:
        """See `Language.mentions`."""
        from .phrases import mentions

        return mentions(question, speakers)

    def number(self, text: str) -> str:
        """See `Language.number`."""
        from .answers import number

        return number(text)

    def untied(self, text: str) -> str:
        """See `Language.untied`."""
        from .answers import untied

        return untied(text)

    def is_oneself(self, text: str) -> bool:
        """See `Language.is_oneself`."""
        from .answers import is_oneself

        return is_oneself(text)

    def listed_after(self, text: str, end: int) -> str:
        """See `Language.listed_after`."""
        from .answers import listed_after

        return listed_after(text, end)

    def is_worked_out(self, text: str) -> bool:
        """See `Language.is_worked_out`."""
        from .answers import is_worked_out

        return is_worked_out(text)

    def label_before(self, text: str, start: int) -> int:
        """See `Language.label_before`."""
        from .answers import label_before

        return label_before(text, start)

    def labelled_after(self, text: str, end: int) -> str:
        """See `Language.labelled_after`."""
        from .answers import labelled_after

        return labelled_after(text, end)

    def named_after(self, text: str, end: int) -> str:
        """See `Language.named_after`."""
        from .answers import named_after

        return named_after(text, end)

    def is_over(self, text: str) -> bool:
        """See `Language.is_over`."""
        from .answers import ENDED

        return bool(ENDED.search(text.lower()))

    def clauses(self, part: str) -> list[str]:
        """See `Language.clauses`."""
        from .answers import CONJUNCTION

        return CONJUNCTION.split(part)

    def is_undone(self, text: str) -> bool:
        """See `Language.is_undone`."""
        from .answers import UNDONE

        return self.denies(text) or bool(UNDONE.search(text.lower()))

    def is_somebody(self, text: str) -> bool:
        """See `Language.is_somebody`; or somebody's, or any: "my cousin", "the plumber"."""
        from .answers import SOMEBODY

        return super().is_somebody(text) or bool(SOMEBODY.match(text.lower()))

    def is_former(self, text: str) -> bool:
        """See `Language.is_former`."""
        from .answers import FORMER

        return self.is_over(text) or bool(FORMER.search(text.lower()))

    def of_ones_own(self, text: str) -> str:
        """See `Language.of_ones_own`."""
        from .owning import of_ones_own

        return of_ones_own(text)

    def corrects(self, text: str) -> bool:
        """See `Language.corrects`."""
        from .answers import corrects

        return corrects(text)

    def replaced(self, text: str) -> Sequence[tuple[str, str]]:
        """See `Language.replaced`."""
        from .answers import replaced

        return replaced(text)

    def is_moved(self, text: str) -> bool:
        """See `Language.is_moved`."""
        from .answers import is_moved

        return is_moved(text)

    def is_of_what_was_said(self, text: str) -> bool:
        """See `Language.is_of_what_was_said`."""
        from .answers import is_of_what_was_said

        return is_of_what_was_said(text)

    def recurring(self, text: str) -> Sequence[tuple[int, int]]:
        """See `Language.recurring`."""
        from .answers import recurring

        return recurring(text)

    def comes_yearly(self, question: str) -> bool:
        """See `Language.comes_yearly`."""
        from .answers import comes_yearly

        return comes_yearly(question)

    def is_vague(self, time: str) -> bool:
        """See `Language.is_vague`."""
        from .answers import is_vague

        return is_vague(time)

    def is_such(self, question: str, value: str) -> bool:
        """See `Language.is_such`."""
        from .answers import is_such

        return is_such(question, value)

    def may_tell(self, question: str, text: str) -> bool:
        """See `Language.may_tell`."""
        from .answers import may_tell

        return may_tell(question, text)

    def identifier(self, question: str) -> re.Pattern[str] | None:
        """See `Language.identifier`."""
        from .answers import identifier

        return identifier(question)
