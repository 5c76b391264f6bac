"""The way to the checker: the core of the package, or the command line if the core is not there."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Any, Optional

from ._errors import BppyError

try:  # the extension of the package
    from impasse import Program as _Program
    from impasse import check as _check
except ImportError:
    _check = None
    _Program = None


@dataclass
class Raw:
    """What the checker says about one question."""

    id: str
    kind: str
    asked: str
    verdict: str
    answer: str
    reason: Optional[str]
    detail: Optional[str]
    engine: Optional[str]
    events: Optional[list[str]]
    repeats_from: Optional[int]
    final: Optional[dict[str, str]]
    core: Any


def run(program: dict[str, Any], options: dict[str, Any]) -> list[Raw]:
    """Checks a program; the options are those of `impasse.check`."""
    if _check is None or os.environ.get("IMPASSE_BPPY_BINARY"):
        return _by_command(program, options)
    return [_of_answer(a) for a in _check(_Program(program), **options)]


def _of_answer(a: Any) -> Raw:
    run = a.run
    return Raw(
        a.id,
        a.kind,
        a.asked,
        a.verdict,
        a.answer,
        a.reason,
        a.detail,
        a.engine,
        None if run is None else list(run.events),
        None if run is None else run.repeats_from,
        None if run is None else dict(run.final),
        a,
    )


def _by_command(program: dict[str, Any], options: dict[str, Any]) -> list[Raw]:
    binary = os.environ.get("IMPASSE_BPPY_BINARY", "impasse")
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "program.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(program, file)
        command = [binary, "check", path, "--format", "json", "--trace-in-json"]
        ask = options.get("ask")
        for formula in [ask] if isinstance(ask, str) else ask or []:
            flag = (
                "--property"
                if formula in ("deadlock", "bad") or formula.startswith("hot")
                else "--ask"
            )
            command += [flag, formula]
        if options.get("engine"):
            command += ["--engine", options["engine"]]
        if options.get("timeout"):
            command += ["--timeout", f"{options['timeout']}s"]
        if options.get("shortest"):
            command += ["--shortest"]
        for fair in options.get("fair") or ():
            command += ["--fair", fair]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        report = json.loads(done.stdout.splitlines()[0])
    except (IndexError, ValueError):
        raise BppyError(f"the checker fails: {done.stderr.strip()}") from None
    if report["errors"]:
        error = report["errors"][0]
        raise BppyError(
            f"the checker refuses the program: {error['message']} ({error.get('help')})"
        )
    return [_of_json(p) for p in report["properties"]]


def _of_json(p: dict[str, Any]) -> Raw:
    trace = p.get("trace")
    events = final = repeats = None
    if trace is not None:
        events = [s["event"] for s in trace["steps"]]
        final = trace["steps"][-1]["state"] if events else trace["start"]
        # The report numbers steps from 1, and a run is a sequence from 0.
        repeats = trace["repeats_from"] - 1 if trace.get("repeats_from") is not None else None
    return Raw(
        p["id"],
        p["kind"],
        p["asked"],
        p["verdict"],
        p["answer"],
        p["reason"],
        p["detail"],
        p["engine"],
        events,
        repeats,
        final,
        p,
    )
