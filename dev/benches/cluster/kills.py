"""Kills processes of clusters at random, and compares what the resumed searches say with a search without kills.

    python3 dev/benches/cluster/kills.py IMPASSE MODEL.. --kills N [--processes P] [--seed S] [--torn]

Kills workers (the supervisor starts the search again) and supervisors (this script runs the command again). With
`--torn`, the last bytes of a log are also cut off or changed while nothing runs.
"""

import argparse
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time


def children(pid):
    """The processes that `pid` has started."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def alive(pid):
    """True if the process runs."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in ("Z", "X")
    except OSError:
        return False


def told(text):
    """What is compared: verdicts, counts and lengths. None if there is no report."""
    for line in text.splitlines():
        if '"properties"' in line:
            report = json.loads(line)
            return [(one["id"], one["verdict"], one["stats"]["states"], one["stats"].get("transitions"),
                     (one.get("evidence") or {}).get("length")) for one in report["properties"]]
    return None


def tear(directory, rng):
    """Cuts off or changes the end of a log."""
    logs = glob.glob(f"{directory}/search-*/worker-*.log")
    if not logs:
        return
    path = rng.choice(logs)
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        at = rng.randrange(min(size, 9), size) if size > 9 else size
        if rng.random() < 0.5:
            file.truncate(at)
        elif at < size:
            file.seek(at)
            byte = file.read(1)
            file.seek(at)
            file.write(bytes([byte[0] ^ (1 << rng.randrange(8))]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("impasse")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--torn", action="store_true")
    parser.add_argument("--seconds", type=float, default=1e9)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    until = time.time() + options.seconds
    kills = {"worker": 0, "supervisor": 0, "torn": 0}
    runs = refused = commands = 0
    expected = {}
    while kills["worker"] + kills["supervisor"] < options.kills and time.time() < until:
        model = rng.choice(options.models)
        directory = tempfile.mkdtemp(prefix="impasse-kills-")
        command = [options.impasse, "cluster", "run", "--processes", str(options.processes), "--explore-all", "--format",
                   "json", "--quiet", "--restarts", "1000000", "--checkpoint", directory, model]
        if model not in expected:
            start = time.time()
            clean = subprocess.run(command, capture_output=True, text=True)
            expected[model] = (told(clean.stdout), clean.returncode, time.time() - start)
            if expected[model][0] is None:
                sys.exit(f"{model}: no report: {clean.stderr}")
            shutil.rmtree(directory)
            os.mkdir(directory)
        said, code, length = expected[model]
        while True:
            commands += 1
            child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            members = []
            for _ in range(rng.randrange(0, 4)):
                time.sleep(rng.random() * length * 0.7)
                members = children(child.pid) or members
                victims = children(child.pid)
                if child.poll() is not None:
                    break
                if rng.random() < 0.3 or not victims:
                    os.kill(child.pid, signal.SIGKILL)
                    kills["supervisor"] += 1
                    break
                try:
                    os.kill(rng.choice(victims), signal.SIGKILL)
                    kills["worker"] += 1
                except ProcessLookupError:
                    pass
            out, err = child.communicate()
            if child.returncode != -signal.SIGKILL:
                break
            # The members notice that the supervisor is gone.
            waited = time.time()
            while any(alive(member) for member in members):
                time.sleep(0.005)
                if time.time() - waited > 30:
                    sys.exit(f"{model}: members {members} outlive their supervisor")
            if options.torn and rng.random() < 0.5:
                tear(directory, rng)
                kills["torn"] += 1
        if told(out) != said or child.returncode != code:
            if options.torn and told(out) is None and "cluster::" in err:
                refused += 1
            else:
                sys.exit(f"{model}: {told(out)}, exit code {child.returncode}, instead of {said}, {code}\n{err}\n{directory}")
        runs += 1
        shutil.rmtree(directory)
    print(f"{runs} searches, {commands} commands, {kills['worker']} workers and {kills['supervisor']} supervisors "
          f"killed, {kills['torn']} logs torn ({refused} searches refused), all others exact")


main()
