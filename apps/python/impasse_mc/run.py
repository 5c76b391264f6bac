"""Runs: the steps of a violation, and the states between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Optional, Union, overload

State = dict[str, Any]

# A state is kept after every so many steps, so that a state is computed from the last one kept.
_KEPT = 256


class Step:
    """One step of a run."""

    __slots__ = ("_run", "changes", "event", "index", "number", "requested_by", "shows")

    def __init__(self, run: Run, number: int, parts: Any) -> None:
        self._run = run
        self.number: int = number
        """The number of the step, from 1."""
        event, index, requested_by, shows, changes = parts
        self.event: str = event
        """The event, the transition, or the input. For circuits: the inputs that are true."""
        self.index: int = index
        """The number of the event or the transition in the model, from 0."""
        self.requested_by: list[str] = requested_by
        """The threads of a program that request the event."""
        self.shows: list[str] = shows
        """The outputs of a reactive program in this step."""
        self.changes: dict[str, tuple[Any, Any]] = {n: (old, new) for n, old, new in changes}
        """The parts of the state that change: the values before and after the step."""

    @property
    def state(self) -> State:
        """The state after the step: threads, places, latches or variables with their values."""
        return self._run.state(self.number)

    def __repr__(self) -> str:
        """Returns the number, the event and the changes."""
        changes = ", ".join(f"{name}: {old} -> {new}" for name, (old, new) in self.changes.items())
        return f"<step {self.number}: {self.event}{' ' if changes else ''}{changes}>"

    def __reduce__(self) -> Any:
        return _step, (self._run, self.number)


def _step(run: Run, number: int) -> Step:
    return run[number - 1]


class _Parts(NamedTuple):
    initial: list[tuple[str, Any]]
    steps: list[Any]
    repeats_from: Optional[int]
    is_complete: bool
    length: Optional[int]


class Run(Sequence[Step]):
    """A run that the independent checker has accepted: a sequence of steps from an initial state.

    Values of states are texts (states of threads), numbers (tokens, variables) or truth values (latches).
    """

    def __init__(self, parts: Any) -> None:
        self._parts = _Parts(*parts)
        self._kept: list[State] = [dict(self._parts.initial)]

    @property
    def initial(self) -> State:
        """The state in which the run begins."""
        return dict(self._kept[0])

    @property
    def final(self) -> State:
        """The state after the last step.

        Raises:
            ValueError: The last steps are left out: see `is_complete`.
        """
        if not self.is_complete:
            raise ValueError(f"the last steps of the run are left out: it has {len(self)} of {self.length}")
        return self.state(len(self))

    @property
    def length(self) -> Optional[int]:
        """The number of steps, also of those that are left out; ``None`` if it does not fit 64 bits."""
        return self._parts.length

    @property
    def events(self) -> list[str]:
        """The events of all steps."""
        return [step[0] for step in self._parts.steps]

    @property
    def repeats_from(self) -> Optional[int]:
        """For an infinite run: the index of the step with which it goes on after the last step."""
        return self._parts.repeats_from

    @property
    def is_complete(self) -> bool:
        """False if the run is so long that its last steps are left out (more than 2**20)."""
        return self._parts.is_complete

    def state(self, steps: int) -> State:
        """Returns the state after so many steps. Takes time for at most 256 steps.

        Raises:
            IndexError: The run has fewer steps.
        """
        if not 0 <= steps <= len(self):
            raise IndexError(f"the run has {len(self)} steps, not {steps}")
        while len(self._kept) <= steps // _KEPT:
            last = len(self._kept) - 1
            self._kept.append(self._after(self._kept[last], last * _KEPT, (last + 1) * _KEPT))
        kept = steps // _KEPT
        return self._after(self._kept[kept], kept * _KEPT, steps)

    def _after(self, state: State, first: int, last: int) -> State:
        state = dict(state)
        for step in self._parts.steps[first:last]:
            for name, _, new in step[4]:
                state[name] = new
        return state

    def __len__(self) -> int:
        """Returns the number of steps."""
        return len(self._parts.steps)

    @overload
    def __getitem__(self, index: int) -> Step: ...

    @overload
    def __getitem__(self, index: slice) -> list[Step]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Step, list[Step]]:
        """Returns a step, or a list of steps."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError("the run has no such step")
        return Step(self, index + 1, self._parts.steps[index])

    def __iter__(self) -> Iterator[Step]:
        """Iterates over the steps."""
        return (Step(self, i + 1, parts) for i, parts in enumerate(self._parts.steps))

    def __reduce__(self) -> Any:
        return Run, (tuple(self._parts),)

    def __repr__(self) -> str:
        """Returns the number of steps and the first events."""
        first = ", ".join(self.events[:8])
        return f"<run of {len(self)} steps: {first}{', ..' if len(self) > 8 else ''}>"

    def __str__(self) -> str:
        """Returns the run as a table, one line for each step."""
        start = ", ".join(f"{name} at {value}" for name, value in self.initial.items() if value != 0)
        rows = [("step", "event", "requested by", "what changes")]
        for step in self:
            changes = ", ".join(f"{n}: {old} -> {new}" for n, (old, new) in step.changes.items())
            rows.append((str(step.number), step.event, ", ".join(step.requested_by), changes))
        columns = [column for column in zip(*rows) if any(column[1:])]
        widths = [max(len(cell) for cell in column) for column in columns]
        lines = [f"start: {start}"]
        for cells in zip(*columns):
            padded = [cell.ljust(width) for cell, width in zip(cells, widths)]
            lines.append("  " + "  ".join(padded).rstrip())
        if not self.is_complete:
            lines.append(f"and more: {self.length or 'more than 2**64'} steps in all")
        if self.repeats_from is not None:
            lines.append(f"then again from step {self.repeats_from + 1}, for ever")
        return "\n".join(lines)
