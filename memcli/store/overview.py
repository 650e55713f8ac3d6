"""What is in a memory at one look: who speaks, what is talked about and what is named, with the sentences behind each.

Topics are the communities of similar sentences (`communities`), called by their key terms. Things are names that come
up again and again: words with a capital inside sentences, which are hardly ever written without one. A script
without capitals shows its people and topics alone.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice
from typing import TYPE_CHECKING

import numpy as np

from ..model import Edge, UnitId
from ..text import ENGLISH, STOPWORDS, content_stems
from ..text.times import MONTHS, WEEKDAYS
from . import names
from .communities import communities, key_terms
from .graph import Node, Subgraph, as_nodes
from .views.graph import Ints, load

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["PERSON", "THING", "TOPIC", "overview"]

#: Kinds of nodes that are no units, and how they and sentences are joined; the weight of an edge counts sentences, and
#: of those who talk with each other, sessions.
PERSON, TOPIC, THING = "person", "topic", "thing"
TALKS_WITH, SPEAKS_OF, ABOUT, SAID_BY = "talks with", "speaks of", "about", "said by"

_PEOPLE, _TOPICS, _THINGS = 30, 40, 50
#: Each person is joined with so many topics, and things, each of these with so many people: those who say most of it.
_OF_PERSON, _OF_SUBJECT = 10, 3
#: What fewer sentences are about, or fewer sessions, is none; so many content words tell something.
_SENTENCES, _SESSIONS, _TELLING = 3, 2, 3
_TOPIC_WORDS = 3
_DATES = frozenset((*MONTHS, *WEEKDAYS))
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_ENDING = re.compile(r"['’]")


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence: its place in the graph, its text, who said it in which session and language."""

    place: int
    text: str
    speaker: str
    session: int
    language: str


@dataclass(slots=True)
class _About:
    """A topic or thing with its sentences, those to be shown first."""

    id: UnitId
    kind: str
    name: str
    community: int | None
    said: list[_Said] = field(default_factory=list)


def overview(db: DuckDBPyConnection, limit: int) -> Subgraph:
    """The people, topics and things of the open store, and as many sentences about them as `limit` nodes have room for.

    Ids of what is no unit are its kind and name. What is left out are sentences, and the totals count them.
    """
    graph = load(db)
    found = communities(db, graph)
    said = _sentences(db, graph.seqs)
    people = [heard.name for heard in names.speakers(db)[:_PEOPLE]]
    subjects = [*_topics(said, found.labels, key_terms(db, graph, found, len(found.sizes)), graph.degrees)]
    subjects += _things(said, people)
    chosen = _chosen([*_own(said, people), *(each.said for each in subjects)], limit - len(people) - len(subjects))
    leaves = as_nodes(db, graph, found, np.array([each.place for each in chosen], dtype=np.int64))
    ids = {each.place: leaf.id for each, leaf in zip(chosen, leaves, strict=True)}
    edges = [*_among_people(said, people), *_to_people(subjects, people), *_behind(subjects, chosen, people, ids)]
    every = [*_people(db, people), *(_subject(each) for each in subjects), *leaves]
    left_out = len(said) - len(chosen)
    return Subgraph(tuple(every), tuple(edges), len(every) + left_out, len(edges), left_out)


def _sentences(db: DuckDBPyConnection, seqs: Ints) -> list[_Said]:
    rows = db.execute(
        """select u.seq, u.text, t.speaker, t.session, coalesce(s.language, ?)
        from unit u join source o on o.unit = u.seq join turn t on t.seq = o.turn left join spoken s on s.turn = t.seq
        where u.kind = 'sentence' order by u.seq""",
        [ENGLISH],
    ).fetchall()
    places = np.searchsorted(seqs, np.array([row[0] for row in rows], dtype=np.int64)).tolist()
    return [_Said(place, *row[1:]) for place, row in zip(places, rows, strict=True)]


# -- topics ----------------------------------------------------------------------------------------------------------


def _topics(said: Sequence[_Said], labels: Ints, terms: Mapping[int, Sequence[str]], degrees: Ints) -> Iterator[_About]:
    """The communities in which most is told, each with its best joined sentences first: small talk tells nothing."""
    told: defaultdict[int, list[_Said]] = defaultdict(list)
    for each in said:
        if (label := int(labels[each.place])) >= 0 and _tells(each):
            told[label].append(each)
    for label in sorted(told, key=lambda one: -len(told[one]))[:_TOPICS]:
        if len(told[label]) >= _SENTENCES and _sessions(told[label]) >= _SESSIONS and terms.get(label):
            name = ", ".join(terms[label][:_TOPIC_WORDS])
            best = sorted(told[label], key=lambda each: (-degrees[each.place], each.place))
            yield _About(UnitId(f"{TOPIC} {label}"), TOPIC, name, label, best)


def _tells(said: _Said) -> bool:
    return len(set(content_stems(said.text, said.language))) >= _TELLING


def _sessions(said: Iterable[_Said]) -> int:
    return len({each.session for each in said})


# -- things ----------------------------------------------------------------------------------------------------------


def _things(said: Sequence[_Said], people: Collection[str]) -> list[_About]:
    """What is named in most sessions, the latest sentences first."""
    small = Counter(word for each in said for word in _WORD.findall(each.text) if word.islower())
    known = {part.casefold() for name in people for part in (name, *name.split())}
    named: defaultdict[str, list[_Said]] = defaultdict(list)
    for each in said:
        for name in dict.fromkeys(_names(each.text)):
            named[name].append(each)

    def is_thing(name: str) -> bool:
        often = len(named[name]) >= _SENTENCES and _sessions(named[name]) >= _SESSIONS
        return (
            often
            and name not in _DATES
            and name.casefold() not in known
            and small[name.casefold()] * 2 < len(named[name])
        )

    things = sorted(filter(is_thing, named), key=lambda name: (-_sessions(named[name]), -len(named[name]), name))
    return [
        _About(UnitId(f"{THING} {name}"), THING, name, None, sorted(named[name], key=lambda each: -each.place))
        for name in things[:_THINGS]
    ]


def _names(sentence: str) -> Iterator[str]:
    """Runs of words with a capital, but for the first of the sentence; a possessive ends one."""
    run: list[str] = []
    end = 0
    for found in _WORD.finditer(sentence):
        word, *ending = _ENDING.split(found.group(), maxsplit=1)
        capital = end > 0 and len(word) > 1 and word[0].isupper() and word.casefold() not in STOPWORDS
        if run and not (capital and sentence[end : found.start()] == " "):
            yield " ".join(run)
            run = []
        if capital:
            run.append(word)
        if run and ending:
            yield " ".join(run)
            run = []
        end = found.end()
    if run:
        yield " ".join(run)


# -- nodes and edges -------------------------------------------------------------------------------------------------


def _own(said: Sequence[_Said], people: Sequence[str]) -> list[list[_Said]]:
    """The sentences of each person, those that tell something first, the latest first."""
    own: dict[str, list[_Said]] = {name: [] for name in people}
    for each in said:
        if each.speaker in own:
            own[each.speaker].append(each)
    return [sorted(some, key=lambda each: (not _tells(each), -each.place)) for some in own.values()]


def _chosen(groups: Sequence[Sequence[_Said]], room: int) -> list[_Said]:
    """Sentences of all groups alike: the first of each, then the second of each."""
    most = max(map(len, groups), default=0)
    rounds = (said[at] for at in range(most) for said in groups if at < len(said))
    return list(islice(dict.fromkeys(rounds), max(room, 0)))


def _people(db: DuckDBPyConnection, people: Sequence[str]) -> Iterator[Node]:
    for heard in islice(names.speakers(db), len(people)):
        dates = [f"{at:%Y-%m-%d}" for at in (heard.first, heard.last) if at]
        text = "\n".join(
            [heard.name, f"{heard.turns:,} turns{', ' if dates else ''}{' to '.join(dict.fromkeys(dates))}"]
        )
        yield Node(_person(heard.name), PERSON, text, "", None, "", heard.turns, None)


def _person(name: str) -> UnitId:
    return UnitId(f"{PERSON} {name}")


def _subject(each: _About) -> Node:
    text = f"{each.name}\n{len(each.said):,} sentences in {_sessions(each.said):,} sessions"
    return Node(each.id, each.kind, text, "", None, "", len(each.said), each.community)


def _among_people(said: Sequence[_Said], people: Sequence[str]) -> Iterator[Edge]:
    """Those who talk with each other, by how many sessions they share."""
    present: defaultdict[int, set[str]] = defaultdict(set)
    for each in said:
        present[each.session].add(each.speaker)
    order = {name: at for at, name in enumerate(people)}
    shared = Counter(
        pair
        for there in present.values()
        for pair in combinations(sorted(there & order.keys(), key=order.__getitem__), 2)
    )
    yield from (Edge(_person(one), _person(other), TALKS_WITH, count) for (one, other), count in shared.items())


def _to_people(subjects: Sequence[_About], people: Collection[str]) -> Iterator[Edge]:
    """Each person with what he or she speaks of most, and each subject with who does, by how many sentences."""
    counts = Counter((each.speaker, subject.id) for subject in subjects for each in subject.said)
    kinds = {subject.id: subject.kind for subject in subjects}
    of_person: Counter[tuple[str, str]] = Counter()
    of_subject: Counter[UnitId] = Counter()
    for (name, about), count in counts.most_common():
        if name in people and (of_person[name, kinds[about]] < _OF_PERSON or of_subject[about] < _OF_SUBJECT):
            of_person[name, kinds[about]] += 1
            of_subject[about] += 1
            yield Edge(_person(name), about, SPEAKS_OF, count)


def _behind(
    subjects: Sequence[_About], chosen: Collection[_Said], people: Collection[str], ids: Mapping[int, UnitId]
) -> Iterator[Edge]:
    """The sentences that are shown, with what they are about and who said them."""
    for subject in subjects:
        yield from (Edge(ids[each.place], subject.id, ABOUT) for each in subject.said if each.place in ids)
    yield from (Edge(ids[each.place], _person(each.speaker), SAID_BY) for each in chosen if each.speaker in people)
