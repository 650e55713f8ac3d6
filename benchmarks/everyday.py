"""Ordinary questions to everyday chats, as `memcli ask` answers them: makes `benchmarks/results/everyday.json`.

    python benchmarks/everyday.py [--embedder NAME] [--write] [DIR …]

Each DIR (default: those of `benchmarks/everyday`) has the chats of invented people in twelve exports of seven
languages, 170 questions as people ask them (`questions.jsonl`), and 80 in other words than the chats' (`hard.jsonl`),
with regular expressions for what is right; an empty one means that the right thing is to say nothing. They were written
by somebody who did not know memcli. Failures of `canal_boat`, `fire_brigade` and `choir_tour` were read when rules were
changed, and the reader, its judges and those of other languages learn from these three; of the others none was, and
none is to be: they tell what a change is worth elsewhere. So do six of the eight of `everyday_english` (eight chats
each, 160 and 90 questions, English alone; failures of `ferry_cafe` and `moor_farmhouse` were read), and
`everyday_abroad`, in twelve languages, which `languages.py` asks.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from kinds import QUESTIONS
from languages import Outcome, outcomes

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "everyday.json"


def counted(found: Sequence[Outcome]) -> dict[str, object]:
    """Shares of the questions that can be answered, and how many that cannot are left open."""
    counts = Counter(each.verdict for each in found)
    asked = counts["right"] + counts["wrong"] + counts["abstained"]
    never = counts["silent"] + counts["said something"]
    shares = {name: round(counts[name] / asked, 3) for name in ("right", "wrong")} if asked else {}
    return {"questions": asked, **shares, "silent where it must be": f"{counts['silent']} of {never}"}


def groups(folder: Path, embedder: str) -> Iterator[tuple[str, dict[str, object]]]:
    """What a folder's questions of each kind come to."""
    found = list(outcomes(folder, embedder, questions=QUESTIONS))
    hard = [each for each in found if each.row["id"].startswith("h")]
    plain = [each for each in found if not each.row["id"].startswith("h")]
    english = [each for each in plain if each.row["lang"] == "en"]
    others = [each for each in plain if each.row["lang"] != "en"]
    for name, of in (("all", plain), ("in English", english), ("in other languages", others), ("in other words", hard)):
        yield name, counted(of)


def main() -> None:
    """Prints the shares of each folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=sorted(HERE.glob("everyday/*")))
    parser.add_argument("--embedder", default="memcli")
    parser.add_argument("--write", action="store_true", help="keep the figures of these folders")
    options = parser.parse_args()
    found = {each.name: dict(groups(each, options.embedder)) for each in options.folders}
    print(json.dumps(found, indent=1))
    if options.write:
        kept = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
        RESULTS.write_text(json.dumps(dict(sorted((kept | found).items())), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
