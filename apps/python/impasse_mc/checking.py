"""Checks, replays, and what goes with them: questions, limits, progress."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

from . import _given, _impasse
from ._progress import Progress, ProgressOption, reporting
from .errors import UsageError, diagnostic, translated
from .models import Model, load
from .outcome import Outcome

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import AsyncOptions, ThreadOptions

Ask = Union[str, Iterable[str], None]
"""A question, or several. See `check`."""


# Words that are ids of properties, not formulas. A formula may have a name, as in `mine: AG p = 0`.
_IDS = re.compile(r"deadlock|bad|hot|target|final|target:(\d+|\*)|(hot|error|ltl):\S.*", re.DOTALL)
_ENDS = ("final", "proper", "stopped", "none")
_MOST_JOBS = 1024


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
            as ``"deadlock"`` or that of a question of the model. By default, the questions of the model itself.
        properties: The names of questions of the model to answer, in addition to ``ask``.
        engine: The name of the only engine to use; by default engines take turns. `engines` lists all.
        timeout: The time limit in seconds. Questions that are open then are answered ``unknown`` (``timeout``).
        memory: The most memory that the search may use, in bytes or as in ``"4G"``. Z3's memory is not counted.
        jobs: The number of threads; it does not change answers.
        bound: For nets: the greatest number of tokens. ``safe`` is not answered with a bound.
        shortest: True to find shortest violations, as far as an engine for the kind of model supports it:
            ``evidence.shortest`` says whether a violation is known to be shortest. No engine for circuits supports it,
            so that the option changes nothing for them.
        explore_all: True to visit all states even if all questions are settled, so that counts are of all states.
        seed: The seed of random walks.
        patterns: The names of the pattern matchers of programs; by default all.
        trust: Kinds of lemmas to accept without proof. Evidence names them.
        fair: Fairness assumptions about programs, in the language of ``--fair``.
        init: The initial tokens of places with an open number, in the language of ``--init``.
        final: A formula for the proper final markings of a net.
        ends: Which ends of a program are proper: ``final`` (as marked), ``proper`` (all ends in which nothing is
            requested), ``stopped`` (these, and all in which a thread blocks all events), or ``none``.
        progress: True for a bar (tqdm, if it is installed), ``"tqdm"``, ``"rich"``, or a function that is called about
            every 25 ms with a `Progress`.

    Raises:
        InputError: The model or a question has mistakes.
        UsageError: An argument has a wrong type or value, or arguments do not fit together or do not fit the model.
        KeyboardInterrupt: Ctrl-C, or what a signal handler raises.

    >>> import impasse_mc as impasse
    >>> net = impasse.Net()
    >>> _ = net.place("p", 2), net.place("q")
    >>> _ = net.transition("t", {"p": 1}, {"q": 1})
    >>> outcome = impasse.check(net, ["EF q >= 2", "AG p + q <= 2"])
    >>> [answer.answer for answer in outcome]
    ['reachable', 'safe']
    >>> outcome[0].run.events
    ['t', 't']
    """
    how = _how(
        engine=engine,
        timeout=timeout,
        memory=memory,
        jobs=jobs,
        bound=bound,
        seed=seed,
        shortest=shortest,
        explore_all=explore_all,
        patterns=patterns,
        trust=trust,
    )
    asked = _asked(properties=properties, fair=fair, init=init, final=final, ends=ends)
    asks = _given.texts(ask, "`ask`")
    if not isinstance(model, Model):
        model = load(_given.path(model, "`model`, if it is no model,"), memory=how["memory"])
    own = problem = model._problem()
    # A builder may be extended while the answers are in use.
    model = model._frozen()
    ids, questions = _split(asks, own)
    asked.update(properties=ids + asked["properties"], ask=questions)
    with translated():
        if asked != _NOTHING:
            problem = own.asking(asked)
        elif not own.questions():
            raise UsageError(f"{model.name} asks nothing: give `ask`, as in check(model, 'deadlock')")
        with reporting(progress) as function:
            found, seconds = _impasse.check(problem, how, function)
        warnings = [diagnostic(record) for record in problem.warnings]
        about_questions = [w.message for w in warnings[len(own.warnings) :] if w.source == _ASK]
        details = _unsupported(problem, len(questions), about_questions)
        found = _in_order([question.strip() for question in asks], found, questions)
        outcome = Outcome(model, asked, found, seconds, warnings, details)
        if problem.kind == "own":
            # Runs of such systems call their functions. Later, these could answer differently.
            for answer in outcome:
                _ = answer.run
    return outcome


# The name of the text of questions in diagnostics.
_ASK = "--ask"


def _how(
    *,
    engine: Any = None,
    timeout: Any = None,
    memory: Any = None,
    jobs: Any = 1,
    bound: Any = None,
    seed: Any = 0,
    shortest: Any = False,
    explore_all: Any = False,
    patterns: Any = None,
    trust: Any = (),
) -> dict[str, Any]:
    """Returns the options of the search, as the extension module takes them."""
    return {
        "engine": _given.optional_text(engine, "`engine`"),
        "timeout": _given.seconds(timeout),
        "memory": _given.memory(memory),
        "jobs": _given.whole(jobs, "`jobs`", 1, _MOST_JOBS),
        "bound": _given.optional_whole(bound, "`bound`", 0, _given.WORD),
        "seed": _given.whole(seed, "`seed`", 0, _given.WORD),
        "shortest": _given.flag(shortest, "`shortest`"),
        "explore_all": _given.flag(explore_all, "`explore_all`"),
        "patterns": None if patterns is None else _given.texts(patterns, "`patterns`"),
        "trust": _given.texts(trust, "`trust`"),
    }


def _asked(
    *, properties: Any = None, fair: Any = (), init: Any = None, final: Any = None, ends: Any = "final"
) -> dict[str, Any]:
    """Returns the options that change the questions or what they are about, without the questions of `ask`."""
    if not isinstance(ends, str) or ends not in _ENDS:
        raise UsageError(f"`ends` must be 'final', 'proper', 'stopped' or 'none', not {_given.shown(ends)}")
    return {
        **_NOTHING,
        "properties": _given.texts(properties, "`properties`"),
        "ask": [],
        "fair": _given.texts(fair, "`fair`"),
        "init": _given.optional_text(init, "`init`"),
        "ends_in": _given.optional_text(final, "`final`"),
        "ends": str(ends),
    }


def _unsupported(problem: _impasse.Problem, formulas: int, messages: list[str]) -> dict[str, str]:
    """Returns why questions are not supported, by id. Each has one warning, in the order of the questions."""
    if not messages:
        return {}
    asked = problem.questions()
    ids = [id for id, kind, _ in asked[len(asked) - formulas :] if kind == "unsupported"]
    return dict(zip(ids, messages)) if len(ids) == len(messages) else {}


def _in_order(asks: list[str], found: list[Any], formulas: list[str]) -> list[Any]:
    """Returns answers in the order of the questions. The core answers properties first, formulas last."""
    if len(asks) < 2 or not formulas:
        return found
    cut = len(found) - len(formulas)
    named = {answer.id: answer for answer in found[:cut]}
    asked, texts = iter(found[cut:]), set(formulas)
    ordered = []
    for ask in asks:
        if ask in texts:
            ordered.append(next(asked))
        elif ask in named:
            ordered.append(named.pop(ask))
    return ordered + list(named.values())


async def check_async(model: Union[Model, str, Path], ask: Ask = None, **options: Unpack[AsyncOptions]) -> Outcome:
    """Checks as `check` does, without blocking the event loop. If the task is cancelled, the check ends.

    The options are those of `check`. A function that is given as ``progress`` is called in another thread.

    >>> import asyncio
    >>> import impasse_mc as impasse
    >>> model = impasse.loads("rwb 1 event a thread T { state s { block a } }", "rwb")
    >>> asyncio.run(impasse.check_async(model, "bad")).verdict
    'safe'
    """
    import asyncio  # only here: it is a third of the start-up time of the command

    cancelled = False
    given = options.pop("progress", None)
    search: ThreadOptions = options
    with reporting(given) as show:

        def on_progress(progress: Progress) -> None:
            if cancelled:
                raise asyncio.CancelledError
            if show is not None:
                show(*progress)

        try:
            return await asyncio.to_thread(check, model, ask, progress=on_progress, **search)
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
        evidence: The text of an evidence file, or the path of a file. Bytes are a text, and so is a `str` that begins
            with ``{`` or has a line break; any other `str` is a path.
        ask: The questions that were asked, if they are not the model's own.
        trust: Kinds of lemmas to accept without proof.

    Raises:
        InputError: The evidence has mistakes, or is about another model.
        OSError: The file cannot be read.
        UsageError: An argument has a wrong type, or a question does not fit the model.
    """
    trusted = _given.texts(trust, "`trust`")
    name, text = _evidence(evidence)
    if isinstance(model, Outcome):
        asked = model._asked
        model = model.model
        problem = model._problem()
    elif isinstance(model, Model):
        problem = model._problem()
        ids, formulas = _split(_given.texts(ask, "`ask`"), problem)
        asked = dict(_NOTHING, properties=ids, ask=formulas)
    else:
        raise UsageError(f"`model` must be a model or an outcome, not {_given.shown(model)}")
    with translated():
        if asked != _NOTHING:
            problem = problem.asking(asked)
        questions, verdict, why = _impasse.replay(problem, name, text, trusted)
    return Replayed(why is None, verdict, questions, why)


def _evidence(evidence: Any) -> tuple[str, bytes]:
    """Returns the name and the text of evidence."""
    if isinstance(evidence, (bytes, bytearray)):
        return "evidence", bytes(evidence)
    if isinstance(evidence, str) and ("\n" in evidence or evidence.startswith("{")):
        return "evidence", _given.text(evidence, "`evidence`").encode()
    path = _given.path(evidence, "`evidence`, if it is no text,")
    return str(path), path.read_bytes()


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


def _split(asks: list[str], problem: _impasse.Problem) -> tuple[list[str], list[str]]:
    """Splits questions into ids of properties and formulas. The names of the model's own questions are ids."""
    ids: list[str] = []
    questions: list[str] = []
    if asks:
        own = {id for id, _, _ in problem.questions()}
        for question in map(str.strip, asks):
            is_id = question in own or _IDS.fullmatch(question)
            (ids if is_id else questions).append(question)
    return ids, questions
