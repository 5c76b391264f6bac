"""Errors of the bppy bridge."""

from __future__ import annotations

from typing import Optional

from ..errors import ImpasseError


class BppyError(ImpasseError):
    """A bppy program that the bridge cannot translate exactly.

    The error names the thread, the line and the variable as far as they are known.
    """

    def __init__(
        self,
        message: str,
        *,
        thread: Optional[str] = None,
        file: Optional[str] = None,
        line: Optional[int] = None,
        variable: Optional[str] = None,
    ) -> None:
        self.message = message
        self.thread = thread
        self.file = file
        self.line = line
        self.variable = variable
        super().__init__(self._text())

    def _text(self) -> str:
        where = []
        if self.thread is not None:
            where.append(f"thread {self.thread}")
        if self.line is not None:
            where.append(f"{self.file}:{self.line}" if self.file else f"line {self.line}")
        if self.variable is not None:
            where.append(f"variable {self.variable}")
        return f"{', '.join(where)}: {self.message}" if where else self.message

    def at(
        self,
        thread: Optional[str] = None,
        file: Optional[str] = None,
        line: Optional[int] = None,
    ) -> BppyError:
        """The error itself, with the places filled in that it does not have yet."""
        self.thread = self.thread if self.thread is not None else thread
        if self.line is None:
            self.file, self.line = file, line
        self.args = (self._text(),)
        return self


class NotComparable(BppyError):
    """A value of which two copies cannot be compared, or code that compares identities."""


class SharedState(BppyError):
    """Code that changes something that is shared between threads or outlives the program."""


class Nondeterminism(BppyError):
    """The same events led a thread to different states, or code reads random numbers or time."""


class LimitExceeded(BppyError):
    """A graph that exceeds a limit: nothing is known about such a program."""

    def __init__(
        self,
        message: str,
        *,
        limit: int,
        thread: Optional[str] = None,
        file: Optional[str] = None,
        line: Optional[int] = None,
    ) -> None:
        self.limit = limit
        super().__init__(message, thread=thread, file=file, line=line)

    def add(self, text: str) -> None:
        """Adds what another attempt says."""
        self.message += f". {text[:1].upper()}{text[1:]}"
        self.args = (self._text(),)
