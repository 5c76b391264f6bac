"""Follows a run with bppy alone. A replay script contains the text of this file."""

import warnings
from typing import Any, Callable, Optional


class CannotFollow(Exception):
    """An event that bppy does not select, or a program that ends before its run."""


def follow(
    program: Any,
    events: "list[Any]",
    external: "list[bool]",
    say: Optional[Callable[[str], None]] = None,
    constants: Any = None,
) -> str:
    """Makes the steps of a run in a bppy.BProgram; each event must be selectable in its turn.

    Returns "bad: MESSAGE", "end" or "goes on"."""
    strategy = program.event_selection_strategy
    solver_based = not hasattr(strategy, "selectable_events")

    def selectable() -> Any:
        if solver_based:
            return strategy.select(program.tickets)
        return strategy.selectable_events(program.tickets)

    step = 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program.setup()
            for step, event in enumerate(events, start=1):
                if solver_based:
                    chosen = valuation(program.tickets, event, constants)
                elif external[step - 1]:
                    chosen = None if selectable() else event
                else:
                    chosen = next((e for e in selectable() if e == event), None)
                if chosen is None:
                    raise CannotFollow(f"step {step}: bppy cannot select {event!r}")
                if say is not None:
                    say(f"{step}: {event!r}")
                program.advance_bthreads(program.tickets, chosen)
    except CannotFollow:
        raise
    except Exception as error:
        if step < len(events):
            raise CannotFollow(f"the program fails at step {step}: {error!r}") from error
        text = str(error)
        if isinstance(error, AssertionError):
            return "bad: " + (text or "assertion failed")
        return f"bad: {type(error).__name__}: {text}" if text else f"bad: {type(error).__name__}"
    try:
        return "goes on" if selectable() else "end"
    except Exception as error:
        return f"bad: {type(error).__name__}: {error}"


def valuation(tickets: Any, values: "dict[str, Any]", constants: Any = None) -> Any:
    """A Z3 model with these values that some thread requests and no thread blocks, or None."""
    import z3

    solver = z3.Solver()
    requests = [t["request"] for t in tickets if "request" in t]
    solver.add(z3.Or(*requests) if requests else z3.BoolVal(False))
    for t in tickets:
        if "block" in t:
            solver.add(z3.Not(t["block"]))
    names = ("request", "block", "waitFor")
    known = {**(constants or {}), **constants_in([t.get(n) for t in tickets for n in names])}
    for name, value in values.items():
        c = known.get(name)
        if c is None:
            continue
        if z3.is_int(c) or z3.is_bool(c):
            solver.add(c == value)
        else:
            sort = c.sort()
            solver.add(
                c
                == next(
                    sort.constructor(i)()
                    for i in range(sort.num_constructors())
                    if sort.constructor(i).name() == value
                )
            )
    return solver.model() if solver.check() == z3.sat else None


def constants_in(formulas: "list[Any]") -> "dict[str, Any]":
    """The constants in Z3 formulas, by name. What is no formula is ignored."""
    import z3

    found = {}
    seen = set()
    todo = [f for f in formulas if isinstance(f, z3.ExprRef)]
    while todo:
        f = todo.pop()
        if f.get_id() in seen:
            continue
        seen.add(f.get_id())
        if z3.is_const(f) and f.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            found[str(f.decl().name())] = f
        todo.extend(f.children())
    return found
