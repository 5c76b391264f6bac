"""bppy programs whose requests are Z3 formulas.

The messages of assertions are those of Python: PYTEST_DONT_REWRITE.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import warnings

import pytest

bppy = pytest.importorskip("bppy")
z3 = pytest.importorskip("z3")
from bppy import (  # noqa: E402
    BProgram,
    RichEventSelectionStrategy,
    SMTEventSelectionStrategy,
    sync,
    thread,
)
from z3 import And, Bool, Const, EnumSort, Ints, Not, Or, Real, is_true  # noqa: E402

import impasse_mc.bppy as bridge  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
x, y = Ints("x y")
p = Bool("p q")
Colour, (RED, GREEN, BLUE) = EnumSort("Colour", ["red", "gr een", "blue"])
c = Const("c", Colour)


def program(*calls, strategy=SMTEventSelectionStrategy):
    def make():
        return BProgram(
            bthreads=[k() if callable(k) else k[0](*k[1:]) for k in calls],
            event_selection_strategy=strategy(),
        )

    return make


@thread
def repeats(request=None, block=None):
    while True:
        yield sync(request=request, block=block)


@thread
def never(formula, message="came"):
    yield sync(waitFor=formula)
    assert False, message  # noqa: B011


def test_numbers_without_bound():
    make = program((repeats, And(x > 3, y == x + 1), x < 6), (never, And(c == GREEN, p)))
    run = bridge.check(make, shortest=True)["bad"].run
    (event,) = run
    assert event["x"] >= 6 and event["y"] == event["x"] + 1
    assert event["c"] == "gr een" and event["p q"] is True
    assert bridge.replay(make, run) == "bad: came"
    assert bridge.check(program((repeats, x > 3, x < 6), (never, x < 6)))["bad"].verdict == "safe"


def test_a_deadlock():
    make = program((repeats, x > 3), (repeats, None, x > 2))
    run = bridge.check(make)["deadlock"].run
    assert list(run) == [] and bridge.replay(make, run) == "end"


def test_a_thread_that_reads_truth_values():
    @thread
    def reads():
        m = yield sync(request=And(x > 0, x < 5))
        if is_true(m.eval(x + y == 7, model_completion=True)):
            yield sync(waitFor=p)
            assert not is_true(m.eval(x > 0, model_completion=True)) if False else False, "seven"

    make = program(reads, (repeats, y == 3))
    extracted = bridge.extract(make)
    moves = extracted.program["threads"][0]["states"][0]["on"]
    assert len(moves) == 2
    run = bridge.check(make, shortest=True)["bad"].run
    assert run[0]["x"] + run[0]["y"] == 7 and run[1]["p q"] is True
    assert bridge.replay(make, run) == "bad: seven"


def test_a_thread_that_reads_a_bounded_number_and_a_colour():
    @thread
    def reads():
        m = yield sync(request=And(x >= 0, x < 3), block=x == 1)
        n, colour = m[x].as_long(), m.eval(c, model_completion=True)
        yield sync(request=And(x == n, c == BLUE))
        assert n != 2 or not colour.eq(RED), "2 and red"

    make = program(reads)
    extracted = bridge.extract(make)
    assert {s.get("values", "") for s in extracted.program["threads"][0]["states"]} >= {"n = 2"}
    run = bridge.check(make, shortest=True)["bad"].run
    assert run[0] == {"x": 2, "c": "red"} and run[1] == {"x": 2, "c": "blue"}
    assert bridge.replay(make, run) == "bad: 2 and red"


def test_rich_events_move_only_threads_that_wait():
    @thread
    def stays():
        yield sync(request=x == 1, waitFor=x == 2)
        assert False, "moved"  # noqa: B011

    assert bridge.check(program(stays))["bad"].verdict == "unsafe"
    make = program(stays, strategy=RichEventSelectionStrategy)
    assert bridge.check(make)["bad"].verdict == "safe"


def refused(text, *calls):
    with pytest.raises(bridge.BppyError, match=text) as caught:
        bridge.extract(program(*calls))
    return caught.value


def test_what_is_refused():
    r = Real("r")
    refused("the sort Real; Int, Bool and enumerations", (repeats, r > 1))
    refused("quantifiers", (repeats, z3.ForAll([y], x > y)))
    f = z3.Function("f", z3.IntSort(), z3.IntSort())
    refused("the operator f in", (repeats, f(x) > 1))
    refused("different sorts", (repeats, And(x > 1, Bool("x"))))
    refused("no Z3 formula", (repeats, True))
    refused("no Z3 formula", (repeats, bppy.BEvent("a")))


def test_reading_a_number_without_bound_is_refused():
    @thread
    def reads():
        m = yield sync(request=x > 3)
        yield sync(request=x == m[x])

    error = refused("does not bound to 64 values", reads)
    assert error.thread == "reads" and error.line is not None


@pytest.mark.parametrize("use", [bool, len, str, lambda m: m.decls(), lambda m: m[0], list])
def test_other_uses_of_the_values_are_refused(use):
    @thread
    def reads():
        m = yield sync(request=x == 3)
        with contextlib.suppress(Exception):
            use(m)
        yield sync(request=x == 4)

    refused("values of|value of", reads)


def test_a_constant_that_the_sync_does_not_mention():
    @thread
    def reads():
        m = yield sync(request=x == 3)
        yield sync(request=x == (4 if is_true(m[p]) else 5))

    refused("the value of p q is read, which the sync does not mention", reads)


def test_remainders():
    make = program((repeats, And(x > 100, x % 7 == 3)), (never, x / 2 == 54))
    run = bridge.check(make)["bad"].run
    assert run[0]["x"] == 108 and bridge.replay(make, run) == "bad: came"


def test_reading_an_old_event_is_refused():
    @thread
    def reads():
        m = yield sync(request=x == 3)
        yield sync(request=x == 4)
        is_true(m.eval(p))
        yield sync(request=x == 4)

    refused("after the next sync", reads)


# -- random programs over few values, against all valuations --------------------------------------

SPACE = [
    {"x": i, "p q": t, "c": v} for i, t, v in itertools.product((0, 1, 2), (False, True), ("red", "gr een", "blue"))
]
COLOURS = {"red": RED, "gr een": GREEN, "blue": BLUE}


def formula(r, depth=2):
    if depth and r.random() < 0.6:
        kind = r.randrange(4)
        if kind == 0:
            return Not(formula(r, depth - 1))
        parts = [formula(r, depth - 1) for _ in range(2)]
        return [And(*parts), Or(*parts), parts[0] == parts[1]][kind - 1]
    kind = r.randrange(5)
    atoms = [x < r.randint(0, 3), x == r.randint(0, 2), p, c == r.choice([RED, GREEN, BLUE])]
    return atoms[kind] if kind < 4 else x * 2 - 1 >= r.randint(0, 2)


def random_program(seed):
    r = random.Random(seed)
    scripts = []
    for _ in range(r.randint(1, 3)):
        script = []
        for _ in range(r.randint(1, 3)):
            more = {
                name: formula(r)
                for name, chance in (("request", 0.7), ("waitFor", 0.5), ("block", 0.4))
                if r.random() < chance
            }
            reads = r.choice([None, None, "bool", "x", "c"])
            if reads == "x":
                more = {k: And(f, x >= 0, x <= 2) if k != "block" else f for k, f in more.items()}
            script.append((more, reads, formula(r), r.random() < 0.3))
        scripts.append((script, r.random() < 0.5))

    @thread
    def play(script, again):
        while True:
            for more, reads, test, fails in script:
                m = yield sync(**more)
                value = None
                if reads == "bool":
                    value = is_true(m.eval(test, model_completion=True))
                elif reads == "x":
                    value = m.eval(x, model_completion=True).as_long() == 1
                elif reads == "c":
                    value = m.eval(c, model_completion=True).eq(GREEN)
                assert not (fails and value), "failed"
                if value:
                    break
            if not again:
                return

    @thread
    def bound():
        while True:  # under the rich strategy, every event moves it
            yield sync(block=Or(x < 0, x > 2))

    rich = r.random() < 0.3
    strategy = RichEventSelectionStrategy if rich else SMTEventSelectionStrategy

    def make():
        return BProgram(bthreads=[bound(), *[play(*s) for s in scripts]], event_selection_strategy=strategy())

    return make


def explore(make):
    """The shortest runs to a failure and to a deadlock, by trying all valuations in bppy."""

    def holds(f, event):
        if isinstance(f, bool):
            return f
        pairs = [
            (x, z3.IntVal(event["x"])),
            (p, z3.BoolVal(event["p q"])),
            (c, COLOURS[event["c"]]),
        ]
        return is_true(z3.simplify(z3.substitute(f, *pairs)))

    def model(event):
        solver = z3.Solver()
        solver.add(x == event["x"], p == event["p q"], c == COLOURS[event["c"]])
        assert solver.check() == z3.sat
        return solver.model()

    best, seen, level, length = {}, set(), [()], 0
    while level:
        following = []
        for path in level:
            made = make()
            made.setup()
            try:
                for event in path:
                    made.advance_bthreads(made.tickets, model(event))
            except AssertionError:
                best.setdefault("bad", length)
                continue
            key = []
            for t in made.tickets:
                if "bt" in t:
                    frame = t["bt"].gi_frame.f_locals["f"].gi_frame
                    key.append((frame.f_lasti, str(frame.f_locals.get("more"))))
                else:
                    key.append("end")
            if str(key) in seen:
                continue
            seen.add(str(key))
            possible = [
                e
                for e in SPACE
                if any(holds(t["request"], e) for t in made.tickets if "request" in t)
                and not any(holds(t["block"], e) for t in made.tickets if "block" in t)
            ]
            if not possible and any("request" in t for t in made.tickets):
                best.setdefault("deadlock", length)
            following += [(*path, e) for e in possible]
        level, length = following, length + 1
    return best


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed):
    compare(seed)


def compare(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        make = random_program(seed)
        try:
            outcome = bridge.check(make, shortest=True)
        except bridge.BppyError as error:
            # A thread that reads the number without a bound of its own.
            assert "does not bound" in str(error)
            return "refused"
        best = explore(make)
        for answer in outcome:
            if answer.id not in ("bad", "deadlock"):
                continue
            assert answer.verdict != "unknown"
            length = None if answer.run is None else len(answer.run)
            assert length == best.get(answer.id), (seed, answer.id, length, best)
            if answer.run is not None:
                wanted = {"bad": "bad: failed", "deadlock": "end"}[answer.id]
                assert bridge.replay(make, answer.run) == wanted
        return str(sorted(best))


if __name__ == "__main__":
    import collections
    import sys

    count = collections.Counter(compare(s) for s in range(int(sys.argv[1]), int(sys.argv[2])))
    print(dict(count))
