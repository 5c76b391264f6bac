"""The example notebooks run, and say what they claim to say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"

# For each notebook: texts in its outputs, and packages that it needs.
EXPECTED = {
    "behavioral_program": (
        ["✗ UNSAFE", "✓ SAFE", "['left0'", "True ", "repeat for ever"],
        [],
    ),
    "petri_net": (
        ["✓ SAFE", "REACHABLE", "UNREACHABLE", "data-game", "lock + busy_a + busy_b: [0 0"],
        ["numpy", "pandas", "impasse_mc.net_convert"],
    ),
    "many_jobs": (
        ["33 jobs: ", "33 recorded, 1 new", "wrong.rwb unknown ("],
        ["pandas"],
    ),
}


def test_all_notebooks_are_tested():
    assert {path.stem for path in NOTEBOOKS.glob("*.ipynb")} == set(EXPECTED)


@pytest.mark.parametrize("name", list(EXPECTED))
def test_notebook(name, tmp_path, monkeypatch):
    expected, packages = EXPECTED[name]
    for package in packages:
        pytest.importorskip(package, reason=f"{package} is not installed")
    # The kernel is the Python of this test, whatever kernels the user has.
    package = str(Path(__import__("impasse_mc").__file__).parent.parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([package, os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    text = "\n".join(
        str(part)
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        for part in (output.get("text", ""), *output.get("data", {}).values())
    )
    for words in expected:
        assert words in text, words


@pytest.mark.parametrize("name", list(EXPECTED))
def test_notebooks_are_kept_without_outputs(name):
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert not cell.get("outputs") and cell.get("execution_count") is None
