"""Arguments as they are given, and as the extension module takes them. Others are errors that name the argument."""

from __future__ import annotations

import math
import operator
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Optional

from .errors import UsageError

MOST_DIGITS = 4000
"""Python converts longer numbers to text only after `sys.set_int_max_str_digits`, and reports need the text."""
_TOO_LARGE: int = 10**MOST_DIGITS
WORD = (1 << 64) - 1
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def shown(value: object) -> str:
    """Returns a value for a message: short, and without errors of its own."""
    try:
        text = repr(value)
    except Exception:
        return f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."


def whole(value: Any, what: str, least: int = 0, most: Optional[int] = None) -> int:
    """Returns a whole number as an `int`. Integers of numpy are whole numbers; floats and bools are not."""
    if type(value) is int:
        number = value
    else:
        try:
            if isinstance(value, bool):
                raise TypeError
            # `operator.index` keeps subclasses of int, which may have a text of their own.
            number = int(operator.index(value))
        except TypeError:
            raise UsageError(f"{what} must be a whole number, not {shown(value)}") from None
    if not -_TOO_LARGE < number < _TOO_LARGE:
        raise UsageError(f"{what} has more than {MOST_DIGITS} digits")
    if number < least:
        raise UsageError(f"{what} must be at least {least}, not {shown(number)}")
    if most is not None and number > most:
        raise UsageError(f"{what} must be at most {most}, not {shown(number)}")
    return number


def optional_whole(value: Any, what: str, least: int = 0, most: Optional[int] = None) -> Optional[int]:
    """As `whole`, or ``None``."""
    return None if value is None else whole(value, what, least, most)


def text(value: Any, what: str) -> str:
    """Returns a text that can be encoded."""
    if not isinstance(value, str):
        raise UsageError(f"{what} must be a text, not {shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what} has characters that are no text: {value!a}") from None
    return str(value)


def optional_text(value: Any, what: str) -> Optional[str]:
    """As `text`, or ``None``."""
    return None if value is None else text(value, what)


def texts(value: Any, what: str) -> list[str]:
    """Returns one text or several as a list; nothing for ``None``."""
    if value is None:
        return []
    if isinstance(value, str):
        return [text(value, what)]
    if isinstance(value, bytes) or not isinstance(value, Iterable):
        raise UsageError(f"{what} must be a text or a list of texts, not {shown(value)}")
    return [text(each, f"each of {what}") for each in value]


def flag(value: Any, what: str) -> bool:
    """Returns True or False; those of numpy, too."""
    if isinstance(value, bool):
        return value
    if type(value).__name__ in ("bool", "bool_") and type(value).__module__ == "numpy":
        return bool(value)
    raise UsageError(f"{what} must be True or False, not {shown(value)}")


def seconds(value: Any, what: str = "`timeout`") -> Optional[float]:
    """Returns a time limit, or ``None``. An infinite limit is none."""
    if value is None:
        return None
    if not isinstance(value, (str, bytes, bool)):
        try:
            number = float(value)
        except OverflowError:
            # A number too large for a float.
            number = math.inf if value > 0 else -math.inf
        except (TypeError, ValueError):
            number = math.nan
        if number >= 0:
            return None if number == math.inf else number
    raise UsageError(f"{what} must be a number of seconds, at least 0, not {shown(value)}")


def memory(value: Any, what: str = "`memory`") -> Optional[int]:
    """Returns a number of bytes."""
    if value is None:
        return None
    if isinstance(value, str):
        match = re.fullmatch(r"\s*([0-9]{1,20})\s*([KMGT]?)(i?B)?\s*", value, re.IGNORECASE)
        if match is not None:
            return whole(int(match[1]) * _UNITS[match[2].upper()], what, 1, WORD)
    elif not isinstance(value, bool) and hasattr(value, "__index__"):
        return whole(value, what, 1, WORD)
    raise UsageError(f"{what} must be a number of bytes or a text such as '4G', not {shown(value)}")


def path(value: Any, what: str) -> Path:
    """Returns a path."""
    if isinstance(value, (str, os.PathLike)):
        plain = os.fspath(value)
        if isinstance(plain, str):
            return Path(plain)
    raise UsageError(f"{what} must be a path, not {shown(value)}")
