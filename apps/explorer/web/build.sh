#!/bin/sh
# Builds the page of `impasse explore` from src/ into ../dist/, which is part of the repository. With `--check`, compares
# the built form with ../dist/ instead, and fails if it is out of date.
set -eu
cd "$(dirname "$0")"
dist=../dist
out=$dist
if [ "${1:-}" = --check ]; then
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
fi
[ -d node_modules ] || npm ci --no-audit --no-fund --ignore-scripts
npx tsc --noEmit
mkdir -p "$out"
npx esbuild app=src/main.tsx layout=src/layout.worker.ts --bundle --minify --format=iife --target=es2022 \
    --jsx=automatic --jsx-import-source=preact --legal-comments=none --charset=utf8 --outdir="$out" --log-level=warning
npx esbuild app=src/app.css --minify --target=es2022,chrome123,firefox120,safari17.5 --outdir="$out" --log-level=warning
cp src/index.html src/icon.svg "$out"
{
    for name in preact @dagrejs/dagre @dagrejs/graphlib; do
        echo "$name"
        echo
        cat "node_modules/$name/LICENSE"
        echo
    done
} > "$out/licences.txt"
if [ "$out" != "$dist" ]; then
    diff -rq "$dist" "$out" || { echo "apps/explorer/dist is out of date: run apps/explorer/web/build.sh" >&2; exit 1; }
fi
