"""Systems whose states and steps are functions in Python."""

from __future__ import annotations

import hashlib
import inspect
import pickle
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

from . import _impasse
from .models import Model


class System(Model):
    """A transition system that a subclass defines. It is searched explicitly, and each state costs a call of Python.

    The functions must depend on their arguments alone: the checker calls them again. A state is any hashable value,
    and two states are the same if they are equal.

    >>> import impasse
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

    def _make(self) -> _impasse.Problem:
        questions = [(name, "never", holds) for name, holds in self.never().items()]
        questions += [(name, "EF", holds) for name, holds in self.reachable().items()]
        functions = (self.initial, self.successors, self._shown)
        return _impasse.system(self.name, functions, questions, self.deadlock)

    def _content(self) -> bytes:
        try:
            source = inspect.getsource(type(self))
        except (OSError, TypeError):
            source = type(self).__qualname__
        state = {key: value for key, value in self.__dict__.items() if key != "_native"}
        return hashlib.sha256(source.encode() + pickle.dumps(state)).digest()
