"""Times of the bridge, and of bppy's own `DFSBProgramVerifier`, for ten programs.

    python compare_bppy_dfs.py --limit 60

bppy's verifier looks for failed assertions only. The times of the bridge are those of reading the
program and of all of its questions together.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
import warnings
from typing import Any

from bppy import (
    All,
    AllExcept,
    BEvent,
    BProgram,
    EventSet,
    SimpleEventSelectionStrategy,
    sync,
    thread,
)
from bppy.analysis.dfs_bprogram_verifier import DFSBProgramVerifier

import impasse_mc.bppy as bridge


def made(*threads: Any) -> BProgram:
    return BProgram(bthreads=list(threads), event_selection_strategy=SimpleEventSelectionStrategy())


# -- taps ------------------------------------------------------------------------------------


@thread
def pours(name, n):
    for _ in range(n):
        yield sync(request=BEvent(name))


@thread
def alternates():
    while True:
        yield sync(waitFor=BEvent("hot"), block=BEvent("cold"))
        yield sync(waitFor=BEvent("cold"), block=BEvent("hot"))


@thread
def no_row(length):
    row = 0
    while True:
        e = yield sync(waitFor=All())
        row = row + 1 if e.name == "hot" else 0
        assert row < length, "a row"


def taps(n, ordered, row=2):
    threads = [pours("hot", n), pours("cold", n), no_row(row)]
    return made(*threads, *([alternates()] if ordered else []))


# -- philosophers ----------------------------------------------------------------------------


@thread
def fork(i, n):
    takers = [BEvent(f"take{i}{side}{p}") for side, p in (("L", i), ("R", (i - 1) % n))]
    while True:
        e = yield sync(waitFor=takers)
        yield sync(waitFor=BEvent(e.name.replace("take", "drop")), block=takers)


@thread
def philosopher(i, n, swapped):
    left, right = f"{i}L{i}", f"{(i + 1) % n}R{i}"
    order = (right, left) if swapped else (left, right)
    while True:
        for f in order:
            yield sync(request=BEvent("take" + f))
        for f in order:
            yield sync(request=BEvent("drop" + f))


def philosophers(n, swapped):
    threads = [fork(i, n) for i in range(n)]
    return made(*threads, *[philosopher(i, n, swapped and i == 0) for i in range(n)])


# -- a mutex ---------------------------------------------------------------------------------


@thread
def worker(i):
    while True:
        yield sync(request=BEvent("enter", {"i": i}))
        yield sync(request=BEvent("leave", {"i": i}))


enters = EventSet(lambda e: e.name == "enter")
leaves = EventSet(lambda e: e.name == "leave")


@thread
def mutex():
    while True:
        e = yield sync(waitFor=enters)
        yield sync(waitFor=BEvent("leave", e.data), block=enters)


@thread
def one_inside():
    inside = 0
    while True:
        e = yield sync(waitFor=All())
        inside += 1 if e.name == "enter" else -1
        assert 0 <= inside <= 1, "two inside"


def workers(n):
    return made(*[worker(i) for i in range(n)], mutex(), one_inside())


# -- clocks and a game -----------------------------------------------------------------------


@thread
def clock(period):
    at = 0
    while True:
        yield sync(request=BEvent("tick"), waitFor=BEvent("tick"))
        at = (at + 1) % period


@thread
def alarm(k):
    for _ in range(k):
        yield sync(waitFor=BEvent("tick"))
    raise AssertionError("alarm")


def clocks(k):
    return made(clock(7), clock(11), clock(13), alarm(k))


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


@thread
def player(who):
    while True:
        yield sync(request=[BEvent("move", {"cell": i, "by": who}) for i in range(9)])


@thread
def turns():
    while True:
        for who in "XO":
            yield sync(
                waitFor=[BEvent("move", {"cell": i, "by": who}) for i in range(9)],
                block=[BEvent("move", {"cell": i, "by": o}) for i in range(9) for o in "XO" if o != who],
            )


@thread
def taken(cell):
    both = [BEvent("move", {"cell": cell, "by": w}) for w in "XO"]
    yield sync(waitFor=both)
    yield sync(block=both)


@thread
def line(who, cells):
    left = [BEvent("move", {"cell": i, "by": who}) for i in cells]
    for _ in cells:
        yield sync(waitFor=left)
    yield sync(block=All())


@thread
def corner_first():
    e = yield sync(waitFor=All())
    yield sync(waitFor=AllExcept(e))


def game():
    return made(
        player("X"),
        player("O"),
        turns(),
        *[taken(i) for i in range(9)],
        *[line(w, c) for w in "XO" for c in LINES],
        corner_first(),
    )


PROGRAMS: dict[str, Any] = {
    "taps, 3, free": lambda: taps(3, False),
    "taps, 20, in turns": lambda: taps(20, True),
    "taps, 30, free, row of 31": lambda: taps(30, False, 31),
    "philosophers, 3": lambda: philosophers(3, True),
    "philosophers, 5": lambda: philosophers(5, True),
    "philosophers, 8": lambda: philosophers(8, True),
    "mutex, 4 workers": lambda: workers(4),
    "mutex, 20 workers": lambda: workers(20),
    "clocks, alarm at 900": lambda: clocks(900),
    "tic-tac-toe": game,
}


def by_bridge(name: str) -> str:
    outcome = bridge.check(PROGRAMS[name])
    return ", ".join(f"{a.id} {a.verdict}" for a in outcome)


def by_bppy(name: str) -> str:
    holds, trace = DFSBProgramVerifier(PROGRAMS[name]).verify()
    return "holds" if holds else f"fails after {len(trace)} events"


def timed(function: Any, name: str, limit: float) -> tuple[str, float]:
    """The result of a function in a process of its own, and its time."""
    mine, other = multiprocessing.Pipe()

    def work() -> None:
        warnings.simplefilter("ignore")
        try:
            other.send(function(name))
        except BaseException as error:
            other.send(f"{type(error).__name__}: {error}"[:60])

    process = multiprocessing.get_context("fork").Process(target=work)
    began = time.time()
    process.start()
    said = mine.recv() if mine.poll(limit) else "no answer"
    seconds = time.time() - began
    process.kill()
    process.join()
    return said, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=60)
    limit = parser.parse_args().limit
    for name in PROGRAMS:
        ours, first = timed(by_bridge, name, limit)
        theirs, second = timed(by_bppy, name, limit)
        print(f"| {name} | {ours} | {first:.2f} s | {theirs} | {second:.2f} s |", flush=True)


if __name__ == "__main__":
    main()
