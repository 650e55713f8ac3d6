"""`memcli ask`: a short answer, then the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as o

if TYPE_CHECKING:
    from ..memory import Memory, Reading

__all__ = ["ask"]


def ask(
    question: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
    k: Annotated[int, typer.Option("-k", min=1, help="How many lines of evidence at the most.")] = 5,
    since: o.Since = None,
    until: o.Until = None,
    speaker: o.Speaker = None,
    conversation: o.Conversation = None,
    at: o.At = None,
    strategy: o.StrategyName = None,
    explain: o.Explain = False,
    as_json: o.Json = False,
    as_jsonl: o.Jsonl = False,
    store: o.Store = None,
    embedder: o.EmbedderName = None,
) -> int:
    """Answer a question, with dates and sources. Exit code 1: nothing in memory answers it."""
    from .render import emit_json, emit_jsonl

    narrowing = o.narrowed(since, until, speaker, conversation, at)
    memory = o.memory(store, embedder)
    chosen, text = o.strategy_name(strategy), o.question(question)
    reading = memory.ask(text, k=max(k, o.READ), filters=narrowing.filters, at=narrowing.at, strategy_name=chosen)
    if as_json or as_jsonl:
        record, evidence = _records(memory, reading, k, explain=explain)
        record = {"question": text, "strategy": chosen, "asked_at": narrowing.at.isoformat(), **record}
        if as_json:
            emit_json(record | {"evidence": evidence})
        else:
            emit_jsonl([{"type": "answer", **record}, *({"type": "evidence", **e} for e in evidence)])
    else:
        _print(reading, k, explain=explain)
    return 1 if reading.answer.abstained else 0


def _records(memory: Memory, reading: Reading, k: int, *, explain: bool) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    from .hits import records

    answer = reading.answer
    record = {
        "answer": None if answer.abstained else answer.text,
        "abstained": answer.abstained,
        "confidence": answer.confidence,
        "citations": list(answer.citations),
    }
    return record, records(memory, reading.shown(k), explain=explain)


def _print(reading: Reading, k: int, *, explain: bool) -> None:
    from rich.text import Text

    from .hits import print_hits
    from .render import console, one_line

    out = console()
    style = "dim" if reading.answer.abstained else "bold"
    out.print(Text(one_line(reading.answer.text), style=style), soft_wrap=True)
    shown = reading.shown(k)
    if shown:
        if reading.answer.abstained:
            out.print(Text("the nearest that was said:", style="dim"))
        print_hits(shown, explain=explain)
