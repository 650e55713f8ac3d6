"""The command tree. A command is imported and made when it is asked for, and imports what it needs when it runs:
`memcli --help` loads no model and no database.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from functools import lru_cache
from importlib import import_module
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from .. import __version__
from ..errors import UsageError

__all__ = ["app"]

#: What each does in so few words that the list of commands has a line for it in 80 columns; all is in its own help.
_COMMANDS = {
    "ingest": "Add transcripts: exports, folders, logs, standard input.",
    "watch": "Follow files and folders, and store what is new in them.",
    "add": "Remember one thing, now.",
    "search": "Find what was said: ranked turns with date, speaker and id.",
    "ask": "Answer a question, with dates and sources.",
    "show": "Show what an id stands for, in its surroundings.",
    "recap": "Tell what was talked about in a stretch of time.",
    "inspect-graph": "Show the memory graph, or make a page of it.",
    "concepts": "Show what memcli has concluded that people come back to.",
    "eval": "Measure retrieval and answers.",
    "compact": "Give space back.",
    "formats": "List the formats that ingest reads.",
    "models": "List, fetch and measure language models for --model.",
    "export": "Write out what was said: JSON lines, Parquet or Markdown.",
    "stats": "Count what the store holds.",
    "speakers": "List who speaks.",
    "conversations": "List the conversations.",
    "who": "Show who is there, or what is known of somebody.",
    "mcp": "Serve the memory to agents (Model Context Protocol).",
    "import-hook": "Print the hook that stores an agent's sessions.",
    "config": "Show the settings and where they come from, or set one.",
    "doctor": "Verify the store, and repair it.",
    "forget": "Forget turns, and what was made of them, for good.",
    "feedback": "Say that an answer was useful or wrong.",
}
#: A command's function, and the module it is in, have its name, but where Python has one of that name.
_FUNCTIONS = {"eval": "evaluate"}


class _Tree(Mapping[str, Any]):
    """The commands by name, each made when it is wanted: all of them take as long as the rest of a start."""

    def __getitem__(self, name: str) -> Any:
        if name not in _COMMANDS:
            raise KeyError(name)
        return _made(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_COMMANDS)

    def __len__(self) -> int:
        return len(_COMMANDS)


@lru_cache(maxsize=len(_COMMANDS))
def _made(name: str) -> Any:
    module = name.replace("-", "_")
    function = getattr(import_module(f".{module}", __package__), _FUNCTIONS.get(name, module))
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    alone.command(name, short_help=_COMMANDS[name])(function)
    return typer.main.get_command(alone)


class _Commands(TyperGroup):
    """`memcli` itself."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = cast("MutableMapping[str, Any]", _Tree())


app = typer.Typer(
    name="memcli",
    cls=_Commands,
    help="Long-term memory for conversations, on one portable local file.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # help is text: nothing in it is taken for markup
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 nothing found, 2 usage, 3 store missing or damaged, 4 store busy, "
    "5 model unavailable, 6 input unreadable (what could be read is kept), 70 a fault of memcli's own, "
    "130 interrupted.",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"memcli {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the whole traceback of a fault of memcli's own, with any command.")
    ] = False,
) -> None:
    del version, debug  # the one has ended by now; the other is the boundary's, as the tree may be what is at fault
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(UsageError.exit_code)
