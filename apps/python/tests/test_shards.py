"""Files of jobs on Dask: the lines are those of the command line, also when workers are killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
import time

import pytest

import impasse_mc as impasse

distributed = pytest.importorskip("distributed", reason="Dask is not installed")


@pytest.fixture
def tool():
    """The command line, which IMPASSE_TOOL names."""
    tool = os.environ.get("IMPASSE_TOOL") or shutil.which("impasse")
    if not tool:
        pytest.skip("IMPASSE_TOOL names no command line")
    return tool


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def jobs(folder, examples, rounds):
    """Writes a file of jobs: examples with seeds, and a model that is missing."""
    path = folder / "jobs.jsonl"
    with open(path, "w") as file:
        for seed in range(rounds):
            for name in ("nim", "task", "array", "philosophers", "missing"):
                job = {"model": str(examples / f"{name}.rwb"), "name": f"{name}/{seed}", "seed": seed}
                file.write(json.dumps(job) + "\n")
    return path


def expected(tool, path, folder):
    """The sorted lines of one process of the command line."""
    whole = folder / "whole.jsonl"
    subprocess.run([tool, "batch", path, "--results", whole], check=True, stdout=subprocess.DEVNULL)
    return b"".join(sorted(whole.read_bytes().splitlines(keepends=True)))


def test_the_lines_are_those_of_the_command_line(tmp_path, examples, tool, client):
    path = jobs(tmp_path, examples, 10)
    results = impasse.batch_file(path, client=client, results=tmp_path / "r.jsonl", shards=7, command=tool)
    assert results.read_bytes() == expected(tool, path, tmp_path)
    assert len(os.listdir(tmp_path / "r.jsonl.shards")) == 7


def test_killed_workers_change_no_line(tmp_path, examples, tool, client):
    path = jobs(tmp_path, examples, 400)

    def kill():
        for _ in range(3):
            time.sleep(0.7)
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    results = impasse.batch_file(path, client=client, results=tmp_path / "r.jsonl", shards=20, command=tool)
    killer.join()
    assert results.read_bytes() == expected(tool, path, tmp_path)


def test_what_the_command_line_refuses_is_an_error(tmp_path, tool, client):
    path = tmp_path / "jobs.jsonl"
    path.write_text('{"name": "no model"}\n')
    with pytest.raises(impasse.UsageError, match="names no `model`"):
        impasse.batch_file(path, client=client, results=tmp_path / "r.jsonl", shards=2, command=tool)
    assert not (tmp_path / "r.jsonl").exists()
