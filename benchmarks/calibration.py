"""Where MiniLM's thresholds stand among the cosines of sentences that have nothing to do with one another.

python benchmarks/calibration.py --data locomo_dev.json [--embedder NAME]

Prints the quantiles that `memcli.providers.profiles` holds, and the share of random pairs below each threshold.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from memcli import Memory
from memcli.providers.embedding import DEFAULT
from memcli.providers.profiles import LEVELS, MINILM
from memcli.store.calibration import strangers


def main() -> None:
    """Fills a store with the data, and measures it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="conversations of many sessions")
    parser.add_argument("--embedder", default=DEFAULT)
    options = parser.parse_args()
    with TemporaryDirectory() as folder, Memory(Path(folder) / "measured.memcli", embedder=options.embedder) as memory:
        memory.ingest([options.data])
        with memory.store.reading() as db:
            found = strangers(db, 384)
    if found is None:
        raise SystemExit("too few sentences")
    for level, cosine in zip(LEVELS, np.quantile(found, LEVELS).tolist(), strict=True):
        print(f"quantile {level:<6} {cosine:.4f}")
    for name, threshold in asdict(MINILM).items():
        print(f"{name:<12} {threshold:<5} rank {float(np.mean(found < threshold)):.4f}")


if __name__ == "__main__":
    main()
