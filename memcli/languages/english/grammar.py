"""The grammar of time expressions: a pattern and what it stands for, one rule a form."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from ...text import times as spans
from ...text.times import ONE_DAY, Grain, Span, TimeKind
from .outlook import outlook
from .words import listed

__all__ = ["ASKED", "LENGTH", "MONTHS", "NUMBER", "Build", "Match", "Meaning", "amount", "compiled"]

MONTHS = listed("calendar", "months")
_WEEKDAYS = listed("calendar", "weekdays")
_FIRST_NUMBERS = listed("grammar", "first_numbers")
_TENS = {word: 10 * value for value, word in enumerate(listed("grammar", "tens"), 2)}
_NUMBERS = {word: value for value, word in enumerate(_FIRST_NUMBERS, 1)} | {"a": 1, "an": 1} | _TENS
_ONES = _FIRST_NUMBERS[:9]
#: A number in words, up to ninety-nine; "seventeen" before "seven".
NUMBER = (
    rf"(?:(?:{'|'.join(_TENS)})(?:[\s-](?:{'|'.join(_ONES)})\b)?"
    rf"|{'|'.join(sorted(_FIRST_NUMBERS, key=len, reverse=True))})"
)
#: Amounts that nobody means exactly: the least and the most that they stand for.
_VAGUE = {"couple": (2, 2), "few": (3, 5), "several": (3, 7), "some": (2, 7), "many": (5, 20)}
_HOLIDAYS = {
    "christmas": (12, 25),
    "christmas day": (12, 25),
    "christmas eve": (12, 24),
    "new year's eve": (12, 31),
    "new year's day": (1, 1),
    "new year's": (1, 1),
    "halloween": (10, 31),
    "valentine's day": (2, 14),
    "valentine's": (2, 14),
}
_HOUR = re.compile(r",?\s+(?:at\s+)?(?:[01]?\d|2[0-3])(?::[0-5]\d|\s*[ap]\.?m\b)", re.IGNORECASE)
#: What says that a stretch of time goes on, and how far from it.
_GOING_ON = re.compile(r"(?i)\b(?:have|has|haven't|hasn't|been|now|already|married|engaged|retired)\b|'(?:ve|s)\b")
_BESIDE = 60
_ORDINALS = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3, "last": -1}


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an expression stands for, before it is placed in its text. `anchor`: the date that it names itself."""

    span: Span
    kind: TimeKind = TimeKind.RELATIVE
    relation: str = ""
    ambiguous: bool = False
    anchor: datetime | None = None


Match = re.Match[str]
Build = Callable[[Match, datetime], Meaning | None]


def amount(words: str) -> tuple[int, int]:
    """The least and the most that "3", "three", "twenty-three", "a couple of" or "a few" stands for."""
    told = re.findall(r"[a-z]+|\d+", words.lower())
    for place, word in reversed(list(enumerate(told))):
        if word in _VAGUE:
            return _VAGUE[word]
        if word.isdigit() or word in _NUMBERS:
            value = int(word) if word.isdigit() else _NUMBERS[word]
            tens = _TENS.get(told[place - 1], 0) if place and word in _ONES else 0
            return value + tens, value + tens
    return 1, 1


def _month_number(word: str) -> int:
    return next(n for n, name in enumerate(MONTHS, 1) if name.startswith(word.lower().rstrip(".")[:3]))


def _full_year(digits: str) -> int:
    return int(digits) + (0 if len(digits) == 4 else 2000 if int(digits) < 70 else 1900)


def _nearest(at: datetime, month: int, day: int, outlook: int) -> datetime:
    """The day and month without a year: the one nearest to `at`, on the side that is spoken of, if one is."""
    near = [spans.midnight(at).replace(year=at.year + y, month=month, day=day) for y in (-1, 0, 1)]
    if outlook > 0:
        return next(d for d in near if d >= spans.midnight(at))
    if outlook < 0:
        return next(d for d in reversed(near) if d <= at)
    return min(near, key=lambda d: abs(d - at))


def _outlook(match: Match) -> int:
    """Whether what is dated lies ahead, 1, or behind, -1; a time of day beside it is an appointment's."""
    told = outlook(match.string, match.start(), match.end())
    return told or int(bool(_HOUR.match(match.string, match.end())))


def _full_date(match: Match, at: datetime) -> Meaning | None:
    groups = match.groupdict()
    month, day = _month_number(groups["month"]), int(groups["day"])
    if groups["year"]:
        start = spans.midnight(at).replace(year=_full_year(groups["year"]), month=month, day=day)
    else:
        start = _nearest(at, month, day, _outlook(match))
    if groups.get("last"):
        end = start.replace(day=int(groups["last"])) + ONE_DAY
        return Meaning(Span(start, end, Grain.RANGE), TimeKind.ABSOLUTE) if end > start else None
    return Meaning(spans.day(start), TimeKind.ABSOLUTE)


def _digits(match: Match, at: datetime) -> Meaning:
    first, second = int(match["first"]), int(match["second"])
    year = _full_year(match["year"])
    month, day = (second, first) if first > 12 or "." in match.group() else (first, second)
    ambiguous = "/" in match.group() and max(first, second) <= 12 and first != second
    start = spans.midnight(at).replace(year=year, month=month, day=day)
    return Meaning(spans.day(start), TimeKind.ABSOLUTE, ambiguous=ambiguous)


def _iso(match: Match, at: datetime) -> Meaning:
    day = spans.midnight(at).replace(year=int(match["year"]), month=int(match["month"]), day=int(match["day"]))
    if not match["hour"]:
        return Meaning(spans.day(day), TimeKind.ABSOLUTE)
    stated = datetime.fromisoformat(match.group().replace("/", "-").replace(" ", "T"))
    moment = stated if stated.tzinfo else stated.replace(tzinfo=at.tzinfo)
    return Meaning(Span(moment, moment + timedelta(minutes=1), Grain.MINUTE), TimeKind.ABSOLUTE)


def _named_month(match: Match, at: datetime) -> Meaning:
    month, year = _month_number(match["month"]), match["year"]
    if year:
        span = spans.month(spans.midnight(at).replace(year=_full_year(year), month=month, day=1))
    else:
        lead = (match["lead"] or "").lower()
        side = -1 if lead.startswith("since") else _outlook(match)
        shift = _year_shift(lead, month - at.month, side)
        span = spans.month(spans.midnight(at).replace(year=at.year + shift, month=month, day=1))
    return _since(span, at) if (match["lead"] or "").lower().startswith("since") else Meaning(span, TimeKind.ABSOLUTE)


def _year_shift(lead: str, ahead: int, outlook: int, still: int = 0) -> int:
    """The year, relative to this one, of a month or season that is `ahead` months from now.

    `still` is the least `ahead` at which it is not yet over, so that "last" means the one of a year ago.
    """
    if lead.startswith(("last", "since last", "past", "this past")):
        return -1 if ahead >= still else 0
    if outlook > 0 or lead.startswith("next"):
        return 1 if ahead < 0 or (ahead == 0 and lead.startswith("next")) else 0
    if lead.startswith("this"):
        return 0
    return -1 if ahead > (0 if outlook < 0 else 2) else 0


def _part_of_month(match: Match, at: datetime) -> Meaning:
    month = _named_month(match, at).span
    which, unit = _ORDINALS[match["which"].lower()], match["unit"].lower()
    first = spans.midnight(month.start)
    saturday = first + timedelta(days=(5 - first.weekday()) % 7)
    if which < 0:
        back = month.end - 7 * ONE_DAY
        start = back + timedelta(days=(5 - back.weekday()) % 7) if unit == "weekend" else back
    else:
        start = (saturday if unit == "weekend" else first) + timedelta(days=7 * which)
    days, grain = (2, Grain.WEEKEND) if unit == "weekend" else (7, Grain.WEEK)
    return Meaning(Span(start, start + days * ONE_DAY, grain), TimeKind.ABSOLUTE)


def _named_year(match: Match, at: datetime) -> Meaning:
    span = spans.year(spans.midnight(at).replace(year=int(match["year"]), month=1, day=1))
    return _since(span, at) if match["lead"].lower() == "since" else Meaning(span, TimeKind.ABSOLUTE)


def _spelled_year(match: Match, at: datetime) -> Meaning:
    century, rest = match["century"].lower(), match["rest"]
    year = 100 * amount(century)[0] + amount(rest)[0]
    return Meaning(spans.year(spans.midnight(at).replace(year=year, month=1, day=1)), TimeKind.ABSOLUTE)


def _since(span: Span, at: datetime) -> Meaning:
    end = spans.midnight(at) + ONE_DAY
    return Meaning(Span(span.start, max(end, span.end), span.grain), TimeKind.SINCE)


def _named_season(match: Match, at: datetime) -> Meaning:
    name, lead = match["season"].lower(), (match["lead"] or "").lower()
    if match["year"]:
        return Meaning(spans.season(at, name, int(match["year"])), TimeKind.ABSOLUTE)
    return Meaning(
        spans.season(at, name, at.year + _year_shift(lead, spans.SEASONS[name] - at.month, _outlook(match), -2))
    )


def _season(match: Match, at: datetime) -> Meaning | None:
    """In the autumn, where a verb says on which side; "in spring it rains" is of every year."""
    side, name = _outlook(match), match["season"].lower()
    ahead = spans.SEASONS[name] - at.month
    return Meaning(spans.season(at, name, at.year + _year_shift("", ahead, side))) if side else None


_NAMED_DAYS = {
    "the day before yesterday": -2, "the night before last": -2, "the day after tomorrow": 2, "yesterday": -1,
    "last night": -1, "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0,
    "earlier today": 0, "tomorrow": 1,
}  # fmt: skip


def _named_day(match: Match, at: datetime) -> Meaning:
    return Meaning(spans.day(at, _NAMED_DAYS[match["day"].lower()]))


def _other_day(_match: Match, at: datetime) -> Meaning:
    return Meaning(Span(spans.day(at, -6).start, spans.day(at).start, Grain.RANGE), relation="a few days before")


def _counted(match: Match, at: datetime) -> Meaning:
    """N units ago, or N units from now."""
    unit, (least, most) = match["unit"].lower(), amount(match["amount"])
    past = match.groupdict().get("ago") is not None
    sign = -1 if past else 1
    reach = sorted((spans.moved(at, unit, sign * n) for n in (least, most)), key=lambda s: s.start)
    side, words = "before" if past else "after", re.sub(r"\s+", " ", match["amount"].strip().lower())
    if match.groupdict().get("since"):
        return _since(reach[0], at)
    if least != most:
        whole = Span(reach[0].start, reach[-1].end, Grain.RANGE)
        return Meaning(whole, relation=f"{words} {unit}s {side}")
    named = unit in ("week", "weekend", "fortnight")
    plural = f"{words} {unit}s" if least > 1 else f"the {unit}"
    return Meaning(reach[0], relation=f"{plural} {side}" if named else "")


def _after_next(match: Match, at: datetime) -> Meaning:
    return Meaning(spans.moved(at, match["unit"].lower(), 2))


def _neighbour(match: Match, at: datetime) -> Meaning | None:
    """Last, this or next week, weekend, month or year."""
    lead, unit = match["lead"].lower(), match["unit"].lower()
    if "past" in lead or lead in ("last", "previous", "since last"):
        step, side = -1, "before"
    else:
        step, side = (1, "after") if lead.split()[-1] in ("next", "coming", "following", "upcoming") else (0, "of")
    if step == -1 and unit == "weekend" and at.weekday() == 6:
        step = -1  # said on a Sunday, "last weekend" is the one that is over
    if unit == "weekend" and step == 1 and "coming" in lead:
        step = 0
    span = spans.moved(at, unit, step)
    if lead == "since last":
        return _since(span, at)
    return Meaning(span, relation=f"the {unit} {side}" if unit in ("week", "weekend") else "")


def _end_of(match: Match, at: datetime) -> Meaning:
    """The week or the month that ends; of a year its last month."""
    span = spans.moved(at, match["unit"].lower(), 1 if match["next"] else 0)
    return Meaning(spans.month(span.end, -1) if span.grain is Grain.YEAR else span)


def _weekday(match: Match, at: datetime) -> Meaning | None:
    """A day that no verb places lies ahead: "dentist on Monday"."""
    return _on_weekday(match, at, unplaced=1)


def _weekday_asked(match: Match, at: datetime) -> Meaning | None:
    """A day of a question, which asks for what was said: where no verb places it, it is over."""
    return _on_weekday(match, at, unplaced=-1)


def _on_weekday(match: Match, at: datetime, unplaced: int) -> Meaning | None:
    word, lead = match["weekday"].lower(), re.sub(r"\s+", " ", (match["lead"] or "").lower())
    is_short = len(word) < len("friday") and not match["weekday"][0].isupper()  # "sat", "sun" and "wed" are words
    if word.endswith("days") or (not lead and is_short):  # "on Tuesdays" is no day
        return None
    target = _weekday_number(word)
    placed = lead in ("", "on", "by") and (_outlook(match) or unplaced) > 0
    future = "next" in lead or "coming" in lead or lead == "this" or placed
    ahead = (target - at.weekday()) % 7
    days = (ahead or 7) if future else ahead - 7
    relation = f"the {_WEEKDAYS[target].capitalize()} {'after' if future else 'before'}"
    return Meaning(spans.day(at, days), relation=relation)


def _weekday_week(match: Match, at: datetime) -> Meaning:
    """A week on Saturday, Saturday week: that after the next."""
    ahead = (_weekday_number(match["weekday"]) - at.weekday()) % 7 or 7
    return Meaning(spans.day(at, ahead + 7))


def _weekday_of_month(match: Match, at: datetime) -> Meaning | None:
    """Monday the 13th: the nearest day that is both, on the side that is spoken of."""
    target, number, side = _weekday_number(match["weekday"]), int(match["day"]), _outlook(match)
    months = [spans.month(at, step) for step in range(-7, 8)]
    days = [month.start + timedelta(days=number - 1) for month in months if (month.end - month.start).days >= number]
    fitting = [d for d in days if d.weekday() == target and (d - spans.midnight(at)).days * side >= 0]
    near = min(fitting, key=lambda d: abs(d - at), default=None)
    return Meaning(spans.day(near), TimeKind.ABSOLUTE) if near else None


def _anchored(match: Match, at: datetime) -> Meaning | None:
    """The week before 13 September 2023, two weeks after it, the Friday before it: as `describe` words them."""
    anchor = spans.midnight(at).replace(
        year=int(match["year"]), month=_month_number(match["month"]), day=int(match["day"])
    )
    side = match["side"].lower()
    sign = {"before": -1, "after": 1}.get(side, 0)
    relation = re.sub(r"\s+", " ", match.string[match.start() : match.end("side")]).lower()
    if match["weekday"]:
        target = _weekday_number(match["weekday"])
        ahead = (target - anchor.weekday()) % 7
        relation = f"the {_WEEKDAYS[target].capitalize()} {side}"
        return Meaning(spans.day(anchor, ahead - 7 if sign < 0 else ahead or 7), relation=relation, anchor=anchor)
    least, most = amount(match["amount"] or "")
    unit = match["unit"].lower()
    if not sign and (match["amount"] or unit not in ("week", "weekend")):
        return None
    reach = sorted((spans.moved(anchor, unit, sign * n) for n in (least, most)), key=lambda s: s.start)
    if least == most:
        return Meaning(reach[0], relation=relation, anchor=anchor)
    return Meaning(Span(reach[0].start, reach[-1].end, Grain.RANGE), relation=relation, anchor=anchor)


def _weekday_number(word: str) -> int:
    return next(n for n, name in enumerate(_WEEKDAYS) if name.startswith(word.lower()[:3]))


def _day_of_month(match: Match, at: datetime) -> Meaning:
    shifts = [spans.month(at, n).start.replace(day=1) + timedelta(days=int(match["day"]) - 1) for n in (-1, 0, 1)]
    today, ahead = spans.midnight(at), _outlook(match)
    near = min((d for d in shifts if (d - today) * ahead >= timedelta(0)), key=lambda d: abs(d - at))
    return Meaning(spans.day(near), TimeKind.ABSOLUTE, ambiguous=True)


def _stretch(match: Match, at: datetime) -> Meaning | None:
    """For three years: from three years ago until now, where it goes on: "I've lived here for three years"."""
    unit, (least, most) = match["unit"].lower(), amount(match["amount"])
    side, clause = _outlook(match), match.string[max(0, match.start() - _BESIDE) : match.end() + len(" now")]
    if unit in ("minute", "hour", "night") or side > 0 or (side < 0 and not _GOING_ON.search(clause)):
        return None
    span = spans.moved(at, unit, -most)
    vague = least != most
    return Meaning(
        Span(span.start, spans.midnight(at) + ONE_DAY, Grain.RANGE if vague else span.grain),
        TimeKind.STRETCH,
        relation=f"for {match['amount'].strip().lower()} {match['plural'].lower()}" if vague else "",
    )


def _holiday(match: Match, at: datetime) -> Meaning:
    month, day = _HOLIDAYS[match["holiday"].lower()]
    return Meaning(spans.day(_nearest(at, month, day, _outlook(match))), TimeKind.ABSOLUTE)


def _clock(match: Match, at: datetime) -> Meaning:
    hour = int(match["hour"]) % 12 + (12 if match["half"].lower().startswith("p") else 0)
    moment = spans.midnight(at).replace(hour=hour, minute=int(match["minute"] or 0))
    return Meaning(Span(moment, moment + timedelta(minutes=1), Grain.MINUTE), TimeKind.CLOCK)


#: The year of a century in words: "thirty-nine", "oh four", "twelve".
_IN_CENTURY = (
    rf"(?:{'|'.join(_TENS)})(?:[\s-](?:{'|'.join(_ONES)}))?|oh?[\s-](?:{'|'.join(_ONES)})"
    rf"|{'|'.join(_FIRST_NUMBERS[9:])}"
)
_MONTH = (
    r"(?P<month>jan(?:uary|\.)?|feb(?:ruary|\.)?|mar(?:ch|\.)?|apr(?:il|\.)?|may|june?|july?|aug(?:ust|\.)?"
    r"|sept?(?:ember|\.)?|oct(?:ober|\.)?|nov(?:ember|\.)?|dec(?:ember|\.)?)(?![a-z])"
)
_AMOUNT = rf"(?P<amount>\d{{1,4}}|(?:a\s+)?couple(?:\s+of)?|(?:a\s+)?few|several|some|many|{NUMBER}|an?)"
_UNIT = r"(?P<plural>(?P<unit>minute|hour|day|night|weekend|week|fortnight|month|year|decade)s?)\b"
_DAY_NUMBER = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_WEEKDAY = r"(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)days?|tues?|weds?|thu(?:rs?)?|fri|sat|sun|mon)(?![a-z])"
#: "Two and a half years", "a year and a half", "half an hour".
LENGTH = rf"\b(?:{_AMOUNT}(?P<halved> and a half)?[\s-]+|(?P<half>half )an? ){_UNIT}(?P<more> and a half\b)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d)"
_NEAR = (
    r"(?P<lead>since last|last|this past|past|previous|this coming|next|coming|upcoming|following"
    r"|this|earlier this|later this)"
)
#: Before and behind "the 28th", where that is a day: "they moved it to the 28th", "not the 28th though"; and what a
#: reply begins with: "yes the 28th", "no, the 28th".
_UP_TO = "|".join(rf"(?<=\b{word} )" for word in "to by until till from since before after not is of for".split())
_REPLYING = "|".join(
    ["^", r"(?<=[.!?,;:…(] )"]
    + [rf"(?<=\b{word} )" for word in "yes yep yeah no nope ok okay sorry actually meant mean say think".split()]
)
_GOES_ON = "now|instead|though|and|but|at|in|to|then|because|so|as|if|latest"

#: Behind "25th", where that is a day: "25th at one o'clock", "the 2nd at 10.30".
_AT_HOUR = r",? at (?:\d{1,2}(?:[:.]\d\d| ?[ap]m)|noon|midday|half past|(?:a )?quarter (?:past|to)|\w+ o'clock)\b"

#: Behind "Sunday 15", which is a day if it is no time.
_NO_HOUR = r"(?!\w|[.:/-]\d|\s*(?:[ap]\.?m\b|o'clock|-|–|to\s+\d))"

_RULES: tuple[tuple[str, Build], ...] = (
    (rf"\b(?:(?:the\s+)?(?:{_AMOUNT}\s+)?{_UNIT}|the\s+{_WEEKDAY})\s+(?P<side>before|after|of)\s+"
     rf"{_DAY_NUMBER}\s+{_MONTH},?\s+{_YEAR}", _anchored),
    (r"(?<!\d)(?P<year>\d{4})[-/](?P<month>\d\d)[-/](?P<day>\d\d)"
     r"(?P<hour>[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)?(?!\d)", _iso),
    (r"(?<![\d/.])(?P<first>\d{1,2})(?P<mark>[/.])(?P<second>\d{1,2})(?P=mark)(?P<year>\d{4}|\d\d)(?![\d/]|\.\d)",
     _digits),
    (rf"(?<![\d:.])(?:the\s+)?{_DAY_NUMBER}\s*(?:of\s+)?{_MONTH}(?:,?\s*(?P<year>\d{{4}}))?(?!\d)", _full_date),
    (rf"(?<![\d:.-])(?:the\s+)?{_DAY_NUMBER}\s*(?:[-–—]|to|till|until)\s*(?:the\s+)?(?P<last>[0-3]?\d)(?:st|nd|rd|th)?"
     rf"\s*(?:of\s+)?{_MONTH}(?:,?\s*(?P<year>\d{{4}}))?(?!\d)", _full_date),
    (rf"\b{_MONTH}\s*(?:the\s+)?{_DAY_NUMBER}(?:\s*[-–—]\s*(?P<last>[0-3]?\d)(?:st|nd|rd|th)?)?"
     r"(?:,?\s+(?P<year>\d{4}))?(?![\d:])(?!\s*[ap]m)", _full_date),
    (rf"\b(?:the\s+)?(?P<which>first|second|third|fourth|last|1st|2nd|3rd|4th)\s+(?P<unit>weekend|week)\s+(?:of|in)\s+"
     rf"(?P<lead>last|next|this)?\s*{_MONTH}(?:,?\s*{_YEAR})?", _part_of_month),
    (rf"(?<!\d )\b(?:(?P<lead>since|in)\s+)?(?:(?:early|mid|late)[-\s])?{_MONTH},?\s+(?:of\s+)?{_YEAR}", _named_month),
    (r"\b(?P<lead>since last|since|in|last|next|this past|this|by|until|till|during|around|of|early|mid|late)[-\s]+"
     rf"(?:early\s+|mid[-\s]|late\s+)?{_MONTH}(?P<year>(?!))?(?!\s*\d)", _named_month),
    (rf"\b(?P<lead>since|in|by|until|till|of|during|around|from|year|early|late|before|after)\s+{_YEAR}(?![-/])",
     _named_year),
    (rf"\b(?:(?:in|by|since|of|during|from|around)\s+)?(?P<century>eighteen|nineteen|twenty)[\s-](?P<rest>{_IN_CENTURY})\b",
     _spelled_year),
    (r"\b(?:(?P<lead>since last|last|this past|this|next|during the|in the|the)\s+)?"
     rf"(?P<season>spring|summer|fall|autumn|winter)(?:\s+of)?,?\s+{_YEAR}", _named_season),
    (r"\b(?P<lead>since last|last|this past|past|this|next)\s+(?P<season>spring|summer|fall|autumn|winter)\b"
     r"(?P<year>(?!))?", _named_season),
    (r"\b(?:in|by|until|till|over)\s+(?:the\s+)?(?P<season>spring|summer|autumn|winter)\b(?!\s+of\b)", _season),
    (r"\b(?P<day>" + "|".join(_NAMED_DAYS) + r")\b", _named_day),
    (r"\b(?:the other (?:day|night|week)|recently)\b", _other_day),
    (rf"\b(?:(?P<since>since)\s+)?{_AMOUNT}\s+{_UNIT}\s+(?P<ago>ago|back\b(?!\s+(?:to|from)))", _counted),
    (rf"\bin\s+(?:about\s+|just\s+)?{_AMOUNT}\s+{_UNIT}(?!\s*old|\s+of\b|')", _counted),
    (rf"\b{_AMOUNT}\s+{_UNIT}\s+(?:later|from now)\b", _counted),
    (r"\b(?:the\s+)?(?P<unit>weekend|week|month|year)\s+after\s+next\b", _after_next),
    (r"\b(?:the )?end of (?:the|this|(?P<next>next)) (?P<unit>week|month|year)\b", _end_of),
    (rf"\b{_NEAR}\s+(?P<unit>weekend|week|month|year)\b", _neighbour),
    (rf"\b(?:(?:on|by)\s+)?{_WEEKDAY},?\s+(?:the\s+)?(?P<day>[1-3]?\d)(?:(?:st|nd|rd|th)\b|{_NO_HOUR})"
     rf"(?!\s+(?:of\s+)?{_MONTH})", _weekday_of_month),
    (rf"\ba week (?:on|from|this)\s+{_WEEKDAY}", _weekday_week),
    (rf"\b{_WEEKDAY}\s+week\b", _weekday_week),
    (rf"\b(?:(?P<lead>last|this past|past|this coming|this|next|coming|on|by|since)\s+)?{_WEEKDAY}", _weekday),
    (rf"\bon (?:the )?(?P<day>[1-3]?\d)(?:st|nd|rd|th)\b(?!\s+(?:floor|street|time|anniversary|(?:of\s+)?{_MONTH}))",
     _day_of_month),
    (rf"(?:{_UP_TO})the (?P<day>[1-3]?\d)(?:st|nd|rd|th)\b(?=\s*(?:[.,;:!?)…–—-]|$|(?:{_GOES_ON})\b))", _day_of_month),
    (rf"(?:{_REPLYING})(?:the |(?![1-3](?:st|nd|rd)))(?P<day>[1-3]?\d)(?:st|nd|rd|th)\b"
     rf"(?=\s*(?:[.,;:!?)…–—-]|$|(?:{_GOES_ON})\b))", _day_of_month),
    (r"(?:(?<=\bit's )|(?<=\bit’s )|(?<=\bit is ))(?:now )?the (?P<day>[1-3]?\d)(?:st|nd|rd|th)\b"
     r"(?=\s*(?:now|[.,;:!?)]|$))", _day_of_month),
    (rf"\b(?:the )?(?P<day>[1-3]?\d)(?:st|nd|rd|th)(?={_AT_HOUR})", _day_of_month),
    (rf"\b(?:for|over|in|during)\s+(?:about\s+|almost\s+|nearly\s+|over\s+|around\s+)?(?:the\s+)?(?:last\s+|past\s+)?"
     rf"{_AMOUNT}\s+{_UNIT}(?!\s*(?:old|ago)|'|-)", _stretch),
    (r"\b(?P<holiday>" + "|".join(sorted(_HOLIDAYS, key=len, reverse=True)) + r")\b", _holiday),
    (r"\b(?P<hour>1[0-2]|0?[1-9])(?::(?P<minute>[0-5]\d))?\s*(?P<half>[ap]\.?m)\b\.?", _clock),
)  # fmt: skip


#: What stands for an expression in a question, where that is another thing.
ASKED: Mapping[Build, Build] = {_weekday: _weekday_asked}


@lru_cache(maxsize=1)
def compiled() -> tuple[tuple[re.Pattern[str], Build], ...]:
    """The rules, compiled at first use: a command that reads no text does not pay for them."""
    return tuple((re.compile(pattern, re.IGNORECASE), build) for pattern, build in _RULES)
