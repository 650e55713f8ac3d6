"""Where the data of a benchmark is: the file that is named, or the one in the user's data directory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

from ..errors import InputUnreadable, UsageError

__all__ = ["BENCHMARKS", "SAMPLE", "Benchmark", "locate", "sha256_of"]

#: The name of the chats and questions that ship with memcli.
SAMPLE = "sample"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A published data set: its usual file names, where it is published, and under which licence."""

    title: str
    files: Sequence[str]
    published: str
    licence: str


BENCHMARKS: Mapping[str, Benchmark] = {
    "locomo": Benchmark(
        "LoCoMo", ("locomo10.json", "locomo.json"), "https://github.com/snap-research/locomo", "CC BY-NC 4.0"
    ),
    "longmemeval": Benchmark(
        "LongMemEval",
        ("longmemeval_s_cleaned.json", "longmemeval_s.json", "longmemeval_oracle.json", "longmemeval_m_cleaned.json"),
        "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned",
        "MIT",
    ),
}


def locate(name: str, data: Path | None, folder: Path) -> Path:
    """The file to evaluate on. `name`: a benchmark, SAMPLE, or a path; `folder`: where benchmarks are looked for.

    Raises InputUnreadable where it is not there, UsageError for a name that is neither.
    """
    if data is not None:
        return _readable(data)
    if name in BENCHMARKS:
        return _kept(BENCHMARKS[name], name, folder)
    if name == SAMPLE:
        return _sample()
    if Path(name).exists():
        return _readable(Path(name))
    known = ", ".join((SAMPLE, *BENCHMARKS))
    raise UsageError(f"no benchmark and no file: {name}", f"choose one of {known}, or give a file")


def _sample() -> Path:
    """The questions that ship with memcli: in the package, and in a checkout beside it."""
    packaged = Path(__file__).with_name("sample.json")
    return packaged if packaged.is_file() else Path(__file__).parents[2] / "sample_data" / "questions.json"


def sha256_of(path: Path) -> str:
    """The SHA-256 of the file's bytes, in hexadecimal digits."""
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


def _kept(benchmark: Benchmark, name: str, folder: Path) -> Path:
    for file in benchmark.files:
        for path in (folder / file, folder / f"{file}.gz"):
            if path.is_file():
                return path
    raise InputUnreadable(
        f"{benchmark.title} is not in {folder}",
        f"{benchmark.files[0]} is published at {benchmark.published} under {benchmark.licence}: "
        f"put it there, or memcli eval {name} --data PATH",
    )


def _readable(path: Path) -> Path:
    if not path.is_file():
        raise InputUnreadable(f"no file at {path}", "check the path")
    return path
