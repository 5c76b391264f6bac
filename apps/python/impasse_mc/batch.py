"""Many jobs: on processes, in this process, or on a Dask cluster, with a file of results.

>>> import impasse_mc as impasse
>>> jobs = [("a.rwb", "deadlock"), ("b.rwb", ["deadlock", "bad"]), {"model": "c.pnml"}]
>>> results = impasse.batch(jobs, timeout=60)                        # doctest: +SKIP
>>> results.to_frame()                                               # doctest: +SKIP
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, Callable, Union, cast, overload

from . import _given
from ._batch import work
from ._batch.jobs import Job, Prepared, check_jobs, check_options, prepare
from ._batch.store import ResultsFile
from .errors import UsageError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import BatchOptions

__all__ = ["BatchProgress", "BatchResult", "BatchResults", "Job", "batch", "batch_iter"]

_PathLike = Union[str, "os.PathLike[str]"]


class BatchResult:
    """The result of one job.

    `index` is the place of the job in `jobs`, `name` is what the job is called, and `id` is the
    hash of its content; that of a `System` without a key is of nothing else. `recorded` says
    whether the result was in the file before. The other attributes are read from the line of the
    job in the file.
    """

    __slots__ = ("_line", "_record", "id", "index", "name", "recorded")

    def __init__(self, index: int, job_id: str, name: str, line: bytes, recorded: bool) -> None:
        self.index = index
        self.id = job_id
        # That of the model or file, if the job has no other.
        self.name = name
        self.recorded = recorded
        self._line = line
        self._record: dict[str, Any] | None = None

    @property
    def record(self) -> dict[str, Any]:
        """The whole record, as it stands in the file."""
        if self._record is None:
            self._record = json.loads(self._line)
        return self._record

    @property
    def verdict(self) -> str:
        """The verdict of all questions together: "safe", "unsafe" or "unknown"."""
        return str(self.record["verdict"])

    @property
    def reason(self) -> str | None:
        """Why the verdict is unknown; "error" and "worker died" are reasons, too."""
        reason = self.record["reason"]
        return None if reason is None else str(reason)

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict of each question, by its id."""
        return {each["id"]: each["verdict"] for each in self.answers}

    @property
    def answers(self) -> list[dict[str, Any]]:
        """A dict for each question: id, asked, verdict, answer, reason, evidence, seconds, .."""
        answers: list[dict[str, Any]] = self.record["answers"]
        return answers

    @property
    def seconds(self) -> float:
        """How long the job took, in seconds, without the time in which it waited."""
        return float(self.record["seconds"])

    @property
    def error(self) -> dict[str, Any] | None:
        """The error of the input, or None: code, message, source, line, column, help.

        If the input has several errors, these are of the first one, and `all` has the others, too.
        """
        return self.record.get("error")

    def __bool__(self) -> bool:
        raise TypeError("a result is neither true nor false; compare its `verdict`")

    def __repr__(self) -> str:
        parts = ", ".join(f"{key}: {value}" for key, value in self.verdicts.items())
        parts = parts or (self.error or {}).get("message") or self.reason or ""
        return f"<BatchResult {self.index} {self.name!r} {self.verdict} ({parts})>"


class BatchResults(Sequence[BatchResult]):
    """The results of a batch, in the order in which they came."""

    def __init__(self, results: Iterable[BatchResult]) -> None:
        self._results = list(results)

    def __len__(self) -> int:
        return len(self._results)

    @overload
    def __getitem__(self, key: int) -> BatchResult: ...
    @overload
    def __getitem__(self, key: slice) -> BatchResults: ...
    def __getitem__(self, key: int | slice) -> BatchResult | BatchResults:
        if isinstance(key, slice):
            return BatchResults(self._results[key])
        return self._results[key]

    def in_order(self) -> BatchResults:
        """The results in the order of the jobs."""
        return BatchResults(sorted(self._results, key=lambda result: result.index))

    def counts(self) -> dict[str, int]:
        """The number of jobs of each verdict."""
        return dict(Counter(result.verdict for result in self._results))

    def to_frame(self) -> Any:
        """A pandas table with a row for each question of each job, in the order of the jobs.

        A job without answers (an error, a worker that died) has one row.
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("a table of results needs `pip install pandas`") from error
        columns = ["index", "name", "question", "verdict", "answer", "reason", "engine"]
        columns += ["evidence", "length", "seconds", "message", "job"]
        return pandas.DataFrame([row for result in self.in_order() for row in _rows(result)], columns=columns)

    def __repr__(self) -> str:
        counts = ", ".join(f"{number} {verdict}" for verdict, number in self.counts().items())
        return f"<BatchResults of {len(self)} jobs: {counts}>"


def _rows(result: BatchResult) -> Iterator[dict[str, Any]]:
    common = {"index": result.index, "name": result.name, "job": result.id}
    for each in result.answers:
        yield {**common, **each, "question": each["id"], "message": each["detail"]}
    if not result.answers:
        message = (result.error or {}).get("message")
        record = {key: result.record[key] for key in ("verdict", "reason", "seconds")}
        yield {**common, **record, "answer": "unknown", "message": message}


class BatchProgress:
    """How far a batch is. Functions that are given as `progress` get one after each job."""

    def __init__(self, total: int | None) -> None:
        # The number of jobs; None if `jobs` has no length.
        self.total = total
        self.done = 0
        self.recorded = 0
        self.verdicts: Counter[str] = Counter()
        self.errors = 0
        self._begin = perf_counter()

    @property
    def seconds(self) -> float:
        """The time since the batch began, in seconds."""
        return perf_counter() - self._begin

    def note(self, result: BatchResult) -> None:
        """Counts a result."""
        self.done += 1
        self.recorded += result.recorded
        self.verdicts[result.verdict] += 1
        self.errors += result.reason == "error"

    def __str__(self) -> str:
        total = "" if self.total is None else f"/{self.total}"
        parts = [f"{number} {verdict}" for verdict, number in sorted(self.verdicts.items())]
        for number, what in ((self.errors, "errors"), (self.recorded, "recorded before")):
            if number:
                parts.append(f"{number} {what}")
        return f"{self.done}{total} jobs in {self.seconds:.1f} s: {', '.join(parts) or 'none done'}"


def batch(
    jobs: Iterable[Any],
    *,
    results: _PathLike | None = "results.jsonl",
    processes: int | None = None,
    client: Any = None,
    progress: bool | Callable[[BatchProgress], object] | None = None,
    **options: Unpack[BatchOptions],
) -> BatchResults:
    """Answers many jobs, and returns their results in the order in which they came.

    A job is a model or path, a tuple `(model, ask, options)`, a dict with these keys, or a `Job`.
    `options` are those of `impasse.check`, for all jobs that do not set them: `ask`, `engine`, ..
    `timeout`, in seconds, and `memory` hold for each job. For paths they may also be `format`,
    `target` and `extern` of `impasse.load`.

    `results` is a file of JSON lines, one for each job, appended as they come. A job that is in
    the file is not run again, so that a batch goes on where it ended. None keeps no file.
    A job of a `System` runs in each batch, because its content is not known, unless it has a `key`
    (see `Job`). Only one batch at a time can use a file. If the last line is torn after a crash, it is cut
    off with a `RuntimeWarning`.

    `processes` is the number of processes; None stands for one per processor, and 0 for this
    process, which is best for many small models. With `client`, a Dask client, the jobs run on
    its cluster. The job of a worker that dies is tried once more (on a cluster twice, at last with
    no other job beside it); then its verdict is "unknown" with the reason "worker died".

    `progress` is True for a line on stderr, or a function that gets a `BatchProgress` after each
    job.

    Errors of input are results (`BatchResult.error`). Ctrl-C ends the workers and raises
    `KeyboardInterrupt`; what is done stays in the file. A model that cannot be sent to another
    process is an error of its job, which runs again in the next batch.

    Raises `UsageError` if a job or an option is malformed (for lists of jobs before the first one
    runs), or if the file is in use, is damaged, or is not a file of results.
    """
    return BatchResults(
        batch_iter(jobs, results=results, processes=processes, client=client, progress=progress, **options)
    )


def batch_iter(
    jobs: Iterable[Any],
    *,
    results: _PathLike | None = "results.jsonl",
    processes: int | None = None,
    client: Any = None,
    progress: bool | Callable[[BatchProgress], object] | None = None,
    **options: Unpack[BatchOptions],
) -> Iterator[BatchResult]:
    """As `batch`, but gives each result when it comes. `jobs` may be without end.

    The work is done while the results are taken. It ends when the iterator is closed.
    """
    if client is not None and processes is not None:
        raise UsageError("a batch runs on `processes` or on a `client`, not on both")
    processes = _given.optional_whole(processes, "`processes`", 0, 4096)
    report = _report(progress)
    # A copy, because a type checker sees a dictionary of fixed keys here.
    given = cast("dict[str, Any]", dict(options))
    check_options(given, ("ask",))
    _given.texts(given.get("ask"), "`ask`")
    check_jobs(jobs)
    place = _place(processes, client)
    return _results(jobs, results, place, report, given)


_Place = Callable[[Iterator[Prepared]], "Generator[Prepared, None, None]"]


def _results(
    jobs: Iterable[Any],
    results: _PathLike | None,
    place: _Place,
    report: Callable[[BatchProgress], object] | None,
    options: dict[str, Any],
) -> Iterator[BatchResult]:
    """Gives each result when it comes."""
    import impasse_mc as impasse

    counts = BatchProgress(len(jobs) if isinstance(jobs, Sequence) else None)
    file = None if results is None else ResultsFile(results)
    known = {} if file is None else file.lines
    running: dict[str, Prepared] = {}
    answers = None
    try:
        source = _to_run(prepare(jobs, options, impasse.__version__), known, running)
        answers = place(source)
        for job in answers:
            line = job.line
            assert line is not None
            running.pop(job.id, None)
            if not job.recorded:
                if file is None:
                    known[job.id] = line
                else:
                    file.append(job.id, line)
            for number, (index, name) in enumerate(((job.index, job.name), *job.others)):
                result = BatchResult(index, job.id, name, line, job.recorded or number > 0)
                if report is not None:
                    counts.note(result)
                    report(counts)
                yield result
    except work.Interrupted:
        raise KeyboardInterrupt from None
    finally:
        # First of all: no worker goes on if the results are not taken any more.
        if answers is not None:
            answers.close()
        if file is not None:
            file.close()
        if isinstance(report, _Line):
            report.end(counts)


def _to_run(jobs: Iterator[Prepared], known: dict[str, bytes], running: dict[str, Prepared]) -> Iterator[Prepared]:
    """The jobs, with the lines of those that are known. Equal jobs are one."""
    for job in jobs:
        line = known.get(job.id)
        if line is not None:
            job.line, job.recorded = line, True
        elif job.id in running:
            running[job.id].others.append((job.index, job.name))
            continue
        else:
            running[job.id] = job
        yield job


def _place(processes: int | None, client: Any) -> _Place:
    """What runs jobs."""
    if client is not None:
        from ._batch.cluster import Cluster

        return Cluster(client).run
    if processes == 0:
        return _here
    from ._batch.pool import Pool

    return Pool(processes or _processors()).run


def _here(source: Iterator[Prepared]) -> Generator[Prepared, None, None]:
    for job in source:
        if job.line is None:
            job.line = work.answer(*job.work)
        yield job


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Line:
    """BatchProgress as a line on stderr that is written anew, a few times a second."""

    def __init__(self) -> None:
        self._next = 0.0
        self._length = 0
        # Terminals and notebooks write a line anew after a carriage return; files do not.
        self._live = sys.stderr.isatty() or "ipykernel" in sys.modules

    def __call__(self, counts: BatchProgress) -> None:
        now = perf_counter()
        if now >= self._next:
            self._next = now + 0.25
            self._write(counts, "\r")

    def end(self, counts: BatchProgress) -> None:
        """The last line."""
        self._write(counts, "\n")

    def _write(self, counts: BatchProgress, end: str) -> None:
        if self._live or end == "\n":
            text = str(counts)
            sys.stderr.write(f"{text.ljust(self._length)}{end}")
            sys.stderr.flush()
            self._length = len(text)


def _report(
    progress: bool | Callable[[BatchProgress], object] | None,
) -> Callable[[BatchProgress], object] | None:
    if callable(progress):
        return progress
    if progress is None or isinstance(progress, bool):
        return _Line() if progress else None
    raise UsageError(f"`progress` of a batch is True or a function, not {_given.shown(progress)}")
