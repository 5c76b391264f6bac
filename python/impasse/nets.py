"""Petri nets, made place by place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

from . import _impasse
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


class Net(Model):
    """A place/transition net with weights, built step by step.

    >>> from impasse import Net, check
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
        self._name = name
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
            UsageError: The name is taken, or a number is negative.
        """
        if name in self._places:
            raise UsageError(f"the net has a place {name!r} already")
        least, most = initial if isinstance(initial, tuple) else (initial, initial)
        if least < 0 or (most is not None and most < least):
            raise UsageError(f"place {name!r}: {initial} is no number of tokens")
        self._places[name] = initial
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
            UsageError: The name is taken, a place is unknown, or a weight is negative.
        """
        if name in self._transitions:
            raise UsageError(f"the net has a transition {name!r} already")
        for arcs in (inputs, outputs):
            for place, weight in arcs.items():
                if place not in self._places:
                    raise UsageError(f"transition {name!r}: there is no place {place!r}")
                if weight < 0:
                    raise UsageError(f"transition {name!r}: the weight of {place!r} is {weight}")
        arc = lambda arcs: {place: int(weight) for place, weight in arcs.items() if weight}  # noqa: E731
        self._transitions[name] = Transition(name, arc(inputs), arc(outputs), label)
        self._native = None
        return name

    @property
    def places(self) -> list[Place]:
        """The places in the order in which they were added."""
        return [Place(name, initial) for name, initial in self._places.items()]

    @property
    def transitions(self) -> list[Transition]:
        """The transitions in the order in which they were added."""
        return list(self._transitions.values())

    @property
    def final(self) -> Optional[dict[str, int]]:
        """The final marking, by place: places that are not named are empty. ``None`` if there is none.

        A deadlock in the final marking is a proper end. The question ``final`` asks whether it can be reached.
        """
        return None if self._final is None else dict(self._final)

    @final.setter
    def final(self, marking: Optional[Mapping[str, int]]) -> None:
        unknown = [place for place in marking or {} if place not in self._places]
        if unknown:
            raise UsageError(f"there is no place {unknown[0]!r}")
        self._final = None if marking is None else {p: int(n) for p, n in marking.items() if n}
        self._native = None

    def _make(self) -> _impasse.Problem:
        number = {name: index for index, name in enumerate(self._places)}
        arcs = lambda arcs: [(number[place], weight) for place, weight in arcs.items()]  # noqa: E731
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
    def from_networkx(cls, graph: networkx.DiGraph, name: str = "net") -> Net:
        """Makes a net from a bipartite graph: see `impasse.net_convert.from_networkx`."""
        from .net_convert import from_networkx

        return from_networkx(graph, name=name)

    def to_networkx(self) -> networkx.DiGraph:
        """Returns the net as a bipartite graph: see `impasse.net_convert.to_networkx`."""
        from .net_convert import to_networkx

        return to_networkx(self)

    @classmethod
    def from_pm4py(cls, net: Any, initial_marking: Any, final_marking: Any = None) -> Net:
        """Makes a net from one of pm4py: see `impasse.net_convert.from_pm4py`."""
        from .net_convert import from_pm4py

        return from_pm4py(net, initial_marking, final_marking)

    def to_pm4py(self) -> tuple[Any, Any, Any]:
        """Returns pm4py's net, initial and final marking: see `impasse.net_convert.to_pm4py`."""
        from .net_convert import to_pm4py

        return to_pm4py(self)

    @classmethod
    def from_incidence(cls, pre: Any, post: Any, initial: Any, **names: Any) -> Net:
        """Makes a net from two matrices: see `impasse.net_convert.from_incidence`."""
        from .net_convert import from_incidence

        return from_incidence(pre, post, initial, **names)

    def incidence(self) -> tuple[numpy.typing.NDArray[Any], numpy.typing.NDArray[Any]]:
        """Returns the weights of input and output arcs as matrices of places by transitions."""
        from .net_convert import incidence

        return incidence(self)
