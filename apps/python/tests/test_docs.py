"""The examples in docstrings and in the README."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

MODULES = ("checking", "circuits", "models", "nets", "outcome", "sat", "systems")
PACKAGE = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    module = importlib.import_module(f"impasse_mc.{name}")
    failed, tried = doctest.testmod(module)
    assert tried > 0 and failed == 0


def test_readme() -> None:
    text = (PACKAGE / "README.md").read_text()
    blocks = re.findall(r"```pycon\n(.*?)```", text, re.DOTALL)
    assert blocks
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "README.md", None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(test).failed == 0


def test_everything_public_has_a_docstring() -> None:
    import impasse_mc as impasse

    for name in impasse.__all__:
        thing = getattr(impasse, name)
        assert isinstance(thing, str) or thing.__doc__, name
