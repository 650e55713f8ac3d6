"""Every error that memcli raises on purpose, as one tree.

Each class carries the exit code that `docs/cli.md` documents; each instance carries a one-line message that
says what happened and, where there is one, a hint that says what to do. The command line prints exactly those
two lines and nothing else.

    MemcliError                1
    ├── NothingFound           1   the question has no answer in memory
    ├── UsageError             2   an argument or a setting makes no sense
    ├── StoreError             3   the store is missing, damaged, or not a store
    │   ├── StoreMissing       3
    │   ├── StoreDamaged       3
    │   ├── StoreTooNew        3
    │   ├── StoreNotWritable   3
    │   └── StoreBusy          4   another process is writing
    │       └── StoreChanged   4   another process has written between two looks
    ├── ModelUnavailable       5   an embedder or a language model cannot be used
    │   └── BudgetSpent        5   the next call could cost more than is left
    ├── NotFetched             5   a published file cannot be had from where it is published
    └── InputUnreadable        6   something that was to be ingested cannot be read

Anything else that is raised is a fault of memcli's own: a library's user gets it as it is, the command line ends with
exit code 70 and one line that says where the details are (`cli.unexpected`).
"""

from __future__ import annotations

__all__ = [
    "BudgetSpent",
    "InputUnreadable",
    "MemcliError",
    "ModelUnavailable",
    "NotFetched",
    "NothingFound",
    "StoreBusy",
    "StoreChanged",
    "StoreDamaged",
    "StoreError",
    "StoreMissing",
    "StoreNotWritable",
    "StoreTooNew",
    "UsageError",
]


class MemcliError(Exception):
    """The root: catch this one to catch everything that memcli raises on purpose."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def told(self) -> str:
        """What is wrong, and what to do about it."""
        return f"{self.message} ({self.hint})" if self.hint else self.message


class NothingFound(MemcliError):
    """Memory holds nothing that answers."""


class UsageError(MemcliError):
    """An argument, an option or a setting makes no sense."""

    exit_code = 2


class StoreError(MemcliError):
    """The store cannot be used."""

    exit_code = 3


class StoreMissing(StoreError):
    """There is no store at the path."""


class StoreDamaged(StoreError):
    """The file is no memcli store, or its content fails verification."""


class StoreTooNew(StoreError):
    """A newer memcli made this store."""


class StoreNotWritable(StoreError):
    """The store, its folder or its disk takes no writes."""


class StoreBusy(StoreError):
    """Another process holds the store; the bounded wait is over."""

    exit_code = 4


class StoreChanged(StoreBusy):
    """The store was written to while something was read of it bit by bit: what was read does not fit together."""


class ModelUnavailable(MemcliError):
    """An embedder or a language model is not installed, not reachable or not the one the store was built with."""

    exit_code = 5


class BudgetSpent(ModelUnavailable):
    """The next call to a language model could pass the limit: it was not sent, and what was paid for is kept."""


class NotFetched(MemcliError):
    """A published file cannot be had, or is not what was promised."""

    exit_code = 5


class InputUnreadable(MemcliError):
    """Something that was to be ingested cannot be read; what could be read is kept."""

    exit_code = 6
