"""The postings table: which stem occurs how often in which turn. BM25 of every coarser unit is summed from it.

Beside it: in which language a turn is that is in another one than English.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..model import Translation
from ..text import ENGLISH, is_unspaced
from .rows import Columns, append, columns, scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "Postings",
    "Scored",
    "add_documents",
    "akin",
    "bent",
    "best",
    "by_session",
    "by_turn",
    "documents",
    "frequencies",
    "known",
    "languages",
    "postings",
    "remove_documents",
    "translated",
    "weights",
]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]
#: For each stem that occurs the numbers of its turns, ascending, and the frequencies in them.
Postings = Mapping[str, tuple[Ints, Ints]]
#: Turns or sessions, by their numbers, with the score of each.
Scored = tuple[Ints, Doubles]

#: Postings that choose candidates, at most: those of the rarest stems come first.
_COMMON = 50_000
#: Letters of a part of a compound at least, and of what is left of that; compounds and parts that stand for a stem.
_PART, _REST, _AKIN = 4, 3, 4
#: Letters that two forms of a word begin with at least, and those of an ending at the most.
_BEGIN, _ENDING = 3, 2
#: What stands before a verb and says whose it is, in Arabic and Hebrew as they are normalized; "and".
_PERSONS = {"ar": ("\u0627\u062a\u064a\u0646", "\u0648"), "he": ("\u05d0\u05ea\u05d9\u05e0", "\u05d5")}
_NONE: Ints = np.zeros(0, dtype=np.int64)


def add_documents(
    db: DuckDBPyConnection,
    turns: Sequence[int],
    counts: Sequence[Mapping[str, int]],
    cues: Sequence[int],
    languages: Sequence[str],
) -> None:
    """Appends the stems of each turn with their frequencies, its length in content stems, its cues and its language."""
    sizes = [len(c) for c in counts]
    append(
        db,
        "posting",
        {
            "term": [term for c in counts for term in c],
            "turn": np.repeat(np.array(turns, dtype=np.int32), sizes),
            "frequency": np.array([f for c in counts for f in c.values()], dtype=np.int32),
        },
    )
    lengths = np.array([sum(c.values()) for c in counts], dtype=np.int32)
    append(db, "document", {"turn": np.array(turns), "length": lengths, "cues": np.array(cues, dtype=np.int32)})
    others = [(turn, code) for turn, code in zip(turns, languages, strict=True) if code != ENGLISH]
    if others:
        numbers, codes = zip(*others, strict=True)
        append(db, "spoken", {"turn": np.array(numbers, dtype=np.int32), "language": list(codes)})


def remove_documents(db: DuckDBPyConnection, turns: Sequence[int]) -> None:
    """Takes out what `add_documents` noted of these turns."""
    for table in ("posting", "document", "spoken"):
        db.execute(f"delete from {table} where turn in (select unnest(?::integer[]))", [list(turns)])


def languages(db: DuckDBPyConnection) -> dict[str, int]:
    """How many turns are in each language beside English, the commonest first."""
    found = db.execute("select language, count(*) from spoken group by language order by 2 desc, 1").fetchall()
    return {str(code): int(count) for code, count in found}


def postings(
    db: DuckDBPyConnection, stems: Sequence[str], turns: str = "", parameters: Mapping[str, object] | None = None
) -> Postings:
    """The postings of those of `stems` that the store has. `turns`: only of these, as SQL over `parameters`."""
    wanted = list(dict.fromkeys(stems))
    # The stem by its place: a number a row is quickly handed over, a text a row is not.
    found = columns(
        db,
        f"""select w.place, p.turn, p.frequency from posting p
            join (select unnest($stems::varchar[]) as term, unnest(range(len($stems))) as place) w on w.term = p.term
            {f"where p.turn in ({turns})" if turns else ""}""",
        {"stems": wanted, **(parameters or {})},
    )
    order = np.lexsort((found["turn"], found["place"]))
    turn, frequency = (found[name][order].astype(np.int64) for name in ("turn", "frequency"))
    bounds = np.searchsorted(found["place"][order], np.arange(len(wanted) + 1)).tolist()
    return {
        stem: (turn[a:b], frequency[a:b]) for stem, a, b in zip(wanted, bounds[:-1], bounds[1:], strict=True) if a < b
    }


def translated(db: DuckDBPyConnection, translations: Sequence[Translation]) -> Postings:
    """For each stem that is translated the postings of what stands for it, of turns in the language of that alone."""
    stems = list(dict.fromkeys(each.stem for each in translations))
    found = columns(
        db,
        """select w.place, p.turn, sum(p.frequency)::bigint as frequency
           from posting p join (select unnest($terms::varchar[]) as term, unnest($languages::varchar[]) as language,
                                unnest($places::integer[]) as place) w on w.term = p.term
           left join spoken s on s.turn = p.turn
           where coalesce(s.language, $english) = w.language group by w.place, p.turn order by w.place, p.turn""",
        {
            "terms": [each.term for each in translations],
            "languages": [each.language for each in translations],
            "places": [stems.index(each.stem) for each in translations],
            "english": ENGLISH,
        },
    )
    bounds = np.searchsorted(found["place"], np.arange(len(stems) + 1)).tolist()
    turn, frequency = (found[name].astype(np.int64) for name in ("turn", "frequency"))
    return {stem: (turn[a:b], frequency[a:b]) for stem, a, b in zip(stems, bounds[:-1], bounds[1:], strict=True)}


def frequencies(
    db: DuckDBPyConnection, stems: Sequence[str], turns: str = "", parameters: Mapping[str, object] | None = None
) -> dict[str, int]:
    """In how many turns each of `stems` occurs that is there. `turns`: only in these, as SQL over `parameters`."""
    found = columns(
        db,
        f"""select term, count(*) as turns from posting where term in (select unnest($stems::varchar[]))
            {f"and turn in ({turns})" if turns else ""} group by term""",
        {"stems": list(dict.fromkeys(stems)), **(parameters or {})},
    )
    return dict(zip(found["term"].tolist(), found["turns"].tolist(), strict=True))


def bent(db: DuckDBPyConnection, stem: str, language: str) -> list[str]:
    """The stems that may be of one word with `stem`, the commonest, `_AKIN` at most: in a Semitic language but for what
    stands before a verb; of one character of an unspaced script, the pairs that have it; else see `_but_for_endings`.
    """
    if language in _PERSONS:
        found = _terms(
            db, "list_contains($forms, term) or list_contains($forms, term[:-2])", forms=_forms(stem, language)
        )
    elif is_unspaced(stem):
        found = _terms(db, "length($stem) = 1 and length(term) = 2 and contains(term, $stem)", stem=stem)
    else:
        found = _but_for_endings(db, stem)
    return found[:_AKIN]


def _forms(stem: str, language: str) -> list[str]:
    """What a verb of a Semitic language is with another person before it, and without."""
    persons, conjunction = _PERSONS[language]
    if len(stem) < _BEGIN or stem[0] not in persons:
        return []
    others = [f"{each}{stem[1:]}" for each in persons if each != stem[0]]
    forms = [*others, *([stem[1:]] if len(stem) > _BEGIN else [])]
    return [*forms, *(conjunction + form for form in forms)]


def _but_for_endings(db: DuckDBPyConnection, stem: str) -> list[str]:
    """The stems that begin as `stem` does, with an ending of `_ENDING` letters at most on either; of short ones one is
    the beginning of the other. Those that have most in common with it.
    """
    begin = stem[: max(_BEGIN, len(stem) - _ENDING)]
    where = """term <> $stem and length($begin) >= $least
            and starts_with(term, $begin) and length(term) <= length($stem) + $ending"""
    terms = _terms(db, where, stem=stem, begin=begin, least=_BEGIN, ending=_ENDING)
    alike = {term: _shared(stem, term) for term in terms}
    near = [
        term for term, shared in alike.items()
        if len(term) - shared <= _ENDING and (shared > _BEGIN or shared in (len(term), len(stem)))
    ]  # fmt: skip
    most = max((alike[term] for term in near), default=0)
    return [term for term in near if alike[term] == most]


def _shared(one: str, other: str) -> int:
    """How many letters both begin with."""
    return next(
        (n for n, pair in enumerate(zip(one, other, strict=False)) if len(set(pair)) > 1), min(len(one), len(other))
    )


def akin(db: DuckDBPyConnection, stem: str) -> list[str]:
    """The stems that `stem` may be a part of, or that may be parts of it, as of a compound: the first or the last, of
    `_PART` letters at least, with a rest of `_REST`. The commonest, `_AKIN` at most.
    """
    where = """(length($stem) >= $part and length(term) >= length($stem) + $rest
                and (starts_with(term, $stem) or ends_with(term, $stem)))
            or (length(term) >= $part and length($stem) >= length(term) + $rest
                and (starts_with($stem, term) or ends_with($stem, term)))"""
    return _terms(db, where, stem=stem, part=_PART, rest=_REST)[:_AKIN]


def _terms(db: DuckDBPyConnection, where: str, **parameters: object) -> list[str]:
    """The stems of the store that pass, the commonest first."""
    rows = db.execute(f"select term from posting where {where} group by term order by count(*) desc, term", parameters)
    return [str(term) for (term,) in rows.fetchall()]


def documents(db: DuckDBPyConnection) -> int:
    """How many turns have stems."""
    return int(scalar(db, "select count(*) from document"))


def weights(frequencies: Mapping[str, int], turns: int) -> dict[str, float]:
    """What each stem weighs where candidates are chosen: log(1 + N / (df + ½)), by the `turns` N that there are.

    Stems that fill more than `_COMMON` postings together with rarer ones choose nobody: the rarer ones have.
    """
    found, together = dict[str, float](), 0
    for stem, count in sorted(frequencies.items(), key=lambda each: (each[1], each[0])):
        if together < _COMMON:
            found[stem] = math.log1p(turns / (count + 0.5))
        together += count
    return found


def by_turn(found: Postings, weighed: Mapping[str, float]) -> Scored:
    """The turns that have one of the stems, with how much of their weight is in each."""
    rare = [(found[stem], weight) for stem, weight in weighed.items() if stem in found]
    turns = np.concatenate([_NONE, *(turn for (turn, _), _ in rare)])
    return _together(turns, np.concatenate([np.zeros(0), *(_share(count, weight) for (_, count), weight in rare)]))


def by_session(found: Postings, weighed: Mapping[str, float], session_of: Columns) -> Scored:
    """The same of sessions: what is said of a thing in several turns counts together.

    `session_of`: each `turn` that is looked at, ascending, with its `session`.
    """
    sessions, shares = [_NONE], [np.zeros(0)]
    for stem, weight in weighed.items():
        turn, count = found.get(stem, (_NONE, _NONE))
        here, session = known(turn, session_of)
        numbers, counts = _together(session, count[here])
        sessions.append(numbers)
        shares.append(_share(counts, weight))
    return _together(np.concatenate(sessions), np.concatenate(shares))


def known(turns: Ints, session_of: Columns) -> tuple[npt.NDArray[np.bool_], Ints]:
    """Which of these turns are among those of `session_of`, where they ascend; and the sessions of those that are."""
    if not len(session_of["turn"]):
        return np.zeros(len(turns), dtype=bool), _NONE
    place = np.minimum(np.searchsorted(session_of["turn"], turns), len(session_of["turn"]) - 1)
    here = session_of["turn"][place] == turns
    return here, session_of["session"][place[here]]


def best(scored: Scored, most: int) -> Scored:
    """The first of what is scored, at most so many, best first; of equal ones the one with the smaller number."""
    numbers, scores = scored
    order = np.lexsort((numbers, -scores))[:most]
    return numbers[order], scores[order]


def _share(counts: npt.NDArray[Any], weight: float) -> Doubles:
    """BM25's, of one stem, with no regard to lengths."""
    share: Doubles = weight * counts / (counts + 0.9)
    return share


def _together(numbers: Ints, scores: npt.NDArray[Any]) -> Scored:
    """Each number once, ascending, with the sum of its scores."""
    once, place = np.unique(numbers, return_inverse=True)
    return once, np.bincount(place, scores, len(once)).astype(np.float64)
