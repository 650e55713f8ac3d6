"""What the encoder is trained on: questions with the sentences that their evidence may mean, and with hard negatives.

    python benchmarks/encoder_data.py --data locomo.json implicit.json.gz friendsqa.json.gz … --out DIR

Two files of JSON lines for each file of data: `NAME.conversations.jsonl`, a conversation (or scene) a line, on which an
encoder is measured, and `NAME.pairs.jsonl`, a question and one turn of its evidence a line. It needs memcli alone;
`benchmarks/train_encoder.py` and `benchmarks/train_questions.py`, which read what this writes, need torch.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from kinds import as_written, stores

from memcli.evaluation.datasets import haystacks
from memcli.evaluation.questions import GoldQuestion, Haystack
from memcli.formats import turn_id
from memcli.languages import spoken
from memcli.languages.base import NAMELESS, PREFERENCE
from memcli.memory import Memory
from memcli.model import Filters
from memcli.providers.embedding import Embedder, embedder
from memcli.providers.fakes import FakeEmbedder
from memcli.providers.vectors import Vectors
from memcli.strategies.dense import Dense
from memcli.text import sentences

Line = dict[str, Any]
LONG = 20  # turns: of longer haystacks with a question each only so many are looked through for negatives
MINED = 40
SHARPNESS = 20.0  # cosines to chances: the inverse of the temperature that the original was trained with


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for path in options.data:
        name, found = path.name.split(".")[0], list(conversations(path))
        _write(options.out / f"{name}.conversations.jsonl", found)
        _write(options.out / f"{name}.pairs.jsonl", [pair for line in found for pair in pairs(name, line)])


def _write(path: Path, lines: Sequence[Line]) -> None:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


def conversations(path: Path) -> Iterator[Line]:
    """`turns`: the sentences of each; `questions`: their wordings, answer, category, gold turns by place."""
    if path.is_dir() and (path / "chats").exists():
        yield own_chats(path)
    elif path.is_dir():
        yield from map(conversation, stores(path))
    elif path.name.startswith("friendsqa"):
        yield from scenes(path)
    else:
        yield from map(conversation, haystacks(path))


def conversation(haystack: Haystack) -> Line:
    """A haystack of LoCoMo's, LongMemEval's or RealMem's schema."""
    places = {turn_id(message): i for i, message in enumerate(haystack.messages)}
    speakers = sorted({message.speaker for message in haystack.messages if message.speaker})
    names = {name: i for i, name in enumerate(dict.fromkeys(str(m.session) for m in haystack.messages))}
    asked = [_question(question, places, speakers) for question in haystack.questions]
    return {
        "name": haystack.name,
        "turns": [sentences(message.text) or [message.text] for message in haystack.messages],
        "sessions": [names[str(message.session)] for message in haystack.messages],
        "questions": [line for line in asked if line["gold"] or line["gold_sessions"]],
    }


def _question(question: GoldQuestion, places: dict[Any, int], speakers: Sequence[str]) -> Line:
    return {
        **_wordings(question.text, speakers),
        "answer": question.answer,
        "category": question.category,
        "gold": sorted(places[turn] for turn in question.evidence if turn in places),
        "gold_sessions": sorted(places[turn] for turn in question.session_evidence if turn in places),
    }


def _wordings(text: str, speakers: Sequence[str]) -> Line:
    language = spoken([text])
    asked = language.question(text, speakers)
    return {
        "text": language.wording(NAMELESS, asked), "whole": text, "taste": language.wording(PREFERENCE, asked),
    }  # fmt: skip


def scenes(path: Path) -> Iterator[Line]:
    """FriendsQA (Yang & Choi 2019): questions to scenes of a play; of an answer its utterance is kept."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        found = json.load(stream)["data"]
    for scene in found:
        for paragraph in scene["paragraphs"]:
            said = paragraph["utterances:"]
            speakers = sorted({name.split()[0] for each in said for name in each["speakers"]})
            asked = [_scene_question(question, speakers) for question in paragraph["qas"]]
            turns = [sentences(as_written(each["utterance"])) or ["-"] for each in said]
            yield {"name": scene["title"], "turns": turns, "sessions": [0] * len(said), "questions": asked}


def _scene_question(question: Line, speakers: Sequence[str]) -> Line:
    answers = question["answers"]
    return {
        **_wordings(as_written(question["question"]), speakers),
        "answer": "" if answers[0].get("is_speaker") else as_written(answers[0]["answer_text"]),
        "category": "speaker" if answers[0].get("is_speaker") else "span",
        "gold": sorted({int(answer["utterance_id"]) for answer in answers}),
        "gold_sessions": [],
    }


def own_chats(folder: Path) -> Line:
    """A folder of chats in many formats with questions whose evidence is known by a regular expression."""
    with TemporaryDirectory() as scratch, Memory(Path(scratch) / "chats.memcli", embedder=FakeEmbedder()) as memory:
        memory.ingest([folder / "chats"])
        _, view = memory.query("everything", Filters(), datetime.now(UTC), Dense())
        messages = view.fetch(list(range(view.n)))
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    speakers = sorted({message.speaker for message in messages if message.speaker})
    asked = []
    for row in rows:
        gold = [i for i, m in enumerate(messages) if row["evidence"] and re.search(row["evidence"], m.text)]
        kind = row["lang"] if row["lang"] != "en" else row["kind"]
        asked.append(
            _wordings(row["question"], speakers) | {"answer": "", "category": kind, "gold": gold, "gold_sessions": []}
        )
    turns = [sentences(message.text) or [message.text] for message in messages]
    names = {name: i for i, name in enumerate(dict.fromkeys(turn.session for turn in messages))}
    sessions = [names[turn.session] for turn in messages]
    return {"name": folder.name, "turns": turns, "sessions": sessions, "questions": [q for q in asked if q["gold"]]}


def pairs(dataset: str, line: Line) -> Iterator[Line]:
    """A question with each turn of its evidence: the sentences of the turn, and the hardest of other turns.

    `chances`: how likely a sentence is the one that is meant, by its cosine with question and answer together.
    """
    asked = [question for question in line["questions"] if question["gold"]]
    for question in asked if _is_long(line) else []:
        yield from _pairs(dataset, _thinned(line, question), [question])
    if asked and not _is_long(line):
        yield from _pairs(dataset, line, asked)


def _is_long(line: Line) -> bool:
    return len(line["questions"]) == 1 and len(line["turns"]) > LONG


def _thinned(line: Line, question: Line) -> Line:
    """A long haystack's gold turns, others of their sessions, and some of the rest: what negatives are mined from."""
    gold, sessions = set(question["gold"]), {line["sessions"][turn] for turn in question["gold"]}
    beside = [i for i, session in enumerate(line["sessions"]) if session in sessions and i not in gold]
    rest = [i for i, session in enumerate(line["sessions"]) if session not in sessions]
    drawn = random.Random(question["text"])
    kept = {turn for part in (beside, rest) for turn in drawn.sample(part, min(len(part), LONG // 2))}
    turns = [turn if i in gold else turn[:LONG] if i in kept else [] for i, turn in enumerate(line["turns"])]
    return line | {"turns": turns}


def _pairs(dataset: str, line: Line, asked: Sequence[Line]) -> Iterator[Line]:
    own = np.array([i for i, turn in enumerate(line["turns"]) for _ in turn])
    said = [sentence for turn in line["turns"] for sentence in turn]
    vectors = _embed(said)
    near = _embed([question["text"] for question in asked]) @ vectors.T
    meant = _embed([f"{question['text']} {question['answer']}" for question in asked]) @ vectors.T
    full = np.minimum(1.0, np.sqrt(np.array([len(sentence.split()) for sentence in said]) / 8))
    for question, row, answers in zip(asked, near * full, meant * full, strict=True):
        gold = np.isin(own, question["gold"])
        evidence = {said[i] for i in np.flatnonzero(gold)}
        hard = [said[i] for i in np.argsort(-row, kind="stable") if said[i] not in evidence]
        for turn in question["gold"]:
            places = np.flatnonzero(own == turn)
            raised = np.exp(SHARPNESS * answers[places])
            yield {
                "dataset": dataset,
                "conversation": f"{dataset}:{line['name']}",
                "question": question["text"],
                "positives": [said[i] for i in places],
                "chances": np.round(raised / raised.sum(), 4).tolist(),
                "negatives": list(dict.fromkeys(hard))[:MINED],
                "evidence": sorted(evidence),
            }


@lru_cache(maxsize=1)
def _model() -> Embedder:
    return embedder(bulk=True)


def _embed(texts: Sequence[str]) -> Vectors:
    return _model().embed_passages(texts)


if __name__ == "__main__":
    main()
