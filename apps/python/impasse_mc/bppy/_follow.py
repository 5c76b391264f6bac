"""Follows a run with bppy alone. A replay script contains the text of this file."""

import itertools
import warnings
from typing import Any, Callable, Optional


class CannotFollow(Exception):
    """An event that bppy does not select, or a program that ends before its run."""


MAX_TRIES = 10_000


def follow(
    make_program: Callable[[], Any],
    events: "list[Any]",
    external: "list[bool]",
    wanted: Optional[str] = None,
    say: Callable[[str], None] = lambda line: None,
    constants: Any = None,
) -> str:
    """Makes the steps of a run in a bppy.BProgram; each event must be selectable in its turn.

    Returns "bad: MESSAGE", "end" or "goes on". If threads make choices, all outcomes are tried
    until one leads to the end that is wanted, if that is given."""
    import bppy

    original = bppy.choice.sample
    decisions: list[int] = []
    best: Any = CannotFollow("no outcome of the choices was tried")
    for _ in range(MAX_TRIES):
        counts: list[int] = []

        def sample(chosen: Any, counts: Any = counts, decisions: Any = decisions) -> Any:
            values = outcomes(chosen)
            at = len(counts)
            counts.append(len(values))
            return values[decisions[at] if at < len(decisions) else 0]

        bppy.choice.sample = sample
        try:
            lines: list[str] = []
            best = _once(make_program(), events, external, lines.append, constants)
        except CannotFollow as error:
            best = error if isinstance(best, CannotFollow) else best
        else:
            if wanted is None or best == wanted:
                for line in lines:
                    say(line)
                return str(best)
        finally:
            bppy.choice.sample = original
        decisions = [*decisions, *[0] * (len(counts) - len(decisions))][: len(counts)]
        while decisions and decisions[-1] + 1 >= counts[len(decisions) - 1]:
            decisions.pop()
        if not decisions:
            break
        decisions[-1] += 1
    if isinstance(best, CannotFollow):
        raise best
    return str(best)


def outcomes(chosen: Any) -> "list[Any]":
    """The values that a choice may have."""
    keys = [k for k, weight in chosen.items() if weight > 0]
    if chosen.repeat == 1:
        return keys
    if chosen.replace:
        return [list(t) for t in itertools.product(keys, repeat=chosen.repeat)]
    if chosen.sorted:
        return [list(t) for t in itertools.combinations(sorted(keys), chosen.repeat)]
    return [list(t) for t in itertools.permutations(keys, chosen.repeat)]


def _once(program: Any, events: Any, external: Any, say: Any, constants: Any) -> str:
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
                    queue = program.external_events_queue
                    chosen = None if selectable() else event
                    if queue and queue[0] == event:
                        queue.pop(0)
                else:
                    chosen = next((e for e in selectable() if e == event), None)
                if chosen is None:
                    raise CannotFollow(f"step {step}: bppy cannot select {event!r}")
                say(f"{step}: {event!r}")
                program.advance_bthreads(program.tickets, chosen)
            return "goes on" if selectable() or program.external_events_queue else "end"
    except CannotFollow:
        raise
    except Exception as error:
        if step < len(events):
            raise CannotFollow(f"the program fails at step {step}: {error!r}") from error
        text = str(error)
        if isinstance(error, AssertionError):
            return "bad: " + (text or "assertion failed")
        return f"bad: {type(error).__name__}: {text}" if text else f"bad: {type(error).__name__}"


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
                    sort.constructor(i)() for i in range(sort.num_constructors()) if sort.constructor(i).name() == value
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
