"""bppy programs: what the bridge says about them, and what bppy says about the runs.

The messages of assertions are those of Python: PYTEST_DONT_REWRITE.
"""

from __future__ import annotations

import collections
import dataclasses
import subprocess
import sys

import pytest

bppy = pytest.importorskip("bppy")
from bppy import (  # noqa: E402
    All,
    BEvent,
    BProgram,
    EventSet,
    PriorityBasedEventSelectionStrategy,
    SimpleEventSelectionStrategy,
    analysis_thread,
    choice,
    sync,
    thread,
)

import impasse_mc.bppy as bridge  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
A, B, C = BEvent("a"), BEvent("b"), BEvent("c")


def program(*calls, strategy=None, queue=()):
    """A function that makes a program of threads: pairs of a decorated function and arguments."""

    def make():
        made = BProgram(
            bthreads=[c() if callable(c) else c[0](*c[1:]) for c in calls],
            event_selection_strategy=strategy or SimpleEventSelectionStrategy(),
        )
        for event in queue:
            made.enqueue_external_event(event)
        return made

    return make


def states(extracted, name):
    return next(t["states"] for t in extracted.program["threads"] if t["name"] == name)


@thread
def requests(*events):
    for event in events:
        yield sync(request=event)


@thread
def repeats(event):
    while True:
        yield sync(request=event)


@thread
def never(event):
    e = yield sync(waitFor=event)
    assert e != event, f"{event.name} came"


# -- verdicts and runs -------------------------------------------------------------------------


@thread
def hot_tap():
    for _ in range(3):
        yield sync(request=BEvent("hot"))


@thread
def cold_tap():
    for _ in range(3):
        yield sync(request=BEvent("cold"))


@thread
def interleave():
    while True:
        yield sync(waitFor=BEvent("hot"), block=BEvent("cold"))
        yield sync(waitFor=BEvent("cold"), block=BEvent("hot"))


@thread
def no_two():
    while True:
        yield sync(waitFor=BEvent("hot"))
        e = yield sync(waitFor=All())
        assert e.name != "hot", "two hots in a row"


taps = program(hot_tap, cold_tap, interleave, no_two)
free_taps = program(hot_tap, cold_tap, no_two)


def make_free_taps():
    return free_taps()


def test_taps():
    outcome = bridge.check(taps)
    assert [(a.id, a.verdict) for a in outcome] == [("deadlock", "safe"), ("bad", "safe")]
    assert outcome.verdict == "safe"
    with pytest.raises(TypeError):
        bool(outcome)


def test_a_run_is_bppy_events_and_bppy_makes_it():
    outcome = bridge.check(free_taps, shortest=True)
    run = outcome["bad"].run
    assert list(run) == [BEvent("hot"), BEvent("hot")]
    assert run.failure == "two hots in a row"
    assert bridge.replay(free_taps, run) == "bad: two hots in a row"
    with pytest.raises(bridge.ReplayError, match="step 4"):
        bridge.replay(taps, [BEvent(n) for n in ("hot", "cold", "hot", "hot")])


def test_a_script_replays_without_impasse(tmp_path):
    run = bridge.check(free_taps, shortest=True)["bad"].run
    script = tmp_path / "replay.py"
    bridge.write_replay_script(script, make_free_taps, run)
    assert "impasse" not in script.read_text()
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "bad: two hots in a row", done.stderr
    with pytest.raises(bridge.BppyError, match="cannot be imported"):
        bridge.write_replay_script(script, lambda: free_taps(), run)


def test_ends():
    make = program((requests, A))
    assert bridge.check(make)["deadlock"].verdict == "safe"
    assert bridge.check(make, ends="none")["deadlock"].verdict == "unsafe"

    @thread
    def blocks():
        yield sync(block=A)

    answer = bridge.check(program((requests, A), blocks))["deadlock"]
    assert answer.verdict == "unsafe" and list(answer.run) == []
    assert bridge.replay(program((requests, A), blocks), answer.run) == "end"
    assert bridge.check(program((requests, A), blocks), ends="stopped")["deadlock"].verdict == "safe"
    assert bridge.check(program((requests, A), (requests, B), blocks), ends="stopped")["deadlock"].verdict == "unsafe"

    @thread
    def blocks_all():
        yield sync(waitFor=A)
        yield sync(block=All())

    stopped = program((requests, A), (requests, B), blocks_all)
    assert bridge.check(stopped)["deadlock"].verdict == "unsafe"
    assert bridge.check(stopped, ends="stopped")["deadlock"].verdict == "safe"


def test_a_program_without_threads():
    assert bridge.check(program())["deadlock"].verdict == "safe"
    assert bridge.check(program(), ends="none")["deadlock"].verdict == "unsafe"


def test_names_of_events():
    names = [
        "",
        "a b",
        "a,b",
        "*",
        "none",
        'x"y',
        "é",
        "a\nb",
        "a(1)",
        "1",
        "request",
        "(external)",
    ]
    events = [BEvent(n) for n in names] + [BEvent(1)]
    outcome = bridge.check(program((requests, *events)), ends="none")
    assert outcome["deadlock"].run.events == events
    assert outcome.extracted.program["events"][-1] == "1#2"


def test_a_question():
    outcome = bridge.check(program((requests, A, B)), ask="G !b")
    assert outcome.verdict == "unsafe" and list(outcome[0].run)[:2] == [A, B]


# -- states ------------------------------------------------------------------------------------


def test_a_loop_over_equal_values_has_a_place():
    # The variable is the same in each round; only the iterator differs, which no variable holds.
    make = program((requests, A, A, A), (never, B))
    assert len(states(bridge.extract(make), "requests")) == 4
    assert bridge.check(make, ends="none", shortest=True)["deadlock"].run.events == [A, A, A]


def test_equal_statements_in_a_row_are_different_states():
    @thread
    def asks():
        yield sync(request=A)
        yield sync(request=A)
        yield sync(request=A)

    outcome = bridge.check(program(asks), ends="none", shortest=True)
    assert outcome["deadlock"].run.events == [A, A, A]


def test_states_that_differ_in_what_they_block():
    @thread
    def alternates():
        blocked = A
        while True:
            yield sync(waitFor=C, block=blocked)
            blocked = B if blocked == A else A

    make = program(alternates, (requests, C), (never, B), (requests, B))
    assert bridge.check(make, shortest=True)["bad"].run.events == [B]
    make = program(alternates, (requests, C), (never, A), (requests, A))
    assert bridge.check(make, shortest=True)["bad"].run.events == [C, A]


@pytest.mark.parametrize(
    "loop",
    [
        lambda: iter([A, A]),
        lambda: (A for _ in (1, 2)),
        lambda: map(lambda x: x, [A, A]),
        lambda: zip([A, A]),
        lambda: {"x": A, "y": A}.values(),
        lambda: reversed([A, A]),
        lambda: enumerate([A, A]),
    ],
)
def test_loops_over_iterators(loop):
    @thread
    def loops():
        for _ in loop():
            _ = None
            yield sync(request=A)

    run = bridge.check(program(loops), ends="none", shortest=True)["deadlock"].run
    assert run.events == [A, A]


def test_yield_from():
    def inner(n):
        for _ in (1, 1):
            e = yield sync(request=A if n else B)
        return e

    @thread
    def outer():
        for n in (0, 1):
            e = yield from inner(n)
            assert e == (A if n else B)

    outcome = bridge.check(program(outer), ends="none", shortest=True)
    assert outcome["bad"].verdict == "safe"
    assert outcome["deadlock"].run.events == [B, B, A, A]


def test_an_argument_that_a_closure_uses():
    @thread
    def asks(n):
        for _ in (1, 1):
            yield sync(request=[A, B])
            _ = lambda: n  # noqa: E731

    # The second event leads to a state again that the first look at it had traced.
    outcome = bridge.check(program((asks, 0), (requests, B)), ends="none", shortest=True)
    assert len(outcome["deadlock"].run) == 2


def test_which_variables_refer_to_one_list_matters():
    @thread
    def aliases():
        x = []
        y = x if (yield sync(request=[A, B])) == A else []
        yield sync(request=C)
        x.append(1)
        assert not y, "one list"

    outcome = bridge.check(program(aliases), shortest=True)
    assert outcome["bad"].run.events == [A, C]


def test_a_statement_may_depend_on_what_no_variable_holds():
    @thread
    def forgets():
        yield sync(request=(A if (yield sync(waitFor=[A, B])) == A else C))

    make = program(forgets, (requests, A), (requests, B), (never, C))
    run = bridge.check(make, shortest=True)["bad"].run
    assert run.events == [B, C]


def test_closures_of_a_thread_are_its_own():
    def counter():
        n = 0

        @thread
        def counts():
            nonlocal n
            while True:
                yield sync(request=A)
                n = (n + 1) % 3
                assert n != 2, "twice"

        return counts()

    outcome = bridge.check(program(counter), shortest=True)
    assert outcome["bad"].run.events == [A, A]


def test_objects_of_classes_are_compared_by_value():
    class Box:
        __slots__ = ("n", "others")

        def __init__(self):
            self.n, self.others = 0, {}

    @thread
    def boxes():
        box = Box()
        while True:
            yield sync(request=A)
            box.n = (box.n + 1) % 3
            box.others = {box.n: [box.n]}
            assert box.n != 2 or box.others == {2: [2]}

    extracted = bridge.extract(program(boxes))
    # Its states behave alike, so they become one.
    assert len(states(extracted, "boxes")) == 1
    assert bridge.check(program(boxes))["bad"].verdict == "safe"


@dataclasses.dataclass
class Board:
    cells: list = dataclasses.field(default_factory=lambda: [0] * 3)
    last: collections.deque = dataclasses.field(default_factory=lambda: collections.deque(maxlen=2))


def test_objects_of_the_standard_library():
    point = collections.namedtuple("point", "x y")

    @thread
    def plays():
        board, seen, at = Board(), collections.defaultdict(int), point(0, 0)
        while True:
            e = yield sync(request=[A, B])
            board.last.append(e.name)
            seen[e.name] = 1
            at = at._replace(x=(at.x + 1) % 3)
            assert board.last != collections.deque("bb") or at.x != 1 or len(seen) < 2, "bb"

    outcome = bridge.check(program(plays), shortest=True)
    run = outcome["bad"].run
    assert len(run) == 4 and run[2:] == [B, B] and A in run
    assert bridge.replay(program(plays), run) == "bad: bb"


def test_events_with_data_and_predicates():
    @thread
    def moves():
        yield sync(request=[BEvent("move", {"cell": i, "by": "X"}) for i in range(3)])

    @thread
    def watches():
        late = EventSet(lambda e: e.name == "move" and e.data["cell"] > 1)
        e = yield sync(waitFor=late, block=BEvent("move", {"by": "X", "cell": 0}))
        assert False, f"cell {e.data['cell']}"  # noqa: B011

    outcome = bridge.check(program(moves, watches))
    assert outcome["bad"].run.events == [BEvent("move", {"cell": 2, "by": "X"})]
    assert outcome["bad"].run.failure == "cell 2"
    assert 'move({"by":"X","cell":0})' in outcome.extracted.program["events"]


def test_events_are_found_that_other_threads_request_later():
    @thread
    def answers():
        e = yield sync(waitFor=EventSet(lambda e: e.name == "n"))
        while e.data["n"] < 3:
            e = yield sync(request=BEvent("n", {"n": e.data["n"] + 1}))
        assert False, "3"  # noqa: B011

    make = program((requests, BEvent("n", {"n": 0})), answers)
    assert [e.data["n"] for e in bridge.check(make)["bad"].run] == [0, 1, 2, 3]
    with pytest.raises(bridge.BppyError, match="not in `events`"):
        bridge.check(make, [BEvent("n", {"n": i}) for i in range(3)])


def test_requests_given_as_a_set_or_dict():
    @thread
    def asks():
        yield sync(request={A, B})
        yield {"request": A, "block": B}

    outcome = bridge.check(program(asks, (never, B)), shortest=True)
    assert outcome["bad"].run.events == [B]


# -- failures ----------------------------------------------------------------------------------


def test_the_place_and_message_of_an_assertion():
    extracted = bridge.extract(program((requests, A), (never, A)))
    bad = next(s for s in states(extracted, "never") if "bad" in s)
    assert bad["bad"] == "a came" and bad["file"].endswith("test_bppy.py")
    with open(__file__, encoding="utf-8") as file:
        assert "assert e != event" in file.readlines()[bad["line"] - 1]


def test_an_assertion_before_the_first_sync():
    @thread
    def fails():
        assert False  # noqa: B011
        yield

    run = bridge.check(program(fails))["bad"].run
    assert list(run) == [] and run.failure == "assertion failed"
    assert bridge.replay(program(fails), run) == "bad: assertion failed"


def test_another_exception_is_a_bad_state():
    @thread
    def divides():
        e = yield sync(request=[A, B])
        1 // (e == A)
        yield 5

    outcome = bridge.check(program(divides), shortest=True)
    assert outcome["bad"].verdict == "unsafe" and len(outcome["bad"].run) == 1
    bad = {s["bad"] for s in states(outcome.extracted, "divides") if "bad" in s}
    assert bad == {
        "ZeroDivisionError: integer division or modulo by zero",
        "TypeError: bthread must yield a bppy.model.sync_statement object",
    }


def test_a_missing_key_ends_a_thread_without_a_word():
    @thread
    def misses():
        e = yield sync(waitFor=All())
        e.data["x"]
        yield sync(request=B)

    outcome = bridge.check(program((requests, A), misses, (never, B)))
    assert outcome["bad"].verdict == "safe"
    assert outcome.extracted.notes == ["thread misses may end by KeyError: 'x', as bppy ignores it"]


def test_a_predicate_that_fails():
    @thread
    def waits():
        yield sync(waitFor=EventSet(lambda e: e.data["x"] > 1))

    make = program((requests, A), waits)
    run = bridge.check(make)["bad"].run
    assert run.failure == "KeyError: 'x'"
    assert bridge.replay(make, run) == "bad: KeyError: 'x'"

    @thread
    def blocks():
        yield sync(waitFor=B, block=EventSet(lambda e: e.data["x"] > 1))

    with pytest.raises(bridge.BppyError, match=r"thread blocks.*`block` fails for the event a"):
        bridge.check(program((requests, A), blocks))


def test_a_request_that_is_no_event():
    @thread
    def asks():
        yield sync(request=All())

    make = program(asks)
    run = bridge.check(make)["bad"].run
    assert run.failure == "TypeError: request parameter should be BEvent or iterable"
    assert bridge.replay(make, run) == f"bad: {run.failure}"


# -- choices, priorities, events from outside, hot states -----------------------------------------


@pytest.mark.parametrize("decorator", [thread, analysis_thread])
def test_all_outcomes_of_a_choice(decorator):
    @decorator
    def chooses():
        e = yield choice({A: 0.3, B: 0.7, C: 0})
        n = yield choice({1: 0.5, 2: 0.5})
        yield sync(request=e)
        assert n != 2 or e != B, "2 and b"

    extracted = bridge.extract(program(chooses))
    assert len(extracted.program["threads"][0]["init"]) > 1
    assert "c" not in extracted.program["events"]
    assert bridge.check(program(chooses))["bad"].run.events == [B]


def test_choices_of_several_values():
    @thread
    def chooses(**options):
        pair = yield choice({1: 0.5, 2: 0.5, 3: 0.0}, repeat=2, replace=False)
        yield sync(request=BEvent("pair", {"is": tuple(pair), "type": type(pair).__name__}))

    names = bridge.extract(program(chooses)).program["events"]
    assert names == ['pair({"is":(1, 2),"type":"list"})', 'pair({"is":(2, 1),"type":"list"})']

    @thread
    def loops():
        while True:
            yield choice({1: 1})

    with pytest.raises(bridge.BppyError, match="a loop of choices without a sync"):
        bridge.check(program(loops))


@pytest.mark.parametrize("default, first", [(0, [B]), (7, [A])])
def test_priorities(default, first):
    @thread
    def asks(event, **more):
        yield sync(request=event, **more)

    @thread
    def high(event):
        yield sync(request=event, priority=2.5)

    @thread
    def order():
        e = yield sync(waitFor=All())
        assert False, e.name  # noqa: B011

    strategy = PriorityBasedEventSelectionStrategy(default)
    make = program((asks, A), (high, B), order, strategy=strategy)
    run = bridge.check(make)["bad"].run
    assert run.events == first
    assert bridge.replay(make, run) == f"bad: {first[0].name}"


def test_a_priority_has_no_effect_without_its_strategy():
    @thread
    def high(event):
        yield sync(request=event, priority=2)

    make = program((requests, A), (high, B), (never, A))
    assert bridge.check(make, shortest=True)["bad"].run.events == [A]


def test_events_of_the_queue_come_last_and_pass_blocks():
    @thread
    def blocks():
        e = yield sync(waitFor=All(), block=A)
        assert e != B

    make = program(blocks, (requests, C), queue=[A, B])
    outcome = bridge.check(make, ends="none", shortest=True)
    # c moves the thread that blocks; a comes although it is blocked, and b after it.
    assert outcome["bad"].verdict == "safe"
    assert outcome["deadlock"].run.events == [C, A, B]
    assert outcome["deadlock"].run.external == [False, True, True]
    assert bridge.replay(make, outcome["deadlock"].run) == "end"
    make = program(blocks, queue=[A, B])
    assert bridge.check(make)["bad"].run.events == [A, B]


def test_external_events_at_any_time():
    make = program((requests, A, A), (never, C))
    run = bridge.check(make, external=[B, C], shortest=True)["bad"].run
    assert run.events == [A, A, C] and run.external == [False, False, True]
    assert bridge.replay(make, run) == "bad: c came"


def test_hot_threads():
    @thread
    def client():
        yield sync(request=A)
        yield sync(waitFor=B, mustFinish=True)

    make = program(client, (repeats, C), (requests, B))
    answer = bridge.check(make, ask="hot:client")[0]
    assert answer.verdict == "unsafe"
    run = answer.run
    assert run.repeats_from is not None and set(map(str, run[run.repeats_from :])) == {str(C)}
    assert bridge.replay(make, run) == "goes on"
    assert bridge.check(program(client, (requests, B)))["deadlock"].verdict == "safe"


def test_the_listener_of_bppy_is_no_obstacle():
    from bppy import PrintBProgramRunnerListener

    def make():
        made = taps()
        made.listener = PrintBProgramRunnerListener()
        return made

    assert bridge.check(make).verdict == "safe"


# -- threads that only the others bound -----------------------------------------------------------


@thread
def counts_all():
    n = 0
    while True:
        e = yield sync(waitFor=All())
        n += 1
        assert n < 5 or e == B, "the fifth is no b"


def test_a_counter_that_only_the_others_bound():
    make = program((requests, A, A, A, A), (requests, B), counts_all)
    outcome = bridge.check(make, shortest=True)
    assert [t["name"] for t in outcome.extracted.program["threads"]][2] == "counts_all"
    assert len(outcome["bad"].run) == 5 and outcome["bad"].run[-1] == A
    assert bridge.replay(make, outcome["bad"].run) == "bad: the fifth is no b"
    # By itself, the thread has infinitely many states; with the others, it has few.
    assert len(states(outcome.extracted, "counts_all")) < 20
    make = program((requests, A, A, A), (requests, B), counts_all)
    outcome = bridge.check(make, ends="none", shortest=True)
    assert outcome["bad"].verdict == "safe"
    assert len(outcome["deadlock"].run) == 4


def test_events_that_only_the_others_bound():
    @thread
    def doubles():
        e = yield sync(waitFor=EventSet(lambda e: e.name == "n"))
        while True:
            e = yield sync(request=BEvent("n", {"n": e.data["n"] * 2}))

    @thread
    def stops():
        yield sync(waitFor=BEvent("n", {"n": 8}))
        yield sync(block=EventSet(lambda e: e.data["n"] > 8))

    make = program((requests, BEvent("n", {"n": 1})), doubles, stops)
    outcome = bridge.check(make)
    assert [e.data["n"] for e in outcome["deadlock"].run] == [1, 2, 4, 8]


def test_a_step_that_was_not_explored_is_found(monkeypatch):
    from impasse_mc.bppy import _joint

    make = program((requests, A, A, A, A), (requests, B), counts_all)
    possible = _joint.JointExplorer._possible
    monkeypatch.setattr(
        _joint.JointExplorer,
        "_possible",
        lambda *args: [m for m in possible(*args) if args[1][2] < 3],
    )
    with pytest.raises(bridge.BppyError, match="please report"):
        bridge.check(make)
