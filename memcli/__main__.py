"""`memcli` and `python -m memcli`."""

from __future__ import annotations

import sys

from .cli.boundary import run

__all__ = ["main"]


def main() -> None:
    """Runs the command line and exits with its code."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
