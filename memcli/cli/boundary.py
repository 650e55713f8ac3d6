"""The one place where a failure becomes a line and an exit code."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

import typer

from ..errors import MemcliError, UsageError
from ..text import clean

__all__ = ["run"]

INTERRUPTED = 130


def run(arguments: Sequence[str]) -> int:
    """Runs `memcli` with these arguments; returns the exit code. Nothing that memcli raises on purpose gets past it."""
    from .app import app

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # what the terminal's encoding has not is shown as "?"
    try:
        code = app(list(arguments), standalone_mode=False, prog_name="memcli")
        sys.stdout.flush()
    except MemcliError as error:
        return _told(error)
    except typer.Abort:
        return INTERRUPTED
    except typer.TyperException as error:
        return _misused(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever read us has seen enough
        _mute()
        return 0
    except OSError as error:
        return _told(MemcliError(_system(error), "check the disk and the permissions"))
    return code if isinstance(code, int) else 0


def _told(error: MemcliError) -> int:
    hint = f" ({error.hint})" if error.hint else ""
    print(_line(f"memcli: {error.message}{hint}"), file=sys.stderr)  # noqa: T201
    return error.exit_code


def _misused(error: typer.TyperException) -> int:
    message = getattr(error, "format_message", lambda: str(error))()
    if message:
        return _told(UsageError(message, "see memcli --help"))
    return UsageError.exit_code  # a command group without a command: its help has been shown


def _system(error: OSError) -> str:
    where = f": {error.filename}" if error.filename else ""
    return f"{error.strerror or error}{where}"


def _line(text: str) -> str:
    return " ".join(clean(text).split())


def _mute() -> None:
    """Python flushes stdout once more at exit; the closed pipe would make it complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
