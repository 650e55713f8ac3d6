"""A record for people: a Markdown table, and a page with plots that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from .plots import category_bars, recall_curves
from .tables import ANSWERED, RETRIEVED, Figure, cell, failures, markdown, summary, tables

__all__ = ["page", "write_report"]

_STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #fff; --faint: #d8d8d8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --paper: #16181c; --faint: #3a3d44; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto;
       max-width: 76rem; padding: 0 1rem; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 1rem; }
figure { margin: 0; } figcaption { font-weight: 600; }
svg { width: 100%; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: var(--ink); }
.grid { stroke: var(--faint); } .scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid var(--faint); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
"""


def write_report(folder: Path, document: Mapping[str, Any]) -> None:
    """`table.md` and `report.html` beside the record. Raises OSError."""
    (folder / "table.md").write_text(markdown(document), encoding="utf-8")
    (folder / "report.html").write_text(page(document), encoding="utf-8")


def page(document: Mapping[str, Any]) -> str:
    """The record as one self-contained HTML page."""
    title = escape(f"memcli eval: {document['dataset']}")
    facts = "".join(f"<li>{escape(line)}</li>" for line in summary(document))
    plots = "".join(
        f"<figure><figcaption>{escape(caption)}</figcaption>{svg}</figure>"
        for caption, svg in (
            ("Turn recall@k", recall_curves(document, "turn")),
            ("Session recall@k", recall_curves(document, "session")),
            ("Turn recall@10 by category", category_bars(document, RETRIEVED, "turn recall@10 by category")),
            ("LoCoMo F1 by category", category_bars(document, ANSWERED, "LoCoMo F1 by category")),
        )
    )
    figures = "".join(
        f'<h2>{name}</h2><div class="scroll">{_table(document, columns)}</div>' for name, columns in tables(document)
    )
    for name, lines in failures(document):
        figures += f"<h2>{escape(name)}</h2><ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>'
        f'<body><h1>{title}</h1><ul>{facts}</ul><div class="plots">{plots}</div>{figures}</body></html>\n'
    )


def _table(document: Mapping[str, Any], columns: Sequence[Figure]) -> str:
    head = "".join(f"<th>{escape(column.heading)}</th>" for column in columns)
    rows = "".join(
        f"<tr><td>{escape(name)}</td>{''.join(f'<td>{cell(found, column)}</td>' for column in columns)}</tr>"
        for name, found in document["strategies"].items()
    )
    return f"<table><thead><tr><th>strategy</th>{head}</tr></thead><tbody>{rows}</tbody></table>"
