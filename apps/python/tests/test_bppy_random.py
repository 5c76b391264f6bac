"""Random bppy programs against bppy's own `BProgram`: some of those of `differential_bppy.py`."""

from __future__ import annotations

import pytest

pytest.importorskip("bppy")
import differential_bppy


@pytest.fixture(autouse=True)
def few_states():
    yield
    differential_bppy.bridge._api.FEW_STATES = 1 << 9


@pytest.mark.parametrize("block", range(6))
def test_random_programs(block):
    words = " ".join(differential_bppy.compare(s, 120) for s in range(block * 12, block * 12 + 12))
    assert "exact" in words and "bad:safe" in words
