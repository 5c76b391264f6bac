"""Where Z3 is: in the package ``z3-solver``.

The library is loaded when a query needs it. Programs that also ``import z3`` use the same copy.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Optional

from . import _impasse


def prefer_package() -> None:
    """Names the directory of the package ``z3-solver``, if it is installed."""
    spec = importlib.util.find_spec("z3")
    if spec is not None and spec.origin is not None:
        _impasse.prefer_z3(str(Path(spec.origin).parent / "lib"))


def z3_version() -> Optional[str]:
    """Loads Z3, and returns its version, as in ``5.4.1``. ``None`` if there is no Z3 that can be used.

    Most questions need no Z3. Those that do are answered ``unknown`` without it. ``pip install z3-solver`` adds it.
    """
    found, _ = _impasse.find_z3()
    return None if found is None else found[0]
