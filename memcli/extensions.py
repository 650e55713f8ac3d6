"""What other packages may add: strategies, embedders, formats, languages, rerankers, found by their entry points.

An extension is an entry point `name = "package.module:attribute"` in one of the groups `memcli.strategies`,
`memcli.embedders`, `memcli.formats`, `memcli.languages` and `memcli.rerankers`. What memcli brings itself is named in
the same form and loaded in the same way; of two with one name memcli's own counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import MemcliError, UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["Extensible"]


@dataclass(frozen=True)
class Extensible:
    """One kind of thing that packages may add. `built_in`: "module:attribute" by name, in the order to offer them."""

    group: str
    built_in: Mapping[str, str]

    def names(self) -> Sequence[str]:
        """What there is, memcli's own first. Nothing is loaded."""
        return [*self.built_in, *(name for name in sorted(_installed(self.group)) if name not in self.built_in)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self.names())

    def __contains__(self, name: object) -> bool:
        """Whether there is one called so. Installed packages are looked through only where memcli has none."""
        return name in self.built_in or name in _installed(self.group)

    def load(self, name: str) -> Any:
        """What is called so. Raises KeyError where nothing is, and UsageError where a package's cannot be loaded."""
        if name in self.built_in:
            module, _, attribute = self.built_in[name].partition(":")
            return getattr(import_module(module), attribute)
        point = _installed(self.group)[name]
        with _blaming(point, "loaded"):
            return point.load()

    def make(self, name: str, *arguments: object) -> Any:
        """What the factory called so makes of these arguments. Raises what `load` raises, and the factory's own errors.

        An error of an installed factory that is none of memcli's is a UsageError that names its package.
        """
        factory = self.load(name)
        if name in self.built_in:
            return factory(*arguments)
        with _blaming(_installed(self.group)[name], "used"):
            return factory(*arguments)


@contextmanager
def _blaming(point: EntryPoint, done: str) -> Iterator[None]:
    try:
        yield
    except MemcliError:
        raise
    except Exception as error:  # whatever a stranger's code does when it is imported or called
        said = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise UsageError(
            f"{point.name!r} of the package {_package(point)} cannot be {done}: {said}", "update it, or uninstall it"
        ) from error


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.value


@lru_cache
def _installed(group: str) -> Mapping[str, EntryPoint]:
    """The entry points of installed packages, by name: to look through them costs some milliseconds a process."""
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=group)}
