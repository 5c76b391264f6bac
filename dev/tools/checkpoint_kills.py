#!/usr/bin/env python3
"""Kills checks with checkpoints at random moments, damages their files, and resumes them.

    dev/tools/checkpoint_kills.py target/debug/impasse [KILLS] [SEED]

Each check must end with the same report as one that was never interrupted: verdicts, states, transitions, lengths of runs.
A damaged checkpoint may be refused (exit code 65), and then the check begins anew. Anything else is a failure.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time


def counters(threads, states):
    """A program with states ** threads states, and no deadlock."""
    lines = ["rwb 1"]
    for t in range(threads):
        lines.append(f"event e{t}")
    for t in range(threads):
        each = " ".join(
            f"state s{s} {{ request e{t} on e{t} -> s{(s + 1) % states} }}" for s in range(states)
        )
        lines.append(f"thread t{t} {{ {each} }}")
    return "\n".join(lines) + "\n"


def tokens(places, count):
    """A net in which `count` tokens move in a ring, with slots that are widened: the tokens start in one place."""
    name = lambda p: f"p{p}"
    lines = ["vars", "  " + " ".join(map(name, range(places))), "rules"]
    for p in range(places):
        q = (p + 1) % places
        lines.append(f"  {name(p)} >= 1 -> {name(p)}' = {name(p)}-1, {name(q)}' = {name(q)}+1;")
    lines += ["init", "  " + ", ".join([f"p0={count}"] + [f"{name(p)}=0" for p in range(1, places)])]
    lines += ["target", f"  p1 >= {count + 1}"]
    return "\n".join(lines) + "\n"


def report(command):
    """Runs a command that prints a JSON report. Returns the exit code, what matters of the report, and stderr."""
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, summary(done.stdout), done.stderr


def summary(text):
    found = []
    for line in text.splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        for answer in record.get("properties", []):
            stats = answer.get("stats") or {}
            found.append((answer.get("id"), answer.get("verdict"), stats.get("states"), stats.get("transitions")))
    return found


def damage(folder, how, chance):
    """Damages a random file of the checkpoint. Returns what was done."""
    files = [f for f in os.listdir(folder) if f.endswith(".log") or f == "manifest"]
    if how == "none" or not files:
        return "none"
    path = os.path.join(folder, chance.choice(sorted(files)))
    size = os.path.getsize(path)
    if size == 0:
        return "none"
    with open(path, "r+b") as file:
        if how == "tear":
            file.truncate(chance.randrange(size) if chance.random() < 0.3 else max(0, size - chance.randrange(1, 2000)))
        elif how == "flip":
            at = chance.randrange(size)
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 1 << chance.randrange(8)]))
        else:
            file.seek(0, 2)
            file.write(chance.randbytes(chance.randrange(1, 500)))
    return how


def main():
    binary = os.path.abspath(sys.argv[1])
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    work = tempfile.mkdtemp(prefix="kills")
    models = {
        "counters.rwb": (counters(5, 8), ["--engine", "explicit", "--explore-all"]),
        "both.rwb": (counters(5, 6), ["--explore-all"]),
        "jobs.rwb": (counters(5, 8), ["--engine", "explicit", "--explore-all", "--jobs", "2"]),
        "ring.spec": (tokens(6, 17), ["--engine", "explicit", "--explore-all"]),
    }
    cases = []
    for name, (text, options) in models.items():
        path = os.path.join(work, name)
        with open(path, "w") as file:
            file.write(text)
        command = [binary, "check", path, "--format", "json", *options]
        started = time.time()
        code, expected, errors = report(command)
        assert expected, errors
        cases.append((command, code, expected, time.time() - started))
        print(name, code, expected, f"{time.time() - started:.2f} s", flush=True)
    counts = dict(kills=0, ends=0, refused=0, early=0)
    damages = {}
    while counts["kills"] < wanted:
        command, code, expected, seconds = chance.choice(cases)
        folder = os.path.join(work, "checkpoint")
        shutil.rmtree(folder, ignore_errors=True)
        now = command + ["--checkpoint", folder, "--checkpoint-every", "15ms"]
        while True:
            process = subprocess.Popen(now, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                out, err = process.communicate(timeout=chance.uniform(0.002, seconds * 0.8 + 0.05))
                if process.returncode == 65 and "damaged" in err:
                    counts["refused"] += 1
                    break
                if process.returncode == 65 and "has no checkpoint" in err:
                    counts["early"] += 1
                    break
                assert (process.returncode, summary(out)) == (code, expected), (now, process.returncode, out, err)
                counts["ends"] += 1
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                counts["kills"] += 1
            if os.path.isdir(folder):
                how = damage(folder, chance.choice(["none"] * 5 + ["tear", "flip", "garbage"]), chance)
                damages[how] = damages.get(how, 0) + 1
            now = [binary, "resume", folder, "--checkpoint-every", "15ms"]
        if counts["ends"] % 50 == 0:
            print(counts, damages, flush=True)
    print("all as expected:", counts, damages)
    shutil.rmtree(work)


main()
