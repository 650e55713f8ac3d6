"""Time expressions by a language's table, resolved against the day on which they were said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from ...text.times import (
    ONE_DAY,
    UNITS,
    Expression,
    Grain,
    Length,
    Span,
    TimeKind,
    day,
    midnight,
    month,
    moved,
    season,
    without_weekdays,
    year,
)

__all__ = ["Times", "plain"]

_UNIT_DAYS = {"day": 1.0, "week": 7.0, "weekend": 2.0, "month": 30.44, "year": 365.25}
_HAN = {"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}
#: Dates that are written alike in many languages: ISO, day before month with dots, strokes or dashes, East Asian ones.
_ISO = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)([-/.])(?P<month>\d\d)\2(?P<day>\d\d)(?!\d)")
_NUMERIC = re.compile(r"(?<![\w.])(?P<day>\d{1,2})([./-])(?P<month>\d{1,2})\2(?P<year>(?:19|20)?\d\d)?(?![\w.]\d|\d)")
_EASTERN = re.compile(
    r"(?:(?P<year>(?:19|20)\d\d) ?[年년] ?)?(?P<month>\d{1,2}|[一二三四五六七八九十]{1,2}) ?[月월]"
    r"(?: ?(?P<day>\d{1,2}|[一二三四五六七八九十]{1,3}) ?[日号號일]"
    r"(?: ?(?:から|到|至|부터|[-–~〜]) ?(?P<last>\d{1,2}|[一二三四五六七八九十]{1,3}) ?[日号號일])?)?"
)
_WHOLE_YEAR = r"(?P<year>(?:19|20)\d\d)"
#: What parts a text whose verbs tell of different times; from so many words on a part has a verb of its own.
_PART, _CLAUSE = re.compile(r"[,;!?،؛](?=\s)"), 4
#: What makes the number behind a weekday one of hours, beside a table's own words.
_HOURS = r"h\b|[ap]\.?m\b"
_YEAR = re.compile(r"(?<![\w.,-])(?P<year>(?:19|20)\d\d)(?![\w-]|[.,]\d)|(?<!\d)(?P<eastern>(?:19|20)\d\d) ?[年년]")
#: The seasons in the order in which a table lists them.
_SEASONS = ("spring", "summer", "autumn", "winter")
#: Arabic letters that are written in several ways, one for one.
_ALIKE = str.maketrans("أإآٱى٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९", "اااا" + "ي" + "0123456789" * 3)


@dataclass(frozen=True)
class Times:
    """Finds what a table describes: `months`, `weekdays`, `days`, `units`, `counted`, `last`, `next`, `this`, `date`.

    `to` stands between the first and the last day of a range; `on_day` is how the number of a day stands beside its
    weekday ("Sonntag, den 15."), `day_first` that it may stand before it, `hours` what makes it one of hours; `of`
    stands before a month or a year ("15 de junio"); `numeric` is a date in digits that only its words tell from another
    number, `numbered` what makes a number that looks like a year none ("room 2019"); `by_tense` are days that lie
    ahead, or as far behind in the past tense; `holidays` are months and days ("12-25"); `seasons`
    begin with spring. In a language that is written without spaces nothing need stand between two words.
    """

    table: Mapping[str, Any]

    def find(self, text: str, said_at: datetime | None) -> list[Expression]:
        """The expressions of `text` in order, without overlap; the longest of several is meant."""
        low = plain(text)
        found = [each for each in self._all(low, said_at) if each.end_offset > each.start_offset]
        chosen: list[Expression] = []
        for each in sorted(found, key=lambda one: (one.start_offset - one.end_offset, one.start_offset)):
            if all(each.end_offset <= one.start_offset or each.start_offset >= one.end_offset for one in chosen):
                chosen.append(each)
        ordered = sorted(chosen, key=lambda one: one.start_offset)
        between = self._on_day.partition("{day}")[0]
        return [_worded(each, text) for each in without_weekdays(ordered, low, between)]

    def lengths(self, text: str) -> list[Length]:
        """The lengths of time that `text` names, in order."""
        low = plain(text)
        found = [
            _length(text, match, self._number(match["count"]), unit)
            for unit, form in self._lengths.items()
            for match in form.finditer(low)
        ]
        return sorted(found, key=lambda each: each.start_offset)

    def has_number(self, text: str) -> str:
        """The first number of `text` that is written as a word; empty where there is none."""
        match = self._counts.search(plain(text))
        return text[match.start() : match.end()] if match else ""

    # -- what there is -----------------------------------------------------------------------------------------------

    def _all(self, low: str, said_at: datetime | None) -> Iterator[Expression]:
        yield from self._dates(low, said_at)
        if said_at is None:
            return
        for form, unit, step in (*self._days, *self._near):
            yield from (_relative(match, moved(said_at, unit, step), said_at) for match in form.finditer(low))
        for form, name, step, of_year in self._seasons:
            for match in form.finditer(low):
                span = season(said_at, name, said_at.year + step) if of_year else _season(said_at, name, step)
                yield _relative(match, span, said_at)
        sign = -1 if self._is_past(low) else 1
        for form, days in self._by_tense:
            yield from (_relative(match, day(said_at, sign * days), said_at) for match in form.finditer(low))
        for form, unit, sign in self._counted:
            for match in form.finditer(low):
                count = self._number(match.groupdict().get("count") or "1")
                if count <= 1000:
                    yield _relative(match, moved(said_at, unit, int(sign * count)), said_at)
        yield from self._weekdays(low, said_at)

    def _dates(self, low: str, said_at: datetime | None) -> Iterator[Expression]:
        for form, month_of, on in self._absolute:
            for match in form.finditer(low):
                parts = match.groupdict()
                past = self._is_past(_around(low, match))
                span = _date(parts.get("year"), month_of(match), parts.get("day", on), said_at, past=past)
                if span is not None:
                    until = _until(span, _digits(parts.get("last")))
                    yield Expression(match[0], *match.span(), until, TimeKind.ABSOLUTE, said_at)
        for match in _YEAR.finditer(low):
            if self._numbered and self._numbered.search(low[max(0, match.start() - 30) : match.start()]):
                continue
            stated = datetime(int(match["year"] or match["eastern"]), 1, 1, tzinfo=said_at.tzinfo if said_at else None)
            yield Expression(match[0], *match.span(), year(stated), TimeKind.ABSOLUTE, said_at)

    def _weekdays(self, low: str, said_at: datetime) -> Iterator[Expression]:
        for form, place in self._numbered_of_week:
            for match in form.finditer(low):
                on = _day_on(said_at, int(match["day"]), place, past=self._is_past(_around(low, match)))
                if on is not None:
                    yield Expression(match[0], *match.span(), _span(on, whole=False), TimeKind.ABSOLUTE, said_at)
        for form, place, step in self._of_week:
            for match in form.finditer(low):
                ahead = (place - said_at.weekday()) % 7 or 7
                if step is None:
                    days = ahead - 7 if self._is_past(_around(low, match)) else ahead
                elif self.table.get("weekday_of_week"):
                    days = place - said_at.weekday() + 7 * step
                else:
                    days = {-1: ahead - 7, 0: ahead % 7, 1: ahead}[step]
                yield _relative(match, day(said_at, days), said_at)

    def _is_past(self, low: str) -> bool:
        return bool(self._past and self._past.search(low))

    def _number(self, said: str) -> float:
        if said.isdigit():
            return float(said)
        return float(next((i for i, form in enumerate(self._numbers, 1) if re.fullmatch(form, said)), 1))

    # -- the table as patterns ---------------------------------------------------------------------------------------

    @cached_property
    def _numbers(self) -> Sequence[str]:
        return _listed(self.table.get("numbers", ""))

    @cached_property
    def _count(self) -> str:
        words = "|".join(sorted(self._numbers, key=len, reverse=True))
        return rf"(?P<count>\d{{1,3}}|{words})" if words else r"(?P<count>\d{1,3})"

    @cached_property
    def _counts(self) -> re.Pattern[str]:
        if self.table.get("unspaced"):
            return re.compile(r"[一二三四五六七八九十百千万萬亿两兩〇零]+")
        words = "|".join(sorted(self._numbers[1:], key=len, reverse=True))  # one is mostly an article
        return re.compile(self._whole(rf"(?:{words or '(?!)'})"))

    @cached_property
    def _past(self) -> re.Pattern[str] | None:
        past = self.table.get("past")
        return re.compile(past if self.table.get("unspaced") else self._whole(f"(?:{past})")) if past else None

    @cached_property
    def _days(self) -> Sequence[tuple[re.Pattern[str], str, int]]:
        rows = []
        for word, value in self.table.get("days", {}).items():
            unit, count = value.split() if isinstance(value, str) else ("day", value)
            rows.append((self._form(f"(?:{word})"), unit, int(count)))
        return rows

    @cached_property
    def _by_tense(self) -> Sequence[tuple[re.Pattern[str], int]]:
        return [(self._form(f"(?:{word})"), count) for word, count in self.table.get("by_tense", {}).items()]

    @cached_property
    def _seasons(self) -> Sequence[tuple[re.Pattern[str], str, int, bool]]:
        """Patterns of seasons beside "last", "this", "next", and behind "last year" and its like, which count."""
        return [
            row
            for name, one in zip(_SEASONS, _listed(self.table.get("seasons", "")), strict=False)
            for row in (
                *((self._form(self._beside(near, one)), name, step, False) for near, step in self._steps),
                *((self._form(f"(?:{stated})(?:の| )?{one}"), name, step, True) for stated, step in self._years),
            )
        ]

    @cached_property
    def _years(self) -> Sequence[tuple[str, int]]:
        """What stands for a year counted from the one of saying: "last year", 去年."""
        near = [(self._beside(near, self._units["year"]), step) for near, step in self._steps if "year" in self._units]
        rows = [(word, str(value).split()) for word, value in self.table.get("days", {}).items()]
        return [*near, *((word, int(value[1])) for word, value in rows if value[0] == "year")]

    @cached_property
    def _numbered(self) -> re.Pattern[str] | None:
        words = self.table.get("numbered")
        return re.compile(rf"(?<!\w)(?:{words}) ?$") if words else None

    @cached_property
    def _units(self) -> Mapping[str, str]:
        return {unit: f"(?:{form})" for unit, form in self.table.get("units", {}).items()}

    @cached_property
    def _counted(self) -> Sequence[tuple[re.Pattern[str], str, int]]:
        counted = self.table.get("counted", {})
        return [
            (self._form(form.replace("{count}", self._count).replace("{unit}", unit)), name, sign)
            for key, sign in (("ago", -1), ("ahead", 1))
            for form in _several(counted.get(key, []))
            for name, unit in self._units.items()
        ]

    @cached_property
    def _lengths(self) -> Mapping[str, re.Pattern[str]]:
        space = " ?" if self.table.get("unspaced") else " "
        return {name: self._form(f"{self._count}{space}{unit}") for name, unit in self._units.items()}

    @cached_property
    def _steps(self) -> Sequence[tuple[str, int]]:
        rows = (("last", -1), ("this", 0), ("next", 1))
        return [(f"(?:{self.table[key]})", step) for key, step in rows if key in self.table]

    @cached_property
    def _near(self) -> Sequence[tuple[re.Pattern[str], str, int]]:
        return [
            (self._form(self._beside(near, unit)), name, step)
            for near, step in self._steps
            for name, unit in self._units.items()
            if name != "day"
        ]

    @cached_property
    def _of_week(self) -> Sequence[tuple[re.Pattern[str], int, int | None]]:
        rows: list[tuple[re.Pattern[str], int, int | None]] = []
        for place, weekday in enumerate(_listed(self.table.get("weekdays", ""))):
            one = f"(?:{weekday})"
            rows.append((self._form(one), place, None))
            for near, step in self._steps:
                rows.append((self._form(self._beside(near, one)), place, step))
                if "week" in self._units:
                    rows.append((self._form(f"{near} ?{self._units['week']}(?:の| )?{one}"), place, step))
        return rows

    @property
    def _of(self) -> str:
        return rf"(?:(?:{self.table['of']}) )?" if "of" in self.table else ""

    @property
    def _on_day(self) -> str:
        return str(self.table.get("on_day", "{day}"))

    @cached_property
    def _numbered_of_week(self) -> Sequence[tuple[re.Pattern[str], int]]:
        """Patterns of a weekday with the number of its day: "domingo 15", 15日の日曜."""
        number = self._on_day.replace("{day}", r"(?P<day>[0-3]?\d)")
        months = "|".join(each for key in ("months", "short_months") for each in _listed(self.table.get(key, "")))
        hours = "|".join((_HOURS, self.table.get("hours", "(?!)")))
        alone = rf"(?!\d|[.:/-]\d| ?(?:{hours})|\.? {self._of}(?:{months or '(?!)'}))"
        rows = []
        for place, weekday in enumerate(_listed(self.table.get("weekdays", ""))):
            rows.append((self._form(rf"{weekday},? ?{number}{alone}"), place))
            if self.table.get("day_first"):
                rows.append((self._form(rf"(?<!\d){number}[ の,，（(]*{weekday}"), place))
        return rows

    @cached_property
    def _absolute(self) -> Sequence[tuple[re.Pattern[str], Callable[[re.Match[str]], int], str | None]]:
        """Patterns of dates, with what tells the month of a match, and the day where that is always the same."""
        whole, to = self.table.get("date", "{day} {month}(?: {year})?"), self.table.get("to", "(?!)")
        of_year = rf"(?: {self._of}{_WHOLE_YEAR})?"
        named = [
            (self._form(_dated(form, name, to)), _always(number), None)
            for key, forms in (("months", (whole, f"{{month}}{of_year}")), ("short_months", (whole,)))
            for number, name in enumerate(_listed(self.table.get(key, "")), 1)
            for form in forms
        ]
        holidays = [
            (self._form(f"(?:{word}){of_year}"), _always(int(in_month)), on)
            for word, (in_month, on) in ((word, on.split("-")) for word, on in self.table.get("holidays", {}).items())
        ]
        numeric = self._whole(_dated(self.table.get("numeric", "(?!)"), r"(?P<month>0[1-9]|1[0-2])", "(?!)"))
        digits = (_ISO, _NUMERIC, _EASTERN, re.compile(numeric))
        return [*((form, lambda match: _digits(match["month"]), None) for form in digits), *named, *holidays]

    def _beside(self, near: str, what: str) -> str:
        if self.table.get("unspaced"):
            return f"{near}{what}"
        return rf"(?:{near} ?{what}|{what} {near})"

    def _form(self, form: str) -> re.Pattern[str]:
        return re.compile(form if self.table.get("unspaced") else self._whole(form + self.table.get("ending", "")))

    def _whole(self, form: str) -> str:
        """Whole words: the vowels of Hindi are no letters to `re`; Arabic "and", "in", "for" stand before a word."""
        return rf"(?<![\w\u0900-\u0963])(?:(?<!\w)[وبلف](?=[\u0600-\u06ff]))?{form}(?![\w\u0900-\u0963])"


def plain(text: str) -> str:
    """`text` in small letters, sign for sign as long as it was, with Arabic and Indian digits as Western ones."""
    return "".join(low if len(low := sign.lower()) == 1 else sign for sign in text).replace("İ", "i").translate(_ALIKE)


def _listed(words: str) -> Sequence[str]:
    """The entries of a list, divided by spaces; one within an entry is written as a pattern."""
    return [f"(?:{each})" for each in words.split(" ")] if words else []


def _several(forms: str | Sequence[str]) -> Sequence[str]:
    return [forms] if isinstance(forms, str) else forms


def _always(number: int) -> Callable[[re.Match[str]], int]:
    return lambda _match: number


def _dated(form: str, month_name: str, to: str) -> str:
    day_or_range = rf"(?P<day>\d{{1,2}})(?:\.?(?: (?:{to}) | ?[-–] ?)(?P<last>\d{{1,2}}))?"
    parts = {"{day}": day_or_range, "{month}": month_name, "{year}": _WHOLE_YEAR}
    for key, part in parts.items():
        form = form.replace(key, part)
    return f"(?:{form})"


def _length(text: str, match: re.Match[str], count: float, unit: str) -> Length:
    exact = (count, unit) if unit in UNITS else (0.0, "")
    return Length(text[match.start() : match.end()], *match.span(), count * _UNIT_DAYS[unit], *exact)


def _relative(match: re.Match[str], span: Span, said_at: datetime) -> Expression:
    return Expression(match[0], *match.span(), span, TimeKind.RELATIVE, said_at)


def _worded(found: Expression, text: str) -> Expression:
    """As it is written in the text itself."""
    return Expression(
        text[found.start_offset : found.end_offset], found.start_offset, found.end_offset, found.span, found.kind,
        found.said_at,
    )  # fmt: skip


def _season(said_at: datetime, name: str, step: int) -> Span:
    """The season that is over, the one that is or comes, or the one that has not begun."""
    near = [season(said_at, name, said_at.year + each) for each in (-2, -1, 0, 1)]
    if step < 0:
        return [each for each in near if each.end <= said_at][-1]
    return next(each for each in near if (each.start if step else each.end) > said_at)


def _until(span: Span, last: int) -> Span:
    """`span` drawn out to the day `last` of its month, where that is a later one."""
    try:
        end = span.start.replace(day=last) + ONE_DAY if last > span.start.day else span.end
    except ValueError:
        return span
    return span if end == span.end else Span(span.start, end, Grain.RANGE)


def _digits(said: str | None) -> int:
    """A number of a date, in digits or in Chinese characters up to thirty-one."""
    if not said:
        return 0
    if said.isdigit():
        return int(said)
    tens, _, ones = said.rpartition("十")
    if "十" not in said:
        return _HAN.get(said, 0)
    return 10 * (_HAN.get(tens, 1) if tens else 1) + (_HAN.get(ones, 0) if ones else 0)


def _around(low: str, match: re.Match[str]) -> str:
    """The part of a text in which a time stands, whose verb says whether it is past; all of it where that is short."""
    start = max((each.end() for each in _PART.finditer(low, 0, match.start())), default=0)
    end = next((each.start() for each in _PART.finditer(low, match.end())), len(low))
    return low[start:end] if len(low[start:end].split()) >= _CLAUSE else low


def _date(
    in_year: str | None, in_month: int, in_day: str | None, said_at: datetime | None, *, past: bool
) -> Span | None:
    """The day, or the month where none is named; without a year the nearest, or for a month the next, if not past."""
    if (in_year is None and said_at is None) or not 1 <= in_month <= 12:
        return None
    number, zone = _digits(in_day), said_at.tzinfo if said_at else None
    try:
        if in_year is not None:
            stated = int(in_year) if len(in_year) == 4 else 2000 + int(in_year)
            return _span(datetime(stated, in_month, number or 1, tzinfo=zone), whole=not number)
        assert said_at is not None
        return _nearest(said_at, in_month, number, past=past)
    except ValueError:
        return None


def _nearest(said_at: datetime, in_month: int, in_day: int, *, past: bool) -> Span | None:
    """A date without a year: the nearest of three; a month without a day lies ahead, or behind in the past tense."""
    if not in_day:
        step = (in_month - said_at.month) % 12
        return month(said_at, step - 12 if past and step else step)
    near = [found for step in (-1, 0, 1) if (found := _day(said_at, said_at.year + step, in_month, in_day))]
    return _span(min(near, key=lambda each: abs(each - midnight(said_at))), whole=False) if near else None


def _day(said_at: datetime, in_year: int, in_month: int, in_day: int) -> datetime | None:
    """None where that year has no such day."""
    try:
        return datetime(in_year, in_month, in_day, tzinfo=said_at.tzinfo)
    except ValueError:
        return None


def _day_on(said_at: datetime, number: int, weekday: int, *, past: bool) -> datetime | None:
    """The nearest day of this number that is on this weekday, ahead, or behind in the past tense; within two months."""
    months = [moved(midnight(said_at).replace(day=1), "month", step).start for step in range(-2, 3)]
    days = [found for each in months if (found := _day(said_at, each.year, each.month, number))]
    fitting = [each for each in days if each.weekday() == weekday]
    sides = [each for each in fitting if (each < said_at) == past or each == midnight(said_at)]
    return min(sides or fitting, key=lambda each: abs(each - said_at), default=None)


def _span(start: datetime, *, whole: bool) -> Span:
    return month(start) if whole else Span(start, start + ONE_DAY, Grain.DAY)
