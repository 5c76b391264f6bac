"""The programs with data that exist in three notations: Impasse on each of them, and bppy's own verifiers, in one run.

    python compare_bppy.py --impasse target/release/impasse --limit 30 --symbolic-python python3.6

Each cell is a process of its own: the answer to `bad`, CPU seconds, and the peak of its memory. Those of Impasse on
`.rwb` and `.js` are for the whole process. Those of Python begin after the imports, and the memory includes the
interpreter. Impasse answers `deadlock` in the same time; bppy's verifiers are asked about failed assertions only.
`--symbolic-python` names a Python with bppy and PyNuSMV (see `bppy_symbolic.py`). `*` marks a wrong answer.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE.parents[2] / "tests" / "data" / "with_data"


class Cell(NamedTuple):
    """What a process said, its CPU seconds, and its peak of memory in bytes. `said` may be a reason."""

    said: str
    seconds: float
    memory: int
    z3_calls: int = 0


def expected() -> dict[tuple[str, str], str]:
    """The known answers: for each file and property, its verdict."""
    with (PROGRAMS / "expected.csv").open() as table:
        return {(row["file"], row["property"]): row["verdict"] for row in csv.DictReader(table)}


def names() -> list[str]:
    return sorted(path.stem for path in PROGRAMS.glob("*.py"))


def load(path: Path) -> Any:
    """`make_program` of a file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.make_program


def by_bridge(path: Path) -> str:
    import impasse_mc.bppy as bridge

    began = time.process_time()
    outcome = bridge.check(load(path))
    return json.dumps({"said": outcome["bad"].verdict, "seconds": time.process_time() - began})


def by_search(path: Path) -> str:
    from bppy.analysis.dfs_bprogram_verifier import DFSBProgramVerifier

    began = time.process_time()
    holds, _ = DFSBProgramVerifier(load(path)).verify()
    return json.dumps({"said": "safe" if holds else "unsafe", "seconds": time.process_time() - began})


def events(path: Path) -> str:
    import impasse_mc.bppy as bridge

    return json.dumps([[e.name, e.data] for e in bridge.extract(load(path)).events.values()])


WAYS = {"bridge": by_bridge, "search": by_search, "events": events}


def run(command: Sequence[str], limit: float, given: str = "") -> tuple[str, float, int, bool]:
    """Output, CPU seconds, peak of memory, and whether the process ended in time."""
    ceiling = math.ceil(limit)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (ceiling, ceiling))

    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as text:
        text.write(given)
        text.seek(0)
        process = subprocess.Popen(command, stdin=text, stdout=out, stderr=subprocess.DEVNULL, preexec_fn=limited)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        out.seek(0)
        ended = not os.WIFSIGNALED(status)
        return out.read(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, ended


def by_impasse(tool: str, path: Path, limit: float) -> Cell:
    command = [tool, "check", str(path), "--property", "bad", "--property", "deadlock", "--format", "json"]
    out, seconds, memory, ended = run(command, limit)
    if not ended:
        return Cell("no answer", seconds, memory)
    properties = json.loads(out)["properties"]
    calls = sum(int(answer["stats"].get("z3_queries", 0)) for answer in properties)
    said = next(answer["verdict"] for answer in properties if answer["id"] == "bad")
    return Cell(said, seconds, memory, calls)


def by_python(python: str, arguments: Sequence[str], limit: float, given: str = "") -> Cell:
    out, seconds, memory, ended = run([python, *arguments], limit, given)
    lines = [line for line in out.splitlines() if line.startswith("{")]
    if not ended or not lines:
        return Cell("failed" if ended else "no answer", seconds, memory)
    answer = json.loads(lines[-1])
    return Cell(answer["said"], answer["seconds"], memory)


def cells(name: str, arguments: argparse.Namespace) -> list[Cell]:
    this, path, limit = str(Path(__file__).resolve()), PROGRAMS / f"{name}.py", arguments.limit
    found = [by_impasse(arguments.impasse, path.with_suffix(suffix), limit) for suffix in (".rwb", ".js")]
    found += [by_python(sys.executable, [this, "--one", way, str(path)], limit) for way in ("bridge", "search")]
    if arguments.symbolic_python:
        listed = run([sys.executable, this, "--one", "events", str(path)], 60)[0]
        script = [str(HERE / "bppy_symbolic.py"), str(path)]
        found.append(by_python(arguments.symbolic_python, script, limit, listed))
    return found


def shown(cell: Cell, known: str) -> str:
    wrong = "*" if cell.said in ("safe", "unsafe") and cell.said != known else ""
    return f"{cell.said}{wrong} {cell.seconds:.2f} s {cell.memory / 1e6:.0f} MB"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--impasse", default="impasse")
    parser.add_argument("--limit", type=float, default=30)
    parser.add_argument("--symbolic-python")
    parser.add_argument("--one", nargs=2, metavar=("WAY", "FILE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        warnings.simplefilter("ignore")
        print(WAYS[arguments.one[0]](Path(arguments.one[1])))
        return 0
    known, wrong, calls = expected(), 0, 0
    columns = ["Impasse, .rwb", "Impasse, .js", "Impasse, bppy", "bppy, DFS", "bppy, symbolic"]
    columns = columns if arguments.symbolic_python else columns[:-1]
    print("| program | known | " + " | ".join(columns) + " |\n|" + "---|" * (len(columns) + 2))
    tally = [[0, 0, 0.0] for _ in columns]
    for name in names():
        right = known[f"{name}.rwb", "bad"]
        found = cells(name, arguments)
        print(f"| {name} | {right} | " + " | ".join(shown(cell, right) for cell in found) + " |", flush=True)
        for cell, sums in zip(found, tally):
            answered = cell.said in ("safe", "unsafe")
            sums[0] += answered
            sums[1] += answered and cell.said != right
            sums[2] += cell.seconds
        wrong += sum(cell.said in ("safe", "unsafe") and cell.said != right for cell in found[:3])
        calls += sum(cell.z3_calls for cell in found)
    print("| answers, wrong, seconds | | " + " | ".join(f"{a}, {w}, {s:.1f} s" for a, w, s in tally) + " |")
    print(f"\nCalls of Z3 by Impasse: {calls}.")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
