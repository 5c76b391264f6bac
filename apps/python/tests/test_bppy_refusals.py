"""What the bridge refuses, because no graph of a thread by itself can describe it.

Threads contain no calls of pytest: PYTEST_DONT_REWRITE.
"""

from __future__ import annotations

import datetime
import enum
import itertools
import os
import random
import time

import pytest

bppy = pytest.importorskip("bppy")
from bppy import (  # noqa: E402
    All,
    BEvent,
    BProgram,
    EventSet,
    SimpleEventSelectionStrategy,
    choice,
    sync,
    thread,
)

import impasse_mc.bppy as bridge  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
A, B = BEvent("a"), BEvent("b")


def program(*calls):
    def make():
        return BProgram(
            bthreads=[c() if callable(c) else c[0](*c[1:]) for c in calls],
            event_selection_strategy=SimpleEventSelectionStrategy(),
        )

    return make


def refused(make, kind, text, **options):
    with pytest.raises(kind, match=text) as caught:
        bridge.extract(make, **options)
    return caught.value


@thread
def repeats(event):
    while True:
        yield sync(request=event)


def line_of(text):
    with open(__file__, encoding="utf-8") as file:
        return next(i for i, line in enumerate(file, start=1) if line.strip() == text)


# -- values that cannot be compared ---------------------------------------------------------------


def test_an_open_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("x")

    @thread
    def reads(read):
        handle = read()
        yield sync(request=A)
        handle.close()

    error = refused(program((reads, path.open)), bridge.NotComparable, "TextIOWrapper")
    assert (error.thread, error.variable) == ("reads", "handle")
    assert error.line == line_of("yield sync(request=A)")


def test_an_object_with_hidden_state():
    @thread
    def holds():
        secret = [{"x": memoryview(b"1")}]
        yield sync(request=A)
        secret.clear()

    error = refused(program(holds), bridge.NotComparable, "memoryview")
    assert error.variable == "secret[0]['x']"


def test_a_set_of_objects_whose_order_depends_on_addresses():
    class Thing:
        pass

    @thread
    def holds():
        things = {Thing(), Thing()}
        yield sync(request=A)
        things.clear()

    assert refused(program(holds), bridge.NotComparable, "a set of").variable == "things"


def test_an_error_that_is_handled_across_a_sync():
    @thread
    def handles():
        try:
            raise ValueError(1)
        except ValueError:
            yield sync(request=A)

    refused(program(handles), bridge.NotComparable, "inside of an `except`")


def test_an_event_that_compares_in_a_way_of_its_own():
    class Odd(BEvent):
        def __eq__(self, other):
            return True

        __hash__ = BEvent.__hash__

    refused(program((repeats, Odd("x"))), bridge.NotComparable, "compares in a way of its own")


@pytest.mark.parametrize("other", [BEvent("e", {"x": True}), BEvent("e", {"x": 1.0})])
def test_events_that_are_equal_but_not_alike(other):
    make = program((repeats, BEvent("e", {"x": 1})), (repeats, other))
    refused(make, bridge.NotComparable, "equal, but not alike")


def test_data_that_cannot_be_hashed_fail_in_bppy_too():
    run = bridge.check(program((repeats, BEvent("e", {"x": []}))))["bad"].run
    assert list(run) == [] and run.failure == "TypeError: unhashable type: 'list'"


def test_an_event_that_is_changed_after_it_was_used():
    @thread
    def changes():
        event = BEvent("e", {"x": 1})
        while True:
            yield sync(request=event)
            event.data["x"] = 3 - event.data["x"]

    refused(program(changes), bridge.NotComparable, "is changed after it was used")

    @thread
    def changes_what_it_got():
        e = yield sync(waitFor=All())
        e.data["x"] = 1
        yield sync(request=B)

    refused(program(changes_what_it_got, (repeats, A)), bridge.NotComparable, "is changed")


def test_data_that_are_changed_after_the_event_is_gone():
    @thread
    def changes():
        data = (yield sync(waitFor=All())).data
        yield sync(request=B)
        data["x"] = 1
        yield sync(request=B)

    refused(program(changes, (repeats, A)), bridge.NotComparable, "is changed after it was used")


def test_identity():
    @thread
    def compares():
        e = yield sync(waitFor=All())
        if e is A:
            yield sync(request=B)

    error = refused(program(compares, (repeats, A)), bridge.NotComparable, "compare them by `==`")
    assert error.line == line_of("if e is A:")


class Colour(enum.Enum):
    RED = 1


def test_identity_with_values_of_which_there_is_one():
    @thread
    def compares():
        e = yield sync(waitFor=All())
        if e is not None and type(e) is BEvent and Colour.RED is Colour.RED:
            yield sync(request=B)

    assert bridge.check(program(compares, (repeats, A)), ask="G !b")[0].verdict == "unsafe"


@pytest.mark.parametrize("name", ["request", "waitFor", "block"])
def test_an_iterator_in_a_statement(name):
    @thread
    def asks():
        yield sync(**{name: iter([A])})

    refused(program(asks), bridge.NotComparable, "empty after its first use")


# -- what a thread shares -------------------------------------------------------------------------

TABLE = [A]
COUNT = 0
IDS = itertools.count()


def test_a_global_that_is_only_read():
    @thread
    def reads():
        yield sync(request=TABLE[COUNT])

    assert bridge.check(program(reads)).verdict == "safe"


def test_a_global_that_is_assigned():
    @thread
    def assigns():
        global COUNT
        yield sync(request=A)
        COUNT += 1

    error = refused(program(assigns), bridge.SharedState, "a global variable is assigned")
    assert (error.thread, error.variable) == ("assigns", "COUNT")
    assert error.line == line_of("COUNT += 1")


def test_a_global_that_is_changed_by_a_function():
    def helper():
        TABLE.append(B)

    @thread
    def changes():
        yield sync(request=A)
        try:
            helper()
            yield sync(request=B)
        finally:
            del TABLE[1:]

    error = refused(program(changes), bridge.SharedState, "changes a value of type list")
    assert (error.thread, error.variable) == ("changes", "TABLE")
    del TABLE[1:]


def test_an_iterator_that_is_shared():
    @thread
    def counts():
        yield sync(request=BEvent("n", {"n": next(IDS) % 2}))

    refused(program(counts), bridge.SharedState, "advances an iterator")


def test_an_attribute_of_a_class():
    class Counter:
        n = 0

    @thread
    def counts():
        yield sync(request=A)
        Counter.n += 1
        yield sync(request=B)

    refused(program(counts), bridge.SharedState, "changes a value of type type")
    Counter.n = 0


def test_a_variable_that_two_threads_share():
    def make():
        board = {}

        @thread
        def writes():
            e = yield sync(waitFor=All())
            board[e.name] = 1
            yield sync(request=B)

        @thread
        def reads():
            yield sync(request=A)
            assert not board

        return BProgram(bthreads=[writes(), reads()], event_selection_strategy=SimpleEventSelectionStrategy())

    error = refused(make, bridge.SharedState, "changes a value of type dict")
    assert (error.thread, error.variable) == ("writes", "board")


def test_a_module_of_the_program_with_the_name_of_one_of_pythons(tmp_path, monkeypatch):
    import sys

    text = "N = []\ndef count():\n    N.append(1)\n    return len(N) % 2\n"
    (tmp_path / "turtledemo.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "turtledemo", raising=False)
    import turtledemo

    @thread
    def counts_by_name(count):
        yield sync(request=BEvent("n", {"n": count()}))

    make = program((counts_by_name, turtledemo.count))
    assert refused(make, bridge.SharedState, "changes a value").variable == "N"
    monkeypatch.delitem(sys.modules, "turtledemo")


def test_a_closure_variable_that_two_threads_share():
    def make():
        n = 0

        @thread
        def writes():
            nonlocal n
            yield sync(request=A)
            n += 1
            yield sync(request=B)

        @thread
        def reads():
            yield sync(request=A)
            assert n == 0

        return BProgram(bthreads=[writes(), reads()], event_selection_strategy=SimpleEventSelectionStrategy())

    assert refused(make, bridge.SharedState, "changes a value of type cell").variable == "n"


def test_a_list_that_outlives_the_program():
    log = []

    @thread
    def logs():
        yield sync(request=A)
        log.append(1)
        yield sync(request=B)

    assert refused(program(logs), bridge.SharedState, "outlives the program").variable == "log"


def test_an_argument_that_two_threads_share():
    @thread
    def appends(items):
        yield sync(request=A)
        items.append(1)
        yield sync(request=B)

    def make():
        items = []
        return BProgram(
            bthreads=[appends(items), appends(items)],
            event_selection_strategy=SimpleEventSelectionStrategy(),
        )

    refused(make, bridge.SharedState, "type list")

    def make_apart():
        return BProgram(
            bthreads=[appends([]), appends([])],
            event_selection_strategy=SimpleEventSelectionStrategy(),
        )

    assert bridge.check(make_apart).verdict == "safe"


def test_a_thread_that_adds_threads():
    def make():
        made = BProgram(bthreads=[], event_selection_strategy=SimpleEventSelectionStrategy())

        @thread
        def adds():
            yield sync(request=A)
            made.add_bthread(repeats(B))
            yield sync(request=A)

        made.bthreads = [adds(), repeats(A)]
        return made

    refused(make, bridge.SharedState, "can reach the program itself")


# -- random numbers, time, input ------------------------------------------------------------------


def test_random_numbers():
    @thread
    def rolls():
        if random.random() < 0.5:
            yield sync(request=A)

    error = refused(program(rolls), bridge.Nondeterminism, r"`random.random` is used")
    assert (error.thread, error.line) == ("rolls", line_of("if random.random() < 0.5:"))


def test_random_numbers_behind_a_library():
    @thread
    def samples():
        chosen = choice({A: 0.5, B: 0.5})
        yield sync(request=chosen.sample())

    refused(program(samples), bridge.Nondeterminism, "uses random numbers")


def test_an_import_in_a_thread():
    @thread
    def rolls():
        from random import randint

        yield sync(request=BEvent("n", {"n": randint(1, 2)}))

    refused(program(rolls), bridge.Nondeterminism, "`random.randint` is used")


def test_time_and_input():
    @thread
    def reads_clock():
        yield sync(request=BEvent("t", {"t": time.time()}))

    refused(program(reads_clock), bridge.Nondeterminism, "`time.time` is used")

    def ask():
        return input()

    @thread
    def asks():
        yield sync(request=BEvent(ask()))

    refused(program(asks), bridge.Nondeterminism, "`input` is used")


def test_modules_that_a_thread_imports():
    @thread
    def imports():
        import datetime as d

        yield sync(request=BEvent(str(d.datetime.now())))

    refused(program(imports), bridge.Nondeterminism, "the time is read")

    @thread
    def imports_time():
        import time as t

        yield sync(request=BEvent(str(t.monotonic())))

    refused(program(imports_time), bridge.Nondeterminism, "`time.monotonic` is used")


def reads_the_clock():
    return datetime.datetime.now()


@thread
def asks_the_clock():
    yield sync(request=BEvent(str(reads_the_clock())))


@thread
def asks_the_system():
    yield sync(request=BEvent(str(os.path.sep) + str(os.environ.get("X"))))


def test_attributes_of_attributes():
    refused(program(asks_the_clock), bridge.Nondeterminism, "the time is read")
    refused(program(asks_the_system), bridge.Nondeterminism, "`os.environ` is used")


def test_programs_that_differ():
    rounds = iter(range(1000))

    def make():
        return program((repeats, BEvent(str(next(rounds)))))()

    error = refused(make, bridge.Nondeterminism, "different states")
    assert error.thread == "repeats"


def test_a_predicate_that_changes_the_thread():
    @thread
    def waits():
        seen = []
        yield sync(waitFor=EventSet(lambda e: seen.append(e) or len(seen) > 3))
        yield sync(request=B)

    refused(program(waits, (repeats, A)), bridge.NotComparable, "a predicate changes")


# -- statements, programs and limits --------------------------------------------------------------


def test_interrupt_and_unknown_names():
    @thread
    def waits(**more):
        yield sync(waitFor=A, interrupt=B)

    refused(program(waits), bridge.BppyError, "bppy knows no `interrupt`")

    @thread
    def misspells():
        yield sync(request=A, waitfor=B)

    refused(program(misspells), bridge.BppyError, "bppy ignores `waitfor`")
    assert bridge.extract(program(misspells), ignore=["waitfor"])


def test_a_thread_without_the_decorator():
    def plain():
        yield sync(request=A)

    refused(program(plain), bridge.BppyError, "not made by the decorator")


def test_a_program_that_has_begun():
    def make():
        made = program((repeats, A))()
        made.bthreads[0].send(None)
        return made

    refused(make, bridge.BppyError, "has begun already")


def test_another_strategy():
    class Mine(SimpleEventSelectionStrategy):
        pass

    def make():
        return BProgram(bthreads=[repeats(A)], event_selection_strategy=Mine())

    refused(make, bridge.BppyError, "the event selection strategy Mine is not supported")


def test_a_listener():
    def make():
        made = program((repeats, A))()
        made.listener = object()
        return made

    refused(make, bridge.BppyError, "the listener object")


def test_a_thread_with_infinitely_many_states():
    @thread
    def counts():
        n = 0
        while True:
            yield sync(request=BEvent("n", {"n": n % 2}))
            n += 1

    error = refused(program(counts), bridge.LimitExceeded, "n = 50", max_states=50)
    assert (error.thread, error.limit) == ("counts", 50)
    assert error.line == line_of('yield sync(request=BEvent("n", {"n": n % 2}))')


def test_infinitely_many_events():
    @thread
    def counts():
        n = 0
        while True:
            yield sync(request=BEvent("n", {"n": n}))
            n += 1

    assert refused(program(counts), bridge.LimitExceeded, "events", max_events=9).limit == 9


def test_a_step_without_end():
    @thread
    def spins():
        e = yield sync(request=[A, B])
        while e == A:
            pass

    error = refused(program(spins), bridge.LimitExceeded, "does not come to a sync")
    assert error.thread == "spins"
