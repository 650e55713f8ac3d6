"""Settings: a flag beats the environment, which beats the configuration file, which beats the default.

The only reader of the environment. `MEMCLI_STORE`, `MEMCLI_EMBEDDER`, `MEMCLI_STRATEGY` and `MEMCLI_CONFIG` (the
file's path; else `config.toml` in the user's configuration directory, with keys `store`, `embedder`, `strategy`).
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from .errors import UsageError

__all__ = ["Settings", "settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What memcli is told once for all commands. `embedder` empty: the one that the store was made with, or minilm."""

    store: Path
    embedder: str = ""
    strategy: str = "fused"


def settings(
    *, store: Path | None = None, embedder: str | None = None, environment: Mapping[str, str] | None = None
) -> Settings:
    """The settings in force; the arguments are the command line's flags. Raises UsageError for a bad file."""
    environment = os.environ if environment is None else environment
    flags = {"store": str(store) if store is not None else None, "embedder": embedder}
    file = _file(environment)
    chosen: dict[str, str] = {}
    for name in (f.name for f in fields(Settings)):
        value = flags.get(name) or environment.get(f"MEMCLI_{name.upper()}") or file.get(name)
        if value:
            chosen[name] = value
    path = Path(chosen.pop("store")).expanduser() if "store" in chosen else _default_store()
    return Settings(path, **chosen)


def _default_store() -> Path:
    from platformdirs import user_data_path

    return user_data_path("memcli", appauthor=False) / "memory.memcli"


def _file(environment: Mapping[str, str]) -> dict[str, str]:
    path = _config_path(environment)
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"cannot read the configuration {path}: {error}", "mend or remove the file") from error
    known = {f.name for f in fields(Settings)}
    for name, value in found.items():
        if name not in known or not isinstance(value, str):
            raise UsageError(f"{path}: unknown or ill-typed setting {name!r}", f"known: {', '.join(sorted(known))}")
    return found


def _config_path(environment: Mapping[str, str]) -> Path:
    if environment.get("MEMCLI_CONFIG"):
        return Path(environment["MEMCLI_CONFIG"]).expanduser()
    from platformdirs import user_config_path

    return user_config_path("memcli", appauthor=False) / "config.toml"
