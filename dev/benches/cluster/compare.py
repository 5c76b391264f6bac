"""Compares `impasse cluster run` with one process: verdicts, counts and lengths of runs, for 1, 2, 4 and 8 processes.

    python3 dev/benches/cluster/compare.py IMPASSE MODEL.. [--processes 1,2,4,8] [--out FILE]

For each model, `impasse check --engine explicit --explore-all --shortest` says what is right. Prints a line per model and
number of processes, with the processor time of both, and writes JSON lines to FILE.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time


def run(command, limit):
    """Runs a command. Returns its report, exit code, processor seconds and wall seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, "timeout", 0.0, limit, ""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    report = None
    for line in done.stdout.splitlines():
        if line.startswith('{"event":"file"') or '"properties"' in line:
            report = json.loads(line)
            break
    return report, done.returncode, cpu, time.time() - start, done.stderr


def told(report):
    """Returns what is compared: by property the verdict and the length of the run, and the counts."""
    properties = report["properties"]
    verdicts = {}
    for one in properties:
        evidence = one.get("evidence") or {}
        length = evidence.get("length") if one["verdict"] == "unsafe" else None
        verdicts[one["id"]] = (one["verdict"], length)
    counts = max(((one["stats"]["states"], one["stats"].get("transitions", 0)) for one in properties), default=(0, 0))
    return verdicts, counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("impasse")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--processes", default="1,2,4,8")
    parser.add_argument("--out", default="/dev/null")
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--least", type=int, default=0, help="leave out models with fewer states")
    parser.add_argument("--also", default="", help="options of both commands, such as `--also=--property=deadlock`")
    options = parser.parse_args()
    wrong, same = 0, 0
    with open(options.out, "a") as out:
        for model in options.models:
            common = ["--explore-all", "--format", "json", "--quiet", *options.also.split()]
            check = [options.impasse, "check", "--engine", "explicit", "--shortest", *common, model]
            report, code, cpu, wall, _ = run(check, options.limit)
            if report is None or not report.get("properties"):
                print(f"{model}: left out ({code})", flush=True)
                continue
            single = told(report)
            if single[1][0] < options.least:
                print(f"{model}: left out ({single[1][0]} states)", flush=True)
                continue
            for processes in options.processes.split(","):
                os.environ["IMPASSE_CLUSTER_STATISTICS"] = "1"
                cluster = [options.impasse, "cluster", "run", "--processes", processes, *common, model]
                other, exit_code, own, own_wall, err = run(cluster, options.limit)
                many = told(other) if other else None
                is_same = many == single and exit_code == code
                same, wrong = same + is_same, wrong + (not is_same)
                sent = sum(int(line.split(" sent ")[1].split()[0]) for line in err.splitlines() if ", received" in line)
                line = {"model": os.path.basename(model), "processes": int(processes), "same": is_same,
                        "states": single[1][0], "transitions": single[1][1], "cpu_single": round(cpu, 2),
                        "cpu_cluster": round(own, 2), "wall_single": round(wall, 2), "wall_cluster": round(own_wall, 2),
                        "bytes": sent}
                out.write(json.dumps(line) + "\n")
                out.flush()
                print(json.dumps(line), flush=True)
                if not is_same:
                    print(f"  one process: {single}, exit code {code}\n  cluster: {many}, exit code {exit_code}\n{err}",
                          flush=True)
    print(f"{same} equal, {wrong} different")
    sys.exit(1 if wrong else 0)


main()
