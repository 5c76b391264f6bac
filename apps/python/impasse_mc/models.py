"""Models: what a check is about. A model is a file that was read, or made with a builder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

from . import _given, _impasse
from .errors import Diagnostic, diagnostic, translated

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import AsyncOptions
    from .outcome import Outcome


class Question(NamedTuple):
    """A question that a model itself asks."""

    id: str
    kind: str
    asked: str
    """``never`` (the state must not be reached), ``AG`` or ``EF``."""


class Model:
    """The base class of all models.

    A model can be pickled, and compares by its content. The native form of a model is made when it is first needed,
    and kept.
    """

    _native: Optional[_impasse.Problem] = None

    @property
    def name(self) -> str:
        """The name of the model in reports and evidence."""
        raise NotImplementedError

    def _make(self) -> _impasse.Problem:
        """Makes the native form."""
        raise NotImplementedError

    def _content(self) -> bytes:
        """Returns the bytes that determine the model."""
        raise NotImplementedError

    def _problem(self) -> _impasse.Problem:
        if self._native is None:
            with translated():
                self._native = self._make()
        return self._native

    def _frozen(self) -> Model:
        """Returns the model as it is now. Builders return a copy, because they may be extended."""
        return self

    @property
    def kind(self) -> str:
        """The kind of the model.

        One of ``program``, ``data`` (a program with unbounded data), ``net``, ``threads`` (a thread-transition
        system), ``circuit``, ``reactive`` and ``own``.
        """
        return self._problem().kind

    @property
    def questions(self) -> list[Question]:
        """The questions that the model itself asks; `check` answers them if it is given no others."""
        return [Question(*parts) for parts in self._problem().questions()]

    @property
    def warnings(self) -> list[Diagnostic]:
        """What is legal in the text of the model, but suspicious."""
        return [diagnostic(record) for record in self._problem().warnings]

    def info(self) -> dict[str, Any]:
        """Returns the kind and the sizes of the model: numbers of threads, events, places and so on."""
        return self._problem().info()

    def structure(self) -> dict[str, Any]:
        """Returns the parts of a program or a net, as they are drawn. Takes time in proportion to the model."""
        return self._problem().structure()

    def write(self, format: str) -> bytes:
        """Returns the model in another format, as ``impasse convert`` writes it.

        Raises:
            UsageError: The format is unknown or cannot express the model.
        """
        with translated():
            return self._problem().write(format)

    def digest(self) -> str:
        """Returns the SHA-256 of the content as 64 hexadecimal digits. Equal models have equal digests."""
        return hashlib.sha256(type(self).__name__.encode() + b"\0" + self._content()).hexdigest()

    def check(self, ask: Union[str, Iterable[str], None] = None, **options: Unpack[AsyncOptions]) -> Outcome:
        """Checks this model: see `impasse.check`."""
        from .checking import check

        return check(self, ask, **options)

    def __eq__(self, other: object) -> bool:
        """Returns true if both models have the same class, name and content."""
        if not isinstance(other, Model):
            return NotImplemented
        same = type(self) is type(other) and self.name == other.name
        return same and self._content() == other._content()

    def __hash__(self) -> int:
        """Returns a hash of the content."""
        return hash(self.digest())

    def __getstate__(self) -> dict[str, Any]:
        """Returns what is pickled: everything but the native form, which is made again."""
        return {key: value for key, value in self.__dict__.items() if key != "_native"}

    def __repr__(self) -> str:
        """Returns the name with the sizes."""
        sizes = self.info()
        kind = sizes.pop("kind")
        text = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sizes.items())
        return f"<impasse {kind} {self.name!r}{': ' if text else ''}{text}>"

    def _repr_html_(self) -> str:
        from ._html import model_html

        return model_html(self)


class _File(NamedTuple):
    name: str
    content: bytes


class Text(Model):
    """A model in one of the file formats. `load` and `loads` make it."""

    def __init__(
        self,
        name: str,
        content: bytes,
        format: Optional[str] = None,
        properties: Optional[_File] = None,
        extern: Optional[_File] = None,
        memory: Optional[int] = None,
    ) -> None:
        self._name = name
        self._bytes = content
        self._format = format
        self._properties = properties
        self._extern = extern
        self._memory = memory

    @property
    def name(self) -> str:
        """The name of the file."""
        return self._name

    def _make(self) -> _impasse.Problem:
        return _impasse.read(self._name, self._bytes, self._format, self._properties, self._extern, self._memory)

    def _content(self) -> bytes:
        format = self._format or Path(self._name).suffix
        parts = [format.encode(), self._bytes]
        for file in (self._properties, self._extern):
            parts.append(b"" if file is None else b"+" + file.content)
        return b"\0".join(len(part).to_bytes(8, "big") + part for part in parts)


class Program(Model):
    """A behavioral program: threads that request, wait for and block events.

    Args:
        program: The program as a dictionary, in the form of JSON files of version 1 or 2. The page "Programs that
            other tools make" of the book describes version 2.
        name: The name of the program in reports.

    Raises:
        InputError: The program has mistakes. ``diagnostics`` have the path to each in ``pointer``.

    >>> from impasse_mc import Program, check
    >>> taker = {"name": "taker", "states": [
    ...     {"name": "free", "request": ["take"], "on": [{"events": ["take"], "to": ["held"]}]},
    ...     {"name": "held"}]}
    >>> lock = Program({"rwb": 2, "events": ["take"], "threads": [taker]})
    >>> check(lock, "deadlock").verdict
    'unsafe'
    """

    def __init__(self, program: Mapping[str, Any], *, name: str = "program.json") -> None:
        self._name = _given.text(name, "the name of a program")
        self._text = json.dumps(program, separators=(",", ":"))
        self._problem()

    @classmethod
    def from_json(cls, text: Union[str, bytes], *, name: str = "program.json") -> Program:
        """Makes a program from a JSON text."""
        program = cls.__new__(cls)
        program._name = name
        program._text = text.decode() if isinstance(text, bytes) else text
        program._problem()
        return program

    @property
    def name(self) -> str:
        """The name of the program."""
        return self._name

    def to_dict(self) -> dict[str, Any]:
        """Returns the program as a dictionary."""
        program: dict[str, Any] = json.loads(self._text)
        return program

    def _make(self) -> _impasse.Problem:
        return _impasse.read(self._name, self._text.encode(), "json", None, None, None)

    def _content(self) -> bytes:
        return self._text.encode()


def load(
    path: Union[str, Path],
    *,
    format: Optional[str] = None,
    properties: Union[str, Path, None] = None,
    target: Union[str, Path, None] = None,
    extern: Union[str, Path, None] = None,
    memory: Optional[int] = None,
) -> Text:
    """Reads a model from a file.

    Args:
        path: The file. Files that end in ``.gz`` and ``.xz`` are decompressed.
        format: The name of the format; by default that of the extension. `formats` lists all.
        properties: A file of questions.
        target: The same, for files of targets of nets and thread-transition systems.
        extern: For C programs: a C file with the bodies of functions that the program does not define.
        memory: The memory for reading in bytes; larger files are refused.

    Raises:
        InputError: The file, or the file of questions, has mistakes.
        OSError: A file cannot be read.
    """

    def file(path: Union[str, Path]) -> _File:
        return _File(str(path), _given.path(path, "the path of a file").read_bytes())

    from .errors import UsageError

    if properties is not None and target is not None:
        raise UsageError("`properties` and `target` both name a file of questions: give one")
    given, memory = path, _given.memory(memory)
    path = _given.path(path, "`path`")
    goals = properties if properties is not None else target
    if goals is None:
        goals = _beside(path)
    model = Text(
        str(given),
        path.read_bytes(),
        _given.optional_text(format, "`format`"),
        None if goals is None else file(goals),
        None if extern is None else file(extern),
        memory,
    )
    model._problem()
    return model


def _beside(path: Path) -> Optional[Path]:
    """Returns the file of questions beside a model, as the command line takes it."""
    return next((Path(file) for file in _impasse.companions(str(path)) if Path(file).is_file()), None)


def loads(text: Union[str, bytes], format: str, *, name: str = "<text>") -> Text:
    """Reads a model from a text.

    Args:
        text: The text of the model.
        format: The name of the format, such as ``rwb``, ``json``, ``pnml``, ``spec``, ``aag`` or ``c``.
        name: The name of the model in reports.

    Raises:
        InputError: The text has mistakes.

    >>> import impasse_mc as impasse
    >>> impasse.loads("rwb 1 event a thread T { state s { block a } }", "rwb").kind
    'program'
    """
    if not isinstance(text, bytes):
        text = _given.text(text, "`text`").encode()
    model = Text(_given.text(name, "`name`"), text, _given.text(format, "`format`"))
    model._problem()
    return model


def formats() -> dict[str, str]:
    """Returns the names of the formats that can be read, each with a description."""
    return {name: about for name, _, about in _impasse.formats()}
