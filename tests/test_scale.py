"""Memory does not grow with the length of a file, as far as the indexer; `benchmarks/scale.py` has a million lines."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from scale import FORMATS, lines, passed


def _peak(path: Path) -> int:
    tracemalloc.start()
    try:
        passed(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_file_five_times_as_long_takes_no_more_memory(format_name: str, tmp_path: Path) -> None:
    short, long = (tmp_path / f"WhatsApp Chat with {name}.txt" for name in ("Bo", "Cy"))
    for path, count in ((short, 2000), (long, 10_000)):
        path.write_text("".join(lines(format_name, count)))
    assert passed(short) == 2000  # and what is imported, compiled and cached is
    assert _peak(long) < 1.2 * _peak(short)
    assert passed(long) == 10_000
