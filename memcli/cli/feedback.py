"""`memcli feedback`: say whether an answer was of use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as o

if TYPE_CHECKING:
    from ..memory import Memory
    from ..memory.feedback import Feedback, Noted

__all__ = ["feedback"]

AnswerId = Annotated[
    str, typer.Argument(metavar="ANSWER-ID", help="As memcli ask shows it (a:…), or how it begins; last: the last.")
]
Useful = Annotated[bool, typer.Option("--useful", help="The answer was right, and so was what it cites.")]
Wrong = Annotated[bool, typer.Option("--wrong", help="It was not.")]
Missing = Annotated[
    str | None,
    typer.Option(
        "--missing", metavar="TEXT", help="With --wrong: what it should have said, in words or as a turn's id (t:…)."
    ),
]
Undo = Annotated[bool, typer.Option("--undo", help="Take back what was said of this answer.")]


def feedback(
    answer_id: AnswerId,
    useful: Useful = False,
    wrong: Wrong = False,
    missing: Missing = None,
    undo: Undo = False,
    as_json: o.Json = False,
    store: o.Store = None,
    embedder: o.EmbedderName = None,
) -> int:
    """Say that an answer was useful or wrong: what it rests on counts for more or less from then on, by a little.

    The same question is answered otherwise at once: not as it was when that was wrong, and first of all from what was
    missing. Last is the answer that was given last on this machine; if that was not noted, no other is taken for it.

    The latest verdict on an answer holds. What an answer cited that nobody contradicts counts a tenth of a verdict.

    Exit code 1: there is no such answer, or no verdict to take back; answers are kept unless with ask --no-record.
    """
    from ..errors import UsageError
    from ..memory.feedback import Feedback
    from .render import emit_json

    if useful + wrong + undo != 1:
        raise UsageError("one of --useful, --wrong and --undo has to be given")
    if missing is not None and not wrong:
        raise UsageError("--missing goes with --wrong")
    memory = o.memory(store, embedder)
    verdicts = Feedback(memory)
    noted = verdicts.undo(answer_id) if undo else _judged(verdicts, answer_id, missing, useful=useful)
    if as_json:
        emit_json(_record(noted))
    else:
        _print(memory, noted)
    return 0


def _judged(verdicts: Feedback, answer_id: str, missing: str | None, *, useful: bool) -> Noted:
    return verdicts.judge(o.typed(answer_id), "useful" if useful else "wrong", o.typed(missing or ""))


def _record(noted: Noted) -> dict[str, Any]:
    given = noted.answer.given
    return {
        "id": given.id,
        "question": given.question,
        "asked_at": given.at.isoformat(),
        "verdict": noted.answer.verdict or None,
        "missing": noted.answer.note or None,
        "cited": {"turns": list(given.citations), "assertions": noted.cited},
        "missed": {"turns": list(noted.answer.missed), "assertions": noted.missed},
    }


def _print(memory: Memory, noted: Noted) -> None:
    from .render import console, emit, evidence_line, one_line, print_line

    said = noted.answer.verdict or "no verdict any more"
    emit(f"{noted.answer.given.id}  {said}: {one_line(noted.answer.given.question)}")
    for line in _effects(noted):
        emit(f"  {line}")
    turns = memory.care.turns(noted.answer.missed)
    for turn in (turns[i] for i in noted.answer.missed if i in turns):
        print_line(console(), evidence_line("", turn.said_at, turn.speaker, turn.text, turn.id))


def _effects(noted: Noted) -> Iterator[str]:
    change = {"useful": "stronger", "wrong": "weaker"}.get(noted.answer.verdict, "as before")
    count = f"{noted.cited:,} assertion{'' if noted.cited == 1 else 's'}"
    yield f"what it cited: {count}, {change}" if noted.cited else "nothing is asserted in what it cited"
    if noted.answer.verdict == "wrong" and not noted.answer.given.abstained:
        yield "the same question is not answered in this way again"
    if noted.answer.note:
        yield (
            "missing, stronger now, and the first that the same question is answered from:"
            if noted.answer.missed
            else "nothing in memory speaks of what was missing"
        )
