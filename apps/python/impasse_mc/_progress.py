"""The progress of checks: bars, lines, and functions that are called with it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any, Callable, NamedTuple, Optional, Union

from . import _given
from .errors import UsageError


class Progress(NamedTuple):
    """How far a check is."""

    engine: str
    """The engine whose turn it is."""
    states: int
    """The number of states that it has visited."""
    seconds: float
    """The time since the beginning of the check."""


ProgressOption = Union[None, bool, str, Callable[[Progress], Any]]


@contextlib.contextmanager
def reporting(progress: ProgressOption) -> Iterator[Optional[Callable[[str, int, float], None]]]:
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
        raise UsageError(f"`progress` is True, 'tqdm', 'rich' or a function, not {_given.shown(progress)}")


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
