"""The documents that `--json` prints and that agents are handed; docs/json.md says what every key means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .hits import records

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..memory import Memory, Reading
    from ..model import Hit, Item
    from .options import Narrowing

__all__ = ["answer_record", "asked_document", "found_document"]


def found_document(
    memory: Memory, query: str, strategy: str, narrowing: Narrowing, hits: Sequence[Hit], around: int, *, explain: bool
) -> dict[str, Any]:
    """What a search found."""
    found = records(memory, hits, around, explain=explain)
    return {"query": query, "strategy": strategy, "asked_at": narrowing.at.isoformat(), "hits": found}


def asked_document(question: str, strategy: str, narrowing: Narrowing, reading: Reading) -> dict[str, Any]:
    """An answer, without its evidence and the id that it is noted by."""
    asked = {"question": question, "strategy": strategy, "asked_at": narrowing.at.isoformat()}
    return asked | answer_record(reading)


def answer_record(reading: Reading) -> dict[str, Any]:
    """What was answered."""
    answer = reading.answer
    return {
        "answer": None if answer.abstained else answer.text,
        "form": str(answer.form),
        "quote": answer.quote or None,
        "items": [_item(each) for each in answer.items],
        "abstained": answer.abstained,
        "confidence": answer.confidence,
        "citations": list(answer.citations),
        "unsupported": answer.unsupported,
        "model": reading.model or None,
        "fallback": reading.fallback or None,
        "reasoning": reading.reasoning,
        "usage": dict(answer.usage) if reading.model else None,
    }


def _item(item: Item) -> dict[str, str | None]:
    return {"text": item.text, "said_at": item.at.isoformat() if item.at else None, "turn": item.turn}
