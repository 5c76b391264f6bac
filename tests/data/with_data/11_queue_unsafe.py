"""Producer and consumer with a bounded buffer. As 11_queue_unsafe.rwb."""

from bppy import BEvent, BProgram, SimpleEventSelectionStrategy, sync, thread

SIZE, M = 3, 5
PUTS = [BEvent("put", {"v": v}) for v in range(M)]
GETS = [BEvent("get", {"v": v}) for v in range(M)]


def is_refused(used, first, e):
    return e.name == "get" and (used == 0 or e.data["v"] != first)


@thread
def producer():
    k = 0
    while True:
        yield sync(request=PUTS[k])
        k = (k + 1) % M


@thread
def buffer():
    cell, head, used = [0] * SIZE, 0, 0
    while True:
        refused = [e for e in PUTS + GETS if is_refused(used, cell[head], e)]
        e = yield sync(waitFor=PUTS + GETS, block=refused)
        if e.name == "put":
            cell[(head + used) % SIZE] = e.data["v"]
            if used < SIZE:
                used += 1
            else:
                head = (head + 1) % SIZE
        else:
            head = (head + 1) % SIZE
            used -= 1


@thread
def consumer():
    expected = 0
    while True:
        e = yield sync(request=GETS)
        assert e.data["v"] == expected, "out of order"
        expected = (expected + 1) % M


def make_program():
    return BProgram(
        bthreads=[producer(), buffer(), consumer()], event_selection_strategy=SimpleEventSelectionStrategy()
    )
