"""Tests of `impasse.batch`: ids, the file of results, workers that die, Ctrl-C, Dask."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

import impasse_mc as impasse

sys.path.insert(0, str(Path(__file__).parent))
from batch_helpers import Counter, Deadly, program

from impasse_mc._batch.pool import _Worker
from impasse_mc.batch import BatchProgress, Job, batch, batch_iter

HERE = Path(__file__).parent


def models(number: int) -> list[impasse.Model]:
    """Some models that are all different."""
    return [impasse.Program(program(i, deadlock=i % 4 == 0)) for i in range(number)]


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("processes", [0, 2])
def test_every_job_is_once_in_the_file(tmp_path, processes):
    file = tmp_path / "results.jsonl"
    results = batch(models(40), ask="deadlock", results=file, processes=processes)
    assert sorted(result.index for result in results) == list(range(40))
    assert len({result.id for result in results}) == 40
    assert sorted(line["job"] for line in lines(file)) == sorted(result.id for result in results)
    for result in results.in_order():
        assert result.verdict == ("unsafe" if result.index % 4 == 0 else "safe"), result
        assert list(result.verdicts.values()) == [result.verdict]
        assert result.seconds >= 0 and not result.recorded


def test_processes_agree_with_no_processes(tmp_path):
    jobs = [(model, ask) for model in models(12) for ask in ("deadlock", None)]

    def answers(processes):
        results = batch(jobs, results=None, processes=processes).in_order()
        return [(result.id, result.verdicts) for result in results]

    assert answers(0) == answers(2)


def test_a_second_run_takes_what_is_there(tmp_path):
    file = tmp_path / "results.jsonl"
    first = batch(models(10), results=file, processes=0)
    before = file.read_bytes()
    second = batch(models(14), results=file, processes=0)
    assert [result.recorded for result in second.in_order()] == [True] * 10 + [False] * 4
    assert file.read_bytes().startswith(before) and len(lines(file)) == 14
    for old, new in zip(first.in_order(), second.in_order()):
        assert old.record == new.record


def test_ids_differ_by_model_question_and_options():
    model, other = models(2)
    jobs = [
        model,
        other,
        (model, "deadlock"),
        (model, ["deadlock", "bad"]),
        (model, "deadlock", {"seed": 1}),
        (model, "deadlock", {"seed": 2}),
    ]
    results = batch(jobs, results=None, processes=0)
    assert len({result.id for result in results}) == len(jobs)


def test_ids_do_not_depend_on_the_form_of_the_job(tmp_path):
    model = models(1)[0]
    forms = [
        (model, "deadlock", {"seed": 1, "timeout": 5}),
        {"model": model, "ask": "deadlock", "timeout": 5, "seed": 1},
        {"model": model, "ask": "deadlock", "options": {"timeout": 5}, "seed": 1},
        Job(model, "deadlock", timeout=5, seed=1),
    ]
    results = batch(forms, results=tmp_path / "r", processes=0)
    assert len({result.id for result in results}) == 1
    assert len(lines(tmp_path / "r")) == 1
    defaults = batch([(model, "deadlock")], results=None, processes=0, seed=1, timeout=5)
    assert defaults[0].id == results[0].id


@pytest.mark.parametrize("processes", [0, 2])
def test_equal_jobs_run_once(tmp_path, processes):
    file = tmp_path / "r"
    results = batch(models(3) * 5, results=file, processes=processes)
    assert sorted(result.index for result in results) == list(range(15))
    assert len(lines(file)) == 3
    assert sum(not result.recorded for result in results) == 3


def test_files_are_known_by_content(tmp_path):
    path, copy = tmp_path / "a.json", tmp_path / "b.json"
    path.write_text(json.dumps(program(1)))
    copy.write_text(json.dumps(program(1)))
    first, second = batch([path, str(copy)], results=None, processes=0)
    assert first.id == second.id
    assert [first.name, second.name] == [str(path), str(copy)]
    path.write_text(json.dumps(program(2)))
    assert batch([path], results=None, processes=0)[0].id != first.id


def test_errors_of_input_are_results(tmp_path):
    wrong, missing = tmp_path / "wrong.json", tmp_path / "missing.json"
    wrong.write_text('{"rwb": 2,\n "events": [}')
    file = tmp_path / "r"
    results = batch([wrong, missing, *models(1)], results=file, processes=0).in_order()
    assert [result.reason for result in results] == ["error", "error", None]
    error = results[0].error
    assert error["code"] and error["message"] and error["line"] == 2
    assert {"code", "source", "line", "column", "help"} <= set(error)
    assert results[1].error is not None and results[2].error is None
    again = batch([wrong, missing], results=file, processes=0)
    assert all(result.recorded for result in again)
    wrong.write_text(json.dumps(program(5)))
    assert batch([wrong], results=file, processes=0)[0].error is None


def test_a_torn_last_line_is_cut_off(tmp_path):
    file = tmp_path / "r"
    batch(models(5), results=file, processes=0)
    whole = file.read_bytes()
    for cut in (1, 7, len(lines_of(whole)[-1]) - 1):
        file.write_bytes(whole[:-cut])
        with pytest.warns(RuntimeWarning, match="incomplete"):
            results = batch(models(5), results=file, processes=0)
        assert sum(not result.recorded for result in results) == 1
        assert len(lines(file)) == 5


def lines_of(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


@pytest.mark.parametrize("text", ["my notes", "my notes\n", '{"rwb": 2}', '{"job":"short"}\n'])
def test_another_file_is_not_touched(tmp_path, text):
    file = tmp_path / "notes"
    file.write_text(text)
    with pytest.raises(impasse.UsageError, match="not a file of results"):
        batch(models(1), results=file, processes=0)
    assert file.read_text() == text


def test_two_batches_cannot_share_a_file(tmp_path):
    file = tmp_path / "r"
    running = batch_iter(models(3), results=file, processes=0)
    next(running)
    with pytest.raises(impasse.UsageError, match="in use"):
        batch(models(1), results=file, processes=0)
    running.close()
    assert len(batch(models(3), results=file, processes=0)) == 3
    assert len(lines(file)) == 3


@pytest.mark.parametrize("jobs", [[3], [()], [{"ask": "deadlock"}], [(1, 2, {}, 4)]])
def test_malformed_jobs_are_refused(jobs):
    with pytest.raises(impasse.UsageError):
        batch(jobs, results=None, processes=0)


def test_options_must_have_a_text(tmp_path):
    with pytest.raises(impasse.UsageError, match="progress"):
        batch([Job(models(1)[0], None, {"progress": print})], results=None, processes=0)


def test_a_worker_that_dies_once_is_replaced(tmp_path):
    counter = tmp_path / "counter"
    jobs = models(60)
    jobs.insert(20, Deadly(counter, 1, impasse.Program(program(7))))
    results = batch(jobs, ask="deadlock", results=tmp_path / "r", processes=2)
    assert sorted(result.index for result in results) == list(range(61))
    assert len(lines(tmp_path / "r")) == 61
    assert all(result.verdict != "unknown" for result in results)
    assert counter.read_text() == "xx"


def test_a_job_that_kills_its_worker_twice_is_unknown(tmp_path):
    counter = tmp_path / "counter"
    jobs = models(60)
    jobs.insert(50, Deadly(counter, 9, impasse.Program(program(7))))
    results = batch(jobs, ask="deadlock", results=tmp_path / "r", processes=2)
    bad = results.in_order()[50]
    assert (bad.verdict, bad.reason) == ("unknown", "worker died")
    assert bad.record["attempts"] == 2 and counter.read_text() == "xx"
    assert sum(result.verdict == "unknown" for result in results) == 1
    assert len(lines(tmp_path / "r")) == 61


def test_workers_killed_from_outside(tmp_path):
    import multiprocessing

    seen = []
    killed = 0
    for result in batch_iter(models(3000), ask="deadlock", results=tmp_path / "r", processes=2):
        seen.append(result)
        if len(seen) % 700 == 0:
            workers = [each for each in multiprocessing.active_children() if each.is_alive()]
            os.kill(workers[0].pid, signal.SIGKILL)
            killed += 1
    assert killed >= 4
    assert sorted(result.index for result in seen) == list(range(3000))
    assert len({line["job"] for line in lines(tmp_path / "r")}) == 3000
    assert len(lines(tmp_path / "r")) == 3000
    assert not multiprocessing.active_children()


SCRIPT = """
import sys, time
sys.path[:0] = {path!r}
import impasse_mc as impasse
from batch_helpers import program
def jobs():
    for number in range(10**9):
        yield impasse.Program(program(number))
if __name__ == "__main__":
    try:
        impasse.batch(jobs(), ask="deadlock", results={file!r}, processes={processes})
    except KeyboardInterrupt:
        sys.exit(42)
"""


def script(tmp_path: Path, processes: int, text: str = SCRIPT) -> Path:
    path = tmp_path / "script.py"
    places = [str(HERE.parent), str(HERE)] if (HERE.parent / "impasse/__init__.py").exists() else []
    path.write_text(text.format(path=[*places, str(HERE)], file=str(tmp_path / "r.jsonl"), processes=processes))
    return path


@pytest.mark.parametrize("processes", [0, 2])
def test_ctrl_c_keeps_what_is_done(tmp_path, processes):
    file = tmp_path / "r.jsonl"
    run = subprocess.Popen(
        [sys.executable, str(script(tmp_path, processes))],
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and (not file.exists() or file.stat().st_size < 10**5):
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGINT)
    _, stderr = run.communicate(timeout=20)
    assert run.returncode == 42 and not stderr.strip(), stderr
    with pytest.raises(ProcessLookupError):
        for _ in range(50):
            os.killpg(run.pid, 0)
            time.sleep(0.1)
    done = lines(file)
    assert len(done) > 50 and len({line["job"] for line in done}) == len(done)
    goes_on(file)


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no masks of signals")
@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.1])
def test_ctrl_c_while_a_worker_starts(delay):
    """It ended with a traceback on stderr when Ctrl-C came before its first own line of code."""
    worker = _Worker()
    try:
        time.sleep(delay)
        os.kill(worker.process.pid, signal.SIGINT)
        assert worker.pipe.poll(30) and worker.pipe.recv() == []
        os.kill(worker.process.pid, signal.SIGINT)
        worker.take([])
        worker.pipe.close()
        worker.process.join(30)
        assert worker.process.exitcode == 0
    finally:
        worker.process.kill()
        worker.process.join()
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def goes_on(file: Path) -> None:
    """A further batch takes exactly what is in the file, and adds the rest."""
    text = file.read_bytes()
    done = {line["job"] for line in map(json.loads, text[: text.rfind(b"\n")].splitlines())}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        results = batch(models_of_script(40), ask="deadlock", results=file, processes=0)
    assert all(result.recorded == (result.id in done) for result in results)
    assert sum(result.recorded for result in results) >= 10
    after = [line["job"] for line in lines(file)]
    assert len(after) == len(set(after)) and {result.id for result in results} <= set(after)


def models_of_script(number: int) -> list[impasse.Model]:
    return [impasse.Program(program(i)) for i in range(number)]


def test_a_crash_leaves_a_file_that_can_go_on(tmp_path):
    file = tmp_path / "r.jsonl"
    run = subprocess.Popen([sys.executable, str(script(tmp_path, 2))], start_new_session=True)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and (not file.exists() or file.stat().st_size < 10**5):
        time.sleep(0.05)
    run.send_signal(signal.SIGKILL)
    run.wait()
    goes_on(file)
    for _ in range(100):
        try:
            os.killpg(run.pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.1)
    else:
        pytest.fail("workers outlive the batch")


def test_a_script_without_its_main_line_is_told_so(tmp_path):
    text = SCRIPT.replace('if __name__ == "__main__":', "if True:").replace("10**9", "30")
    run = subprocess.run([sys.executable, str(script(tmp_path, 2, text))], capture_output=True, text=True, timeout=60)
    assert run.returncode == 1
    assert "__main__" in run.stderr.splitlines()[-1]


def test_progress(tmp_path, capsys):
    seen = []

    def note(progress: BatchProgress) -> None:
        seen.append((progress.done, progress.total, progress.recorded))

    batch(models(5), results=tmp_path / "r", processes=0, progress=note)
    assert [done for done, _, _ in seen] == [1, 2, 3, 4, 5] and seen[0][1] == 5
    batch(models(5), results=tmp_path / "r", processes=0, progress=True)
    assert "5/5 jobs" in capsys.readouterr().err


def test_other_errors_end_the_batch(tmp_path):
    for processes in (0, 1):
        with pytest.raises(Exception) as caught:
            batch([(models(1)[0], None, {"no_such_option": 1})], results=None, processes=processes)
        assert "no_such_option" in str(caught.value)


def test_results_have_a_table(tmp_path):
    pandas = pytest.importorskip("pandas")
    missing = tmp_path / "missing.rwb"
    frame = batch([*models(3), missing], ask="deadlock", results=None, processes=0).to_frame()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 4
    assert list(frame["index"]) == [0, 1, 2, 3]
    assert list(frame["verdict"]) == ["unsafe", "safe", "safe", "unknown"]


def test_results_are_neither_true_nor_false():
    with pytest.raises(TypeError):
        bool(batch(models(1), results=None, processes=0)[0])


def test_dask_with_workers_killed_on_the_way(tmp_path):
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        seen = []
        for result in batch_iter(models(2000), ask="deadlock", results=tmp_path / "r", client=client):
            seen.append(result)
            if len(seen) in (500, 1200):
                pids = client.run(os.getpid)
                os.kill(next(iter(pids.values())), signal.SIGKILL)
    assert sorted(result.index for result in seen) == list(range(2000))
    done = [line["job"] for line in lines(tmp_path / "r")]
    assert len(set(done)) == len(done) == 2000
    assert all(result.verdict != "unknown" for result in seen)


# With one worker every task that waits is lost with the one that runs, again and again.
@pytest.mark.parametrize("workers", [1, 2])
def test_dask_with_a_job_that_kills_its_workers(tmp_path, workers):
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    dask = pytest.importorskip("dask")
    counter = tmp_path / "counter"
    jobs = models(30)
    jobs.insert(10, Deadly(counter, 99, impasse.Program(program(7))))
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        results = batch(jobs, ask="deadlock", results=tmp_path / "r", client=client)
    assert sorted(result.index for result in results) == list(range(31))
    assert len(lines(tmp_path / "r")) == 31
    bad = results.in_order()[10]
    assert (bad.verdict, bad.reason) == ("unknown", "worker died")
    assert sum(result.verdict == "unknown" for result in results) == 1


class OneWorker:
    """A Dask client with one worker. The job named "deadly" kills it, and all tasks that wait are lost with it."""

    def __init__(self) -> None:
        self.waiting: list[OneWorker.Task] = []

    class Task:
        """A task that was handed out. It is its own future."""

        def __init__(self, function, jobs) -> None:
            self.function, self.jobs, self.lost = function, jobs, False
            self.deadly = any(pickle.loads(job)[1] == "deadly" for job in jobs)

        def result(self):
            if self.lost:
                raise pytest.importorskip("distributed").KilledWorker("task", None, 0)
            return self.function(self.jobs)

    def nthreads(self):
        return {"tcp://worker": 2}

    def submit(self, function, jobs, **_):
        return self.Task(function, jobs)

    def cancel(self, tasks, force):
        self.waiting.clear()

    def add(self, task):
        self.waiting.append(task)

    def __next__(self):
        if self.waiting[0].deadly:
            for task in self.waiting:
                task.lost = True
        return self.waiting.pop(0)


def test_a_job_that_waits_beside_a_deadly_one_is_answered(monkeypatch):
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    client = OneWorker()
    monkeypatch.setattr(distributed, "as_completed", lambda: client)
    jobs = [Job(model, "deadlock") for model in models(20)]
    jobs.insert(5, Job(impasse.Program(program(50)), "deadlock", name="deadly"))
    results = batch(jobs, results=None, client=client).in_order()
    assert [result.name for result in results if result.verdict == "unknown"] == ["deadly"]
    assert results[5].record["reason"] == "worker died"


def test_a_client_and_processes_exclude_each_other():
    with pytest.raises(impasse.UsageError):
        batch(models(1), results=None, client=object(), processes=2)


def test_the_overhead_of_a_job_is_small(monkeypatch):
    """The processor time of the whole path without the check itself; the aim is 30 us."""
    jobs = [(model, "deadlock") for model in models(3000)]
    outcome = impasse.check(jobs[0][0], "deadlock")
    monkeypatch.setattr(impasse, "check", lambda *_, **__: outcome)
    best = min(_time(jobs) for _ in range(3))
    print(f"{best * 1e6:.1f} us for each job")
    assert best < 60e-6


def _time(jobs: list) -> float:
    begin = time.process_time()
    batch(jobs, results=None, processes=0)
    return (time.process_time() - begin) / len(jobs)


# What a tester found.


@pytest.mark.parametrize("jobs", ["a.rwb", Path("a.rwb"), b"a.rwb", {"model": "a.rwb"}, impasse.Net(), Job("a.rwb"), 3])
def test_one_job_is_no_list_of_jobs(jobs):
    with pytest.raises(impasse.UsageError, match="a list"):
        batch(jobs, results=None, processes=0)


@pytest.mark.parametrize(
    "options",
    [
        {"timout": 3},
        {"timeout": "10"},
        {"seed": -1},
        {"ends": "x"},
        {"processes": -1},
        {"progress": "tqdm"},
        {"ask": 3},
    ],
)
def test_mistakes_in_options_are_told_before_anything_runs(tmp_path, options):
    file = tmp_path / "r"
    with pytest.raises(impasse.UsageError, match=next(iter(options))):
        batch(models(2), results=file, **{"processes": 0, **options})
    with pytest.raises(impasse.UsageError):
        batch_iter(models(2), results=file, **{"processes": 0, **options})
    assert not file.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        Job("a", None, {"timout": 3}),
        ("a", None, {"timeout": "3"}),
        ("a", 3),
        ("a", None, 3),
        {"model": "a", "nme": "x"},
        {"ask": "deadlock"},
        3,
    ],
)
def test_mistakes_in_one_job_of_a_list_are_told_before_anything_runs(tmp_path, wrong):
    with pytest.raises(impasse.UsageError, match="job 2"):
        batch([*models(2), wrong], results=tmp_path / "r", processes=0)
    assert not (tmp_path / "r").exists()


def test_integers_of_numpy_are_options():
    numpy = pytest.importorskip("numpy")
    first, second = (batch(models(1), results=None, processes=0, seed=kind(3))[0] for kind in (int, numpy.int64))
    assert first.id == second.id and first.verdict == second.verdict


@pytest.mark.parametrize("processes", [0, 1])
def test_answers_about_systems_in_python_are_not_taken_from_the_file(tmp_path, monkeypatch, processes):
    file = tmp_path / "r"
    first = batch([Counter(), Counter()], results=file, processes=processes)
    assert [result.verdict for result in first] == ["safe"] * 2 and len({result.id for result in first}) == 2
    assert len(lines(file)) == 2
    if processes == 0:
        monkeypatch.setattr(Counter, "limit", 6)
    (second,) = batch([Counter()], results=file, processes=processes)
    assert not second.recorded and second.verdict == ("unsafe" if processes == 0 else "safe")


def test_systems_with_a_key_are_known_by_it(tmp_path):
    file = tmp_path / "r"
    batch([Job(Counter(), key="limit 3")], results=file, processes=0)
    jobs = [
        Job(Counter(), key="limit 3"),
        {"model": Counter(), "key": "limit 4"},
        Job(Counter(), "five", key="limit 3"),
    ]
    assert [result.recorded for result in batch(jobs, results=file, processes=0).in_order()] == [True, False, False]


def test_a_model_that_cannot_be_sent_is_an_error_of_its_job(tmp_path):
    class Local(Counter):
        pass

    file = tmp_path / "r"
    results = batch([*models(2), Local(), *models(1)], ask=None, results=file, processes=1).in_order()
    assert [result.reason for result in results] == [None, None, "error", None]
    assert results[2].error["code"] == "pickle" and "processes=0" in results[2].error["message"]
    assert batch([Local()], results=file, processes=0)[0].verdict == "safe"


class Unreadable(impasse.Net):
    """A net that cannot be read from its pickle in another process."""

    def __setstate__(self, state):
        raise LookupError("no such thing")


def test_a_model_that_a_process_cannot_read_is_an_error_of_its_job(tmp_path):
    net = Unreadable()
    net.place("p")
    jobs = [(model, "deadlock") for model in models(3)]
    jobs.insert(1, (net, "deadlock"))
    results = batch(jobs, results=tmp_path / "r", processes=1).in_order()
    assert [result.reason for result in results] == [None, "error", None, None]
    assert results[1].error["code"] == "pickle"
    # The next batch does not take this answer, which is about the processes.
    again = batch(jobs, results=tmp_path / "r", processes=0).in_order()
    assert [result.recorded for result in again] == [True, False, True, True] and again[1].reason is None


def test_a_circuit_without_a_next_value_is_an_error_of_its_job():
    circuit = impasse.Circuit()
    circuit.latch("l")
    results = batch([circuit, *models(1)], results=None, processes=0).in_order()
    assert [result.reason for result in results] == ["error", None]
    assert "no next value" in results[0].error["message"]


def test_a_torn_line_in_the_middle_is_told_with_its_number(tmp_path):
    file = tmp_path / "r"
    batch(models(4), results=file, processes=0)
    text = lines_of(file.read_bytes())
    for torn in (text[1][:-9] + b"\n", text[1][:-30]):
        damaged = b"".join([text[0], torn, *text[2:]])
        file.write_bytes(damaged)
        with pytest.raises(impasse.UsageError, match=r"r: line 2 is torn"):
            batch(models(4), results=file, processes=0)
        assert file.read_bytes() == damaged
