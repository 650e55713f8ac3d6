"""`memcli export`: everything that was said, out of the store."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from . import options as o

__all__ = ["ExportFormat", "export"]


class ExportFormat(StrEnum):
    """What an export is written as."""

    JSONL = "jsonl"
    PARQUET = "parquet"
    MARKDOWN = "markdown"


_SUFFIXES = {".jsonl": ExportFormat.JSONL, ".parquet": ExportFormat.PARQUET, ".md": ExportFormat.MARKDOWN}

Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Where it goes; - is standard output, the default."),
]
FormatName = Annotated[
    ExportFormat | None, typer.Option("--format", help="Default: what the name of --output ends in, else jsonl.")
]


def export(
    output: Output = None,
    format_: FormatName = None,
    since: o.Since = None,
    until: o.Until = None,
    speaker: o.Speaker = None,
    conversation: o.Conversation = None,
    force: Annotated[bool, typer.Option("--force", help="Take the place of a file that is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --output: print what was done as JSON.")] = False,
    store: o.Store = None,
    user: o.User = None,
) -> int:
    """Write out what was said: as memcli's JSON lines, which ingest reads back exactly, as Parquet or as Markdown."""
    from ..errors import UsageError
    from ..store.selection import Selection
    from .render import emit_json, say

    file = None if output is None or str(output) == "-" else output
    chosen = format_ or (_SUFFIXES.get(file.suffix.lower(), ExportFormat.JSONL) if file else ExportFormat.JSONL)
    if file is None and (as_json or chosen is ExportFormat.PARQUET):
        raise UsageError(f"{'--json' if as_json else 'Parquet'} needs a file to write to", "add --output FILE")
    which = Selection(filters=o.narrowed(since, until, speaker, conversation, None).filters)
    memory = o.memory(store, user=user)
    with _written(file, force=force) as part:
        turns = memory.care.export(which, chosen.value, part)
        size = part.stat().st_size
    if as_json:
        emit_json({"file": o.typed(str(file)), "format": chosen.value, "turns": turns, "bytes": size})
    elif file is not None:
        say(f"{turns:,} turn{'' if turns == 1 else 's'} written to {file} as {chosen.value}")
    return 0


@contextmanager
def _written(file: Path | None, *, force: bool) -> Iterator[Path]:
    """A temporary file that becomes `file`, or goes to standard output, when all of it is there; for its owner alone.

    So a store is not held while somebody pages through what comes out of it, and no export is left half written.
    Raises UsageError.
    """
    from ..errors import UsageError

    if file is not None and file.is_dir():
        raise UsageError(f"{file} is a folder", f"name a file: --output {file / 'export.jsonl'}")
    if file is not None and file.exists() and not force:
        raise UsageError(f"{file} is there already", "--force takes its place")
    try:
        with tempfile.TemporaryDirectory(prefix=".memcli-export-", dir=file.parent if file else None) as folder:
            part = Path(folder, "part")
            yield part
            if file is not None:
                _in_place(part, file, force=force)
            else:
                _to_stdout(part)
    except BrokenPipeError:
        raise
    except OSError as error:
        where = file if file is not None else "the export"
        raise UsageError(f"cannot write {where}: {error.strerror or error}", "choose another --output") from error


def _in_place(part: Path, file: Path, *, force: bool) -> None:
    from ..errors import UsageError

    part.chmod(0o600)
    with part.open("rb") as written:
        os.fsync(written.fileno())
    if file.exists() and not force:  # somebody else was faster
        raise UsageError(f"{file} is there already", "--force takes its place")
    part.replace(file)


def _to_stdout(part: Path) -> None:
    import shutil

    sys.stdout.flush()
    with part.open("rb") as data:
        shutil.copyfileobj(data, sys.stdout.buffer)
    sys.stdout.buffer.flush()
