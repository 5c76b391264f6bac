"""Measures what checkpoints cost: `impasse check` with and without `--checkpoint`, in turns.

    python3 dev/tools/checkpoint_cost.py IMPASSE MODEL [--rounds 5] [--every 10s] [-- OPTIONS OF CHECK]

Prints the processor seconds (user and system) of each run, the medians, and the ratio of the medians. Runs alternate, so
that a change of the machine's speed hits both alike. Both must give the same answers and counts.
"""

import argparse
import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile


def seconds(command):
    """Runs a command. Returns its processor seconds, and its verdicts and counts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = next(json.loads(line) for line in done.stdout.splitlines() if '"properties"' in line)
    told = [(one["id"], one["verdict"], one["stats"]["states"]) for one in report["properties"]]
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, told


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("impasse")
    parser.add_argument("model")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--every", default="10s", help="the interval of checkpoints")
    own, options = sys.argv[1:], []
    if "--" in own:
        own, options = own[: own.index("--")], own[own.index("--") + 1 :]
    asked = parser.parse_args(own)
    check = [asked.impasse, "check", asked.model, "--engine", "explicit", "--format", "json", *options]
    plain, saved = [], []
    for _ in range(asked.rounds):
        cpu, expected = seconds(check)
        plain.append(cpu)
        folder = tempfile.mkdtemp(prefix="impasse-cost-")
        try:
            cpu, told = seconds([*check, "--checkpoint", f"{folder}/saved", "--checkpoint-every", asked.every])
        finally:
            shutil.rmtree(folder)
        saved.append(cpu)
        if told != expected:
            sys.exit(f"different answers: {told}, and {expected} without checkpoints")
        print(f"without {plain[-1]:.2f} s, with {saved[-1]:.2f} s", flush=True)
    without, with_ = statistics.median(plain), statistics.median(saved)
    print(f"medians: without {without:.2f} s, with {with_:.2f} s, ratio {with_ / without:.3f}")


if __name__ == "__main__":
    main()
