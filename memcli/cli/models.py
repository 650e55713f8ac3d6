"""`memcli models`: which language models there are on this machine, fetching one, and how fast one is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from . import completion
from . import options as o

if TYPE_CHECKING:
    from ..providers.offers import ModelOffer
    from ..providers.servers import Server

__all__ = ["models"]

What = Annotated[
    Literal["list", "get", "check"],
    typer.Argument(
        metavar="[list|get|check]", help="List them (the default), fetch one, or measure one.", show_default=False
    ),
]
Name = Annotated[
    str | None,
    typer.Argument(metavar="[NAME]", autocompletion=completion.weights, help="The model to fetch or to measure."),
]
Yes = Annotated[bool, typer.Option("--yes", help="Fetch it without asking.")]


def models(what: What = "list", name: Name = None, yes: Yes = False, as_json: o.Json = False) -> int:
    """List the language models for --model: those that run in memcli (gguf:NAME), those that memcli can fetch, and what
    Ollama, LM Studio or another server on this machine offers.

    get NAME fetches one from the project's list into your data directory: size, licence and checksum are shown first,
    and nothing is fetched before you have said yes. What breaks off goes on where it stopped. Any GGUF file that you
    put there, or name by its path, will do as well.

    check NAME loads a model and says how much memory it takes and how many tokens a second it reads and writes.
    """
    from ..errors import UsageError

    if what != "list" and name is None:
        raise UsageError(f"memcli models {what} needs the name of a model", "memcli models lists them")
    if what == "get":
        return _get(name or "", yes=yes, as_json=as_json)
    return _check(name or "", as_json=as_json) if what == "check" else _list(as_json=as_json)


def _list(*, as_json: bool) -> int:
    from ..config import models_folder
    from ..providers.offers import offers
    from ..providers.servers import servers
    from ..providers.weights import installed
    from .render import emit_json

    known = offers()
    here = [
        {"name": f"gguf:{path.stem}", "bytes": path.stat().st_size, "licence": _licence(known.get(path.stem))}
        for path in installed()
    ]
    left = [each for each in known.values() if f"gguf:{each.name}" not in {found["name"] for found in here}]
    running = servers()
    if as_json:
        served = [{"name": each.kind, "url": each.url, "models": list(each.models)} for each in running]
        offered = [_record(each) for each in left]
        emit_json({"folder": o.typed(str(models_folder())), "models": here, "offered": offered, "servers": served})
    else:
        _print(here, left, running)
    return 0


def _licence(known: ModelOffer | None) -> str | None:
    return known.licence if known else None


def _record(each: ModelOffer) -> dict[str, Any]:
    return {"name": each.name, "parameters": each.parameters, "bytes": each.bytes, "licence": each.licence,
            "sha256": each.sha256, "url": each.url}  # fmt: skip


def _print(here: Sequence[dict[str, Any]], left: Sequence[ModelOffer], running: Sequence[Server]) -> None:
    from .render import emit, one_line, padded, size

    for each in here:
        emit(
            f"{padded(one_line(each['name']), 28)}  {size(each['bytes']):>8}  {each['licence'] or 'a file of your own'}"
        )
    for server in running:
        for model in server.models:
            emit(f"{padded(one_line(f'{server.kind}:{model}'), 28)}  {'':>8}  at {one_line(server.url)}")
    for offer in left:
        told = f"{offer.licence}, not here: memcli models get {offer.name}"
        emit(f"{padded(offer.name, 28)}  {size(offer.bytes):>8}  {told}")


def _get(name: str, *, yes: bool, as_json: bool) -> int:
    from ..config import models_folder
    from ..errors import UsageError
    from ..providers.offers import offer
    from ..providers.weights import SUFFIX
    from .fetching import can_ask, fetched
    from .render import emit, emit_json, say

    wanted = offer(name)
    path = models_folder() / f"{wanted.name}{SUFFIX}"
    if path.exists():
        say(f"gguf:{wanted.name} is there already")
        return 0
    if not fetched(wanted, f"{wanted.name}, {wanted.parameters} parameters", path, yes=yes):
        if not can_ask():
            raise UsageError("there is no terminal to ask on", "give --yes to fetch it")
        return 0
    if as_json:
        emit_json({"name": f"gguf:{wanted.name}", "path": o.typed(str(path)), **_record(wanted)})
    else:
        emit(f"gguf:{wanted.name}")
    return 0


def _check(name: str, *, as_json: bool) -> int:
    from ..errors import UsageError
    from ..providers.local import speed, threads
    from ..providers.weights import weights
    from .render import emit, emit_json, one_line, size

    kind, _, file = name.partition(":")
    if kind in ("ollama", "lmstudio", "openai"):
        raise UsageError(f"{name} runs elsewhere", "check measures models that run in memcli: gguf:NAME")
    path = weights(file if kind == "gguf" else name)
    found = speed(path)
    if as_json:
        emit_json({
            "name": f"gguf:{path.stem}", "bytes": path.stat().st_size, "threads": threads(), "memory": found.memory,
            "loading_seconds": round(found.loading, 2), "prompt_tokens_a_second": round(found.reading, 1),
            "reply_tokens_a_second": round(found.writing, 1),
        })  # fmt: skip
        return 0
    emit(f"gguf:{one_line(path.stem)}: {size(path.stat().st_size)}, loaded in {found.loading:.1f} s")
    if found.memory is not None:
        emit(f"memory: {size(found.memory)} at the most, memcli's own included")
    emit(f"reads {found.reading:.0f} tokens a second and writes {found.writing:.0f}, on {threads()} threads")
    return 0
