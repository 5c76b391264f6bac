"""Answering one job: from a model and a question to a line of JSON.

The process that answers writes the line, so that the process that collects has little to do.
"""

from __future__ import annotations

import json
import pickle
from time import perf_counter
from typing import Any

# The begin of each line. The id follows, so that it can be read without the rest.
HEAD = b'{"job":"'
ID_END = len(HEAD) + 64

_encode = json.JSONEncoder(separators=(",", ":")).encode
_ANSWER = ("id", "asked", "verdict", "answer", "reason", "detail", "engine")


class Interrupted(Exception):
    """The check was interrupted, so that its answer must not be recorded."""


def line_of(job_id: str, record: dict[str, Any]) -> bytes:
    """A line of the file of results, with its end."""
    return ('{"job":"' + job_id + '",' + _encode(record)[1:] + "\n").encode()


def answer(job_id: str, name: str, model: Any, ask: Any, options: dict[str, Any]) -> bytes:
    """The line of a job. Errors of input and of use are answers, too; others are raised."""
    import impasse

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
        fields = {key: getattr(each, key) for key in _ANSWER}
        evidence = each.evidence
        if evidence is not None:
            fields["evidence"] = evidence.kind
            fields["length"] = evidence.length
            fields["checked_by"] = evidence.checked_by
            if evidence.trusted:
                fields["trusted"] = list(evidence.trusted)
        fields["seconds"] = round(each.seconds, 6)
        answers.append(fields)
        if each.verdict == "unknown" and reason is None:
            reason = each.reason
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
    """As `answer`, for a job as `pack` made it."""
    return answer(*pickle.loads(job))


def answer_all(jobs: list[bytes]) -> list[bytes]:
    """As `answer_pickled`, for several jobs at once: a task on a cluster."""
    return [answer_pickled(job) for job in jobs]


def pack(work: tuple[Any, ...]) -> bytes:
    """A job as bytes. Each job is packed by itself, so that one that cannot be read is alone."""
    return pickle.dumps(work, protocol=5)


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
    import impasse

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
