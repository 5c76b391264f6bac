"""What the bridge offers."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Union

from . import _core, _runs
from ._errors import BppyError
from ._explore import Explorer
from ._graph import copy_event
from ._program import build
from ._smt import values_of
from ._source import Source

MAX_STATES = 1 << 14
MAX_EVENTS = 1 << 12


@dataclass
class Extracted:
    """A program that was read from bppy: `program` is a dict in the JSON format, version 2.

    `inside` and `outside` have the bppy event for each name of an event, and of an external event.
    `sorts` and `constants` have the sort and the
    term of each Z3 constant, if events are valuations. `notes` say what is unusual,
    and `copies` is the number of calls of make_program().
    """

    program: dict[str, Any]
    inside: dict[str, Any]
    outside: dict[str, Any]
    notes: list[str] = field(default_factory=list)
    copies: int = 0
    sorts: Optional[dict[str, Any]] = None
    constants: Optional[dict[str, Any]] = None

    def to_json(self, indent: Optional[int] = 1) -> str:
        """The program as text."""
        return json.dumps(self.program, indent=indent)

    @property
    def events(self) -> dict[str, Any]:
        """The bppy event for each name of an event in the program."""
        return {**self.inside, **self.outside}

    def decode(
        self,
        texts: list[str],
        repeats_from: Optional[int] = None,
        failure: Optional[str] = None,
        ending: Optional[str] = None,
    ) -> _runs.Run:
        """A run of the checker as bppy events, or as dicts of the values of Z3 constants."""
        if self.sorts is not None:
            values: list[Any] = [values_of(t, self.sorts) for t in texts]
        else:
            values = [copy_event(self.events[t]) for t in texts]
        external = [t in self.outside for t in texts]
        return _runs.Run(values, external, repeats_from, failure, ending, self.constants)

    def failure_at(self, final: dict[str, str]) -> Optional[str]:
        """The message of the bad state in a joint state, or None."""
        for thread in self.program["threads"]:
            at = str(final.get(thread["name"], ""))
            for state in thread["states"]:
                if "bad" in state and (
                    at == state["name"] or at == f"{state['name']} ({state['bad']})"
                ):
                    return str(state["bad"])
        return None


@dataclass(frozen=True)
class Answer:
    """The answer to one question. `run` is a run of bppy events, if there is one to show."""

    id: str
    kind: str
    asked: str
    verdict: str
    answer: str
    reason: Optional[str]
    detail: Optional[str]
    engine: Optional[str]
    run: Optional[_runs.Run]
    core: Any

    def __bool__(self) -> bool:
        raise TypeError("an answer is no truth value; compare its `verdict`")


class Outcome(Sequence[Answer]):
    """The answers to all questions about a bppy program."""

    def __init__(self, answers: list[Answer], extracted: Extracted) -> None:
        self.answers = answers
        self.extracted = extracted

    @property
    def verdict(self) -> str:
        """The verdict of all questions together.

        It is "unsafe" if one is violated, otherwise "unknown" if one is open, otherwise "safe"."""
        verdicts = {a.verdict for a in self.answers}
        return next((v for v in ("unsafe", "unknown") if v in verdicts), "safe")

    def __len__(self) -> int:
        return len(self.answers)

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.answers)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            for a in self.answers:
                if a.id == index:
                    return a
            raise KeyError(index)
        return self.answers[index]

    def __bool__(self) -> bool:
        raise TypeError("an outcome is no truth value; compare its `verdict`")

    def __repr__(self) -> str:
        return f"<Outcome {', '.join(f'{a.id}: {a.verdict}' for a in self.answers)}>"


def extract(
    make_program: Callable[[], Any],
    events: Optional[Sequence[Any]] = None,
    *,
    external: Sequence[Any] = (),
    ends: str = "proper",
    max_states: int = MAX_STATES,
    max_events: int = MAX_EVENTS,
    ignore: Sequence[str] = (),
) -> Extracted:
    """Translates a bppy program.

    `make_program` returns a new `bppy.BProgram` at each call, which is not set up.

    * `events`: all events that may be requested. Without it, they are found: those that some thread
      requests in a state that it can reach by itself, when the others request any of them.
    * `external`: events that come from outside at any time. As in bppy, such an event is selected
      only if no requested event is selectable, and blocking does not concern it.
    * `ends`: "proper" if the program may end when no thread requests anything, and "none" if every
      state without a selectable event is a deadlock.
    * `max_states`: how many states a thread may have by itself; `max_events`: how many events may
      be requested. More are a LimitExceeded.
    * `ignore`: names in syncs that bppy ignores, and that are meant for something else.

    Raises BppyError, with the thread, line and variable, for what cannot be translated exactly.
    """
    try:
        import bppy
    except ImportError:
        raise ImportError("bppy is not installed: pip install bppy==1.0.4") from None
    if ends not in ("proper", "none"):
        raise BppyError(f'`ends` is "proper" or "none", not {ends!r}')
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from . import _smt

        source = Source(make_program, bppy.BEvent, _smt.z3_key)
        strategy = source.program.event_selection_strategy
        if type(strategy) in (bppy.SMTEventSelectionStrategy, bppy.RichEventSelectionStrategy):
            if events is not None or external:
                raise BppyError("`events` and `external` have no meaning for formulas")
            program, sorts, constants, notes = _smt.translate(
                source, strategy, ends, max_states, ignore
            )
            return Extracted(
                program, {}, {}, list(dict.fromkeys(notes)), source.copies, sorts, constants
            )
        if type(strategy) not in (
            bppy.SimpleEventSelectionStrategy,
            bppy.PriorityBasedEventSelectionStrategy,
        ):
            raise BppyError(
                f"the event selection strategy {type(strategy).__name__} is not supported"
            )
        explorer = Explorer(
            source,
            strategy,
            events=events,
            external=external,
            max_states=max_states,
            max_events=max_events,
            ignore=ignore,
        )
        explorer.run()
        program, inside, outside = build(explorer, ends, len(explorer_external(explorer, external)))
        return Extracted(
            program,
            dict(zip(inside, explorer.events.list)),
            dict(zip(outside, explorer.external.list)),
            list(dict.fromkeys(explorer.notes)),
            source.copies,
        )


def explorer_external(explorer: Explorer, external: Sequence[Any]) -> list[int]:
    """The numbers of the events that come at any time."""
    return sorted({explorer.external.add(e) for e in external})


def check(
    make_program: Callable[[], Any],
    events: Optional[Sequence[Any]] = None,
    *,
    ask: Union[str, Sequence[str], None] = None,
    external: Sequence[Any] = (),
    ends: str = "proper",
    max_states: int = MAX_STATES,
    max_events: int = MAX_EVENTS,
    ignore: Sequence[str] = (),
    **options: Any,
) -> Outcome:
    """Decides a bppy program: deadlock, failed assertions, hot states, and what `ask` asks.

    The options of the translation are those of `extract`. `ask` and the other options are those of
    `impasse.check`. A state is bad if a thread fails by an exception in it, and hot if its sync has
    `mustFinish=True` or `hot=True`.
    """
    extracted = extract(
        make_program,
        events,
        external=external,
        ends=ends,
        max_states=max_states,
        max_events=max_events,
        ignore=ignore,
    )
    if ask is not None:
        options["ask"] = ask
    answers = []
    for raw in _core.run(extracted.program, options):
        run = None
        if raw.events is not None:
            failure = extracted.failure_at(raw.final or {})
            ending = "end" if raw.kind == "deadlock" else None
            if failure is not None:
                ending = f"bad: {failure}"
            run = extracted.decode(raw.events, raw.repeats_from, failure, ending)
        answers.append(
            Answer(
                raw.id,
                raw.kind,
                raw.asked,
                raw.verdict,
                raw.answer,
                raw.reason,
                raw.detail,
                raw.engine,
                run,
                raw.core,
            )
        )
    return Outcome(answers, extracted)
