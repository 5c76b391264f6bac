"""The file of results: one line of JSON for each job, appended as they come.

A line is written with one call, so that a crash leaves at most one torn line, at the end. A lock
on the open file keeps a second batch away; the operating system releases it when the process
ends, however it ends.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any

from .work import HEAD, ID_END, NOT_SENT


class ResultsFile:
    """An open file of results, locked for this process."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._handle: int | None = os.open(
            self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666
        )
        try:
            _lock(self._handle, self.path)
            # The line of each job that is done. They are parsed when they are asked for.
            self.lines: dict[str, bytes] = self._read()
        except BaseException:
            self.close()
            raise

    def append(self, job_id: str, line: bytes) -> None:
        """Writes a line. It is not lost if this process dies afterwards."""
        assert self._handle is not None
        rest = memoryview(line)
        while rest:
            rest = rest[os.write(self._handle, rest) :]
        self.lines[job_id] = line

    def close(self) -> None:
        """Closes the file and releases the lock."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _read(self) -> dict[str, bytes]:
        data = self.path.read_bytes()
        whole = data.rfind(b"\n") + 1
        lines: dict[str, bytes] = {}
        for number, line in enumerate(data[:whole].splitlines(keepends=True), 1):
            if not (line.startswith(HEAD) and line[ID_END : ID_END + 2] == b'",'):
                raise _usage(f"{self.path} is not a file of results: line {number} has no job id at its begin")
            try:
                error = json.loads(line).get("error")
            except ValueError:
                raise _usage(
                    f"{self.path}: line {number} is torn or damaged; remove the line, and its job runs again"
                ) from None
            if error is not None and error.get("code") == NOT_SENT:
                continue
            lines[line[len(HEAD) : ID_END].decode("ascii", "replace")] = line
        if whole < len(data):
            self._cut(data[whole:], whole)
        return lines

    def _cut(self, torn: bytes, whole: int) -> None:
        """Cuts a torn last line off, if it is one of ours."""
        written = torn.rstrip(b"\0")
        if written[: len(HEAD)] != HEAD[: len(written)]:
            raise _usage(f"{self.path} is not a file of results: its last line is not one of a job")
        warnings.warn(
            f"{self.path}: the last line is incomplete ({len(torn)} bytes), and is cut off; its job runs again",
            RuntimeWarning,
            stacklevel=5,
        )
        assert self._handle is not None
        os.ftruncate(self._handle, whole)


def _lock(handle: int, path: Path) -> None:
    try:
        if sys.platform == "win32":
            import msvcrt

            # A lock keeps others from reading the locked bytes, so it is far behind the end.
            os.lseek(handle, 2**31 - 2, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            os.lseek(handle, 0, os.SEEK_END)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise _usage(f"{path} is in use by another batch; wait for its end, or give another file") from error


def _usage(message: str) -> Any:
    import impasse_mc as impasse

    return impasse.UsageError(message)
