"""A level crossing whose controller counts the trains that are near. As 02_crossing_unsafe.rwb."""

from bppy import BEvent, BProgram, EventSet, SimpleEventSelectionStrategy, sync, thread

N = 3
APPROACH = EventSet(lambda e: e.name == "approach")
ENTER = EventSet(lambda e: e.name == "enter")
LOWER, RAISE = BEvent("lower"), BEvent("raise")


@thread
def track(t):
    while True:
        yield sync(request=BEvent("approach", {"t": t}))
        yield sync(request=BEvent("enter", {"t": t}))
        yield sync(request=BEvent("leave", {"t": t}))


@thread
def controller():
    closing = EventSet(lambda e: e.name in ("enter", "approach"))
    passing = EventSet(lambda e: e.name in ("approach", "leave"))
    while True:
        yield sync(waitFor=APPROACH, block=ENTER)
        near = 1
        yield sync(request=LOWER, block=closing)
        while near > 0:
            e = yield sync(waitFor=passing)
            near = near + 1 if e.name == "approach" else 0
        yield sync(request=RAISE, block=closing)


@thread
def watch():
    up, inside = True, 0
    seen = EventSet(lambda e: e.name != "approach")
    while True:
        e = yield sync(waitFor=seen)
        if e.name == "lower":
            up = False
        elif e.name == "raise":
            up = True
            assert inside == 0, "the gate is up, and a train is inside"
        elif e.name == "enter":
            assert not up, "a train enters, and the gate is up"
            inside += 1
        else:
            inside -= 1


def make_program():
    return BProgram(
        bthreads=[*[track(t) for t in range(N)], controller(), watch()],
        event_selection_strategy=SimpleEventSelectionStrategy(),
    )
