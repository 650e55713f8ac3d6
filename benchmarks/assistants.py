"""Asks what people ask of their chats with an assistant, one question by one, and counts what is right.

    python benchmarks/assistants.py longmemeval_short.json.gz [--cache DIR] [--from STORE] [--to STORE]

Ten of LongMemEval's questions with few sessions each are asked of one store (`kinds.joined`). A value is right if it
shares half of its words with the known answer (token F1) or its first number, or one holds the other; a quote, if its
turn is evidence. `--from` and `--to` ask some of the stores alone: failures of others may have been read.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from kinds import stores

from memcli.evaluation.answers import token_f1
from memcli.evaluation.questions import GoldQuestion, Haystack
from memcli.memory import Memory
from memcli.model import Answer, Form
from memcli.reading.network import in_bulk

RESULTS = Path(__file__).parent / "results" / "assistants.json"
#: From which token F1 on a value is right.
_RIGHT = 0.5
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def asked(haystack: Haystack, memory: Memory) -> Iterator[tuple[GoldQuestion, Answer]]:
    """Each question with its answer, asked when it was asked."""
    for question in haystack.questions:
        yield question, memory.ask(question.text, at=question.asked_at).answer


def is_right(question: GoldQuestion, answer: Answer) -> bool:
    """Whether an answer that was given is right."""
    if not question.answerable:
        return False
    if answer.form is Form.QUOTE:
        return bool({str(each) for each in answer.citations} & {str(each) for each in question.evidence})
    known, said = str(question.answer).lower().strip(" ."), answer.text.lower()
    first, other = _NUMBER.search(known), _NUMBER.search(said)
    is_same = bool(first and other and first[0] == other[0])
    return is_same or known in said or said.split(" (")[0] in known or token_f1(said, known) >= _RIGHT


def figures(told: Sequence[tuple[GoldQuestion, Answer]]) -> dict[str, dict[str, float]]:
    """Shares by category: of what can be answered, and how much of the rest is left open."""
    groups: dict[str, list[tuple[GoldQuestion, Answer]]] = defaultdict(list)
    for question, answer in told:
        for name in (str(question.category), "all"):
            groups[name].append((question, answer))
    return {name: _shares(group) for name, group in sorted(groups.items())}


def _shares(told: Sequence[tuple[GoldQuestion, Answer]]) -> dict[str, float]:
    can = [pair for pair in told if pair[0].answerable]
    cannot = [answer for question, answer in told if not question.answerable]
    said = [pair for pair in can if not pair[1].abstained]
    right = sum(is_right(*pair) for pair in said)
    return {
        "questions": len(told),
        "right": round(right / len(can), 3),
        "wrong": round((len(said) - right) / len(can), 3),
        "silent": round(1 - len(said) / len(can), 3),
        "silent_where_it_must_be": sum(answer.abstained for answer in cannot),
        "must_be_silent": len(cannot),
    }


def main() -> None:
    """Prints the figures as JSON, and keeps those of the whole file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path, help="a folder that keeps the stores for the next run")
    parser.add_argument("--from", dest="first", type=int, default=0, metavar="STORE")
    parser.add_argument("--to", dest="last", type=int, metavar="STORE", help="the first that is left out")
    options = parser.parse_args()
    told: list[tuple[GoldQuestion, Answer]] = []
    with tempfile.TemporaryDirectory() as folder, in_bulk():
        for index, haystack in list(enumerate(stores(options.data)))[options.first : options.last]:
            store = (options.cache or Path(folder)) / f"{options.data.name}-{index}-{haystack.name}.memcli"
            memory = Memory(store)
            if not store.exists():
                memory.add(haystack.messages)
            told += asked(haystack, memory)
    found = figures(told)
    if options.first == 0 and options.last is None:
        RESULTS.write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
