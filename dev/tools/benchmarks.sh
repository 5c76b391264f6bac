#!/usr/bin/env bash
# Writes docs/benchmarks.md: `dev/tools/benchmarks.sh`. Each section is the report of one run of the bench runner, as it printed it.
#
# It needs the corpus, and takes the peers that are installed (minisat, cadical, kissat, berkeley-abc, spin). Run it on a quiet machine.
set -euo pipefail
cd "$(dirname "$0")/../.."

corpus=${IMPASSE_CORPUS:-../shared/corpus}
[ -e "$corpus/rwb/expected.csv" ] || { echo "no corpus at $corpus" >&2; exit 2; }
[ -n "${IMPASSE_BUILT-}" ] || cargo build --profile dist --locked -p impasse -p impasse-bench --bins
bench=${CARGO_TARGET_DIR:-target}/dist/impasse-bench
page=$(mktemp)
report=$(mktemp)
trap 'rm -f "$page" "$report"' EXIT

# section TITLE TEXT ARGUMENTS..: runs a suite and appends its report. Headings of the report become deeper ones.
section() {
    local title=$1 text=$2
    shift 2
    echo "running: $*" >&2
    "$bench" "$@" --markdown "$report" >/dev/null || echo "(a run of this suite ended with code $?)" >>"$report"
    {
        printf '\n## %s\n\n%s\n\n```sh\ncargo run --profile dist -p impasse-bench -- %s\n```\n\n' "$title" "$text" "$*"
        # The list of single runs is long, and the summaries say what it comes to.
        awk '/^## /{ long = /^## Runs$/ } !long' "$report" | sed 's/^#/##/'
    } >>"$page"
}

{
    echo '# Benchmarks'
    echo
    echo 'This page is written by `dev/tools/benchmarks.sh`: each section is the report of one run of the bench runner (`dev/benches/`), as it'
    echo 'printed it. The corpora are public benchmark collections and are not part of the repository. Times are CPU seconds.'
    echo 'Compare numbers within a section only: its tools ran in turns on the same machine.'
    echo
    echo "Version $(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml) at commit $(git rev-parse --short HEAD), $(date -u +%Y-%m-%d), $(nproc) cores of $(
        sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1
    )."
} >"$page"

section 'Behavioral programs' 'Each program of the corpus with each engine and with `auto`; small programs only.' rwb --quick
section 'Programs with data' 'Finite programs with data, and programs with unbounded numbers, all questions of a file in one run.' data --timeout 20s
section 'Petri nets with a target' 'Coverability of the nets that MIST and BFC are measured on, by `auto`.' petri --auto --timeout 10s
section 'Contest nets' 'Deadlock and reachability formulas of nets of the Model Checking Contest, all properties of a net in one run.' mcc --timeout 3s
section 'Reactive C programs' 'Exploration of RERS programs beside a plain C search, and beside SPIN if it is installed.' rers --speed --timeout 20s
section 'Circuits' 'Safety of circuits, beside `pdr` of ABC if it is installed.

| To measure | Run `impasse-bench` with |
| --- | --- |
| 80 generated circuits of ten families with known answers, beside `pdr` of ABC | `circuits` |
| the same circuits, also beside the engine IC3 of rIC3 | `circuits --ric3 PATH`, or `circuits` if `rIC3` is in the search path |
| 48 circuits of six families with a justice property and known answers, beside `l2s` and `pdr` of ABC | `circuits --liveness` |
| 64 systems of eight families with memories and known answers, beside the same tools on circuits with a latch for each bit | `circuits --memories` |
| the effect of each engine, by leaving it out | `--each-without`, also with `--liveness` |
| nothing: the circuits are only written as AIGER files | `--write DIR`, also with `--liveness` |

The report below compares IC3 alone on circuits of bounded nets.' ic3 --aiger --timeout 10s
section 'SAT solver' 'Generated formulas, beside minisat, cadical and kissat if they are installed. `sat --fresh` measures sixty formulas of other families, on which no heuristic has been tuned.' sat --generated --timeout 10s

cp "$page" docs/benchmarks.md
