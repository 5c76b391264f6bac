"""Shared by all tests: small models with known answers."""

from __future__ import annotations

from pathlib import Path

import pytest

import impasse_mc as impasse

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def examples() -> Path:
    """The folder of the example models of the repository."""
    return ROOT / "examples"


@pytest.fixture
def mutex() -> impasse.Net:
    """Three processes and a lock."""
    net = impasse.Net("mutex")
    for place, tokens in {"idle": 3, "lock": 1, "busy": 0}.items():
        net.place(place, tokens)
    net.transition("enter", {"idle": 1, "lock": 1}, {"busy": 1}, label="in")
    net.transition("leave", {"busy": 1}, {"idle": 1, "lock": 1})
    return net


@pytest.fixture
def stuck() -> impasse.Model:
    """Two threads that each wait for the other after two events."""
    text = """rwb 1
    event a event b
    thread A { state s { request a block b on a -> t } state t { request b on b -> s } }
    thread B { state s { on a -> t } state t { block b } }
    """
    return impasse.loads(text, "rwb", name="stuck.rwb")


@pytest.fixture
def endless() -> impasse.Model:
    """A program with far too many states: 24 independent threads that count to 7."""
    events = [f"e{i}" for i in range(24)]
    threads = []
    for event in events:
        states = [
            {
                "name": str(n),
                "request": [event],
                "on": [{"events": [event], "to": [str((n + 1) % 7)]}],
            }
            for n in range(7)
        ]
        threads.append({"name": f"T{event}", "states": states})
    return impasse.Program({"rwb": 2, "check": ["deadlock"], "events": events, "threads": threads})
