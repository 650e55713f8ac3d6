"""What the network that reads updates is trained on: questions, with what was said after the statement that answered.

    python benchmarks/update_data.py --data locomo.json friendsqa.json.gz longmemeval_short.json.gz --half 0
        --own benchmarks/reader_chats --out FILE

The chats of `update_chats` were made up for it: a line each, with what was said (`say`: hours, speaker, text), a
`question` of what holds now, the places of the turn that told it `first` and of a `later` one that made it otherwise
(`changed`), or only seems to (`control`), and the words of the answer (`want`). Two turns of other chats are put behind
each first one. Of the questions of `--data` (a half of their conversations), and of some questions of every fourth file
of `--own`, the windows that the reader is given are taken that come after the one that answers and are no evidence:
none of these changes anything. Lines are as `reader_data.py` writes them, the first statement as what stands `before`
each later one.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import unseen
from reading import Case, cases, filled, known, read

from memcli.languages import DEFAULT
from memcli.model import Seeks
from memcli.reading import relevance
from memcli.reading.extractive import ordered
from memcli.reading.network import Network
from memcli.reading.relevance import Found
from memcli.reading.updates import READ, behind
from memcli.reading.windows import Window

Line = dict[str, Any]
CHATS = Path(__file__).with_name("update_chats")
#: Turns of other chats behind each first statement; questions of a conversation of one's own; which of its files.
ELSEWHERE, EACH, FILES = 2, 16, slice(1, None, 4)


def main() -> None:
    """Writes the lines, those of the chats first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="*", type=Path, default=[])
    parser.add_argument("--half", type=int, choices=(0, 1), default=0, help="of the conversations of the data")
    parser.add_argument("--own", type=Path, help="a folder of chats, of which the reader learned from all")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--cache", type=Path, help="a folder that keeps the stores for the next run")
    unseen.add_options(parser)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        cache = options.cache or Path(folder)
        lines = [*told(), *(line for path in options.data for line in retrieved(path, cache, options))]
        lines += own(options.own, cache, options) if options.own else []
    options.out.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    print(Counter(line["dataset"] for line in lines))


def told() -> Iterator[Line]:
    """A question of each chat that was made up."""
    chats = {file: file.read_text(encoding="utf-8").splitlines() for file in sorted(CHATS.glob("*.jsonl"))}
    items = [(f"{file.stem} {n}", json.loads(line)) for file, lines in chats.items() for n, line in enumerate(lines)]
    turns = [(speaker, text) for _, item in items for _, speaker, text in item["say"]]
    for group, item in items:
        drawn = random.Random(group)
        beside = [(drawn.choice(item["say"])[1], text) for _, text in drawn.sample(turns, ELSEWHERE)]
        windows = [*_after(item), *(_line(behind(_first(item), Window(*each, "")), None) for each in beside)]
        yield {"dataset": "update_chats", "group": group, "question": item["question"], "windows": windows}


def _first(item: Line) -> Window:
    _, speaker, text = item["say"][item["first"]]
    return Window(speaker, text, "")


def _after(item: Line) -> Iterator[Line]:
    """The turns after the first statement, but those that only say again what has changed it."""
    is_changed, want = item["kind"] == "changed", item["want"].lower()
    for place, (_, speaker, text) in enumerate(item["say"]):
        takes = is_changed and place == item["later"]
        if place > item["first"] and not (is_changed and place > item["later"] and want in text.lower()):
            yield _line(behind(_first(item), Window(speaker, text, "")), want if takes else None)


def _line(window: Window, want: str | None) -> Line:
    """A window; `want`: the words in it that take the place of the first one's, if it does."""
    start = window.shown.lower().rfind(want) if want else 0
    return {"speaker": window.speaker, "text": window.text, "before": window.before, "answers": want is not None,
            "span": [start, start + len(want)] if want else None, "polarity": ""}  # fmt: skip


def retrieved(path: Path, cache: Path, options: argparse.Namespace) -> list[Line]:
    """Questions of a file, with what came after the window that answers and changes nothing."""
    with ExitStack() as opened:
        asked = [case for case in cases(path, cache, opened, unseen.chosen(options)) if case.half == options.half]
        return [line for case in asked if (line := _unchanged(case))["windows"]]


def own(folder: Path, cache: Path, options: argparse.Namespace) -> list[Line]:
    """The same of some questions of some files of a folder."""
    with TemporaryDirectory() as some, ExitStack() as opened:
        part = Path(some) / folder.name
        part.mkdir()
        for file in sorted(folder.glob("*.txt"))[FILES]:
            shutil.copy(file, part)
        lines = []
        for haystack, memory in filled(part, cache, opened, unseen.chosen(options)):
            drawn = random.Random(0).sample(list(haystack.questions), min(EACH, len(haystack.questions)))
            asked = replace(haystack, questions=drawn)
            lines += [line for case in known(folder.name, asked, memory) if (line := _unchanged(case))["windows"]]
        return lines


def _unchanged(case: Case) -> Line:
    question = case.query.question
    values = ordered(question, _found(case)) if _is_of_values(case) else []
    first = values[0].found.passage if values else None
    after = [each.found.passage for each in values if first and _is_later(each.found, values[0].found)][:READ]
    is_known = first is not None and (not case.gold or str(first.turn) in case.gold)
    windows = [_line(behind(first.window, p.window), None) for p in after if first and str(p.turn) not in case.gold]
    return {"dataset": case.dataset, "group": case.group, "question": question.text,
            "windows": windows if is_known else []}  # fmt: skip


def _is_of_values(case: Case) -> bool:
    question = case.query.question
    return question.language == DEFAULT and question.seeks is not Seeks.YES_NO and bool(case.passages)


def _found(case: Case) -> Sequence[Found]:
    looked = read(case, _NETWORK)
    rows = relevance.signals(case.passages, looked.findings)
    judge = relevance.packaged()
    found = [Found(p, f, judge(row)) for p, f, row in zip(case.passages, looked.findings, rows, strict=True)]
    return sorted(found, key=lambda each: -each.trust)


def _is_later(one: Found, other: Found) -> bool:
    at, before = one.passage.at, other.passage.at
    return at is not None and before is not None and at > before


_NETWORK = Network(bulk=True)

if __name__ == "__main__":
    main()
