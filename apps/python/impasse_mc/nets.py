"""Petri nets, made place by place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

from . import _given, _impasse
from .errors import UsageError
from .models import Model

if TYPE_CHECKING:
    import networkx
    import numpy
    import numpy.typing

Tokens = Union[int, tuple[int, Optional[int]]]


class Place(NamedTuple):
    """A place of a net."""

    name: str
    initial: Tokens
    """The number of initial tokens, or the least and the greatest (``None``: any number)."""


class Transition(NamedTuple):
    """A transition of a net: the tokens that it takes and puts, by place."""

    name: str
    inputs: dict[str, int]
    outputs: dict[str, int]
    label: Optional[str]
    """What the transition means in the modelled process; ``None`` if it is silent."""


def _initial(place: str, initial: Any) -> Tokens:
    """Returns a number of initial tokens, or a pair, as plain integers."""
    what = f"place {place!r}: the number of initial tokens"
    if not isinstance(initial, tuple):
        return _given.whole(initial, what)
    if len(initial) != 2:
        raise UsageError(f"{what} is one number, or a pair of the least and the greatest")
    least = _given.whole(initial[0], what)
    return least, _given.optional_whole(initial[1], what, least)


class Net(Model):
    """A place/transition net with weights, built step by step.

    >>> from impasse_mc import Net, check
    >>> net = Net("mutex")
    >>> for place, tokens in {"idle": 3, "lock": 1, "busy": 0}.items():
    ...     net.place(place, tokens)
    'idle'
    'lock'
    'busy'
    >>> net.transition("enter", {"idle": 1, "lock": 1}, {"busy": 1})
    'enter'
    >>> net.transition("leave", {"busy": 1}, {"idle": 1, "lock": 1})
    'leave'
    >>> check(net, "AG busy <= 1").verdict
    'safe'
    """

    def __init__(self, name: str = "net") -> None:
        self._name = _given.text(name, "the name of a net")
        self._places: dict[str, Tokens] = {}
        self._transitions: dict[str, Transition] = {}
        self._final: Optional[dict[str, int]] = None

    @property
    def name(self) -> str:
        """The name of the net."""
        return self._name

    def place(self, name: str, initial: Tokens = 0) -> str:
        """Adds a place, and returns its name.

        Args:
            name: The name, unique in the net.
            initial: The number of initial tokens. A pair is the least and the greatest number; ``(0, None)`` stands for
                any number.

        Raises:
            UsageError: The name is taken, or a number is negative, not whole, or has more than 4000 digits.
        """
        _given.text(name, "the name of a place")
        if name in self._places:
            raise UsageError(f"the net has a place {name!r} already")
        self._places[name] = _initial(name, initial)
        self._native = None
        return name

    def transition(
        self,
        name: str,
        inputs: Mapping[str, int],
        outputs: Mapping[str, int],
        label: Optional[str] = None,
    ) -> str:
        """Adds a transition, and returns its name.

        Args:
            name: The name, unique in the net.
            inputs: The tokens that it takes, by place.
            outputs: The tokens that it puts, by place.
            label: What it means in the modelled process.

        Raises:
            UsageError: The name is taken, a place is unknown, or a weight is negative, not whole, or has more than 4000
                digits. ``True`` is no weight.
        """
        _given.text(name, "the name of a transition")
        _given.optional_text(label, f"transition {name!r}: the label")
        if name in self._transitions:
            raise UsageError(f"the net has a transition {name!r} already")
        takes, puts = (self._weights(arcs, f"transition {name!r}") for arcs in (inputs, outputs))
        self._transitions[name] = Transition(name, takes, puts, label)
        self._native = None
        return name

    def _weights(self, tokens: Mapping[str, int], whose: str) -> dict[str, int]:
        """Returns the places that have tokens, with plain integers."""
        if not isinstance(tokens, Mapping):
            raise UsageError(f"{whose}: tokens are given by place, as in {{'p': 1}}, not as {_given.shown(tokens)}")
        for place in tokens:
            if place not in self._places:
                raise UsageError(f"{whose}: there is no place {place!r}")
        weights = {p: _given.whole(count, f"{whose}: the weight of {p!r}") for p, count in tokens.items()}
        return {place: weight for place, weight in weights.items() if weight}

    @property
    def places(self) -> list[Place]:
        """The places in the order in which they were added."""
        return [Place(name, initial) for name, initial in self._places.items()]

    @property
    def transitions(self) -> list[Transition]:
        """The transitions in the order in which they were added: copies, whose changes do not change the net."""
        return [Transition(t.name, dict(t.inputs), dict(t.outputs), t.label) for t in self._transitions.values()]

    @property
    def final(self) -> Optional[dict[str, int]]:
        """The final marking, by place: places that are not named are empty. ``None`` if there is none.

        A deadlock in the final marking is a proper end. The question ``final`` asks whether it can be reached.
        """
        return None if self._final is None else dict(self._final)

    @final.setter
    def final(self, marking: Optional[Mapping[str, int]]) -> None:
        self._final = None if marking is None else self._weights(marking, "the final marking")
        self._native = None

    def __copy__(self) -> Net:
        """Returns a net with the same parts. Later changes to one of them do not change the other."""
        copied = type(self).__new__(type(self))
        # The dictionaries of transitions are never changed, and neither is the native form.
        copied.__dict__.update(
            self.__dict__, _places=dict(self._places), _transitions=dict(self._transitions), _final=self.final
        )
        return copied

    def _frozen(self) -> Net:
        return self.__copy__()

    def _make(self) -> _impasse.Problem:
        number = {name: index for index, name in enumerate(self._places)}

        def arcs(tokens: Mapping[str, int]) -> list[tuple[int, int]]:
            return [(number[place], weight) for place, weight in tokens.items()]

        places = []
        for name, initial in self._places.items():
            least, most = initial if isinstance(initial, tuple) else (initial, initial)
            places.append((name, least, most))
        transitions = [(t.name, arcs(t.inputs), arcs(t.outputs)) for t in self._transitions.values()]
        finals = [] if self._final is None else [arcs(self._final)]
        return _impasse.net(self._name, places, transitions, finals)

    def _content(self) -> bytes:
        transitions = list(self._transitions.values())
        return json.dumps([list(self._places.items()), transitions, self._final]).encode()

    def structure(self) -> dict[str, Any]:
        """Returns the places and transitions, as they are drawn, with the labels of transitions."""
        structure = super().structure()
        for drawn in structure["transitions"]:
            drawn["label"] = self._transitions[drawn["name"]].label
        return structure

    @classmethod
    def from_networkx(cls, graph: networkx.DiGraph, name: Optional[str] = None) -> Net:
        """Makes a net from a bipartite graph, with its name by default: see `impasse_mc.net_convert.from_networkx`."""
        from .net_convert import from_networkx

        return from_networkx(graph, name=name)

    def to_networkx(self) -> networkx.DiGraph:
        """Returns the net as a bipartite graph: see `impasse_mc.net_convert.to_networkx`."""
        from .net_convert import to_networkx

        return to_networkx(self)

    @classmethod
    def from_pm4py(cls, net: Any, initial_marking: Any, final_marking: Any = None) -> Net:
        """Makes a net from one of pm4py: see `impasse_mc.net_convert.from_pm4py`."""
        from .net_convert import from_pm4py

        return from_pm4py(net, initial_marking, final_marking)

    def to_pm4py(self) -> tuple[Any, Any, Any]:
        """Returns pm4py's net, initial and final marking: see `impasse_mc.net_convert.to_pm4py`."""
        from .net_convert import to_pm4py

        return to_pm4py(self)

    @classmethod
    def from_incidence(cls, pre: Any, post: Any, initial: Any, **names: Any) -> Net:
        """Makes a net from two matrices: see `impasse_mc.net_convert.from_incidence`."""
        from .net_convert import from_incidence

        return from_incidence(pre, post, initial, **names)

    def incidence(self) -> tuple[numpy.typing.NDArray[Any], numpy.typing.NDArray[Any]]:
        """Returns the weights of input and output arcs as matrices of places by transitions."""
        from .net_convert import incidence

        return incidence(self)
