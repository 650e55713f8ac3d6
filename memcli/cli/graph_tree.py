"""The neighbourhood of some units as a tree: each node below the one from which it was reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .render import apart, console, moment, one_line

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

    from ..model import Edge
    from ..store.graph import Node, Subgraph

__all__ = ["print_tree"]

_NARROWEST = 24  # characters of a node's text, however narrow the terminal
_PLAIN_TEXT = 160  # characters of a node's text where no terminal says how wide a line may be
_UNBROKEN = 1000  # so wide that rich breaks no line: they are cut to fit here, and only their text


def print_tree(found: Subgraph) -> None:
    """Prints the neighbourhood `found`, one tree for each of its roots; the same in a pipe, without styles."""
    out = console()
    room = out.width if out.is_terminal else None
    out.width = _UNBROKEN
    branches: dict[str, tuple[Tree, int]] = {}
    for node in found.nodes:
        edge = found.reached.get(node.id)
        if edge is None:
            branches[node.id] = (_root(node, room), 0)
            continue
        parent, depth = branches[edge.dst if edge.src == node.id else edge.src]
        line = _line(node, edge, None if room is None else room - 4 * (depth + 1))
        branches[node.id] = (parent.add(line), depth + 1)
    for root in found.roots:
        out.print(branches[root][0], soft_wrap=True)


def _root(node: Node, room: int | None) -> Tree:
    from rich.tree import Tree

    return Tree(_line(node, None, room), guide_style="dim")


def _line(node: Node, edge: Edge | None, room: int | None) -> Text:
    """The node as one line that fits: its id, how it is joined, what it is, when, who, what."""
    from rich.text import Text

    line = Text(f"{node.id}  ", style="dim")
    if edge is not None:
        line.append(f"{_relation(node, edge)}  ", style="magenta")
    line.append(f"{node.kind}  ", style="bold green")
    line.append(f"{moment(node.at) or 'undated'}  ", style="cyan")
    speaker = one_line(node.speaker)
    if speaker and not _says_who(node):
        line.append(f"{speaker}: ", style="bold")
    text = Text(one_line(node.text))
    free = _PLAIN_TEXT if room is None else max(room - line.cell_len, _NARROWEST)
    text.truncate(free, overflow="ellipsis")
    return line.append_text(text) if room is None else apart(line.append_text(text))


def _relation(node: Node, edge: Edge) -> str:
    """How the node is joined to the one above it, read from that one."""
    if edge.relation == "membership":
        return "part of" if edge.dst == node.id else "contains"
    return f"{one_line(edge.relation)} {edge.weight:.2f}"


def _says_who(node: Node) -> bool:
    """Whether the text names its speakers itself, as that of several turns does."""
    return any(node.text.startswith(f"{name}: ") for name in node.speaker.split(", "))
