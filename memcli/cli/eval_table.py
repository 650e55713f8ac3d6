"""Records on a terminal, with bars; in a pipe the same tables as Markdown."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..evaluation.tables import (
    ANSWERED,
    RETRIEVED,
    Figure,
    by_category,
    categorised,
    failures,
    figure,
    grid,
    markdown,
    number,
    tables,
)
from ..evaluation.tables import summary as facts
from . import render

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

__all__ = ["show", "show_comparison"]

_BAR = 12
#: Questions that flipped are all in the JSON; a terminal shows the first few.
_FLIPS = 10
_COMPARED = ("first", "second", "difference", "95 %", "p")


def show(document: Mapping[str, Any]) -> None:
    """The tables of a record."""
    if not sys.stdout.isatty():
        render.emit(markdown(document).rstrip("\n"))
        return
    out = render.console()
    for line in facts(document):
        out.print(line, style="dim")
    for title, columns in tables(document):
        out.print(_table(title, document, columns))
    for title, column in categorised(document):
        out.print(_categories(title, document, column))
    for title, found in failures(document):
        out.print(render.one_line(title), style="bold")
        for line in found:
            out.print(render.one_line(f"  {line}"), style="red", soft_wrap=True)


def _table(title: str, document: Mapping[str, Any], columns: Sequence[Figure]) -> Table:
    table = _empty(title, [c.heading for c in columns])
    found = document["strategies"]
    best = {c: max((figure(s, c) or 0.0 for s in found.values()), default=0.0) for c in columns}
    for name, figures in found.items():
        cells = [_cell(figure(figures, c), c, best[c], bar=c in (RETRIEVED, ANSWERED)) for c in columns]
        table.add_row(render.one_line(name), *cells)
    return table


def _categories(title: str, document: Mapping[str, Any], column: Figure) -> Table:
    names, rows = by_category(document, column)
    table = _empty(title, [f"{name} ({document['categories'][name]})" for name in names])
    best = [max((row[i] or 0.0 for row in rows), default=0.0) for i in range(len(names))]
    for strategy, row in zip(document["strategies"], rows, strict=True):
        cells = [_cell(value, column, top, bar=False) for value, top in zip(row, best, strict=True)]
        table.add_row(render.one_line(strategy), *cells)
    return table


def _empty(title: str, headings: Sequence[str]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("strategy", no_wrap=True)
    for heading in headings:
        table.add_column(render.one_line(heading), justify="right")
    return table


def _cell(value: float | None, column: Figure, best: float, *, bar: bool) -> Text:
    from rich.text import Text

    is_best = column.better and value is not None and value > 0 and value == best
    text = Text(number(value, column.digits), style="bold green" if is_best else "")
    if bar and value is not None:
        text = Text.assemble(("█" * round(_BAR * value)).ljust(_BAR), " ", text)
    return text


def show_comparison(found: Mapping[str, Any]) -> None:
    """Two records: the figures of both, the difference, and what flipped."""
    if not found["same_data"]:
        render.say("memcli: the records are of different data: only the questions of both are compared")
    elif len({_slice(record) for record in found["records"]}) > 1:
        render.say("memcli: the records are of different slices: only the questions of both are compared")
    for name, compared in found["strategies"].items():
        title, figures = f"{name}: {compared['n']} questions", compared["figures"]
        rows = [_difference(each) for each in figures.values()]
        if sys.stdout.isatty():
            _print_differences(title, list(figures), rows)
        else:
            plain = [[cell.plain for cell in row] for row in rows]
            render.emit(f"## {title}\n\n{grid(_COMPARED, list(figures), plain, first='figure')}\n")
        for kind, flips in compared["flipped"].items():
            _print_flips(kind, flips)


def _slice(record: Mapping[str, Any]) -> str:
    return str((record["slice"] or {}).get("name", ""))


def _print_differences(title: str, names: Sequence[str], rows: Sequence[Sequence[Text]]) -> None:
    table = _empty(title, _COMPARED)
    for name, row in zip(names, rows, strict=True):
        table.add_row(name, *row)
    render.console().print(table)


def _difference(each: Mapping[str, Any]) -> list[Text]:
    from rich.text import Text

    low, high = each["ci95"]
    style = "green" if low > 0 else "red" if high < 0 else "dim"
    return [
        Text(f"{each['first']:.3f}"),
        Text(f"{each['second']:.3f}"),
        Text(f"{each['difference']:+.3f}", style=style),
        Text(f"{low:+.3f} … {high:+.3f}"),
        Text(f"{each['p']:.3f}"),
    ]


def _print_flips(kind: str, flips: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    from rich.text import Text

    out = render.console()
    for way, sign, style in (("gained", "+", "green"), ("lost", "−", "red")):
        out.print(Text(f"{kind} {way}: {len(flips[way])}", style="bold"))
        for flip in flips[way][:_FLIPS]:
            answers = f"{flip['first'] or '(abstained)'} → {flip['second'] or '(abstained)'}"
            line = f"  {sign} [{flip['category']}] {flip['question']}  {answers}; gold: {flip['gold_answer'] or '–'}"
            out.print(Text(render.one_line(line), style=style), soft_wrap=True)
