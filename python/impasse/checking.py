"""Checks, replays, and what goes with them: questions, limits, progress."""

from __future__ import annotations

import asyncio
import contextlib
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional, Union

from . import _impasse
from .errors import UsageError, translated
from .models import Model, load
from .outcome import Outcome

Ask = Union[str, Iterable[str], None]
"""A question, or several. See `check`."""


class Progress(NamedTuple):
    """How far a check is."""

    engine: str
    """The engine whose turn it is."""
    states: int
    """The number of states that it has visited."""
    seconds: float
    """The time since the beginning of the check."""


ProgressOption = Union[None, bool, str, Callable[[Progress], Any]]

# Words that are ids of properties, not formulas.
_IDS = re.compile(r"(deadlock|bad|hot|target|final)(:.*)?|(error|ltl):.*", re.DOTALL)
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def check(
    model: Union[Model, str, Path],
    ask: Ask = None,
    *,
    properties: Ask = None,
    engine: Optional[str] = None,
    timeout: Optional[float] = None,
    memory: Union[int, str, None] = None,
    jobs: int = 1,
    bound: Optional[int] = None,
    shortest: bool = False,
    explore_all: bool = False,
    seed: int = 0,
    patterns: Optional[Sequence[str]] = None,
    trust: Sequence[str] = (),
    fair: Sequence[str] = (),
    init: Optional[str] = None,
    final: Optional[str] = None,
    ends: str = "final",
    progress: ProgressOption = None,
) -> Outcome:
    """Decides questions about a model. Every answer but ``unknown`` has evidence that an independent checker accepted.

    The interpreter's lock is released meanwhile, so other threads run. Ctrl-C ends the check.

    Args:
        model: A model, or the path of a file.
        ask: A question or several, in the language of ``--ask``: ``"AG busy <= 1"``, ``"EF done >= 1"``,
            ``"G (request -> F grant)"``, with a name as in ``"mutex: AG busy <= 1"``; or the name of a property, such
            as ``"deadlock"``. By default, the questions of the model itself.
        properties: The names of questions of the model to answer, in addition to ``ask``.
        engine: The name of the only engine to use; by default engines take turns. `engines` lists all.
        timeout: The time limit in seconds. Questions that are open then are answered ``unknown`` (``timeout``).
        memory: The most memory that the search may use, in bytes or as in ``"4G"``. Z3's memory is not counted.
        jobs: The number of threads; it does not change answers.
        bound: For nets: the greatest number of tokens. ``safe`` is not answered with a bound.
        shortest: True to find shortest violations.
        explore_all: True to visit all states even if all questions are settled, so that counts are of all states.
        seed: The seed of random walks.
        patterns: The names of the pattern matchers of programs; by default all.
        trust: Kinds of lemmas to accept without proof. Evidence names them.
        fair: Fairness assumptions about programs, in the language of ``--fair``.
        init: The initial tokens of places with an open number, in the language of ``--init``.
        final: A formula for the proper final markings of a net.
        ends: Which ends of a program are proper: ``final`` (as marked), ``proper`` (all ends in which nothing is
            requested), or ``none``.
        progress: True for a bar (tqdm, if it is installed), ``"tqdm"``, ``"rich"``, or a function that is called about
            every 25 ms with a `Progress`.

    Raises:
        InputError: The model or a question has mistakes.
        UsageError: The arguments do not fit together, or do not fit the model.
        KeyboardInterrupt: Ctrl-C, or what a signal handler raises.

    >>> import impasse
    >>> net = impasse.Net()
    >>> _ = net.place("p", 2), net.place("q")
    >>> _ = net.transition("t", {"p": 1}, {"q": 1})
    >>> outcome = impasse.check(net, ["EF q >= 2", "AG p + q <= 2"])
    >>> [answer.answer for answer in outcome]
    ['reachable', 'safe']
    >>> outcome[0].run.events
    ['t', 't']
    """
    if not isinstance(model, Model):
        model = load(model, memory=_bytes(memory))
    ids, questions = _split(ask)
    ids += _list(properties)
    asked = {
        "properties": ids,
        "ask": questions,
        "fair": _list(fair),
        "init": init,
        "ends_in": final,
        "ends": ends,
        "is_named": False,
    }
    how = {
        "engine": engine,
        "timeout": _seconds(timeout),
        "memory": _bytes(memory),
        "jobs": _count("jobs", jobs),
        "bound": bound,
        "seed": seed,
        "shortest": shortest,
        "explore_all": explore_all,
        "patterns": None if patterns is None else _list(patterns),
        "trust": _list(trust),
    }
    problem = model._problem()
    with translated():
        if ids or questions or fair or init is not None or final is not None or ends != "final":
            problem = problem.asking(asked)
        elif not problem.questions():
            raise UsageError(f"{model.name} asks nothing: give `ask`, as in check(model, 'deadlock')")
        with _shown(progress) as function:
            found, seconds = _impasse.check(problem, how, function)
        outcome = Outcome(model, asked, _in_order(_list(ask), found, len(questions)), seconds)
        if problem.kind == "own":
            # Runs of such systems call their functions. Later, these could answer differently.
            for answer in outcome:
                _ = answer.run
    return outcome


def _in_order(asks: list[str], found: list[Any], formulas: int) -> list[Any]:
    """Returns answers in the order of the questions. The core answers properties first, formulas last."""
    if len(asks) < 2 or formulas == 0:
        return found
    cut = len(found) - formulas
    named = {answer.id: answer for answer in found[:cut]}
    asked = iter(found[cut:])
    ordered = []
    for ask in asks:
        if not _IDS.fullmatch(ask.strip()):
            ordered.append(next(asked))
        elif ask.strip() in named:
            ordered.append(named.pop(ask.strip()))
    return ordered + list(named.values())


async def check_async(model: Union[Model, str, Path], ask: Ask = None, **options: Any) -> Outcome:
    """Checks as `check` does, without blocking the event loop. If the task is cancelled, the check ends.

    >>> import asyncio, impasse
    >>> model = impasse.loads("rwb 1 event a thread T { state s { block a } }", "rwb")
    >>> asyncio.run(impasse.check_async(model, "bad")).verdict
    'safe'
    """
    cancelled = False
    given = options.pop("progress", None)

    def on_progress(progress: Progress) -> None:
        if cancelled:
            raise asyncio.CancelledError
        if callable(given):
            given(progress)

    if given is not None and not callable(given):
        raise UsageError("`progress` of `check_async` must be a function")
    work = asyncio.to_thread(check, model, ask, progress=on_progress, **options)
    try:
        return await work
    except asyncio.CancelledError:
        cancelled = True
        raise


class Replayed(NamedTuple):
    """What the checker says about evidence."""

    accepted: bool
    verdict: Optional[str]
    """``safe`` or ``unsafe`` if the evidence is accepted."""
    questions: list[str]
    """The names of the questions that it is about."""
    why: Optional[str]
    """Why it is not accepted."""


def replay(
    model: Union[Model, Outcome],
    evidence: Union[bytes, str, Path],
    ask: Ask = None,
    *,
    trust: Sequence[str] = (),
) -> Replayed:
    """Checks evidence with the independent checker alone, without any search.

    Args:
        model: The model that the evidence is about, or an outcome, which also knows the questions.
        evidence: The text of an evidence file as bytes, or the path of a file.
        ask: The questions that were asked, if they are not the model's own.
        trust: Kinds of lemmas to accept without proof.

    Raises:
        InputError: The evidence has mistakes, or is about another model.
    """
    if isinstance(model, Outcome):
        asked = model._asked
        model = model.model
    else:
        ids, formulas = _split(ask)
        asked = dict(_NOTHING, properties=ids, ask=formulas)
    name = "evidence"
    if not isinstance(evidence, bytes):
        name, evidence = str(evidence), Path(evidence).read_bytes()
    with translated():
        problem = model._problem()
        if asked != _NOTHING:
            problem = problem.asking(asked)
        questions, verdict, why = _impasse.replay(problem, name, evidence, _list(trust))
    return Replayed(why is None, verdict, questions, why)


_NOTHING: dict[str, Any] = {
    "properties": [],
    "ask": [],
    "fair": [],
    "init": None,
    "ends_in": None,
    "ends": "final",
    "is_named": False,
}


def engines() -> dict[str, str]:
    """Returns the names of the engines, each with a description."""
    return {name: title for name, title, _ in _impasse.engines()}


def patterns() -> list[str]:
    """Returns the names of the pattern matchers for threads of programs."""
    return list(_impasse.patterns())


def _list(texts: Ask) -> list[str]:
    if texts is None:
        return []
    return [texts] if isinstance(texts, str) else [str(text) for text in texts]


def _split(ask: Ask) -> tuple[list[str], list[str]]:
    """Splits questions into ids of properties and formulas."""
    ids: list[str] = []
    questions: list[str] = []
    for question in _list(ask):
        (ids if _IDS.fullmatch(question.strip()) else questions).append(question.strip())
    return ids, questions


def _seconds(timeout: Optional[float]) -> Optional[float]:
    if timeout is not None and not timeout >= 0:
        raise UsageError(f"`timeout` is a number of seconds, not {timeout!r}")
    return timeout


def _count(name: str, number: int) -> int:
    if number < 1:
        raise UsageError(f"`{name}` must be at least 1, not {number!r}")
    return number


def _bytes(memory: Union[int, str, None]) -> Optional[int]:
    if memory is None or isinstance(memory, int):
        return memory
    match = re.fullmatch(r"\s*(\d+)\s*([KMGT]?)(i?B)?\s*", memory, re.IGNORECASE)
    if match is None:
        raise UsageError(f"`memory` is a number of bytes or a text such as '4G', not {memory!r}")
    return int(match[1]) * _UNITS[match[2].upper()]


@contextlib.contextmanager
def _shown(progress: ProgressOption) -> Iterator[Optional[Callable[[str, int, float], None]]]:
    """Yields the function that the extension module calls with the progress."""
    if progress is None or progress is False:
        yield None
    elif callable(progress):
        yield lambda engine, states, seconds: progress(Progress(engine, states, seconds))
    elif progress == "rich":
        with _rich() as function:
            yield function
    elif progress is True or progress == "tqdm":
        with _tqdm(is_needed=progress == "tqdm") as function:
            yield function
    else:
        raise UsageError(f"`progress` is True, 'tqdm', 'rich' or a function, not {progress!r}")


@contextlib.contextmanager
def _tqdm(is_needed: bool) -> Iterator[Callable[[str, int, float], None]]:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        if is_needed:
            raise ImportError("`progress='tqdm'` needs tqdm: pip install tqdm") from None
        yield lambda engine, states, seconds: print(
            f"\r{engine}: {states:,} states, {seconds:.1f} s", end="", file=sys.stderr
        )
        print(file=sys.stderr)
        return
    with tqdm(unit=" states", unit_scale=True) as bar:

        def show(engine: str, states: int, seconds: float) -> None:
            bar.set_description(engine, refresh=False)
            bar.n = states
            bar.refresh()

        yield show


@contextlib.contextmanager
def _rich() -> Iterator[Callable[[str, int, float], None]]:
    try:
        from rich.progress import Progress as Bars
        from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
    except ImportError:
        raise ImportError("`progress='rich'` needs rich: pip install rich") from None
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Bars(*columns, transient=True) as bars:
        task = bars.add_task("begins", total=None)

        def show(engine: str, states: int, seconds: float) -> None:
            bars.update(task, description=f"{engine}: {states:,} states")

        yield show
