"""Hot and cold taps. As 10_taps_safe.rwb."""

from bppy import BEvent, BProgram, SimpleEventSelectionStrategy, sync, thread

N, LIMIT = 10, 2
HOT, COLD = BEvent("hot"), BEvent("cold")


@thread
def add(event):
    for _ in range(N):
        yield sync(request=event)


@thread
def balance():
    warm = 0
    while True:
        refused = [HOT] if warm >= LIMIT else [COLD] if warm <= -LIMIT else []
        e = yield sync(waitFor=[HOT, COLD], block=refused)
        warm += 1 if e.name == "hot" else -1


@thread
def watch():
    warm = 0
    while True:
        e = yield sync(waitFor=[HOT, COLD])
        warm += 1 if e.name == "hot" else -1
        assert -LIMIT <= warm <= LIMIT, "too hot or too cold"


def make_program():
    return BProgram(
        bthreads=[add(HOT), add(COLD), balance(), watch()], event_selection_strategy=SimpleEventSelectionStrategy()
    )
