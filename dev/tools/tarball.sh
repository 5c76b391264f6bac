#!/usr/bin/env bash
# Builds the release tarball for this machine: `dev/tools/tarball.sh [DIRECTORY]` (default: target/tarball). On Windows (in Git
# Bash) it is a zip file.
#
# It contains the stripped tool, the Z3 library beside it (one of the places where the tool looks), manual pages,
# completions, licences, examples and the book's sources. On Linux it runs on any machine of the same architecture with a C
# library at least as new as the version that this script prints at the end; Z3 also needs a C++ library.
set -euo pipefail
cd "$(dirname "$0")/../.."

out=${1:-target/tarball}
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
case $(uname -s) in
    Linux) system=linux z3='libz3.so*' program=impasse ;;
    Darwin) system=macos z3='libz3*.dylib' program=impasse ;;
    *) system=windows z3=libz3.dll program=impasse.exe ;;
esac
name=impasse-$version-$(uname -m)-$system
stage=$out/$name

cargo build --profile dist --locked --bin impasse
rm -rf "$stage"
mkdir -p "$stage/man" "$stage/completions" "$stage/examples"
built=${CARGO_TARGET_DIR:-target}/dist
cp "$built/$program" "$stage/"
library=$(find "$(dev/tools/z3.sh)" -name "$z3" | sort | tail -1)
cp -L "$library" "$stage/"
if [ $system = linux ]; then strip --strip-unneeded "$stage/$(basename "$library")"; fi
"$stage/$program" man "$stage/man" >/dev/null
for shell in bash zsh fish; do "$stage/$program" completions "$shell" >"$stage/completions/impasse.$shell"; done
cp README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$stage/"
cp -r docs "$stage/docs"
find examples -maxdepth 1 -type f -exec cp {} "$stage/examples/" \;
if cargo about --version >/dev/null 2>&1; then
    cargo about generate --config apps/deploy/about.toml apps/deploy/licences.hbs --output-file "$stage/licences.html"
else
    echo 'no cargo-about: the tarball is without the licences of libraries' >&2
fi

file=$name.tar.xz
case $system in
    # The same content gives the same bytes.
    linux) tar -C "$out" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cJf "$out/$file" "$name" ;;
    macos) tar -C "$out" -cJf "$out/$file" "$name" ;;
    windows) file=$name.zip && (cd "$out" && 7z a -tzip "$file" "$name" >/dev/null) ;;
esac
du -h "$out/$file" "$stage/$program" | awk '{ print $2 ": " $1 }'
if [ $system = linux ]; then
    # The newest version of each library's symbols that the programs use.
    for symbols in GLIBC GLIBCXX CXXABI; do
        objdump -T "$stage/impasse" "$stage"/libz3* | grep -o "${symbols}_[0-9.]*" | sort -V | tail -1 | sed 's/^/needs /'
    done
fi
