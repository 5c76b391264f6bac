"""Nets from and to networkx, pm4py and numpy.

Each ``from_`` function builds an :class:`impasse.Net`. Each ``convert_`` function builds a
:class:`Conversion`, which also holds the mapping from the names in the net to the nodes that they
were made of. A name that is not unique gets a number behind it: ``p``, ``p_2``, ``p_3``.

What a net of Impasse cannot express exactly is an error, and nothing is left out in silence.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple, Optional

from ._plain_net import Names, PlainNet, PlainTransition, import_optional, whole
from .errors import UsageError
from .nets import Net

__all__ = [
    "Conversion",
    "PlainNet",
    "convert_networkx",
    "convert_pm4py",
    "from_incidence",
    "from_networkx",
    "from_pm4py",
    "incidence",
    "to_networkx",
    "to_pm4py",
]


class Conversion(NamedTuple):
    """A net of Impasse, and the original place or transition of each of its names."""

    net: Net
    nodes: dict[str, Any]

    @property
    def renamed(self) -> dict[str, Any]:
        """The original nodes of those names that had to be made unique."""
        return {name: node for name, node in self.nodes.items() if _name_of(node) != name}


def _name_of(node: Any) -> str:
    return str(getattr(node, "name", node))


def build(plain: PlainNet) -> Net:
    """An :class:`impasse.Net` with the places, transitions and final marking of ``plain``."""
    net = Net(plain.name)
    for place, tokens in plain.places.items():
        net.place(place, initial=tokens)
    for transition in plain.transitions:
        net.transition(transition.name, transition.inputs, transition.outputs, label=transition.label)
    if plain.final is not None:
        net.final = dict(plain.final)
    return net


def plain(net: Net) -> PlainNet:
    """The plain data of an :class:`impasse.Net`.

    Raises:
        UsageError: A place can begin with different numbers of tokens.
    """
    result = PlainNet(str(getattr(net, "name", "net")))
    for place in net.places:
        tokens = place.initial
        if isinstance(tokens, tuple) and tokens[0] == tokens[1]:
            tokens = tokens[0]
        result.places[place.name] = whole(tokens, f"the marking of {place.name}", 0)
        result.nodes[place.name] = place
    for transition in net.transitions:
        result.transitions.append(
            PlainTransition(transition.name, dict(transition.inputs), dict(transition.outputs), transition.label)
        )
        result.nodes[transition.name] = transition
    result.final = None if net.final is None else {p: n for p, n in net.final.items() if n}
    return result


# --- networkx ---------------------------------------------------------------------------------


def _kind(node: Hashable, data: Mapping[str, Any]) -> str:
    """``place`` or ``transition``. networkx writes 0 and 1 for the two sides."""
    value = data.get("kind", data.get("bipartite"))
    if value in ("place", "transition"):
        return str(value)
    if "kind" not in data and not isinstance(value, bool) and value in (0, 1):
        return "transition" if value else "place"
    raise UsageError(
        f"node {node!r} needs the attribute `kind` or `bipartite`, with the value 'place' or "
        f"'transition' (or 0 or 1 for `bipartite`), not {value!r}"
    )


def convert_networkx(graph: Any, *, name: Optional[str] = None) -> Conversion:
    """A net of a bipartite directed graph, with the mapping of names to nodes.

    See :func:`from_networkx`.
    """
    read = _read_networkx(graph, name)
    return Conversion(build(read), read.nodes)


def _read_networkx(graph: Any, name: Optional[str]) -> PlainNet:
    if not graph.is_directed():
        raise UsageError("the graph is not directed: a net needs a DiGraph")
    read = PlainNet(str(name if name is not None else graph.graph.get("name") or "net"))
    wanted = {node: str(data.get("name", node)) for node, data in graph.nodes(data=True)}
    names = Names(wanted.values())
    unique: dict[Hashable, str] = {}
    kinds: dict[Hashable, str] = {}
    final: dict[str, int] = {}
    inputs: dict[Hashable, dict[str, int]] = {}
    outputs: dict[Hashable, dict[str, int]] = {}
    for node, data in graph.nodes(data=True):
        kinds[node] = _kind(node, data)
        unique[node] = names.unique(wanted[node])
        read.nodes[unique[node]] = node
        if kinds[node] == "place":
            read.places[unique[node]] = whole(data.get("initial", 0), f"`initial` of {node!r}", 0)
            if data.get("final") is not None:
                final[unique[node]] = whole(data["final"], f"`final` of {node!r}", 0)
        else:
            for key in ("initial", "final"):
                if data.get(key) is not None:
                    raise UsageError(f"transition {node!r} has the attribute `{key}` of a place")
            inputs[node], outputs[node] = {}, {}
    for source, target, data in graph.edges(data=True):
        if kinds[source] == kinds[target]:
            raise UsageError(f"the edge {source!r} -> {target!r} joins two {kinds[source]}s")
        if data.get("kind", "normal") != "normal":
            raise UsageError(
                f"the edge {source!r} -> {target!r} is of the kind {data['kind']!r}, "
                "which is not supported: only arcs that take or put tokens are"
            )
        weight = whole(data.get("weight", 1), f"`weight` of {source!r} -> {target!r}", 1)
        takes = kinds[source] == "place"
        arcs = inputs[target] if takes else outputs[source]
        place = unique[source if takes else target]
        arcs[place] = arcs.get(place, 0) + weight  # a MultiDiGraph has parallel edges
    for node in inputs:
        label = graph.nodes[node].get("label")
        read.transitions.append(
            PlainTransition(unique[node], inputs[node], outputs[node], None if label is None else str(label))
        )
    if final or graph.graph.get("final"):
        read.final = {place: tokens for place, tokens in final.items() if tokens}
    return read


def from_networkx(graph: Any, *, name: Optional[str] = None) -> Net:
    """A net of a bipartite directed graph of networkx.

    A node has the attribute ``kind`` or ``bipartite``: ``"place"`` or ``"transition"`` (or 0 or 1
    for ``bipartite``). A place may have ``initial`` and ``final`` tokens, and a transition a
    ``label``. An edge may have a ``weight``; parallel edges add up. If no place has ``final``,
    the net has no final marking.

    Raises:
        UsageError: The graph is no net: a node without kind, an edge between two places or two
            transitions, a number that is not whole.
    """
    return convert_networkx(graph, name=name).net


def to_networkx(net: Net) -> Any:
    """A networkx ``DiGraph`` of a net, in the form that :func:`from_networkx` reads.

    Labels are attributes of transitions if they are not silent. A transition with the name of a
    place becomes a node of another name, and its own name is the attribute ``name``.
    """
    graph = import_optional("networkx").DiGraph(name=getattr(net, "name", "net"))
    read = plain(net)
    for place, tokens in read.places.items():
        graph.add_node(place, kind="place", bipartite=0, initial=tokens)
        if read.final is not None:
            graph.nodes[place]["final"] = read.final.get(place, 0)
    names = Names([*read.places, *(t.name for t in read.transitions)])
    names.used.update(read.places)
    for transition in read.transitions:
        node = names.unique(transition.name)
        graph.add_node(node, kind="transition", bipartite=1)
        if node != transition.name:
            graph.nodes[node]["name"] = transition.name
        if transition.label is not None:
            graph.nodes[node]["label"] = transition.label
        graph.add_weighted_edges_from((p, node, n) for p, n in transition.inputs.items())
        graph.add_weighted_edges_from((node, p, n) for p, n in transition.outputs.items())
    if read.final is not None:
        graph.graph["final"] = True
    return graph


# --- pm4py ------------------------------------------------------------------------------------


def _refuse_pm4py(net: Any) -> None:
    """UsageError if the net of pm4py has data, or arcs that do not only take or put tokens."""
    for arc in net.arcs:
        # A subclass of arcs has a meaning of its own, which is not known here.
        kind = arc.properties.get("arctype", "normal")
        if kind == "normal":
            kind = type(arc).__qualname__
        if kind != "PetriNet.Arc":
            raise UsageError(
                f"the arc {arc} of pm4py is of the kind {kind}, which is not "
                "supported: only arcs that take or put tokens are"
            )
    for transition in net.transitions:
        for key in ("guard", "readVariable", "writeVariable"):
            if transition.properties.get(key):
                raise UsageError(f"transition {transition.name} of pm4py has `{key}`: nets with data are not supported")


def read_pm4py(net: Any, initial_marking: Any, final_marking: Any = None) -> PlainNet:
    """The plain data of a net of pm4py. UsageError for arcs and data that are not supported."""
    _refuse_pm4py(net)
    # Sets of pm4py have no order. Sorted by name, the same net gives the same model each time.
    places = sorted(net.places, key=lambda p: (str(p.name), initial_marking.get(p, 0)))
    transitions = sorted(net.transitions, key=lambda t: (str(t.name), str(t.label)))
    read = PlainNet(str(net.name or "net"))
    names = Names(str(node.name) for node in [*places, *transitions])
    unique: dict[Any, str] = {}
    for place in places:
        unique[place] = names.unique(str(place.name))
        read.nodes[unique[place]] = place
        read.places[unique[place]] = whole(initial_marking.get(place, 0), f"the initial marking of {place.name}", 0)
    for marking, what in ((initial_marking, "initial"), (final_marking or {}, "final")):
        for place in marking:
            if place not in unique:
                raise UsageError(f"the {what} marking names {place}, which is no place of the net")
    arcs: dict[Any, tuple[dict[str, int], dict[str, int]]] = {t: ({}, {}) for t in transitions}
    for arc in net.arcs:
        takes = arc.source in unique
        place, transition = (arc.source, arc.target) if takes else (arc.target, arc.source)
        if place not in unique or transition not in arcs:
            raise UsageError(f"the arc {arc} leads to a node that is not in the net")
        weights = arcs[transition][0 if takes else 1]
        weight = whole(arc.weight, f"the weight of {arc}", 1)
        weights[unique[place]] = weights.get(unique[place], 0) + weight
    for transition in transitions:
        name = names.unique(str(transition.name))
        read.nodes[name] = transition
        label = None if transition.label is None else str(transition.label)
        inputs, outputs = (dict(sorted(side.items())) for side in arcs[transition])
        read.transitions.append(PlainTransition(name, inputs, outputs, label))
    if final_marking is not None:
        read.final = {
            unique[p]: whole(n, f"the final marking of {p.name}", 0)
            for p, n in sorted(final_marking.items(), key=lambda item: unique[item[0]])
            if n
        }
    return read


def convert_pm4py(net: Any, initial_marking: Any, final_marking: Any = None) -> Conversion:
    """A net of a net of pm4py, with the mapping of names to pm4py's places and transitions.

    See :func:`from_pm4py`.
    """
    read = read_pm4py(net, initial_marking, final_marking)
    return Conversion(build(read), read.nodes)


def from_pm4py(net: Any, initial_marking: Any, final_marking: Any = None) -> Net:
    """A net of a ``PetriNet`` of pm4py with its markings.

    Labels and weights are kept; a transition without label is silent. Parallel arcs add up.

    Raises:
        UsageError: The net has inhibitor or reset arcs, or data, or a marking names a place that
            is not in the net.
    """
    return convert_pm4py(net, initial_marking, final_marking).net


def to_pm4py(net: Net) -> tuple[Any, Any, Any]:
    """The net of pm4py, the initial marking, and the final marking (empty if there is none)."""
    obj = import_optional("pm4py.objects.petri_net.obj")
    utils = import_optional("pm4py.objects.petri_net.utils.petri_utils")
    read = plain(net)
    result = obj.PetriNet(read.name)
    places = {name: obj.PetriNet.Place(name) for name in read.places}
    result.places.update(places.values())
    for transition in read.transitions:
        node = obj.PetriNet.Transition(transition.name, transition.label)
        result.transitions.add(node)
        for place, weight in transition.inputs.items():
            utils.add_arc_from_to(places[place], node, result, weight)
        for place, weight in transition.outputs.items():
            utils.add_arc_from_to(node, places[place], result, weight)
    initial = obj.Marking({places[p]: n for p, n in read.places.items() if n})
    final = obj.Marking({places[p]: n for p, n in (read.final or {}).items()})
    return result, initial, final


# --- numpy ------------------------------------------------------------------------------------


def incidence(net: Net) -> tuple[Any, Any]:
    """The matrices ``(pre, post)`` of a net: places by transitions, in their order, int64.

    ``pre[p, t]`` tokens are taken from place ``p`` by transition ``t``, and ``post[p, t]`` are
    put. The effect of the transitions is ``post - pre``. OverflowError if a weight does not fit.
    """
    numpy = import_optional("numpy")
    read = plain(net)
    row = {place: index for index, place in enumerate(read.places)}
    pre = numpy.zeros((len(row), len(read.transitions)), dtype=numpy.int64)
    post = numpy.zeros_like(pre)
    for column, transition in enumerate(read.transitions):
        for place, weight in transition.inputs.items():
            pre[row[place], column] = weight
        for place, weight in transition.outputs.items():
            post[row[place], column] = weight
    return pre, post


def from_incidence(
    pre: Any,
    post: Any,
    initial: Sequence[int],
    place_names: Optional[Sequence[str]] = None,
    transition_names: Optional[Sequence[str]] = None,
    *,
    name: str = "net",
) -> Net:
    """A net of two matrices of places by transitions (see :func:`incidence`).

    Names are ``p0``, ``p1``, .. and ``t0``, ``t1``, .. by default. Names that are not unique are
    made unique. UsageError if shapes do not fit together, or a number is negative or not whole.
    """
    numpy = import_optional("numpy")
    before, after = numpy.asarray(pre), numpy.asarray(post)
    if before.ndim != 2 or before.shape != after.shape:
        raise UsageError(
            f"pre and post have the shapes {before.shape} and {after.shape}, but "
            "both must be matrices of places by transitions"
        )
    rows, columns = before.shape
    given_places = [f"p{i}" for i in range(rows)] if place_names is None else list(place_names)
    given = [f"t{j}" for j in range(columns)] if transition_names is None else (list(transition_names))
    for what, found, wanted in (
        ("initial", len(initial), rows),
        ("place_names", len(given_places), rows),
        ("transition_names", len(given), columns),
    ):
        if found != wanted:
            raise UsageError(f"{what} has {found} entries, but {wanted} are needed")
    names = Names(str(n) for n in [*given_places, *given])
    read = PlainNet(name)
    places = [names.unique(str(n)) for n in given_places]
    for place, tokens in zip(places, initial):
        read.places[place] = whole(tokens, f"the marking of {place}", 0)
    for column in range(columns):
        unique = names.unique(str(given[column]))
        inputs, outputs = (
            {
                place: weight
                for row, place in enumerate(places)
                if (weight := whole(side[row, column], f"{what}[{row}, {column}]", 0))
            }
            for side, what in ((before, "pre"), (after, "post"))
        )
        read.transitions.append(PlainTransition(unique, inputs, outputs, None))
    return build(read)
