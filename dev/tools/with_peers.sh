#!/usr/bin/env bash
# Runs a command in an environment that can build the peers of the benchmark:
#
#   dev/tools/with_peers.sh cargo run --profile dist -p impasse-bench --features peers -- sat --incremental
#
# cmake and libclang are installed from the Python package index into the target directory, unless they are
# present. A C++ compiler must be installed.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
tools=${CARGO_TARGET_DIR:-$root/target}/peers-tools

if ! command -v cmake >/dev/null || [ -z "${LIBCLANG_PATH:-}" ]; then
    [ -x "$tools/bin/python" ] || python3 -m venv "$tools"
    [ -x "$tools/bin/cmake" ] || "$tools/bin/pip" install --quiet --disable-pip-version-check cmake==3.31.6 libclang==18.1.1
    PATH=$PATH:$tools/bin
    LIBCLANG_PATH=${LIBCLANG_PATH:-$(echo "$tools"/lib/python3*/site-packages/clang/native)}
    # The libclang package has no compiler headers, so those of cc are used.
    BINDGEN_EXTRA_CLANG_ARGS="-isystem $(cc -print-file-name=include) ${BINDGEN_EXTRA_CLANG_ARGS:-}"
    export PATH LIBCLANG_PATH BINDGEN_EXTRA_CLANG_ARGS
fi
exec "$@"
