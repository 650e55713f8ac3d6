"""Further kinds of chat that weights are learned from, as haystacks: what `haystacks` has no schema for."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import chats

from memcli.evaluation.datasets import haystacks
from memcli.evaluation.questions import GoldQuestion, Haystack
from memcli.formats import Message, read, sources, turn_id
from memcli.model import TurnId

Places = Mapping[str | None, TurnId | None]
SCENES = 20  # of a play, in a row: the sessions of one conversation
JOINED = 10  # haystacks of a question and few sessions each
#: Beside a folder `chats`: what is asked as people ask, and in other words than the chats'.
QUESTIONS = ("questions.jsonl", "hard.jsonl")
_FIRST_SCENE = datetime(2023, 1, 7, 19, tzinfo=UTC)  # made up; scenes have no dates


def stores(path: Path) -> Iterator[Haystack]:
    """The haystacks of a file: scenes, questions beside a folder `chats`, or any schema of `haystacks`.

    Or of a folder, as `chats` has them.
    """
    if path.is_dir():
        yield from map(chats.haystack, sorted(path.glob("*.txt")))
    elif path.name.startswith("friendsqa"):
        yield from plays(path)
    elif path.suffix == ".jsonl":
        yield folder(path)
    elif "_short" in path.name:
        found = list(haystacks(path))
        yield from (joined(found[start : start + JOINED]) for start in range(0, len(found), JOINED))
    else:
        yield from haystacks(path)


def apart_and_together(folder_: Path) -> Iterator[Haystack]:
    """The chats of a folder, a language a file: each by itself, and all of them in one store."""
    held = list(stores(folder_))
    yield from held
    messages = [message for each in held for message in each.messages]
    yield Haystack("all", messages, [question for each in held for question in each.questions])


def is_in_languages(path: Path) -> bool:
    """Whether a folder has made-up chats in other languages than English, a language a file."""
    return path.is_dir() and path.name.endswith("_languages")


def plays(path: Path) -> Iterator[Haystack]:
    """FriendsQA (Yang & Choi 2019): `SCENES` in a row are one conversation, a week from each to the next."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        found = sorted(json.load(stream)["data"], key=lambda scene: str(scene["title"]))
    for start in range(0, len(found), SCENES):
        yield _play(found[start : start + SCENES])


def _play(scenes: Sequence[Mapping[str, Any]]) -> Haystack:
    name, messages, questions = str(scenes[0]["title"]), [], []
    for week, scene in enumerate(scenes):
        said = [
            message
            for part, paragraph in enumerate(scene["paragraphs"])
            for message in _scene(paragraph, f"{scene['title']}.{part}", name, _FIRST_SCENE + timedelta(weeks=week))
        ]
        messages += said
        places = {message.id: turn_id(message) for message in said}
        questions += [
            _scene_question(question, f"{scene['title']}.{part}", places)
            for part, paragraph in enumerate(scene["paragraphs"])
            for question in paragraph["qas"]
        ]
    return Haystack(name, messages, questions)


def _scene(paragraph: Mapping[str, Any], session: str, conversation: str, at: datetime) -> Iterator[Message]:
    for each in paragraph["utterances:"]:
        speaker = " and ".join(name.split()[0] for name in each["speakers"])
        yield Message(
            as_written(each["utterance"]), speaker, said_at=at, conversation=conversation, session=session,
            id=f"{session}:{each['uid']}",
        )  # fmt: skip


def _scene_question(question: Mapping[str, Any], session: str, places: Places) -> GoldQuestion:
    answers = question["answers"]
    turns = {places.get(f"{session}:{answer['utterance_id']}") for answer in answers}
    kind = "speaker" if answers[0].get("is_speaker") else "span"
    return GoldQuestion(
        str(question["id"]), as_written(question["question"]), kind, as_written(answers[0]["answer_text"]),
        frozenset(turn for turn in turns if turn is not None),
    )  # fmt: skip


def as_written(tokens: str) -> str:
    """Words as people write them, of words that a tokenizer has set apart."""
    text = re.sub(r" (n't|'(?:s|m|d|re|ve|ll))\b", r"\1", tokens)
    return re.sub(r" ([.,!?;:…])", r"\1", text).strip()


def folder(path: Path) -> Haystack:
    """Questions, one a line, to all chats of the folder `chats` beside them; `evidence` is a regular expression."""
    found = [each for source in sources([path.parent / "chats"]) for each in read(source)]
    messages = [each for each in found if isinstance(each, Message)]
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return Haystack(path.parent.name, messages, [_matched(row, messages) for row in rows])


def _matched(row: Mapping[str, Any], messages: Sequence[Message]) -> GoldQuestion:
    matching = [m for m in messages if row["evidence"] and re.search(row["evidence"], m.text)]
    kind = row["kind"] if row["lang"] == "en" else row["lang"]
    return GoldQuestion(row["id"], row["question"], kind, "", _turns(matching), answerable=bool(row["evidence"]))


def joined(parts: Sequence[Haystack]) -> Haystack:
    """One haystack with the messages and the questions of all; the sessions of each keep together."""
    messages, questions = [], []
    for part in parts:
        moved = {turn_id(m): replace(m, conversation=part.name) for m in part.messages}
        messages += list(moved.values())
        questions += [replace(q, evidence=_turns(moved[turn] for turn in q.evidence)) for q in part.questions]
    return Haystack(parts[0].name, messages, questions)


def _turns(messages: Iterable[Message]) -> frozenset[TurnId]:
    return frozenset(turn for message in messages if (turn := turn_id(message)) is not None)
