"""The way to the checker."""

from __future__ import annotations

from typing import Any

from ..checking import check
from ..models import Program
from ..outcome import Outcome


def decide(program: dict[str, Any], ask: Any, options: dict[str, Any]) -> Outcome:
    """Checks a program; the options are those of `impasse.check`."""
    return check(Program(program, name="bppy"), ask, **options)
