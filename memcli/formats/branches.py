"""Conversations that are trees, because a message was edited or an answer asked for again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["branch", "everything"]


def branch(leaf: str, parents: Mapping[str, str | None]) -> list[str]:
    """The way down to `leaf` from the root; a loop, which no export should have, is followed once."""
    found: dict[str, None] = {}
    at: str | None = leaf
    while at is not None and at in parents and at not in found:
        found[at] = None
        at = parents[at]
    return list(reversed(found))


def everything(parents: Mapping[str, str | None]) -> list[str]:
    """Every node, each branch to its end before the next, siblings in the order of the export."""
    children: dict[str | None, list[str]] = {}
    for node, parent in parents.items():
        children.setdefault(parent if parent in parents else None, []).append(node)
    found: dict[str, None] = {}
    _descend(children.get(None, []), children, found)
    _descend(parents, children, found)  # what hangs on no root
    return list(found)


def _descend(roots: Iterable[str], children: Mapping[str | None, list[str]], found: dict[str, None]) -> None:
    waiting = list(reversed(list(roots)))
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = None
            waiting.extend(reversed(children.get(node, [])))
