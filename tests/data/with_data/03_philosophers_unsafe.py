"""Dining philosophers that count their meals. As 03_philosophers_unsafe.rwb."""

from bppy import BEvent, BProgram, SimpleEventSelectionStrategy, sync, thread

N, MEALS = 3, 2


def take(p, f):
    return BEvent("take", {"who": p, "fork": f})


def put(p, f):
    return BEvent("put", {"who": p, "fork": f})


@thread
def philosopher(p):
    first, second = p, (p + 1) % N
    for _ in range(MEALS):
        yield sync(request=take(p, first))
        yield sync(request=take(p, second))
        yield sync(request=put(p, second))
        yield sync(request=put(p, first))


@thread
def fork(f):
    takes, puts = [take(p, f) for p in range(N)], [put(p, f) for p in range(N)]
    while True:
        e = yield sync(waitFor=takes, block=puts)
        holder = e.data["who"]
        others = [put(p, f) for p in range(N) if p != holder]
        yield sync(waitFor=put(holder, f), block=takes + others)


@thread
def watch(f):
    takes, puts = [take(p, f) for p in range(N)], [put(p, f) for p in range(N)]
    while True:
        yield sync(waitFor=takes)
        e = yield sync(waitFor=takes + puts)
        assert e.name == "put", "two hold one fork"


def make_program():
    return BProgram(
        bthreads=[t(i) for i in range(N) for t in (philosopher, fork, watch)],
        event_selection_strategy=SimpleEventSelectionStrategy(),
    )
