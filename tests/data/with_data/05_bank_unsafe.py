"""A bank with three accounts. As 05_bank_unsafe.rwb."""

from bppy import BEvent, BProgram, SimpleEventSelectionStrategy, sync, thread

N, MAX, START = 3, 5, 2
ALL = [
    BEvent("transfer", {"from": a, "to": b, "amount": n}) for a in range(N) for b in range(N) for n in (1, 2) if a != b
]


def is_refused(i, balance, e):
    return e.data["from"] == i and e.data["amount"] > balance


@thread
def customers():
    while True:
        yield sync(request=ALL)


@thread
def account(i):
    balance = START
    mine = [e for e in ALL if i in (e.data["from"], e.data["to"])]
    while True:
        e = yield sync(waitFor=mine, block=[e for e in ALL if is_refused(i, balance, e)])
        balance += e.data["amount"] if e.data["to"] == i else -e.data["amount"]
        assert 0 <= balance <= MAX, "the balance is out of range"


@thread
def auditor():
    book = [START] * N
    while True:
        e = yield sync(waitFor=ALL)
        book[e.data["from"]] -= e.data["amount"]
        book[e.data["to"]] += e.data["amount"]
        assert all(-2 <= value <= N * START + 2 for value in book), "the book is out of range"
        assert sum(book) == N * START, "money is made or lost"


def make_program():
    return BProgram(
        bthreads=[customers(), *[account(i) for i in range(N)], auditor()],
        event_selection_strategy=SimpleEventSelectionStrategy(),
    )
