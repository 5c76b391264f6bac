"""The exceptions of the package."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from . import _impasse


class Diagnostic(NamedTuple):
    """A mistake in an input, or something suspicious in it.

    Places count from 1. A column counts characters. ``code`` is stable; ``impasse explain CODE`` describes it.
    """

    code: str
    message: str
    source: str
    line: Optional[int]
    column: Optional[int]
    length: Optional[int]
    pointer: Optional[str]
    """The path to the place in a JSON text, such as ``/threads/0/states/3/name``."""
    help: Optional[str]
    text: str
    """The message with its place, as compilers write it: ``file:line:column: message``."""

    def __str__(self) -> str:
        """Returns the message with place, code and help."""
        help = f"\n  help: {self.help}" if self.help else ""
        return f"{self.text} [{self.code}]{help}"


class ImpasseError(Exception):
    """The base class of all exceptions of this package."""


class InputError(ImpasseError, ValueError):
    """A model, a question or evidence has mistakes.

    ``diagnostics`` has all of them; the other attributes are about the first one.
    """

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics

    @property
    def _first(self) -> Diagnostic:
        return self.diagnostics[0]

    @property
    def code(self) -> str:
        """The stable code of the mistake."""
        return self._first.code

    @property
    def message(self) -> str:
        """What is wrong, without the place."""
        return self._first.message

    @property
    def source(self) -> str:
        """The name of the text with the mistake."""
        return self._first.source

    @property
    def line(self) -> Optional[int]:
        """The line, from 1; ``None`` if the mistake has no place."""
        return self._first.line

    @property
    def column(self) -> Optional[int]:
        """The column in characters, from 1; ``None`` if the mistake has no place."""
        return self._first.column

    @property
    def help(self) -> Optional[str]:
        """What to write instead, if that is known."""
        return self._first.help

    def __str__(self) -> str:
        """Returns all mistakes, one after the other."""
        return "\n".join(str(diagnostic) for diagnostic in self.diagnostics)


class UsageError(ImpasseError, ValueError):
    """Arguments that do not fit together, or do not fit the model."""


class InternalError(ImpasseError):
    """A bug in Impasse. Please report it with the input."""


def diagnostic(record: dict[str, Any]) -> Diagnostic:
    """Makes a diagnostic from a dictionary of the extension module."""
    return Diagnostic(**record)


class translated:
    """Turns exceptions of the extension module into those of the package, in a ``with`` block.

    A class, because a generator with ``contextlib`` takes thrice the time, and small checks take microseconds.
    """

    __slots__ = ()

    def __enter__(self) -> None:
        """Does nothing."""

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: object) -> None:
        """Raises the exception of the package, if the block raised one of the extension."""
        if isinstance(error, _impasse.Refused):
            raise InputError([diagnostic(record) for record in error.args[0]]) from None
        if isinstance(error, _impasse.Failure):
            raise UsageError(str(error)) from None
        if isinstance(error, _impasse.Internal):
            raise InternalError(str(error)) from None
