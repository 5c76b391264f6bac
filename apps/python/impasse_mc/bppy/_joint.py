"""All threads explored together, for programs in which only the others bound a thread.

A state of a thread is left only by the events that can happen in a joint state that the program
reaches. All other events lead to a bad state, which the checker shows to be out of reach.
"""

from __future__ import annotations

import itertools
from collections import deque
from typing import Any

from ._errors import BppyError, LimitExceeded, NotComparable
from ._explore import Explorer
from ._graph import UNEXPLORED, Message, State, copy_event
from ._thread import failure_of

Joint = tuple[int, ...]


class JointExplorer(Explorer):
    """Explores the joint states of a program, breadth first."""

    how = "in the program"

    def explore(self, max_joint: int, at_any_time: list[int]) -> None:
        """Fills the graphs with the steps that the program can make."""
        for number, graph in enumerate(self.graphs):
            graph.is_partial = True
            instance = self.source.instance(number)
            instance.start()
            graph.initial = self._settle(number, instance, ())
        queue = [self.external.add(e) for e in self.source.queue]
        # The last component is the number of events of the queue that are gone.
        first = [(*joint, 0) for joint in itertools.product(*(g.initial for g in self.graphs))]
        seen = set(first)
        todo = deque(first)
        while todo:
            joint = todo.popleft()
            for message in self._possible(joint, queue, at_any_time):
                targets = [
                    self._step(number, self.graphs[number].states[at], message) for number, at in enumerate(joint[:-1])
                ]
                gone = joint[-1] + (message[0] == "external" and joint[-1] < len(queue))
                for successor in itertools.product(*targets, (gone,)):
                    if successor not in seen:
                        if len(seen) >= max_joint:
                            raise self._too_many_together(max_joint)
                        seen.add(successor)
                        todo.append(successor)
        for number in range(len(self.graphs)):
            self._audit(number)

    def _too_many_together(self, max_joint: int) -> LimitExceeded:
        largest = max(self.graphs, key=lambda g: len(g.states))
        return LimitExceeded(
            f"the threads together have more than {max_joint} states (this thread has "
            f"{len(largest.states)}); raise `max_joint_states`, or bound what its variables hold",
            limit=max_joint,
            thread=largest.name,
        )

    def _possible(self, joint: Joint, queue: list[int], at_any_time: list[int]) -> list[Message]:
        """The events that can be selected in a joint state."""
        states = [g.states[at] for g, at in zip(self.graphs, joint)]
        if any(s.status == "bad" for s in states):
            return []
        priority: dict[int, Any] = {}
        for s in states:
            for e in s.requests:
                priority[e] = max(priority.get(e, s.priority), s.priority)
        free = {e: p for e, p in priority.items() if not any(self._is_blocked(n, s, e) for n, s in enumerate(states))}
        if free:
            highest = max(free.values())
            return [("event", e) for e, p in free.items() if p == highest]
        if joint[-1] < len(queue):
            return [("external", queue[joint[-1]])]
        return [("external", e) for e in at_any_time]

    def _is_blocked(self, number: int, state: State, event: int) -> bool:
        known = state.blocks_known.get(event)
        if known is None:
            if state.status != "sync":
                known = False
            else:
                state.live = state.live or self._again(number, state)
                known = self._blocks(self.graphs[number], state, state.live, self.events.list[event])
            state.blocks_known[event] = known
            if known:
                state.blocks.add(event)
        return known

    def _step(self, number: int, state: State, message: Message) -> tuple[int, ...]:
        """Where an event leads from a state of a thread."""
        if state.status != "sync":
            return (state.number,)
        moves = state.moves if message[0] == "event" else state.external
        known = moves.get(message[1])
        if known is not None:
            return known
        graph = self.graphs[number]
        instance = state.live or self._again(number, state)
        state.live = None
        event = (self.events if message[0] == "event" else self.external).list[message[1]]
        try:
            is_satisfied = self.strategy.is_satisfied(copy_event(event), instance.statement)
        except Exception as error:
            self._move(state, message, (self._failed(graph, failure_of(error)),))
            return moves[message[1]]
        instance.check_shared()
        if instance.key() != state.key:
            raise NotComparable(
                "a predicate changes the state of the thread",
                thread=graph.name,
                file=state.file,
                line=state.line,
            )
        if not is_satisfied:
            state.live = instance
            self._move(state, message, (state.number,))
        else:
            self._send(instance, message)
            self._move(state, message, self._settle(number, instance, (*state.path, message)))
        return moves[message[1]]


def assert_explored(failure: Any) -> None:
    """Raises an error if a run leads to a step that was not explored."""
    if failure == UNEXPLORED:
        raise BppyError("a step of a thread was not explored: please report this bug")
