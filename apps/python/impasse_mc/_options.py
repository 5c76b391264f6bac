"""The types of the options of `check`, for functions that hand them on.

They are only for type checkers: nothing imports this module when the package runs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Optional, TypedDict, Union

from ._progress import ProgressOption


class SearchOptions(TypedDict, total=False):
    """The options of `check` but the question, the number of threads, and the progress."""

    properties: Union[str, Iterable[str], None]
    engine: Optional[str]
    timeout: Optional[float]
    memory: Union[int, str, None]
    bound: Optional[int]
    shortest: bool
    explore_all: bool
    seed: int
    patterns: Optional[Sequence[str]]
    trust: Sequence[str]
    fair: Sequence[str]
    init: Optional[str]
    final: Optional[str]
    ends: str


class ThreadOptions(SearchOptions, total=False):
    """The options of `check` but the question and the progress."""

    jobs: int


class AsyncOptions(ThreadOptions, total=False):
    """The options of `check` but the question."""

    progress: ProgressOption


class BatchOptions(SearchOptions, total=False):
    """The options of `check` and `load` for all jobs of a batch. A job by itself may also have the option `jobs`."""

    ask: Union[str, Sequence[str], None]
    format: Optional[str]
    target: Union[str, os.PathLike[str], None]
    extern: Union[str, os.PathLike[str], None]
