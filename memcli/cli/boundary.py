"""The one place where a failure becomes a line and an exit code."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Sequence

import typer

from ..errors import MemcliError, StoreError, UsageError
from ..text import clean

__all__ = ["run"]

INTERNAL = 70
INTERRUPTED = 130
_DEBUG = "--debug"
_RAY, _HERE = "--ray", "local"
#: Where a cluster is: behind `--ray` anything else is an argument of its own, such as what is to be read.
_ADDRESS = re.compile(r"auto|local|(?:ray://)?[^\s/]+:\d+")


def run(arguments: Sequence[str]) -> int:
    """Runs `memcli` with these arguments; returns the exit code. No exception gets past it but those that end Python.

    `--debug` may stand anywhere before a lone `--`.
    """
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    rest = _addressed([each for each in own if each != _DEBUG])
    try:
        return _run([*rest, *arguments[len(own) :]])
    except Exception as error:
        return _unexpected(error, debug=_DEBUG in own)


def _addressed(arguments: Sequence[str]) -> list[str]:
    """The arguments with an address behind a `--ray` that stands alone: typer knows no value that may be left out."""
    following = [*arguments[1:], ""]
    return [
        f"{each}={_HERE}" if each == _RAY and not _ADDRESS.fullmatch(after) else each
        for each, after in zip(arguments, following, strict=False)
    ]


def _run(arguments: Sequence[str]) -> int:
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
    except SystemExit as end:  # so do click and rich end where a pipe is closed
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        return 0
    except OSError as error:
        return _told(StoreError(_system(error), "check the disk and the permissions"))
    return code if isinstance(code, int) else 0


def _unexpected(error: Exception, *, debug: bool) -> int:
    from .unexpected import noted, shown

    where = noted(error, debug=debug)
    if debug:
        print(shown(error), file=sys.stderr)  # noqa: T201
    what = f"memcli: this is a fault of memcli's own ({type(error).__name__}), not of yours"
    details = f"; where it happened is written in {where}" if where else ""
    hint = "" if debug else f" (the same command with {_DEBUG} shows all of it, perhaps with what was said)"
    print(_line(what + details + hint), file=sys.stderr)  # noqa: T201
    return INTERNAL


def _told(error: MemcliError) -> int:
    print(_line(f"memcli: {error.told}"), file=sys.stderr)  # noqa: T201
    return error.exit_code


def _misused(error: typer.TyperException) -> int:
    message = getattr(error, "format_message", lambda: str(error))()
    command = getattr(getattr(error, "ctx", None), "command_path", "memcli")
    return _told(UsageError(message, f"see {command} --help"))


def _system(error: OSError) -> str:
    where = f": {error.filename}" if error.filename else ""
    return f"{error.strerror or error}{where}"


def _line(text: str) -> str:
    return " ".join(clean(text).split())


def _mute() -> None:
    """Python flushes stdout once more at exit; the closed pipe would make it complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
