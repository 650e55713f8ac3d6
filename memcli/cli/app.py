"""The command tree. Commands import what they need when they run: `memcli --help` loads no model and no database."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import __version__
from .add import add
from .ask import ask
from .compact import compact
from .concepts import concepts
from .config import config
from .conversations import conversations
from .doctor import doctor
from .eval import evaluate
from .export import export
from .feedback import feedback
from .forget import forget
from .formats import formats
from .import_hook import import_hook
from .ingest import ingest
from .inspect_graph import inspect_graph
from .mcp import mcp
from .models import models
from .recap import recap
from .search import search
from .show import show
from .speakers import speakers
from .stats import stats
from .watch import watch
from .who import who

__all__ = ["app"]

app = typer.Typer(
    name="memcli",
    help="Long-term memory for conversations, on one portable local file.",
    no_args_is_help=True,
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
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the whole traceback of a fault of memcli's own, with any command.")
    ] = False,
) -> None:
    pass  # debug is the boundary's, wherever it stands: the tree may be what is at fault


# What each does in so few words that the list of commands has a line for it in 80 columns; all is in its own help.
app.command(short_help="Add transcripts: exports, folders, logs, standard input.")(ingest)
app.command(short_help="Follow files and folders, and store what is new in them.")(watch)
app.command(short_help="Remember one thing, now.")(add)
app.command(short_help="Find what was said: ranked turns with date, speaker and id.")(search)
app.command(short_help="Answer a question, with dates and sources.")(ask)
app.command(short_help="Show what an id stands for, in its surroundings.")(show)
app.command(short_help="Tell what was talked about in a stretch of time.")(recap)
app.command("inspect-graph", short_help="Show the memory graph, or make a page of it.")(inspect_graph)
app.command(short_help="Show what memcli has concluded that people come back to.")(concepts)
app.command("eval", short_help="Measure retrieval and answers.")(evaluate)
app.command(short_help="Give space back.")(compact)
app.command(short_help="List the formats that ingest reads.")(formats)
app.command(short_help="List, fetch and measure language models for --model.")(models)
app.command(short_help="Write out what was said: JSON lines, Parquet or Markdown.")(export)
app.command(short_help="Count what the store holds.")(stats)
app.command(short_help="List who speaks.")(speakers)
app.command(short_help="List the conversations.")(conversations)
app.command(short_help="Show who is there, or what is known of somebody.")(who)
app.command(short_help="Serve the memory to agents (Model Context Protocol).")(mcp)
app.command("import-hook", short_help="Print the hook that stores an agent's sessions.")(import_hook)
app.command(short_help="Show the settings and where they come from, or set one.")(config)
app.command(short_help="Verify the store, and repair it.")(doctor)
app.command(short_help="Forget turns, and what was made of them, for good.")(forget)
app.command(short_help="Say that an answer was useful or wrong.")(feedback)
