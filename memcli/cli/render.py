"""What a person or a program sees: JSON, plain lines in a pipe, styled lines on a terminal.

Text from a transcript is never trusted: control characters are stripped, markup is never interpreted.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..text import clean

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from ..model import Session, Turn

__all__ = [
    "apart",
    "cells",
    "console",
    "cut",
    "emit",
    "emit_document",
    "emit_json",
    "emit_jsonl",
    "evidence_line",
    "in_lines",
    "isolated",
    "moment",
    "one_line",
    "padded",
    "print_line",
    "record_of",
    "remark",
    "say",
    "size",
    "trace_lines",
    "turn_record",
]

#: By how much what belongs to the line above is indented, and the least room for words on a narrow terminal.
_INDENT = 5
_NARROWEST = 24
#: What is on a scale of its own in a trace, and no part of a score.
_OWN_SCALE = ("cosine", "rerank")
#: Words that are written from right to left are known by the class of their letters; what keeps them apart.
_WORD, _RTL = re.compile(r"\S+"), ("R", "AL")
_FSI, _PDI = "\u2068", "\u2069"


def emit(text: str) -> None:
    """Data, on stdout."""
    sys.stdout.write(text + "\n")


def emit_document(text: str) -> None:
    """A document for programs, on stdout: in UTF-8, whatever encoding the terminal has."""
    if (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "") == "utf8":
        emit(text)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode() + b"\n")
    sys.stdout.buffer.flush()


def say(text: str) -> None:
    """A remark, on stderr."""
    sys.stderr.write(clean(text) + "\n")


def remark(text: str) -> None:
    """A remark that may have words of somebody else's in it, as one line."""
    say(f"memcli: {one_line(text)}")


def emit_json(document: object) -> None:
    """One JSON document, indented."""
    import orjson

    emit_document(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())


def emit_jsonl(records: Iterable[object]) -> None:
    """One JSON record a line."""
    import orjson

    for record in records:
        emit_document(orjson.dumps(record).decode())


def console(*, stderr: bool = False) -> Console:
    """Where styled text goes; NO_COLOR and pipes are respected."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=False)


def one_line(text: str) -> str:
    """Untrusted text as one line without control characters."""
    return " ".join(clean(text).split())


def cells(text: str) -> int:
    """How many columns of a terminal a text takes: two for a wide character, none for a mark on the one before it."""
    from rich.cells import cell_len

    return cell_len(text)


def padded(text: str, width: int) -> str:
    """A text with spaces behind it, up to so many columns."""
    return text + " " * (width - cells(text))


def cut(text: str, width: int) -> str:
    """The beginning of a text that takes at most so many columns, with an ellipsis where something is left out."""
    from rich.text import Text

    if cells(text) <= width:
        return text
    shown = Text(text)
    shown.truncate(width, overflow="ellipsis")
    return shown.plain.removesuffix("…").rstrip() + "…"


def isolated(text: str) -> str:
    """A text of which what is written from right to left is kept apart from what stands around it (UAX 9, first strong
    isolate), where it is shown on a terminal; elsewhere as it is.
    """
    if not sys.stdout.isatty():
        return text
    start, end = _right_to_left(text)
    return f"{text[:start]}{_FSI}{text[start:end]}{_PDI}{text[end:]}" if end else text


def _right_to_left(text: str) -> tuple[int, int]:
    """From the first to the last word that is written from right to left; (0, 0) where there is none."""
    words = [each for each in _WORD.finditer(text) if any(unicodedata.bidirectional(sign) in _RTL for sign in each[0])]
    return (words[0].start(), words[-1].end()) if words else (0, 0)


def moment(at: datetime | None) -> str:
    """A time as people write it; nothing where it is not known."""
    return "" if at is None else f"{at:%Y-%m-%d %H:%M}"


def size(count: int) -> str:
    """Bytes for people."""
    amount = float(count)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def evidence_line(
    mark: str,
    at: datetime | None,
    speaker: str,
    text: str,
    cited: str,
    dates: Sequence[tuple[str, str]] = (),
    *,
    whole: bool = False,
) -> Text:
    """One turn: when, who, what, what its dates stand for, and its id to cite it by.

    `whole`: with its own line breaks, for `print_line`.
    """
    from rich.text import Text

    line = Text()
    line.append(f"{mark:>3}  ", style="dim")
    line.append(f"{moment(at) or 'undated':<16}  ", style="cyan")
    line.append(f"{one_line(speaker)}: ", style="bold")
    line.append(in_lines(text) if whole else one_line(text))
    for said, meant in dates:
        line.append(f" [{one_line(said)} = {one_line(meant)}]", style="green")
    line.append(f"  {cited}", style="dim")
    return line


def print_line(out: Console, line: Text) -> None:
    """A line of evidence. On a terminal it is broken between words, and at its own line breaks, and what follows is
    indented, so that an id is never broken; elsewhere it is one line, in which `\\n` stands for a line break.
    """
    from rich.text import Text

    if not out.is_terminal:
        out.print(Text("\\n").join(line.split("\n")), soft_wrap=True)
        return
    first, *rest = line.wrap(out, max(out.width - _INDENT, _NARROWEST))
    for each in (first, *(Text(" " * _INDENT) + more for more in rest)):
        each.rstrip()
        out.print(apart(each), soft_wrap=True)


def apart(line: Text) -> Text:
    """A line of a terminal, as `isolated` has it."""
    from rich.text import Text

    start, end = _right_to_left(line.plain)
    return Text.assemble(line[:start], _FSI, line[start:end], _PDI, line[end:]) if end else line


def in_lines(text: str) -> str:
    """Untrusted text with its line breaks, without other control characters and empty lines."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in clean(text).splitlines())))


def trace_lines(trace: Mapping[str, float]) -> list[Text]:
    """The parts of a score, with bars on the scale of the largest."""
    from rich.text import Text

    largest = max((abs(v) for name, v in trace.items() if name not in _OWN_SCALE), default=1.0) or 1.0
    lines = []
    for name, value in trace.items():
        bar = "█" * round(20 * min(abs(value) / largest, 1.0)) if name not in _OWN_SCALE else ""
        lines.append(
            Text.assemble(f"       {name:<18}", (f"{value:+8.3f} ", "bold"), (bar, "green" if value >= 0 else "red"))
        )
    return lines


def turn_record(turn: Turn, session: Session | None = None) -> dict[str, Any]:
    """A turn as `--json` gives it, with its session where that is not told beside it: documented in docs/json.md."""
    said = {"id": turn.id, "said_at": turn.said_at, "speaker": turn.speaker, "role": turn.role, "text": turn.text}
    where = {"conversation": session.conversation, "source": session.source} if session else {}
    return record_of(said | where | {"session": turn.session, "position": turn.position})


def record_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """A record with times as ISO 8601."""
    return {k: v.isoformat() if isinstance(v, datetime) else v for k, v in values.items()}
