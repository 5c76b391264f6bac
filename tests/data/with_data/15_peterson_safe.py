"""Peterson's mutual exclusion. As 15_peterson_safe.rwb."""

from bppy import BEvent, BProgram, EventSet, SimpleEventSelectionStrategy, sync, thread


def read_flag(i, v):
    return BEvent("read_flag", {"who": i, "by": 1 - i, "v": v})


@thread
def flag(i):
    writes = [BEvent("write_flag", {"who": i, "v": v}) for v in (False, True)]
    is_set = False
    while True:
        e = yield sync(waitFor=writes, block=read_flag(i, not is_set))
        is_set = e.data["v"]


@thread
def process(i):
    while True:
        yield sync(request=BEvent("write_flag", {"who": i, "v": True}))
        yield sync(request=BEvent("write_turn", {"by": i, "v": 1 - i}))
        while True:
            e = yield sync(request=[read_flag(1 - i, False), read_flag(1 - i, True)])
            if not e.data["v"]:
                break
            e = yield sync(request=[BEvent("read_turn", {"by": i, "v": v}) for v in (0, 1)])
            if e.data["v"] == i:
                break
        yield sync(request=BEvent("enter", {"who": i}))
        yield sync(request=BEvent("leave", {"who": i}))
        yield sync(request=BEvent("write_flag", {"who": i, "v": False}))


@thread
def turn():
    now = 0
    while True:
        refused = [BEvent("read_turn", {"by": i, "v": 1 - now}) for i in (0, 1)]
        e = yield sync(waitFor=EventSet(lambda e: e.name == "write_turn"), block=refused)
        now = e.data["v"]


@thread
def watch():
    inside = 0
    while True:
        e = yield sync(waitFor=EventSet(lambda e: e.name in ("enter", "leave")))
        inside += 1 if e.name == "enter" else -1
        assert inside < 2, "two are inside"


def make_program():
    return BProgram(
        bthreads=[*[t(i) for i in (0, 1) for t in (flag, process)], turn(), watch()],
        event_selection_strategy=SimpleEventSelectionStrategy(),
    )
