"""Times: every date here was worked out by hand. 15 July 2023 is a Saturday."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.errors import UsageError
from memcli.languages.dates import parse_date, parse_span
from memcli.languages.english.times import find, lengths
from memcli.text.times import Grain, Span, TimeKind, describe

SAID = datetime(2023, 7, 15, 13, 5)


def day(year: int, month: int, number: int) -> datetime:
    return datetime(year, month, number)


@pytest.mark.parametrize(
    ("text", "start", "end", "grain"),
    [
        ("I flew home yesterday.", day(2023, 7, 14), day(2023, 7, 15), Grain.DAY),
        ("the day before yesterday", day(2023, 7, 13), day(2023, 7, 14), Grain.DAY),
        ("See you tonight!", day(2023, 7, 15), day(2023, 7, 16), Grain.DAY),
        ("tomorrow it is", day(2023, 7, 16), day(2023, 7, 17), Grain.DAY),
        ("Last night we sang.", day(2023, 7, 14), day(2023, 7, 15), Grain.DAY),
        ("10 days ago", day(2023, 7, 5), day(2023, 7, 6), Grain.DAY),
        ("three weeks ago", day(2023, 6, 19), day(2023, 6, 26), Grain.WEEK),
        ("two weekends ago", day(2023, 7, 1), day(2023, 7, 3), Grain.WEEKEND),
        ("a month ago", day(2023, 6, 1), day(2023, 7, 1), Grain.MONTH),
        ("4 years ago", day(2019, 1, 1), day(2020, 1, 1), Grain.YEAR),
        ("in two months", day(2023, 9, 1), day(2023, 10, 1), Grain.MONTH),
        ("we moved to Leeds in September", day(2022, 9, 1), day(2022, 10, 1), Grain.MONTH),
        ("it was moved to 3 March", day(2024, 3, 3), day(2024, 3, 4), Grain.DAY),
        ("they have moved it to the 12th!", day(2023, 8, 12), day(2023, 8, 13), Grain.DAY),
        ("the exam was on the 18th", day(2023, 6, 18), day(2023, 6, 19), Grain.DAY),
        ("lunch is on Sunday 23 now", day(2023, 7, 23), day(2023, 7, 24), Grain.DAY),
        ("it is on Sunday, 23 July", day(2023, 7, 23), day(2023, 7, 24), Grain.DAY),
        ("it's not until the 18th though", day(2023, 7, 18), day(2023, 7, 19), Grain.DAY),
        ("i start monday", day(2023, 7, 17), day(2023, 7, 18), Grain.DAY),
        ("keys on 14th, at last", day(2023, 7, 14), day(2023, 7, 15), Grain.DAY),
        ("I'm leaving at the end of the year", day(2023, 12, 1), day(2024, 1, 1), Grain.MONTH),
        ("paid by the end of next month", day(2023, 8, 1), day(2023, 9, 1), Grain.MONTH),
        ("it has to be in at the end of the week", day(2023, 7, 10), day(2023, 7, 17), Grain.WEEK),
        ("the release is planned for 2 June", day(2024, 6, 2), day(2024, 6, 3), Grain.DAY),
        ("it was planned for 2 June", day(2023, 6, 2), day(2023, 6, 3), Grain.DAY),
        ("lunch at mine, 25th at one o'clock", day(2023, 7, 25), day(2023, 7, 26), Grain.DAY),
        ("payday is the 25th", day(2023, 7, 25), day(2023, 7, 26), Grain.DAY),
        ("the party is a week on Saturday", day(2023, 7, 29), day(2023, 7, 30), Grain.DAY),
        ("Sunday week then", day(2023, 7, 23), day(2023, 7, 24), Grain.DAY),
        ("we're off the weekend after next", day(2023, 7, 29), day(2023, 7, 31), Grain.WEEKEND),
        ("it broke the night before last", day(2023, 7, 13), day(2023, 7, 14), Grain.DAY),
        ("school trip 12-14 June", day(2023, 6, 12), day(2023, 6, 15), Grain.RANGE),
        ("away from 12 to 14 June 2024", day(2024, 6, 12), day(2024, 6, 15), Grain.RANGE),
        ("she'll start in the autumn", day(2023, 9, 1), day(2023, 12, 1), Grain.SEASON),
        ("he was born in winter", day(2022, 12, 1), day(2023, 3, 1), Grain.SEASON),
        ("He's vegetarian since January", day(2023, 1, 1), day(2023, 7, 16), Grain.MONTH),
        ("I've lived here for six years", day(2017, 1, 1), day(2023, 7, 16), Grain.YEAR),
        ("last week", day(2023, 7, 3), day(2023, 7, 10), Grain.WEEK),
        ("earlier this week", day(2023, 7, 10), day(2023, 7, 17), Grain.WEEK),
        ("next week", day(2023, 7, 17), day(2023, 7, 24), Grain.WEEK),
        ("last weekend", day(2023, 7, 8), day(2023, 7, 10), Grain.WEEKEND),
        ("next month", day(2023, 8, 1), day(2023, 9, 1), Grain.MONTH),
        ("last year", day(2022, 1, 1), day(2023, 1, 1), Grain.YEAR),
        ("last Friday", day(2023, 7, 14), day(2023, 7, 15), Grain.DAY),
        ("this past Sunday", day(2023, 7, 9), day(2023, 7, 10), Grain.DAY),
        ("last Saturday", day(2023, 7, 8), day(2023, 7, 9), Grain.DAY),
        ("next Tuesday", day(2023, 7, 18), day(2023, 7, 19), Grain.DAY),
        ("We will leave on Friday", day(2023, 7, 21), day(2023, 7, 22), Grain.DAY),
        ("We left on Friday", day(2023, 7, 14), day(2023, 7, 15), Grain.DAY),
        ("8 May 2023", day(2023, 5, 8), day(2023, 5, 9), Grain.DAY),
        ("the 4th of July", day(2023, 7, 4), day(2023, 7, 5), Grain.DAY),
        ("May 8th", day(2023, 5, 8), day(2023, 5, 9), Grain.DAY),
        ("2023-05-08", day(2023, 5, 8), day(2023, 5, 9), Grain.DAY),
        ("25/8/23", day(2023, 8, 25), day(2023, 8, 26), Grain.DAY),
        ("8.5.2023", day(2023, 5, 8), day(2023, 5, 9), Grain.DAY),
        ("July 2-5, 2023", day(2023, 7, 2), day(2023, 7, 6), Grain.RANGE),
        ("May 2022", day(2022, 5, 1), day(2022, 6, 1), Grain.MONTH),
        ("back in May", day(2023, 5, 1), day(2023, 6, 1), Grain.MONTH),
        ("last August", day(2022, 8, 1), day(2022, 9, 1), Grain.MONTH),
        ("in 2019", day(2019, 1, 1), day(2020, 1, 1), Grain.YEAR),
        ("last summer", day(2022, 6, 1), day(2022, 9, 1), Grain.SEASON),
        ("last spring", day(2023, 3, 1), day(2023, 6, 1), Grain.SEASON),
        ("the first weekend of August", day(2023, 8, 5), day(2023, 8, 7), Grain.WEEKEND),
        ("at Christmas", day(2023, 12, 25), day(2023, 12, 26), Grain.DAY),
        ("on the 20th", day(2023, 7, 20), day(2023, 7, 21), Grain.DAY),
    ],
)
def test_a_span(text: str, start: datetime, end: datetime, grain: Grain) -> None:
    (found,) = find(text, SAID)
    assert found.span == Span(start, end, grain)


@pytest.mark.parametrize(
    ("text", "described"),
    [
        ("yesterday", "14 July 2023"),
        ("last Friday", "the Friday before 15 July 2023"),
        ("next Tuesday", "the Tuesday after 15 July 2023"),
        ("last week", "the week before 15 July 2023"),
        ("this weekend", "the weekend of 15 July 2023"),
        ("two weekends ago", "two weekends before 15 July 2023"),
        ("last month", "June 2023"),
        ("summer 2022", "summer 2022"),
        ("since 2016", "since 2016"),
        ("for three years", "since 2020"),
        ("since last June", "since June 2023"),
        ("July 2–5 2023", "2–5 July 2023"),
        ("a few days ago", "a few days before 15 July 2023"),
        ("the other day", "a few days before 15 July 2023"),
    ],
)
def test_what_a_person_would_say(text: str, described: str) -> None:
    (found,) = find(text, SAID)
    assert describe(found) == described


@pytest.mark.parametrize(
    ("start", "end", "described"),
    [
        (day(2023, 7, 3), day(2023, 7, 10), "3–9 July 2023"),
        (day(2023, 6, 26), day(2023, 7, 3), "26 June – 2 July 2023"),
        (day(2022, 12, 26), day(2023, 1, 2), "26 December 2022 – 1 January 2023"),
    ],
)
def test_a_span_alone_is_spelled_out(start: datetime, end: datetime, described: str) -> None:
    assert describe(Span(start, end, Grain.WEEK)) == described


@pytest.mark.parametrize(
    "text",
    ["I am 12 years old", "a 3 year old boy", "we may march on", "I sat in the sun", "room 2019", "31 February 2023",
     "2023-13-01", "99999 years ago", "version 1.2.3", "nothing at all",
     "We sat in the sun and wed it to", "in spring the river rises here", "the 2nd of two",
     "I lived in Lyon for six years", "we're away for two weeks then"],
)  # fmt: skip
def test_what_is_no_time(text: str) -> None:
    assert find(text, SAID) == []


def test_the_longest_reading_wins_and_offsets_point_into_the_text() -> None:
    text = "We met on 8 May 2023 and again last week."
    first, second = find(text, SAID)
    assert (first.text, second.text) == ("8 May 2023", "last week")
    assert text[second.start_offset : second.end_offset] == "last week"


def test_days_and_months_in_either_order_are_flagged() -> None:
    assert find("5/8/2023", SAID)[0].ambiguous
    assert not find("25/8/2023", SAID)[0].ambiguous
    assert find("5/8/2023", SAID)[0].span.start == day(2023, 5, 8)


def test_a_clock_time_is_on_the_day_it_is_said() -> None:
    (found,) = find("Let's meet at 5:30 pm", SAID)
    assert (found.kind, found.span.start) == (TimeKind.CLOCK, datetime(2023, 7, 15, 17, 30))


def test_the_offset_is_kept() -> None:
    zone = timezone(timedelta(hours=2))
    (found,) = find("yesterday", datetime(2023, 5, 8, 0, 30, tzinfo=zone))
    assert found.span.start == datetime(2023, 5, 7, tzinfo=zone)
    assert found.span.start.tzinfo is zone


def test_without_a_date_only_full_dates_are_resolved() -> None:
    assert [e.text for e in find("yesterday, or on 8 May 2023, or in May", None)] == ["8 May 2023"]


def test_lengths() -> None:
    found = lengths("I have painted for 4 years and waited a couple of weeks; my son is 7 years old.")
    assert [length.text for length in found] == ["4 years", "a couple of weeks"]
    assert found[1].days == 14


@pytest.mark.parametrize(
    ("text", "told", "days"),
    [
        ("out for fifty-one weeks", "fifty-one weeks", 357),
        ("nineteen days later", "nineteen days", 19),
        ("two and a half days", "two and a half days", 2.5),
        ("it took a week and a half", "a week and a half", 10.5),
        ("half an hour", "half an hour", 0.5 / 24),
    ],
)
def test_numbers_in_words_are_whole(text: str, told: str, days: float) -> None:
    (length,) = lengths(text)
    assert (length.text, length.days) == (told, pytest.approx(days))


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("Nineteen thirty-nine, in the March", 1939), ("we came in nineteen sixty", 1960), ("twenty fifteen", 2015),
        ("nineteen oh four", 1904), ("nineteen of them", None), ("twenty one people", None),
    ],
)  # fmt: skip
def test_years_in_words_need_no_date(text: str, year: int | None) -> None:
    assert [each.span.start.year for each in find(text, None)] == ([year] if year else [])


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("yes the 19th", [19]), ("19th", [19]), ("No, the 5th.", [5]), ("booked it for the 14th", [14]),
        ("1st! what a day", []), ("we came 4th out of 31", []), ("for the 3rd time", []),
        ("no, the 2nd was better", []),
    ],
)  # fmt: skip
def test_a_reply_may_be_a_day_of_the_month(text: str, days: list[int]) -> None:
    assert [each.span.start.day for each in find(text, datetime(2024, 11, 17))] == days


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2023-05-08", day(2023, 5, 8)),
        ("2023-05", day(2023, 5, 1)),
        ("2021", day(2021, 1, 1)),
        ("8 May 2023", day(2023, 5, 8)),
        ("yesterday", day(2023, 7, 14)),
        ("last week", day(2023, 7, 3)),
        ("3 weeks ago", day(2023, 6, 19)),
        ("May", day(2023, 5, 1)),
        ("now", SAID),
        ("2023-05-08T10:30", datetime(2023, 5, 8, 10, 30)),
    ],
)
def test_parse_date(text: str, moment: datetime) -> None:
    assert parse_date(text, SAID) == moment


def test_parse_date_keeps_a_zone_that_is_given_and_takes_that_of_now_else() -> None:
    now = SAID.replace(tzinfo=UTC)
    assert parse_date("2023-05", now).tzinfo is UTC
    assert parse_date("2023-05-08T10:30+02:00", now).utcoffset() == timedelta(hours=2)


@pytest.mark.parametrize(
    ("text", "ahead"),
    [
        ("dentist on Monday, wish me luck", True),
        ("dinner at ours on Monday?", True),
        ("forecast for Monday: 30 degrees", True),
        ("no class on Monday", True),
        ("the forecast says 6 degrees on Monday", True),
        ("did you hear he's coming on Monday", True),
        ("rented a van for Monday", True),
        ("took the day off for Monday", True),
        ("rented a van on Monday", False),
        ("hired him for the show on Monday", False),
        ("was in town for Monday", False),
        ("taxi's standing since Monday", False),
        ("thanks for Monday", False),
        ("sorry about Monday", False),
        ("did you see him on Monday?", False),
        ("how did it go on Monday?", False),
        ("had a flat tyre on Monday", False),
    ],
)
def test_on_which_side_a_weekday_lies(text: str, *, ahead: bool) -> None:
    (found,) = find(text, SAID)
    assert found.span.start == (day(2023, 7, 17) if ahead else day(2023, 7, 10))


def test_a_question_asks_for_a_weekday_that_is_over_unless_a_verb_says_otherwise() -> None:
    starts = [find(text, SAID, asked=True)[0].span.start for text in ("dinner on Monday", "when do we leave on Monday")]
    assert starts == [day(2023, 7, 10), day(2023, 7, 17)]
    assert parse_date("Monday", SAID) == day(2023, 7, 10)


@pytest.mark.parametrize("text", ["", "soonish", "2023-13", "2023-02-30", "yesterday or so", "0000"])
def test_parse_date_says_what_it_takes(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_date(text, SAID)
    assert repr(text) in caught.value.message
    assert "2023-05-08" in caught.value.hint


_PIECES = ["last", "next", "Friday", "may", "2023", "31", "/", "-", "February", "ago", "years", "999", "in", "on",
           "the", "since", "few", "week", "weekend", "summer", "5", "pm", ":", " ", "’s",
           "tomorrow", "\n", "ß"]  # fmt: skip


@given(
    st.one_of(st.text(), st.lists(st.sampled_from(_PIECES)).map(" ".join)),
    st.one_of(st.none(), st.datetimes(), st.datetimes(timezones=st.just(UTC))),
)
def test_find_never_fails(text: str, said_at: datetime | None) -> None:
    end = 0
    for found in find(text, said_at):
        assert end <= found.start_offset < found.end_offset <= len(text)
        assert found.text == text[found.start_offset : found.end_offset]
        assert found.span.start < found.span.end
        assert describe(found)
        end = found.end_offset


@given(st.text())
def test_parse_date_raises_only_its_own_error(text: str) -> None:
    try:
        moment = parse_date(text, SAID)
    except UsageError:
        return
    assert isinstance(moment, datetime)


def test_a_day_of_a_month_is_one_expression() -> None:
    (found,) = find("We move on the 5th of September.", datetime(2024, 7, 21))
    assert (found.span.start, found.span.end) == (datetime(2024, 9, 5), datetime(2024, 9, 6))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2023", (2023, 1, 1), (2024, 1, 1)),
        ("2023-12", (2023, 12, 1), (2024, 1, 1)),
        ("2023-05-08", (2023, 5, 8), (2023, 5, 9)),
        ("yesterday", (2024, 7, 20), (2024, 7, 21)),
        ("between March and May 2024", (2024, 3, 1), (2024, 6, 1)),
        ("between November 2023 and january 2024", (2023, 11, 1), (2024, 2, 1)),
        ("from March to May 2021", (2021, 3, 1), (2021, 6, 1)),  # that year's, and not the last
        ("3 to 9 March 2024", (2024, 3, 3), (2024, 3, 10)),
        ("2024-03-02 – 2024-03-09", (2024, 3, 2), (2024, 3, 10)),
        ("last week until yesterday", (2024, 7, 8), (2024, 7, 21)),
        ("2021 to 2023", (2021, 1, 1), (2024, 1, 1)),
    ],
)
def test_what_an_option_names_has_a_beginning_and_an_end(
    text: str, start: tuple[int, int, int], end: tuple[int, int, int]
) -> None:
    span = parse_span(text, datetime(2024, 7, 21, 12))
    assert (span.start, span.end) == (datetime(*start), datetime(*end))


@pytest.mark.parametrize(
    "text",
    ["between May and", "from soonish to May", "2024 to 2021", "to", "between tea and cake", "May to May to June",
     "May to " * 9999, "between" + " " * 9999],
)  # fmt: skip
def test_no_range(text: str) -> None:
    with pytest.raises(UsageError, match="no date"):
        parse_span(text, datetime(2024, 7, 21))


def test_no_month_thirteen() -> None:
    with pytest.raises(UsageError, match="no date"):
        parse_span("2023-13", datetime(2024, 7, 21))


@pytest.mark.parametrize(
    ("said", "text", "start"),
    [
        ((2026, 11, 20), "the plumber comes on Monday", (2026, 11, 23)),
        ((2026, 11, 20), "The plumber came on Monday", (2026, 11, 16)),
        ((2026, 11, 20), "On Monday we leave for Ghent", (2026, 11, 23)),
        ((2026, 11, 20), "On Monday we left for Ghent", (2026, 11, 16)),
        ((2026, 11, 20), "loved the hiking on Sunday", (2026, 11, 15)),
        ((2026, 11, 20), "I was baking on Sunday", (2026, 11, 15)),
        ((2026, 11, 20), "dentist on Tuesday at 9:30", (2026, 11, 24)),
        ((2026, 11, 2), "moving out at the end of January", (2027, 1, 1)),
        ((2026, 11, 2), "moved out at the end of January", (2026, 1, 1)),
        ((2024, 4, 3), "I start there in September", (2024, 9, 1)),
        ((2024, 5, 11), "I quit my job at the bakery, starting at the library in june", (2024, 6, 1)),
        ((2024, 5, 11), "sold the house - moving to Wells in October", (2024, 10, 1)),
        ((2024, 5, 11), "we were busy starting the shop in June", (2023, 6, 1)),
        ((2024, 4, 3), "I started there in September", (2023, 9, 1)),
        ((2026, 3, 2), "the wedding is now on 19 September", (2026, 9, 19)),
        ((2026, 12, 2), "the wedding was on 19 September", (2026, 9, 19)),
        ((2026, 12, 2), "the wedding is on 19 January", (2027, 1, 19)),
        ((2026, 3, 2), "my exam was on 5 November", (2025, 11, 5)),
        ((2025, 10, 2), "no more Mondays, see you on Tuesday", (2025, 10, 7)),
        ((2025, 10, 2), "we move in on Monday the 13th", (2025, 10, 13)),
        ((2025, 10, 20), "it was Friday the 3rd", (2025, 10, 3)),
        ((2023, 3, 10), "I've been growing leeks since February 20th, and will plant them out", (2023, 2, 20)),
    ],
)
def test_the_verb_says_on_which_side_a_time_lies(
    said: tuple[int, int, int], text: str, start: tuple[int, int, int]
) -> None:
    assert find(text, day(*said))[0].span.start == day(*start)
