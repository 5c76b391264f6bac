"""Runs as bppy events, and what bppy itself says about them."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Union

from ._errors import BppyError
from ._graph import show_event


class ReplayError(BppyError):
    """A run that bppy does not follow."""


@dataclass(frozen=True)
class Run(Sequence[Any]):
    """A run as a sequence of bppy events.

    `external[i]` says that event number i came from outside. `repeats_from` is the index of the
    event from which on the run repeats for ever, or None. `failure` is the message of the bad state
    in which the run ends, or None.
    """

    events: list[Any]
    external: list[bool]
    repeats_from: Optional[int] = None
    failure: Optional[str] = None
    # What bppy says at the end of the run (see `replay`), if it is known.
    ending: Optional[str] = None
    # The Z3 constants of the program, if events are valuations.
    constants: Any = field(default=None, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.events)

    def __getitem__(self, index: Any) -> Any:
        return self.events[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.events)

    def __str__(self) -> str:
        return ", ".join(show_event(e) if hasattr(e, "data") else str(e) for e in self.events)


def replay(make_program: Callable[[], Any], run: Union[Run, Sequence[Any]]) -> str:
    """Lets bppy's own `BProgram` make the steps of a run.

    Each event must be selectable by the strategy of the program when its turn comes. The result
    says where the run ends: "bad: MESSAGE" if a thread fails by an exception, "end" if no event is
    selectable, and "goes on" otherwise. Raises ReplayError if bppy cannot follow the run.
    """
    from . import _follow

    events = list(run)
    external = list(run.external) if isinstance(run, Run) else [False] * len(events)
    try:
        constants = getattr(run, "constants", None)
        wanted = getattr(run, "ending", None)
        return _follow.follow(make_program, events, external, wanted, constants=constants)
    except _follow.CannotFollow as error:
        raise ReplayError(str(error)) from error


def write_replay_script(path: Any, make_program: Any, run: Run, *, module: Optional[str] = None) -> None:
    """Writes a Python script that makes the steps of a run with bppy alone, without Impasse.

    `make_program` is a function that a module has under its name. `module` is the name of the
    module, if the function does not say it.
    """
    from . import _follow

    name = make_program.__qualname__
    home = module or make_program.__module__
    if "<" in name:
        raise BppyError(f"{name} cannot be imported, so a script cannot call it")
    source = ""
    if home == "__main__":
        file = inspect.getsourcefile(make_program)
        source = (
            f"import runpy\nmake_program = runpy.run_path({json.dumps(str(file))}, run_name='bppy_program')[{name!r}]\n"
        )
    else:
        file = inspect.getsourcefile(make_program)
        directory = None if file is None else str(__import__("pathlib").Path(file).resolve().parent)
        for _ in home.split(".")[:-1]:
            directory = None if directory is None else str(__import__("pathlib").Path(directory).parent)
        if directory is not None:
            source = f"import sys\nsys.path.insert(0, {directory!r})\n"
        source += f"from {home} import {name.split('.')[0]}\nmake_program = {name}\n"
    events = []
    for e in run:
        if isinstance(e, dict):
            events.append(repr(e))
            continue
        if type(e).__name__ != "BEvent" or not _is_literal(e.data):
            raise BppyError(f"the event {e!r} cannot be written in a script")
        events.append(f"BEvent({e.name!r}, {e.data!r})")
    lines = "".join(f"    {text},\n" for text in events)
    with open(path, "w", encoding="utf-8") as file_out:
        file_out.write(
            '"""A run of a program, which bppy makes: each event must be selectable."""\n'
            + inspect.getsource(_follow).split('"""', 2)[2].lstrip()
            + "\n\nfrom bppy import BEvent\n\n"
            + source
            + f"\nevents = [\n{lines}]\nexternal = {list(run.external)!r}\n"
            + "if __name__ == '__main__':\n"
            + f"    print(follow(make_program, events, external, {run.ending!r}, say=print))\n"
        )


def _is_literal(data: Any) -> bool:
    import ast

    try:
        return bool(ast.literal_eval(repr(data)) == data)
    except (ValueError, SyntaxError):
        return False
