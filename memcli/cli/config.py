"""`memcli config`: every setting with where its value comes from; and setting one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from . import completion
from . import options as o

if TYPE_CHECKING:
    from ..config import InForce

__all__ = ["config"]

Name = Annotated[
    str | None,
    typer.Argument(metavar="[NAME]", autocompletion=completion.settings_known, help="One of the settings."),
]
Value = Annotated[str | None, typer.Argument(metavar="[VALUE]", help="What it is to be, from now on.")]
Unset = Annotated[bool, typer.Option("--unset", help="Take it out of the file: the default holds again.")]


def config(name: Name = None, value: Value = None, unset: Unset = False, as_json: o.Json = False) -> None:
    """Show every setting, its value and where that comes from: the environment, the file, or the default.

    With a NAME and a VALUE, set it in the configuration file.
    A flag of a command beats them all. What is set is checked first.
    """
    from ..config import in_force, save
    from ..errors import UsageError
    from .render import say

    if (unset or value is not None) and (name is None or (unset and value is not None)):
        raise UsageError("set a NAME to a VALUE, or --unset a NAME")
    if name is not None and (unset or value is not None):
        wanted = None if value is None else o.typed(value)
        _check(name, wanted)
        say(f"memcli: written to {save(name, wanted)}")
    found = [each for each in in_force() if name in (None, each.name)]
    if not found:
        raise UsageError(f"there is no setting {name!r}", f"known: {', '.join(each.name for each in in_force())}")
    _show(found, as_json=as_json)


def _check(name: str, value: str | None) -> None:
    """Raises UsageError for a value that no command would take."""
    from ..errors import UsageError

    if value is None:
        return
    if name == "record" and value not in ("yes", "no"):
        raise UsageError(f"the setting record is yes or no, not {value!r}")
    if name == "strategy":
        from ..strategies import strategy

        strategy(value)
    if name == "embedder" and value:
        from ..providers.embedding import choices, is_known

        if not is_known(value):
            raise UsageError(f"unknown embedder {value!r}", f"choose one of: {', '.join(choices())}")
    if name == "sensitive" and value != "none":
        from ..model.relations import RelationType

        unknown = [each for each in (part.strip() for part in value.split(",")) if each not in list(RelationType)]
        if unknown:
            raise UsageError(f"there is no relation {unknown[0]!r}", f"known: {', '.join(RelationType)}; or none")


def _show(found: list[InForce], *, as_json: bool) -> None:
    from .render import cells, emit, emit_json, one_line, padded

    if as_json:
        emit_json({"settings": [{"name": e.name, "value": e.value, "source": e.source} for e in found]})
        return
    names, values = max(cells(e.name) for e in found), max(cells(one_line(e.value)) for e in found)
    for each in found:
        emit(f"{padded(each.name, names)}  {padded(one_line(each.value), values)}  {one_line(each.source)}".rstrip())
