#!/bin/sh
# Bundles the extension and packages it as `impasse.vsix`. Needs no network after `npm ci`. With `--check`, also tests the
# grammars and the content of the package, and leaves nothing behind.
set -eu
cd "$(dirname "$0")"
out=impasse.vsix
if [ "${1:-}" = --check ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    out=$work/impasse.vsix
fi
[ -d node_modules ] || npm ci --no-audit --no-fund --ignore-scripts
npx esbuild src/extension.js --bundle --minify --platform=node --target=node20 --format=cjs --external:vscode \
    --legal-comments=none --charset=utf8 --outfile=dist/extension.js --log-level=warning
# The licences of the libraries in the bundle.
{
    for name in vscode-languageclient vscode-languageserver-protocol vscode-jsonrpc vscode-languageserver-types minimatch \
        brace-expansion balanced-match semver; do
        echo "$name"
        echo
        cat node_modules/$name/[Ll][Ii][Cc][Ee][Nn][Ss][Ee]* | head -60
        echo
    done
} > dist/licences.txt
npx vsce package --no-dependencies --allow-missing-repository --out "$out" > /dev/null
if [ "${1:-}" = --check ]; then
    node --test test/grammar.test.mjs
    node test/package.mjs "$out"
fi
