"""Facts: what a speaker says of themselves, by name, in the third person and with dates.

"I went to a support group yesterday", said by Caroline on 8 May 2023, is "Caroline went to a support group on 7 May
2023". One fact is one clause. What a person is asked to confirm, and does in the next turn, is a fact of theirs as
well, with both turns as its sources. An image is a fact of whoever shared it. Of an assistant only recommendations
and promises are kept: the rest of what it says is knowledge of the world, not memory, and its turns can be found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...model import Kind, Turn
from ...model.generated import Generated, SessionText, speaker_name
from ...text import image
from .dates import dated
from .reactions import informative
from .statements import statements
from .third_person import in_third_person

__all__ = ["facts", "retold"]

_CONFIRMED = re.compile(r"^(?:yes|yeah|yep|yup|exactly|right|true|correct|that's right|indeed)\b", re.IGNORECASE)
_OF_YOU = re.compile(
    r"^(?:so,? |and )?you(?:'ve| have| had|'re (?:\w+ing|from|a|an|the)|"
    r" (?:\w+ed|went|got|made|took|met|bought|said|told))\b",
    re.IGNORECASE,
)
_PHOTO = re.compile(
    r"^an? (?:photo|photography|picture|image|screenshot|close up|painting|drawing|poster)\b", re.IGNORECASE
)
_SWAP = {
    "you": "I", "your": "my", "yours": "mine", "yourself": "myself", "you've": "I've", "you're": "I'm", "you'd": "I'd",
    "you'll": "I'll", "i": "you", "me": "you", "my": "your",
}  # fmt: skip
_SWAPPED = re.compile(r"\b(?:you'(?:ve|re|d|ll)|yourself|yours?|you|i|me|my)\b", re.IGNORECASE)
_WERE = re.compile(r"\bI (are|were)\b")


def facts(session: SessionText) -> list[Generated]:
    """The facts of a session, in the order in which they were said; a wording that comes again is not repeated."""
    people = session.people()
    found: dict[str, Generated] = {}
    for place, turn in enumerate(session.turns):
        following = session.turns[place + 1] if place + 1 < len(session.turns) else None
        for fact in _of_turn(turn, session.sentences[place], following, people):
            found.setdefault(fact.text.lower(), fact)
    return list(found.values())


def _of_turn(
    turn: Turn, sentences: Sequence[str], following: Turn | None, people: Sequence[str]
) -> Iterator[Generated]:
    me = speaker_name(turn)
    for sentence in sentences:
        for text in retold(sentence, turn, people):
            yield Generated(Kind.FACT, text, (turn.id,), turn.said_at, me)
        if following is not None and (confirmed := _confirmed(sentence, turn, following)):
            name = speaker_name(following)
            yield Generated(Kind.FACT, confirmed, (turn.id, following.id), turn.said_at, name)


def retold(sentence: str, turn: Turn, people: Sequence[str]) -> list[str]:
    """The facts of one sentence of a turn, as sentences without a final mark. `people`: all who speak."""
    me = speaker_name(turn)
    if caption := image(sentence):
        return [_shared(me, caption)]
    others = [name for name in people if name != me]
    assistant = turn.role.lower() == "assistant"
    clauses = statements(sentence, others, assistant=assistant)
    you = others[0] if len(others) == 1 else None
    told = (in_third_person(dated(clause, turn.said_at), me, you) for clause in clauses)
    return [_capitalised(text) for text in told if text is not None]


def _shared(me: str, caption: str) -> str:
    return _capitalised(f"{me} shared {caption if _PHOTO.match(caption) else f'an image: {caption}'}")


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _confirmed(sentence: str, turn: Turn, following: Turn) -> str | None:
    """A statement about the one spoken to, who agrees at once."""
    if following.speaker == turn.speaker or not _OF_YOU.match(sentence) or not _CONFIRMED.match(following.text):
        return None
    clauses = sentence.rstrip(" ?!.")
    if not informative(clauses, 2) or len(clauses.split()) > 25:
        return None
    swapped = _WERE.sub(lambda m: "I am" if m[1] == "are" else "I was", _SWAPPED.sub(_other_person, clauses))
    told = in_third_person(dated(swapped, turn.said_at), speaker_name(following), speaker_name(turn))
    return _capitalised(told) if told is not None else None


def _other_person(match: re.Match[str]) -> str:
    return _SWAP[match.group().lower()]
