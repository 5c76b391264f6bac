"""Soundness, boundedness, dead transitions and replay against brute force."""

from __future__ import annotations

import random
import time
from typing import Any, Optional

import pytest

pytest.importorskip("pm4py")
pytest.importorskip("networkx")

from compare_pm4py import compare, discovered
from pm4py.objects.petri_net.obj import Marking, PetriNet
from pm4py.objects.petri_net.utils.petri_utils import add_arc_from_to
from pm4py_nets import Truth, brute, fire, fires, key, small_net, workflow

from impasse_mc import UsageError
from impasse_mc.pm4py import (
    check_boundedness,
    check_soundness,
    dead_transitions,
    replay_trace,
)
from impasse_mc.pm4py._bounds import CoverGraph
from impasse_mc.pm4py._net import Deadline, PTNet, Space
from impasse_mc.pm4py._reduce import Reduced, ranking


def case(seed: int) -> Any:
    rng = random.Random(seed)
    if seed % 2:
        return small_net(rng)
    return workflow(rng, rng.randint(2, 9), rng.choice([0, 1, 1, 2, 3]))


def made(arcs: str, initial: str, final: str) -> Any:
    """A net of ``t: p q -> r`` lines. The label is the name without digits; with ``_``, none."""
    net, places = PetriNet("made"), {}

    def place(name: str) -> Any:
        if name not in places:
            places[name] = PetriNet.Place(name)
            net.places.add(places[name])
        return places[name]

    for line in arcs.strip().splitlines():
        name, rest = line.split(":")
        name = name.strip()
        t = PetriNet.Transition(name, None if "_" in name else name.rstrip("0123456789"))
        net.transitions.add(t)
        before, after = rest.split("->")
        for p in before.split():
            add_arc_from_to(place(p), t, net)
        for p in after.split():
            add_arc_from_to(t, place(p), net)
    start, end = Marking(), Marking()
    for marking, text in ((start, initial), (end, final)):
        for p in text.split():
            marking[place(p)] += 1
    return net, start, end


def expected(truth: Truth, notion: str) -> bool:
    return {
        "classical": truth.classical,
        "weak": truth.option and truth.proper,
        "relaxed": truth.relaxed,
        "easy": truth.easy,
        "lazy": truth.lazy,
    }[notion]


def check_run(nets: Any, run: Any) -> None:
    """The run is one of pm4py's net, step by step."""
    marking = nets[1]
    for transition, shown in zip(run.nodes, run.markings[1:]):
        assert fires(transition, marking)
        marking = fire(transition, marking)
        assert key(marking) == frozenset(shown.items())


# With a small limit, most nets are decided by questions to Impasse in place of enumeration.
@pytest.mark.parametrize("limit", [1, 3000])
@pytest.mark.parametrize("notion", ["classical", "weak", "relaxed", "easy", "lazy"])
def test_soundness_against_brute_force(notion: str, limit: int) -> None:
    verdicts = set()
    for seed in range(24):
        nets = case(seed)
        truth = brute(*nets)
        if truth is None:
            continue
        result = check_soundness(*nets, notion=notion, limit=limit, timeout=10, all_conditions=True)
        if result.verdict == "unknown":
            # Without proper completion and with few markings there is no way to complete.
            assert limit == 1 and notion in ("classical", "weak"), seed
            continue
        assert (result.verdict == "sound") == expected(truth, notion), (seed, str(result))
        assert (result.reason is None) == (result.verdict == "sound")
        verdicts.add(result.verdict)
        for condition in result.conditions:
            if condition.run is not None:
                check_run(nets, condition.run)
    assert verdicts == {"sound", "unsound"}


@pytest.mark.parametrize("cover", [False, True])
def test_reduction_keeps_the_answer(cover: bool) -> None:
    answers, smaller = set(), 0
    for seed in range(300):
        nets = case(seed)
        truth = brute(*nets, limit=300)
        if truth is None:
            continue
        reduced = Reduced(PTNet.read(*nets), cover=cover, growth=seed % 3)
        space = Space(reduced.net, 300)
        assert space.complete and len(space.markings) <= len(truth.graph)
        final = reduced.net.final
        goals = [
            n for n, m in enumerate(space.markings) if m == final or (cover and all(a >= b for a, b in zip(m, final)))
        ]
        bad = space.cannot_reach(iter(goals))
        assert (bad is None) == (truth.covers if cover else truth.option), seed
        if bad is not None:
            run = PTNet.read(*nets).run(reduced.lift(space.path(bad)))
            check_run(nets, run)
        answers.add(bad is None)
        smaller += len(space.markings) < len(truth.graph)
    assert answers == {False, True} and smaller > 50


@pytest.mark.parametrize(
    ("arcs", "initial", "final"),
    [
        # A producer without inputs cannot wait for its consumer: it may fire once more.
        ("f_: -> p\nh: p a -> b", "a", "b"),
        # Twins by their arcs, but not in the final marking.
        ("t: a -> b c", "a", "b"),
        ("t: a -> b c", "a", "c"),
    ],
)
def test_rules_that_do_not_fit(arcs: str, initial: str, final: str) -> None:
    reduced = Reduced(PTNet.read(*made(arcs, initial, final)), cover=False).net
    space = Space(reduced, 100)
    goals = [n for n, m in enumerate(space.markings) if m == reduced.final]
    assert not space.complete or space.cannot_reach(iter(goals)) is not None


def test_to_cover_is_not_to_reach() -> None:
    # The end is always covered, but after `more` it is not reached exactly any more.
    nets = made("a: i -> o\nmore: o -> o x x\nless: o x x x -> o", "i", "o")
    result = check_soundness(*nets, notion="weak", limit=50, all_conditions=True)
    assert result["proper completion"].verdict == "fails"
    assert result["option to complete"].verdict == "unknown"


def test_conditions_for_completion_name_what_is_only_read() -> None:
    # `b` needs a token on `k`, and puts it back; without it, no run comes to the end.
    arcs = "a: i -> p k\nmore: p -> p x\nless: p x x -> p\nb: p k -> o k"
    assert check_soundness(*made(arcs, "i", "o"), notion="lazy", limit=50).verdict == "sound"
    result = check_soundness(*made(arcs + "\ndrop: p k -> p", "i", "o"), notion="lazy", limit=50)
    assert result.verdict == "unsound" and "drop" in result.run.transitions
    assert result["option to complete"].how == "checked by Impasse"


def test_sound_blocks_reduce_to_two_places() -> None:
    for seed in range(20):
        nets = workflow(random.Random(seed), size=40)
        assert len(Reduced(PTNet.read(*nets), cover=False).kept) == 2, seed


def test_a_sound_net_with_a_billion_markings() -> None:
    # 20 branches of 3 places in parallel; a loop prevents the weights of a net without cycle.
    names = [f"p{i}" for i in range(20)]
    lines = [f"split: i -> {' '.join(names)}", f"join: {' '.join(n + 'z' for n in names)} -> o"]
    for n in names:
        lines += [f"a{n}: {n} -> {n}y", f"b{n}: {n}y -> {n}z", f"back{n}: {n}y -> {n}"]
    nets = made("\n".join(lines), "i", "o")
    assert ranking(PTNet.read(*nets)) is None
    result = check_soundness(*nets, limit=1000)
    assert result.verdict == "sound", result
    assert "rules reduced" in result["option to complete"].how


LOOP = """
    in: i -> p
    work: p -> q
    again: q -> p
    out: q -> o
"""


def test_each_condition() -> None:
    sound = check_soundness(*made(LOOP, "i", "o"))
    assert sound.verdict == "sound" and sound.reason is None and sound.run is None
    assert [c.verdict for c in sound.conditions] == ["holds"] * 4
    assert sound["proper completion"].how == "checked by Impasse"
    with pytest.raises(TypeError):
        bool(sound)
    with pytest.raises(KeyError):
        sound["no such condition"]

    dead = check_soundness(*made(LOOP + "never: p q -> o", "i", "o"))
    assert dead.verdict == "unsound" and dead.dead_transitions == ["never"]
    assert dead.reason == "no dead transitions: never fire: never"
    assert dead["option to complete"].verdict == "skipped"
    assert check_soundness(*made(LOOP + "never: p q -> o", "i", "o"), notion="weak").verdict == ("sound")

    stuck = check_soundness(
        *made("a: i -> p q\nb: p -> r\nc: q -> r\nd: p -> s\ne: r r -> o\nf: s -> o", "i", "o"), all_conditions=True
    )
    assert stuck["option to complete"].reason == "the run ends, but not in the final marking"
    assert stuck["option to complete"].how == "checked by Impasse"

    trap = check_soundness(
        *made(LOOP + "lost: p -> x\nround: x -> y\nback: y -> x\ng: y z -> o\nh: p -> z w\nk: z w -> o", "i", "o"),
        all_conditions=True,
    )
    assert trap.verdict == "unsound"
    assert trap["option to complete"].run.transitions[:2] == ["in", "lost"]
    assert trap["option to complete"].how.startswith("checked by Impasse (the run was found")

    improper = check_soundness(*made("a: i -> p q\nb: p -> o\nc: q -> q2\nd: q2 p -> o", "i", "o"))
    assert improper.reason.startswith("proper completion: after the run")
    assert improper.run.final["o"] == 1 and sum(improper.run.final.values()) == 2


@pytest.mark.parametrize(
    ("arcs", "initial", "final", "words"),
    [
        ("a: i j -> o", "i", "o", "one source place, but here there are 2: i, j"),
        ("a: i -> o q", "i", "o", "one sink place, but here there are 2"),
        ("a: i -> i", "i", "i", "one source place, but here there are 0: none"),
        (LOOP, "i i", "o", "initial marking is not one token on i"),
        (LOOP, "i", "p", "final marking is not one token on o"),
        (LOOP + "x: a -> b\ny: b -> a", "i", "o", "no path leads from the source to a"),
        (LOOP + "x: p -> a\ny: a -> a", "i", "o", "no path leads from a to the sink"),
        (LOOP + "x: -> p", "i", "o", "no path leads from the source to x"),
        (LOOP + "x: p ->", "i", "o", "no path leads from x to the sink"),
    ],
)
def test_nets_that_are_no_workflow_nets(arcs: str, initial: str, final: str, words: str) -> None:
    result = check_soundness(*made(arcs, initial, final))
    assert result.verdict == "unsound" and words in result.reason
    assert len(result.conditions) == 1


def test_an_unbounded_net_may_be_lazily_sound() -> None:
    # The branch at `p` puts tokens on `x` as often as it likes, and they may stay.
    nets = made("a: i -> p\nmore: p -> p x\nless: x ->\nb: p -> o\nc: p x -> o", "i", "o")
    result = check_soundness(*nets, notion="lazy")
    assert result.verdict == "sound", result
    # Here the branch is lost with a token on `y`, for any number of tokens on `x`.
    nets = made("a: i -> p\nmore: p -> p x\nlost: p x x -> y\nagain: y x -> y\nb: p -> o", "i", "o")
    result = check_soundness(*nets, notion="lazy")
    assert result.verdict == "unsound" and result.run is not None
    # The end is reached from everywhere, but only after a question for infinitely many markings.
    nets = made(
        "a: i -> p\nmore: p -> p x\nstop: p -> r\nless: r x -> r\nspin: r -> s\nback: s -> r\nb: s -> o", "i", "o"
    )
    result = check_soundness(*nets, notion="lazy", limit=100)
    assert result.verdict == "sound"
    assert check_soundness(*nets).verdict == "unsound"


COUNTER = """
    up: u u -> u x
    down: x x -> x u
    round: t -> s
    back: s -> t
"""


def test_a_bound_is_no_proof() -> None:
    # All markings but those after `lost`, which needs 40 steps, can go back to the final one.
    start, end = "u " * 40, "x " + "u " * 39
    lost = f"lost: u {'x ' * 39} -> t"
    for arcs, verdict in ((COUNTER, "sound"), (COUNTER + lost, "unsound")):
        for limit in (10, 1000):
            result = check_soundness(*made(arcs, start, end), notion="weak", limit=limit)
            assert result.verdict == verdict, (limit, str(result))
            if verdict == "unsound":
                assert len(result.run) >= 40
            how = result["option to complete"].how
            assert ("rounds" in how) == (verdict == "sound" and limit == 10), how
    # Nothing is proved if the time is over before the question is answered.
    result = check_soundness(*made(COUNTER + lost, start, end), notion="weak", timeout=1e-9)
    assert result.verdict == "unknown" and result.reason


def test_boundedness_and_dead_transitions_against_brute_force() -> None:
    unbounded = dead = 0
    for seed in range(24):
        nets = case(seed)
        truth = brute(*nets)
        result = check_boundedness(*nets[:2], timeout=10)
        if truth is not None:
            assert (result.verdict, result.bounds) == ("bounded", truth.bounds), seed
            assert result.pumping is None
            found = dead_transitions(*nets[:2], timeout=10)
            assert set(found.dead) == truth.dead and not found.unknown, seed
            dead += len(found.dead)
            continue
        assert result.verdict == "unbounded", seed
        first, loop = result.pumping
        check_run(nets, first)
        assert loop.initial == first.final and loop.initial != loop.final
        assert all(loop.final[p] >= n for p, n in loop.initial.items())
        for place in result.unbounded:
            run = result.witness(place, 25)
            check_run(nets, run)
            assert run.final[place] >= 25
        unbounded += 1
    assert unbounded > 3 and dead > 5


def test_a_place_that_is_pumped_by_another_one() -> None:
    # `y` gets a token for each one on `x`, after `x` cannot grow any more; `z` gets as many again.
    nets = made("up: p -> p x\nstop: p -> q\nmove: q x -> q y\nnext: q -> r\nlast: r y -> r z", "p", "r")
    result = check_boundedness(*nets[:2])
    assert result.unbounded == ["x", "y", "z"]
    assert result.bounds == {"p": 1, "q": 1, "r": 1, "x": None, "y": None, "z": None}
    run = result.witness("z", 30)
    check_run(nets, run)
    assert run.final["z"] >= 30
    with pytest.raises(UsageError, match="too long"):
        result.witness("z", 10**7)
    with pytest.raises(UsageError, match="no run to 2 tokens"):
        result.witness("p", 2)


def test_bounds_beyond_the_limit_of_the_graph() -> None:
    nets = made("a: p p -> q\nb: q -> p p", " ".join("p" * 30), "p")
    graph = CoverGraph(PTNet.read(*nets), 5, Deadline(None))
    assert not graph.complete
    result = check_boundedness(*nets[:2], limit=5)
    assert (result.verdict, result.bounds) == ("bounded", {"p": 30, "q": 15})
    assert set(result.how.values()) == {"checked by Impasse"}


def accepted(truth: Truth, nets: Any, trace: list[str]) -> Optional[int]:
    """None if the trace fits, else the number of labels that can be replayed."""
    labels = {t.name: t.label for t in nets[0].transitions}

    def step(markings: set[Any], label: Optional[str]) -> set[Any]:
        return {v for u in markings for _, v, name in truth.graph.out_edges(u, data="name") if labels[name] == label}

    def closed(markings: set[Any]) -> set[Any]:
        while not step(markings, None) <= markings:
            markings = markings | step(markings, None)
        return markings

    here = closed({truth.initial})
    for number, label in enumerate(trace):
        here = closed(step(here, label))
        if not here:
            return number
    return None if truth.final in here else len(trace)


def test_replay_against_brute_force() -> None:
    fits = total = 0
    for seed in range(30):
        nets = case(seed)
        truth = brute(*nets)
        if truth is None:
            continue
        rng = random.Random(seed)
        for kind in range(3):
            trace, marking = [], nets[1]
            for _ in range(10):
                choices = [t for t in sorted(nets[0].transitions, key=str) if fires(t, marking)]
                if not choices or (key(marking) == truth.final and rng.random() < 0.7):
                    break
                chosen = rng.choice(choices)
                marking = fire(chosen, marking)
                trace += [chosen.label] if chosen.label else []
            if kind and trace:
                trace[rng.randrange(len(trace))] = rng.choice([*trace, "no such label"])
            wanted = accepted(truth, nets, trace)
            result = replay_trace(*nets, trace, timeout=10)
            assert result.verdict == ("does not fit" if wanted is not None else "fits"), seed
            assert result.position == wanted, (seed, trace)
            if result.run is not None:
                check_run(nets, result.run)
                assert result.run.trace == trace[:wanted]
            fits += wanted is None
            total += 1
    assert 10 < fits < total - 20


def test_replay_says_what_fails() -> None:
    nets = made("a1: i -> p\nskip_: p -> q\nb: p -> q\nc: q -> o", "i", "o")
    assert replay_trace(*nets, ["a", "c"]).run.transitions == ["a1", "skip_", "c"]
    result = replay_trace(*nets, ["a", "b", "b", "c"])
    assert (result.position, result.label) == (2, "b")
    result = replay_trace(*nets, ["a", "b"])
    assert (result.position, result.label) == (2, None) and "final marking" in result.reason
    assert replay_trace(nets[0], nets[1], None, ["a", "b"]).verdict == "fits"
    assert replay_trace(*nets, ["z"]).position == 0
    assert replay_trace(*nets, []).position == 0
    with pytest.raises(UsageError, match="no text"):
        replay_trace(*nets, [1])


def test_a_silent_loop_without_bound() -> None:
    # The trace needs 30 silent steps that fill `x`, one for each `b`.
    nets = made("fill_: i -> i x\na: i -> p\nb: p x -> p\nc: p -> o", "i", "o")
    result = replay_trace(*nets, ["a", *("b" * 30), "c"])
    assert result.verdict == "fits" and result.run.transitions.count("fill_") == 30


def test_timeouts_and_options() -> None:
    nets = workflow(random.Random(1), size=30)
    start = time.monotonic()
    result = check_soundness(*nets, timeout=0.001)
    assert time.monotonic() - start < 5
    assert result.verdict in ("sound", "unknown")
    with pytest.raises(UsageError, match="none of"):
        check_soundness(*nets, notion="perfect")
    with pytest.raises(UsageError, match="final marking"):
        check_soundness(nets[0], nets[1])
    with pytest.raises(UsageError, match="initial marking"):
        check_soundness(nets[0])
    for wrong in (-1, float("nan"), "10"):
        with pytest.raises(UsageError, match="timeout"):
            check_soundness(*nets, timeout=wrong)


def test_no_time_at_all_is_a_limit_as_for_check() -> None:
    nets = workflow(random.Random(1), size=30)
    result = check_soundness(*nets, timeout=0)
    assert result.verdict == "unknown" and result.reason is not None


def test_side_by_side_with_pm4py() -> None:
    # The whole comparison is a script: `python tests/compare_pm4py.py`.
    rows = list(compare(discovered(20, seed=7), timeout=3, always=True, limit=2000))
    assert len({row.miner for row in rows}) == 3
    assert {row.impasse.verdict for row in rows} == {"sound", "unsound"}
    decided = [row for row in rows if row.truth is not None]
    assert len(decided) >= 15
    for row in decided:
        assert row.impasse.verdict == ("sound" if row.truth else "unsound"), row
    assert sum(row.agree for row in rows) >= 12
