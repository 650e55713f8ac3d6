"""What the network that reads updates is trained on: questions, with what was said after the statement that answered.

    python benchmarks/update_data.py --data locomo.json friendsqa.json.gz longmemeval_short.json.gz
        benchmarks/judge_chats --half 0 --own benchmarks/reader_chats --out FILE

The chats of `update_chats` were made up for it: a line each, with what was said (`say`: hours, speaker, text), a
`question` of what holds now, the places of the turn that told it `first` and of a `later` one that made it otherwise
(`changed`), or only seems to (`control`), and the words of the answer (`want`); and most with two questions of yes or
no, whether what was told first holds (`is_first`), and whether what the later turn tells does (`is_later`), and one of
what was so before (`former`). Two turns of other chats are put behind each first one. Of the questions of `--data` (a
half of their conversations), and of some questions of each file of `--own`, the windows that the reader is given are
taken that come after the one that answers and are no evidence: none of these changes anything. Lines are as
`reader_data.py` writes them, the first statement as what stands `before` each later one.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import unseen
from reading import Case, cases, filled, known, read

from memcli.evaluation.questions import GoldQuestion
from memcli.languages import DEFAULT
from memcli.languages.english.questions import parse
from memcli.model import Seeks
from memcli.reading import relevance
from memcli.reading.network import Network
from memcli.reading.ordering import ordered
from memcli.reading.passages import asks
from memcli.reading.relevance import Found
from memcli.reading.updates import READ, Said, behind, told
from memcli.reading.windows import Window

Line = dict[str, Any]
CHATS = Path(__file__).with_name("update_chats")
#: Turns of other chats behind each first statement; questions of a conversation of one's own, and of yes or no.
ELSEWHERE, EACH, YES_NO = 2, 12, 8
#: The questions of a chat, and what the turn that changes something says to them.
POLARITY = {"question": "", "is_first": "no", "is_later": "yes"}


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
        lines = [*made_up(), *(line for path in options.data for line in retrieved(path, cache, options))]
        lines += own(options.own, cache, options) if options.own else []
    options.out.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    print(Counter(line["dataset"] for line in lines))


def made_up() -> Iterator[Line]:
    """The questions of each chat that was made up."""
    chats = {file: file.read_text(encoding="utf-8").splitlines() for file in sorted(CHATS.glob("*.jsonl"))}
    items = [(f"{file.stem} {n}", json.loads(line)) for file, lines in chats.items() for n, line in enumerate(lines)]
    turns = [(speaker, text) for _, item in items for _, speaker, text in item["say"]]
    for group, item in items:
        drawn = random.Random(group)
        beside = [(drawn.choice(item["say"])[1], text) for _, text in drawn.sample(turns, ELSEWHERE)]
        others = [_line(behind(_first(item), Window(*each, ""))) for each in beside]
        asked = {name: [*_after(item, says)] for name, says in POLARITY.items()} | {"former": _replaced(item)}
        for name, windows in asked.items():
            if item.get(name):
                line = {"dataset": "update_chats", "group": group, "question": item[name]}
                yield {**line, "windows": [*windows, *others]}


def _first(item: Line) -> Said:
    """The first statement behind what it replies to, if that asks."""
    place = item["first"]
    _, speaker, text = item["say"][place]
    return [*((who, said) for _, who, said in item["say"][max(place - 1, 0) : place] if asks(said)), (speaker, text)]


def _after(item: Line, says: str) -> Iterator[Line]:
    """The turns after the first statement, but those that only say again what has changed it. `says`: yes or no, where
    what changes it says so to the question.
    """
    is_changed, want = item["kind"] == "changed", item["want"].lower()
    for place, (_, speaker, text) in enumerate(item["say"]):
        takes = is_changed and place == item["later"]
        if place > item["first"] and not (is_changed and place > item["later"] and want in text.lower()):
            window = behind(_first(item), Window(speaker, text, ""))
            yield _taking(window, "" if says else want, says) if takes else _line(window)


def _replaced(item: Line) -> list[Line]:
    """The turn that changes it, and those around it, behind each earlier one: it takes the place of the first alone."""
    windows = [Window(speaker, text, "") for _, speaker, text in item["say"]]
    first, later = item["first"], item["later"]
    ahead = [behind([(w.speaker, w.text)], windows[later]) for n, w in enumerate(windows[:later]) if n != first]
    beside = [behind(_first(item), window) for window in windows[first + 1 : later]]
    return [_taking(behind(_first(item), windows[later])), *map(_line, (*ahead, *beside))]


def _line(window: Window) -> Line:
    """A window that changes nothing."""
    return {"speaker": window.speaker, "text": window.text, "before": window.before, "answers": False, "span": None,
            "polarity": ""}  # fmt: skip


def _taking(window: Window, want: str = "", says: str = "") -> Line:
    """A window that takes the place of what stands before it: by these words of it, or saying yes or no."""
    start = window.shown.lower().rfind(want)
    span = [start, start + len(want)] if want else None
    return {**_line(window), "answers": True, "span": span, "polarity": says}


def retrieved(path: Path, cache: Path, options: argparse.Namespace) -> list[Line]:
    """Questions of a file, with what came after the window that answers and changes nothing."""
    with ExitStack() as opened:
        asked = [case for case in cases(path, cache, opened, unseen.chosen(options)) if case.half == options.half]
        return [line for case in asked if (line := _unchanged(case))["windows"]]


def own(folder: Path, cache: Path, options: argparse.Namespace) -> list[Line]:
    """The same of some questions of each file of a folder."""
    with ExitStack() as opened:
        lines = []
        for haystack, memory in filled(folder, cache, opened, unseen.chosen(options)):
            asked = replace(haystack, questions=_drawn(haystack.questions))
            lines += [line for case in known(folder.name, asked, memory) if (line := _unchanged(case))["windows"]]
        return lines


def _drawn(questions: Sequence[GoldQuestion]) -> list[GoldQuestion]:
    """Some of all, and some of those of yes or no."""
    whether = [each for each in questions if parse(each.text, ()).seeks is Seeks.YES_NO]
    drawn = random.Random(0)
    some = [drawn.sample(of, min(count, len(of))) for of, count in ((list(questions), EACH), (whether, YES_NO))]
    return list({each.id: each for of in some for each in of}.values())


def _unchanged(case: Case) -> Line:
    found = _ordered(case)
    first = found[0] if found else None
    after = [each.passage for each in found if first and _is_later(each, first)][:READ]
    is_known = first is not None and (not case.gold or str(first.passage.turn) in case.gold)
    windows = [_line(behind(told(first), p.window)) for p in after if first and str(p.turn) not in case.gold]
    return {"dataset": case.dataset, "group": case.group, "question": case.query.question.text,
            "windows": windows if is_known else []}  # fmt: skip


def _ordered(case: Case) -> Sequence[Found]:
    """The windows as the reader asks whether something was said in their place."""
    question = case.query.question
    if question.language != DEFAULT or not case.passages:
        return []
    found = _found(case)
    return found if question.seeks is Seeks.YES_NO else [value.found for value in ordered(question, found)]


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
