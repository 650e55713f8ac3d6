"""Lines of a terminal of 80 columns with wide characters, marks, emoji and words from right to left."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from io import StringIO

import pytest
from rich.cells import cell_len
from rich.console import Console

from memcli.cli import render

CHINESE, JAPANESE, HINDI = "我昨天把自行车修好了", "昨日自転車を直しました", "मैंने कल साइकिल ठीक की"
ARABIC, HEBREW, EMOJI = "أصلحت الدراجة أمس", "תיקנתי את האופניים אתמול", "👍🏽 repaired 👨‍👩‍👧 🚲"
TEXTS = (CHINESE, JAPANESE, HINDI, ARABIC, HEBREW, EMOJI)


def shown(text: str, *, terminal: bool) -> list[str]:
    out = Console(file=StringIO(), width=80, force_terminal=terminal, color_system=None, highlight=False)
    at = datetime(2026, 3, 7, 14, 5, tzinfo=UTC)
    render.print_line(out, render.evidence_line("1", at, "Ana", text, "t0123456789ab", whole=True))
    assert isinstance(out.file, StringIO)
    return out.file.getvalue().splitlines()


def test_columns_are_counted_not_characters() -> None:
    assert [render.cells(text) for text in ("修好", "e\u0301", "हिन्दी", "שָׁ")] == [4, 1, 3, 1]
    assert render.padded("修好", 6) == "修好  "
    assert render.padded("修好", 3) == "修好"


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_padded_or_cut_takes_its_columns(text: str) -> None:
    assert render.cells(render.padded(text, 40)) == 40
    assert render.cut(text, 40) == text
    short = render.cut(text, 8)
    assert short.endswith("…")
    assert cell_len(short) <= 8
    assert text.startswith(short[:-1])


def test_nothing_is_cut_within_a_wide_character() -> None:
    assert (render.cut(CHINESE, 6), render.cut(CHINESE, 5)) == ("我昨…", "我昨…")
    assert render.cut("plain words", 8) == "plain w…"
    assert render.cut("plain words", 7) == "plain…"


@pytest.mark.parametrize("text", TEXTS)
def test_no_line_of_a_terminal_is_wider_than_it(text: str) -> None:
    lines = shown(" ".join([text] * 9), terminal=True)
    assert len(lines) > 1
    assert all(cell_len(line) <= 80 for line in lines)
    assert any("t0123456789ab" in line for line in lines)


@pytest.mark.parametrize("text", [ARABIC, HEBREW, "שָׁלוֹם?"])
def test_what_runs_from_right_to_left_is_kept_apart_on_a_terminal_alone(text: str) -> None:
    (line,) = shown(text, terminal=True)
    assert line == f"  1  2026-03-07 14:05  Ana: \u2068{text}\u2069  t0123456789ab"
    assert shown(text, terminal=False) == [f"  1  2026-03-07 14:05  Ana: {text}  t0123456789ab"]


def test_every_line_of_a_long_text_is_kept_apart() -> None:
    for line in shown(" ".join([HEBREW] * 9), terminal=True):
        assert (line.count("\u2068"), line.count("\u2069")) in ((1, 1), (0, 0))
        assert line.count("\u2068") == any("א" <= sign <= "ת" for sign in line)


def test_isolates_of_a_transcript_do_not_count() -> None:
    (line,) = shown("\u2069\u2067שלום\u2066", terminal=True)
    assert line.endswith("Ana: \u2068שלום\u2069  t0123456789ab")


def test_a_name_is_kept_apart_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert render.isolated("שרה") == "שרה"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert (render.isolated("שרה"), render.isolated("Sara")) == ("\u2068שרה\u2069", "Sara")
