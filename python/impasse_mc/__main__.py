"""The command: ``python -m impasse_mc check model.rwb``, or ``impasse check model.rwb``."""

from __future__ import annotations

import sys

from . import _impasse


def main() -> None:
    """Runs the command with the words of the command line, and ends with its exit code."""
    sys.exit(_impasse.command(["impasse", *sys.argv[1:]], [sys.executable, "-m", "impasse_mc"]))


if __name__ == "__main__":
    main()
