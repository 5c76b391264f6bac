"""Hand-made models, runs and outcomes for the tests of the pictures."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


class Run(list):
    """A run with the interface of `impasse.Run`."""

    def __init__(self, initial: dict, moves: list, repeats_from: int | None = None) -> None:
        self.initial = initial
        self.repeats_from = repeats_from
        state = dict(initial)
        for number, (event, requested_by, to) in enumerate(moves, 1):
            changes = {name: (state[name], value) for name, value in to.items()}
            state = {**state, **to}
            self.append(
                SimpleNamespace(
                    number=number,
                    event=event,
                    requested_by=requested_by,
                    shows=[],
                    changes=changes,
                    state=state,
                    index=None,
                )
            )
        self.final = state


class Model:
    """A model with the interface of `impasse.Model`."""

    def __init__(self, name: str, structure: dict, kind: str | None = None) -> None:
        self.name, self._structure = name, structure
        self.kind = kind or structure["kind"]

    def structure(self) -> dict:
        return self._structure

    def info(self) -> dict:
        return {key: len(value) if isinstance(value, list) else value for key, value in self._structure.items()}


class Outcome(list):
    """An outcome with the interface of `impasse.Outcome`."""

    def __init__(self, model: Model, answers: list, verdict: str) -> None:
        super().__init__(answers)
        self.model, self.verdict, self.seconds = model, verdict, 0.0123


def answer(id: str, word: str, run: Any = None, **more: Any) -> SimpleNamespace:
    verdict = {"reachable": "unsafe", "unreachable": "safe"}.get(word, word)
    evidence = None
    if verdict != "unknown":
        kind, length = ("trace", len(run)) if run is not None else ("lemmas", 4)
        evidence = SimpleNamespace(kind=kind, length=length, checked=True, checked_by="kernel", trusted=[])
    fields = {
        "id": id,
        "kind": "bad",
        "asked": "never",
        "verdict": verdict,
        "answer": word,
        "reason": None,
        "detail": None,
        "engine": "walk",
        "evidence": evidence,
        "run": run,
    }
    return SimpleNamespace(**{**fields, **more})


def state(name: str, **more: Any) -> dict:
    plain = {"initial": False, "bad": False, "final": False, "hot": False}
    return {"name": name, **plain, "request": [], "wait": [], "block": [], **more}


def edge(source: int, target: int, *events: str) -> dict:
    return {"from": source, "to": target, "events": list(events)}


def philosophers(number: int = 3) -> Model:
    threads = []
    for i in range(number):
        left, right = f"pick[{i}][0]", f"pick[{(i + number - 1) % number}][1]"
        down = [event.replace("pick", "rel") for event in (left, right)]
        threads.append(
            {
                "name": f"Stick[{i}]",
                "states": [
                    state("free", initial=True, wait=[left, right], block=down),
                    state("taken", wait=down, block=[left, right]),
                ],
                "edges": [edge(0, 1, left, right), edge(1, 0, *down)],
            }
        )
    for i in range(number):
        events = [f"pick[{i}][0]", f"pick[{i}][1]", f"rel[{i}][1]", f"rel[{i}][0]"]
        names = ["thinks", "one", "eats", "lays down"]
        threads.append(
            {
                "name": f"Phil[{i}]",
                "states": [state(name, initial=at == 0, request=[events[at]]) for at, name in enumerate(names)],
                "edges": [edge(at, (at + 1) % 4, event) for at, event in enumerate(events)],
            }
        )
    events = [f"{what}[{i}][{k}]" for what in ("pick", "rel") for i in range(number) for k in (0, 1)]
    return Model("philosophers.rwb", {"kind": "program", "threads": threads, "events": events})


def philosophers_run(number: int = 3) -> Run:
    initial = {f"Stick[{i}]": "free" for i in range(number)}
    initial.update({f"Phil[{i}]": "thinks" for i in range(number)})
    moves = [(f"pick[{i}][0]", [f"Phil[{i}]"], {f"Stick[{i}]": "taken", f"Phil[{i}]": "one"}) for i in range(number)]
    return Run(initial, moves)


def lock() -> Model:
    """A program with all kinds of states, loops, and a state that is bad."""
    worker = {
        "name": "Worker",
        "states": [
            state("idle", initial=True, request=["acquire"], wait=["stop"]),
            state("working", hot=True, request=["work", "release"], block=["stop"]),
            state("done", final=True),
        ],
        "edges": [
            edge(0, 1, "acquire"),
            edge(1, 1, "work"),
            edge(1, 0, "release"),
            edge(0, 2, "stop"),
        ],
    }
    watch = {
        "name": "Watch",
        "states": [
            state("ok", initial=True, wait=["work", "release"]),
            state("suspicious", wait=["work", "release"]),
            state("twice", bad=True),
        ],
        "edges": [
            edge(0, 1, "work"),
            edge(1, 2, "work"),
            edge(1, 0, "release"),
            edge(0, 0, "release"),
        ],
    }
    return Model(
        "lock",
        {
            "kind": "program",
            "threads": [worker, watch],
            "events": ["acquire", "release", "work", "stop"],
        },
    )


def lock_run(loop: bool) -> Run:
    initial = {"Worker": "idle", "Watch": "ok", "count": 0}
    moves = [
        ("acquire", ["Worker"], {"Worker": "working"}),
        ("work", ["Worker"], {"Watch": "suspicious", "count": 1}),
    ]
    if loop:
        moves += [("release", ["Worker"], {"Worker": "idle", "Watch": "ok"})]
        return Run(initial, moves, 0)
    return Run(initial, [*moves, ("work", ["Worker"], {"Watch": "twice", "count": 2})])


def long_run(steps: int, loop: int | None = None) -> Run:
    moves = [
        ("acquire", ["Worker"], {"Worker": "working"})
        if number % 2 == 0
        else ("release", ["Worker"], {"Worker": "idle"})
        for number in range(steps)
    ]
    return Run({"Worker": "idle", "Watch": "ok"}, moves, loop)


def transition(name: str, inputs: dict, outputs: dict, label: str | None = None) -> dict:
    return {"name": name, "label": label, "inputs": inputs, "outputs": outputs}


def mutex() -> Model:
    places = [
        {"name": name, "initial": tokens}
        for name, tokens in {"idle_a": 1, "wait_a": 0, "crit_a": 0, "lock": 1, "idle_b": 1,
                             "wait_b": 0, "crit_b": 0, "visits": 0}.items()
    ]  # fmt: skip
    transitions = []
    for who in "ab":
        transitions += [
            transition(f"ask_{who}", {f"idle_{who}": 1}, {f"wait_{who}": 1}),
            transition(f"enter_{who}", {f"wait_{who}": 1, "lock": 1}, {f"crit_{who}": 1}),
            transition(f"leave_{who}", {f"crit_{who}": 1}, {f"idle_{who}": 1, "lock": 1, "visits": 2}),
        ]
    transitions.append(transition("look", {"visits": 1}, {"visits": 1}, "read"))
    transitions.append(transition("clear", {"visits": 6}, {}))
    return Model("mutex", {"kind": "net", "places": places, "transitions": transitions})


def mutex_run() -> Run:
    initial = {place["name"]: place["initial"] for place in mutex().structure()["places"]}
    moves = [
        ("ask_a", [], {"idle_a": 0, "wait_a": 1}),
        ("enter_a", [], {"wait_a": 0, "lock": 0, "crit_a": 1}),
        ("ask_b", [], {"idle_b": 0, "wait_b": 1}),
        ("leave_a", [], {"crit_a": 0, "idle_a": 1, "lock": 1, "visits": 2}),
        ("enter_b", [], {"wait_b": 0, "lock": 0, "crit_b": 1}),
    ]
    return Run(initial, moves)


def outcome() -> Outcome:
    model = philosophers()
    why = "After 3 events, every requested event is blocked:\npick[0][1]: requested by Phil[0], blocked by Stick[1]"
    return Outcome(
        model,
        [
            answer("deadlock", "unsafe", philosophers_run(), detail=why),
            answer("bad", "safe", engine="dpllt"),
            answer("G (a -> F b)", "unknown", reason="timeout", detail="10 s were not enough"),
            answer("EF Phil[0] at eats", "reachable", philosophers_run(), asked="EF"),
            answer("EF x", "unreachable", asked="EF"),
        ],
        "unsafe",
    )
