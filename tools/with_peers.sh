#!/usr/bin/env bash
# Runs a command with what building the bench's peers takes: tools/with_peers.sh cargo run --profile dist -p impasse-bench
# --features peers -- sat --incremental. cmake and libclang come from the Python package index, into the target folder, unless
# they are there already. A C++ compiler must be.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
tools=${CARGO_TARGET_DIR:-$root/target}/peers-tools

if ! command -v cmake >/dev/null || [ -z "${LIBCLANG_PATH:-}" ]; then
    [ -x "$tools/bin/python" ] || python3 -m venv "$tools"
    [ -x "$tools/bin/cmake" ] || "$tools/bin/pip" install --quiet --disable-pip-version-check cmake==3.31.6 libclang==18.1.1
    PATH=$PATH:$tools/bin
    LIBCLANG_PATH=${LIBCLANG_PATH:-$(echo "$tools"/lib/python3*/site-packages/clang/native)}
    # The library comes without the compiler's own headers.
    BINDGEN_EXTRA_CLANG_ARGS="-isystem $(cc -print-file-name=include) ${BINDGEN_EXTRA_CLANG_ARGS:-}"
    export PATH LIBCLANG_PATH BINDGEN_EXTRA_CLANG_ARGS
fi
exec "$@"
