"""A cluster as an executor: what is submitted runs as a task, and is tried again where its machine is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any

from .starting import library, processors, remote, started

__all__ = ["pool"]


@contextmanager
def pool(address: str) -> Iterator[tuple[Executor, int]]:
    """Where tasks run, and how many at a time. Raises what `started` raises."""
    with started(address):
        yield _Tasks(), processors()


class _Tasks(Executor):
    """Runs what is submitted on the cluster."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """See `Executor.submit`. What memcli raises in a task is raised as it was."""
        found: Future[Any] = remote(function).remote(*arguments, **named).future()
        raised: Future[Any] = Future()
        raised.set_running_or_notify_cancel()
        found.add_done_callback(lambda done: _handed_on(done, raised))
        return raised


def _handed_on(done: Future[Any], to: Future[Any]) -> None:
    error = done.exception()
    if error is None:
        to.set_result(done.result())
    else:
        failed = library().exceptions.RayTaskError
        to.set_exception(error.cause if isinstance(error, failed) else error)
