"""Settings: a flag beats the environment, which beats the configuration file, which beats the default.

The only reader of the environment. `MEMCLI_STORE`, `MEMCLI_EMBEDDER`, `MEMCLI_STRATEGY`, `MEMCLI_MODEL`,
`MEMCLI_CACHE`, `MEMCLI_SENSITIVE`, `MEMCLI_RECORD`, `MEMCLI_SPEAKER` and `MEMCLI_CONFIG` (the file's path; else
`config.toml` in the user's configuration directory, with the same names in lower case as keys).
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from .errors import UsageError

__all__ = [
    "InForce", "Settings", "access_token", "benchmarks_folder", "in_force", "models_folder", "save", "settings",
    "state_folder",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """What memcli is told once for all commands. `embedder` empty: the one that the store was made with, or minilm.

    `model` empty: no language model; `cache`: what evaluations keep, and what can be made again; `sensitive`: of which
    relations, by name and with commas, no lasting edge is made ("none": of all of them one may be); `record`: whether
    answers are remembered for feedback, "yes" or "no"; `speaker`: as whom `memcli add` remembers.
    """

    store: Path
    cache: Path
    embedder: str = ""
    strategy: str = "fused"
    model: str = ""
    sensitive: str = "allergy, believes, fears, health"
    record: str = "yes"
    speaker: str = "me"

    @property
    def records(self) -> bool:
        """Whether answers are remembered. Raises UsageError where the setting is neither yes nor no."""
        if self.record not in ("yes", "no"):
            raise UsageError(f"the setting record is yes or no, not {self.record!r}")
        return self.record == "yes"


def settings(
    *,
    store: Path | None = None,
    embedder: str | None = None,
    model: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """The settings in force; the arguments are the command line's flags. Raises UsageError for a bad file."""
    environment = os.environ if environment is None else environment
    flags = {"store": str(store) if store is not None else None, "embedder": embedder, "model": model}
    file = _file(environment)
    chosen: dict[str, str] = {}
    for name in (f.name for f in fields(Settings)):
        value = flags.get(name) or environment.get(f"MEMCLI_{name.upper()}") or file.get(name)
        if value:
            chosen[name] = value
    paths = {name: Path(chosen.pop(name)).expanduser() for name in ("store", "cache") if name in chosen}
    return Settings(paths.get("store") or _default_store(), paths.get("cache") or _default_cache(), **chosen)


@dataclass(frozen=True, slots=True)
class InForce:
    """A setting with the value in force and where it is from: a variable of the environment, the file, the default."""

    name: str
    value: str
    source: str


def in_force(environment: Mapping[str, str] | None = None) -> list[InForce]:
    """Every setting, as commands without a flag have it. Raises UsageError for a bad file."""
    environment = os.environ if environment is None else environment
    chosen, file = settings(environment=environment), _file(environment)
    return [
        InForce(name, str(getattr(chosen, name)), _source(name, environment, file))
        for name in (f.name for f in fields(Settings))
    ]


def _source(name: str, environment: Mapping[str, str], file: Mapping[str, str]) -> str:
    if environment.get(f"MEMCLI_{name.upper()}"):
        return f"MEMCLI_{name.upper()}"
    return str(_config_path(environment)) if file.get(name) else "default"


def save(name: str, value: str | None, environment: Mapping[str, str] | None = None) -> Path:
    """Writes a setting into the configuration file, None: takes it out; every other line stays. Returns the file.

    Raises UsageError for an unknown name, and where the file cannot be read or written.
    """
    environment = os.environ if environment is None else environment
    known = [f.name for f in fields(Settings)]
    if name not in known:
        raise UsageError(f"there is no setting {name!r}", f"known: {', '.join(sorted(known))}")
    _file(environment)  # one that is broken is not made worse
    path = _config_path(environment)
    try:
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        kept = [line for line in lines if line.partition("=")[0].strip() != name]
        path.parent.mkdir(parents=True, exist_ok=True)
        written = [f"{name} = {json.dumps(value, ensure_ascii=False)}"] if value is not None else []
        _replaced(path.resolve(), "".join(f"{line}\n" for line in [*written, *kept]))
    except OSError as error:
        raise UsageError(f"cannot write the configuration {path}: {error.strerror}", "or set MEMCLI_CONFIG") from error
    return path


def _replaced(path: Path, text: str) -> None:
    """Writes the file whole or not at all; who may read it stays as it was."""
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        beside.touch(0o600)
        beside.write_text(text, encoding="utf-8")
        if path.exists():
            beside.chmod(path.stat().st_mode & 0o777)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def access_token() -> str:
    """What clients of `memcli mcp --http` have to send: `MEMCLI_TOKEN`; empty where it is not set. No file keeps it."""
    return os.environ.get("MEMCLI_TOKEN", "").strip()


def benchmarks_folder() -> Path:
    """Where the files of benchmarks are looked for."""
    from platformdirs import user_data_path

    return user_data_path("memcli", appauthor=False) / "benchmarks"


def models_folder() -> Path:
    """Where the weights of language models lie that run in this process."""
    from platformdirs import user_data_path

    return user_data_path("memcli", appauthor=False) / "models"


def state_folder() -> Path:
    """Where it stands what was done last on this machine."""
    from platformdirs import user_state_path

    return user_state_path("memcli", appauthor=False)


def _default_store() -> Path:
    from platformdirs import user_data_path

    return user_data_path("memcli", appauthor=False) / "memory.memcli"


def _default_cache() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("memcli", appauthor=False)


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
