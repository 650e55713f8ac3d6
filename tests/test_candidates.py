"""Candidates first: what a large store is searched by, and that it finds there what all of it would have given."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from memcli.formats import Message
from memcli.memory import Memory
from memcli.model import Filters, Hit
from memcli.ranking.arrays import zscore
from memcli.ranking.bm25 import Whole, bm25
from memcli.store import codes, lexical
from memcli.store.coded import CodedSessions
from memcli.store.connection import Store, bound, together
from memcli.store.identity import dimension_of
from memcli.store.packing import unpacked
from memcli.store.views import candidates
from memcli.strategies import Strategy, strategy
from memcli.strategies.bm25 import BM25
from memcli.strategies.dense import Dense
from memcli.strategies.fused import Fused

from .conftest import coded

SESSIONS = 40
THINGS = ("tea", "rain", "boats", "maps", "bread", "snow", "stone", "wool")
ALL_ONES = 2**64 - 1


def chat() -> Iterator[Message]:
    """Forty sessions of three turns in two conversations; the thirtieth alone speaks of a zeppelin, and Cem in it."""
    for session in range(SESSIONS):
        one, two = THINGS[session % 8], THINGS[(session * 3 + 1) % 8]
        said = [
            f"We talked of {one} and {two} on day {session}.",
            f"The {two} was better than the {one} number {session}. I liked it.",
            "A zeppelin flew by." if session == 30 else f"Nothing else about {one} since {session}.",
        ]
        for place, text in enumerate(said):
            yield Message(
                text,
                "Cem" if session == 30 and place == 2 else ("Ada", "Bo")[place % 2],
                said_at=datetime(2024, 1 + session // 20, 1 + session % 20, 9, place, tzinfo=UTC),
                session=f"s{session}",
                conversation="left" if session % 2 else "right",
                id=f"{session}-{place}",
            )


#: As memcli ships it.
LARGE = codes.CODED_FROM


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """The chat, with codes."""
    with coded(tmp_path_factory.mktemp("c") / "a.memcli", chat()) as memory:
        yield memory


def found(memory: Memory, chosen: Strategy | str, question: str = "zeppelin or rain?", k: int = 8) -> list[Hit]:
    return memory.search(question, k=k, strategy=chosen)


def exactly(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, chosen: str, question: str = "zeppelin or rain?"
) -> list[Hit]:
    """The same without candidates."""
    with monkeypatch.context() as patched, Memory(memory.store.path, embedder="fake") as other:
        patched.setattr(codes, "CODED_FROM", 10**9)
        return found(other, chosen, question)


def test_a_code_is_the_signs_of_a_vector() -> None:
    assert codes.signs(np.array([[1.0, -1.0, 0.0, 2.0]])).tolist() == [[ALL_ONES - 2, *[ALL_ONES] * 5]]
    long = np.zeros((1, 768))
    long[0, [64, 448, 70, 454]] = 1.0, -3.0, 2.0, -1.0  # 64 + 384 = 448: together under 0; 70 and 454 are not
    assert codes.signs(long).tolist() == [[ALL_ONES, ALL_ONES - 1, *[ALL_ONES] * 4]]


def test_small_stores_have_no_codes(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codes, "CODED_FROM", LARGE)  # tests run in any order: `filled` may last
    memory.add(chat())
    with memory.store.reading() as db:
        assert db.execute("select count(*) from code").fetchall() == [(0,)]
        assert not codes.is_coded(db)


def test_what_was_filled_before_is_coded_in_pieces_when_it_is_written_to(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.add(chat())
    monkeypatch.setattr(codes, "CODED_FROM", 10)
    with memory.store.reading() as db:
        [(vectors,)] = db.execute("select count(*) from vector").fetchall()
    monkeypatch.setattr(codes, "_PART", (vectors + 2) // 2)  # two pieces, of which the second is full or not
    before = memory.search("zeppelin", strategy="dense")  # of a store without codes all is looked at
    memory.add([Message("Good night.", "Ada", id="new")])
    with memory.store.reading() as db:
        assert codes.is_coded(db)
        uncoded = "select count(*) from vector where seq not in (select vector from code)"
        assert db.execute(uncoded).fetchall() == [(0,)]
        dimension = dimension_of(db)
        rows = db.execute("select v.data, c.* from vector v join code c on c.vector = v.seq").fetchall()
    for data, _, *code in rows:
        assert codes.signs(unpacked([data], dimension)).tolist() == [code]
    assert memory.search("zeppelin", strategy="dense")[0] == before[0]
    assert memory.care.examine().is_sound


def test_codes_go_with_what_is_forgotten(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codes, "CODED_FROM", 1)
    memory.add([*chat(), Message("A zeppelin flew by.", "Bo", session="other", id="again")])
    flew = [hit.unit.sources[0] for hit in memory.search("zeppelin flew by", k=2, strategy="bm25")]
    assert len(flew) == 2
    counts = []
    for turn in flew:  # the sentence is said twice: its vector goes with the second
        memory.care.forget([turn])
        with memory.store.reading() as db:
            assert codes.is_coded(db)
            counts.append(db.execute("select count(*) from code").fetchall()[0][0])
    assert counts[0] - counts[1] == 1
    assert memory.care.examine().is_sound


def test_the_nearest_sessions_are_those_of_the_nearest_codes(filled: Memory) -> None:
    with filled.store.reading() as db:
        [(data, session)] = db.execute("""select v.data, u.session from vector v join unit u on u.vector = v.seq
            where u.text = 'A zeppelin flew by.' and u.kind = 'sentence'""").fetchall()
        query = unpacked([data], dimension_of(db))[0].astype(np.float32)
        [one, two] = codes.in_order(codes.nearest(db, np.stack([query, -query]), 10, "", {}), 2, 10)
        assert one[0] == session
        assert session not in two
        of_one = codes.nearest(db, query[None, :], 10, "select seq from turn where session = $only", {"only": 3})
        assert codes.in_order(of_one, 1, 10) == [[3]]


def test_a_session_is_as_near_as_its_sentences_are_together() -> None:
    # Of what is nearer than the farthest (9) session 7 has 9 - 4 = 5, session 8 has 3 + 3.
    near = {"query": [0, 0, 0, 0], "vector": [1, 2, 3, 4], "distance": [4, 6, 6, 9], "session": [7, 8, 8, 9]}
    columns = {name: np.array(column) for name, column in near.items()}
    assert codes.in_order(columns, 1, 10) == [[8, 7, 9]]
    assert codes.in_order(columns, 1, 3) == [[7, 8]]  # the fourth is no longer looked at: 6 - 4, and nothing
    assert codes.in_order({name: column[:0] for name, column in columns.items()}, 2, 10) == [[], []]


def test_orders_of_sessions_are_merged_by_reciprocal_ranks() -> None:
    # 7: 1/62 + 1/61; 5 and 3: 1/61 each, of which 5 stands in the earlier list; 9: 1/62.
    assert candidates._merged([[5, 7], [7, 9], [3]]).tolist() == [7, 5, 3, 9]
    assert candidates._merged([[], []]).tolist() == []


def test_codes_that_are_held_in_memory_are_as_near(filled: Memory) -> None:
    queries = np.random.default_rng(3).standard_normal((3, 64)).astype(np.float32)
    with filled.store.reading() as db:
        held = CodedSessions(db).nearest(queries, 20)
        stored = codes.nearest(db, queries, 20, "", {})
    rows = {tuple(row) for row in zip(*(held[name].tolist() for name in stored), strict=True)}
    assert rows >= {tuple(row) for row in zip(*(stored[name].tolist() for name in stored), strict=True)}
    assert codes.in_order(held, 3, 20) == codes.in_order(stored, 3, 20)
    assert len(rows) == len(held["vector"])


def test_codes_are_held_for_whoever_asks_again(filled: Memory) -> None:
    with Memory(filled.store.path, embedder="fake") as other:
        assert other.view().coded is None
        view = other.view()  # the same one
        assert view.coded is not None
        assert view.coded is other.view().coded


def test_rare_words_choose_and_common_ones_do_not(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    with filled.store.reading() as db:
        counted = lexical.frequencies(db, ["zeppelin", "day", "nowher"])
        assert counted == {"zeppelin": 1, "day": SESSIONS}
        session_of = dict(db.execute("select seq, session from turn").fetchall())
        for common, sessions in ((50_000, SESSIONS), (1, 1)):
            monkeypatch.setattr(lexical, "_COMMON", common)
            weighed = lexical.weights(counted, lexical.documents(db))
            turns, scores = lexical.best(lexical.by_turn(lexical.postings(db, list(counted)), weighed), 100)
            assert len({session_of[turn] for turn in turns.tolist()}) == sessions
            assert (np.diff(scores) <= 0).all()
    assert lexical.weights({"rare": 1, "day": 4}, 9) == {"rare": math.log(1 + 9 / 1.5)}  # day: one has chosen already


def test_words_count_by_turn_and_together_by_session() -> None:
    # "a" is once in turns 1 and 2, of session 5, and twice in 3, of session 6; "b" in turn 3 alone. Of a weight w,
    # n times is worth w n / (n + 0.9).
    turns = np.array([1, 2, 3])
    found = {"a": (turns, np.array([1, 1, 2])), "b": (turns[2:], np.array([1]))}
    once, twice = 1 / 1.9, 2 / 2.9
    numbers, scores = lexical.by_turn(found, {"a": 1.0, "b": 3.0, "nowhere": 9.0})
    assert numbers.tolist() == [1, 2, 3]
    assert scores == pytest.approx([once, once, twice + 3 * once])
    session_of = {"turn": turns[1:], "session": np.array([5, 6])}  # turn 1 is not looked at
    numbers, scores = lexical.by_session(found, {"a": 1.0, "b": 3.0}, session_of)
    assert numbers.tolist() == [5, 6]
    assert scores == pytest.approx([once, twice + 3 * once])
    _, scores = lexical.by_session(found, {"a": 1.0}, {"turn": turns, "session": np.array([5, 5, 6])})
    assert scores == pytest.approx([twice, twice])


@pytest.mark.parametrize("chosen", ["fused", "dense", "bm25"])
def test_where_all_is_shown_the_scores_are_the_same(
    filled: Memory, monkeypatch: pytest.MonkeyPatch, chosen: str
) -> None:
    assert found(filled, chosen) == exactly(filled, monkeypatch, chosen)
    assert found(filled, chosen) == exactly(filled, monkeypatch, chosen)  # by codes that are held in memory


@pytest.mark.parametrize(
    ("chosen", "few"), [("dense", Dense(candidate_sessions=6)), ("bm25", BM25(candidate_sessions=6))]
)
def test_of_a_part_the_scores_are_those_of_the_whole(
    filled: Memory, monkeypatch: pytest.MonkeyPatch, chosen: str, few: Strategy
) -> None:
    monkeypatch.setattr(candidates, "SAMPLED", 4)
    wanted = {hit.unit.id: hit.score for hit in exactly(filled, monkeypatch, chosen)}
    hits = found(filled, few)
    assert {hit.unit.id: hit.score for hit in hits[:3]}.items() <= wanted.items()
    assert hits[0].unit.text == "A zeppelin flew by." or chosen == "dense"


def test_the_default_finds_the_needle_among_few_sessions(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "SAMPLED", 4)
    question = "Did a zeppelin fly by?"
    assert found(filled, Fused(candidate_sessions=6), question)[0].unit.text == "A zeppelin flew by."
    assert exactly(filled, monkeypatch, "fused", question)[0].unit.text == "A zeppelin flew by."


def test_candidates_are_among_what_filters_let_through(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "SAMPLED", 1)
    cem = filled.search("tea on day 3", filters=Filters(speaker="cem"), strategy=Dense(candidate_sessions=2))
    assert [hit.unit.text for hit in cem] == ["A zeppelin flew by."]
    late = filled.search(
        "tea", filters=Filters(since=datetime(2024, 2, 20, tzinfo=UTC)), strategy=Dense(candidate_sessions=2)
    )
    assert {hit.unit.text[-3:] for hit in late} <= {"39.", "it."}
    left = filled.search("zeppelin", filters=Filters(conversation="left"), strategy=BM25(candidate_sessions=2))
    assert left == []


def test_what_a_part_shows_stands_for_the_rest(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "SAMPLED", 4)
    query, view = filled._asking.query("zeppelin", Filters(), datetime.now(UTC), strategy("fused"))
    assert view.stands_for is None  # few sessions: all are shown
    _, part = filled._asking.query("zeppelin", Filters(), datetime.now(UTC), Fused(candidate_sessions=6))
    assert part.stands_for is not None
    assert part.size == 3 * SESSIONS == round(part.stands_for.sum())
    assert part.n <= 3 * (6 + 4)
    assert part.speaker_names == ["Ada", "Bo", "Cem"]
    assert query.text == "zeppelin"


def test_a_score_that_stands_for_several_counts_as_often() -> None:
    scores, stand_for = np.array([1.0, 2.0, 5.0]), np.array([1.0, 3.0, 1.0])
    assert zscore(scores, stand_for) == pytest.approx(zscore(np.array([1.0, 2.0, 2.0, 2.0, 5.0]))[[0, 1, 4]])


def test_bm25_by_what_is_known_of_all() -> None:
    # Two turns here, of which the second stands for three; 4 in all, mean length 6; "a" is in 2 of them. So
    # idf = ln(1 + (4 - 2 + 1/2) / (2 + 1/2)) = ln 2, norm = 0.9 (0.6 + 0.4 * 3/6) = 0.72, and
    # the score ln 2 * 1 * 1.9 / (1 + 0.72) = 0.7657.
    whole = Whole(np.array([1.0, 3.0]), 6.0, {"a": 2, "b": 1})
    here = {"a": (np.array([0]), np.array([1]))}
    scored = bm25(["a", "b"], here, np.array([3, 9]), np.array([0, 1]), whole=whole)
    assert scored.scores == pytest.approx([np.log(2) * 1.9 / 1.72, 0.0])
    # "b" is here nowhere, and in 1 of 4: its weight, ln(1 + 3.5 / 1.5), is not covered.
    assert scored.coverage == pytest.approx([np.log(2) / (np.log(2) + np.log(1 + 3.5 / 1.5)), 0.0])


def test_several_coded_stores_are_searched_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codes, "CODED_FROM", 1)
    messages = list(chat())
    parts = [tmp_path / "one.memcli", tmp_path / "two.memcli"]
    for path, own in zip(parts, (messages[:60], messages[60:]), strict=True):
        with Memory(path, embedder="fake") as memory:
            memory.add(own)
    with Memory(tmp_path / "all.memcli", embedder="fake") as memory, Memory(parts, embedder="fake") as several:
        memory.add(messages)
        for chosen in ("dense", "bm25"):
            wanted = [(hit.unit.text, hit.score) for hit in found(memory, chosen)]
            assert [(hit.unit.text, hit.score) for hit in found(several, chosen)] == wanted


def test_of_a_large_file_that_is_only_read_little_is_held(filled: Memory, tmp_path: Path) -> None:
    limit = "select current_setting('memory_limit')"
    assert filled.search("Who saw the zeppelin?")
    with filled.store.reading() as db:
        bound(db)
        held = db.execute(limit).fetchall()
    assert held == [("244.1 MiB",)]
    path = filled.store.path
    assert path is not None
    with together([path], 1.0) as db:
        bound(db)
        assert db.execute(limit).fetchall() == held
    for other in (Store(tmp_path / "new.memcli"), Store(None)):  # what is written to needs what it needs
        with other.writing() as db:
            bound(db)
            assert db.execute(limit).fetchall() != held
