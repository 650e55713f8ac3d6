"""Networks that memcli ships, as files of ONNX beside the module that runs them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from ..errors import ModelUnavailable

__all__ = ["Session", "packaged", "sized"]

#: Runs after which a network is prepared for more: to do so takes about as long as it saves in so many.
_OFTEN = 48


@dataclass(frozen=True, slots=True)
class _Layout:
    """How far onnxruntime optimises the graph, whether it lays weights out for speed, and whether it keeps the memory
    that the largest text needed.
    """

    level: str
    packs: bool
    keeps: bool


#: For one question: to prepare anything takes longer than that gains.
_ONCE = _Layout("ORT_DISABLE_ALL", packs=False, keeps=False)
#: For those that follow: what changes no result.
_AGAIN = _Layout("ORT_ENABLE_BASIC", packs=True, keeps=False)
_BULK = _Layout("ORT_ENABLE_ALL", packs=True, keeps=True)


def packaged(package: str, name: str, sha256: str) -> Path:
    """The file `name` of a package, which must be the one that was shipped. Raises ModelUnavailable."""
    path = _beside(package, name)
    with path.open("rb") as weights:
        return _undamaged(path, hashlib.file_digest(weights, "sha256").hexdigest() == sha256)


def sized(package: str, name: str, size: int, *, beside: str = "") -> Path:
    """The same of a network whose numbers lie in a file `beside` it (`name.data`, unless it is said), to be mapped and
    not read: together they are as long as those that were shipped. What is kept nowhere need not be hashed at each
    start.
    """
    path = _beside(package, name)
    files = (path, path.with_name(beside or f"{name}.data"))
    return _undamaged(path, sum(file.stat().st_size for file in files if file.exists()) == size)


def _beside(package: str, name: str) -> Path:
    return Path(str(resources.files(package).joinpath(name)))


def _undamaged(path: Path, is_whole: bool) -> Path:
    if not is_whole:
        raise ModelUnavailable(f"the weights in {path.name} are damaged", "pip install --force-reinstall memcli")
    return path


class Session:
    """A network ready to run. `bulk`: it is going to be run often, so time to prepare it is well spent.

    Another one is prepared when it has run so often that it would have paid: whoever asks once waits for nothing, and
    whoever keeps asking gets the same, to the last bit, sooner. Raises what onnxruntime raises.
    """

    def __init__(self, path: Path, *, bulk: bool) -> None:
        self._path = path
        self._network = _made(path, _BULK if bulk else _ONCE)
        self._runs = _OFTEN + 1 if bulk else 0

    @property
    def inputs(self) -> list[str]:
        """The names of what it takes."""
        return [each.name for each in self._network.get_inputs()]

    def run(self, given: Mapping[str, Any]) -> Any:
        """What the network makes of it: each of its outputs."""
        if self._runs < _OFTEN:
            self._runs += 1
        elif self._runs == _OFTEN:
            self._network, self._runs = _made(self._path, _AGAIN), _OFTEN + 1
        return self._network.run(None, given)


def _made(path: Path, layout: _Layout) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, layout.level)
    options.add_session_config_entry("session.disable_prepacking", "0" if layout.packs else "1")
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = layout.keeps
    # One text is too little work to share; texts are shared out instead.
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
