"""`memcli` and `python -m memcli`."""

from __future__ import annotations

import os
import sys

from .cli.boundary import run

__all__ = ["main"]


def main() -> None:
    """Runs the command line and exits with its code."""
    # Products are small here, or one of several at a time: BLAS's own threads would only spin, from numpy's import on.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
