"""The types that every stage of memcli hands to the next: frozen dataclasses, hardly any behaviour.

What was said is `Session` and `Turn`; everything that can be retrieved is a `Unit`, whatever made it; `Edge`
joins units; a `Query` is answered by ranked `Hit`s, which a reader turns into a `Context` and an `Answer`.

Times: an aware `datetime` keeps the offset that was said; a naive one is local time of an unknown zone and stays so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntFlag, StrEnum
from types import MappingProxyType
from typing import NewType

import numpy as np
import numpy.typing as npt

__all__ = [
    "Answer",
    "Caution",
    "Context",
    "Cue",
    "Edge",
    "Filters",
    "Form",
    "Hit",
    "Item",
    "Kind",
    "Named",
    "Needs",
    "Query",
    "Question",
    "Reckoned",
    "Reckoning",
    "Relation",
    "Seeks",
    "Session",
    "SessionId",
    "Spelling",
    "Standing",
    "Translation",
    "Turn",
    "TurnId",
    "Unit",
    "UnitId",
]

SessionId = NewType("SessionId", str)
TurnId = NewType("TurnId", str)
UnitId = NewType("UnitId", str)


def _nothing() -> Mapping[str, float]:
    return MappingProxyType({})


class Kind(StrEnum):
    """What a unit is. Kinds differ by who makes them, not by shape."""

    SESSION = "session"
    ROUND = "round"
    TURN = "turn"
    SENTENCE = "sentence"
    EDU = "edu"
    CHUNK = "chunk"
    ARGUMENT = "argument"
    SUMMARY = "summary"
    FACT = "fact"
    INSIGHT = "insight"
    KEYWORD = "keyword"
    ENTITY = "entity"
    ASSERTION = "assertion"


class Relation(StrEnum):
    """How two units are joined."""

    MEMBERSHIP = "membership"  # src is part of dst
    SIMILAR = "similar"  # weight: cosine
    HAS_ARGUMENT = "has_argument"
    SYNONYM = "synonym"
    ASSOCIATED = "associated"


class Cue(IntFlag):
    """What can be seen in a turn's words without knowing the question: one bit each, computed when it is indexed."""

    DATE = 1  # says when something is, was or will be
    PREFERENCE = 2  # the speaker's own liking, disliking, habit or limit
    CHOICE = 4  # picks one of the things on offer
    QUESTION = 8
    FIRST_PERSON = 16
    SECOND_PERSON = 32
    IMAGE = 64
    DIGIT = 128


@dataclass(frozen=True, slots=True)
class Needs:
    """The kinds of units and the relations that a strategy retrieves from."""

    kinds: frozenset[Kind] = frozenset()
    relations: frozenset[Relation] = frozenset()

    def __or__(self, other: Needs) -> Needs:
        return Needs(self.kinds | other.kinds, self.relations | other.relations)

    def __le__(self, other: Needs) -> bool:
        """Whether all of it is in `other`."""
        return self.kinds <= other.kinds and self.relations <= other.relations


@dataclass(frozen=True, slots=True)
class Session:
    """A stretch of conversation without a long break, in one conversation."""

    id: SessionId
    conversation: str
    source: str
    started_at: datetime | None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message: the smallest thing that somebody said, and what every citation points to."""

    id: TurnId
    session: SessionId
    position: int
    speaker: str
    role: str
    said_at: datetime | None
    text: str


@dataclass(frozen=True, slots=True)
class Unit:
    """Anything that can be retrieved. `sources` are the turns it was made from; `label` is its speaker or title."""

    id: UnitId
    kind: Kind
    text: str
    sources: tuple[TurnId, ...]
    at: datetime | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """A weighted relation between two units; `relation` is a `Relation` or a strategy's own typed relation."""

    src: UnitId
    dst: UnitId
    relation: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Filters:
    """What a query may look at. `since` is inclusive, `until` exclusive; of names a unique part is enough, in any case.

    `unsupported`: also generated memory that its sources do not support.
    """

    since: datetime | None = None
    until: datetime | None = None
    speaker: str | None = None
    conversation: str | None = None
    unsupported: bool = False


class Seeks(StrEnum):
    """The kind of answer that a question asks for."""

    WHEN = "when"
    LENGTH = "length"
    COUNT = "count"
    OFTEN = "often"
    WHO = "who"
    WHERE = "where"
    WHY = "why"
    YES_NO = "yes-no"
    HOW = "how"
    WHICH = "which"
    WHAT = "what"


class Standing(StrEnum):
    """Which of several statements of one thing a question asks for."""

    ANY = ""
    NOW = "now"
    FIRST = "first"
    LAST = "last"
    FORMER = "former"


class Form(StrEnum):
    """How an answer is given: as a value that stands alone, as the sentence that answers or two of which one does,
    or not at all.
    """

    VALUE = "value"
    QUOTE = "quote"
    NONE = "none"


class Caution(StrEnum):
    """How sure an answer must be to be given."""

    CAREFUL = "careful"
    USUAL = "usual"
    BOLD = "bold"


class Spelling(StrEnum):
    """How a name is written: the first name as names are, so in another case, a part or the beginning of it, or another
    name that its owner goes by.
    """

    NAME = "name"
    ANY_CASE = "any case"
    PART = "part"
    ALIAS = "alias"


class Reckoned(StrEnum):
    """What is worked out: of days, the first seven; of amounts; or of things that are to be counted."""

    AGO = "ago"
    UNTIL = "until"
    BETWEEN = "between"
    HAD = "had"
    FIRST = "first"
    LAST = "last"
    ORDER = "order"
    SUM = "sum"
    DIFFERENCE = "difference"
    MOST = "most"
    LEAST = "least"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Reckoning:
    """What has to be worked out of days or amounts, each of which is asked for by a question of `asked`. `named`: what
    happened on each day, or of what each amount is, as the question calls it; `unit`: "day" to "year", of amounts any
    measure, "" where that is open.
    """

    kind: Reckoned
    unit: str
    asked: tuple[str, ...]
    named: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A mention of a speaker. `word`: what stands there; empty where only another case of it does."""

    speaker: str
    word: str
    spelling: Spelling


@dataclass(frozen=True, slots=True)
class Translation:
    """A stem of a question, and a stem of another language that stands for it in turns of that language."""

    stem: str
    language: str
    term: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read once, when the query is made. `named`: whom of the speakers it mentions, and how.

    `about` is the speaker it is about, `stems` its content words without speakers' names. `head` is the stem of the
    noun that the answer is one of: "book" in "What book …", "" where there is none. `grain`: how exact a date is asked
    for, `year` or `month`, `minute` for a time of day, `weekday` for what comes every week ("" where that is open).
    `seeks` is the kind of answer; `several`: it is for more than one thing, a list, a count, or what two have in
    common. `seeks_time` and `seeks_advice` are wider: there is a word in it that such questions have; `wants_advice`:
    it asks what somebody should do or might like; `may_want_advice`: there is such a word in what it asks of now, or it
    asks what one likes oneself. `language`: by whose rules it was read. `akin`: stems
    of the store that stand for or beside those of the question: other forms of a word, compounds or their parts.
    `translations`: what turns in other languages say for its words.
    `core`: the part of the text that asks, without what leads up to it ("can you remind me"), which `stems` and all of
    the kind of answer are of ("" where that is all of it); what retrieval goes by is of the whole.
    """

    text: str
    seeks: Seeks = Seeks.WHAT
    stems: tuple[str, ...] = ()
    about: str | None = None
    listing: bool = False
    several: bool = False
    standing: Standing = Standing.ANY
    counts_times: bool = False
    head: str = ""
    grain: str = ""
    named: tuple[Named, ...] = ()
    seeks_time: bool = False
    seeks_advice: bool = False
    wants_advice: bool = False
    may_want_advice: bool = False
    first_person: bool = False
    language: str = "en"
    akin: tuple[str, ...] = ()
    translations: tuple[Translation, ...] = ()
    core: str = ""

    @property
    def asks(self) -> str:
        """What of it a reader reads."""
        return self.core or self.text

    @property
    def speakers(self) -> list[str]:
        """Whom it names by the first name, in any case, or by an alias, sorted."""
        return sorted({each.speaker for each in self.named if each.spelling is not Spelling.PART})

    @property
    def is_of_asker(self) -> bool:
        """Whether it is about who asks, and not about somebody it names: "what should I cook for Theo" is of Theo."""
        return self.first_person and not any(each.word for each in self.named)


@dataclass(frozen=True, slots=True)
class Query:
    """A question as it was read, its vector (float32 [d], unit length), and the moment it is asked.

    `phrasings` holds the vectors of the question's other wordings that the strategy asked for, by name. `missed` and
    `wrong`: turns of which people said that answers to this question missed them (by id their number in the store), or
    that rested on them and were wrong.
    """

    question: Question
    vector: npt.NDArray[np.float32]
    asked_at: datetime
    filters: Filters = field(default_factory=Filters)
    phrasings: Mapping[str, npt.NDArray[np.float32]] = field(default_factory=dict)
    missed: Mapping[TurnId, int] = field(default_factory=dict)
    wrong: frozenset[TurnId] = frozenset()

    @property
    def text(self) -> str:
        """The question's words."""
        return self.question.text


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved unit. `trace` holds the score of each stage by name: what `--explain` shows."""

    unit: Unit
    score: float
    trace: Mapping[str, float] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True)
class Context:
    """The hits that fit a reader's token budget, and their rendering."""

    hits: tuple[Hit, ...]
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Item:
    """One of several things that an answer lists: when it was said, and by which turn."""

    text: str
    at: datetime | None
    turn: TurnId


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reader found. `citations` are turns; `confidence` is a probability of being right, in [0, 1].

    `usage`: what it cost, by name, where a language model was asked. `unsupported`: nothing in memory was cited for it.
    `quote` is the sentence that it rests on, with who said it and when, whatever form the answer has. `items`: each
    of the things that the text lists, where it lists several, or of two quotes of which one answers.
    """

    text: str
    citations: tuple[TurnId, ...]
    confidence: float
    abstained: bool
    usage: Mapping[str, float] = field(default_factory=_nothing)
    unsupported: bool = False
    form: Form = Form.NONE
    quote: str = ""
    items: tuple[Item, ...] = ()
