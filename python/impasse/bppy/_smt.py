"""bppy programs whose requests are Z3 formulas."""

from __future__ import annotations

import sys
from typing import Any


def z3_key(x: Any) -> Any:
    """The key of a Z3 term, or None: equal terms have equal numbers in their context."""
    z3 = sys.modules.get("z3")
    if z3 is None or not isinstance(x, z3.AstRef):
        return None
    return ("z3", type(x).__name__, id(x.ctx), x.get_id())


def extract(source: Any, strategy: Any, events: Any, external: Any, ends: str, max_states: int,
            ignore: Any) -> Any:
    raise NotImplementedError
