"""The SAT solver: incremental, with assumptions, cores, and proofs that an independent checker accepts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Optional

from . import _impasse
from .errors import translated


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

    >>> from impasse import Solver
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
        self._sat = _impasse.Sat(proof)
        self._clauses: Optional[list[list[int]]] = [] if proof else None
        self._answer: Optional[bool] = None
        self.add_clauses(clauses)

    def add_clause(self, clause: Iterable[int]) -> None:
        """Adds a clause: a list of literals.

        Raises:
            UsageError: A number is no literal, or a proof was begun.
        """
        self.add_clauses([clause])

    def add_clauses(self, clauses: Iterable[Iterable[int]]) -> None:
        """Adds clauses: see `add_clause`."""
        added = [list(clause) for clause in clauses]
        with translated():
            self._sat.add(added)
        if self._clauses is not None:
            self._clauses += added
        self._answer = None

    @property
    def variables(self) -> int:
        """The greatest variable so far."""
        return self._sat.variables

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
        """
        with translated():
            self._answer = self._sat.solve(list(assumptions), conflicts, timeout)
        return self._answer

    def model(self) -> list[int]:
        """Returns the model of the last query: for each variable from 1 the literal that is true.

        Raises:
            ValueError: The last query had no model.
        """
        if self._answer is not True:
            raise ValueError("there is no model: the last query was not answered with True")
        return self._sat.model()

    def core(self) -> list[int]:
        """Returns assumptions of the last query that contradict the clauses. Empty if the clauses alone do.

        Raises:
            ValueError: The last query had a model, or no answer.
        """
        if self._answer is not False:
            raise ValueError("there is no core: the last query was not answered with False")
        return self._sat.core()

    def counts(self) -> Counts:
        """Returns the work so far."""
        return Counts(*self._sat.counts())

    def proof(self) -> bytes:
        """Ends the solver, and returns the proof that the clauses have no model, as LRAT text.

        Raises:
            ValueError: The solver was made without ``proof=True``, or the clauses were not refuted.
        """
        if self._clauses is None:
            raise ValueError("the solver logs no proof: make it with Solver(proof=True)")
        if self._answer is not False or self._sat.core():
            raise ValueError("there is no proof: the clauses alone were not refuted")
        with translated():
            return self._sat.finish()


def check_proof(clauses: Iterable[Iterable[int]], proof: bytes) -> Optional[str]:
    """Checks an LRAT proof that clauses have no model, with the independent checker.

    Returns:
        ``None`` if the proof is accepted; otherwise what is wrong with it.

    >>> from impasse import Solver, check_proof
    >>> clauses = [[1, 2], [-1, 2], [1, -2], [-1, -2]]
    >>> solver = Solver(clauses, proof=True)
    >>> solver.solve()
    False
    >>> check_proof(clauses, solver.proof()) is None
    True
    """
    with translated():
        return _impasse.refuted([list(clause) for clause in clauses], proof)
