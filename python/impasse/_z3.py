"""Loads the Z3 library of the package ``z3-solver``, so that the extension module finds it.

The extension module uses functions of ``libz3`` and names no file for them. This module loads the library from where
pip put it, with global symbols, before the extension is loaded. Programs that also ``import z3`` use the same copy.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from pathlib import Path

# The extension was compiled against 5.3. The functions that it uses are the same in all of 5.
OLDEST = (5, 3)
BEFORE = (6, 0)

_FILES = ("libz3.so", "libz3.dylib", "libz3.dll")


def _candidates() -> list[Path]:
    """Returns the places of the library, in the order in which they are tried."""
    places = []
    named = os.environ.get("Z3_LIBRARY_PATH")
    if named:
        places.append(Path(named))
    spec = importlib.util.find_spec("z3")
    if spec is not None and spec.origin is not None:
        places.append(Path(spec.origin).parent / "lib")
    return places


def _say(problem: str) -> str:
    wanted = f"{OLDEST[0]}.{OLDEST[1]} or later, and before {BEFORE[0]}"
    return f"{problem}. impasse needs the package z3-solver, version {wanted}: pip install 'z3-solver>=5.3,<6'"


def load() -> str:
    """Loads the library. Returns its version, as in ``5.4.1``.

    Raises:
        ImportError: The library is missing, cannot be loaded, or has another version.
    """
    places = _candidates()
    if not places:
        raise ImportError(_say("the package z3-solver is not installed"))
    files = [place / name for place in places for name in _FILES]
    found = next((file for file in files if file.is_file()), None)
    if found is None:
        where = ", ".join(str(place) for place in places)
        raise ImportError(_say(f"there is no Z3 library in {where}"))
    try:
        mode = ctypes.RTLD_GLOBAL | getattr(os, "RTLD_NOW", 0)
        library = ctypes.CDLL(str(found), mode=mode)
    except OSError as error:
        raise ImportError(_say(f"the Z3 library {found} cannot be loaded ({error})")) from error
    parts = [ctypes.c_uint() for _ in range(4)]
    library.Z3_get_version(*(ctypes.byref(part) for part in parts))
    version = tuple(part.value for part in parts)
    text = ".".join(str(part) for part in version[:3])
    if not OLDEST <= version[:2] < BEFORE:
        raise ImportError(_say(f"the Z3 library {found} has version {text}"))
    if sys.platform == "win32":
        raise ImportError("there is no build of impasse for Windows; it works in WSL")
    return text
