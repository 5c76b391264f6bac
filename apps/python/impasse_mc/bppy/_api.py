"""What the bridge offers."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Callable, NoReturn, Optional, Union

from ..outcome import Answer as CoreAnswer
from ..outcome import Evidence
from ..outcome import Outcome as CoreOutcome
from . import _core, _runs
from ._errors import BppyError, LimitExceeded
from ._explore import Explorer
from ._graph import copy_event
from ._joint import JointExplorer, assert_explored
from ._program import build
from ._smt import values_of
from ._source import Source

MAX_STATES = 1 << 14
MAX_EVENTS = 1 << 12
MAX_JOINT_STATES = 1 << 15
# A thread with more states by itself is explored together with the others first.
FEW_STATES = 1 << 9
FEW_REPEATED = 200_000


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
                if "bad" in state and (at == state["name"] or at == f"{state['name']} ({state['bad']})"):
                    return str(state["bad"])
        return None


class Answer:
    """The answer to one question. What is not here is in `core`, the answer of `impasse.check`."""

    def __init__(self, core: CoreAnswer, extracted: Extracted) -> None:
        self.core = core
        self._extracted = extracted
        self._run: Optional[_runs.Run] = None

    @property
    def id(self) -> str:
        """The name of the question: "deadlock", "bad", "hot:THREAD" and others."""
        return self.core.id

    @property
    def kind(self) -> str:
        """The kind of the question."""
        return self.core.kind

    @property
    def verdict(self) -> str:
        """ "safe" (no run does it), "unsafe" (a run does it) or "unknown"."""
        return self.core.verdict

    @property
    def answer(self) -> str:
        """As `verdict`, but "reachable" and "unreachable" for questions with `EF`."""
        return self.core.answer

    @property
    def detail(self) -> Optional[str]:
        """A sentence about the reason of an answer "unknown", or about a proof."""
        return self.core.detail

    @property
    def evidence(self) -> Optional[Evidence]:
        """What the answer rests on, and what the independent checker accepted."""
        return self.core.evidence

    @property
    def run(self) -> Optional[_runs.Run]:
        """The run that violates the property, or reaches what was asked for, as bppy events."""
        run = self.core.run
        if self._run is None and run is not None:
            failure = self._extracted.failure_at(run.final)
            assert_explored(failure)
            ending = "end" if self.kind == "deadlock" else None
            if failure is not None:
                ending = f"bad: {failure}"
            self._run = self._extracted.decode(list(run.events), run.repeats_from, failure, ending)
        return self._run

    def __bool__(self) -> NoReturn:
        """Raises TypeError: an answer may be unknown."""
        raise TypeError("an answer is no truth value, it may be unknown: compare `answer.verdict`")

    def __repr__(self) -> str:
        """Returns the id with the verdict."""
        return f"<answer {self.id!r}: {self.answer}>"


class Outcome(Sequence[Answer]):
    """The answers to all questions about a bppy program.

    `core` is the outcome of `impasse.check`, which has the evidence and the reports. `extracted` is
    the program that was checked.
    """

    def __init__(self, core: CoreOutcome, extracted: Extracted) -> None:
        self.core = core
        self.extracted = extracted
        self._answers = [Answer(a, extracted) for a in core]

    @property
    def verdict(self) -> str:
        """The verdict of all questions together.

        It is "unsafe" if one is violated, otherwise "unknown" if one is open, otherwise "safe"."""
        return self.core.verdict

    def __len__(self) -> int:
        """Returns the number of answers."""
        return len(self._answers)

    def __iter__(self) -> Iterator[Answer]:
        """Returns the answers in the order of the questions."""
        return iter(self._answers)

    def __getitem__(self, index: Any) -> Any:
        """Returns an answer by its number or by the name of its question."""
        if isinstance(index, str):
            for a in self._answers:
                if a.id == index:
                    return a
            raise KeyError(index)
        return self._answers[index]

    def __bool__(self) -> NoReturn:
        """Raises TypeError: an answer may be unknown."""
        raise TypeError("an outcome is no truth value: compare `outcome.verdict`")

    def __repr__(self) -> str:
        """Returns the verdicts."""
        return f"<outcome of bppy: {', '.join(f'{a.id}: {a.verdict}' for a in self)}>"


def extract(
    make_program: Callable[[], Any],
    events: Optional[Sequence[Any]] = None,
    *,
    external: Sequence[Any] = (),
    ends: str = "proper",
    max_states: int = MAX_STATES,
    max_events: int = MAX_EVENTS,
    max_joint_states: int = MAX_JOINT_STATES,
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
      be requested. If a thread has more states by itself, the threads are explored together, with
      at most `max_joint_states` states. More are a LimitExceeded: then nothing is known.
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
            program, sorts, constants, notes = _smt.translate(source, strategy, ends, max_states, ignore)
            return Extracted(program, {}, {}, list(dict.fromkeys(notes)), source.copies, sorts, constants)
        if type(strategy) not in (
            bppy.SimpleEventSelectionStrategy,
            bppy.PriorityBasedEventSelectionStrategy,
        ):
            raise BppyError(f"the event selection strategy {type(strategy).__name__} is not supported")
        options: dict[str, Any] = {"events": events, "external": external, "ignore": ignore}
        explorer = explore(source, strategy, options, (max_states, max_events, max_joint_states))
        at_any_time = {explorer.external.add(e) for e in external}
        program, inside, outside = build(explorer, ends, len(at_any_time))
        return Extracted(
            program,
            dict(zip(inside, explorer.events.list)),
            dict(zip(outside, explorer.external.list)),
            list(dict.fromkeys(explorer.notes)),
            source.copies,
        )


def explore(source: Source, strategy: Any, options: dict[str, Any], limits: tuple[int, int, int]) -> Explorer:
    """Explores each thread by itself, or all together if a thread has too many states by itself."""
    max_states, max_events, max_joint = limits
    few = min(max_states, FEW_STATES)
    try:
        explorer = Explorer(source, strategy, max_states=few, max_events=min(max_events, few // 4), **options)
        explorer.max_repeated = FEW_REPEATED
        explorer.run()
        return explorer
    except LimitExceeded as error:
        alone = error
    try:
        joint = JointExplorer(source, strategy, max_states=max_states, max_events=max_events, **options)
        joint.explore(max_joint, sorted({joint.external.add(e) for e in options["external"]}))
        return joint
    except LimitExceeded as error:
        if few == max_states:
            error.add(str(alone))
            raise
    explorer = Explorer(source, strategy, max_states=max_states, max_events=max_events, **options)
    explorer.run()
    return explorer


def check(
    make_program: Callable[[], Any],
    events: Optional[Sequence[Any]] = None,
    *,
    ask: Union[str, Sequence[str], None] = None,
    external: Sequence[Any] = (),
    ends: str = "proper",
    max_states: int = MAX_STATES,
    max_events: int = MAX_EVENTS,
    max_joint_states: int = MAX_JOINT_STATES,
    ignore: Sequence[str] = (),
    **options: Any,
) -> Outcome:
    """Decides a bppy program: deadlock, failed assertions, hot states, and what `ask` asks.

    The options of the translation are those of `extract`. `ask` and the other options are those of
    `impasse.check`. A state is bad if a thread fails by an exception in it, and hot if its sync has
    `mustFinish=True` or `hot=True`. With `ends="stopped"`, the program may also end where a thread
    blocks all events, as after a game: `yield bppy.sync(block=bppy.All())`.

    >>> import bppy, impasse_mc.bppy
    >>> @bppy.thread
    ... def ticks():
    ...     for _ in range(2):
    ...         yield bppy.sync(request=bppy.BEvent("tick"))
    >>> def make_program():
    ...     strategy = bppy.SimpleEventSelectionStrategy()
    ...     return bppy.BProgram(bthreads=[ticks()], event_selection_strategy=strategy)
    >>> outcome = impasse_mc.bppy.check(make_program, ends="none")
    >>> outcome["bad"].verdict
    'safe'
    >>> print(outcome["deadlock"].run)
    tick, tick
    >>> impasse_mc.bppy.replay(make_program, outcome["deadlock"].run)
    'end'
    """
    extracted = extract(
        make_program,
        events,
        external=external,
        ends="proper" if ends == "stopped" else ends,
        max_states=max_states,
        max_events=max_events,
        max_joint_states=max_joint_states,
        ignore=ignore,
    )
    if ends == "stopped":
        options["ends"] = ends
    outcome = Outcome(_core.decide(extracted.program, ask, options), extracted)
    for answer in outcome:
        _ = answer.run
    return outcome
