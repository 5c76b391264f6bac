"""One thread of a bppy program, run alone.

A generator cannot be copied, so a state is reached again by a new copy of the program, to which
the same events are sent. The steps are those of the wrapper that bppy's decorator `thread` puts
around a generator (`bppy/model/b_thread.py`, bppy 1.0.4).
"""

from __future__ import annotations

import functools
import itertools
import os
import random
import re
import sys
import types
from dataclasses import dataclass
from typing import Any, Optional

from ._canon import Canon, Key
from ._errors import BppyError, LimitExceeded, Nondeterminism, NotComparable
from ._purity import Watch

MAX_LINES = 1_000_000
MAX_OUTCOMES = 1 << 16

Place = tuple[Optional[str], Optional[int]]


class TooManyLines(BaseException):
    """A step of a thread that does not come to its end."""


@dataclass
class Failure:
    """The end of a thread by an exception."""

    message: str
    file: Optional[str]
    line: Optional[int]


def place_of(generator: Any) -> Place:
    """The file and line at which a suspended generator waits, inside of `yield from`."""
    while isinstance(generator.gi_yieldfrom, types.GeneratorType):
        generator = generator.gi_yieldfrom
    if generator.gi_frame is None:
        return None, None
    return short_path(generator.gi_code.co_filename), generator.gi_frame.f_lineno


@functools.lru_cache(maxsize=1024)
def short_path(path: str) -> str:
    """A path relative to the working directory, if it is inside of it."""
    try:
        relative = os.path.relpath(path)
    except ValueError:
        return path
    return path if relative.startswith("..") or path.startswith("<") else relative


def outcomes(chosen: Any, mode: str) -> list[Any]:
    """The values that bppy can send for a `choice`; those of weight 0 are never sent."""
    weights = list(chosen.values())
    for w in weights:
        if not isinstance(w, (int, float)) or not w >= 0:
            raise BppyError(f"the weight {w!r} of a choice is no number from 0 on")
    keys = [k for k, w in chosen.items() if w > 0]
    repeat, replace, ordered = chosen.repeat, chosen.replace, chosen.sorted
    if not keys or (not replace and len(keys) < repeat):
        raise BppyError("a choice between too few values of positive weight")
    if repeat == 1:
        return keys
    if not replace and ordered:
        try:
            tuples = list(itertools.islice(itertools.combinations(sorted(keys), repeat), MAX_OUTCOMES + 1))
        except TypeError:
            raise BppyError("the values of a sorted choice cannot be sorted") from None
    elif not replace:
        tuples = list(itertools.islice(itertools.permutations(keys, repeat), MAX_OUTCOMES + 1))
    elif ordered:
        raise BppyError("`choice` with `sorted=True` and `replace=True` is an error in bppy itself")
    else:
        tuples = list(itertools.islice(itertools.product(keys, repeat=repeat), MAX_OUTCOMES + 1))
    if len(tuples) > MAX_OUTCOMES:
        raise LimitExceeded("a choice has more outcomes", limit=MAX_OUTCOMES)
    # A running thread gets a list, and the analyses of bppy send a tuple.
    return tuples if mode == "analysis" else [list(t) for t in tuples]


class Instance:
    """A thread of one copy of the program.

    `status` is "sync", "choice", "end" or "bad". `statement` is the sync or the choice.
    """

    def __init__(
        self,
        thread: Thread,
        func: Any,
        args: tuple[Any, ...],
        mode: str,
        watch: Watch,
        own_watch: Optional[Watch],
    ) -> None:
        self.thread = thread
        self.status = "new"
        self.statement: Any = None
        self.failure: Optional[Failure] = None
        self.generator: Any = None
        self._call = (func, args)
        self.mode = mode
        self._watches = [watch] if own_watch is None else [watch, own_watch]
        self._events: dict[int, tuple[Any, Key]] = {}
        self.ended_by: Optional[str] = None
        # True for steps that were made before by another instance, and examined.
        self.is_repeating = False

    def start(self) -> None:
        """Runs the thread to its first statement."""
        self._advance(None, first=True)

    def send(self, message: Any) -> None:
        """Runs the thread to its next statement."""
        self._advance(message)

    def watch_event(self, event: Any, key: Key) -> None:
        """Notes an event that is sent: the thread must not change it later."""
        self._events[id(event)] = (event, key)

    def _advance(self, message: Any, first: bool = False) -> None:
        import bppy

        place = (None, None) if self.is_repeating else self.place()
        before = None if self.is_repeating else random.getstate()
        try:
            if first:
                func, args = self._call
                self.generator = func(*args)
            if self.is_repeating:
                statement = self.generator.send(message)
            else:
                statement = self._limited(message)
            if type(statement) is dict:
                statement = bppy.sync(**statement)
            if isinstance(statement, bppy.sync):
                self.status, self.statement = "sync", statement
            elif isinstance(statement, bppy.choice):
                self.status, self.statement = "choice", statement
            else:
                raise TypeError("bthread must yield a bppy.model.sync_statement object")
        except (KeyError, StopIteration) as error:
            # bppy ends a thread in which a key is missing, without a word.
            if isinstance(error, KeyError):
                self.ended_by = f"KeyError: {error}"
            self.status, self.statement = "end", None
        except TooManyLines:
            raise LimitExceeded(
                "a step does not come to a sync",
                limit=MAX_LINES,
                thread=self.thread.name,
                file=place[0],
                line=place[1],
            ) from None
        except BppyError as error:
            raise error.at(self.thread.name, *place) from None
        except (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError, RecursionError) as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            raise BppyError(
                f"the thread raises {type(error).__name__}",
                thread=self.thread.name,
                file=place[0],
                line=place[1],
            ) from error
        except Exception as error:
            self.status, self.statement = "bad", None
            self.failure = failure_of(error)
        if self.is_repeating:
            self._forget_events()
            return
        if random.getstate() != before:
            raise Nondeterminism(
                "the thread uses random numbers; use `choice` for random values",
                thread=self.thread.name,
                file=self.place()[0],
                line=self.place()[1],
            )
        self.check_shared()

    def _limited(self, message: Any) -> Any:
        """Sends the message, and stops a step of too many lines."""
        send = self.generator.send
        if sys.gettrace() is not None:  # a debugger or a coverage tool is at work
            return send(message)
        left = MAX_LINES

        def trace(frame: Any, event: str, arg: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise TooManyLines
            return trace

        # The frame of a suspended generator keeps the function that traces its lines.
        sys.settrace(trace)
        try:
            return send(message)
        finally:
            sys.settrace(None)

    def check_shared(self) -> None:
        """Raises an error if the thread has changed what is not its own."""
        try:
            for watch in self._watches:
                watch.check()
            for event, key in list(self._events.values()):
                canon = Canon(self.thread.event_class, special=self.thread.special)
                if canon.event_key(event, "") != key:
                    raise NotComparable(f"the event {event!r} is changed after it was used; make a new event")
            self._forget_events()
        except BppyError as error:
            raise error.at(self.thread.name, *self.place()) from None

    def _forget_events(self) -> None:
        """Forgets the events that nothing else refers to: nothing can change them."""
        for number in list(self._events):
            pair = self._events.pop(number)
            # The references: the pair, and the call. Those of the data: the event, and the call.
            if sys.getrefcount(pair[0]) > 2 or sys.getrefcount(pair[0].data) > 2:
                self._events[number] = pair

    def place(self) -> Place:
        """The file and line of the statement."""
        if self.failure is not None:
            return self.failure.file, self.failure.line
        if self.generator is None or not isinstance(self.generator, types.GeneratorType):
            return None, None
        return place_of(self.generator)

    def key(self) -> Key:
        """The key of the state."""
        if self.status == "end":
            return ("end", self.ended_by)
        if self.failure is not None:
            return ("bad", self.failure.message, self.failure.file, self.failure.line)
        canon = Canon(self.thread.event_class, seen_events=self._events, special=self.thread.special)
        try:
            if not isinstance(self.generator, types.GeneratorType):
                raise NotComparable("the function of the thread is no generator function")
            # The statement may be one that no variable holds.
            return (
                self.status,
                canon.value(self.generator, ""),
                canon.value(self.statement, "(the statement)"),
            )
        except RecursionError:
            raise NotComparable("values are nested too deep", thread=self.thread.name) from None
        except BppyError as error:
            raise error.at(self.thread.name, *self.place()) from None

    def variables(self) -> dict[str, Any]:
        """The local variables of the innermost generator."""
        if self.generator is None or self.generator.gi_frame is None:
            return {}
        inner = self.generator
        while isinstance(inner.gi_yieldfrom, types.GeneratorType):
            inner = inner.gi_yieldfrom
        return dict(inner.gi_frame.f_locals)


def failure_of(error: BaseException) -> Failure:
    """An exception as a bad state: its message, and the place in the code of the program."""
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", str(error))
    if isinstance(error, AssertionError):
        message = text or "assertion failed"
    else:
        message = f"{type(error).__name__}: {text}" if text else type(error).__name__
    file, line = None, None
    here = os.path.dirname(os.path.abspath(__file__))
    traceback = error.__traceback__
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_filename
        if os.path.dirname(os.path.abspath(name)) != here:
            file, line = short_path(name), traceback.tb_lineno
        traceback = traceback.tb_next
    return Failure(message, file, line)


class Thread:
    """The thread with a number in each copy of the program."""

    def __init__(self, number: int, name: str, event_class: type, special: Any) -> None:
        self.number = number
        self.name = name
        self.event_class = event_class
        self.special = special
        self.watch: Optional[Watch] = None
        self.shared: list[int] = []
