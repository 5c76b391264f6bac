"""Circuits of gates and latches, made gate by gate."""

from __future__ import annotations

from typing import Any, Optional, Union

from . import _given, _impasse
from .errors import UsageError
from .models import Model


class Signal:
    """A wire of a circuit. ``&``, ``|``, ``^`` and ``~`` make gates."""

    __slots__ = ("_circuit", "_code")

    def __init__(self, circuit: Circuit, code: int) -> None:
        self._circuit = circuit
        # Twice the number of the node, and one more if the signal is its negation, as in AIGER files.
        self._code = code

    def __invert__(self) -> Signal:
        """Returns the negation."""
        return Signal(self._circuit, self._code ^ 1)

    def __and__(self, other: Union[Signal, bool]) -> Signal:
        """Returns a gate that is true if both are."""
        return self._circuit._and(self, self._circuit._signal(other))

    def __or__(self, other: Union[Signal, bool]) -> Signal:
        """Returns a gate that is true if one of them is."""
        return ~(~self & ~self._circuit._signal(other))

    def __xor__(self, other: Union[Signal, bool]) -> Signal:
        """Returns a gate that is true if exactly one of them is."""
        other = self._circuit._signal(other)
        return (self & ~other) | (~self & other)

    __rand__ = __and__
    __ror__ = __or__
    __rxor__ = __xor__

    def ite(self, yes: Union[Signal, bool], no: Union[Signal, bool]) -> Signal:
        """Returns a gate that has the value of ``yes`` where this signal is true, and else that of ``no``."""
        return (self & yes) | (~self & no)

    def __bool__(self) -> bool:
        """Raises TypeError: a signal has a value only in a run."""
        raise TypeError("a signal has no truth value: use & | ~ instead of `and`, `or`, `not`")


def _is_numbered(name: str) -> bool:
    """True for ``b``, ``b0``, ``o1`` and so on, which the reader of AIGER takes for properties without names."""
    return name[:1] in ("b", "o") and all("0" <= letter <= "9" for letter in name[1:])


class Circuit(Model):
    """A sequential circuit. A property asks whether a signal can ever be true.

    Signals belong to one circuit: those of a circuit do not belong to its copies.

    >>> import impasse_mc as impasse
    >>> circuit = impasse.Circuit("counter")
    >>> low, high = circuit.latch("low"), circuit.latch("high")
    >>> circuit.next(low, ~low)
    >>> circuit.next(high, high ^ low)
    >>> circuit.bad("three", low & high)
    >>> len(impasse.check(circuit)["three"].run)
    4
    """

    def __init__(self, name: str = "circuit") -> None:
        self._name = _given.text(name, "the name of a circuit")
        self._inputs: list[tuple[int, Optional[str]]] = []
        self._latches: dict[int, tuple[Optional[int], Optional[str]]] = {}
        self._next: dict[int, int] = {}
        self._gates: list[tuple[int, int, int]] = []
        self._bad: list[tuple[int, str]] = []
        self._constraints: list[int] = []
        self._nodes = 0

    @property
    def name(self) -> str:
        """The name of the circuit."""
        return self._name

    def _node(self) -> int:
        self._nodes += 1
        self._native = None
        return 2 * self._nodes

    def _signal(self, value: Union[Signal, bool]) -> Signal:
        if isinstance(value, Signal):
            if value._circuit is not self:
                raise UsageError("the signal belongs to another circuit")
            return value
        if not isinstance(value, bool):
            raise UsageError(f"a signal of the circuit, True or False is needed, not {_given.shown(value)}")
        return Signal(self, int(value))

    def _named(self, name: Any) -> Optional[str]:
        """Checks the name of an input or a latch: the states of runs are dictionaries with these names."""
        if name is None:
            return None
        _given.text(name, "the name of a signal")
        if not name or not name.isprintable():
            raise UsageError(
                f"a signal cannot be called {_given.shown(name)}: names are not empty, and all of their characters "
                "are printable"
            )
        taken = {other for _, other in self._inputs} | {other for _, other in self._latches.values()}
        if name in taken:
            raise UsageError(f"the circuit has an input or latch {name!r} already")
        return str(name)

    def _and(self, left: Signal, right: Signal) -> Signal:
        a, b = sorted((self._signal(left)._code, right._code))
        if a == 0 or a ^ 1 == b:
            return Signal(self, 0)
        if a in (1, b):
            return Signal(self, b)
        gate = self._node()
        self._gates.append((gate, b, a))
        return Signal(self, gate)

    def input(self, name: Optional[str] = None) -> Signal:
        """Adds an input, which has any value in each step.

        Raises:
            UsageError: The name is taken, or has characters that are not printable.
        """
        name = self._named(name)
        code = self._node()
        self._inputs.append((code, name))
        return Signal(self, code)

    def latch(self, name: Optional[str] = None, initial: Optional[bool] = False) -> Signal:
        """Adds a latch, which holds a value from one step to the next. ``initial=None`` stands for any value.

        Raises:
            UsageError: The name is taken, or has characters that are not printable.
        """
        name = self._named(name)
        if initial is not None:
            initial = _given.flag(initial, "the initial value of a latch")
        code = self._node()
        self._latches[code] = (None if initial is None else int(initial), name)
        return Signal(self, code)

    def next(self, latch: Signal, value: Union[Signal, bool]) -> None:
        """Sets the value that the latch has in the next step.

        Raises:
            UsageError: The signal is no latch, or its next value is already set.
        """
        code = self._signal(latch)._code
        if code not in self._latches:
            raise UsageError("the signal is no latch")
        if code in self._next:
            raise UsageError("the next value of the latch is already set")
        self._next[code] = self._signal(value)._code
        self._native = None

    def bad(self, name: str, signal: Union[Signal, bool]) -> None:
        """Asks whether the signal can ever be true.

        The name is the id of the answer: ASCII letters, digits and punctuation without spaces and commas, and not ``b``
        or ``o`` with a number, which AIGER files give to properties without names.

        Raises:
            UsageError: The name is taken or has other characters, or the signal belongs to another circuit.
        """
        _given.text(name, "the name of a property")
        is_plain = name != "" and all("!" <= letter <= "~" and letter != "," for letter in name)
        if not is_plain or (_is_numbered(name) and name != f"b{len(self._bad)}"):
            raise UsageError(
                f"a property of a circuit cannot be called {_given.shown(name)}: allowed are ASCII letters, digits and "
                "punctuation without spaces and commas, but not `b` or `o` with a number alone"
            )
        if any(name == other for _, other in self._bad):
            raise UsageError(f"the circuit has a property {name!r} already")
        self._bad.append((self._signal(signal)._code, name))
        self._native = None

    def constrain(self, signal: Union[Signal, bool]) -> None:
        """Requires that the signal is true in every step: only such runs count."""
        self._constraints.append(self._signal(signal)._code)
        self._native = None

    def to_aiger(self) -> str:
        """Returns the circuit as an ASCII AIGER file of version 1.9.

        Raises:
            UsageError: A latch has no next value, or a name is that of a signal without a name (``i0``, ``l0``, ..).
        """
        shown = [name or f"i{i}" for i, (_, name) in enumerate(self._inputs)]
        shown += [name or f"l{i}" for i, (_, name) in enumerate(self._latches.values())]
        if len(set(shown)) < len(shown):
            twice = next(name for name in shown if shown.count(name) > 1)
            raise UsageError(f"two signals are called {twice!r}, because one without a name is called so by its number")
        # AIGER numbers inputs first, then latches, then gates.
        order = [0, *(code for code, _ in self._inputs), *self._latches, *(gate for gate, _, _ in self._gates)]
        number = {code // 2: index for index, code in enumerate(order)}

        def lit(code: int) -> int:
            return 2 * number[code // 2] + code % 2

        lines = [
            f"aag {len(order) - 1} {len(self._inputs)} {len(self._latches)} 0 {len(self._gates)} "
            f"{len(self._bad)} {len(self._constraints)}"
        ]
        lines += [str(lit(code)) for code, _ in self._inputs]
        for code, (initial, name) in self._latches.items():
            if code not in self._next:
                raise UsageError(f"latch {name or number[code // 2]!r} has no next value: call `next`")
            reset = lit(code) if initial is None else initial
            lines.append(f"{lit(code)} {lit(self._next[code])} {reset}")
        lines += [str(lit(code)) for code, _ in self._bad]
        lines += [str(lit(code)) for code in self._constraints]
        lines += [f"{lit(gate)} {lit(a)} {lit(b)}" for gate, a, b in self._gates]
        for letter, names in (
            ("i", [name for _, name in self._inputs]),
            ("l", [name for _, name in self._latches.values()]),
            ("b", [name for _, name in self._bad]),
        ):
            lines += [f"{letter}{i} {name}" for i, name in enumerate(names) if name is not None]
        return "\n".join(lines) + "\n"

    def __copy__(self) -> Circuit:
        """Returns a circuit with the same parts. Later changes to one of them do not change the other."""
        copied = type(self).__new__(type(self))
        containers = {key: value.copy() for key, value in self.__dict__.items() if isinstance(value, (list, dict))}
        copied.__dict__.update(self.__dict__)
        copied.__dict__.update(containers)
        return copied

    def _frozen(self) -> Circuit:
        return self.__copy__()

    def _make(self) -> _impasse.Problem:
        return _impasse.read(self._name, self.to_aiger().encode(), "aag", None, None, None)

    def _content(self) -> bytes:
        return self.to_aiger().encode()
