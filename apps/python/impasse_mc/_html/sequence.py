"""Runs as pictures: a lane for each thread, a row for each step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import svg

# Steps and lanes that are drawn.
FIRST, LAST = 60, 40
_LANES = 24
_ROW = 34.0
_STATE = 18
_EVENT = 26


class Shown:
    """The steps of a run that are drawn: its begin and its end."""

    def __init__(self, run: Any) -> None:
        self.all = len(run)
        self.loop: int | None = run.repeats_from
        self.left_out = max(0, self.all - FIRST - LAST)
        self.cut = FIRST if self.left_out else self.all
        self.steps: list[Any] = list(run[: self.cut])
        if self.left_out:
            self.steps += run[-LAST:]
        self.is_complete: bool = getattr(run, "is_complete", True)

    def rows(self) -> Iterable[tuple[int, Any | None]]:
        """The steps with their place in the run, from 0; None where some are left out."""
        for number, step in enumerate(self.steps):
            if self.left_out and number == self.cut:
                yield -1, None
            yield (number if number < self.cut else number + self.left_out), step

    def note(self) -> str:
        """What is left out, and what is repeated."""
        notes = []
        if self.left_out:
            first, last = self.cut + 1, self.cut + self.left_out
            notes.append(f"Steps {first} to {last} of {self.all} are left out here.")
        if not self.is_complete:
            notes.append("The run is longer; its last steps were not kept.")
        if self.loop is not None:
            if self.loop < self.all:
                what = (
                    f"Step {self.all} repeats"
                    if self.loop + 1 == self.all
                    else f"Steps {self.loop + 1} to {self.all} repeat"
                )
                notes.append(f"{what} for ever.")
            else:
                notes.append("Then nothing changes any more.")
        if not self.all:
            notes.append("The run has no step: it is about the states at the begin.")
        text = svg.escape(" ".join(notes))
        return svg.tag("p", text, class_="ip-note") if notes else ""


def sequence_html(structure: Mapping[str, Any], run: Any) -> str:
    """The run of a program as a sequence diagram."""
    shown = Shown(run)
    threads = structure.get("threads")
    threads = threads if isinstance(threads, list) else []
    bad = {
        (str(thread["name"]), str(state["name"]))
        for thread in threads
        for state in thread["states"]
        if state.get("bad")
    }
    initial = run.initial
    names = [str(thread["name"]) for thread in threads if thread["name"] in initial]
    # States of threads are texts, values of variables are not.
    names = names or [name for name, value in initial.items() if isinstance(value, str)]
    active = {name for step in shown.steps for name in (*step.requested_by, *step.changes)}
    still = [name for name in names if name not in active]
    lanes = [name for name in names if name in active]
    too_many = lanes[_LANES:]
    lanes = lanes[:_LANES] or names[:_LANES]
    content = _Diagram(lanes, initial, bad, shown).draw()
    notes = [shown.note()]
    if still and lanes != names:
        text = f"Not drawn, because they do nothing: {', '.join(still[:30])}"
        text += f", … {len(still) - 30} more" if len(still) > 30 else ""
        notes.append(svg.tag("p", svg.escape(text), class_="ip-note"))
    if too_many:
        text = f"{len(too_many)} more threads take part, and are not drawn."
        notes.append(svg.tag("p", text, class_="ip-note"))
    legend = "● requests the event · a box is the new state of a thread that moves"
    return content + svg.tag("p", legend, class_="ip-note") + "".join(notes)


class _Diagram:
    """Lanes from left to right, steps from top to bottom."""

    def __init__(
        self,
        lanes: Sequence[str],
        initial: Mapping[str, Any],
        bad: set[tuple[str, str]],
        shown: Shown,
    ) -> None:
        self.lanes, self.bad, self.shown = lanes, bad, shown
        self.initial = [str(initial.get(name, "")) for name in lanes]
        events = [svg.clip(step.event, _EVENT) for step in shown.steps]
        self.event_at = 36 + svg.width(str(shown.all))
        self.begin = self.event_at + max(map(svg.width, events), default=40)
        if shown.left_out:
            self.begin = max(self.begin, 20 + svg.width(self._gap()))
        self.x: dict[str, float] = {}
        at = self.begin + 14
        for name, state in zip(lanes, self.initial):
            texts = [svg.clip(name, _STATE), svg.clip(state, _STATE)]
            for step in shown.steps:
                if name in step.changes:
                    texts.append(svg.clip(step.changes[name][1], _STATE))
            half = max(map(svg.width, texts)) / 2 + 9
            self.x[name] = at + half
            at += 2 * half + 12
        self.lanes_end = at
        self.width = at
        self.content: list[str] = []

    def draw(self) -> str:
        """The whole picture."""
        y = 58.0
        loop_top: float | None = None
        for number, step in self.shown.rows():
            y += _ROW
            if step is None:
                self.content.append(svg.words(26, y + 4, self._gap(), "ip-small"))
                if self.shown.loop is not None and loop_top is None:
                    loop_top = y if FIRST <= self.shown.loop < FIRST + self.shown.left_out else None
                continue
            if number == self.shown.loop:
                loop_top = y
            self._step(number, step, y)
        bottom = y + _ROW / 2
        under = []
        if loop_top is not None:
            under.append(self._loop(loop_top - _ROW / 2 + 2, bottom))
        for name, state in zip(self.lanes, self.initial):
            x = self.x[name]
            under.append(svg.tag("line", x1=x, y1=24.0, x2=x, y2=bottom, class_="ip-lane"))
            self.content.append(svg.words(x, 14, name, "ip-middle ip-strong", _STATE))
            self._state(x, 48.0, name, state, "")
        self.content.append(svg.words(26, 52, "begin", "ip-small"))
        return svg.picture(self.width, bottom, under + self.content, "the run, a row for each step")

    def _gap(self) -> str:
        return f"⋮ {self.shown.left_out} steps left out"

    def _step(self, number: int, step: Any, y: float) -> None:
        self.content.append(svg.words(26, y + 4, number + 1, "ip-small"))
        self.content.append(svg.words(self.event_at, y + 4, step.event, "ip-strong", _EVENT))
        requesting = [name for name in step.requested_by if name in self.x]
        moving = [name for name in step.changes if name in self.x]
        ends = [self.x[name] for name in (*requesting, *moving)]
        if ends:
            self.content.append(svg.tag("line", x1=min(ends), y1=y, x2=max(ends), y2=y, class_="ip-join"))
        for name in moving:
            kind = "ip-from" if name in requesting else ""
            self._state(self.x[name], y, name, str(step.changes[name][1]), kind)
        for name in requesting:
            x = self.x[name]
            if name in moving:
                x -= self._half(str(step.changes[name][1]))
            self.content.append(svg.tag("circle", cx=x, cy=y, r=4.5, class_="ip-dot"))
        others = [f"{name}: {before} → {after}" for name, (before, after) in step.changes.items() if name not in self.x]
        if others:
            text = ", ".join(others)
            self.content.append(svg.words(self.lanes_end, y + 4, text, "ip-small", 50))
            room = svg.width(svg.clip(text, 50)) * 11 / 12
            self.width = max(self.width, self.lanes_end + room + 8)

    def _half(self, state: str) -> float:
        return max(14.0, svg.width(svg.clip(state, _STATE)) / 2 + 7)

    def _state(self, x: float, y: float, name: str, state: str, kind: str) -> None:
        if (name, state) in self.bad:
            kind = "ip-bad"
        half = self._half(state)
        where = {"x": x - half, "y": y - 11, "width": 2 * half, "height": 22, "rx": 5}
        self.content.append(svg.tag("rect", **where, class_=f"ip-box {kind}".strip()))
        self.content.append(svg.words(x, y + 4, state, "ip-middle", _STATE))

    def _loop(self, top: float, bottom: float) -> str:
        area = svg.tag(
            "rect", x=18, y=top, width=self.width - 18, height=bottom - top, rx=4,
            class_="ip-loop-area",
        )  # fmt: skip
        line = f"M18 {bottom - 8:.1f}H10Q4 {bottom - 8:.1f} 4 {bottom - 14:.1f}"
        line += f"V{top + 14:.1f}Q4 {top + 8:.1f} 10 {top + 8:.1f}H13"
        tip = f"19,{top + 8:.1f} 11,{top + 4:.1f} 11,{top + 12:.1f}"
        return (
            svg.tag("title", "this part repeats for ever")
            + area
            + svg.tag("path", d=line, class_="ip-loop-line")
            + svg.tag("polygon", points=tip, class_="ip-loop-tip")
        )


def begin(initial: Mapping[str, Any], most: int = 30) -> str:
    """The state in which a run begins, without what is 0 or false."""
    parts = [f"{svg.clip(name, 60)}: {value}" for name, value in initial.items() if value]
    text = ", ".join(map(svg.code, parts[:most]))
    text += f", … {len(parts) - most} more" if len(parts) > most else ""
    return svg.tag("p", f"begin: {text}") if parts else ""


def steps_table(run: Any, requested: bool) -> str:
    """The steps as a table: what there is without a picture."""
    shown = Shown(run)
    outputs = any(step.shows for step in shown.steps)
    rows = []
    for number, step in shown.rows():
        if step is None:
            cells = ["⋮", svg.escape(f"{shown.left_out} steps left out")]
            rows.append(svg.tag("tr", *(svg.tag("td", cell) for cell in cells)))
            continue
        cells = [str(number + 1), svg.code(step.event)]
        if requested:
            cells.append(", ".join(map(svg.code, step.requested_by)))
        if outputs:
            cells.append(", ".join(map(svg.code, step.shows)))
        cells.append(changes(step.changes))
        kind = "ip-loop" if shown.loop is not None and number >= shown.loop else None
        rows.append(svg.tag("tr", *(svg.tag("td", cell) for cell in cells), class_=kind, data_step=number + 1))
    head = ["step", "event"]
    head += ["requested by"] if requested else []
    head += ["output"] if outputs else []
    head += ["what changes"]
    top = svg.tag("tr", *(svg.tag("th", cell) for cell in head))
    table = svg.tag("table", svg.tag("thead", top), svg.tag("tbody", *rows), class_="ip-table")
    pane = svg.tag("div", table, class_="ip-scroll ip-tall") if rows else ""
    return pane + shown.note()


def changes(values: Mapping[str, tuple[Any, Any]], most: int = 12) -> str:
    """What a step changes."""
    parts = [
        svg.code(f"{svg.clip(name, 60)}: {before} → {after}") for name, (before, after) in list(values.items())[:most]
    ]
    if len(values) > most:
        parts.append(f"… {len(values) - most} more")
    return ", ".join(parts)
