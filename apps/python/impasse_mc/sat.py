"""The SAT solver: incremental, with assumptions, cores, and proofs that an independent checker accepts."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Optional

from . import _given, _impasse
from .errors import UsageError, translated

# The greatest variable of the extension module.
_MOST = 1 << 24


def _literals(literals: Any) -> list[int]:
    """Returns literals as plain integers."""
    try:
        numbers = list(literals)
    except TypeError:
        raise UsageError(f"literals must be a list of numbers, not {_given.shown(literals)}") from None
    if any(type(number) is not int for number in numbers):
        numbers = [_given.whole(number, "a literal", -_MOST, _MOST) for number in numbers]
    if numbers and (0 in numbers or max(numbers) > _MOST or min(numbers) < -_MOST):
        wrong = next(number for number in numbers if number == 0 or abs(number) > _MOST)
        shown = _given.shown(wrong) if abs(wrong) < 1 << 64 else "a number with more than 64 bits"
        raise UsageError(f"{shown} is no literal: a literal is a number from 1 to {_MOST}, or its negation")
    return numbers


def _formula(clauses: Any) -> list[list[int]]:
    """Returns clauses as lists of plain integers."""
    try:
        every = list(clauses)
    except TypeError:
        raise UsageError(f"clauses must be a list of lists of literals, not {_given.shown(clauses)}") from None
    return [_literals(clause) for clause in every]


class Counts(NamedTuple):
    """The work of a solver so far."""

    conflicts: int
    decisions: int
    propagations: int


class Solver:
    """A SAT solver. Literals are numbers as in DIMACS: 3 is a variable and -3 its negation.

    Args:
        clauses: The first clauses.
        proof: True to log a proof. Then all clauses must be added before the first query.

    >>> from impasse_mc import Solver
    >>> solver = Solver([[1, 2], [-1, 2]])
    >>> solver.solve()
    True
    >>> 2 in solver.model()
    True
    >>> solver.solve([-2])
    False
    >>> solver.core()
    [-2]
    """

    def __init__(self, clauses: Iterable[Iterable[int]] = (), *, proof: bool = False) -> None:
        proof = _given.flag(proof, "`proof`")
        self._sat = _impasse.Sat(proof)
        self._proof = proof
        self._answer: Optional[bool] = None
        self._lock = threading.Lock()
        self.add_clauses(clauses)

    @contextlib.contextmanager
    def _using(self) -> Iterator[_impasse.Sat]:
        """Yields the solver of the extension module, which is for one thread at a time."""
        if not self._lock.acquire(blocking=False):
            raise UsageError("the solver is in use by another thread")
        try:
            with translated():
                yield self._sat
        finally:
            self._lock.release()

    def add_clause(self, clause: Iterable[int]) -> None:
        """Adds a clause: a list of literals.

        Raises:
            UsageError: A number is no literal, or a proof was begun.
        """
        self.add_clauses([clause])

    def add_clauses(self, clauses: Iterable[Iterable[int]]) -> None:
        """Adds clauses: see `add_clause`. If one of them is refused, none is added."""
        added = _formula(clauses)
        with self._using() as sat:
            sat.add(added)
            self._answer = None

    @property
    def variables(self) -> int:
        """The greatest variable so far."""
        with self._using() as sat:
            return sat.variables

    def solve(
        self,
        assumptions: Iterable[int] = (),
        *,
        conflicts: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Optional[bool]:
        """Returns whether the clauses have a model in which the assumptions hold.

        The interpreter's lock is released meanwhile. Ctrl-C ends the query.

        Args:
            assumptions: Literals that must be true in this query.
            conflicts: The greatest number of conflicts.
            timeout: The time limit in seconds.

        Returns:
            True or False; ``None`` at a limit. The next query goes on with what was learnt.

        Raises:
            UsageError: A number is no literal, a limit is negative, or the solver ended or is in use by another thread.
        """
        wanted = _literals(assumptions)
        conflicts = _given.optional_whole(conflicts, "`conflicts`", 0, _given.WORD)
        timeout = _given.seconds(timeout)
        with self._using() as sat:
            self._answer = None
            self._answer = answer = sat.solve(wanted, conflicts, timeout)
        return answer

    def model(self) -> list[int]:
        """Returns the model of the last query: for each variable from 1 the literal that is true.

        Raises:
            UsageError: The last query had no model.
        """
        if self._answer is not True:
            raise UsageError("there is no model: the last query was not answered with True")
        with self._using() as sat:
            return sat.model()

    def core(self) -> list[int]:
        """Returns assumptions of the last query that contradict the clauses. Empty if the clauses alone do.

        Raises:
            UsageError: The last query had a model, or no answer.
        """
        if self._answer is not False:
            raise UsageError("there is no core: the last query was not answered with False")
        with self._using() as sat:
            return sat.core()

    def counts(self) -> Counts:
        """Returns the work so far.

        Raises:
            UsageError: `proof` ended the solver.
        """
        with self._using() as sat:
            return Counts(*sat.counts())

    def proof(self) -> bytes:
        """Ends the solver, and returns the proof that the clauses have no model, as LRAT text.

        Raises:
            UsageError: The solver was made without ``proof=True``, the clauses were not refuted, or the solver ended.
        """
        if not self._proof:
            raise UsageError("the solver logs no proof: make it with Solver(proof=True)")
        with self._using() as sat:
            if self._answer is not False or sat.core():
                raise UsageError("there is no proof: the clauses alone were not refuted")
            return sat.finish()


def check_proof(clauses: Iterable[Iterable[int]], proof: bytes) -> Optional[str]:
    """Checks an LRAT proof that clauses have no model, with the independent checker.

    Returns:
        ``None`` if the proof is accepted; otherwise what is wrong with it.

    >>> from impasse_mc import Solver, check_proof
    >>> clauses = [[1, 2], [-1, 2], [1, -2], [-1, -2]]
    >>> solver = Solver(clauses, proof=True)
    >>> solver.solve()
    False
    >>> check_proof(clauses, solver.proof()) is None
    True
    """
    if not isinstance(proof, (bytes, bytearray)):
        raise UsageError(f"`proof` must be bytes, not {_given.shown(proof)}")
    with translated():
        return _impasse.refuted(_formula(clauses), bytes(proof))
