"""Models for the tests of `impasse.batch`, importable by its processes."""

from __future__ import annotations

import hashlib
import os
import signal
from pathlib import Path
from typing import Any

import impasse_mc as impasse


def _die(counter: str, times: int, program: Any) -> Any:
    """Ends the process the first `times` times, and then is the program."""
    path = Path(counter)
    with path.open("a") as file:
        file.write("x")
    if path.stat().st_size <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    return program


class Deadly:
    """A model whose arrival kills the process that it is sent to."""

    name = "deadly"

    def __init__(self, counter: Path, times: int, program: Any) -> None:
        self.parts = (str(counter), times, program)

    def digest(self) -> str:
        return hashlib.sha256(self.parts[0].encode()).hexdigest()

    def __reduce__(self) -> Any:
        return (_die, self.parts)


def program(number: int, *, deadlock: bool = False) -> dict[str, Any]:
    """A program in JSON, version 2: a cycle of some length, or one that ends in a deadlock."""
    length = 2 + number % 3
    states = [{"name": f"s{i}", "request": ["go"], "to": [f"s{(i + 1) % length}"]} for i in range(length)]
    for state in states:
        state["wait"] = state["request"]
    if deadlock:
        states[-1] = {"name": states[-1]["name"], "request": ["go"], "block": ["go"]}
    return {"rwb": 2, "events": ["go"], "threads": [{"name": f"T{number}", "states": states}]}


class Counter(impasse.System):
    """Counts to a limit that is no part of it."""

    limit = 3

    def initial(self) -> Any:
        return [0]

    def successors(self, state: int) -> Any:
        if state < Counter.limit:
            yield "up", state + 1

    def never(self) -> Any:
        return {"five": lambda state: state == 5}
