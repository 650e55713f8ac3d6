"""Every way to write a point in time, against values worked out by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.formats.moments import moment

_PLUS_TWO = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2023-05-08T14:00:00", datetime(2023, 5, 8, 14)),
        ("2023-05-08 14:00", datetime(2023, 5, 8, 14)),
        (" 2023-05-08 14:00 ", datetime(2023, 5, 8, 14)),
        ("2023-05-08", datetime(2023, 5, 8)),
        ("20230508", datetime(2023, 5, 8)),
        ("2023-05-08T14:00:00Z", datetime(2023, 5, 8, 14, tzinfo=UTC)),
        ("2023-05-08 14:00:00 UTC", datetime(2023, 5, 8, 14, tzinfo=UTC)),
        ("2023-05-08T14:00:00.5+02:00", datetime(2023, 5, 8, 14, 0, 0, 500000, tzinfo=_PLUS_TWO)),
        ("2023-05-08 14:00:00 +0200", datetime(2023, 5, 8, 14, tzinfo=_PLUS_TWO)),
        ("2023-05-08T14:00:00.123456789Z", datetime(2023, 5, 8, 14, 0, 0, 123456, tzinfo=UTC)),
        (1683554400, datetime(2023, 5, 8, 14, tzinfo=UTC)),
        (1683554400.25, datetime(2023, 5, 8, 14, 0, 0, 250000, tzinfo=UTC)),
        (946684800000, datetime(2000, 1, 1, tzinfo=UTC)),
        (4102444800, datetime(2100, 1, 1, tzinfo=UTC)),
        (1683554400000, datetime(2023, 5, 8, 14, tzinfo=UTC)),
        (1683554400000000, datetime(2023, 5, 8, 14, tzinfo=UTC)),
        ("1683554400", datetime(2023, 5, 8, 14, tzinfo=UTC)),
        ("1683554400000", datetime(2023, 5, 8, 14, tzinfo=UTC)),
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56)),
        ("12:05 am on 1 January, 2022", datetime(2022, 1, 1, 0, 5)),
        ("12:05 PM on 31 December, 2022", datetime(2022, 12, 31, 12, 5)),
        ("2023/05/30 (Tue) 23:40", datetime(2023, 5, 30, 23, 40)),
        ("2023/05/30 23:40:07", datetime(2023, 5, 30, 23, 40, 7)),
        ("2025-12-15 (Monday)", datetime(2025, 12, 15)),
    ],
)
def test_understood(written: object, expected: datetime) -> None:
    found = moment(written)
    assert found == expected
    assert found is not None
    assert found.utcoffset() == expected.utcoffset()


@pytest.mark.parametrize(
    "written",
    [None, "", True, [], {}, "soon", "13:00 pm on 8 May, 2023", "1:56 pm on 8 Floreal, 2023", "2023/02/30 (Thu) 10:00",
     "2023-13-01", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-12:00", 1e300, -1e300, float("nan"), 10**30, "1e9"],
)  # fmt: skip
def test_not_understood(written: object) -> None:
    assert moment(written) is None


@given(st.one_of(st.text(), st.integers(), st.floats(), st.from_regex(r"[0-9:/ ()TZapm+.-]{0,40}", fullmatch=True)))
def test_anything_is_a_date_that_can_be_compared_or_none(written: object) -> None:
    found = moment(written)
    assert found is None or (1900 <= found.year <= 2199 and found.astimezone(UTC))


_NAIVE = st.datetimes(datetime(1900, 1, 2), datetime(2199, 12, 30))


@given(_NAIVE | _NAIVE.map(lambda when: when.replace(tzinfo=_PLUS_TWO)))
def test_iso_round_trip(when: datetime) -> None:
    found = moment(when.isoformat())
    assert found == when
    assert found is not None
    assert found.utcoffset() == when.utcoffset()
