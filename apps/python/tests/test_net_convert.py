"""Nets from and to networkx, pm4py and numpy."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

networkx = pytest.importorskip("networkx")
numpy = pytest.importorskip("numpy")

import impasse_mc as impasse  # noqa: E402
from impasse_mc import net_convert  # noqa: E402


def content(net: Any) -> Any:
    """All that a net holds, whatever the order."""
    places = {p.name: p.initial for p in net.places}
    transitions = {t.name: (dict(t.inputs), dict(t.outputs), t.label) for t in net.transitions}
    return places, transitions, net.final


def random_net(rng: random.Random) -> Any:
    net = impasse.Net("random")
    places = [f"p{i}" for i in range(rng.randint(1, 6))]
    for place in places:
        net.place(place, initial=rng.randint(0, 3))
    for i in range(rng.randint(0, 6)):
        inputs, outputs = (
            {p: rng.randint(1, 9) for p in rng.sample(places, rng.randint(0, len(places)))} for _ in range(2)
        )
        net.transition(f"t{i}", inputs, outputs, label=rng.choice([None, "a", "b"]))
    if rng.random() < 0.7:
        net.final = {p: rng.randint(1, 2) for p in rng.sample(places, rng.randint(0, len(places)))}
    return net


@pytest.mark.parametrize("seed", range(30))
def test_there_and_back(seed: int) -> None:
    net = random_net(random.Random(seed))
    assert content(net_convert.from_networkx(net_convert.to_networkx(net))) == content(net)
    pre, post = net_convert.incidence(net)
    assert pre.dtype == post.dtype == numpy.int64
    back = net_convert.from_incidence(
        pre, post, [p.initial for p in net.places], [p.name for p in net.places], [t.name for t in net.transitions]
    )
    places, transitions, _ = content(net)
    assert content(back) == (places, {name: (i, o, None) for name, (i, o, _) in transitions.items()}, None)


@pytest.mark.parametrize("seed", range(30))
def test_there_and_back_with_pm4py(seed: int) -> None:
    pytest.importorskip("pm4py")
    net = random_net(random.Random(seed))
    places, transitions, final = content(net)
    back = net_convert.from_pm4py(*net_convert.to_pm4py(net))
    assert content(back) == (places, transitions, final or {})


def test_networkx_forms() -> None:
    graph = networkx.MultiDiGraph(name="forms")
    graph.add_node(1, bipartite=0, initial=2)
    graph.add_node("1", kind="place", final=1)
    graph.add_node("t", bipartite="transition", label="go")
    graph.add_edge(1, "t")
    graph.add_edge(1, "t", weight=2)
    graph.add_edge("t", "1", weight=numpy.int32(4))
    conversion = net_convert.convert_networkx(graph)
    assert content(conversion.net) == ({"1": 2, "1_2": 0}, {"t": ({"1": 3}, {"1_2": 4}, "go")}, {"1_2": 1})
    assert conversion.net.name == "forms"
    assert conversion.nodes == {"1": 1, "1_2": "1", "t": "t"}
    assert conversion.renamed == {"1_2": "1"}


def test_a_place_and_a_transition_of_one_name() -> None:
    net = impasse.Net()
    net.place("x", initial=1)
    net.place("x_2")
    net.transition("x", {"x": 1}, {"x_2": 1})
    graph = net_convert.to_networkx(net)
    assert dict(graph.nodes("kind")) == {"x": "place", "x_2": "place", "x_3": "transition"}
    assert graph.nodes["x_3"]["name"] == "x"
    assert list(graph.edges) == [("x", "x_3"), ("x_3", "x_2")]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda g: g.add_node("n"), "needs the attribute"),
        (lambda g: g.add_node("n", bipartite=2), "needs the attribute"),
        (lambda g: g.add_node("n", kind="event"), "needs the attribute"),
        (lambda g: g.add_edge("p", "q"), "joins two places"),
        (lambda g: g.add_edge("p", "t", weight=0), "at least 1"),
        (lambda g: g.add_edge("p", "t", weight=1.5), "not a whole number"),
        (lambda g: g.add_edge("p", "t", kind="inhibitor"), "inhibitor"),
        (lambda g: g.add_node("p", kind="place", initial=-1), "at least 0"),
        (lambda g: g.add_node("p", kind="place", initial=True), "not a whole number"),
        (lambda g: g.add_node("t", kind="transition", initial=1), "of a place"),
    ],
)
def test_graphs_that_are_no_nets(change: Any, words: str) -> None:
    graph = networkx.DiGraph()
    graph.add_node("p", kind="place")
    graph.add_node("q", kind="place")
    graph.add_node("t", kind="transition")
    change(graph)
    with pytest.raises(impasse.UsageError, match=words):
        net_convert.from_networkx(graph)


def test_a_graph_without_directions() -> None:
    with pytest.raises(impasse.UsageError, match="not directed"):
        net_convert.from_networkx(networkx.Graph())


@pytest.mark.parametrize(
    ("pre", "post", "initial", "words"),
    [
        ([[1]], [[1, 2]], [0], "shapes"),
        ([1], [1], [0], "shapes"),
        ([[1]], [[1]], [0, 0], "initial has 2"),
        ([[1.5]], [[1]], [0], "not a whole number"),
        ([[-1]], [[1]], [0], "at least 0"),
        ([[1]], [[1]], [-1], "at least 0"),
    ],
)
def test_matrices_that_are_no_nets(pre: Any, post: Any, initial: Any, words: str) -> None:
    with pytest.raises(impasse.UsageError, match=words):
        net_convert.from_incidence(pre, post, initial)


def test_names_of_matrices() -> None:
    net = net_convert.from_incidence([[1.0], [0]], [[0], [2]], [1, 0], ["p", "p"], ["p"])
    assert content(net) == ({"p": 1, "p_2": 0}, {"p_3": ({"p": 1}, {"p_2": 2}, None)}, None)
    with pytest.raises(impasse.UsageError, match="place_names has 1"):
        net_convert.from_incidence([[1], [0]], [[0], [2]], [1, 0], ["p"])


def test_a_weight_that_does_not_fit_into_a_matrix() -> None:
    net = impasse.Net()
    net.place("p", initial=2**70)
    net.transition("t", {"p": 2**63}, {})
    with pytest.raises(OverflowError):
        net_convert.incidence(net)


def test_initial_tokens_that_are_open() -> None:
    net = impasse.Net()
    net.place("p", initial=(0, None))
    with pytest.raises(impasse.UsageError, match="not a whole number"):
        net_convert.to_networkx(net)


class TestPm4py:
    @pytest.fixture(autouse=True)
    def _pm4py(self) -> None:
        pytest.importorskip("pm4py")
        from pm4py.objects.petri_net import obj
        from pm4py.objects.petri_net.utils.petri_utils import add_arc_from_to

        self.obj, self.arc = obj, add_arc_from_to

    def net(self, kind: Any = None) -> Any:
        """Two places and two transitions, all called ``n``."""
        net = (kind or self.obj.PetriNet)("twins")
        places = [self.obj.PetriNet.Place("n") for _ in range(2)]
        transitions = [self.obj.PetriNet.Transition("n", label) for label in ("a", None)]
        net.places.update(places)
        net.transitions.update(transitions)
        return net, places, transitions

    def test_names_weights_and_labels(self) -> None:
        net, (p, q), (t, u) = self.net()
        self.arc(p, t, net, 2)
        self.arc(p, t, net)  # a parallel arc
        self.arc(t, q, net)
        self.arc(q, u, net)
        initial, final = self.obj.Marking({p: 3}), self.obj.Marking({q: 1, p: 0})
        conversion = net_convert.convert_pm4py(net, initial, final)
        names = {node: name for name, node in conversion.nodes.items()}
        assert set(conversion.nodes) == {"n", "n_2", "n_3", "n_4"}
        assert set(conversion.renamed) == {"n_2", "n_3", "n_4"}
        assert content(conversion.net) == (
            {names[p]: 3, names[q]: 0},
            {names[t]: ({names[p]: 3}, {names[q]: 1}, "a"), names[u]: ({names[q]: 1}, {}, None)},
            {names[q]: 1},
        )
        assert net_convert.from_pm4py(net, initial).final is None
        assert net_convert.from_pm4py(net, initial, self.obj.Marking()).final == {}

    @pytest.mark.parametrize("kind", ["inhibitor", "reset"])
    def test_other_arcs(self, kind: str) -> None:
        net, (p, _), (t, _) = self.net(self.obj.ResetInhibitorNet)
        self.arc(p, t, net, type=kind)
        with pytest.raises(impasse.UsageError, match=rf"(?i){kind}"):
            net_convert.from_pm4py(net, self.obj.Marking({p: 1}))

    def test_arcs_with_random_weights(self) -> None:
        saw = pytest.importorskip("pm4py.objects.petri_net.saw_net.obj")
        net = saw.StochasticArcWeightNet("random weights")
        p, t = net.Place("p"), net.Transition("t", "a")
        net.places.add(p)
        net.transitions.add(t)
        self.arc(p, t, net, {1: 0.5, 2: 0.5}, type="stochastic_arc")
        with pytest.raises(impasse.UsageError, match="StochasticArcWeightNet"):
            net_convert.from_pm4py(net, self.obj.Marking({p: 1}))

    def test_data(self) -> None:
        net, (p, _), (t, _) = self.net()
        self.arc(p, t, net)
        t.properties["guard"] = "x > 1"
        with pytest.raises(impasse.UsageError, match="guard"):
            net_convert.from_pm4py(net, self.obj.Marking({p: 1}))

    def test_a_place_of_another_net(self) -> None:
        net, _, _ = self.net()
        with pytest.raises(impasse.UsageError, match="no place of the net"):
            net_convert.from_pm4py(net, self.obj.Marking({self.obj.PetriNet.Place("n"): 1}))

    def test_a_discovered_net_there_and_back(self) -> None:
        import pandas
        import pm4py

        log = pandas.DataFrame(
            {
                "case:concept:name": list("1112223333"),
                "concept:name": list("abcacbabbc"),
                "time:timestamp": pandas.date_range("2026-01-01", periods=10, freq="h"),
            }
        )
        net, initial, final = pm4py.discover_petri_net_inductive(log)
        back, again, end = net_convert.to_pm4py(net_convert.from_pm4py(net, initial, final))
        assert Counter(t.label for t in back.transitions) == Counter(t.label for t in net.transitions)
        assert {p.name: n for p, n in again.items()} == {p.name: n for p, n in initial.items()}
        assert {p.name: n for p, n in end.items()} == {p.name: n for p, n in final.items()}
        assert Counter((a.source.name, a.target.name, a.weight) for a in back.arcs) == Counter(
            (a.source.name, a.target.name, a.weight) for a in net.arcs
        )
