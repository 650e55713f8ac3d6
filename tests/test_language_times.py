"""Forty time expressions a language, as chats put them. `tests/languages/times` has what each means, counted by hand.

Rules are made for the half that is `looked_at`; the half that is `kept_aside` shows how far they carry. What is not
understood yet is marked so: a mark that no longer holds fails as a rule that breaks does.
"""

from __future__ import annotations

import tomllib
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from memcli.languages import language
from memcli.text.times import TimeKind

TABLES = sorted((Path(__file__).parent / "languages" / "times").glob("*.toml"))
HALVES = ("looked_at", "kept_aside")


def _days(code: str, text: str, said: date) -> list[tuple[date, date]]:
    """The first and the last day of every span that is found in `text`; the time of day is another matter."""
    found = language(code).times(text, datetime.combine(said, time(10, 30)))
    spans = [each.span for each in found if each.kind is not TimeKind.CLOCK]
    return [(span.start.date(), (span.end - timedelta(microseconds=1)).date()) for span in spans]


def _is_understood(code: str, said: dict[str, Any]) -> bool:
    """No days are meant by an ordinary word that looks like a date."""
    meant = [(said["days"][0], said["days"][-1])] if said["days"] else []
    return _days(code, said["text"], said["said"]) == meant


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.stem)
def test_times_mean_the_days_that_a_speaker_means(table: Path) -> None:
    halves = tomllib.loads(table.read_text(encoding="utf-8"))
    assert [len(halves[half]) for half in HALVES] == [20, 20]
    changed = [
        said["text"]
        for half in HALVES
        for said in halves[half]
        if _is_understood(table.stem, said) is not said.get("understood", True)
    ]
    assert not changed


def test_every_language_with_a_table_of_rules_has_expressions() -> None:
    rules = Path(__file__).parents[1] / "memcli" / "languages" / "tables"
    assert [table.stem for table in TABLES] == sorted(path.stem for path in rules.glob("*.toml"))
