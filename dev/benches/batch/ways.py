"""Runs a file of jobs in several ways, and compares the sorted lines of results.

    python3 dev/benches/batch/ways.py DIR --impasse PATH [--ways jobs,parallel,slurm,dask] [--shards 40] [--kill 0.1]

DIR has `jobs.jsonl` (see generate.py). The ways are `impasse batch --jobs 2`, GNU parallel, a Slurm array with
apps/deploy/slurm-batch.sh, and `impasse.batch_file` on Dask with four workers (with the Python package and `distributed`).
With `--kill S`, this share of the shards is killed by signal 9 while they run, and what ended badly is started again.
For Dask, the worker that runs the shard is killed, every other time together with the shard, as if its machine had
failed. Of the tasks of Slurm, every other one is requeued.

Prints a line of JSON for each way: the hash of the sorted lines, their number, seconds of the clock and of processors
(those of Slurm's tasks are not known here), and how many processes were killed.
"""

import argparse
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def shards_that_run(folder):
    """Pairs of a process and its shard, of all batches with results in the folder."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline") as file:
                line = file.read().split("\0")
        except OSError:
            continue
        if os.path.basename(line[0]) == "impasse" and "--shard" in line and any(folder in each for each in line):
            yield int(pid), int(line[line.index("--shard") + 1].split("/")[0])


def parent(pid):
    """The process that started this one."""
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rsplit(")", 1)[1].split()[1])


class Killer(threading.Thread):
    """Ends some shards, each once, at a random moment. `end` says how."""

    def __init__(self, folder, shards, share, end):
        super().__init__(daemon=True)
        self.folder, self.end = folder, end
        self.chosen = set(random.sample(range(1, shards + 1), round(share * shards)))
        self.killed, self.over = 0, False

    def run(self):
        while self.chosen and not self.over:
            for pid, shard in shards_that_run(self.folder):
                if shard in self.chosen:
                    self.chosen.discard(shard)
                    time.sleep(random.uniform(0, 0.8))
                    try:
                        self.end(pid, self.killed)
                        self.killed += 1
                    except OSError:
                        # It was done before: another one is killed instead.
                        self.chosen.add(shard + 1)
            time.sleep(0.02)


def kill(pid, _number):
    os.kill(pid, signal.SIGKILL)


def kill_worker(pid, number):
    worker = parent(pid)
    os.kill(worker, signal.SIGKILL)
    if number % 2:
        os.kill(pid, signal.SIGKILL)


def requeue_or_kill(pid, number):
    with open(f"/proc/{pid}/environ") as file:
        job = next(each for each in file.read().split("\0") if each.startswith("SLURM_JOB_ID=")).split("=")[1]
    if number % 2 or subprocess.run(["scontrol", "requeue", job]).returncode != 0:
        os.kill(pid, signal.SIGKILL)


def by_jobs(args, folder):
    command = [args.impasse, "batch", "jobs.jsonl", "--results", f"{folder}/r.jsonl", "--jobs", "2"]
    while subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0:
        pass
    return [f"{folder}/r.jsonl"]


def by_parallel(args, folder):
    shard = [args.impasse, "batch", "jobs.jsonl", "--shard", f"{{}}/{args.shards}", "--results", folder + "/r-{}.jsonl"]
    command = ["parallel", "--will-cite", "-j", "2", *shard, ":::", *map(str, range(1, args.shards + 1))]
    while subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
        print("parallel: again", flush=True)
    return [f"{folder}/r-{i}.jsonl" for i in range(1, args.shards + 1)]


def by_slurm(args, folder):
    os.symlink("../jobs.jsonl", f"{folder}/jobs.jsonl")
    path = os.path.dirname(args.impasse) + ":" + os.environ["PATH"]
    command = ["sbatch", "--wait", f"--array=1-{args.shards}", f"--output={folder}/out-%a.txt"]
    command += [f"{ROOT}/deploy/slurm-batch.sh", f"{folder}/jobs.jsonl"]
    while subprocess.run(command, env={**os.environ, "PATH": path}).returncode != 0:
        print("slurm: again", flush=True)
    return [f"{folder}/jobs-results-{i}.jsonl" for i in range(1, args.shards + 1)]


def by_dask(args, folder):
    import distributed
    import impasse_mc as impasse

    with (
        distributed.LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        file = impasse.batch_file(
            "jobs.jsonl", client=client, results=f"{folder}/r.jsonl", shards=args.shards, command=args.impasse
        )
    return [str(file)]


WAYS = {
    "jobs": (by_jobs, kill),
    "parallel": (by_parallel, kill),
    "slurm": (by_slurm, requeue_or_kill),
    "dask": (by_dask, kill_worker),
}


def seconds_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dir")
    parser.add_argument("--impasse", required=True)
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--shards", type=int, default=40)
    parser.add_argument("--kill", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.impasse = os.path.abspath(args.impasse)
    random.seed(args.seed)
    os.chdir(args.dir)
    for name in args.ways.split(","):
        run, end = WAYS[name]
        folder = f"way-{name}"
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        killer = Killer(folder, args.shards, args.kill, end)
        killer.start()
        begin, used = time.time(), seconds_of_children()
        files = run(args, folder)
        killer.over = True
        lines = sorted({line for file in files for line in contents(file).splitlines(keepends=True)})
        report = {
            "way": name,
            "sha256": hashlib.sha256(b"".join(lines)).hexdigest(),
            "lines": len(lines),
            "clock": round(time.time() - begin, 1),
            "processors": round(seconds_of_children() - used, 1),
            "killed": killer.killed,
        }
        print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main()
