"""The memory graph of a store small enough to compute everything by hand.

s:1 ── t:aa00 ── n:a0 ═╦═ n:a1          n:a0, n:a1, n:a2 are alike, n:b0 and n:b1 are alike,
 │ └── t:aa01 ── n:a2 ═╝                n:a2 and n:b0 hardly; k:lonely has no edge.
 └──── t:bb00 ── n:b0 ═══ n:b1
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest
from duckdb import DuckDBPyConnection

from memcli.errors import NothingFound, UsageError
from memcli.model import Edge, UnitId
from memcli.store import graph, snapshots
from memcli.store.connection import Store

UNITS: tuple[tuple[int, str, str, str | None, list[int]], ...] = (
    (0, "t:aa00", "turn", None, [0]),
    (1, "t:aa01", "turn", None, [1]),
    (2, "n:a0", "sentence", "Tomatoes grow in the garden.", [0]),
    (3, "n:a1", "sentence", "My garden is small.", [0]),
    (4, "n:a2", "sentence", "Does the garden have water?", [1]),
    (5, "n:b0", "sentence", "The train was late.", [2]),
    (6, "n:b1", "sentence", "No train tickets were left.", [2]),
    (7, "t:bb00", "turn", None, [2]),
    (8, "s:1", "session", None, [0, 1, 2]),
    (9, "k:lonely", "keyword", "alone", []),
)
TURNS = (
    (0, "t:aa00", "Ann", "Tomatoes grow in the garden. My garden is small."),
    (1, "t:aa01", "Bob", "Does the garden have water?"),
    (2, "t:bb00", "Ann", "The train was late. No train tickets were left."),
)
MEMBERS = ((2, 0), (3, 0), (4, 1), (5, 7), (6, 7), (0, 8), (1, 8), (7, 8))
SIMILAR = ((2, 3, 0.9), (3, 2, 0.8), (3, 4, 0.8), (2, 4, 0.7), (5, 6, 0.9), (4, 5, 0.31), (2, 99, 0.9))
STEMS = (("garden", 0, 2), ("tomato", 0, 1), ("garden", 1, 1), ("water", 1, 1), ("train", 2, 2), ("ticket", 2, 1))


def fill(db: DuckDBPyConnection) -> None:
    db.execute("insert into session values (0, 's:1', 'c', 'file', '2024-05-08 10:00:00', 120, 'Garden talk')")
    for seq, id_, speaker, text in TURNS:
        values = [seq, id_, seq, speaker, datetime(2024, 5, 8, 10, seq), text]
        db.execute("insert into turn values (?, ?, 0, ?, ?, 'user', ?, 120, ?)", values)
        db.execute("insert into document values (?, 3, 0)", [seq])
    for seq, id_, kind, words, sources in UNITS:
        db.execute("insert into unit values (?, ?, ?, 0, ?, null, null)", [seq, id_, kind, words])
        for turn in sources:
            db.execute("insert into source values (?, ?)", [seq, turn])
    db.executemany("insert into edge values (?, ?, 'membership', 1)", [list(pair) for pair in MEMBERS])
    db.executemany("insert into edge values (?, ?, 'similar', ?)", [list(edge) for edge in SIMILAR])
    db.executemany("insert into posting values (?, ?, ?)", [list(row) for row in STEMS])


@pytest.fixture
def store() -> Store:
    return Store(None)


@pytest.fixture
def db(store: Store) -> Iterator[DuckDBPyConnection]:
    with store.writing() as connection:
        fill(connection)
        yield connection


@pytest.fixture
def empty(store: Store) -> Iterator[DuckDBPyConnection]:
    with store.writing() as connection:
        yield connection


def ids(found: graph.Subgraph) -> list[str]:
    return [node.id for node in found.nodes]


class TestFigures:
    def test_counts(self, db: DuckDBPyConnection) -> None:
        found = graph.summary(db)
        assert found.nodes == {"sentence": 5, "turn": 3, "session": 1, "keyword": 1}
        assert list(found.nodes)[:2] == ["sentence", "turn"]  # the commonest first
        assert found.edges == {"membership": 8, "similar": 5}

    def test_degrees(self, db: DuckDBPyConnection) -> None:
        degrees = graph.summary(db).degrees
        assert degrees["all"] == graph.Degrees(10, 2.6, 3.0, 4)
        assert degrees["sentence"] == graph.Degrees(5, 3.0, 3.0, 4)
        assert degrees["keyword"] == graph.Degrees(1, 0.0, 0.0, 0)

    def test_components(self, db: DuckDBPyConnection) -> None:
        assert graph.summary(db).components == graph.Components(count=2, largest=9, isolated=1)

    def test_communities(self, db: DuckDBPyConnection) -> None:
        found = graph.summary(db)
        assert [(c.number, c.size, c.central.id) for c in found.communities] == [(0, 3, "n:a2"), (1, 2, "n:b0")]
        assert (found.community_count, found.community_members) == (2, 5)
        # weights 3.61 in all; inside 2.4 and 0.9; strengths 5.11 and 2.11
        assert found.modularity == pytest.approx(3.3 / 3.61 - (5.11**2 + 2.11**2) / 7.22**2, abs=1e-5)

    def test_key_terms_are_words_that_set_a_community_apart(self, db: DuckDBPyConnection) -> None:
        first, second = graph.summary(db).communities
        assert first.terms == ("garden", "tomatoes", "water")
        assert second.terms == ("train", "tickets")

    def test_a_key_term_with_the_stems_of_two_languages_is_told_once(self, db: DuckDBPyConnection) -> None:
        db.execute("insert into posting values ('tickets', 2, 1)")
        assert graph.summary(db).communities[1].terms == ("train", "tickets")

    def test_only_the_largest_communities_are_told(self, db: DuckDBPyConnection) -> None:
        found = graph.summary(db, largest=1)
        assert len(found.communities) == 1
        assert found.community_count == 2

    def test_an_empty_store_has_no_figures(self, empty: DuckDBPyConnection) -> None:
        found = graph.summary(empty)
        assert (dict(found.nodes), dict(found.edges), dict(found.degrees), found.communities) == ({}, {}, {}, ())
        assert found.components == graph.Components(0, 0, 0)
        assert found.modularity == 0.0

    def test_nodes_without_edges(self, empty: DuckDBPyConnection) -> None:
        empty.execute("insert into unit values (4, 'k:1', 'keyword', 0, 'x', null, null)")
        assert graph.summary(empty).components == graph.Components(1, 1, 1)


class TestWhole:
    def test_everything_in_order(self, db: DuckDBPyConnection) -> None:
        found = graph.whole(db)
        assert ids(found) == [unit[1] for unit in UNITS]
        assert (len(found.edges), found.total_nodes, found.total_edges, found.left_out) == (13, 10, 13, 0)
        assert [n.degree for n in found.nodes] == [3, 2, 3, 3, 4, 3, 2, 3, 3, 0]
        assert [n.community for n in found.nodes] == [None, None, 0, 0, 0, 1, 1, None, None, None]

    def test_a_mutual_edge_is_one_and_the_stronger(self, db: DuckDBPyConnection) -> None:
        edges = [e for e in graph.whole(db).edges if {e.src, e.dst} == {"n:a0", "n:a1"}]
        assert edges == [Edge(UnitId("n:a0"), UnitId("n:a1"), "similar", 0.9)]

    def test_a_membership_keeps_its_direction(self, db: DuckDBPyConnection) -> None:
        edges = [e for e in graph.whole(db).edges if {e.src, e.dst} == {"n:a0", "t:aa00"}]
        assert edges == [Edge(UnitId("n:a0"), UnitId("t:aa00"), "membership", 1.0)]

    def test_a_limit_keeps_the_best_joined(self, db: DuckDBPyConnection) -> None:
        found = graph.whole(db, limit=3)
        assert ids(found) == ["t:aa00", "n:a0", "n:a2"]  # degrees 3, 3 and 4; of equal ones the first
        assert [(e.src, e.dst) for e in found.edges] == [("n:a0", "t:aa00"), ("n:a0", "n:a2")]
        assert (found.total_nodes, found.left_out) == (10, 7)

    def test_what_a_node_says(self, db: DuckDBPyConnection) -> None:
        nodes = {node.id: node for node in graph.whole(db).nodes}
        assert nodes[UnitId("t:aa01")].text == "Does the garden have water?"
        assert nodes[UnitId("n:a1")].text == "My garden is small."
        assert nodes[UnitId("n:a1")].speaker == "Ann"
        assert nodes[UnitId("s:1")].speaker == "Ann, Bob"
        assert nodes[UnitId("s:1")].text.splitlines()[:3] == [
            "Garden talk",
            f"Ann: {TURNS[0][3]}",
            f"Bob: {TURNS[1][3]}",
        ]
        assert nodes[UnitId("s:1")].at == datetime(2024, 5, 8, 12, 0, tzinfo=timezone(timedelta(hours=2)))
        assert (nodes[UnitId("k:lonely")].at, nodes[UnitId("k:lonely")].speaker) == (None, "")

    def test_a_long_text_is_shortened(self, db: DuckDBPyConnection) -> None:
        db.execute("update unit set text = repeat('x', 5000) where id = 'n:a0'")
        text = next(node.text for node in graph.whole(db).nodes if node.id == "n:a0")
        assert text == "x" * 599 + "…"


class TestNeighbourhood:
    def test_strongest_edges_first(self, db: DuckDBPyConnection) -> None:
        found = graph.neighbourhood(db, ["n:a2"])
        assert ids(found) == ["n:a2", "t:aa01", "n:a1", "n:a0", "n:b0"]
        assert found.roots == ("n:a2",)
        assert found.reached[UnitId("n:b0")] == Edge(UnitId("n:a2"), UnitId("n:b0"), "similar", 0.31)
        assert len(found.edges) == 5  # the four that led here, and the one between n:a0 and n:a1

    def test_a_limit_cuts_the_weakest(self, db: DuckDBPyConnection) -> None:
        found = graph.neighbourhood(db, ["n:a2"], limit=3)
        assert ids(found) == ["n:a2", "t:aa01", "n:a1"]
        assert found.left_out == 2

    def test_breadth_first(self, db: DuckDBPyConnection) -> None:
        found = graph.neighbourhood(db, ["n:b1"], hops=2)
        assert ids(found) == ["n:b1", "t:bb00", "n:b0", "s:1", "n:a2"]
        assert found.reached[UnitId("s:1")].src == "t:bb00"
        assert found.reached[UnitId("n:a2")].dst == "n:b0"

    def test_hops_end_where_the_component_ends(self, db: DuckDBPyConnection) -> None:
        assert set(ids(graph.neighbourhood(db, ["n:b1"], hops=9))) == {unit[1] for unit in UNITS} - {"k:lonely"}
        assert ids(graph.neighbourhood(db, ["k:lonely"], hops=9)) == ["k:lonely"]

    def test_no_hop_is_the_units_themselves(self, db: DuckDBPyConnection) -> None:
        found = graph.neighbourhood(db, ["n:b1", "n:b0", "n:b1"], hops=0)
        assert ids(found) == ["n:b1", "n:b0"]
        assert found.roots == ("n:b1", "n:b0")
        assert [e.relation for e in found.edges] == ["similar"]

    def test_a_limit_under_the_number_of_roots(self, db: DuckDBPyConnection) -> None:
        found = graph.neighbourhood(db, ["n:b1", "n:b0", "n:a0"], limit=2)
        assert ids(found) == ["n:b1", "n:b0"]
        assert found.left_out >= 1


class TestIds:
    def test_a_unique_beginning(self, db: DuckDBPyConnection) -> None:
        assert graph.resolve(db, "t:b") == "t:bb00"

    def test_a_whole_id_that_begins_another(self, db: DuckDBPyConnection) -> None:
        db.execute("insert into unit values (10, 'n:a01', 'sentence', 0, 'x', null, null)")
        assert graph.resolve(db, "n:a0") == "n:a0"

    def test_an_ambiguous_one_lists_some(self, db: DuckDBPyConnection) -> None:
        with pytest.raises(UsageError) as caught:
            graph.resolve(db, "t:aa")
        assert caught.value.hint == "give more of it: t:aa00, t:aa01"

    @pytest.mark.parametrize("prefix", ["zz", "%", "_:a0", "'; drop table unit; --", "t:aa00x"])
    def test_an_unknown_one(self, db: DuckDBPyConnection, prefix: str) -> None:
        with pytest.raises(NothingFound) as caught:
            graph.neighbourhood(db, [prefix])
        assert caught.value.hint

    def test_an_empty_one(self, db: DuckDBPyConnection) -> None:
        with pytest.raises(UsageError):
            graph.resolve(db, "")


class TestSnapshot:
    def test_it_is_written_once_a_revision(self, store: Store, db: DuckDBPyConnection) -> None:
        assert graph.snapshot(store)
        assert not graph.snapshot(store)
        db.execute("update meta set value = '7' where key = 'generation'")
        assert graph.snapshot(store)
        assert snapshots.load(db, "graph")[1:] == (5, 7)  # type: ignore[index]

    def test_it_gives_what_was_computed(self, store: Store, db: DuckDBPyConnection) -> None:
        before = graph.summary(db)
        graph.snapshot(store)
        assert graph.summary(db) == before

    def test_it_is_what_is_read(self, store: Store, db: DuckDBPyConnection) -> None:
        graph.snapshot(store)
        self._rewrite(store, labels=[0, 0, 1, 1, -1])
        assert [n.community for n in graph.whole(db).nodes if n.kind == "sentence"] == [0, 0, 1, 1, None]

    def test_an_older_revision_counts_for_nothing(self, store: Store, db: DuckDBPyConnection) -> None:
        graph.snapshot(store)
        self._rewrite(store, labels=[0, 0, 1, 1, -1])
        db.execute("update meta set value = '1' where key = 'generation'")
        assert self._sound(db)

    @pytest.mark.parametrize(
        "labels",
        [[0, 0, 0, 1, 5], [0, 0, 0, 1, -2], [0, 0, 1, 1, 1], [0, 0, 0, 1, -1], [0, 0, 0, 2, 2], [0, 0, 0, 1]],
        ids=["too high", "too low", "larger after smaller", "single", "gap", "too few"],
    )
    def test_labels_that_cannot_be_are_none(self, store: Store, db: DuckDBPyConnection, labels: list[int]) -> None:
        graph.snapshot(store)
        self._rewrite(store, labels=labels)
        assert self._sound(db)

    @pytest.mark.parametrize(
        "data", [b"", b"mcg1", b"\x80\x04K\x01.", b"mcg0" + bytes(52), b"mcg1\xff\xff\xff\xff" + bytes(48)]
    )
    def test_bytes_of_something_else_are_none(self, store: Store, db: DuckDBPyConnection, data: bytes) -> None:
        snapshots.save(store, "graph", data, 5, 0)
        assert self._sound(db)

    def test_a_broken_checksum_is_none(self, store: Store, db: DuckDBPyConnection) -> None:
        graph.snapshot(store)
        self._rewrite(store, labels=[0, 0, 1, 1, -1])
        db.execute("update snapshot set checksum = 'x'")
        assert self._sound(db)

    def test_other_sentences_are_none(self, store: Store, db: DuckDBPyConnection) -> None:
        graph.snapshot(store)
        self._rewrite(store, labels=[0, 0, 1, 1, -1])
        db.execute("update unit set seq = 11 where id = 'n:b1'")
        assert next(n.community for n in graph.whole(db).nodes if n.id == "n:a2") == 0

    def test_modularity_out_of_range_is_none(self, store: Store, db: DuckDBPyConnection) -> None:
        for value in (float("nan"), float("inf"), -2.0):
            snapshots.save(store, "graph", graph_bytes([0, 0, 1, 1, -1], value), 5, 0)
            assert self._sound(db)

    def test_an_empty_store_has_one_too(self, store: Store, empty: DuckDBPyConnection) -> None:
        assert graph.snapshot(store)
        assert not graph.snapshot(store)

    @staticmethod
    def _rewrite(store: Store, labels: list[int]) -> None:
        snapshots.save(store, "graph", graph_bytes(labels, 0.25), len(labels), 0)

    @staticmethod
    def _sound(db: DuckDBPyConnection) -> bool:
        return [n.community for n in graph.whole(db).nodes if n.kind == "sentence"] == [0, 0, 0, 1, 1]


def graph_bytes(labels: list[int], modularity: float) -> bytes:
    """A snapshot's bytes, by the format's definition rather than by the code under test."""
    header = b"mcg1" + np.uint32(len(labels)).tobytes() + np.float64(modularity).tobytes()
    return header + np.array([*range(2, 2 + len(labels)), *labels], dtype="<i4").tobytes()


class TestCommunities:
    @pytest.fixture
    def planted(self, empty: DuckDBPyConnection) -> DuckDBPyConnection:
        """Four groups of 12, 10, 8 and 6 sentences, dense inside, with some noise between them, in mixed order."""
        groups = [group for group, size in enumerate((12, 10, 8, 6)) for _ in range(size)]
        dice = random.Random(3)
        dice.shuffle(groups)
        for seq, group in enumerate(groups):
            values = [seq, f"n:{group}-{seq}"]
            empty.execute("insert into unit values (?, ?, 'sentence', 0, 'x', null, null)", values)
        pairs = [(a, b) for a in range(len(groups)) for b in range(a)]
        inside = [[a, b, 0.8] for a, b in pairs if groups[a] == groups[b] and dice.random() < 0.6]
        noise = [[a, b, 0.35] for a, b in pairs if groups[a] != groups[b] and dice.random() < 0.03]
        empty.executemany("insert into edge values (?, ?, 'similar', ?)", inside + noise)
        return empty

    def test_planted_groups_are_found(self, planted: DuckDBPyConnection) -> None:
        nodes = graph.whole(planted).nodes
        assert {(n.id[2], n.community) for n in nodes} == {("0", 0), ("1", 1), ("2", 2), ("3", 3)}

    def test_they_are_the_same_whatever_ran_before(self, planted: DuckDBPyConnection) -> None:
        loaded = graph.load(planted)
        first = graph.communities(planted, loaded)
        random.seed(99)
        state = random.getstate()
        second = graph.communities(planted, loaded)
        assert first.labels.tolist() == second.labels.tolist()
        assert first.modularity == second.modularity
        assert random.getstate() == state  # and they disturb nobody else's chance

    def test_negative_weights_and_no_weights(self, empty: DuckDBPyConnection) -> None:
        for seq in range(3):
            empty.execute("insert into unit values (?, ?, 'sentence', 0, 'x', null, null)", [seq, f"n:{seq}"])
        empty.execute("insert into edge values (0, 1, 'similar', -0.5), (1, 2, 'similar', 0)")
        assert graph.summary(empty).modularity == 0.0
