"""Sentences: their boundaries, and that nothing of a text is lost or changed between them."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memcli.text import sentences


@pytest.mark.parametrize("space", ["\u00a0", "\u202f", "\u2009", "\u3000"])
@pytest.mark.parametrize("language", ["en", "fr", "zh"])
def test_a_wide_space_before_a_full_stop_is_kept(space: str, language: str) -> None:
    found = sentences(f"Sold it{space}. Monday then. Bye", language)
    assert " ".join(found) == f"Sold it{space}. Monday then. Bye"


def test_a_full_stop_and_a_line_break_end_a_sentence() -> None:
    assert sentences("Sold it. Why?\nNo room") == ["Sold it.", "Why?", "No room"]


@given(st.text(alphabet=st.sampled_from("ab .?!\u00a0\u2009é今。\n"), max_size=40), st.sampled_from(["en", "es", "ja"]))
@example("a\u00a0.\u00a0. b", "en")
def test_every_character_is_in_one_sentence(text: str, language: str) -> None:
    assert "".join("".join(sentences(text, language)).split()) == "".join(text.split())
