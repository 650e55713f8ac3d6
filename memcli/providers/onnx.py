"""Networks that memcli ships, as files of ONNX beside the module that runs them."""

from __future__ import annotations

import hashlib
from importlib import resources
from pathlib import Path
from typing import Any

from ..errors import ModelUnavailable

__all__ = ["packaged", "session", "sized"]


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


def session(path: Path, *, bulk: bool) -> Any:
    """A network ready to run. `bulk`: it is going to be run often, so time to prepare it is well spent."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    level = onnxruntime.GraphOptimizationLevel
    # To optimise the graph, and to lay its weights out for speed, takes longer than one question gains by it.
    options.graph_optimization_level = level.ORT_ENABLE_ALL if bulk else level.ORT_DISABLE_ALL
    options.add_session_config_entry("session.disable_prepacking", "0" if bulk else "1")
    options.log_severity_level = 3
    # An arena would keep what the largest text needed.
    options.enable_cpu_mem_arena = bulk
    # One text is too little work to share; texts are shared out instead.
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
