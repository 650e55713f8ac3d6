"""What turns tell of who says them: how values are read off the network, each turn read once, and kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from memcli.care import noting
from memcli.errors import StoreNotWritable
from memcli.formats import Message
from memcli.memory import Memory
from memcli.model.cards import CardKind
from memcli.reading.noting import Noter, Told, runs, words
from memcli.reading.tokens import shares
from memcli.reading.windows import Window
from memcli.store.connection import Store
from memcli.store.selection import Selection

from .conftest import Ran

KINDS = list(CardKind)
WORK, PETS = KINDS.index(CardKind.WORK), KINDS.index(CardKind.PETS)


def chances(*tokens: dict[int, float]) -> np.ndarray:
    """The probabilities of some classes of each token, the rest that of nothing."""
    made = np.zeros((len(tokens), 1 + 2 * len(KINDS)), dtype=np.float32)
    for place, given in enumerate(tokens):
        for kind, chance in given.items():
            made[place, kind] = chance
        made[place, 0] = 1 - made[place].sum()
    return made


def begins(kind: int) -> int:
    return 1 + 2 * kind


def goes_on(kind: int) -> int:
    return 2 + 2 * kind


def test_a_value_begins_and_goes_on() -> None:
    read = chances(
        {begins(WORK): 0.1}, {begins(WORK): 0.6, begins(PETS): 0.3}, {goes_on(WORK): 0.7}, {goes_on(PETS): 0.9},
        {begins(PETS): 0.5}, {begins(PETS): 0.4},
    )  # fmt: skip
    found = [(kind, first, end, round(chance, 2)) for kind, first, end, chance in runs(read)]
    assert found == [(CardKind.WORK, 1, 3, 0.6), (CardKind.PETS, 4, 5, 0.5), (CardKind.PETS, 5, 6, 0.4)]
    assert list(runs(chances({}, {goes_on(WORK): 1.0}))) == []


def test_a_value_is_whole_words() -> None:
    text = "Ana: (my sister's) whippet, Nube."
    assert words(text, text.index("ippet"), text.index("Nub") + 3) == "whippet, Nube"
    assert words(text, text.index("my"), text.index("ter")) == "my sister"
    assert words(text, text.index(","), text.index(",") + 1) == ""


def test_shares_are_of_the_last_axis() -> None:
    found = shares(np.log(np.array([[1.0, 3.0], [2.0, 2.0]], dtype=np.float32)))
    assert np.allclose(found, [[0.25, 0.75], [0.5, 0.5]])


def test_the_network_reads_by_itself_and_with_what_stands_before() -> None:
    told = Noter().read(Window("Ana", "I work as a nurse at the children's hospital.", ""))
    assert any(each.kind is CardKind.WORK and "nurse" in each.value and each.own > 0.5 for each in told)
    replied = Noter().read(Window("Ana", "Postman.", "Bo: what do you do for a living now?"))
    assert [(each.kind, each.value) for each in replied] == [(CardKind.WORK, "Postman")]
    assert Noter().read(Window("Ana", "ok, see you then", "")) == []


# -- reading once, and keeping ---------------------------------------------------------------------------------------


@dataclass
class Counting:
    """Takes every word in capitals for a pet, or what else, of who speaks."""

    read_: list[str] = field(default_factory=list)
    kind: CardKind = CardKind.PETS

    def read(self, window: Window) -> list[Told]:
        self.read_.append(f"{window.before} | {window.text}")
        return [Told(self.kind, word, 0.9, 0.9) for word in window.text.split() if word.isupper() and len(word) > 1]


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    found = Counting()
    monkeypatch.setattr(noting, "noter", lambda: found)
    return found


def pets(memory: Memory, name: str = "Ana") -> list[str]:
    card = memory.who(name)
    assert [*card.holds, *card.before] == []  # it is doubtful, all of it
    return [note.value for note in card.maybe]


def test_each_turn_is_read_once(memory: Memory, counting: Counting) -> None:
    memory.add(
        [Message("look at REX there", "Ana"), Message("and MIA too", "Bo"), Message("what a day that was", "Ana")]
    )
    assert pets(memory) == ["REX"]
    assert counting.read_ == [
        " | look at REX there", "Ana: look at REX there Bo: and MIA too | what a day that was",
    ]  # fmt: skip
    assert pets(memory) == ["REX"]
    assert len(counting.read_) == 2  # what tells nothing is not read again, either
    memory.remember("now TOBY came along", speaker="Ana")
    assert sorted(pets(memory)) == ["REX", "TOBY"]
    assert len(counting.read_) == 3


@pytest.mark.parametrize(
    ("kind", "value", "tells"),
    [
        (CardKind.OWNS, "61 euro", False),
        (CardKind.OWNS, "2 bicycles", True),
        (CardKind.EVENTS, "the 23rd", False),
        (CardKind.EVENTS, "next Saturday", False),
        (CardKind.EVENTS, "to Bergen next Saturday", True),
        (CardKind.PLANS, "to Bergen next Saturday", False),
        (CardKind.FAMILY, "Ana", False),
        (CardKind.FAMILY, "Ana's aunt", True),
        (CardKind.BIRTHDAY, "9 April", True),
        (CardKind.CONTACT, "2093", False),
        (CardKind.CONTACT, "4 Mill Lane, Otley", True),
        (CardKind.WORK, "Zalkerdijk 12", True),
        (CardKind.HOME, "Zalkerdijk 12", False),
        (CardKind.CONTACT, "0470 555 102", True),
        (CardKind.CONTACT, "ana@example.org", True),
    ],
)
def test_a_value_that_may_be_so_tells_something(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, kind: CardKind, value: str, tells: bool
) -> None:
    class Noting:
        def read(self, window: Window) -> list[Told]:
            return [Told(kind, value, 0.9, 0.9)]

    monkeypatch.setattr(noting, "noter", Noting)
    memory.remember(f"so, {value} then", speaker="Ana")
    assert [note.value for note in memory.who("Ana").maybe] == ([value] if tells else [])


def test_what_an_older_network_noted_is_read_again(
    memory: Memory, counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.remember("look at REX there", speaker="Ana")
    assert pets(memory) == ["REX"]
    monkeypatch.setattr(noting, "VERSION", noting.VERSION + 1)
    assert pets(memory) == ["REX"]
    assert len(counting.read_) == 2
    with memory.store.reading() as db:
        assert db.execute("select version, value from noted").fetchall() == [(noting.VERSION, "REX")]


def test_what_is_noted_goes_with_its_turn(memory: Memory, counting: Counting) -> None:
    memory.add([Message("look at REX there", "Ana"), Message("and MIA too", "Ana")])
    assert sorted(pets(memory)) == ["MIA", "REX"]
    memory.care.forget(memory.care.select(Selection([memory.who("Ana").maybe[0].turn.id])))
    assert len(pets(memory)) == 1
    assert memory.care.examine().is_sound
    assert len(counting.read_) == 2


def test_it_is_kept_as_it_is_read(memory: Memory, counting: Counting, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.add([Message(f"look at REX{'XYZ'[n]} there", "Ana") for n in range(3)])
    monkeypatch.setattr(noting, "_BATCH", 1)
    seen: list[tuple[int, int]] = []

    def interrupt(done: int, of: int) -> None:
        seen.append((done, of))
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.cards.of("Ana", watch=interrupt)
    assert seen == [(0, 3), (1, 3), (2, 3)]
    assert len(pets(memory)) == 3
    assert len(counting.read_) == 3


def test_a_store_that_takes_no_writes_has_cards(
    memory: Memory, counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.add([Message(f"look at REX{'XY'[n]} there", "Ana") for n in range(2)])
    monkeypatch.setattr(noting, "_BATCH", 1)

    def refuse(_store: Store, wait: float = 0.0) -> None:
        raise StoreNotWritable(f"no writes for {wait} s", "")

    monkeypatch.setattr(Store, "writing", refuse)
    assert sorted(pets(memory)) == ["REXX", "REXY"]
    assert sorted(pets(memory)) == ["REXX", "REXY"]
    assert len(counting.read_) == 4
    with memory.store.reading() as db:
        assert db.execute("select count(*) from noted").fetchall() == [(0,)]


def test_a_memory_of_shards_keeps_what_is_noted(tmp_path: Path, counting: Counting) -> None:
    with Memory(tmp_path / "a.memcli.d", embedder="fake") as memory:
        memory.add(
            Message(f"look at REX{'XYZ'[n]} there", "Ana", conversation=f"chat {n}", id=f"{n}") for n in range(3)
        )
        assert sorted(pets(memory)) == sorted(pets(memory)) == ["REXX", "REXY", "REXZ"]
    assert len(counting.read_) == 3


def test_a_kind_that_nobody_knows_is_passed_over(memory: Memory, counting: Counting) -> None:
    memory.remember("look at REX there", speaker="Ana")
    assert pets(memory) == ["REX"]
    with memory.store.writing() as db:
        db.execute("update noted set kind = 'shoe size'")
    assert memory.who("Ana").maybe == []
    assert len(counting.read_) == 1


def test_what_is_not_english_is_not_read(memory: Memory, counting: Counting) -> None:
    memory.add([
        Message("Ich habe gestern den Hund REX im Garten gesehen, und er war ganz nass", "Ana"),
        Message("Das ist ja schön, wir kommen morgen mit dem Fahrrad vorbei", "Ana"),
    ])  # fmt: skip
    assert pets(memory) == []
    assert counting.read_ == []


def test_what_is_asked_is_not_told(memory: Memory, counting: Counting) -> None:
    memory.remember("have you seen REX? TOBY is here.", speaker="Ana")
    assert pets(memory) == ["TOBY"]


def test_what_is_known_is_not_doubtful(memory: Memory, counting: Counting) -> None:
    memory.remember("I work at PORTOS", speaker="Ana", at=datetime(2025, 4, 1, 9))
    counting.kind = CardKind.WORK
    card = memory.who("Ana")
    assert [note.value for note in card.holds] == ["at PORTOS"]
    assert card.maybe == []


def test_what_is_doubtful_is_shown_in_its_sentence(memory: Memory, counting: Counting, cli: Callable[..., Ran]) -> None:
    long = f"{'He came along the quay. ' * 3}We took {'the long way and ' * 9}REX {'and went on ' * 9}home."
    memory.add(
        [Message(long, "Ana", said_at=datetime(2025, 4, 1)), Message("TOBY", "Ana", said_at=datetime(2025, 4, 2))]
    )
    memory.close()
    _, short, clipped = cli("who", "Ana", "--store", memory.store.path).out.splitlines()
    assert short.startswith("  maybe pets    TOBY  2025-04-02  w:")
    shown = clipped.strip().partition("”")[0]
    assert shown.startswith("“…")
    assert " way and REX and went on " in shown
    assert shown.endswith("…")
    assert "quay" not in shown


@pytest.mark.parametrize(
    ("before", "text", "asked"),
    [
        (("Bo", "Nice walk. And what is its name? Do tell."), "REX.", "And what is its name?"),
        (("Bo", "Its name?"), "It's REX, really. He bites.", "Its name?"),
        (("Bo", "Nice walk."), "REX.", ""),
        (("Ana", "Its name?"), "REX.", ""),
        (("Bo", "Its name?"), "We have called him REX.", ""),  # it tells that by itself
        (("Bo", "Its name?"), "No idea. Ask REX.", ""),
    ],
)
def test_a_few_words_are_shown_with_what_they_answer(
    memory: Memory, counting: Counting, cli: Callable[..., Ran], before: tuple[str, str], text: str, asked: str
) -> None:
    memory.add([Message(before[1], before[0]), Message(text, "Ana"), Message("Is that so?", "Bo")])
    (note,) = memory.who("Ana").maybe
    assert (note.value.rstrip(".,"), note.asked) == ("REX", asked)
    memory.close()
    out = cli("who", "Ana", "--store", memory.store.path).out
    assert (f"“{asked}” “" in out) == bool(asked)
    (person,) = cli("who", "Ana", "--json", "--store", memory.store.path).json["people"]
    assert person["card"]["maybe"][0]["asked"] == (asked or None)


def test_the_command_marks_what_is_doubtful(memory: Memory, counting: Counting, cli: Callable[..., Ran]) -> None:
    memory.add([Message(" ".join(f"DOG{chr(65 + n)}" for n in range(14)), "Ana", said_at=datetime(2025, 4, 1))])
    memory.close()
    lines = cli("who", "Ana", "--store", memory.store.path).out.splitlines()
    assert sum("DOG" in line for line in lines) == 12
    assert lines[1].startswith("  maybe pets    “…DOGB DOGC")
    (person,) = cli("who", "Ana", "--json", "--store", memory.store.path).json["people"]
    assert len(person["card"]["maybe"]) == 14
    assert person["card"]["maybe"][0]["probability"] == 0.81
