"""Jobs on a Dask cluster.

Dask moves the tasks of a worker that dies to other workers, as often as its setting
`allowed-failures` says, and then gives the task up with `KilledWorker`. It gives up all tasks that
waited on that worker, not only the one that ran. So the jobs of such a task run once more, each in
its own task, and a job that is lost again runs while no other task does. Only what is lost then
is a job whose worker died.
"""

from __future__ import annotations

import uuid
from collections import deque
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
        # Jobs that were lost twice beside others. Each runs while no other task does.
        self._suspects: deque[Prepared] = deque()
        self._alone = False

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
                elif chunks.ended and not self._suspects:
                    return
        finally:
            self.close()

    def close(self) -> None:
        """Cancels what is not done."""
        if self._tasks:
            self._client.cancel(list(self._tasks), force=True)
            self._tasks.clear()

    def _hand_out(self, chunks: Chunks, done: Any) -> None:
        if self._tasks and (self._alone or self._suspects):
            return
        self._alone = bool(self._suspects)
        if self._alone:
            self._submit([self._suspects.popleft()], done)
            return
        # Two tasks for each thread of the cluster keep it busy. Workers come and go.
        while len(self._tasks) < 2 * max(1, sum(self._client.nthreads().values())):
            group = chunks.next()
            if not group:
                return
            self._submit(group, done)

    def _submit(self, group: list[Prepared], done: Any) -> None:
        packed = [job.packed for job in group]
        task = self._client.submit(_timed, packed, key=f"impasse-{uuid.uuid4().hex}", pure=False)
        self._tasks[task] = group
        done.add(task)

    def _receive(self, task: Any, chunks: Chunks) -> Iterator[Prepared]:
        from distributed import KilledWorker

        group = self._tasks.pop(task)
        try:
            lines, seconds = task.result()
        except KilledWorker:
            for job in group:
                job.attempts += 1
                if self._alone:
                    job.line = work.died(job.id, job.name, job.attempts)
                    yield job
                elif job.attempts >= 2:
                    self._suspects.append(job)
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
