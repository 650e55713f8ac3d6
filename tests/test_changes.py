"""What somebody says is otherwise now: which words say so, of what, and what is answered then."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from memcli.formats import Message
from memcli.languages import spoken
from memcli.memory import Memory
from memcli.text.times import bare_hour

#: A Friday.
START = datetime(2026, 5, 1, 10)
BESIDE = ("lol ok", "raining again here", "who wants soup", "nice one", "the printer is jammed", "we need milk")

Said = tuple[float, str, str]


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        (((0, "Ana", "The boiler man comes on Wednesday"), (26, "Ana", "He moved it to Friday")),
         "When does the boiler man come?", "Friday 8 May 2026 (before: Wednesday 6 May 2026"),
        (((0, "Bo", "My viewing of the flat is on Tuesday at 6"), (20, "Bo", "he bumped the viewing to Thursday")),
         "When is the viewing of the flat?", "Thursday 7 May 2026 (before: Tuesday 5 May 2026"),
        (((0, "Ana", "Launch is on 16 May"), (200, "Bo", "we slipped the launch by a week, so 23 May")),
         "When is the launch?", "23 May 2026 (before: 16 May 2026"),
        (((0, "Bo", "choir practice is on Tuesdays"), (900, "Bo", "from June choir is Wednesdays instead")),
         "When is choir practice?", "Wednesdays (before: on Tuesdays"),
        (((0, "Cy", "the vet appointment for Miso is on 5 May"),
          (30, "Cy", "vet called, they can't do the 5th, so it's the 11th now")),
         "When is Miso's vet appointment?", "11 May 2026 (before: 5 May 2026"),
        (((0, "Cy", "the wifi password is heron22"), (300, "Ana", "is it still heron22?"),
          (300.1, "Cy", "no, changed it. otter57")),
         "What is the wifi password?", "otter57 (before: heron22"),
        (((0, "Ana", "I sit next to Omar in the office"), (600, "Ana", "they moved me, I'm beside Lena now")),
         "Who does Ana sit next to?", "Lena (before: Omar"),
        (((0, "Ana", "The boiler man comes on Wednesday"), (26, "Bo", "my sister moved it to Friday")),
         "When does the boiler man come?", "Wednesday 6 May 2026"),
        (((0, "Cy", "the wifi password is heron22"), (300, "Ana", "is the kettle still broken?"),
          (300.1, "Cy", "no, new fuse. 4 amps")),
         "What is the wifi password?", "heron22"),
        (((0, "Ana", "The coach stops at the bus station"),
          (50, "Bo", "could the coach stop at the town hall instead?"), (50.1, "Ana", "no, the bay is closed")),
         "Where does the coach stop?", "the bus station"),
        (((0, "Bo", "The grant report is due on 15 June"), (900, "Ana", "they've extended it to the 30th!!")),
         "When is the grant report due?", "30 June 2026 (before: 15 June 2026"),
        (((0, "Bo", "party starts at 7 on Saturday"),), "What time does the party start?", "at 7"),
    ],
)  # fmt: skip
def test_what_holds_is_what_was_said_to_be_otherwise(said: tuple[Said, ...], question: str, answer: str) -> None:
    beside = [(40.0 * n - 100, "Ana", text) for n, text in enumerate(BESIDE)]
    with Memory(None) as memory:
        memory.add(
            Message(text, speaker, said_at=START + timedelta(hours=hours), conversation="home")
            for hours, speaker, text in sorted([*beside, *said])
        )
        found = memory.ask(question, at=START + timedelta(days=60)).answer
    assert not found.abstained
    assert answer in found.text
    assert answer.count("(before") == found.text.count("(before")


@pytest.mark.parametrize(
    ("text", "of_it"),
    [
        ("they've pushed it to half four", True), ("He moved us to Friday", True), ("so it's the 11th now", True),
        ("landlord bumped the viewing to Thursday", False), ("I like it", False), ("it's raining now", False),
    ],
)  # fmt: skip
def test_what_is_said_of_what_was_spoken_of_before(text: str, of_it: bool) -> None:
    assert spoken([text]).is_of_what_was_said(text) is of_it


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ("we slipped the launch by a week", True), ("Wednesdays instead", True), ("it's the 11th now", True),
        ("we moved house a week ago", False), ("she put the lasagne in", False), ("cats instead of dogs", False),
    ],
)  # fmt: skip
def test_more_that_says_that_something_is_at_another_time(text: str, moved: bool) -> None:
    assert spoken([text]).is_moved(text) is moved


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("starts at 7 on Saturday", "at 7"), ("from half nine", "from half nine"), ("at 7 Mill Lane", ""),
        ("at 9% interest", ""), ("at 7 euros", ""), ("at 7.30", ""), ("at 7 or at 8", ""),
        ("room 7", ""), ("at 3 of them", ""),
    ],
)  # fmt: skip
def test_an_hour_with_nothing_beside_it(text: str, hour: str) -> None:
    assert bare_hour(text) == hour


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("landlord bumped the viewing to Thursday", 7), ("we slipped, so 23 May", 23), ("so it's the 11th now", 11),
        ("I was there on Thursday", 30),
    ],
)  # fmt: skip
def test_what_is_moved_lies_ahead(text: str, day: int) -> None:
    (found,) = spoken([text]).times(text, START + timedelta(days=1))
    assert found.span.start.day == day
    assert found.span.start.year == START.year
