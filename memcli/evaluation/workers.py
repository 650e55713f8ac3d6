"""Processes that ask: each takes a part of the questions over one store, and writes down what it finds as it goes."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import BinaryIO

from ..memory import Memory
from ..store.views.view import View
from ..strategies import Strategy
from ..text import content_stems
from .asking import Limits, PosedQuestion, ask
from .baselines import contender
from .outcomes import append

__all__ = ["Task", "pool", "work"]


@dataclass(frozen=True, slots=True)
class Task:
    """Questions over one store. `files`: where each contender's outcomes go; `missing`: the questions left for it;
    `reranker`: the name of the one that a baseline asks.
    """

    store: Path
    questions: Sequence[PosedQuestion]
    files: Mapping[str, Path]
    missing: Mapping[str, frozenset[str]]
    limits: Limits
    seed: int
    reranker: str = ""


def work(task: Task) -> int:
    """Asks what is missing; returns how many outcomes were found. Every contender is asked a question in turn."""
    done = 0
    memory = Memory(task.store)
    with ExitStack() as stack:
        stack.enter_context(memory.store.reading())
        view = memory.view()
        _preload(view, task.questions)
        made = {name: contender(name, task.seed, task.reranker) for name in task.files}
        stack.callback(_close, made.values())
        streams = {name: stack.enter_context(_appending(path)) for name, path in task.files.items()}
        for question in task.questions:
            for name, strategy in made.items():
                if question.id in task.missing[name]:
                    append(streams[name], ask(question, strategy, view, task.limits))
                    done += 1
    return done


def _close(contenders: Iterable[Strategy]) -> None:
    for each in contenders:
        if hasattr(each, "close"):
            each.close()


def _preload(view: View, questions: Sequence[PosedQuestion]) -> None:
    """Everything that many questions will ask for, in a few queries instead of a few for each."""
    view.postings([stem for question in questions for stem in content_stems(question.question.text)])
    view.fetch(range(view.n))
    view.sentence_texts(range(view.n))


@contextmanager
def _appending(path: Path) -> Iterator[BinaryIO]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as stream:
        if stream.tell() and not path.read_bytes().endswith(b"\n"):
            stream.write(b"\n")  # an outcome that a kill has cut off stays a line of its own
        yield stream


@contextmanager
def pool(workers: int) -> Iterator[Executor]:
    """Where tasks run: processes of their own, or with one worker this one. An error ends those at work, too."""
    if workers <= 1:
        yield _Here()
        return
    others = set(active_children())
    # Spawned, not forked: a fork would copy the threads' locks of the embedder that is at work.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_settle) as executor:
        try:
            yield executor
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            for process in set(active_children()) - others:
                process.terminate()
            raise


class _Here(Executor):
    """Runs what is submitted at once."""

    def submit(self, function, /, *arguments, **named):  # type: ignore[no-untyped-def]
        """See `Executor.submit`."""
        future: Future[object] = Future()
        future.set_result(function(*arguments, **named))
        return future


def _settle() -> None:
    """What a new process does first."""
    from threadpoolctl import threadpool_limits

    # An interrupt is the parent's to handle: it ends its children.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The processes share the processors already: numpy's own threads would only get in each other's way.
    threadpool_limits(1)
