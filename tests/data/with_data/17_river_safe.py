"""A farmer takes a wolf, a goat and a cabbage over a river. As 17_river_safe.rwb."""

from bppy import BEvent, BProgram, SimpleEventSelectionStrategy, sync, thread

LOADS = [BEvent("cross", {"load": load}) for load in ("Nothing", "Wolf", "Goat", "Cabbage")]


def is_refused(load, man, wolf, goat, cabbage):
    return (
        (load == "Wolf" and wolf != man)
        or (load == "Goat" and goat != man)
        or (load == "Cabbage" and cabbage != man)
        # The goat may not be left with the wolf, nor the cabbage with the goat.
        or (load not in ("Wolf", "Goat") and wolf == goat == man)
        or (load not in ("Goat", "Cabbage") and goat == cabbage == man)
        or (load == "Goat" and goat)
    )


@thread
def farmer():
    while True:
        yield sync(request=LOADS)


@thread
def banks():
    man = wolf = goat = cabbage = False
    while True:
        refused = [e for e in LOADS if is_refused(e.data["load"], man, wolf, goat, cabbage)]
        e = yield sync(waitFor=LOADS, block=refused)
        man = not man
        wolf = man if e.data["load"] == "Wolf" else wolf
        goat = man if e.data["load"] == "Goat" else goat
        cabbage = man if e.data["load"] == "Cabbage" else cabbage
        assert not (wolf and goat and cabbage), "solved"


def make_program():
    return BProgram(bthreads=[farmer(), banks()], event_selection_strategy=SimpleEventSelectionStrategy())
