"""Whether a change leaves what memcli finds and answers as it was: outcomes before and after, to the last digit.

    python benchmarks/unchanged.py record --memcli .venv/bin/memcli --out before [--only NAME …] DATA
    python benchmarks/unchanged.py compare before after

DATA is a folder with the development files; `before` and `after` are folders that the two versions' outcomes go to.
A version is run as a command, in a process and a cache of its own, so that the script works with any two.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: What is asked of whom: a name, the file in DATA, the contenders.
BENCHMARKS = {
    "implicit": ("implicit_preference_dev.json.gz", "fused,ontology,emem-g,sgmem,memgas,dense,bm25"),
    "locomo": ("locomo_dev.json", "all"),
    "realmem-kenta": ("realmem_dev_Kenta_Tanaka.json.gz", "fused,ontology"),
    "realmem-liam": ("realmem_dev_Liam_O_Connor.json.gz", "fused,ontology"),
    "longmemeval": ("longmemeval_s_dev.json.gz", "fused,ontology,dense,bm25"),
    "longmemeval-short": ("longmemeval_short_dev.json.gz", "fused,ontology"),
}
CHATS = ("ordinary", "ordinary_hard")
#: What differs from run to run: the time that it took, and when it was.
TIMED = frozenset({"milliseconds", "asked_at"})


def main() -> None:
    """Records or compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    record = commands.add_parser("record")
    record.add_argument("data", type=Path)
    record.add_argument("--memcli", required=True)
    record.add_argument("--out", type=Path, required=True)
    record.add_argument("--only", nargs="*", default=[*CHATS, *BENCHMARKS])
    record.set_defaults(run=lambda o: record_all(o.memcli, o.data, o.out, o.only))
    against = commands.add_parser("compare")
    against.add_argument("before", type=Path)
    against.add_argument("after", type=Path)
    against.set_defaults(run=lambda o: sys.exit(compare(o.before, o.after)))
    options = parser.parse_args()
    options.run(options)


def record_all(memcli: str, data: Path, out: Path, only: list[str]) -> None:
    """One file of JSON lines for each set of data."""
    out.mkdir(parents=True, exist_ok=True)
    for name in only:
        outcomes = asked(memcli, data / name) if name in CHATS else evaluated(memcli, data, *BENCHMARKS[name])
        lines = sorted(json.dumps(each, sort_keys=True, ensure_ascii=False) for each in outcomes)
        (out / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{name}: {len(lines)} outcomes", flush=True)


def evaluated(memcli: str, data: Path, file: str, contenders: str) -> Iterator[dict[str, Any]]:
    """What `memcli eval` keeps of each question and contender."""
    with tempfile.TemporaryDirectory() as cache:
        command = [memcli, "eval", str(data / file), "--strategy", contenders, "--json"]
        done = subprocess.run(command, env=os.environ | {"MEMCLI_CACHE": cache}, stdout=subprocess.DEVNULL, check=False)
        if done.returncode not in (0, 6):  # 6: some questions could not be read
            raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")
        for path in sorted(Path(cache).glob("evaluation/outcomes/*/*/*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                yield {"contender": path.parent.name} | json.loads(line)


def asked(memcli: str, folder: Path) -> Iterator[dict[str, Any]]:
    """What `memcli ask` prints for each question of a folder of chats, over one store of them."""
    with tempfile.TemporaryDirectory() as place:
        store = str(Path(place) / "chats.memcli")
        subprocess.run(
            [memcli, "ingest", str(folder / "chats"), "--store", store], stdout=subprocess.DEVNULL, check=False
        )
        for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            command = [memcli, "ask", row["question"], "--store", store, "--json", "--no-record", *row["args"]]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            yield {"id": row["id"], "exit": done.returncode, "said": json.loads(done.stdout or "null")}


def compare(before: Path, after: Path) -> int:
    """Prints how many outcomes of each set differ, and the first three that do; returns 1 if any does."""
    worst = 0
    for file in sorted(before.glob("*.jsonl")):
        if not (after / file.name).exists():
            print(f"{file.stem}: not recorded after")
            continue
        old, new = (
            [_timeless(line) for line in path.read_text(encoding="utf-8").splitlines()]
            for path in (file, after / file.name)
        )
        gone, come = sorted(set(old) - set(new)), sorted(set(new) - set(old))
        print(f"{file.stem}: {len(old)} outcomes, {len(gone)} differ")
        for line in [*gone[:3], *come[:3]] if gone or come else []:
            print(f"  {'-' if line in set(gone) else '+'} {line[:400]}")
        worst |= bool(gone or come)
    return worst


def _timeless(line: str) -> str:
    """An outcome without the time that it took."""
    return json.dumps(_without(json.loads(line)), sort_keys=True, ensure_ascii=False)


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without(each) for key, each in value.items() if key not in TIMED}
    return [_without(each) for each in value] if isinstance(value, list) else value


if __name__ == "__main__":
    main()
