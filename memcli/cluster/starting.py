"""Ray for as long as a command lasts: a cluster that is running, or one that is started on this machine."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import MemcliError, ModelUnavailable, UsageError

__all__ = ["HERE", "TRIES", "gotten", "library", "processors", "remote", "started"]

#: In place of an address: Ray is started on this machine, and ended with the command.
HERE = "local"
#: So often a task is tried again whose machine is lost.
TRIES = 5


def library() -> Any:
    """Ray itself; what types it has are not checked. Raises UsageError without the extra memcli[ray]."""
    try:
        import ray
    except ImportError as error:
        raise UsageError("Ray is not installed", "pip install 'memcli[ray]'") from error
    return ray


@contextmanager
def started(address: str = HERE) -> Iterator[None]:
    """Ray is there meanwhile: the cluster at `address` ("auto": one that runs on this machine), or one of this machine.

    Where this process has connected to one already, that. Nothing is sent to Ray's makers, and no dashboard is opened.
    Raises UsageError without the extra memcli[ray], ModelUnavailable where no cluster is there, or none starts.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else Ray warns of what it will do one day
    ray = library()
    if ray.is_initialized():
        yield
        return
    try:
        ray.init(address, namespace="memcli", log_to_driver=False, logging_level=logging.ERROR, **_own(address))
    except Exception as error:  # what Ray raises where nodes do not start in time is of no other kind
        reason = str(error).partition("\n")[0]
        raise ModelUnavailable(f"Ray does not start ({address}): {reason}", "ray start --head starts one") from error
    try:
        yield
    finally:
        ray.shutdown()


def _own(address: str) -> dict[str, Any]:
    """What is said of a cluster that is started here."""
    return {"include_dashboard": False} if address == HERE else {}


def processors() -> int:
    """How many processors the cluster has."""
    return max(1, int(library().cluster_resources().get("CPU", 1)))


def gotten(refs: Sequence[Any]) -> list[Any]:
    """What these tasks return. What memcli raises in one of them is raised as it was."""
    ray = library()
    try:
        found: list[Any] = ray.get(list(refs))
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, MemcliError):
            raise error.cause from None
        raise
    return found


def remote(function: Callable[..., Any], **options: Any) -> Any:
    """A function as a task of the cluster. A task has one thread for numbers, since there are as many as processors."""
    return library().remote(**({"num_cpus": 1, "max_retries": TRIES} | options))(function)
