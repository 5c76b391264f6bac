"""Tic-tac-toe: can O complete a line against the pairing strategy of X? As 01_tictactoe_safe.rwb."""

from bppy import BEvent, BProgram, EventSet, SimpleEventSelectionStrategy, sync, thread

PARTNER = (1, 0, 5, 6, 4, 2, 3, 8, 7)
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
ANY_X = EventSet(lambda e: e.name == "x")
ANY_O = EventSet(lambda e: e.name == "o")


@thread
def turns():
    while True:
        yield sync(waitFor=ANY_X, block=ANY_O)
        yield sync(waitFor=ANY_O, block=ANY_X)


@thread
def cell(i):
    both = [BEvent("x", {"c": i}), BEvent("o", {"c": i})]
    yield sync(waitFor=both)
    yield sync(block=both)


@thread
def other_player():
    while True:
        yield sync(request=[BEvent("o", {"c": c}) for c in range(9)])


@thread
def strategy():
    yield sync(request=BEvent("x", {"c": 4}))
    while True:
        e = yield sync(waitFor=ANY_O)
        yield sync(request=BEvent("x", {"c": PARTNER[e.data["c"]]}))


@thread
def line(k):
    n = 0
    while True:
        yield sync(waitFor=[BEvent("o", {"c": c}) for c in LINES[k]])
        n += 1
        assert n < 3, "O has a line"


def make_program():
    return BProgram(
        bthreads=[
            turns(),
            *[cell(i) for i in range(9)],
            other_player(),
            strategy(),
            *[line(k) for k in range(8)],
        ],
        event_selection_strategy=SimpleEventSelectionStrategy(),
    )
