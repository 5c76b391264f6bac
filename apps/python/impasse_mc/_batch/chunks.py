"""How many jobs are handed out at once.

One message for each job costs more than a small job takes, and many jobs in one message leave
other workers idle at the end. So the number follows the time that jobs took so far.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from . import work
from .jobs import Prepared


class Chunks:
    """Jobs in groups, with those that are to run again first, each by itself."""

    def __init__(self, source: Iterator[Prepared], seconds: float, most: int = 64) -> None:
        self._source = source
        self._seconds = seconds
        self._most = most
        self._mean = seconds
        self.again: deque[Prepared] = deque()
        # Jobs that came with their answer, or cannot be sent: nothing is to be run.
        self.finished: deque[Prepared] = deque()
        self._ended = False

    def next(self) -> list[Prepared]:
        """The next group; empty if there is none."""
        if self.again:
            return [self.again.popleft()]
        size = max(1, min(self._most, int(self._seconds / max(self._mean, 1e-6))))
        group: list[Prepared] = []
        while len(group) < size and not self._ended:
            job = next(self._source, None)
            if job is None:
                self._ended = True
            elif job.line is not None or not work.packed(job):
                self.finished.append(job)
                if len(self.finished) >= self._most:
                    break
            else:
                group.append(job)
        return group

    @property
    def ended(self) -> bool:
        """Whether nothing is left to hand out."""
        return self._ended and not self.again

    def took(self, jobs: int, seconds: float) -> None:
        """Notes how long a group took."""
        if jobs:
            self._mean += 0.5 * (seconds / jobs - self._mean)
