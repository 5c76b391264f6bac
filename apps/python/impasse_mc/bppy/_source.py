"""Copies of a program, and what its threads share."""

from __future__ import annotations

import inspect
import types
from typing import Any, Callable, Optional

from ._canon import Canon
from ._errors import BppyError, Nondeterminism, SharedState
from ._purity import Globals, Watch, reach
from ._thread import Instance, Thread

MAX_LINES = 1_000_000
MAX_OUTCOMES = 1 << 16

Place = tuple[Optional[str], Optional[int]]


def bthreads_of(program: Any) -> list[Any]:
    """The b-threads of a BProgram that is not set up yet."""
    if program.source_name:
        module = __import__("importlib").import_module(program.source_name)
        members = inspect.getmembers(module)
        return [f() for _, f in members if inspect.isfunction(f) and f.__module__ == program.source_name]
    return list(program.bthreads or [])


def wrapped(bthread: Any, number: int) -> tuple[Any, tuple[Any, ...], str]:
    """The function, the arguments and the mode of a b-thread that bppy's decorator made."""
    label = f"{number + 1}"
    if not isinstance(bthread, types.GeneratorType):
        raise BppyError("a b-thread is a generator that the decorator `bppy.thread` made", thread=label)
    code = bthread.gi_code
    if code.co_name != "wrapper" or not code.co_filename.replace("\\", "/").endswith("model/b_thread.py"):
        raise BppyError(
            "the generator was not made by the decorator `bppy.thread`, without which bppy does not run it",
            thread=label,
        )
    if inspect.getgeneratorstate(bthread) != inspect.GEN_CREATED:
        raise BppyError(
            "the b-thread has begun already; make_program() returns a program that is not "
            "set up and whose b-threads are new",
            thread=label,
        )
    variables = dict(bthread.gi_frame.f_locals) if bthread.gi_frame else {}
    if not {"func", "mode", "args"} <= set(variables):
        raise BppyError("this version of bppy is not supported; 1.0.4 is", thread=label)
    return variables["func"], variables["args"], variables["mode"]


class Source:
    """Copies of a program, and what its threads share."""

    def __init__(self, make_program: Callable[[], Any], event_class: type, special: Any = None) -> None:
        self.make_program = make_program
        self.event_class = event_class
        self.special = special
        self.globals = Globals()
        self.copies = 0
        _probe(event_class)
        first, second = self._new(), self._new()
        self.program = first
        self.queue = list(first.external_events_queue)
        listener = type(first.listener).__name__
        if first.listener is not None and listener != "PrintBProgramRunnerListener":
            raise BppyError(f"the listener {listener} may end a run or add events; make the program without it")
        calls = [wrapped(b, i) for i, b in enumerate(bthreads_of(first))]
        others = [wrapped(b, i) for i, b in enumerate(bthreads_of(second))]
        if len(calls) != len(others):
            raise Nondeterminism("make_program() returns different numbers of b-threads")
        self.threads = [Thread(i, name, event_class, special) for i, name in enumerate(_names(calls))]
        self._find_shared(first, calls, others)

    def _new(self) -> Any:
        self.copies += 1
        program = self.make_program()
        if not hasattr(program, "bthreads") or not hasattr(program, "event_selection_strategy"):
            raise BppyError("make_program() returns no bppy.BProgram")
        return program

    def _reach(self, number: int, func: Any, args: Any) -> list[tuple[Any, str]]:
        roots = [(getattr(func, "__name__", "function"), func), ("arguments", args)]
        return reach(self.event_class, self.globals, roots, self.threads[number].name, self.special)

    def _find_shared(self, program: Any, calls: list[Any], others: list[Any]) -> None:
        nodes = [self._reach(i, c[0], c[1]) for i, c in enumerate(calls)]
        copies = [self._reach(i, c[0], c[1]) for i, c in enumerate(others)]
        count: dict[int, int] = {}
        for found in nodes:
            for key in {id(x) for x, _ in found}:
                count[key] = count.get(key, 0) + 1
        # What a thread reaches of the program itself is shared, too.
        parts = [(k, v) for k, v in vars(program).items() if k != "bthreads"]
        own = reach(self.event_class, self.globals, parts, "program", self.special)
        for x, _ in [(program, ""), *own]:
            count[id(x)] = count.get(id(x), 0) + 1
        for thread, mine, other in zip(self.threads, nodes, copies):
            if any(x is program or type(x) is types.GeneratorType for x, _ in mine):
                raise SharedState(
                    "the thread can reach the program itself or a b-thread, and so what other threads do",
                    thread=thread.name,
                )
            if [type(x) for x, _ in mine] != [type(x) for x, _ in other]:
                raise Nondeterminism("make_program() returns different b-threads", thread=thread.name)
            lasting = {id(x) for x, _ in other}
            keep = [(x, p) for x, p in mine if id(x) in lasting]
            thread.watch = Watch(self.event_class, keep, self._global_names(mine))
            thread.shared = [i for i, (x, _) in enumerate(mine) if id(x) not in lasting and count[id(x)] > 1]

    def _global_names(self, nodes: list[tuple[Any, str]]) -> list[tuple[str, dict[str, Any], str]]:
        found = []
        for x, _ in nodes:
            if type(x) is types.FunctionType:
                for name, attributes in self.globals.scan.names(x.__code__, x.__globals__):
                    scope = x.__globals__
                    found.append((name, scope, name))
                    value, label = scope.get(name), name
                    for attribute in attributes:
                        if not isinstance(value, types.ModuleType):
                            break
                        label, scope = f"{label}.{attribute}", vars(value)
                        found.append((label, scope, attribute))
                        value = scope.get(attribute)
        return found

    def instance(self, number: int) -> Instance:
        """The thread of a new copy of the program, before its first step."""
        thread = self.threads[number]
        program = self._new()
        bthreads = bthreads_of(program)
        if len(bthreads) != len(self.threads):
            raise Nondeterminism("make_program() returns different numbers of b-threads")
        func, args, mode = wrapped(bthreads[number], number)
        own = None
        if thread.shared:
            nodes = self._reach(number, func, args)
            if max(thread.shared) >= len(nodes):
                raise Nondeterminism("make_program() returns different b-threads", thread=thread.name)
            own = Watch(self.event_class, [nodes[i] for i in thread.shared], [])
        assert thread.watch is not None
        return Instance(thread, func, args, mode, thread.watch, own)


def _probe(event_class: type) -> None:
    """Makes sure that this version of Python shows how far the loops of a generator are."""

    def loops() -> Any:
        for _ in (0, 0):
            yield [0, (yield)]

    keys = []
    waits = loops()
    for _ in range(4):
        next(waits)
        keys.append(Canon(event_class).value(waits, ""))
    if len(set(keys)) < 4:
        raise BppyError("this version of Python does not show the state of a generator")


def _names(calls: list[Any]) -> list[str]:
    """A name for each thread: that of its function, with the arguments if there are several."""
    names = [str(getattr(f, "__name__", "thread")) for f, _, _ in calls]
    result: list[str] = []
    for name, (_, args, _) in zip(names, calls):
        plain = args and all(isinstance(a, (int, str, bool)) and len(repr(a)) < 30 for a in args)
        if names.count(name) > 1 and plain:
            name = f"{name}({', '.join(map(repr, args))})"
        result.append(name)
    taken: dict[str, int] = {}
    unique = []
    for name in result:
        taken[name] = taken.get(name, 0) + 1
        unique.append(name if taken[name] == 1 else f"{name}#{taken[name]}")
    return unique
