"""Where the data of a benchmark is: the file that is named, or the one in the user's data directory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import NoReturn

from ..errors import InputUnreadable, UsageError
from ..fetching import Offer

__all__ = ["BENCHMARKS", "SAMPLE", "Benchmark", "kept", "locate", "sha256_of"]

#: The name of the chats and questions that ship with memcli.
SAMPLE = "sample"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A published data set: where, the file of it that can be fetched, and the names of others that will do."""

    title: str
    published: str
    offer: Offer
    others: Sequence[str]


#: Sizes and checksums are those that many who measured with these files have published for these revisions.
BENCHMARKS: Mapping[str, Benchmark] = {
    "locomo": Benchmark(
        "LoCoMo",
        "https://github.com/snap-research/locomo",
        Offer(
            "locomo10.json",
            "CC BY-NC 4.0",
            2_805_274,
            "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4",
            "https://raw.githubusercontent.com/snap-research/locomo/3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376/data/locomo10.json",
        ),
        ("locomo.json",),
    ),
    "longmemeval": Benchmark(
        "LongMemEval",
        "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned",
        Offer(
            "longmemeval_s_cleaned.json",
            "MIT",
            277_383_467,
            "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442",
            "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned/resolve/98d7416c24c778c2fee6e6f3006e7a073259d48f/longmemeval_s_cleaned.json",
        ),
        ("longmemeval_s.json", "longmemeval_oracle.json", "longmemeval_m_cleaned.json"),
    ),
}


def locate(name: str, data: Path | None, folder: Path) -> Path:
    """The file to evaluate on. `name`: a benchmark, SAMPLE, or a path; `folder`: where benchmarks are looked for.

    Raises InputUnreadable where it is not there, UsageError for a name that is neither.
    """
    if data is not None:
        return _readable(data)
    if name in BENCHMARKS:
        return kept(name, folder) or _missing(name, folder)
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


def kept(name: str, folder: Path) -> Path | None:
    """The file of this benchmark in `folder`, gzip or not; None where there is none."""
    benchmark = BENCHMARKS[name]
    paths = (folder / f"{file}{zipped}" for file in (benchmark.offer.name, *benchmark.others) for zipped in ("", ".gz"))
    return next((path for path in paths if path.is_file()), None)


def _missing(name: str, folder: Path) -> NoReturn:
    benchmark = BENCHMARKS[name]
    raise InputUnreadable(
        f"{benchmark.title} is not in {folder}",
        f"it is published at {benchmark.published} under {benchmark.offer.licence}: "
        f"--fetch fetches it ({benchmark.offer.bytes / 1e6:,.1f} MB), or memcli eval {name} --data PATH",
    )


def _readable(path: Path) -> Path:
    if not path.is_file():
        raise InputUnreadable(f"no file at {path}", "check the path")
    return path
