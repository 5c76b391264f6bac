"""Decides whether a concurrent system can get stuck or go wrong, and proves it.

`load` reads a model from a file; `Program`, `Net`, `Circuit` and `System` make one in Python. `check` answers questions
about it with evidence that an independent checker has accepted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from . import _z3

Z3_VERSION: Optional[str] = _z3.load_for_extension()
"""The version of the Z3 library, which is that of the package z3-solver. ``None`` if this build does without Z3."""

import atexit  # noqa: E402

from . import _impasse  # noqa: E402
from ._batch.shards import batch_file  # noqa: E402
from ._impasse import version as __version__  # noqa: E402
from ._progress import Progress  # noqa: E402
from .batch import (  # noqa: E402
    BatchProgress,
    BatchResult,
    BatchResults,
    Job,
    batch,
    batch_iter,
)
from .checking import (  # noqa: E402
    Replayed,
    check,
    check_async,
    engines,
    patterns,
    replay,
)
from .circuits import Circuit, Signal  # noqa: E402
from .errors import (  # noqa: E402
    Diagnostic,
    ImpasseError,
    InputError,
    InternalError,
    UsageError,
)
from .models import Model, Program, Question, formats, load, loads  # noqa: E402
from .nets import Net, Place, Transition  # noqa: E402
from .outcome import Answer, Evidence, Outcome  # noqa: E402
from .run import Run, Step  # noqa: E402
from .sat import Solver, check_proof  # noqa: E402
from .systems import System  # noqa: E402

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
    "Z3_VERSION",
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
]

# Work on other threads must end before the interpreter does.
atexit.register(_impasse.finish)
