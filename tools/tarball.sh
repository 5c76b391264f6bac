#!/usr/bin/env bash
# Builds the release tarball: `tools/tarball.sh [DIRECTORY]` (default: target/tarball).
#
# It contains the stripped tool, the Z3 library beside it (one of the places where the tool looks), manual pages,
# completions, licences, examples and the book's sources. It runs on any Linux of the same architecture with a C library at
# least as new as the version that this script prints at the end; Z3 also needs a C++ library.
set -euo pipefail
cd "$(dirname "$0")/.."

out=${1:-target/tarball}
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
name=impasse-$version-$(uname -m)-linux
stage=$out/$name

cargo build --profile dist --locked --bin impasse
rm -rf "$stage"
mkdir -p "$stage/man" "$stage/completions" "$stage/examples"
built=${CARGO_TARGET_DIR:-target}/dist
cp "$built/impasse" "$stage/"
library=$(find "$(tools/z3.sh)" -name 'libz3.so*' | sort | tail -1)
cp -L "$library" "$stage/"
strip --strip-unneeded "$stage/$(basename "$library")"
"$stage/impasse" man "$stage/man" >/dev/null
for shell in bash zsh fish; do "$stage/impasse" completions "$shell" >"$stage/completions/impasse.$shell"; done
cp README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$stage/"
cp -r docs "$stage/docs"
find examples -maxdepth 1 -type f -exec cp {} "$stage/examples/" \;

tar -C "$out" --sort=name --owner=0 --group=0 --numeric-owner -cJf "$out/$name.tar.xz" "$name"
du -h "$out/$name.tar.xz" "$stage/impasse" | awk '{ print $2 ": " $1 }'
# The newest version of each library's symbols that the programs use.
for symbols in GLIBC GLIBCXX CXXABI; do
    objdump -T "$stage/impasse" "$stage"/libz3* | grep -o "${symbols}_[0-9.]*" | sort -V | tail -1 | sed 's/^/needs /'
done
(cd "$out" && sha256sum "$name.tar.xz" >"$name.tar.xz.sha256")
