"""Questions to chats in many languages, as `memcli ask` answers them, counted by the language of the chat.

    python benchmarks/languages.py [--embedder NAME] [--languages de,fr] [--out FILE] [--verbose] [DIR …]

DIR (default: tests/languages) holds chats/ and questions.jsonl. A question's `answer` and `evidence` are regular
expressions; an empty answer means that the right thing is to say nothing. Each DIR fills one store with all its chats.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memcli import Memory

OWN = Path(__file__).parent.parent / "tests" / "languages"
#: The languages that were looked at while the rules were made; the others were kept aside.
SEEN = ("de", "fr", "ru", "zh", "ar")


@dataclass(frozen=True)
class Outcome:
    """What became of a question. `shown`: the evidence was among what was shown with the answer."""

    row: Mapping[str, Any]
    text: str
    abstained: bool
    shown: bool
    confidence: float

    @property
    def verdict(self) -> str:
        """As a person would judge it: what is said to have been so before is no answer."""
        if not self.row["answer"]:
            return "silent" if self.abstained else "said something"
        if self.abstained:
            return "abstained"
        said = self.text.split("(before: ")[0]
        return "right" if re.search(self.row["answer"], said, re.IGNORECASE | re.DOTALL) else "wrong"


def outcomes(
    folder: Path, embedder: str, languages: Sequence[str] = (), questions: Sequence[str] = ("questions.jsonl",)
) -> Iterator[Outcome]:
    """Every question of a folder, asked of one store with all its chats."""
    lines = [line for name in questions for line in (folder / name).read_text(encoding="utf-8").splitlines()]
    rows = list(map(json.loads, lines))
    with tempfile.TemporaryDirectory() as place:
        memory = Memory(Path(place) / "chats.memcli", embedder=embedder)
        memory.ingest([folder / "chats"])
        for row in rows:
            row.setdefault("chat", row.get("lang"))
            row.setdefault("asked", "en" if row.get("kind", "").endswith("-en") else row["chat"])
            if languages and row["chat"] not in languages:
                continue
            given = row.get("args", ())
            at = datetime.fromisoformat(given[given.index("--at") + 1]).astimezone() if "--at" in given else None
            found = memory.ask(row["question"], at=at)
            texts = [hit.unit.text for hit in found.hits]
            shown = bool(row["evidence"]) and any(re.search(row["evidence"], text) for text in texts)
            answer = found.answer
            yield Outcome(row, answer.text, answer.abstained, shown, answer.confidence)


def table(found: Sequence[Outcome]) -> str:
    """Counts by the language of the chat, own questions and English ones apart."""
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    for each in found:
        chat, asked = each.row["chat"], each.row["asked"]
        halves = ["all", "own" if asked == chat else "crossed", "seen" if chat in SEEN else "kept aside"]
        for name in (*halves, f"{chat} {'own' if asked == chat else 'asked in ' + asked}"):
            groups[name][each.verdict] += 1
            groups[name]["shown"] += each.shown
    lines = [f"{'':16}{'right':>7}{'wrong':>7}{'silent':>8}{'shown':>7}{'abst.':>7}{'asked':>7}"]
    for name in sorted(groups, key=lambda name: (" " in name, name)):
        count = groups[name]
        asked = count["right"] + count["wrong"] + count["abstained"]
        never = count["silent"] + count["said something"]
        shares = [(count["right"], asked), (count["wrong"], asked), (count["silent"], never), (count["shown"], asked),
                  (count["abstained"], asked)]  # fmt: skip
        lines.append(f"{name:16}" + "".join(f"{_share(a, b):>7}" for a, b in shares) + f"{asked + never:>8}")
    return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "–"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=[OWN])
    parser.add_argument("--embedder", default="memcli")
    parser.add_argument("--languages", default="", help="only chats in these")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--verbose", action="store_true", help="each question that was not answered rightly")
    options = parser.parse_args()
    found = [
        each
        for folder in options.folders
        for each in outcomes(folder, options.embedder, [code for code in options.languages.split(",") if code])
    ]
    for each in found if options.verbose else ():
        if each.verdict not in ("right", "silent"):
            shown = "shown" if each.shown else "not shown"
            print(
                f"{each.verdict:14} {shown:9} {each.row['question']} -> {each.text!r} {each.confidence:.2f}",
                file=sys.stderr,
            )
    print(table(found))
    if options.out:
        rows = [
            {**each.row, "said": each.text, "verdict": each.verdict, "shown": each.shown, "confidence": each.confidence}
            for each in found
        ]
        options.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
