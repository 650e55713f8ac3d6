"""Plots of a record as inline SVG: no script, no network, legible in light and in dark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from .metrics import CUTOFFS
from .tables import Figure, by_category

__all__ = ["category_bars", "recall_curves"]

_WIDTH, _HEIGHT = 620, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 150, 16, 34
#: Told apart by people who do not see all colours (Okabe & Ito 2008), and by their dashes.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#7f7f7f")
_DASHES = ("", "6 3", "2 3")
_STRENGTHS = (1.0, 0.55, 0.3)


def recall_curves(document: Mapping[str, Any], level: str) -> str:
    """Recall@k over k for every strategy, at the level `turn` or `session`."""
    plot = _Plot(f"{level} recall@k", [str(k) for k in CUTOFFS])
    lines = {name: [found[level][f"recall@{k}"] for k in CUTOFFS] for name, found in document["strategies"].items()}
    ordered = sorted(lines, key=lambda name: -(lines[name][-1] or 0.0))
    labels = plot.spread([lines[name][-1] or 0.0 for name in ordered])
    numbers = {name: number for number, name in enumerate(lines)}  # a strategy has one colour in every plot
    for name, at in zip(ordered, labels, strict=True):
        plot.line(name, lines[name], numbers[name], at)
    return plot.svg()


def category_bars(document: Mapping[str, Any], column: Figure, title: str) -> str:
    """One figure of every strategy in every category."""
    names, rows = by_category(document, column)
    plot = _Plot(title, names)
    strategies = list(document["strategies"])
    for number, (name, row) in enumerate(zip(strategies, rows, strict=True)):
        plot.bars(name, row, number, len(strategies))
    return plot.svg()


class _Plot:
    """Axes from 0 to 1 over named places, and what is drawn into them."""

    def __init__(self, title: str, places: Sequence[str]) -> None:
        self._parts = [f"<title>{escape(title)}</title>"]
        self._step = (_WIDTH - _LEFT - _RIGHT) / max(len(places), 1)
        for tenth in range(0, 11, 2):
            y = self._y(tenth / 10)
            self._parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
            self._text(_LEFT - 6, y + 4, f"{tenth / 10:.1f}", "end")
        for number, place in enumerate(places):
            self._text(self._x(number), _HEIGHT - _BOTTOM + 18, place, "middle")

    def line(self, name: str, values: Sequence[float | None], number: int, label_at: float) -> None:
        """A curve with its name at its end."""
        points = [(self._x(i), self._y(v)) for i, v in enumerate(values) if v is not None]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dash = _DASHES[number // len(_COLOURS) % len(_DASHES)]
        self._parts.append(f'<polyline fill="none" stroke="{_colour(number)}" stroke-width="2" '
                           f'stroke-dasharray="{dash}" points="{path}"/>')  # fmt: skip
        self._text(_WIDTH - _RIGHT + 8, label_at, name, "start", _colour(number))

    def bars(self, name: str, values: Sequence[float | None], number: int, count: int) -> None:
        """One bar a place, with its name in the legend."""
        width = 0.8 * self._step / count
        strength = _STRENGTHS[number // len(_COLOURS) % len(_STRENGTHS)]
        for place, value in enumerate(values):
            if value is not None:
                x = self._x(place) - 0.4 * self._step + number * width
                self._bar(x, value, width, f'fill="{_colour(number)}" fill-opacity="{strength}"', name)
        self._text(_WIDTH - _RIGHT + 8, _TOP + 10 + 16 * number, name, "start", _colour(number))

    def _bar(self, x: float, value: float, width: float, style: str, name: str) -> None:
        height, shown = self._y(0) - self._y(value), max(width - 1, 0.5)
        self._parts.append(
            f'<rect x="{x:.1f}" y="{self._y(value):.1f}" width="{shown:.1f}" height="{height:.1f}" {style}>'
            f"<title>{escape(name)}: {value:.3f}</title></rect>"
        )

    def spread(self, values: Sequence[float]) -> list[float]:
        """Heights for labels beside these values, highest first, that do not cover one another."""
        at, out = float(_TOP), []
        for value in values:
            at = max(at + 15, self._y(value) + 4)
            out.append(at)
        over = max(0.0, at - (_HEIGHT - 6))
        return [y - over for y in out]

    def svg(self) -> str:
        """The plot."""
        return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">{"".join(self._parts)}</svg>'

    def _text(self, x: float, y: float, text: str, anchor: str, colour: str = "") -> None:
        fill = f' style="fill:{colour}"' if colour else ""
        self._parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{fill}>{escape(text)}</text>')

    def _x(self, place: float) -> float:
        return _LEFT + (place + 0.5) * self._step

    def _y(self, value: float) -> float:
        return _HEIGHT - _BOTTOM - value * (_HEIGHT - _BOTTOM - _TOP)


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]
