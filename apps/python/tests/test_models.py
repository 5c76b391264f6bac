"""Builders: nets, circuits, programs, systems in Python; and the SAT solver."""

from __future__ import annotations

import copy
import gc
import itertools
import operator as operators
import pickle
import random
import subprocess
import sys
import threading
import time
import weakref
from typing import Any, NamedTuple

import pytest

import impasse_mc as impasse


def brute_force(net: impasse.Net, limit: int = 3000) -> set[tuple[int, ...]]:
    """Returns the reachable markings by plain search."""
    names = [place.name for place in net.places]
    start = tuple(place.initial for place in net.places)
    seen, open_ = {start}, [start]
    while open_:
        marking = dict(zip(names, open_.pop()))
        for transition in net.transitions:
            if all(marking[p] >= n for p, n in transition.inputs.items()):
                after = dict(marking)
                for place, tokens in transition.inputs.items():
                    after[place] -= tokens
                for place, tokens in transition.outputs.items():
                    after[place] += tokens
                key = tuple(after[name] for name in names)
                if key not in seen:
                    seen.add(key)
                    open_.append(key)
                    if len(seen) > limit:
                        raise OverflowError
    return seen


def random_net(draw: random.Random) -> impasse.Net:
    net = impasse.Net("random")
    places = [net.place(f"p{i}", draw.randrange(3)) for i in range(draw.randrange(2, 5))]
    for i in range(draw.randrange(1, 6)):

        def arcs() -> dict[str, int]:
            return {p: draw.randrange(1, 3) for p in draw.sample(places, draw.randrange(0, 3))}

        net.transition(f"t{i}", arcs(), arcs())
    return net


def test_random_nets_agree_with_plain_search() -> None:
    draw, compared = random.Random(1), 0
    while compared < 150:
        net = random_net(draw)
        try:
            reachable = brute_force(net)
        except OverflowError:
            continue
        names = [place.name for place in net.places]
        bound = draw.randrange(1, 5)
        name = draw.choice(names)
        column = names.index(name)
        outcome = impasse.check(net, [f"EF {name} >= {bound}", "deadlock"], timeout=20)
        wanted = any(marking[column] >= bound for marking in reachable)
        assert outcome[0].answer == ("reachable" if wanted else "unreachable")
        dead = any(
            all(any(m[names.index(p)] < n for p, n in t.inputs.items()) for t in net.transitions) for m in reachable
        )
        assert outcome["deadlock"].verdict == ("unsafe" if dead else "safe")
        if wanted:
            run = outcome[0].run
            assert run is not None and tuple(run.final[n] for n in names) in reachable
        compared += 1


def test_nets_refuse_what_makes_no_sense() -> None:
    net = impasse.Net()
    net.place("p")
    for wrong in (
        lambda: net.place("p"),
        lambda: net.place("q", -1),
        lambda: net.place("q", (2, 1)),
        lambda: net.transition("t", {"x": 1}, {}),
        lambda: net.transition("t", {"p": -1}, {}),
        lambda: setattr(net, "final", {"x": 1}),
    ):
        with pytest.raises(impasse.UsageError):
            wrong()
    assert [place.name for place in net.places] == ["p"]


def test_nets_hold_any_number_of_tokens() -> None:
    net = impasse.Net()
    net.place("p", 10**12), net.place("many", (0, None)), net.place("q")
    net.transition("t", {"p": 10**12, "many": 3}, {"q": 10**11})
    answer = impasse.check(net, f"EF q >= {10**11}")[0]
    assert answer.answer == "reachable"
    assert answer.run is not None and answer.run.final["q"] == 10**11


def test_numbers_beyond_machine_words_are_kept() -> None:
    net = impasse.Net()
    net.place("p", 10**30), net.place("q")
    net.transition("t", {"p": 10**30}, {"q": 10**29})
    assert net.structure()["transitions"][0]["inputs"] == {"p": 10**30}
    assert net.structure()["places"][0]["initial"] == 10**30
    # No engine computes with such numbers. None of them may be wrong about them.
    answer = impasse.check(net, f"EF q >= {10**29}", timeout=5)[0]
    assert answer.answer in ("reachable", "unknown")


def test_final_markings_are_no_deadlocks() -> None:
    net = impasse.Net()
    net.place("p", 1), net.place("q")
    net.transition("t", {"p": 1}, {"q": 1})
    assert impasse.check(net, "deadlock").verdict == "unsafe"
    net.final = {"q": 1}
    outcome = impasse.check(net, ["deadlock", "final"])
    assert outcome["deadlock"].verdict == "safe"
    assert outcome["final"].answer == "reachable"


def test_models_compare_by_content(mutex: impasse.Net) -> None:
    copy = pickle.loads(pickle.dumps(mutex))
    assert copy == mutex and hash(copy) == hash(mutex) and copy.digest() == mutex.digest()
    copy.place("more")
    assert copy != mutex and copy.digest() != mutex.digest()
    first = impasse.loads("rwb 1 event a thread T { state s { } }", "rwb")
    second = impasse.loads("rwb 1 event a thread T { state t { } }", "rwb")
    assert first != second and first != mutex
    assert repr(mutex) == "<impasse net 'mutex': 3 places, 2 transitions>"


def test_structure_is_what_was_built(mutex: impasse.Net, stuck: impasse.Model) -> None:
    drawn = mutex.structure()
    assert drawn["transitions"][0] == {
        "name": "enter",
        "label": "in",
        "inputs": {"idle": 1, "lock": 1},
        "outputs": {"busy": 1},
        "plain": True,
    }
    threads = stuck.structure()["threads"]
    assert [state["request"] for state in threads[0]["states"]] == [["a"], ["b"]]
    assert threads[1]["edges"] == [{"from": 0, "to": 1, "events": ["a"]}]


def random_circuit(draw: random.Random) -> tuple[impasse.Circuit, Any]:
    """Returns a circuit, and a function from a state and inputs to the next state and the bad signal."""
    circuit = impasse.Circuit()
    inputs = [circuit.input(f"i{k}") for k in range(2)]
    latches = [circuit.latch(f"l{k}", initial=draw.choice([False, True])) for k in range(3)]
    start = tuple(bool(circuit._latches[latch._code][0]) for latch in latches)
    signals = [(signal, ("in", k)) for k, signal in enumerate(inputs)]
    signals += [(latch, ("latch", k)) for k, latch in enumerate(latches)]
    for _ in range(draw.randrange(3, 9)):
        (a, ta), (b, tb) = draw.choice(signals), draw.choice(signals)
        operator = draw.choice(["and", "or", "xor", "not"])
        made = {"and": operators.and_, "or": operators.or_, "xor": operators.xor}
        signals.append((~a if operator == "not" else made[operator](a, b), (operator, ta, tb)))
    nexts = [draw.choice(signals) for _ in latches]
    for latch, (signal, _) in zip(latches, nexts):
        circuit.next(latch, signal)
    bad, bad_term = draw.choice(signals)
    circuit.bad("bad", bad)

    def value(term: Any, state: tuple[bool, ...], given: tuple[bool, ...]) -> bool:
        kind = term[0]
        if kind == "in":
            return given[term[1]]
        if kind == "latch":
            return state[term[1]]
        left = value(term[1], state, given)
        if kind == "not":
            return not left
        right = value(term[2], state, given)
        return {"and": left and right, "or": left or right, "xor": left != right}[kind]

    def step(state: tuple[bool, ...], given: tuple[bool, ...]) -> tuple[tuple[bool, ...], bool]:
        return tuple(value(t, state, given) for _, t in nexts), value(bad_term, state, given)

    return circuit, (start, step)


def test_random_circuits_agree_with_plain_search() -> None:
    draw = random.Random(2)
    verdicts = set()
    for _ in range(150):
        circuit, (start, step) = random_circuit(draw)
        seen, open_, bad = {start}, [start], False
        while open_:
            state = open_.pop()
            for given in itertools.product([False, True], repeat=2):
                after, is_bad = step(state, given)
                bad = bad or is_bad
                if after not in seen:
                    seen.add(after)
                    open_.append(after)
        verdict = impasse.check(circuit)["bad"].verdict
        assert verdict == ("unsafe" if bad else "safe")
        verdicts.add(verdict)
    assert verdicts == {"safe", "unsafe"}


def test_circuits_refuse_what_makes_no_sense() -> None:
    circuit, other = impasse.Circuit(), impasse.Circuit()
    latch = circuit.latch("l")
    with pytest.raises(TypeError):
        bool(latch)
    with pytest.raises(impasse.UsageError, match="another circuit"):
        latch & other.input()
    with pytest.raises(impasse.UsageError, match="no next value"):
        circuit.to_aiger()
    circuit.next(latch, True)
    for wrong in (lambda: circuit.next(latch, False), lambda: circuit.next(~latch, False)):
        with pytest.raises(impasse.UsageError):
            wrong()


class Counter(impasse.System):
    """Counts to a limit, and may start again."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def initial(self) -> Any:
        return [0]

    def successors(self, state: int) -> Any:
        if state < self.limit:
            yield "up", state + 1

    def never(self) -> Any:
        return {"ten": lambda state: state == 10}


def test_systems_in_python_are_searched() -> None:
    outcome = impasse.check(Counter(9))
    assert outcome["ten"].verdict == "safe"
    assert outcome["ten"].evidence is not None and outcome["ten"].evidence.length == 10
    run = impasse.check(Counter(12))["ten"].run
    assert run is not None and run.events == ["up"] * 10
    assert run.final == {"state": "10"}
    assert impasse.check(pickle.loads(pickle.dumps(Counter(9))))["ten"].verdict == "safe"
    assert Counter(9) != Counter(9) and Counter(9).digest() != Counter(9).digest()
    with pytest.raises(impasse.UsageError, match="evidence"):
        outcome.replay()


class State(NamedTuple):
    """Two numbers."""

    left: int
    right: int


class Deadlocking(impasse.System):
    """Two counters that stop each other."""

    deadlock = True

    def initial(self) -> Any:
        yield State(0, 0)

    def successors(self, state: State) -> Any:
        for name in ("left", "right"):
            after = state._replace(**{name: getattr(state, name) + 1})
            if max(after) - min(after) <= 1 and sum(after) <= 5:
                yield name, after


def test_deadlocks_of_systems_in_python() -> None:
    answer = impasse.check(Deadlocking(), shortest=True)["deadlock"]
    assert answer.run is not None and len(answer.run) == 5
    assert sorted(answer.run.final.values()) == ["2", "3"]


class Broken(Counter):
    """Fails at 5."""

    def successors(self, state: int) -> Any:
        if state == 5:
            raise RuntimeError("broken at 5")
        return super().successors(state)


def test_exceptions_of_systems_arrive() -> None:
    with pytest.raises(RuntimeError, match="broken at 5"):
        impasse.check(Broken(9))


class Unhashable(Counter):
    """Has a state without a hash."""

    def successors(self, state: Any) -> Any:
        yield "list", []


def test_states_must_be_hashable() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        impasse.check(Unhashable(9))


class Whimsical(Counter):
    """Answers differently each time, so that its evidence cannot be right."""

    calls = 0

    def successors(self, state: int) -> Any:
        Whimsical.calls += 1
        yield "up", (state + Whimsical.calls) % 1000


def test_systems_that_change_their_mind_get_no_verdict() -> None:
    with pytest.raises(impasse.UsageError, match="answered differently"):
        impasse.check(Whimsical(9), timeout=5)


def test_checks_of_systems_do_not_share_state() -> None:
    system = Counter(3)
    assert impasse.check(system)["ten"].verdict == "safe"
    system.limit = 12
    assert impasse.check(system)["ten"].verdict == "unsafe"
    broken = Broken(9)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="broken at 5"):
            impasse.check(broken)


def test_exceptions_of_systems_arrive_in_every_thread() -> None:
    broken, seen = Broken(9), []

    def work() -> None:
        for _ in range(20):
            try:
                seen.append(impasse.check(broken).verdict)
            except RuntimeError:
                seen.append("raised")

    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert seen == ["raised"] * 80


class Slow(Counter):
    """Takes its time."""

    calls = 0

    def successors(self, state: int) -> Any:
        time.sleep(0.01)
        Slow.calls += 1
        return super().successors(state)


def test_slow_systems_stop_in_time() -> None:
    begun = time.monotonic()
    answer = impasse.check(Slow(10**6), timeout=0.3)["ten"]
    assert time.monotonic() - begun < 1.5
    assert answer.verdict in ("unsafe", "unknown")
    calls = Slow.calls
    time.sleep(0.1)
    assert Slow.calls == calls


class Unshown(Counter):
    """Cannot show its states."""

    def show(self, state: int) -> Any:
        raise RuntimeError("not shown")


def test_exceptions_while_a_run_is_shown_arrive() -> None:
    with pytest.raises(RuntimeError, match="not shown"):
        impasse.check(Unshown(12))


class Nowhere(Counter):
    """Has no initial state."""

    def initial(self) -> Any:
        return []


class Lists(Counter):
    """Yields something else than pairs."""

    def successors(self, state: int) -> Any:
        return ["ab"]


def test_systems_without_sense_are_refused() -> None:
    with pytest.raises(impasse.UsageError, match="no state"):
        impasse.check(Nowhere(1))
    with pytest.raises(TypeError, match="pairs of an action and a state"):
        impasse.check(Lists(1))


def test_systems_are_freed() -> None:
    system = Counter(50)
    impasse.check(system)
    reference = weakref.ref(system)
    del system
    gc.collect()
    assert reference() is None


def test_the_interpreter_ends_while_a_system_is_checked() -> None:
    code = """if True:
        import impasse_mc as impasse, threading, time
        class Endless(impasse.System):
            def initial(self): return [0]
            def successors(self, state):
                time.sleep(0.002)
                yield "up", state + 1
            def never(self): return {"negative": lambda state: state < 0}
        threading.Thread(target=lambda: impasse.check(Endless()), daemon=True).start()
        time.sleep(0.3)
    """
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr


def test_small_stacks_suffice() -> None:
    deep = "(and " * 300 + "true" + ")" * 300
    state = {"name": "s", "request": [{"event": "e", "when": deep}]}
    program = {
        "rwb": 2,
        "events": [{"name": "e", "parameters": [{"name": "v", "sort": "Bool"}]}],
        "threads": [{"name": "T", "states": [state]}],
    }
    results: list[str] = []
    size = threading.stack_size(64 << 10)
    try:
        thread = threading.Thread(target=lambda: results.append(impasse.Program(program).kind))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
    assert results == ["program"]


def test_random_formulas_agree_with_plain_search() -> None:
    draw, answers = random.Random(3), set()
    for _ in range(300):
        clauses = [
            [draw.choice([-1, 1]) * draw.randrange(1, 7) for _ in range(draw.randrange(1, 4))]
            for _ in range(draw.randrange(1, 25))
        ]
        models = [
            set(model)
            for model in itertools.product(*[(v, -v) for v in range(1, 7)])
            if all(any(lit in model for lit in clause) for clause in clauses)
        ]
        solver = impasse.Solver(clauses)
        assumptions = [draw.choice([-1, 1]) * v for v in draw.sample(range(1, 7), 2)]
        wanted = any(set(assumptions) <= model for model in models)
        answers.add(wanted)
        assert solver.solve(assumptions) is wanted
        if wanted:
            model = set(solver.model())
            assert set(assumptions) <= model
            assert all(any(lit in model for lit in clause) for clause in clauses)
        else:
            core = set(solver.core())
            assert core <= set(assumptions)
            assert not any(core <= model for model in models)
        assert solver.solve() is bool(models)
        if not models:
            prover = impasse.Solver(clauses, proof=True)
            assert prover.solve() is False
            proof = prover.proof()
            assert impasse.check_proof(clauses, proof) is None
            assert impasse.check_proof(clauses, b"") is not None
    assert answers == {True, False}


def test_the_solver_refuses_what_makes_no_sense() -> None:
    solver = impasse.Solver([[1, 2]])
    with pytest.raises(impasse.UsageError):
        solver.add_clause([0])
    with pytest.raises(ValueError, match="no model"):
        solver.model()
    assert solver.solve()
    with pytest.raises(ValueError, match="no core"):
        solver.core()
    with pytest.raises(ValueError, match="proof=True"):
        solver.proof()
    logging = impasse.Solver([[1]], proof=True)
    assert logging.solve() is True
    with pytest.raises(impasse.UsageError, match="one formula"):
        logging.add_clause([2])


def test_a_query_of_the_solver_has_limits() -> None:
    pigeons, holes = 12, 11

    def var(pigeon: int, hole: int) -> int:
        return pigeon * holes + hole + 1

    solver = impasse.Solver([[var(p, h) for h in range(holes)] for p in range(pigeons)])
    for h in range(holes):
        for p, q in itertools.combinations(range(pigeons), 2):
            solver.add_clause([-var(p, h), -var(q, h)])
    assert solver.solve(conflicts=10) is None
    assert solver.solve(timeout=0.2) is None
    assert solver.counts().conflicts >= 10
    assert solver.solve([-var(0, 0)], conflicts=10) is None


# What a tester found.


@pytest.mark.parametrize("wrong", [1.7, 0.5, "1", True, None, -1, [1]])
def test_nets_refuse_weights_that_are_not_whole(wrong: Any) -> None:
    net = impasse.Net()
    net.place("p")
    for give in (
        lambda: net.place("q", wrong),
        lambda: net.place("q", (0, wrong) if wrong is not None else (wrong, 1)),
        lambda: net.transition("t", {"p": wrong}, {}),
        lambda: net.transition("t", {}, {"p": wrong}),
        lambda: setattr(net, "final", {"p": wrong}),
    ):
        with pytest.raises(impasse.UsageError, match=r"whole number|at least"):
            give()
    assert net.transitions == [] and net.final is None and len(net.places) == 1


def test_integers_of_numpy_are_tokens() -> None:
    numpy = pytest.importorskip("numpy")
    nets = []
    for number in (int, numpy.int64, numpy.uint8):
        net = impasse.Net()
        net.place("p", number(3)), net.place("q", (number(0), number(2)))
        net.transition("t", {"p": number(1)}, {"q": number(2)})
        net.final = {"q": number(6)}
        nets.append(net)
    assert nets[0] == nets[1] == nets[2] and len({net.digest() for net in nets}) == 1
    assert type(nets[1].places[0].initial) is int
    assert impasse.check(nets[1], "final", jobs=1)[0].verdict == impasse.check(nets[0], "final")[0].verdict


def test_numbers_of_tokens_have_at_most_4000_digits() -> None:
    net = impasse.Net()
    net.place("p", 10**4000 - 1)
    net.transition("t", {"p": 1}, {})
    assert net.digest() and impasse.check(net, "EF p = 0", timeout=0).verdict
    for give in (lambda: net.place("q", 10**5000), lambda: net.transition("u", {"p": 10**4000}, {})):
        with pytest.raises(impasse.UsageError, match="4000 digits"):
            give()


def test_transitions_are_handed_out_as_copies() -> None:
    net = impasse.Net()
    net.place("p")
    net.transition("t", {"p": 1}, {"p": 2})
    before = net.digest()
    net.transitions[0].inputs["p"] = 5
    net.transitions[0].outputs.clear()
    assert net.transitions[0].inputs == {"p": 1} and net.transitions[0].outputs == {"p": 2}
    assert net.digest() == before


def test_copies_of_nets_and_circuits_are_apart() -> None:
    net = impasse.Net()
    net.place("p")
    net.final = {"p": 1}
    copied = copy.copy(net)
    assert copied == net
    net.place("q"), net.transition("t", {}, {"q": 1})
    net.final = {"q": 1}
    assert [place.name for place in copied.places] == ["p"] and copied.transitions == [] and copied.final == {"p": 1}
    assert copied.info()["places"] == 1 and net.info()["places"] == 2
    circuit = impasse.Circuit()
    latch = circuit.latch("l")
    circuit.next(latch, ~latch)
    kept = copy.copy(circuit)
    circuit.bad("on", latch)
    assert kept.questions == [] and len(circuit.questions) == 1


def test_circuits_refuse_numbers_as_signals() -> None:
    circuit = impasse.Circuit()
    latch = circuit.latch("l")
    for wrong in (
        lambda: circuit.bad("x", 5),
        lambda: circuit.bad("x", 1),
        lambda: latch & 2,
        lambda: 0 | latch,
        lambda: latch ^ None,
        lambda: circuit.next(latch, "1"),
        lambda: circuit.constrain(1.0),
        lambda: circuit.latch("m", initial=2),
    ):
        with pytest.raises(impasse.UsageError, match="True or False"):
            wrong()
    circuit.next(latch, latch | True)
    circuit.bad("x", latch & True)
    assert impasse.check(circuit)["x"].verdict == "unsafe"


def test_circuits_refuse_a_name_twice() -> None:
    circuit = impasse.Circuit()
    latch = circuit.latch("a")
    circuit.next(latch, False)
    circuit.bad("x", latch)
    for wrong in (lambda: circuit.latch("a"), lambda: circuit.input("a"), lambda: circuit.bad("x", latch)):
        with pytest.raises(impasse.UsageError, match="already"):
            wrong()
    other = impasse.Circuit()
    other.next(other.latch("l1"), False), other.next(other.latch(), True)
    with pytest.raises(impasse.UsageError, match="two signals are called 'l1'"):
        other.to_aiger()


@pytest.mark.parametrize("name", ["", "request lost", "a\nb0 c", "a\tb", "é", "a,b", "b1", "o0", "b", "\x7f"])
def test_circuits_refuse_names_that_answers_cannot_have(name: str) -> None:
    circuit = impasse.Circuit()
    with pytest.raises(impasse.UsageError, match="allowed are"):
        circuit.bad(name, circuit.input())
    circuit.bad("b0", False), circuit.bad("!~:{}", False), circuit.bad("b2", False)
    assert [question.id for question in circuit.questions] == ["b0", "!~:{}", "b2"]


def test_names_of_signals_are_those_in_runs() -> None:
    circuit = impasse.Circuit()
    names = ["l", " two words ", "é", "c comment", "0"]
    for name in names:
        circuit.next(circuit.latch(name), True)
    circuit.bad("all", circuit.input("in put"))
    run = impasse.check(circuit)["all"].run
    assert run is not None and list(run.initial) == names
    for wrong in ("", "a\nb", "a\x00", "\u2028", "\ud800"):
        with pytest.raises(impasse.UsageError):
            circuit.latch(wrong)


def test_a_solver_that_ended_says_so() -> None:
    clauses = [[1, 2], [-1, 2], [1, -2], [-1, -2]]
    solver = impasse.Solver(clauses, proof=True)
    assert solver.solve() is False
    assert impasse.check_proof(clauses, solver.proof()) is None
    for late in (solver.proof, solver.core, solver.counts, solver.solve, lambda: solver.add_clause([3])):
        with pytest.raises(impasse.UsageError):
            late()


def test_clauses_are_added_all_or_none() -> None:
    solver = impasse.Solver([[1]])
    for wrong in (
        [[-1], [0]],
        [[-1], [2**40]],
        [[-1], ["2"]],
        [[-1], 3],
        [[-1], [1.0]],
        [[-1], [True]],
        [[-1], [2**31]],
    ):
        with pytest.raises(impasse.UsageError):
            solver.add_clauses(wrong)
        assert solver.solve() is True and solver.model() == [1]
    for wrong in ([0], [2**40], [10**5000], ["a"]):
        with pytest.raises(impasse.UsageError):
            solver.solve(wrong)
        with pytest.raises(impasse.UsageError):
            impasse.check_proof([wrong], b"")


@pytest.mark.parametrize("limit", [{"timeout": -1}, {"timeout": "1"}, {"conflicts": -1}, {"conflicts": 1.5}])
def test_limits_of_queries_are_numbers(limit: Any) -> None:
    with pytest.raises(impasse.UsageError, match=next(iter(limit))):
        impasse.Solver([[1]]).solve(**limit)


def test_a_solver_is_for_one_thread_at_a_time() -> None:
    holes = 11
    at = {(p, h): p * holes + h + 1 for p in range(holes + 1) for h in range(holes)}
    solver = impasse.Solver([[at[p, h] for h in range(holes)] for p in range(holes + 1)])
    for h in range(holes):
        for p, q in itertools.combinations(range(holes + 1), 2):
            solver.add_clause([-at[p, h], -at[q, h]])
    thread = threading.Thread(target=lambda: solver.solve(timeout=1.0))
    thread.start()
    time.sleep(0.3)
    for use in (solver.solve, solver.counts, lambda: solver.variables, lambda: solver.add_clause([1])):
        with pytest.raises(impasse.UsageError, match="another thread"):
            use()
    thread.join()
    assert solver.counts().conflicts > 0


def test_graphs_give_nets_their_name() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.DiGraph(name="mine")
    graph.add_node("p", kind="place", initial=1)
    assert impasse.Net.from_networkx(graph).name == "mine"
    assert impasse.Net.from_networkx(graph, name="other").name == "other"
