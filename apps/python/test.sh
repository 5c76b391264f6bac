#!/usr/bin/env bash
# Tests the wheel in target/wheels as a user would get it: installs it in a virtual environment, and runs types, lints
# and tests there. The tests import the installed package, not this folder. IMPASSE_TOOL names a command line to compare
# with; tests that need a package that cannot be installed are skipped with a message.
set -euo pipefail
cd "$(dirname "$0")"
venv=${IMPASSE_TEST_VENV:-../../target/python-venv}
python=${PYTHON:-python3}
wheels=(../../target/wheels/impasse_mc-*.whl)

[ -e "$venv/bin/python" ] || "$python" -m venv "$venv"
pip() { "$venv/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
pip install "${wheels[-1]}[test]" 'mypy>=1.10,<3' 'ruff>=0.6,<1'
# The same version may be installed already.
pip install --force-reinstall --no-deps "${wheels[-1]}"

"$venv/bin/python" -m ruff check .
"$venv/bin/python" -m ruff format --check .
# Tests and lints must not find the sources: they have no extension module.
tests=$(mktemp -d)
trap 'rm -rf "$tests"' EXIT
ln -s "$PWD/tests" "$PWD/README.md" "$PWD/notebooks" "$tests"
mkdir "$tests/docs" && cp ../../docs/report.schema.json "$tests/docs"
"$venv/bin/python" -m mypy -p impasse_mc
venv=$(realpath "$venv") here=$PWD
cd "$tests"
"$venv/bin/python" -m pytest tests -p no:cacheprovider -c "$here/pyproject.toml" --rootdir tests "$@"
