"""Jobs on a Dask cluster.

Dask moves the tasks of a worker that dies to other workers, as often as its setting
`allowed-failures` says, and then gives the task up with `KilledWorker`. The jobs of such a task
run once more, each by itself, because the task does not tell which of them it was.
"""

from __future__ import annotations

import uuid
from collections.abc import Generator, Iterator
from typing import Any

from . import work
from .chunks import Chunks
from .jobs import Prepared

# A task is to take about this long, in seconds: the scheduler needs about 1 ms for each task.
_GROUP = 0.1


class Cluster:
    """A Dask client, used as a place where jobs run."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._tasks: dict[Any, list[Prepared]] = {}

    def run(self, source: Iterator[Prepared]) -> Generator[Prepared, None, None]:
        """The jobs as they are done, with their lines."""
        try:
            import distributed
        except ImportError as error:
            raise ImportError("a Dask client needs `pip install distributed`") from error
        chunks = Chunks(source, _GROUP)
        completed: Any = distributed.as_completed
        done = completed()
        try:
            while True:
                self._hand_out(chunks, done)
                while chunks.finished:
                    yield chunks.finished.popleft()
                if self._tasks:
                    yield from self._receive(next(done), chunks)
                elif chunks.ended:
                    return
        finally:
            self.close()

    def close(self) -> None:
        """Cancels what is not done."""
        if self._tasks:
            self._client.cancel(list(self._tasks), force=True)
            self._tasks.clear()

    def _hand_out(self, chunks: Chunks, done: Any) -> None:
        # Two tasks for each thread of the cluster keep it busy. Workers come and go.
        while len(self._tasks) < 2 * max(1, sum(self._client.nthreads().values())):
            group = chunks.next()
            if not group:
                return
            task = self._client.submit(
                _timed,
                [job.packed for job in group],
                key=f"impasse-{uuid.uuid4().hex}",
                pure=False,
            )
            self._tasks[task] = group
            done.add(task)

    def _receive(self, task: Any, chunks: Chunks) -> Iterator[Prepared]:
        from distributed import KilledWorker

        group = self._tasks.pop(task)
        try:
            lines, seconds = task.result()
        except KilledWorker:
            for job in group:
                job.attempts += len(group) == 1
                if job.attempts >= 2:
                    job.line = work.died(job.id, job.name, job.attempts)
                    yield job
                else:
                    chunks.again.append(job)
            return
        chunks.took(len(group), seconds)
        for job, line in zip(group, lines):
            job.line = line
            yield job


def _timed(jobs: list[bytes]) -> tuple[list[bytes], float]:
    from time import perf_counter

    begin = perf_counter()
    lines = work.answer_all(jobs)
    return lines, perf_counter() - begin
