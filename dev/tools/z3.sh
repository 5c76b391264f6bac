#!/usr/bin/env bash
# Puts the Z3 of dev/tools/z3.txt into target/z3 and prints the directory of its library: dev/tools/z3.sh. `.ci/run` tests with it,
# and dev/tools/tarball.sh adds it to the tarball.
set -euo pipefail
cd "$(dirname "$0")/../.."
to=${CARGO_TARGET_DIR:-target}/z3
if [ ! -e "$to/z3/lib" ]; then
    python3 -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
        --target "$to" -r dev/tools/z3.txt >&2
fi
realpath "$to/z3/lib"
