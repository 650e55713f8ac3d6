"""Coverage-guided fuzzing of every parser with atheris: `python benchmarks/fuzz.py [--cases 100000] [--only NAME]`.

Each target is a process of its own. A case that raises anything but the project's own errors, takes longer than five
seconds or more than a gigabyte stops it, and is printed. Writes benchmarks/results/fuzz.json. Needs the extra `fuzz`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

RESULTS = Path(__file__).parent / "results" / "fuzz.json"
ROOT = Path(__file__).resolve().parents[1]
SEEDS = ROOT / "tests" / "formats"
SECONDS, MEGABYTES = 5, 1024
AT = datetime(2024, 5, 20, 10, tzinfo=UTC)

Target = Callable[[bytes], object]


def text(data: bytes) -> str:
    """The bytes as text that can hold anything but a broken encoding."""
    return data.decode("utf-8", "replace")


def targets() -> Mapping[str, Target]:
    """Every parser by name."""
    import atheris

    with atheris.instrument_imports(include=["memcli"]):
        from memcli.errors import MemcliError
        from memcli.formats.base import Adaptable, Setting
        from memcli.formats.detection import FORMATS, detect, named
        from memcli.indexing.transcript.segments import segment
        from memcli.languages.dates import parse_date
        from memcli.languages.english.assertions.tagging import assertions
        from memcli.languages.english.events import events
        from memcli.languages.english.phrases import mentions
        from memcli.languages.english.questions import parse
        from memcli.languages.english.times import find
        from memcli.model import Session, SessionId, Turn, TurnId
        from memcli.model.generated import SessionText
        from memcli.providers.structured import MalformedReply, Schema, read

    form = Schema("form", {"names": {"type": "array", "items": {"type": "string"}}, "sure": {"type": "boolean"}})

    def of_format(name: str) -> Target:
        def run(data: bytes) -> None:
            chosen = named(name)
            reader = chosen.within(Setting(again=lambda: BytesIO(data))) if isinstance(chosen, Adaptable) else chosen
            for _ in reader.read(BytesIO(data), "fuzzed"):
                pass

        return run

    def of_detection(data: bytes) -> None:
        with contextlib.suppress(MemcliError):
            detect(data)

    def of_date(data: bytes) -> None:
        find(text(data), AT)
        with contextlib.suppress(MemcliError):
            parse_date(text(data), AT)

    def of_reply(data: bytes) -> None:
        with contextlib.suppress(MalformedReply):
            read(text(data), form)

    def of_turns(data: bytes) -> None:
        session = Session(SessionId("s"), "c", "fuzz", AT)
        said = [part for part in text(data).split("\n\n") if part][:6]
        roles = ("user", "assistant") if len(data) % 2 else ("", "")
        turns = [
            Turn(TurnId(str(i)), session.id, i, ("Ada", "Bo")[i % 2], roles[i % 2], AT, part)
            for i, part in enumerate(said)
        ]
        parts = [each.sentences for each in segment(session, turns).segments]
        events(SessionText(session, turns, parts))
        for place, turn in enumerate(turns):
            assertions(turn, parts[place], turns[:place], ("Ada", "Bo"))

    def of_question(data: bytes) -> None:
        parse(text(data), ("Ada", "Bo"))
        mentions(text(data), ["Ada", "Bo"])

    return {
        **{f"format {name}": of_format(name) for name in FORMATS},
        "detection": of_detection, "dates": of_date, "replies": of_reply, "turns": of_turns, "questions": of_question,
    }  # fmt: skip


NAMES = (
    "chatgpt", "claude-ai", "claude-code", "codex", "slack", "whatsapp", "telegram", "discord", "locomo",
    "longmemeval", "jsonl", "markdown", "plain",
)  # fmt: skip
EVERY = (*(f"format {name}" for name in NAMES), "detection", "dates", "replies", "turns", "questions")


def spoken(name: str) -> list[str]:
    """What such a target begins with, where no transcript is its seed: questions or turns of the sample chats."""
    if name == "questions":
        samples = json.loads((ROOT / "sample_data" / "questions.json").read_text())
        return [item["question"] for sample in samples for item in sample["qa"]]
    with (ROOT / "sample_data" / "chats.jsonl").open() as chats:
        said = [line.get("text") or line["content"] for line in map(json.loads, chats)]
    return ["\n\n".join(said[i : i + 3]) for i in range(0, len(said), 3)]


def one(name: str, cases: int) -> None:
    """Fuzzes one target in this process, which atheris ends."""
    import atheris

    run = targets()[name]
    options = [f"-runs={cases}", f"-timeout={SECONDS}", f"-rss_limit_mb={MEGABYTES}", "-max_len=4096", "-verbosity=0"]
    with TemporaryDirectory() as found, TemporaryDirectory() as own:
        for number, seed in enumerate(spoken(name) if name in ("questions", "turns") else ()):
            (Path(own) / str(number)).write_text(seed)
        seeds = own if any(Path(own).iterdir()) else str(SEEDS)
        # The first folder is the one that new inputs are written to.
        atheris.Setup([sys.argv[0], *options, found, seeds], run)
        atheris.Fuzz()


def main() -> None:
    """Fuzzes all targets one after the other, and records how many cases each had and whether one broke it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--only", choices=EVERY)
    parser.add_argument("--here", action="store_true", help="in this process")
    given = parser.parse_args()
    if given.here:
        one(given.only, given.cases)
        return
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in [given.only] if given.only else EVERY:
        start = time.perf_counter()
        command = [sys.executable, __file__, "--here", "--only", name, "--cases", str(given.cases)]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        results[name] = {"cases": given.cases, "failed": ran.returncode != 0}
        print(name, results[name], f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
        if ran.returncode:
            print(ran.stdout[-2000:], ran.stderr[-4000:], file=sys.stderr)
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
