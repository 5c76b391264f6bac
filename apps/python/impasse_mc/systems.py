"""Systems whose states and steps are functions in Python."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Optional

from . import _impasse
from .errors import translated
from .models import Model


class System(Model):
    """A transition system that a subclass defines. It is searched explicitly, and each state costs a call of Python.

    The functions must depend on their arguments alone: the checker calls them again, and a check in which they answer
    differently is an error. A state is any hashable value that does not change, and two states are the same if they
    are equal.

    >>> import impasse_mc as impasse
    >>> class Jugs(impasse.System):
    ...     '''Two jugs, of 3 and 5 litres.'''
    ...     def initial(self):
    ...         yield (0, 0)
    ...     def successors(self, state):
    ...         a, b = state
    ...         yield "fill a", (3, b)
    ...         yield "fill b", (a, 5)
    ...         yield "empty a", (0, b)
    ...         yield "empty b", (a, 0)
    ...         poured = min(a, 5 - b)
    ...         yield "a into b", (a - poured, b + poured)
    ...         poured = min(b, 3 - a)
    ...         yield "b into a", (a + poured, b - poured)
    ...     def reachable(self):
    ...         return {"four": lambda state: state[1] == 4}
    >>> len(impasse.check(Jugs(), shortest=True)["four"].run)
    6
    """

    _identity: Optional[str] = None

    deadlock = False
    """True to ask also for states without successors."""

    @property
    def name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    def initial(self) -> Iterable[Hashable]:
        """Returns the initial states, at least one."""
        raise NotImplementedError

    def successors(self, state: Any) -> Iterable[tuple[Any, Hashable]]:
        """Returns the steps from a state: pairs of an action and the next state."""
        raise NotImplementedError

    def never(self) -> Mapping[str, Callable[[Any], bool]]:
        """Returns predicates that no reachable state may satisfy, by name."""
        return {}

    def reachable(self) -> Mapping[str, Callable[[Any], bool]]:
        """Returns predicates that some reachable state should satisfy, by name."""
        return {}

    def show(self, state: Any) -> Mapping[str, Any]:
        """Returns the parts of a state by name, for runs. By default: the fields of a named tuple or data class."""
        if hasattr(state, "_asdict"):
            return dict(state._asdict())
        if hasattr(state, "__dataclass_fields__"):
            return {name: getattr(state, name) for name in state.__dataclass_fields__}
        if isinstance(state, tuple):
            return {str(index): part for index, part in enumerate(state)}
        return {"state": state}

    def _shown(self, state: Any) -> list[tuple[str, str]]:
        return [(str(name), str(part)) for name, part in self.show(state).items()]

    def _problem(self) -> _impasse.Problem:
        # Each check has its own: what functions answered in one check, or raised, must not reach the next.
        with translated():
            return self._make()

    def _make(self) -> _impasse.Problem:
        questions = [(name, "never", holds) for name, holds in self.never().items()]
        questions += [(name, "EF", holds) for name, holds in self.reachable().items()]
        functions = (self.initial, self.successors, self._shown)
        return _impasse.system(self.name, functions, questions, self.deadlock)

    def digest(self) -> str:
        """Returns 64 random digits that belong to this object alone.

        The content of a system is not known: functions may read whatever they like. So no two systems are the same
        for `batch`, and their answers are not kept.
        """
        if self._identity is None:
            self._identity = secrets.token_hex(32)
        return self._identity

    def __eq__(self, other: object) -> bool:
        """Returns true if both are the same object."""
        return self is other

    def __hash__(self) -> int:
        """Returns a hash of the object."""
        return id(self)

    def __getstate__(self) -> dict[str, Any]:
        """Returns what is pickled. A copy is another system."""
        return {key: value for key, value in self.__dict__.items() if key != "_identity"}
