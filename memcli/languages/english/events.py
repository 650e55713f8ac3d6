"""Events without a model: every sentence that carries information, told of its speaker, whole in itself (EMem, §3.2).

Nothing that informs is left out: what cannot be told in the third person is attributed to its speaker in their own
words. Of an assistant's turns every statement and list item is an EDU, and every organised block a chunk (appendix A).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...model import Turn, TurnId
from ...model.generated import Event, SessionText, speaker_name
from ...text import image
from .arguments import arguments
from .chunks import Item, blocks, items, summary
from .dialogue import Discourse
from .phrases import head_verb
from .reactions import informative
from .statements import is_small_talk
from .voice import capitalised

__all__ = ["events"]

_LONGEST_REQUEST = 900
_ENDS = frozenset('.!?…"”)')
_TALK = re.compile(
    r"^(?:I(?:'d| would)? (?:hope|be happy|love to|can help|can certainly)|I'm (?:glad|happy|sorry|here|excited)|"
    r"(?:that|it)(?:'s| is| sounds?) (?:a )?(?:great|wonderful|fantastic|good|awesome|amazing|excellent)|"
    r"what an? |sure[,!]|certainly[,!]|of course[,!]|congratulations|great (?:choice|idea|question)|let me know|"
    r"feel free|if you have any|remember to|enjoy |good luck|have a |please let|by (?:following|incorporating))",
    re.IGNORECASE,
)
_SPECIFIC = re.compile(r"\d|(?<=[a-z,] )[A-Z]\w")
_LEAD = re.compile(r"^[^:.]{2,60}:\s")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][^\W\d_]+")


def events(session: SessionText) -> list[Event]:
    """The EDUs and structured chunks of a session, in the order in which they were said."""
    reading = Discourse(session.people(), _names(session), assisted=any(map(_is_assistant, session.turns)))
    found: list[Event] = []
    for place, turn in enumerate(session.turns):
        if _is_assistant(turn):
            reading.interrupted()
            found.extend(_of_assistant(session, place, reading.people))
        else:
            drafts = reading.turn(turn, session.sentences[place])
            found.extend(_event(d.own(), d.sources, turn, reading.people, context=d.context) for d in drafts)
    return found


def _is_assistant(turn: Turn) -> bool:
    return turn.role.lower() == "assistant"


def _names(session: SessionText) -> frozenset[str]:
    """The words that are written with a capital inside a sentence."""
    inside = {match.group() for _, _, sentence in session.said() for match in _NAME.finditer(sentence)}
    return frozenset(inside) | {part for name in session.people() for part in name.split()}


def _event(
    text: str, sources: tuple[TurnId, ...], turn: Turn, people: Sequence[str], body: str = "", context: str = ""
) -> Event:
    label, line = speaker_name(turn), _one_line(text)
    found = arguments(line, label, people, context)
    whole = _one_line(f"{line.rstrip(' .')} ({context})") if context else line
    return Event(whole, sources, turn.said_at, label, found, head_verb(line, label), body)


def _one_line(text: str) -> str:
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if line[-1:] in _ENDS else f"{line}."


def _of_assistant(session: SessionText, place: int, people: Sequence[str]) -> Iterator[Event]:
    turn = session.turns[place]
    found = blocks(turn.text)
    for item in items(turn.text):
        if _states(item, covered=bool(found)):
            yield _event(_assisted(item, speaker_name(turn)), (turn.id,), turn, people)
    request, asker = _request(session, place)
    sources = (turn.id,) if asker is None else (turn.id, asker.id)
    for block in found:
        told = summary(block, request, speaker_name(asker) if asker else "")
        yield _event(told, sources, turn, people, block.text)


def _states(item: Item, *, covered: bool) -> bool:
    """Whether an assistant's statement is more than talk about the talk.

    What chunks cover must have a name or number of its own: general advice is found by the chunk's summary.
    """
    if covered and not _SPECIFIC.search(_LEAD.sub("", item.text, count=1)):
        return False
    if item.listed:
        return informative(item.text)
    return informative(item.text, 3) and not is_small_talk(item.text) and not _TALK.match(item.text)


def _request(session: SessionText, place: int) -> tuple[str, Turn | None]:
    """What the turn before asked for: its questions, or else its last sentences."""
    if place == 0 or _is_assistant(session.turns[place - 1]):
        return "", None
    said = [s for s in session.sentences[place - 1] if not image(s)]
    questions = [s for s in said if s.rstrip().endswith("?")]
    return " ".join((questions or said)[-2:])[:_LONGEST_REQUEST], session.turns[place - 1]


def _assisted(item: Item, me: str) -> str:
    if item.listed:
        return f"{capitalised(me)} listed{f' under {item.under}' if item.under else ''}: {item.text}"
    return f"{capitalised(me)} said: {item.text}"
