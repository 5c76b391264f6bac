"""Side by side: `impasse_mc.pm4py.check_soundness` and pm4py's own `pm4py.check_soundness`.

    python compare_pm4py.py [--count 300] [--seed 0] [--timeout 20] [--always] [--random]

Logs are made by random runs of random workflow nets, with noise in two of three logs. From each
log, pm4py discovers three nets: with the inductive miner, the alpha miner and the heuristics miner.
Both tools decide soundness. Where they differ, the reachable markings of the net are enumerated
with networkx, which says which one is right. Each tool runs in a process of its own. With
``--random``, the nets are random ones in place of discovered ones: blocks with changes.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import statistics
import sys
import time
import warnings
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Optional

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from pm4py_nets import Case, brute, fire, fires, key, workflow

MINERS = ("inductive", "alpha", "heuristics")


def random_log(rng: random.Random) -> Any:
    """A log of pm4py: random runs of a random net, with some labels left out, doubled, swapped."""
    import pandas

    noise = rng.choice([0.0, 0.05, 0.2])
    net, initial, final = workflow(rng, rng.randint(3, 14), rng.choice([0, 0, 1, 2]))
    order = sorted(net.transitions, key=lambda t: t.name)
    rows: list[tuple[str, str, int]] = []
    for number in range(rng.choice([5, 20, 60])):
        trace: list[str] = []
        marking = initial
        for _ in range(60):
            choices = [t for t in order if fires(t, marking)]
            if not choices or key(marking) == key(final):
                break
            chosen = rng.choice(choices)
            marking = fire(chosen, marking)
            if chosen.label is not None:
                trace.append(chosen.label)
        noisy: list[str] = []
        for label in trace:
            if rng.random() >= noise:
                noisy.append(label)
                continue
            change = rng.choice(["leave out", "double", "swap"])
            noisy += [] if change == "leave out" else [label]
            if change == "double":
                noisy.append(label)
            elif change == "swap" and len(noisy) > 1:
                noisy[-2:] = noisy[:-3:-1]
        rows += [(str(number), label, len(rows) + i) for i, label in enumerate(noisy)]
    if not rows:
        rows = [("0", "a", 0)]
    log = pandas.DataFrame(rows, columns=["case:concept:name", "concept:name", "minute"])
    start = pandas.Timestamp("2026-01-01", tz="UTC")
    log["time:timestamp"] = start + pandas.to_timedelta(log["minute"], unit="min")
    return log.drop(columns="minute")


def discover(miner: str, log: Any, rng: random.Random) -> Case:
    """The net that a miner of pm4py makes of a log."""
    import pm4py

    if miner == "inductive":
        return pm4py.discover_petri_net_inductive(log, noise_threshold=rng.choice([0.0, 0.2]))
    if miner == "alpha":
        return pm4py.discover_petri_net_alpha(log)
    return pm4py.discover_petri_net_heuristics(log, dependency_threshold=rng.choice([0.5, 0.8]))


def discovered(count: int, seed: int) -> Iterator[tuple[str, int, Case]]:
    """Nets with their miner and number."""
    for number in range(count):
        # The three miners share a log.
        rng = random.Random(f"{seed}/{number // len(MINERS)}")
        log = random_log(rng)
        miner = MINERS[number % len(MINERS)]
        yield miner, number, discover(miner, log, rng)


def random_nets(count: int, seed: int) -> Iterator[tuple[str, int, Case]]:
    """Nets of blocks, with up to three changes."""
    for number in range(count):
        rng = random.Random(f"random/{seed}/{number}")
        yield "random", number, workflow(rng, rng.randint(2, 12), rng.choice([0, 1, 1, 2, 3]))


class Answer(NamedTuple):
    """What a tool says, and why."""

    verdict: str
    seconds: float
    why: str


def by_pm4py(case: Case) -> Answer:
    """The answer of pm4py itself."""
    import pm4py

    start = time.perf_counter()
    try:
        sound, diagnostics = pm4py.check_soundness(*case)
    except Exception as error:
        return Answer("error", time.perf_counter() - start, f"{type(error).__name__}: {error}")
    seconds = time.perf_counter() - start
    messages = diagnostics.get("diagnostic_messages") or [""]
    return Answer("sound" if sound else "unsound", seconds, str(messages[-1]))


def by_impasse(case: Case) -> Answer:
    """The answer of the bridge."""
    from impasse_mc.pm4py import check_soundness

    start = time.perf_counter()
    result = check_soundness(*case, timeout=15)
    seconds = time.perf_counter() - start
    how = "; ".join(f"{c.name}: {c.how}" for c in result.conditions if c.verdict == "holds")
    return Answer(result.verdict, seconds, result.reason or how)


def apart(function: Any, case: Case, timeout: float) -> Answer:
    """The answer of a function in a process of its own."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def work() -> None:
        sys.setrecursionlimit(10_000)
        sender.send(function(case))

    process = context.Process(target=work)
    process.start()
    sender.close()
    try:
        if not receiver.poll(timeout):
            return Answer("timeout", timeout, f"no answer after {timeout:g} s")
        return Answer(*receiver.recv())
    except EOFError:
        return Answer("error", 0.0, "the process died")
    finally:
        process.terminate()
        process.join()


def pumps(case: Case, limit: int = 3000) -> bool:
    """Does some run strictly add tokens? Then the net is unbounded."""
    net, initial, _ = case
    start = key(initial)
    known = {start: initial}
    came: dict[Any, Any] = {start: None}
    todo = deque([start])
    while todo and len(known) < limit:
        here = todo.popleft()
        for t in sorted(net.transitions, key=str):
            if not fires(t, known[here]):
                continue
            after = fire(t, known[here])
            there = key(after)
            if there in known:
                continue
            known[there], came[there] = after, here
            todo.append(there)
            before = here
            while before is not None:
                if all(after.get(p, 0) >= n for p, n in known[before].items()):
                    return True
                before = came[before]
    return False


def truth(case: Case, limit: int) -> tuple[Optional[bool], str]:
    """Is the net sound, by brute force? And why not?"""
    found = brute(*case, limit=limit)
    if found is None:
        # A sound workflow net is bounded (van der Aalst, 1997).
        return (False, "unbounded") if pumps(case) else (None, "too many markings")
    reasons = []
    for holds, what in (
        (found.workflow, "no workflow net with these markings"),
        (found.option, "no option to complete"),
        (found.proper, "no proper completion"),
        (not found.dead, "dead transitions"),
    ):
        if not holds:
            reasons.append(what)
    return found.classical, ", ".join(reasons) or "all conditions hold"


class Row(NamedTuple):
    """A net, and what was said about it."""

    miner: str
    number: int
    places: int
    transitions: int
    pm4py: Answer
    impasse: Answer
    truth: Optional[bool]
    why: str

    @property
    def agree(self) -> bool:
        return self.pm4py.verdict == self.impasse.verdict

    @property
    def impasse_wrong(self) -> bool:
        """Is the answer of Impasse refuted?"""
        return self.truth is not None and self.impasse.verdict == ("unsound" if self.truth else "sound")


def compare(
    nets: Iterable[tuple[str, int, Case]],
    timeout: float,
    *,
    always: bool = False,
    limit: int = 20_000,
) -> Iterator[Row]:
    """The rows of the table. With ``always``, brute force looks at each net."""
    for miner, number, case in nets:
        theirs = apart(by_pm4py, case, timeout)
        ours = apart(by_impasse, case, timeout)
        real, why = None, ""
        if always or theirs.verdict != ours.verdict:
            real, why = truth(case, limit)
        yield Row(miner, number, len(case[0].places), len(case[0].transitions), theirs, ours, real, why)


def main() -> None:
    """Print the table, and each disagreement."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=20.0, help="seconds for each net and tool")
    parser.add_argument("--always", action="store_true", help="brute force for each net")
    parser.add_argument("--random", action="store_true", help="random nets, not discovered ones")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    os.environ["TQDM_DISABLE"] = "1"
    rows = []
    nets = (random_nets if options.random else discovered)(options.count, options.seed)
    for row in compare(nets, options.timeout, always=options.always):
        rows.append(row)
        if not row.agree or row.impasse_wrong:
            real = {True: "sound", False: "unsound", None: "unknown"}[row.truth]
            print(
                f"{row.miner} {row.number} ({row.places} places, {row.transitions} transitions): "
                f"pm4py {row.pm4py.verdict}, impasse {row.impasse.verdict}, really {real}: "
                f"{row.why}\n    pm4py:   {row.pm4py.why[:200]}\n"
                f"    impasse: {row.impasse.why[:200]}",
                flush=True,
            )
    print(table(rows))


def table(rows: list[Row]) -> str:
    """A table in Markdown: agreement and times for each miner."""
    lines = [
        "",
        "| miner | nets | both sound | both unsound | only pm4py wrong "
        "| only Impasse wrong | pm4py without answer | Impasse unknown | truth unknown |",
        "|---" * 9 + "|",
    ]
    for miner in (*dict.fromkeys(row.miner for row in rows), "all"):
        some = [row for row in rows if miner in (row.miner, "all")]
        counts: Counter[str] = Counter()
        for row in some:
            if row.impasse.verdict not in ("sound", "unsound"):
                counts["unknown"] += 1
            if row.pm4py.verdict not in ("sound", "unsound"):
                counts["no answer"] += 1
            if row.agree:
                counts[f"both {row.impasse.verdict}"] += 1
            elif {row.pm4py.verdict, row.impasse.verdict} == {"sound", "unsound"}:
                counts["open" if row.truth is None else "impasse" if row.impasse_wrong else "pm4py"] += 1
        keys = ("both sound", "both unsound", "pm4py", "impasse", "no answer", "unknown", "open")
        cells = [miner, str(len(some)), *(str(counts[k]) for k in keys)]
        lines.append(f"| {' | '.join(cells)} |")
    wrong = sum(row.impasse_wrong for row in rows)
    checked = sum(row.truth is not None for row in rows)
    lines += [
        "",
        f"brute force decided {checked} nets, and refuted Impasse for {wrong}",
        "",
        "| seconds | median | mean | 95 % | most |",
        "|---|---|---|---|---|",
    ]
    for name in ("pm4py", "impasse"):
        times = sorted(getattr(row, name).seconds for row in rows)
        lines.append(
            f"| {name} | {statistics.median(times):.3f} | {statistics.fmean(times):.3f} | "
            f"{times[int(0.95 * (len(times) - 1))]:.3f} | {times[-1]:.3f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
