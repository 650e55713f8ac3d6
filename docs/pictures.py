"""Draws the README's pictures, docs/pictures/*.svg, from the sample chats and from what was measured.

python docs/pictures.py [--check]

An answer in a terminal, as the command prints it; the graph around a question; how well evidence is found. With
--check it only says whether they are up to date: the same words and the same shapes, wherever they lie, for the last
digit of a layout is the processor's.
"""

from __future__ import annotations

import json
import os
import pty
import random
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import igraph
from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
WIDTH = 100
ASKED = (
    'memcli ask "What is Nora\'s phone number?" -k 2',
    'memcli ask "When was Nora\'s interview?" -k 1',
    'memcli search "plans for Christmas" -k 3',
)
AROUND = "Where will Nora live?"
NODES = 36
#: As on the page itself (`memcli/cli/graph.html`), for a light page.
KINDS = {"session": "#e8590c", "round": "#0b8a6a", "turn": "#3b5bdb", "sentence": "#b23a9a", "assertion": "#99620a"}
RELATIONS = {"membership": "#8b93ab", "similar": "#8a63d2"}
RADII = {"session": 13, "round": 9, "turn": 7, "sentence": 5, "assertion": 5}
#: Told apart by people who do not see all colours (Okabe & Ito 2008).
CONTENDERS = {"fused": "#0072b2", "turns as vectors": "#e69f00", "BM25": "#009e73"}
FONT = 'font-family="ui-sans-serif, system-ui, Helvetica, Arial, sans-serif"'
#: rich's own, without the font that it would have a reader's browser fetch.
TERMINAL = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
 font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def main() -> None:
    """Draws all pictures, or checks them."""
    with TemporaryDirectory() as folder:
        store = Path(folder) / "sample.memcli"
        _ran(["ingest", str(ROOT / "sample_data" / "chats.jsonl")], store)
        drawn = {"answer.svg": answer(store), "graph.svg": graph(store), "recall.svg": recall()}
    if "--check" in sys.argv:
        old = [name for name, svg in drawn.items() if _shape(svg) != _shape(_kept(PICTURES / name))]
        sys.exit(f"{', '.join(old)}: out of date, run docs/pictures.py" if old else 0)
    PICTURES.mkdir(exist_ok=True)
    for name, svg in drawn.items():
        (PICTURES / name).write_text(svg, encoding="utf-8")


def _kept(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _shape(svg: str) -> str:
    """A picture without its measures."""
    return re.sub(r'="[^"]*"', "", svg)


# -- an answer in a terminal -----------------------------------------------------------------------------------------


def answer(store: Path) -> str:
    """What the commands print on a terminal."""
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True, color_system="truecolor")
    for number, command in enumerate(ASKED):
        console.print(Text(("\n" if number else "") + "$ " + command, style="bold"))
        console.print(Text.from_ansi(_on_a_terminal(shlex.split(command)[1:], store)))
    return console.export_svg(title="memcli", theme=DIMMED_MONOKAI, code_format=TERMINAL, unique_id="answer")


def _on_a_terminal(arguments: Sequence[str], store: Path) -> str:
    """What a command writes to its standard output where that is a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        _command(arguments, store),
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        written = b"".join(_chunks(terminal.fileno()))
    if process.wait():
        raise SystemExit(f"exit code {process.returncode}: {shlex.join(arguments)}")
    return written.decode().replace("\r\n", "\n").rstrip("\n")


def _chunks(terminal: int) -> Iterator[bytes]:
    """What comes, up to the end, which Linux tells of as an error."""
    try:
        while chunk := os.read(terminal, 4096):
            yield chunk
    except OSError:
        return


def _command(arguments: Sequence[str], store: Path) -> list[str]:
    return [sys.executable, "-m", "memcli", *arguments, "--store", str(store)]


def _environment() -> dict[str, str]:
    """No setting of whoever draws: neither a strategy nor a model, no notes of answers, one width."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("MEMCLI_") and name != "NO_COLOR"}
    return own | {"MEMCLI_RECORD": "no", "MEMCLI_CONFIG": os.devnull, "COLUMNS": str(WIDTH), "TERM": "xterm-256color"}


def _ran(arguments: Sequence[str], store: Path) -> str:
    return subprocess.run(
        _command(arguments, store), env=_environment(), check=True, capture_output=True
    ).stdout.decode()


# -- the graph around a question -------------------------------------------------------------------------------------


def graph(store: Path) -> str:
    """What `inspect-graph` exports around a question, laid out by Kamada & Kawai (1989)."""
    options = ["--query", AROUND, "--hops", "2", "--limit", str(NODES), "--format", "json"]
    found = json.loads(_ran(["inspect-graph", *options], store))
    nodes, number = found["nodes"], {node["id"]: n for n, node in enumerate(found["nodes"])}
    edges = [(number[edge["source"]], number[edge["target"]], edge["relation"]) for edge in found["edges"]]
    spots = _spots(len(nodes), [(a, b) for a, b, _ in edges])
    parts = [_line(spots[a], spots[b], RELATIONS[relation]) for a, b, relation in edges]
    parts += [_dot(spot, node) for spot, node in zip(spots, nodes, strict=True)]
    parts += [
        _label(spot, node) for spot, node in zip(spots, nodes, strict=True) if node["kind"] in ("session", "turn")
    ]
    return _picture(900, 560, [*parts, *_key(nodes)], f"The graph around “{AROUND}”")


def _spots(count: int, edges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where each node lies, in pixels."""
    random.seed(0)  # igraph draws from Python's random numbers
    layout = igraph.Graph(count, edges).simplify().layout_kamada_kawai()
    layout.fit_into((130, 40, 830, 520), keep_aspect_ratio=False)
    return [(round(x), round(y)) for x, y in layout.coords]


def _line(start: tuple[int, int], end: tuple[int, int], colour: str) -> str:
    (x1, y1), (x2, y2) = start, end
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" stroke-opacity=".55"/>'


def _dot(spot: tuple[int, int], node: Mapping[str, Any]) -> str:
    kind = node["kind"]
    title = f"<title>{escape(': '.join([kind, node['text'] or '']))}</title>"
    return f'<circle cx="{spot[0]}" cy="{spot[1]}" r="{RADII[kind]}" fill="{KINDS[kind]}">{title}</circle>'


def _label(spot: tuple[int, int], node: Mapping[str, Any]) -> str:
    words = (node["text"] or "").replace("\n", " ")
    short = words if len(words) <= 26 else words[:25].rsplit(" ", 1)[0] + " …"
    return _text(spot[0], spot[1] + RADII[node["kind"]] + 11, short, 'text-anchor="middle" font-size="10"')


def _key(nodes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    here = [kind for kind in KINDS if any(node["kind"] == kind for node in nodes)]
    for number, kind in enumerate(here):
        y = 24 + 18 * number
        yield f'<circle cx="20" cy="{y}" r="5" fill="{KINDS[kind]}"/>'
        yield _text(32, y + 4, kind, 'font-size="12"')


# -- how well evidence is found --------------------------------------------------------------------------------------


def recall() -> str:
    """Turn recall@10 of `fused` and of what it has to beat, as measured."""
    names, rows = _measured()
    parts = [_grid(tenth / 10) for tenth in range(0, 11, 2)]
    for place, name in enumerate(names):
        parts.append(_text(150 + 200 * place, 262, name, 'text-anchor="middle" font-size="13"'))
        for number, contender in enumerate(CONTENDERS):
            parts += _bar(62 + 200 * place + 60 * number, rows[contender][place], CONTENDERS[contender])
    for number, (contender, colour) in enumerate(CONTENDERS.items()):
        parts.append(f'<rect x="{62 + 200 * number}" y="282" width="12" height="12" fill="{colour}"/>')
        parts.append(_text(80 + 200 * number, 292, contender, 'font-size="12"'))
    return _picture(660, 308, parts, "turn recall@10")


def _measured() -> tuple[list[str], dict[str, list[float]]]:
    """The data sets, and each contender's figure on each: cross-validated, and as the strategy's page has them."""
    validated = json.loads((ROOT / "benchmarks" / "results" / "fused.json").read_text())["cross_validated"]
    sets = {"locomo": "LoCoMo", "implicit_preference": "implicit preferences", "longmemeval_s": "LongMemEval-S"}
    page = (ROOT / "docs" / "strategies" / "fused.md").read_text(encoding="utf-8")
    rows = {
        "fused": [validated[name]["turn recall@10"] for name in sets],
        "turns as vectors": _row(page, "turn pooled from its sentences"),
        "BM25": _row(page, "BM25 over turns, without names"),
    }
    return list(sets.values()), rows


def _row(page: str, name: str) -> list[float]:
    (line,) = re.findall(rf"^\| {re.escape(name)} \|(.*)\|$", page, re.MULTILINE)
    return [float(each) for each in line.split("|")]


def _y(value: float) -> float:
    return 240 - 200 * value


def _grid(value: float) -> str:
    line = f'<line x1="48" x2="652" y1="{_y(value)}" y2="{_y(value)}" stroke="#8b93ab" stroke-opacity=".35"/>'
    return line + _text(42, _y(value) + 4, f"{value:.1f}", 'text-anchor="end" font-size="11"')


def _bar(x: float, value: float, colour: str) -> Iterator[str]:
    yield f'<rect x="{x}" y="{_y(value):.1f}" width="52" height="{200 * value:.1f}" fill="{colour}"/>'
    yield _text(x + 26, _y(value) - 5, f"{value:.3f}", 'text-anchor="middle" font-size="12"')


def _text(x: float, y: float, words: str, style: str) -> str:
    return f'<text x="{x}" y="{y:.0f}" {style} fill="#1c2030">{escape(words)}</text>'


def _picture(width: int, height: int, parts: Sequence[str], title: str) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {FONT} role="img">'
    page = f'<rect width="{width}" height="{height}" rx="8" fill="#f7f6f3"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", page, *parts, "</svg>", ""])


if __name__ == "__main__":
    main()
