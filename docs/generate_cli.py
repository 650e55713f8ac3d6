"""Writes docs/cli.md from the commands' own help; with --check only says whether it is up to date.

python docs/generate_cli.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import typer.main

from memcli.cli.app import app

PAGE = Path(__file__).with_name("cli.md")
HEAD = """# The command line

Generated from the commands' own help by `docs/generate_cli.py`; checked in CI.

Data goes to standard output, everything else to standard error; a progress bar appears only on a terminal. `-` stands
for standard input. `NO_COLOR` is respected, a closed pipe ends a command quietly, `--install-completion` sets up your
shell.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | nothing found; nothing in memory answers this |
| 2 | usage |
| 3 | the store is missing, damaged or cannot be written; a disk or a permission stands in the way |
| 4 | the store is busy: another process held it longer than the wait (readers 10 s, writers 60 s) |
| 5 | a model is unavailable, or a published file cannot be fetched |
| 6 | some input could not be read; what could be read is stored |
| 70 | a fault of memcli's own, see below |
| 130 | interrupted |

A fault of memcli's own is told in one line. Where it happened is in `last-error.log` in the cache directory: the names
of exceptions, files and line numbers, and nothing that was said. The same command with `--debug` shows the whole
traceback, and writes that; it may quote the store.

A setting is taken from the flag, else from the environment (`MEMCLI_STORE`, `MEMCLI_EMBEDDER`, `MEMCLI_STRATEGY`,
`MEMCLI_MODEL`, `MEMCLI_CACHE`, `MEMCLI_RECORD`, `MEMCLI_SPEAKER`), else
from `config.toml` in your configuration directory (or where `MEMCLI_CONFIG` points), else it is the default.
"""


def page() -> str:
    """The whole page."""
    root: Any = typer.main.get_command(app)
    return HEAD + "".join(_section(name, command) for name, command in root.commands.items())


def _section(name: str, command: Any) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and p.name != "help"]
    usage = " ".join([f"memcli {name}", "[OPTIONS]", *(a.metavar or a.name.upper() for a in arguments)])
    lines = [f"\n## {name}\n", f"```\n{usage}\n```\n", command.help.strip().replace("\n    ", "\n") + "\n"]
    rows = [(a.metavar or a.name.upper(), a.help) for a in arguments] + [(_names(p), _help(p)) for p in options]
    table = ["| | |", "|---|---|", *(f"| `{left}` | {right} |" for left, right in rows)]
    return "\n".join([*lines, *table]) + "\n"


def _names(option: Any) -> str:
    names = ", ".join(option.opts)
    if option.is_flag:
        return names
    stands_for = "N" if isinstance(option.default, int) else option.name.upper().strip("_")
    return f"{names} {option.metavar or stands_for}"


def _help(option: Any) -> str:
    default = option.default
    shown = f" Default: {default}." if isinstance(default, int) and not isinstance(default, bool) else ""
    return f"{option.help or ''}{shown}"


if __name__ == "__main__":
    if "--check" in sys.argv:
        same = PAGE.read_text(encoding="utf-8") == page()
        sys.exit(0 if same else "docs/cli.md is out of date: run docs/generate_cli.py")
    PAGE.write_text(page(), encoding="utf-8")
