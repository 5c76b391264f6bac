"""The programs of `tests/data/with_data` in the notation of bppy: the same answers as those in `.rwb`.

The messages of assertions are those of Python: PYTEST_DONT_REWRITE.
"""

from __future__ import annotations

import csv
from typing import Any

import compare_bppy
import pytest

import impasse_mc as impasse

pytest.importorskip("bppy")
from bppy.analysis.dfs_bprogram_verifier import DFSBProgramVerifier

import impasse_mc.bppy as bridge

pytestmark = pytest.mark.filterwarnings("ignore")
# Those for which bppy's own verifier takes about a second at most.
QUICK = [
    "01_tictactoe_unsafe",
    "02_crossing_unsafe",
    "05_bank_unsafe",
    "10_taps_safe",
    "10_taps_unsafe",
    "11_queue_safe",
    "11_queue_unsafe",
    "17_river_safe",
    "17_river_unsafe",
]


def known(name: str) -> list[dict[str, str]]:
    """The rows of the table about a program."""
    with (compare_bppy.PROGRAMS / "expected.csv").open() as table:
        return [row for row in csv.DictReader(table) if row["file"] == f"{name}.rwb"]


def found(outcome: Any) -> dict[str, tuple[str, str]]:
    """Verdicts, and the lengths of runs as in the table."""
    return {a.id: (a.verdict, str(len(a.run.events)) if a.verdict == "unsafe" else "") for a in outcome}


def test_there_are_fifteen() -> None:
    names = compare_bppy.names()
    assert len(names) >= 15
    assert sum(name.endswith("_safe") for name in names) == sum(name.endswith("_unsafe") for name in names)
    for name in names:
        assert known(name) and (compare_bppy.PROGRAMS / f"{name}.js").exists(), name


@pytest.mark.parametrize("name", compare_bppy.names())
def test_all_notations_agree(name: str) -> None:
    path = compare_bppy.PROGRAMS / f"{name}.py"
    make = compare_bppy.load(path)
    outcome = bridge.check(make, shortest=True)
    answers = [found(outcome), *(found(impasse.check(path.with_suffix(s), shortest=True)) for s in (".rwb", ".js"))]
    rows = known(name)
    assert rows
    for row in rows:
        for answer in answers:
            assert answer[row["property"]] == (row["verdict"], row["shortest"]), row
    for answer in outcome:
        if answer.verdict == "unsafe":
            ended = bridge.replay(make, answer.run)
            assert ended.startswith("bad: ") if answer.id == "bad" else ended == "end"


@pytest.mark.parametrize("name", QUICK)
def test_the_verifier_of_bppy_agrees(name: str) -> None:
    holds, trace = DFSBProgramVerifier(compare_bppy.load(compare_bppy.PROGRAMS / f"{name}.py")).verify()
    row = next(row for row in known(name) if row["property"] == "bad")
    assert holds == (row["verdict"] == "safe")
    assert trace is None or len(trace) >= int(row["shortest"])
