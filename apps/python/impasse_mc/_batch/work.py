"""Answering one job: from a model and a question to a line of JSON.

The process that answers writes the line, so that the process that collects has little to do.
"""

from __future__ import annotations

import json
import pickle
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .jobs import Prepared

# The begin of each line. The id follows, so that it can be read without the rest.
HEAD = b'{"job":"'
ID_END = len(HEAD) + 64

# The code of errors that are about processes, not about the model. Such jobs run again in the next batch.
NOT_SENT = "pickle"

_encode = json.JSONEncoder(separators=(",", ":")).encode
_ANSWER = ("id", "asked", "verdict", "answer", "reason", "detail", "engine")


class Interrupted(Exception):
    """The check was interrupted, so that its answer must not be recorded."""


def line_of(job_id: str, record: dict[str, Any]) -> bytes:
    """A line of the file of results, with its end."""
    return ('{"job":"' + job_id + '",' + _encode(record)[1:] + "\n").encode()


def answer(job_id: str, name: str, model: Any, ask: Any, options: dict[str, Any]) -> bytes:
    """The line of a job. Errors of input and of use are answers, too; others are raised."""
    import impasse_mc as impasse

    begin = perf_counter()
    try:
        outcome = impasse.check(model, ask, **options)
    except impasse.ImpasseError as error:
        return failure(job_id, name, error_of(error), perf_counter() - begin)
    except MemoryError:
        return unknown(job_id, name, "memory", seconds=round(perf_counter() - begin, 6))
    answers = []
    reason = None
    for each in outcome:
        # The record is read directly: properties would take longer than the search of a small program.
        record = each._record
        fields = {key: record[key] for key in _ANSWER}
        evidence = record["evidence"]
        if evidence is not None:
            fields["evidence"] = evidence["kind"]
            fields["length"] = evidence["length"]
            fields["checked_by"] = evidence["checked_by"]
            if evidence["trusted"]:
                fields["trusted"] = evidence["trusted"]
        fields["seconds"] = round(outcome.seconds, 6)
        answers.append(fields)
        if record["verdict"] == "unknown" and reason is None:
            reason = record["reason"]
    if reason == "interrupted":
        raise Interrupted
    return line_of(
        job_id,
        {
            "name": name,
            "verdict": outcome.verdict,
            "reason": reason,
            "seconds": round(perf_counter() - begin, 6),
            "answers": answers,
        },
    )


def answer_pickled(job: bytes) -> bytes:
    """As `answer`, for a job as `packed` made it."""
    job_id, name, rest = pickle.loads(job)
    try:
        model, ask, options = pickle.loads(rest)
    except Exception as error:
        return _not_sent(job_id, name, "another process cannot read the model", error)
    return answer(job_id, name, model, ask, options)


def answer_all(jobs: list[bytes]) -> list[bytes]:
    """As `answer_pickled`, for several jobs at once: a task on a cluster."""
    return [answer_pickled(job) for job in jobs]


def packed(job: Prepared) -> bool:
    """Makes the bytes of a job. If that is not possible, the job has its line with the error.

    Each job is packed by itself, so that one that cannot be read is alone.
    """
    job_id, name, *rest = job.work
    try:
        job.packed = pickle.dumps((job_id, name, pickle.dumps(rest, protocol=5)), protocol=5)
    except Exception as error:
        job.line = _not_sent(job_id, name, "the model cannot be sent to another process", error)
        return False
    return True


def _not_sent(job_id: str, name: str, what: str, error: Exception) -> bytes:
    message = f"{what}: {type(error).__name__}: {error}; `processes=0` answers jobs in this process"
    return failure(job_id, name, {"message": message, "code": NOT_SENT})


def failure(job_id: str, name: str, error: dict[str, Any], seconds: float = 0.0) -> bytes:
    """The line of a job whose input has an error."""
    return unknown(job_id, name, "error", seconds=round(seconds, 6), error=error)


def died(job_id: str, name: str, attempts: int) -> bytes:
    """The line of a job whose worker died each time."""
    return unknown(job_id, name, "worker died", attempts=attempts)


def unknown(job_id: str, name: str, reason: str, *, seconds: float = 0.0, **more: Any) -> bytes:
    """The line of a job without answers."""
    record = {"name": name, "verdict": "unknown", "reason": reason, "seconds": seconds}
    return line_of(job_id, {**record, "answers": [], **more})


def error_of(error: Exception) -> dict[str, Any]:
    """An error of input, of use, or of a file as a record: code, message, place, help."""
    import impasse_mc as impasse

    if isinstance(error, impasse.InputError):
        fields = ("code", "message", "source", "line", "column", "help")
        record: dict[str, Any] = {key: getattr(error, key) for key in fields}
        record["all"] = [str(each) for each in error.diagnostics]
        return record
    if isinstance(error, impasse.UsageError):
        return {"message": str(error), "code": "usage"}
    if isinstance(error, OSError):
        source = None if error.filename is None else str(error.filename)
        return {"message": error.strerror or str(error), "code": "io", "source": source}
    return {"message": str(error), "code": "internal"}
