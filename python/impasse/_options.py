"""The types of the options of `check`, for functions that hand them on.

They are only for type checkers: nothing imports this module when the package runs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Optional, TypedDict, Union

from .checking import ProgressOption


class SearchOptions(TypedDict, total=False):
    """The options of `check` but the questions and the progress."""

    properties: Union[str, Iterable[str], None]
    engine: Optional[str]
    timeout: Optional[float]
    memory: Union[int, str, None]
    jobs: int
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


class AsyncOptions(SearchOptions, total=False):
    """The options of `check`."""

    progress: ProgressOption


class BatchOptions(SearchOptions, total=False):
    """The options of `check` and `load` for the jobs of a batch."""

    ask: Union[str, Sequence[str], None]
    format: Optional[str]
    target: Union[str, os.PathLike[str], None]
    extern: Union[str, os.PathLike[str], None]
