"""`memcli ask`: a short answer, then the evidence."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as o

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from ..memory import Memory, Reading
    from ..model import Answer, Caution, Hit
    from ..store.verdicts import Given

__all__ = ["ask"]

Careful = Annotated[bool, typer.Option("--careful", help="Answer only what is nearly certain.")]
Bold = Annotated[bool, typer.Option("--bold", help="Answer what is likely, too.")]
NoRecord = Annotated[bool, typer.Option("--no-record", help="Do not note the answer for memcli feedback.")]


def ask(
    question: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
    k: Annotated[int, typer.Option("-k", min=1, help="How many lines of evidence at the most.")] = 5,
    since: o.Since = None,
    until: o.Until = None,
    speaker: o.Speaker = None,
    conversation: o.Conversation = None,
    at: o.At = None,
    strategy: o.StrategyName = None,
    variant: o.Variant = None,
    without: o.Without = None,
    reranker: o.Reranker = None,
    unsupported: o.Unsupported = False,
    around: o.Around = 0,
    explain: o.Explain = False,
    scores: o.Scores = False,
    careful: Careful = False,
    bold: Bold = False,
    as_json: o.Json = False,
    as_jsonl: o.Jsonl = False,
    store: o.Stores = None,
    user: o.User = None,
    ray: o.Ray = None,
    embedder: o.EmbedderName = None,
    model: o.Model = None,
    prompt_style: o.PromptStyle = "auto",
    budget: o.Budget = None,
    no_record: NoRecord = False,
) -> int:
    """Answer a question, with dates and sources. Exit code 1: nothing in memory answers it.

    The answer is noted in the store, if that is possible at once, so that memcli feedback can name it.
    """
    from .former import tell_former_default
    from .hits import explained, records
    from .progress import making
    from .render import remark

    began, narrowing = perf_counter(), o.narrowed(since, until, speaker, conversation, at, unsupported=unsupported)
    memory = o.memory(store, embedder, model=model, budget=budget, prompt_style=prompt_style, user=user)
    chosen, text = o.strategy_name(strategy, variant, without), o.question(question)
    pen = None if as_json or as_jsonl else _Pen()
    with o.searched(memory, ray, reranker):
        reading = memory.ask(
            text, k=max(k, o.READ), filters=narrowing.filters, at=narrowing.at, strategy=chosen,
            reranker=reranker or "", caution=_caution(careful=careful, bold=bold),
            watch=pen.write if pen and sys.stdout.isatty() else None, tell=remark, making=making,
        )  # fmt: skip
    noted = _noted(memory, text, reading, narrowing, perf_counter() - began) if not no_record else None
    if pen:
        told = explained(memory, text, narrowing.at, reading.shown(k), explain=explain, scores=scores)
        _print(memory, reading, pen, reading.shown(k), around, told)
        _hint(pen, memory, noted)
    else:
        _tell_fallback(reading)
        record = _record(text, chosen, narrowing, reading, noted)
        _emit(record, records(memory, reading.shown(k), around, explain=explain), by_line=as_jsonl and not as_json)
    _remember(memory, noted)
    tell_former_default(memory)
    return 1 if reading.answer.abstained else 0


def _caution(*, careful: bool, bold: bool) -> Caution:
    """How sure an answer must be. Raises UsageError where both are asked for."""
    from ..errors import UsageError
    from ..model import Caution

    if careful and bold:
        raise UsageError("--careful and --bold contradict each other", "give one of them")
    return Caution.CAREFUL if careful else Caution.BOLD if bold else Caution.USUAL


def _noted(memory: Memory, question: str, reading: Reading, narrowing: o.Narrowing, seconds: float) -> Given | None:
    """The answer as it is remembered; None where it is not going to be."""
    from ..config import settings

    if memory.store.path is None or not settings().records:
        return None
    from ..memory.feedback import given
    from ..model import Filters

    now = datetime.now(UTC)
    return given(question, reading.answer, now, seconds, narrowed=narrowing.filters != Filters())


def _hint(pen: _Pen, memory: Memory, noted: Given | None) -> None:
    """How to say what the answer was worth: for people alone, and with the first answer of a store."""
    from ..store.verdicts import is_any_answered

    if noted and sys.stdout.isatty() and not memory.view().read(is_any_answered):
        from rich.text import Text

        pen.out.print(Text(f"{noted.id} · memcli feedback {noted.id} --useful", style="dim"), soft_wrap=True)


def _remember(memory: Memory, noted: Given | None) -> None:
    """Keeps the answer, once it is where it was asked for: nobody waits for this.

    Which answer was the last is noted in any case: a verdict on the last one is none on an older one.
    """
    from ..memory.feedback import note_last, remember

    sys.stdout.flush()
    note_last(memory.store, noted.id if noted else "")
    if noted:
        remember(memory.store, noted)


def _tell_fallback(reading: Reading) -> None:
    from .render import remark

    if reading.fallback:
        remark(f"answered without {reading.model}: {reading.fallback}")


def _record(
    question: str, strategy: str, narrowing: o.Narrowing, reading: Reading, noted: Given | None
) -> dict[str, Any]:
    from .documents import asked_document

    return asked_document(question, strategy, narrowing, reading) | {"id": noted.id if noted else None}


def _emit(record: dict[str, Any], evidence: list[dict[str, Any]], *, by_line: bool) -> None:
    from .render import emit_json, emit_jsonl

    if by_line:
        emit_jsonl([{"type": "answer", **record}, *({"type": "evidence", **e} for e in evidence)])
    else:
        emit_json(record | {"evidence": evidence})


def _print(memory: Memory, reading: Reading, pen: _Pen, shown: list[Hit], around: int, told: list[list[Text]]) -> None:
    from rich.text import Text

    from .hits import print_hits

    if reading.fallback:
        pen.drop()
        _tell_fallback(reading)
    pen.finish(reading.answer)
    if reading.hits and reading.answer.abstained:
        pen.out.print(Text("the nearest that was said:", style="dim"))
    print_hits(memory, shown, around, told)


def _with_days(answer: Answer, *, apart: bool) -> str:
    """The answer's text; of a list from several turns each item with the day on which it was said; of two quotes each
    on a line of its own, if they are to stand `apart`.
    """
    from ..model import Form
    from ..text.times import day, describe

    if answer.form is Form.QUOTE and answer.items and apart:
        first = answer.items[0].text
        return answer.text.replace(f"{first}; ", f"{first}\n", 1)
    if answer.form is Form.QUOTE or len({item.turn for item in answer.items}) == 1:
        return answer.text
    told = [f"{item.text} ({describe(day(item.at))})" if item.at else item.text for item in answer.items]
    return ", ".join(told) if told and not answer.unsupported else answer.text


class _Pen:
    """Writes an answer as it comes; one that turns out to be another is written anew on a line of its own."""

    def __init__(self) -> None:
        from .render import console

        self.out: Console = console()
        self._written = ""

    def write(self, text: str, style: str = "bold", *, whole: bool = False) -> None:
        """The answer so far. What is `whole`, and begins here, is wrapped between words on a terminal."""
        from rich.text import Text

        from .render import in_lines

        line = in_lines(text) if self.out.is_terminal else in_lines(text).replace("\n", "\\n")
        if not line.startswith(self._written):
            self.drop()
        is_wrapped = whole and not self._written and self.out.is_terminal
        self.out.print(Text(line[len(self._written) :], style=style), end="", soft_wrap=not is_wrapped)
        self._written = line

    def drop(self) -> None:
        """What was written is not the answer."""
        if self._written:
            self.out.print()
        self._written = ""

    def finish(self, answer: Answer) -> None:
        """The whole answer, and what its text does not say."""
        from rich.text import Text

        text = _with_days(answer, apart=self.out.is_terminal)
        self.write(text, "dim" if answer.abstained else "bold", whole=True)
        self.out.print(Text(" (no evidence cited)" if answer.unsupported else "", style="dim"), soft_wrap=True)
