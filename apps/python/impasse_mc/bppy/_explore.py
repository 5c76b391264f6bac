"""The graphs of all threads, explored together until no thread requests a new event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Optional

from ._canon import Key
from ._errors import BppyError, LimitExceeded, Nondeterminism, NotComparable
from ._graph import Events, Graph, Message, Path, State, copy_event, show_event
from ._source import Source
from ._thread import Failure, Instance, failure_of, outcomes

_KEYS = frozenset({"request", "waitFor", "block", "mustFinish", "hot", "priority", "localReward"})


# At most so many steps are made again; it takes some seconds for a million.
MAX_REPEATED = 4_000_000


class Explorer:
    """Explores all threads of a program."""

    how = "by itself"
    max_repeated = MAX_REPEATED

    def __init__(
        self,
        source: Source,
        strategy: Any,
        *,
        events: Optional[Sequence[Any]],
        external: Sequence[Any],
        max_states: int,
        max_events: int,
        ignore: Sequence[str],
    ) -> None:
        self.source = source
        self.strategy = strategy
        self.max_states = max_states
        self.allowed = _KEYS | set(ignore)
        self.events = Events(source.event_class, source.special, max_events, events is not None)
        for e in events or ():
            self.events.add(e, declared=True)
        self.external = Events(source.event_class, source.special, max_events, False)
        for e in [*external, *source.queue]:
            self.external.add(e)
        self.graphs = [Graph(t.name) for t in source.threads]
        self.notes: list[str] = []
        self.repeated = 0

    def run(self) -> None:
        """Explores until nothing is new."""
        for number, graph in enumerate(self.graphs):
            instance = self.source.instance(number)
            instance.start()
            graph.initial = self._settle(number, instance, ())
        changed = True
        while changed:
            changed = False
            for number, graph in enumerate(self.graphs):
                for state in graph.states:  # the list grows
                    if self._open(state):
                        self._expand(number, state)
                        changed = True
        for number in range(len(self.graphs)):
            self._audit(number)

    def _open(self, state: State) -> bool:
        return state.status == "sync" and (
            state.evaluated < len(self.events.list) or state.external_evaluated < len(self.external.list)
        )

    # -- reaching states --------------------------------------------------------------------------

    def _send(self, instance: Instance, message: Message) -> None:
        kind, number = message
        if kind == "outcome":
            instance.send(outcomes(instance.statement, instance.mode)[number])
        else:
            instance.send(self._event(instance, message))

    def _event(self, instance: Instance, message: Message) -> Any:
        kind, number = message
        known = self.events if kind == "event" else self.external
        event = copy_event(known.list[number])
        instance.watch_event(event, known.keys[number])
        return event

    def _replay(self, number: int, path: Path) -> Instance:
        instance = self.source.instance(number)
        instance.is_repeating = True
        instance.start()
        self.repeated += len(path) + 1
        if self.repeated > self.max_repeated:
            raise LimitExceeded(
                f"more than {self.max_repeated} steps were made to come to known states again",
                limit=self.max_repeated,
                thread=self.graphs[number].name,
            )
        for message in path:
            expected = "choice" if message[0] == "outcome" else "sync"
            if instance.status != expected:
                raise self._differs(number, instance, "it waits at another statement")
            self._send(instance, message)
        instance.is_repeating = False
        return instance

    def _again(self, number: int, state: State) -> Instance:
        """A new instance in a known state."""
        instance = self._replay(number, state.path)
        self._compare(number, instance, state.key)
        return instance

    def _compare(self, number: int, instance: Instance, key: Key) -> None:
        found = instance.key()
        if found != key:
            raise self._differs(number, instance, _difference(key, found))

    def _differs(self, number: int, instance: Instance, what: str) -> Nondeterminism:
        file, line = instance.place()
        return Nondeterminism(
            f"the same events lead to different states: {what}",
            thread=self.graphs[number].name,
            file=file,
            line=line,
        )

    def _settle(self, number: int, instance: Instance, path: Path) -> tuple[int, ...]:
        """The states to which an instance comes, by all outcomes of the choices before its sync."""
        graph = self.graphs[number]
        if instance.status != "choice":
            return (self._intern(number, instance, path),)
        key = instance.key()
        if key in graph.choices:
            known = graph.choices[key]
            if known is None:
                file, line = instance.place()
                raise BppyError("a loop of choices without a sync", thread=graph.name, file=file, line=line)
            return known
        graph.choices[key] = None
        if len(graph.choices) > self.max_states:
            raise self._too_many(number, instance)
        try:
            count = len(outcomes(instance.statement, instance.mode))
        except BppyError as error:
            raise error.at(graph.name, *instance.place()) from None
        targets: dict[int, None] = {}
        for k in range(count):
            if k > 0:
                instance = self._replay(number, path)
                self._compare(number, instance, key)
            message = ("outcome", k)
            self._send(instance, message)
            for target in self._settle(number, instance, (*path, message)):
                targets[target] = None
        graph.choices[key] = tuple(targets)
        return tuple(targets)

    def _too_many(self, number: int, instance: Instance) -> LimitExceeded:
        file, line = instance.place()
        values = ", ".join(f"{k} = {v}" for k, v in show_values(instance, self.source.event_class).items())
        return LimitExceeded(
            f"the thread {self.how} has more than {self.max_states} states"
            + (f" (the last one with {values})" if values else "")
            + "; raise `max_states`, or bound what its variables can hold",
            limit=self.max_states,
            thread=self.graphs[number].name,
            file=file,
            line=line,
        )

    def _intern(self, number: int, instance: Instance, path: Path) -> int:
        graph = self.graphs[number]
        key = instance.key()
        known = graph.index.get(key)
        if known is not None:
            return known
        if len(graph.states) >= self.max_states:
            raise self._too_many(number, instance)
        file, line = instance.place()
        state = State(len(graph.states), key, instance.status, path, file, line, instance.failure)
        if instance.ended_by is not None:
            self.notes.append(f"thread {graph.name} may end by {instance.ended_by}, as bppy ignores it")
        graph.index[key] = state.number
        graph.states.append(state)
        if state.status == "sync":
            try:
                self._read(instance, state)
            except BppyError as error:
                raise error.at(graph.name, file, line) from None
            state.values = show_values(instance, self.source.event_class)
            if state.status == "sync":
                state.live = instance
        return state.number

    # -- statements -------------------------------------------------------------------------------

    def _names(self, instance: Instance) -> None:
        for name in instance.statement:
            if name == "interrupt":
                raise BppyError("bppy knows no `interrupt` and ignores it; let the thread wait for the event and end")
            if name not in self.allowed:
                raise BppyError(f"bppy ignores `{name}` in a sync; name it in `ignore` if that is meant")

    def _read(self, instance: Instance, state: State) -> None:
        """Reads what a statement requests."""
        self._names(instance)
        statement = instance.statement
        for name in ("request", "waitFor", "block"):
            if isinstance(statement.get(name), Iterator):
                raise NotComparable(f"`{name}` is an iterator, which is empty after its first use")
        state.hot = bool(statement.get("mustFinish")) or bool(statement.get("hot"))
        state.priority = self._priority(statement)
        if "request" in statement:
            try:
                found = self.strategy.selectable_events([{"request": statement["request"]}])
            except Exception as error:
                # bppy fails when it selects the next event.
                state.status, state.failure = "bad", failure_of(error)
                state.failure.file, state.failure.line = state.file, state.line
                return
            numbers = [self.events.add(e) for e in sorted(found, key=lambda e: repr(e))]
            state.requests = tuple(sorted(numbers))

    def _priority(self, statement: Any) -> Any:
        default = getattr(self.strategy, "default_priority", None)
        if default is None:
            return 0
        found = statement.get("priority", default)
        if isinstance(found, bool) or not isinstance(found, (int, float)) or found != found:
            raise BppyError(f"the priority {found!r} is no number")
        return found

    def _expand(self, number: int, state: State) -> None:
        """Finds out what the events do that became known since the last time."""
        graph = self.graphs[number]
        instance = state.live or self._again(number, state)
        state.live = None
        moves: list[Message] = []
        failures: list[tuple[Message, Failure]] = []
        for kind, known, start in (
            ("event", self.events, state.evaluated),
            ("external", self.external, state.external_evaluated),
        ):
            for i in range(start, len(known.list)):
                message = (kind, i)
                if kind == "event" and self._blocks(graph, state, instance, known.list[i]):
                    state.blocks.add(i)
                try:
                    if self.strategy.is_satisfied(copy_event(known.list[i]), instance.statement):
                        moves.append(message)
                except Exception as error:
                    failures.append((message, failure_of(error)))
        state.evaluated, state.external_evaluated = len(self.events.list), len(self.external.list)
        instance.check_shared()
        if instance.key() != state.key:
            raise NotComparable(
                "a predicate changes the state of the thread",
                thread=graph.name,
                file=state.file,
                line=state.line,
            )
        for message, failure in failures:
            self._move(state, message, (self._failed(graph, failure),))
        for k, message in enumerate(moves):
            if k > 0:
                instance = self._again(number, state)
            self._send(instance, message)
            self._move(state, message, self._settle(number, instance, (*state.path, message)))

    def _move(self, state: State, message: Message, targets: tuple[int, ...]) -> None:
        (state.moves if message[0] == "event" else state.external)[message[1]] = targets

    def _blocks(self, graph: Graph, state: State, instance: Instance, event: Any) -> bool:
        if "block" not in instance.statement:
            return False
        event = copy_event(event)
        try:
            left = self.strategy.selectable_events([{"request": event}, {"block": instance.statement["block"]}])
        except Exception as error:
            raise BppyError(
                f"`block` fails for the event {show_event(event)}: {type(error).__name__}: "
                f"{error}; "
                "a predicate must be defined for all events, so let it test the name first",
                thread=graph.name,
                file=state.file,
                line=state.line,
            ) from error
        return not left

    def _failed(self, graph: Graph, failure: Failure) -> int:
        key = ("bad", failure.message, failure.file, failure.line)
        if key not in graph.index:
            graph.index[key] = len(graph.states)
            graph.states.append(State(len(graph.states), key, "bad", (), failure.file, failure.line, failure))
        return graph.index[key]

    # -- a second look ----------------------------------------------------------------------------

    def _audit(self, number: int) -> None:
        """Reaches every state once more, and compares all states on the way."""
        graph = self.graphs[number]
        by_path = {s.path: s for s in graph.states if s.status != "bad" or s.path}
        inner = {path[:-1] for path in by_path if path}
        for path in by_path:
            if path in inner:
                continue
            instance = self.source.instance(number)
            instance.start()
            for i in range(len(path) + 1):
                state = by_path.get(path[:i])
                if state is not None and state.path == path[:i]:
                    self._compare(number, instance, state.key)
                if i < len(path):
                    self._send(instance, path[i])


def show_values(instance: Instance, event_class: type) -> dict[str, str]:
    """The local variables of a thread as short texts."""
    found = {}
    for name, value in instance.variables().items():
        if isinstance(value, event_class):
            text = show_event(value)
        elif isinstance(value, (int, float, str, type(None), tuple, list, dict, set, frozenset)):
            text = repr(value)
        else:
            continue
        if len(text) > 60 or " at 0x" in text:
            text = text[:57].split(" at 0x")[0] + "..."
        found[name] = text
    return found


def _difference(old: Key, new: Key) -> str:
    """A variable that differs, for messages."""
    if old[0] != new[0]:
        return f"once `{old[0]}`, once `{new[0]}`"
    try:
        if old[1][3] != new[1][3]:
            return "the thread waits at another place"
        for (name, a), (_, b) in zip(old[1][4], new[1][4]):
            if a != b:
                return f"the variable {name} has another value"
    except (IndexError, TypeError, KeyError, ValueError):
        pass
    return "a value that no variable holds differs" if len(old) > 2 else "another failure"
