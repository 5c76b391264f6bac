"""Jobs on processes of this machine.

`concurrent.futures.ProcessPoolExecutor` is of no use here: when a worker dies, it gives up all
jobs, and does not tell which one was running. So each worker has a pipe of its own, and a number
in shared memory that says at which job of its group it is. The number outlives the worker.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Generator, Iterator
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from time import perf_counter
from typing import Any

from . import work
from .chunks import Chunks
from .jobs import Prepared

_CONTEXT = get_context("spawn")
# A group of jobs is to take about this long, in seconds.
_GROUP = 0.05
# Answers are sent when this time has passed since the last ones were sent, in seconds.
_FLUSH = 0.02


class Pool:
    """Processes that answer jobs. A worker that dies is replaced."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._workers: list[_Worker] = []

    def run(self, source: Iterator[Prepared]) -> Generator[Prepared, None, None]:
        """The jobs as they are done, with their lines."""
        chunks = Chunks(source, _GROUP)
        try:
            while True:
                self._hand_out(chunks)
                while chunks.finished:
                    yield chunks.finished.popleft()
                busy = [worker for worker in self._workers if worker.group]
                if not busy:
                    if chunks.ended:
                        return
                    continue
                ready = set(wait([worker.pipe for worker in busy]))
                for worker in busy:
                    if worker.pipe in ready:
                        yield from self._receive(worker, chunks)
        finally:
            self.close()

    def close(self) -> None:
        """Ends all workers, whatever they do."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()
        self._workers.clear()

    def _hand_out(self, chunks: Chunks) -> None:
        for worker in self._workers:
            if not worker.group and not self._give(worker, chunks):
                return
        while len(self._workers) < self._processes:
            group = chunks.next()
            if not group:
                return
            worker = _Worker()
            self._workers.append(worker)
            worker.take(group)

    def _give(self, worker: _Worker, chunks: Chunks) -> bool:
        group = chunks.next()
        if group:
            worker.take(group)
        return bool(group)

    def _receive(self, worker: _Worker, chunks: Chunks) -> Iterator[Prepared]:
        try:
            message = worker.pipe.recv()
        except (EOFError, OSError):
            yield from self._bury(worker, chunks)
            return
        if isinstance(message, BaseException):
            raise message
        worker.started = True
        for line in message:
            job = worker.group[worker.done]
            worker.done += 1
            job.line = line
            yield job
        if worker.done == len(worker.group):
            chunks.took(worker.done, perf_counter() - worker.since)
            worker.group = []

    def _bury(self, worker: _Worker, chunks: Chunks) -> Iterator[Prepared]:
        """A worker died. Its job is tried once more; jobs that it had not begun just run again."""
        self._workers.remove(worker)
        worker.pipe.close()
        worker.process.join()
        if not worker.started and worker.process.exitcode == 1:
            raise RuntimeError(
                "the processes of the batch cannot start; a script that uses them needs the line "
                "`if __name__ == '__main__':` before its first action, or `processes=0`"
            )
        at = max(worker.position.value, worker.done)
        for number in range(worker.done, len(worker.group)):
            job = worker.group[number]
            if number == at:
                job.attempts += 1
            if job.attempts >= 2:
                job.line = work.died(job.id, job.name, job.attempts)
                yield job
            else:
                chunks.again.append(job)


class _Worker:
    """A process, the pipe to it, and the jobs that it has."""

    def __init__(self) -> None:
        self.pipe, other = _CONTEXT.Pipe()
        self.position: Any = _CONTEXT.RawValue("i", 0)
        self.process = _CONTEXT.Process(target=_serve, args=(other, self.position), daemon=True, name="impasse-batch")
        with _interrupt_blocked():
            self.process.start()
        # The end of the worker is seen as the end of the pipe, so it must be open only there.
        other.close()
        self.group: list[Prepared] = []
        self.done = 0
        self.since = 0.0
        self.started = False

    def take(self, group: list[Prepared]) -> None:
        """Sends jobs to the worker. If it is dead, reading from it tells."""
        self.group, self.done, self.since = group, 0, perf_counter()
        self.position.value = 0
        with contextlib.suppress(OSError):
            self.pipe.send([job.packed for job in group])


@contextlib.contextmanager
def _interrupt_blocked() -> Iterator[None]:
    """A process that is started here gets no Ctrl-C before it can ignore it.

    A new process inherits the mask of signals. Without it, Ctrl-C while the process imports its
    modules ends it with a traceback on stderr. In this thread, Ctrl-C takes effect afterwards.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # The tracker would be started together with the first process, and its start ends the block.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, position: Any) -> None:
    """The work of a process: until the pipe ends."""
    # Ctrl-C reaches all processes of a terminal. The one that collects ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    import impasse_mc as impasse  # noqa: F401  (a worker that cannot import it must fail before it takes jobs)

    pipe.send([])
    while True:
        try:
            jobs = pipe.recv()
        except (EOFError, OSError):
            return
        lines: list[bytes] = []
        sent = perf_counter()
        try:
            for number, job in enumerate(jobs):
                position.value = number
                lines.append(work.answer_pickled(job))
                now = perf_counter()
                if now - sent > _FLUSH:
                    pipe.send(lines)
                    lines, sent = [], now
            if lines:
                pipe.send(lines)
        except (BrokenPipeError, ConnectionResetError):
            return
        except Exception as error:
            pipe.send(_portable(error))


def _end_with_parent() -> None:
    """A worker does not finish a long check for a batch that was killed."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _portable(error: Exception) -> Exception:
    """The error with its place as text: a traceback does not go through a pipe."""
    import traceback

    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    if sys.version_info >= (3, 11):
        error.add_note("in a process of the batch:\n" + text)
    try:
        import pickle

        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(text)
    return error
