"""The command: ``python -m impasse_mc check model.rwb``, or ``impasse check model.rwb``."""

from __future__ import annotations

import sys

from . import _impasse

# Starts the command again, in a process of its own. `python -m` would import from the current directory.
AGAIN = "import sys; sys.path = [at for at in sys.path if at]; from impasse_mc.__main__ import main; main()"


def main() -> None:
    """Runs the command with the words of the command line, and ends with its exit code."""
    sys.exit(_impasse.command(["impasse", *sys.argv[1:]], [sys.executable, "-c", AGAIN]))


if __name__ == "__main__":
    main()
