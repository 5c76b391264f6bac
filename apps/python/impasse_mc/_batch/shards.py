"""A file of jobs on a Dask cluster, run by the command line.

A task is a shard: the worker starts `impasse batch --shard I/N`, with a file of results of its own in a folder that all
machines share. So the lines are those of the command line, however the jobs are run, and a shard that begins again,
on whichever worker, has the lines of its first attempt.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Union

from .. import _given
from ..errors import ImpasseError, UsageError

_PathLike = Union[str, "os.PathLike[str]"]

# What the command line says about the file of results if another process has it.
_IN_USE = "is in use by another batch"
_INPUT = 65


def batch_file(
    jobs: _PathLike,
    *,
    client: Any,
    results: _PathLike = "results.jsonl",
    shards: int | None = None,
    command: str = "impasse",
    options: str | Sequence[str] = (),
) -> Path:
    """Runs the jobs of a file on a Dask cluster, with the lines of results of `impasse batch`.

    `jobs` is a file as `impasse batch` reads it, and `client` a Dask client. `results` gets the sorted lines when all
    jobs are done. Until then each shard has a file of its own in the folder `results` with `.shards` at its end, which
    all workers must see, as they must see the models. Relative paths are those of this process.

    A call that was stopped or killed is made again: what is done stays in the files of the shards. If a worker dies,
    Dask gives its shard to another worker, which goes on where the first one was.

    `shards` is the number of tasks; None stands for eight per thread of the cluster. `command` is the program on the
    workers, and `options` are options of `impasse check` for all jobs.

    Returns the path of the results. Raises `UsageError` if the command line refuses the jobs or the files.
    """
    try:
        import distributed
    except ImportError as error:
        raise ImportError("a Dask client needs `pip install distributed`") from error
    number = _given.optional_whole(shards, "`shards`", 1, 1_000_000)
    if number is None:
        number = 8 * max(1, sum(client.nthreads().values()))
    more = _given.texts(options, "`options`")
    target = Path(results).absolute()
    folder = target.with_name(f"{target.name}.shards")
    folder.mkdir(parents=True, exist_ok=True)
    source, where = os.path.abspath(jobs), os.getcwd()
    files = [folder / f"{i}-of-{number}.jsonl" for i in range(1, number + 1)]
    tasks = [
        client.submit(_run, command, source, f"{i}/{number}", str(file), more, where, pure=False)
        for i, file in enumerate(files, 1)
    ]
    try:
        completed: Any = distributed.as_completed
        for task in completed(tasks):
            task.result()
            # Dask would run it again if the worker that did it dies.
            task.release()
    finally:
        client.cancel(tasks)
    _merge(files, target)
    return target


def _run(command: str, jobs: str, shard: str, results: str, options: list[str], where: str) -> None:
    """Runs a shard in this process of the cluster."""
    line = [command, "batch", jobs, "--shard", shard, "--results", results, "--", *options]
    while True:
        done = subprocess.run(line, cwd=where, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode == 0:
            return
        if done.returncode != _INPUT or _IN_USE not in done.stderr:
            raise _error(done)
        # A worker died, and the process that it started goes on: what is left runs when that has ended.
        time.sleep(0.2)


def _error(done: subprocess.CompletedProcess[str]) -> ImpasseError:
    """The error of a shard that did not end as it should."""
    text = done.stderr.strip() or f"{' '.join(done.args)} ended with exit code {done.returncode}"
    return (UsageError if done.returncode == _INPUT else ImpasseError)(text)


def _merge(files: Sequence[Path], target: Path) -> None:
    """Writes the sorted lines of all shards. The file appears when it is whole."""
    lines = {line for file in files for line in file.read_bytes().splitlines(keepends=True)}
    part = target.with_name(f"{target.name}.part")
    part.write_bytes(b"".join(sorted(lines)))
    os.replace(part, target)
