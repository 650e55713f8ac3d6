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


app.command()(ingest)
app.command()(watch)
app.command()(add)
app.command()(search)
app.command()(ask)
app.command()(show)
app.command()(recap)
app.command("inspect-graph")(inspect_graph)
app.command()(concepts)
app.command("eval")(evaluate)
app.command()(compact)
app.command()(formats)
app.command()(models)
app.command()(export)
app.command()(stats)
app.command()(speakers)
app.command()(conversations)
app.command()(who)
app.command()(mcp)
app.command("import-hook")(import_hook)
app.command()(config)
app.command()(doctor)
app.command()(forget)
app.command()(feedback)
