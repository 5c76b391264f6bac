"""Random bppy programs: the bridge against bppy's own `BProgram`, which is exhausted by hand.

    python differential_bppy.py --count 5000 --seed 1

The exploration knows nothing of the bridge. It lets bppy make each step, and tries every selectable
event and every outcome of a choice. `tree` merges no states at all: it compares runs up to a depth.
`graph` merges states by position and variables, for programs in which these are the whole state; it
decides hot threads, too.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
import time
import warnings
from typing import Any, Optional

import bppy

import impasse_mc.bppy as bridge

Events = ["a", "b", "c", "d"]


# -- programs ------------------------------------------------------------------------------------


class Writer:
    """Writes the text of a random program."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.hot = self.r.random() < 0.35
        self.priorities = self.r.random() < 0.3
        self.data = self.r.random() < 0.5
        self.lines: list[str] = []
        self.names = 0

    def event(self) -> str:
        r = self.r
        if self.data and r.random() < 0.5:
            return f"BEvent('m', {{'x': {r.randrange(3)}}})"
        return f"E['{r.choice(Events[: r.choice([2, 4])])}']"

    def event_set(self) -> str:
        r = self.r
        kind = r.randrange(9)
        if kind < 3:
            return self.event()
        if kind == 3:
            return "All()"
        if kind == 4:
            return f"AllExcept({self.event()})"
        if kind == 5:
            return f"[{self.event()}, {self.event()}]"
        if kind == 6:
            return f"EventSet(lambda e: e.name == 'm' and e.data['x'] > {r.randrange(2)})"
        if kind == 7:
            return f"EventSet(lambda e: e.name in '{r.choice(['ab', 'bc', 'cd', 'a', 'm'])}')"
        return f"EventSetList([{self.event()}, EventSet(lambda e: e.name > 'b')])"

    def sync(self) -> str:
        r = self.r
        parts = []
        if r.random() < 0.65:
            parts.append("request=" + (self.event() if r.random() < 0.7 else f"[{self.event()}, {self.event()}]"))
        if not parts or r.random() < 0.35:
            parts.append("waitFor=" + self.event_set())
        if r.random() < 0.3:
            parts.append("block=" + self.event_set())
        if self.priorities and r.random() < 0.6:
            parts.append(f"priority={r.choice([-1, 1, 2, 2.5])}")
        if self.hot and r.random() < 0.5:
            parts.append(r.choice(["mustFinish=True", "hot=True"]))
        return f"yield sync({', '.join(parts)})"

    def put(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def condition(self) -> str:
        return self.r.choice(
            [
                "e == E['a']",
                "e.name == 'b'",
                "n > 1",
                "n % 2 == 0",
                "e.data == {}",
                "e.name == 'm' and e.data['x'] == 1",
                "k == 1",
                "len(h) > 1",
            ]
        )

    def acts(self, depth: int, budget: int) -> None:
        r = self.r
        for _ in range(r.randint(1, 3)):
            kind = r.randrange(14)
            if budget <= 0 or kind < 5:
                self.put(depth, "e = " + self.sync())
            elif kind == 5:
                self.put(depth, f"if {self.condition()}:")
                self.acts(depth + 1, budget - 1)
                if r.random() < 0.5:
                    self.put(depth, "else:")
                    self.put(
                        depth + 1,
                        r.choice(["n = (n + 1) % 3", "pass", "h.append(n)"])
                        if r.random() < 0.5
                        else "e = " + self.sync(),
                    )
            elif kind == 6:
                self.names += 1
                self.put(depth, f"for i{self.names} in range({r.randint(1, 3)}):")
                self.acts(depth + 1, budget - 1)
            elif kind == 7 and not self.hot:
                # The loop is at another place of its list, but its variable may be the same.
                self.put(depth, f"for x in [{self.event()}, E['a'], E['a']]:")
                self.put(depth + 1, "yield sync(request=x)")
            elif kind == 8 and not self.hot:
                self.put(depth, f"e = yield from helper({r.randrange(2)}, {self.event()})")
            elif kind == 9:
                self.put(depth, f"k = yield choice({{1: 0.5, {r.choice(['2: 0.5', '3: 0.0'])}}})")
            elif kind == 10:
                self.put(depth, f"assert not ({self.condition()}), 'A{len(self.lines)}'")
            elif kind == 11:
                self.put(
                    depth,
                    r.choice(
                        [
                            "n = (n + 1) % 3",
                            "h.append(e.name)",
                            "del h[:]",
                            "h = h[:1]",
                            "e.data['x'] + 1",
                            "1 // (n - 2)",
                            "g = lambda: n",
                        ]
                    ),
                )
            elif kind == 12:
                self.put(depth, f"if {self.condition()}: return")
            else:
                self.put(depth, "e = " + self.sync())

    def program(self) -> str:
        r = self.r
        threads = []
        self.put(0, "E = {n: BEvent(n) for n in 'abcd'}")
        self.put(0, "def helper(n, x):")
        self.put(1, "e = yield sync(waitFor=x)")
        self.put(1, "for i in (1, 1):")
        self.put(2, "e = yield sync(request=[x, E['a']], block=E['b'] if n else E['c'])")
        self.put(1, "return e")
        for t in range(r.randint(1, 4)):
            self.put(0, "@thread")
            self.put(0, f"def t{t}(n):")
            self.put(1, "e = E['d']; k = 0; h = []")
            if r.random() < 0.4:
                self.put(1, "while True:")
                self.acts(2, 2)
                self.put(2, "e = " + self.sync())
                self.put(2, "del h[2:]")
            else:
                self.acts(1, 2)
            threads.append(f"t{t}({r.randrange(3)})")
        strategy = "PriorityBased" if self.priorities else "Simple"
        argument = r.choice(["", "1"]) if self.priorities else ""
        self.put(0, "def make():")
        self.put(
            1,
            f"p = BProgram(bthreads=[{', '.join(threads)}], "
            f"event_selection_strategy={strategy}EventSelectionStrategy({argument}))",
        )
        for _ in range(r.choice([0, 0, 0, 1, 2])):
            self.put(1, f"p.enqueue_external_event({self.event()})")
        self.put(1, "return p")
        return "\n".join(self.lines) + "\n"


def load(text: str) -> Any:
    """The function that makes the program."""
    scope: dict[str, Any] = {"__name__": "random_program"}
    exec("from bppy import *", scope)
    exec(compile(text, "random_program.py", "exec"), scope)
    return scope["make"]


# -- bppy, exhausted -----------------------------------------------------------------------------


class NeedOutcome(BaseException):
    """A choice beyond the decisions of a run."""

    def __init__(self, count: int) -> None:
        self.count = count


class Position:
    """Where a run is: after decisions, which are events and outcomes in the order of their use."""

    def __init__(self, make: Any, decisions: tuple[Any, ...]) -> None:
        self.kind = "state"
        self.message: Optional[str] = None
        self.next: list[Any] = []
        left = collections.deque(decisions)

        def sample(chosen: Any) -> Any:
            # All programs choose between single values.
            keys = [k for k, w in chosen.items() if w > 0]
            if not left:
                raise NeedOutcome(len(keys))
            return keys[left.popleft()]

        original = bppy.choice.sample
        bppy.choice.sample = sample
        self.program = program = make()
        strategy = program.event_selection_strategy
        try:
            program.setup()
            while True:
                tickets = program.tickets
                found = strategy.selectable_events(tickets)
                if not left:
                    break
                event = left.popleft()
                if found:
                    assert event in found
                else:
                    assert program.external_events_queue.pop(0) == event
                program.advance_bthreads(tickets, event)
        except NeedOutcome as need:
            self.kind, self.next = "choice", list(range(need.count))
            return
        except Exception as error:
            self.kind = "bad"
            self.message = type(error).__name__
            return
        finally:
            bppy.choice.sample = original
        self.next = sorted(found, key=repr)
        if not self.next and program.external_events_queue:
            self.next = [program.external_events_queue[0]]
        if not self.next:
            self.kind = "dead" if any(list_of(t.get("request")) for t in tickets) else "end"
        self.hot = [bool(t.get("hot") or t.get("mustFinish")) for t in tickets]

    def identity(self) -> Any:
        """Position and variables of all threads, for programs in which they are the whole state."""
        parts = []
        for t in self.program.tickets:
            if "bt" not in t:
                parts.append("end")
                continue
            f = t["bt"].gi_frame.f_locals["f"]
            names = {k: v for k, v in f.gi_frame.f_locals.items() if k != "g"}
            parts.append(
                (
                    f.gi_frame.f_lasti,
                    repr(sorted(names.items(), key=lambda p: p[0])),
                    "g" in f.gi_frame.f_locals,
                )
            )
        return repr(parts), repr(self.program.external_events_queue)


def list_of(request: Any) -> list[Any]:
    if request is None:
        return []
    return [request] if isinstance(request, bppy.BEvent) else list(request)


def events_in(decisions: tuple[Any, ...]) -> int:
    return sum(isinstance(d, bppy.BEvent) for d in decisions)


def tree(make: Any, most: int) -> tuple[dict[str, int], int, bool]:
    """The shortest lengths of runs to each kind of end; up to which length all runs were tried; and
    whether there are no others."""
    best: dict[str, int] = {}
    level: list[tuple[Any, ...]] = [()]
    length, visited = 0, 0
    while level:
        following: list[tuple[Any, ...]] = []
        todo = collections.deque(level)
        while todo:
            decisions = todo.popleft()
            visited += 1
            if visited > most:
                return best, length - 1, False
            at = Position(make, decisions)
            if at.kind == "choice":
                todo.extend((*decisions, n) for n in at.next)
                continue
            if at.kind != "state":
                best.setdefault(at.kind, length)
            following += [(*decisions, e) for e in at.next]
        level = following
        length += 1
    return best, length, True


def graph(make: Any, most: int) -> Optional[tuple[dict[str, int], list[bool], bool]]:
    """The same with merged states, and which threads, and whether all together, can stay hot."""
    index: dict[Any, int] = {}
    hot: list[list[bool]] = []
    kinds: list[str] = []
    edges: list[list[int]] = []
    best: dict[str, int] = {}
    todo: Any = collections.deque([((), None)])
    while todo:
        decisions, origin = todo.popleft()
        at = Position(make, decisions)
        if at.kind == "choice":
            todo.extendleft(((*decisions, n), origin) for n in reversed(at.next))
            continue
        length = events_in(decisions)
        if at.kind == "bad":
            best.setdefault("bad", length)
            continue
        key = at.identity()
        number = index.get(key)
        if number is None:
            number = index[key] = len(index)
            if number > most:
                return None
            hot.append(at.hot)
            kinds.append(at.kind)
            edges.append([])
            if at.kind != "state":
                best.setdefault(at.kind, length)
            todo.extend(((*decisions, e), number) for e in at.next)
        if origin is not None:
            edges[origin].append(number)

    def for_ever(inside: list[bool]) -> bool:
        """Whether a run stays inside from some point on: it ends there, or there is a cycle."""
        if any(i and not edges[s] and kinds[s] != "state" for s, i in enumerate(inside)):
            return True
        alive = {s for s, i in enumerate(inside) if i}
        while True:
            less = {s for s in alive if any(t in alive for t in edges[s])}
            if less == alive:
                return bool(alive)
            alive = less

    threads = len(hot[0]) if hot else 0
    each = [for_ever([h[t] for h in hot]) for t in range(threads)]
    return best, each, for_ever([any(h) for h in hot])


# -- comparison ----------------------------------------------------------------------------------


class Mismatch(Exception):
    """The bridge and bppy disagree."""


def compare(seed: int, most: int = 300) -> str:
    """Compares one program. The result says what was decided, for statistics."""
    writer = Writer(seed)
    text = writer.program()
    make = load(text)
    ends = "proper" if seed % 2 else "none"
    # Every third program is explored with all threads together.
    bridge._api.FEW_STATES = 4 if seed % 3 == 0 else 1 << 9
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            outcome = bridge.check(make, ends=ends, shortest=True, max_states=600)
        except bridge.LimitExceeded:
            return "limit"
        found = graph(make, most * 4) if writer.hot else None
        if writer.hot and found is None:
            return "too large"
        if found is not None:
            best, each, together = found
            complete, depth = True, 0
        else:
            best, depth, complete = tree(make, most)
        expected = {"bad": best.get("bad"), "deadlock": best.get("dead")}
        if ends == "none":
            lengths = [best[k] for k in ("dead", "end") if k in best]
            expected["deadlock"] = min(lengths, default=None)
        word = "exact" if complete else "partly"
        for a in outcome:
            if a.verdict == "unknown":
                raise Mismatch(f"seed {seed}: {a.id} is unknown: {a.detail}\n{text}")
            if a.run is not None:
                said = bridge.replay(make, a.run)
                wanted = {"bad": "bad", "deadlock": "end"}.get(a.id, "")
                if not said.startswith(wanted):
                    raise Mismatch(f"seed {seed}: bppy ends {a.run} with {said}\n{text}")
            if a.id in expected:
                length = None if a.run is None else len(a.run)
                want = expected[a.id]
                fits = (
                    length == want
                    if complete
                    else (length == want if want is not None else length is None or length > depth)
                )
                if not fits:
                    raise Mismatch(f"seed {seed}: {a.id}: Impasse {length}, bppy {want} (to {depth})\n{text}")
                word += f" {a.id}:{a.verdict}"
            elif a.id == "hot" or a.id.startswith("hot:"):
                if found is None:
                    continue
                want_hot = together if a.id == "hot" else bool(each) and each[int(a.id[5:])]
                if (a.verdict == "unsafe") != want_hot:
                    raise Mismatch(f"seed {seed}: {a.id}: Impasse {a.verdict}, bppy {want_hot}\n{text}")
                word += f" hot:{a.verdict}"
    return word


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    counts: dict[str, int] = collections.Counter()
    wrong = 0
    began = time.time()
    for seed in range(options.seed, options.seed + options.count):
        try:
            for word in compare(seed).split():
                counts[word] += 1
        except Exception as error:
            wrong += 1
            print(f"seed {seed}: {type(error).__name__}: {error}", flush=True)
            if wrong > 10:
                break
    print(f"{options.count} programs, {wrong} wrong, {time.time() - began:.0f} s: {dict(counts)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
