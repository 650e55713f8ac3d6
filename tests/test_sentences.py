"""Where sentences end: at line breaks, and never between the number of an item and what it says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.text import sentences


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("A plan:\n1. Run slowly. Rest.\n2. Sleep", ["A plan:", "1. Run slowly.", "Rest.", "2. Sleep"]),
        ("Buy:\n- apples\n* pears, ripe. Four", ["Buy:", "- apples", "* pears, ripe.", "Four"]),
        ("10) last\n  3. März ist gut. Oder?", ["10) last", "3. März ist gut.", "Oder?"]),
        ("We waited 5. Then we went.", ["We waited 5.", "Then we went."]),
        ("1.", ["1."]),
        ("- \n\n", ["-"]),
        ("", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


@given(st.text(alphabet="ab 1.)-*\n?!", max_size=40))
def test_every_sign_is_in_one_sentence(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
