"""What memcli asks of a language, with the rules that hold for all of them.

A language of its own is a subclass that answers what it knows better; everything it leaves out works, by these rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from ..model import Cue, Question, Reckoning, Turn
from ..model.cards import Noted
from ..model.generated import Argument, Assertion, Event, Generated, SessionText, Told, speaker_name
from ..model.names import NameUse
from ..providers.profiles import ENCODER
from ..text import STOPWORDS, content_stems
from ..text.amounts import Amount
from ..text.times import Expression, Length, Span, day, describe, month_name, weekday_name
from . import calling
from . import names as known

__all__ = ["NAMELESS", "NOTHING", "PREFERENCE", "Language", "numerals"]

#: The question without the speakers it names: a name pulls greetings ("Hey Anna!") above what Anna said.
NAMELESS = "nameless"
#: What someone with a taste in the matter could have said: advice is asked for in other words than tastes are voiced.
PREFERENCE = "preference"

#: What an answer says that abstains.
NOTHING = "nothing in memory answers this"

_ASKS = re.compile(r"[?？؟]")
_DIGIT = re.compile(r"\d")
_AMOUNT = re.compile(r"[$€£]?\d[\d.,]*\d%?|\d%?")
_MOST_ARGUMENTS = 6
_NUMERAL = re.compile(r"\d+(?:[.,:]\d+)*")


class Language:
    """A language. `code` is its name (BCP 47); methods without a rule of the language's own hold for any text."""

    code = "und"
    #: Whether it writes compounds as one word: "Zahnarzttermin".
    compounds = False

    def claims(self, text: str) -> float:
        """How sure it is that `text` is in this language, in [0, 1]."""
        return 0.0

    # -- words -----------------------------------------------------------------------------------------------------

    def telling_stems(self, text: str) -> frozenset[str]:
        """The stems of `text` that carry more than grammar and feeling."""
        return frozenset(content_stems(text))

    def informative(self, sentence: str, least: int = 1) -> bool:
        """Whether at least `least` words of a sentence carry more than grammar and feeling."""
        return len(self.telling_stems(sentence)) >= least

    def is_small_talk(self, sentence: str) -> bool:
        """Whether a sentence greets, thanks, asks, or says nothing to remember."""
        return bool(_ASKS.search(sentence.rstrip()[-1:])) or not self.informative(sentence)

    def ends_phrase(self, word: str) -> bool:
        """Whether a word is no part of a keyword: grammar, feeling, a number."""
        low = word.lower()
        return low in STOPWORDS or len(low) < 2 or low.isdigit()

    def denies(self, text: str) -> bool:
        """Whether `text` denies anything."""
        return False

    def denied(self, sentence: str) -> Sequence[str]:
        """The stems of the words that a sentence denies."""
        return ()

    # -- what needs no source --------------------------------------------------------------------------------------

    def numbers(self, text: str) -> Iterable[str]:
        """The numbers that `text` names, in digits."""
        return numerals(text)

    def is_calendar(self, word: str) -> bool:
        """Whether a lower-case word names a month, a weekday or a season."""
        return False

    def is_added(self, word_stem: str) -> bool:
        """Whether a stem is of a word that retelling and dating put in."""
        return False

    def is_granted(self, word_stem: str) -> bool:
        """Whether a stem is checked as a date or a number, so not as a word."""
        return False

    def is_lasting(self, word_stem: str) -> bool:
        """Whether a stem only says that something holds on, or does by now: "still", "already"."""
        return False

    def is_acting(self, rest: str) -> bool:
        """Whether what follows the first word of a sentence shows that this word is a name."""
        return False

    # -- times -----------------------------------------------------------------------------------------------------

    def times(self, text: str, said_at: datetime | None) -> list[Expression]:
        """The time expressions of `text`, said on `said_at`, in order and without overlap."""
        return []

    def asked_times(self, question: str, asked_at: datetime | None) -> list[Expression]:
        """The times that a question names, which asks for what was said: mostly they are over."""
        return self.times(question, asked_at)

    def lengths(self, text: str) -> list[Length]:
        """The lengths of time that `text` names, in order."""
        return []

    def describe(self, what: Expression | Span) -> str:
        """A time as a person would say it."""
        return describe(what)

    def full_date(self, at: datetime) -> str:
        """A day with its weekday."""
        return f"{weekday_name(at)} {describe(day(at))}"

    def length(self, count: float, unit: str) -> str:
        """So many of a unit ("minute" to "year"); empty where the language has no words of its own for it."""
        return ""

    def dated(self, text: str, said_at: datetime | None) -> str:
        """`text` with its relative times put as dates."""
        return text

    # -- what was said ---------------------------------------------------------------------------------------------

    def cues(self, text: str) -> Cue:
        """The cues that a turn shows."""
        shown = Cue.QUESTION if _ASKS.search(text) else Cue(0)
        shown |= Cue.DIGIT if _DIGIT.search(text) else Cue(0)
        return shown | (Cue.IMAGE if "[image" in text.lower() else Cue(0))

    def retold(self, sentence: str, turn: Turn, people: Sequence[str]) -> list[str]:
        """What a sentence of a turn tells of its speaker, by name and with dates, without a final mark.

        `people`: all who speak. Empty where it tells nothing of them, or nobody knows how to retell it.
        """
        return []

    def facts(self, session: SessionText) -> list[Generated]:
        """The facts of a session, in the order in which they were said."""
        return []

    def supersedes(self, new: Told, old: Told, one_thing: float = ENCODER.one_thing) -> bool:
        """Whether the fact `new` makes `old` untrue. `one_thing`: the least cosine of two facts of one thing."""
        return False

    def events(self, session: SessionText) -> list[Event]:
        """The EDUs and structured chunks of a session, in the order in which they were said.

        Of a language without rules, each sentence that informs, in its speaker's own words.
        """
        return [
            _quoted(session.turns[place], sentence, session.people())
            for place, _, sentence in session.said()
            if self.informative(sentence)
        ]

    def arguments(self, text: str, label: str, people: Sequence[str]) -> tuple[Argument, ...]:
        """What takes part in the event that `text` tells, told by `label`: at most six, persons first."""
        return _arguments(text, label, people)

    def assertions(
        self,
        turn: Turn,
        sentences: Sequence[str],
        before: Sequence[Turn],
        people: Sequence[str],
    ) -> list[Assertion]:
        """What `turn`, of these sentences, asserts of its speaker and those the speaker tells of, surest first.

        `before`: the turns before it in its session; `people`: the names of those who speak.
        """
        return []

    @property
    def has_assertions(self) -> bool:
        """Whether it has rules for what turns assert; else a classifier tells, where the embedder's vectors allow."""
        return type(self).assertions is not Language.assertions

    def noted(self, text: str) -> list[Noted]:
        """What a turn notes of who says it, for a card of that person."""
        return []

    def name_uses(self, text: str) -> list[NameUse]:
        """The names that a turn calls somebody by, where it shows whom: whoever is spoken to, or who speaks."""
        return list(calling.name_uses(text))

    def asks(self, text: str) -> bool:
        """Whether `text` asks anything."""
        return bool(_ASKS.search(text))

    # -- what is asked ---------------------------------------------------------------------------------------------

    def question(self, text: str, speakers: Sequence[str]) -> Question:
        """`text` as a question to a memory in which `speakers` talk."""
        mentioned = known.named(text, tuple(speakers))
        return Question(
            text,
            stems=known.stems_beside(text, mentioned),
            about=next((each.speaker for each in mentioned), None),
            named=mentioned,
            language=self.code,
        )

    def looks_back(self, question: str, at: datetime) -> tuple[Span, str] | None:
        """The time that a question looks back at which asks of no thing ("What did we talk about last week?"), and the
        person whose words are asked for, empty where that is everybody; None for any other question.
        """
        return None

    def asks_of(self, question: str) -> tuple[str, bool]:
        """What the person is called of whom a question asks everything ("What do you know about Theo?"), and whether
        only of late ("What's new with Theo?"); empty for any other question.
        """
        return "", False

    def spoken_of(self, question: str) -> Sequence[str]:
        """Whom a question names who may be told of, by what turns call them: "Mia", "sister", "mum"."""
        return ()

    def wording(self, kind: str, question: Question) -> str:
        """The question in other words: NAMELESS or PREFERENCE. Without rules, the words it has."""
        return known.nameless(question) if kind == NAMELESS else question.text

    def mentions(self, question: str, speakers: Sequence[str]) -> list[str]:
        """What a question mentions: persons, things, dates, in that order."""
        return [*known.in_full(question, speakers), *dict.fromkeys(content_stems(question))]

    def forms(self, stem: str) -> Sequence[str]:
        """The stems of other forms of a word, where the stemmer does not know them for one: "found" for "find"."""
        return ()

    def failing(self, text: str) -> frozenset[str]:
        """The stems of its words that say that something does not come to be: "miss", "skip"."""
        return frozenset()

    def asks_for_another(self, question: str) -> bool:
        """Whether what somebody should cook, get or book is for another."""
        return False

    def asks_for_record(self, question: str) -> bool:
        """Whether it asks for the best time that somebody has run."""
        return False

    def asks_what_to_give(self, question: str) -> bool:
        """Whether somebody looks for a present."""
        return False

    def does_by_saying(self, question: str, text: str) -> bool:
        """Whether whoever says `text` does by that what somebody asks who did: recommend a book, suggest a walk."""
        return False

    def may_have_said(self, question: str, text: str) -> bool:
        """Whether `text` may be what somebody is asked for who said it; any, where nobody is."""
        return True

    def nth(self, question: str) -> int:
        """The how-manieth item a question asks for of a list that somebody gave; 0 where it asks for none."""
        return 0

    def reckoning(self, question: str) -> Reckoning | None:
        """What has to be worked out of days or amounts to answer a question, if anything: "how many weeks ago did we
        move?", "what did the kiln and the clay cost together?".
        """
        return None

    def ago(self, count: int, unit: str) -> str:
        """So many days, weeks, months or years before now; `unit` is "day" to "year"."""
        return ""

    # -- what answers ----------------------------------------------------------------------------------------------

    def nothing(self) -> str:
        """What an answer says that abstains, to a question in this language."""
        return NOTHING

    def yes(self) -> str:
        """What an answer says that affirms."""
        return "Yes"

    def no(self) -> str:
        """What an answer says that denies."""
        return "No"

    def before(self) -> str:
        """What stands before a value that held before."""
        return "before"

    def otherwise(self) -> str:
        """What stands between two statements of which one answers."""
        return "or"

    def until(self, at: datetime) -> str:
        """Until when something held: until the month of `at`."""
        return f"until {month_name(at)} {at.year}"

    def number(self, text: str) -> str:
        """The first number of `text`, as it is written; empty where there is none."""
        match = _AMOUNT.search(text)
        return match[0] if match else ""

    def amount(self, text: str) -> Amount | None:
        """The one amount that `text` tells; None where it tells none, or several."""
        return None

    def spelled(self, amount: Amount) -> str:
        """An amount as a person would say it."""
        return f"{amount.number} {amount.unit}".strip()

    def untied(self, text: str) -> str:
        """Words of a sentence without what only tied them to it."""
        return text.strip(" \"“”'")

    def is_oneself(self, text: str) -> bool:
        """Whether these words are whoever says them, and nobody else: "I", "my"."""
        return False

    def listed_after(self, text: str, end: int) -> str:
        """What goes on with the list in `text` whose items so far end at `end`: ", Ana and Eva"; or nothing."""
        return ""

    def is_worked_out(self, text: str) -> bool:
        """Whether `text` asks for what is worked out of several statements, a sum, a difference or a mean, or tells
        one.
        """
        return False

    def label_before(self, text: str, start: int) -> int:
        """Where the label begins of the number at `start` ("level" of "level 3"); `start` itself where it has none."""
        return start

    def labelled_after(self, text: str, end: int) -> str:
        """What goes on with labels and their numbers behind `end`: ", row C" of "level 4, row C"; or nothing."""
        return ""

    def named_after(self, text: str, end: int) -> str:
        """What tells somebody apart who is not called by name, behind `end`: " from Bremen"; or nothing."""
        return ""

    def is_over(self, text: str) -> bool:
        """Whether `text` says that something has come to its end."""
        return False

    def clauses(self, part: str) -> list[str]:
        """The clauses of a part of a sentence, as far as words show where one ends."""
        return [part]

    def is_undone(self, text: str) -> bool:
        """Whether `text` says that something was not done, or not to its end."""
        return self.denies(text)

    def is_somebody(self, text: str) -> bool:
        """Whether `text` may stand for a person: with a name's capital."""
        return any(word[:1].isupper() for word in text.split())

    def is_such(self, question: str, value: str) -> bool:
        """Whether `value` may be the kind of thing that `question` asks for."""
        return True

    def may_tell(self, question: str, text: str) -> bool:
        """Whether `text` may tell what `question` asks for, by what stands in it: a phone number has digits."""
        return True

    def is_former(self, text: str) -> bool:
        """Whether `text` may tell of what holds no longer when it is said."""
        return True

    def of_ones_own(self, text: str) -> str:
        """Whom of the speaker's own people `text` is about, and not the speaker: "cousin"; or nobody."""
        return ""

    def corrects(self, text: str) -> bool:
        """Whether `text` says that what was just said was wrong."""
        return False

    def replaced(self, text: str) -> Sequence[tuple[str, str]]:
        """What `text` says has taken the place of what: what was and what is, as it is written."""
        return ()

    def is_moved(self, text: str) -> bool:
        """Whether `text` says that something is at another time now than it was to be."""
        return False

    def is_of_what_was_said(self, text: str) -> bool:
        """Whether `text` says of what was spoken of before, without naming it, that it is at another time now."""
        return False

    def recurring(self, text: str) -> Sequence[tuple[int, int]]:
        """Where a text tells that something happens again and again: "every Tuesday"."""
        return ()

    def comes_yearly(self, question: str) -> bool:
        """Whether a question asks for a day that comes again each year, as a birthday does."""
        return False

    def is_vague(self, time: str) -> bool:
        """Whether a time expression dates hardly anything."""
        return False

    def identifier(self, question: str) -> re.Pattern[str] | None:
        """What the answer looks like where a question asks for a number or name that stands for something."""
        return None


def numerals(text: str) -> Iterator[str]:
    """The numbers of a text that are written in digits, without commas."""
    for number in _NUMERAL.findall(text):
        yield number.replace(",", "")


def _quoted(turn: Turn, sentence: str, people: Sequence[str]) -> Event:
    label = speaker_name(turn)
    found = _arguments(sentence, label, people)
    return Event(f"{label}: {sentence}", (turn.id,), turn.said_at, label, found)


def _arguments(text: str, label: str, people: Sequence[str]) -> tuple[Argument, ...]:
    persons = known.in_full(text, (label, *people))
    found = [Argument("agent" if name == label else "participant", name) for name in persons]
    return (*found, *(Argument("quantity", number) for number in numerals(text)))[:_MOST_ARGUMENTS]
