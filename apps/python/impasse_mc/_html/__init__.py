"""Pictures of models, outcomes and runs for notebooks and pages.

The results are pieces of HTML with inline style, SVG and, for the token game, a script. They need
no network, follow light and dark themes, and escape all text of models.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from . import game, net, sequence, svg, threads
from .style import page_part

__all__ = ["model_html", "outcome_html", "run_html"]

_WORDS = {
    "safe": ("✓ SAFE", "ip-safe"),
    "unsafe": ("✗ UNSAFE", "ip-unsafe"),
    "unknown": ("? UNKNOWN", "ip-unknown"),
    # What an EF question asks for may be wanted or not, so that these have no colour of a verdict.
    "reachable": ("● REACHABLE", "ip-plain"),
    "unreachable": ("○ UNREACHABLE", "ip-plain"),
    "unbounded": ("● UNBOUNDED", "ip-plain"),
    "holds": ("✓ HOLDS", "ip-safe"),
    "fails": ("✗ FAILS", "ip-unsafe"),
}
# Answers that an outcome shows; and of the runs only the first ones.
_MOST_ANSWERS = 100
_MOST_RUNS = 10
# Of a model with more parts, only the sizes are asked for.
_MOST_PARTS = 20_000
_KINDS = {
    "program": "behavioral program",
    "data": "behavioral program with data",
    "net": "net",
    "threads": "thread-transition system",
    "circuit": "circuit",
    "reactive": "reactive program",
}


def model_html(model: Any) -> str:
    """A model: its name, kind and sizes, and a drawing if it is small enough."""
    return page_part(_head(model), _drawing(_structure(model)))


def run_html(model: Any, run: Any) -> str:
    """A run of a model: a sequence diagram, a token game, or a table of its steps."""
    return page_part(_run(_structure(model), run))


def outcome_html(outcome: Any) -> str:
    """An outcome: its answers in a table, and the runs of the first answers that have one."""
    answers = list(outcome)
    shown = answers[:_MOST_ANSWERS]
    # What an EF question finds is no violation, so that the verdict of all would mislead.
    one = len(answers) == 1 or any(answer.asked == "EF" for answer in answers)
    more = "" if one else badge(outcome.verdict)
    time = svg.tag("span", f"{outcome.seconds:.3f} s", class_="ip-soft")
    head = _head(outcome.model, more, time)
    columns = ("question", "answer", "evidence", "engine")
    parts = [head, svg.table(columns, map(_answer, shown))]
    if len(answers) > len(shown):
        note = f"{len(answers) - len(shown)} more answers are not shown."
        parts.append(svg.tag("p", note, class_="ip-note"))
    runs = [answer for answer in shown if answer.run is not None]
    structure = _structure(outcome.model) if runs else {}
    for number, answer in enumerate(runs[:_MOST_RUNS]):
        steps = len(answer.run)
        title = f"run of {svg.code(answer.id)} ({steps} step{'' if steps == 1 else 's'})"
        content = svg.tag("summary", title) + _run(structure, answer.run)
        parts.append(svg.tag("details", content, open=None if number else ""))
    return page_part(*parts)


def badge(word: str) -> str:
    """A verdict or answer, as a word on a colour."""
    text, kind = _WORDS.get(word, (str(word).upper(), "ip-plain"))
    return svg.tag("span", svg.escape(text), class_=f"ip-badge {kind}")


def _head(model: Any, more: str = "", end: str = "") -> str:
    # Of a path, the name of the file; the whole path is in the tooltip.
    short = svg.clip(re.split(r"[/\\]", str(model.name))[-1] or model.name, 80)
    name = svg.tag("span", svg.escape(short), class_="ip-name", title=model.name)
    kind = _KINDS.get(model.kind, str(model.kind))
    sizes = ", ".join(f"{_words(key)}: {value}" for key, value in _sizes(model).items())
    about = svg.tag("span", svg.escape(f"{kind} · {sizes}" if sizes else kind), class_="ip-soft")
    return svg.tag("div", name, more, about, end, class_="ip-head-line")


def _sizes(model: Any) -> dict[str, Any]:
    return {key: value for key, value in model.info().items() if isinstance(value, int) and not isinstance(value, bool)}


def _words(key: object) -> str:
    return str(key).replace("_", " ")


def _structure(model: Any) -> Mapping[str, Any]:
    """The parts of the model, or only its kind and sizes if there are very many."""
    if sum(_sizes(model).values()) > _MOST_PARTS:
        return {"kind": model.kind, "large": True}
    structure: Mapping[str, Any] = model.structure()
    return structure


def _is_program(structure: Mapping[str, Any]) -> bool:
    return isinstance(structure.get("threads"), list)


def _is_net(structure: Mapping[str, Any]) -> bool:
    return isinstance(structure.get("places"), list)


def _drawing(structure: Mapping[str, Any]) -> str:
    if _is_program(structure):
        return threads.threads_html(structure)
    if _is_net(structure):
        if net.fits(structure):
            return game.free_game(structure)
        return net.as_table(structure)
    if structure.get("large"):
        return svg.tag("p", "The model is too large to be drawn here.", class_="ip-note")
    return ""


def _answer(answer: Any) -> tuple[str, ...]:
    words = [badge(answer.answer)]
    if answer.reason is not None:
        words.append(svg.tag("span", svg.escape(f" {_words(answer.reason)}")))
    if answer.detail is not None:
        lines = svg.clip(answer.detail, 400).splitlines()
        text = "<br>".join(map(svg.escape, lines))
        words.append(svg.tag("div", text, class_="ip-soft", title=answer.detail))
    question = svg.code(answer.id)
    if answer.asked in ("EF", "AG"):
        question += svg.tag("span", f" ({answer.asked})", class_="ip-soft")
    return question, "".join(words), _evidence(answer), svg.escape(answer.engine or "")


def _evidence(answer: Any) -> str:
    evidence = answer.evidence
    if evidence is None:
        return svg.tag("span", "none", class_="ip-soft")
    text = _words(evidence.kind)
    if evidence.length is not None:
        text += f" of length {evidence.length}"
    checked = f"checked by {evidence.checked_by}" if evidence.checked else "not checked"
    parts = [svg.escape(text), svg.tag("div", svg.escape(checked), class_="ip-soft")]
    if evidence.trusted:
        names = ", ".join(map(str, evidence.trusted))
        parts.append(svg.tag("div", svg.escape(f"trusts {names}"), class_="ip-soft"))
    return "".join(parts)


def _run(structure: Mapping[str, Any], run: Any) -> str:
    if structure.get("kind") in ("program", "data"):
        table = svg.tag("summary", "the steps as a table") + sequence.steps_table(run, True)
        return sequence.sequence_html(structure, run) + svg.tag("details", table)
    if _is_net(structure) and net.fits(structure):
        moves = _moves(structure, run)
        if moves is not None:
            loop = run.repeats_from
            table = sequence.steps_table(run, False)
            return game.run_game(structure, moves[0], moves[1], loop, table)
    requested = any(step.requested_by for step in run[:100])
    return sequence.begin(run.initial) + sequence.steps_table(run, requested)


def _moves(structure: Mapping[str, Any], run: Any) -> tuple[list[int], list[tuple[int, list[tuple[int, int]]]]] | None:
    """The marking at the begin, and what each step changes; None if it is no run of tokens."""
    names = [place["name"] for place in structure["places"]]
    number = {name: index for index, name in enumerate(names)}
    transitions = {each["name"]: index for index, each in enumerate(structure["transitions"])}
    initial = run.initial
    begin = [initial.get(name, 0) for name in names]
    if not all(type(tokens) is int for tokens in begin) or len(run) > game.MOST_STEPS:
        return None
    steps: list[tuple[int, list[tuple[int, int]]]] = []
    for step in run:
        fired = transitions.get(step.event, step.index)
        if fired is None or not 0 <= fired < len(transitions):
            return None
        moved = []
        for name, (_, after) in step.changes.items():
            if name not in number or type(after) is not int:
                return None
            moved.append((number[name], after))
        steps.append((fired, moved))
    return begin, steps
