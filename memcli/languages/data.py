"""Word lists and rule tables of a language: TOML files beside the modules that use them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Any

__all__ = ["filled", "table"]

#: Patterns are broken into lines, each set in by two spaces, to be read by people.
_BREAK = re.compile(r"(?:\A|\n) {2}")
_PLACE = re.compile(r"\{([a-z_]+)\}")


@lru_cache
def table(package: str, name: str) -> Mapping[str, Any]:
    """The data file `name`.toml of a package; not to be changed."""
    return tomllib.loads(resources.files(package).joinpath(f"{name}.toml").read_text(encoding="utf-8"))


def filled(pattern: str, known: Mapping[str, str]) -> str:
    """A pattern on one line, with `{name}` replaced by what is known under the name, filled itself.

    Raises KeyError for a name that is not known.
    """
    return _PLACE.sub(lambda place: filled(known[place[1]], known), _BREAK.sub("", pattern))
