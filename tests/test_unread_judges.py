"""How the threshold of a judge of other languages is chosen."""

from __future__ import annotations

import pytest
from unread import lowest, silent

#: Ten questions: six are answered rightly and four left open, worth 6; the standard error is √(10 × 0.24) = 1.55.
BEST = [1.0] * 6 + [0.0] * 4


@pytest.mark.parametrize(
    ("lower", "chosen"),
    [([1.0] * 7 + [-2.0] + [0.0] * 2, 0.4), ([1.0] * 8 + [-2.0] * 2, 0.6), (BEST, 0.4)],
)
def test_the_lowest_threshold_that_is_worth_as_much_but_for_a_standard_error(lower: list[float], chosen: float) -> None:
    """Worth 5, 4 and 6: of these 4 is less than 6 − 1.55."""
    assert lowest({0.4: lower, 0.6: BEST, 0.8: [0.0] * 10}) == chosen


def test_silence_is_a_share_of_what_nothing_answers() -> None:
    judged = [(0.9, True, True), (0.6, False, False), (0.2, False, False), (0.1, False, False)]
    assert silent(judged, 0.5) == pytest.approx(2 / 3)
