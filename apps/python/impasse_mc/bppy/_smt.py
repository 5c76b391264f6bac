"""bppy programs whose requests are Z3 formulas: an event is a valuation of all constants.

The program has one event with a parameter for each constant. What a thread does next may depend on
the values of the event: then the step is run once for each combination of the values that it reads,
and the move has a condition.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any, Optional

from ._errors import BppyError, NotComparable
from ._explore import Explorer
from ._follow import constants_in
from ._graph import Message, State
from ._program import one_thread
from ._terms import Printer, enumeration
from ._thread import Instance

EVENT = "step"
MAX_VALUES = 64
Decisions = tuple[int, ...]


class Term:
    """A Z3 term in a key: terms are equal if their structure is. It keeps the term alive."""

    __slots__ = ("ast",)

    def __init__(self, ast: Any) -> None:
        self.ast = ast

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Term) and self.ast.ctx is other.ast.ctx and bool(self.ast.eq(other.ast))

    def __hash__(self) -> int:
        return int(self.ast.hash())

    def __repr__(self) -> str:
        return str(self.ast)


def z3_key(x: Any) -> Any:
    """The key of a Z3 term or of the values of an event, or None for other values."""
    if isinstance(x, Valuation):
        return ("valuation",)  # it can be read only before the next sync
    z3 = sys.modules.get("z3")
    if z3 is None or not isinstance(x, z3.AstRef):
        return None
    return ("z3", Term(x))


class Valuation:
    """Stands for the Z3 model that a thread gets from a sync.

    It answers each question by one of the values that are possible, and notes the condition.
    """

    def __init__(self, base: Any, decisions: Decisions, mentioned: dict[str, Any]) -> None:
        import z3

        self._z3 = z3
        self._solver = z3.Solver()
        self._solver.add(base)
        self._decisions = decisions
        self._mentioned = mentioned
        self.taken: list[tuple[int, int]] = []
        self.conditions: list[Any] = []
        self.error: Optional[BppyError] = None
        self.expired = False

    def _refuse(self, message: str) -> Any:
        self.error = NotComparable(message)
        raise self.error

    def eval(self, t: Any, model_completion: bool = False) -> Any:
        """The value of a term, as `ModelRef.eval`."""
        if self.expired:
            self._refuse("the values of an event are read after the next sync; read them before it")
        z3 = self._z3
        if not isinstance(t, z3.ExprRef):
            self._refuse(f"the value of {t!r} is read, which is no Z3 term")
        if not model_completion:
            for name in constants_in([t]):
                if name not in self._mentioned:
                    self._refuse(
                        f"the value of {name} is read, which the sync does not mention, so that "
                        "the solver may leave it out; use m.eval(.., model_completion=True)"
                    )
        values = self._values(t)
        at = len(self.taken)
        k = self._decisions[at] if at < len(self._decisions) else 0
        self.taken.append((k, len(values)))
        condition = t == values[k]
        self._solver.add(condition)
        if len(values) > 1:
            self.conditions.append(condition)
        return values[k]

    evaluate = eval

    def __getitem__(self, c: Any) -> Any:
        if isinstance(c, self._z3.FuncDeclRef) and c.arity() == 0:
            c = c()
        if not self._z3.is_const(c):
            self._refuse(f"the value of {c!r} is read by its number, which is not determined")
        return self.eval(c)

    def _values(self, t: Any) -> list[Any]:
        z3 = self._z3
        if z3.is_bool(t):
            values = [z3.BoolVal(True), z3.BoolVal(False)]
        elif enumeration(t.sort()) is not None:
            values = [t.sort().constructor(i)() for i in range(t.sort().num_constructors())]
        elif z3.is_int(t):
            return self._numbers(t)
        else:
            self._refuse(f"the value of {t} is read, which has the sort {t.sort()}")
        found = [v for v in values if self._possible(t == v)]
        return found or values[:1]

    def _possible(self, condition: Any) -> bool:
        self._solver.push()
        self._solver.add(condition)
        answer = self._solver.check()
        self._solver.pop()
        return bool(answer != self._z3.unsat)

    def _numbers(self, t: Any) -> list[Any]:
        z3 = self._z3
        found: set[int] = set()
        self._solver.push()
        try:
            while True:
                answer = self._solver.check()
                if answer == z3.unsat:
                    return [z3.IntVal(v) for v in sorted(found)] or [z3.IntVal(0)]
                if answer != z3.sat or len(found) > MAX_VALUES:
                    self._refuse(
                        f"the value of {t} is read, which the sync does not bound to {MAX_VALUES} "
                        f"values; compare it by a formula, as in m.eval({t} > 3)"
                    )
                v = self._solver.model().eval(t, model_completion=True).as_long()
                found.add(v)
                self._solver.add(t != v)
        finally:
            self._solver.pop()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._refuse(f"`{name}` of the values of an event is read; use `eval`")

    def __bool__(self) -> bool:
        return bool(self._refuse("the values of an event are used as a truth value"))

    def __len__(self) -> int:
        return int(self._refuse("the number of the values of an event is not determined"))

    def __repr__(self) -> str:
        return str(self._refuse("the values of an event are printed, which shows a choice of the solver"))

    def __eq__(self, other: object) -> bool:
        return bool(self._refuse("the values of an event are compared"))

    def __hash__(self) -> int:
        return int(self._refuse("the values of an event are hashed"))

    def __iter__(self) -> Any:
        return self._refuse("the values of an event are listed; use `eval`")


class SmtExplorer(Explorer):
    """Explores threads that request formulas. Formulas take the places of events."""

    def __init__(self, source: Any, strategy: Any, max_states: int, ignore: Sequence[str]) -> None:
        import bppy
        import z3

        super().__init__(
            source,
            strategy,
            events=None,
            external=(),
            max_states=max_states,
            max_events=0,
            ignore=ignore,
        )
        self.z3 = z3
        self.rich = type(strategy) is bppy.RichEventSelectionStrategy
        self.formulas: list[Any] = []
        self._index: dict[Term, int] = {}
        if source.queue:
            raise BppyError("bppy's SMT strategy supports no external events")

    def _formula(self, f: Any) -> int:
        number = self._index.setdefault(Term(f), len(self.formulas))
        if number == len(self.formulas):
            self.formulas.append(f)
        return number

    def _open(self, state: State) -> bool:
        return state.status == "sync" and state.evaluated == 0

    def _read(self, instance: Instance, state: State) -> None:
        self._names(instance)
        statement, z3 = instance.statement, self.z3
        for name in ("request", "waitFor", "block"):
            found = statement.get(name)
            if found is None or isinstance(found, z3.BoolRef) or (name == "block" and type(found) is bool):
                continue
            raise BppyError(f"`{name}` is {found!r}, which is no Z3 formula")
        state.hot = bool(statement.get("mustFinish")) or bool(statement.get("hot"))
        if "request" in statement:
            state.requests = (self._formula(statement["request"]),)
        if "block" in statement:
            block = statement["block"]
            state.blocks = {self._formula(z3.BoolVal(block) if type(block) is bool else block)}

    def _moves(self, statement: Any) -> Any:
        """The condition under which an event moves a thread."""
        if self.rich:
            return statement.get("waitFor", self.z3.BoolVal(True))
        parts = [statement[n] for n in ("waitFor", "request") if n in statement]
        return parts[0] if len(parts) == 1 else self.z3.Or(*parts)

    def _possible(self, statement: Any) -> Any:
        block = statement.get("block", False)
        return self.z3.And(self._moves(statement), self.z3.Not(block))

    def _send(self, instance: Instance, message: Message) -> None:
        if message[0] == "outcome":
            super()._send(instance, message)
            return
        self._step(instance, message[1])

    def _step(self, instance: Instance, decisions: Decisions) -> Valuation:
        place = instance.place()
        statement = instance.statement
        mentioned = constants_in([statement.get(n) for n in ("request", "waitFor")])
        values = Valuation(self._possible(statement), decisions, mentioned)
        instance.send(values)
        values.expired = True
        if values.error is not None:
            raise values.error.at(instance.thread.name, *place)
        return values

    def _expand(self, number: int, state: State) -> None:
        z3 = self.z3
        state.evaluated = 1
        live, state.live = state.live, None
        if live is None:
            live = self._again(number, state)
        condition = self._moves(live.statement)
        solver = z3.Solver()
        solver.add(self._possible(live.statement))
        if solver.check() == z3.unsat:
            return
        todo: list[Decisions] = [()]
        instance: Optional[Instance] = live
        while todo:
            decisions = todo.pop()
            current = instance if instance is not None else self._again(number, state)
            instance = None
            values = self._step(current, decisions)
            taken = tuple(k for k, _ in values.taken)
            for at in range(len(decisions), len(taken)):
                todo += [(*taken[:at], k) for k in range(1, values.taken[at][1])]
            targets = self._settle(number, current, (*state.path, ("event", taken)))
            move = z3.And(condition, *values.conditions) if values.conditions else condition
            state.moves[self._formula(move)] = targets


def translate(
    source: Any, strategy: Any, ends: str, max_states: int, ignore: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any], list[str]]:
    """The program, the sort and the term of each constant, and notes."""
    explorer = SmtExplorer(source, strategy, max_states, ignore)
    explorer.run()
    printer = Printer()
    elements = [{"event": EVENT, "when": printer.text(f)} for f in explorer.formulas]
    sorts = {n: printer.sort(c) for n, c in printer.constants.items()}
    declared: Any = EVENT
    if sorts:
        declared = {"name": EVENT, "parameters": [{"name": n, "sort": s} for n, s in sorts.items()]}
    threads = [one_thread(g, elements, [], ends, {}) for g in explorer.graphs]
    program = {"rwb": 2, "check": ["deadlock", "bad"], "events": [declared], "threads": threads}
    return program, sorts, printer.constants, explorer.notes


def values_of(text: str, sorts: dict[str, Any]) -> dict[str, Any]:
    """The values of the constants in the text of an event, such as `step(5,true,red)`."""
    parts = []
    for sort in sorts.values():
        if sort == "Int":
            parts.append(r"(-?\d+)")
        elif sort == "Bool":
            parts.append("(true|false)")
        else:
            longest = sorted(sort, key=len, reverse=True)
            parts.append("(" + "|".join(re.escape(v) for v in longest) + ")")
    found = re.fullmatch(EVENT + (r"\(" + ", ?".join(parts) + r"\)" if parts else ""), text)
    if found is None:
        raise BppyError(f"the event {text} of a run is none of the program")
    result: dict[str, Any] = {}
    for (name, sort), value in zip(sorts.items(), found.groups()):
        result[name] = int(value) if sort == "Int" else value == "true" if sort == "Bool" else value
    return result
