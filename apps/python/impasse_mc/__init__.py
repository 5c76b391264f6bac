"""Decides whether a concurrent system can get stuck or go wrong, and proves it.

`load` reads a model from a file; `Program`, `Net`, `Circuit` and `System` make one in Python. `check` answers questions
about it with evidence that an independent checker has accepted.
"""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING, Any

from . import _impasse, _z3
from ._batch.shards import batch_file
from ._impasse import version as __version__
from ._progress import Progress
from ._z3 import z3_version
from .batch import (
    BatchProgress,
    BatchResult,
    BatchResults,
    Job,
    batch,
    batch_iter,
)
from .checking import (
    Replayed,
    check,
    check_async,
    engines,
    patterns,
    replay,
)
from .circuits import Circuit, Signal
from .errors import (
    Diagnostic,
    ImpasseError,
    InputError,
    InternalError,
    UsageError,
)
from .models import Model, Program, Question, formats, load, loads
from .nets import Net, Place, Transition
from .outcome import Answer, Evidence, Outcome
from .run import Run, Step
from .sat import Solver, check_proof
from .systems import System

if TYPE_CHECKING:
    from . import bppy as bppy
    from . import pm4py as pm4py

_LAZY = ("bppy", "pm4py")


def __getattr__(name: str) -> Any:
    """Imports the bridges to other packages when they are first used."""
    if name in _LAZY:
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})


__all__ = [
    "Answer",
    "BatchProgress",
    "BatchResult",
    "BatchResults",
    "Circuit",
    "Diagnostic",
    "Evidence",
    "ImpasseError",
    "InputError",
    "InternalError",
    "Job",
    "Model",
    "Net",
    "Outcome",
    "Place",
    "Program",
    "Progress",
    "Question",
    "Replayed",
    "Run",
    "Signal",
    "Solver",
    "Step",
    "System",
    "Transition",
    "UsageError",
    "__version__",
    "batch",
    "batch_file",
    "batch_iter",
    "check",
    "check_async",
    "check_proof",
    "engines",
    "formats",
    "load",
    "loads",
    "patterns",
    "replay",
    "z3_version",
]

_z3.prefer_package()

# Work on other threads must end before the interpreter does.
atexit.register(_impasse.finish)
