#!/bin/sh
# Prints the changes of a version for the notes of its release: dev/tools/notes.sh v0.2.0. Fails if CHANGELOG.md has none.
set -eu
version=${1#v}
awk -v version="$version" '/^## / { on = index($0, "## " version) == 1 } on && !/^## / { print; found = 1 } END { exit !found }' \
    "$(dirname "$0")/../../CHANGELOG.md"
