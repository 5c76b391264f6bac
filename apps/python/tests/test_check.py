"""Checks: verdicts, runs, evidence, options, limits, errors."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import impasse_mc as impasse


def test_answers_come_in_the_order_asked(mutex: impasse.Net) -> None:
    outcome = impasse.check(mutex, ["AG busy <= 1", "deadlock", "two: EF idle <= 1"])
    assert [(a.id, a.answer) for a in outcome] == [
        ("ask:1", "safe"),
        ("deadlock", "safe"),
        ("two", "unreachable"),
    ]
    assert outcome.verdict == "safe"
    assert outcome["two"].asked == "EF"


def test_a_run_has_steps_and_states(stuck: impasse.Model) -> None:
    outcome = impasse.check(stuck, "deadlock")
    run = outcome[0].run
    assert run is not None
    assert run.events == ["a"]
    assert run[0].requested_by == ["A"]
    assert run[0].changes == {"A": ("s", "t"), "B": ("s", "t")}
    assert run.initial == {"A": "s", "B": "s"}
    assert run.final == run[-1].state == {"A": "t", "B": "t"}
    assert run.repeats_from is None and run.is_complete
    with pytest.raises(IndexError):
        run.state(2)


def test_states_of_long_runs_are_those_of_a_replay_by_hand() -> None:
    net = impasse.Net()
    net.place("p", 1000), net.place("q")
    net.transition("t", {"p": 1}, {"q": 1})
    run = impasse.check(net, "EF q >= 700")[0].run
    assert run is not None and len(run) == 700
    for steps in (0, 1, 255, 256, 257, 600, 3, 700):
        assert run.state(steps) == {"p": 1000 - steps, "q": steps}
    assert [step.state["q"] for step in run] == list(range(1, 701))


def test_lassos_say_where_they_repeat() -> None:
    text = """rwb 1 event a event b
    thread T { state s { request a on a -> t } state t { request b on b -> t } }"""
    answer = impasse.check(impasse.loads(text, "rwb"), "G (F a)")[0]
    assert answer.verdict == "unsafe"
    assert answer.run is not None and answer.run.repeats_from is not None
    assert "for ever" in str(answer.run)


def test_an_outcome_is_no_truth_value(mutex: impasse.Net) -> None:
    outcome = impasse.check(mutex, "deadlock")
    with pytest.raises(TypeError, match="unknown"):
        bool(outcome)
    with pytest.raises(TypeError, match="unknown"):
        bool(outcome[0])
    with pytest.raises(KeyError, match="the questions are deadlock"):
        outcome["bad"]


def test_evidence_is_replayed_and_damage_is_refused(mutex: impasse.Net, tmp_path: Path) -> None:
    outcome = impasse.check(mutex, ["AG busy <= 1", "EF busy >= 1"])
    assert outcome.replay()
    paths = outcome.save_evidence(tmp_path)
    assert len(paths) == 2 and all(path.is_file() for path in paths)
    replayed = impasse.replay(mutex, paths[1], ["AG busy <= 1", "EF busy >= 1"])
    assert replayed == (True, "unsafe", ["ask:2"], None)
    damaged = paths[1].read_bytes().replace(b"enter", b"leave")
    refused = impasse.replay(outcome, damaged)
    assert not refused.accepted and refused.verdict is None and refused.why
    with pytest.raises(impasse.InputError):
        impasse.replay(outcome, b"{}")


def test_evidence_is_accepted_by_the_command_line(mutex: impasse.Net, tmp_path: Path) -> None:
    tool = os.environ.get("IMPASSE_TOOL")
    if tool is None:
        pytest.skip("IMPASSE_TOOL names no command line")
    model = tmp_path / "mutex.pnml"
    model.write_bytes(mutex.write("pnml"))
    loaded = impasse.load(model)
    path = impasse.check(loaded, "AG busy <= 1").save_evidence(tmp_path)[0]
    done = subprocess.run([tool, "replay", model, path, "--ask", "AG busy <= 1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("ACCEPTED")


def test_outcomes_survive_pickling(mutex: impasse.Net, stuck: impasse.Model) -> None:
    for model, ask in ((mutex, ["AG busy <= 1", "EF busy >= 1"]), (stuck, "deadlock")):
        outcome = impasse.check(model, ask)
        copy = pickle.loads(pickle.dumps(outcome))
        assert copy.to_dict(runs=True) == outcome.to_dict(runs=True)
        assert copy.replay()
        assert copy.model == model and copy.model.digest() == model.digest()


def test_records_fit_the_schema_of_reports(mutex: impasse.Net, stuck: impasse.Model) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    path = Path(__file__).resolve().parents[3] / "docs" / "report.schema.json"
    schema = json.loads(path.read_text())
    answer = dict(schema["$defs"]["property"], **{"$defs": schema["$defs"]})
    for outcome in (impasse.check(mutex, ["AG busy <= 1", "EF busy >= 1"]), impasse.check(stuck)):
        for record in outcome.to_dict(runs=True)["properties"]:
            jsonschema.validate(record, answer)
        assert json.loads(outcome.to_json(runs=True))["model"]["kind"] in ("net", "program")


def test_frames_have_a_row_for_each_answer(mutex: impasse.Net) -> None:
    pytest.importorskip("pandas")
    frame = impasse.check(mutex, ["AG busy <= 1", "EF busy >= 1"]).to_frame()
    assert list(frame["answer"]) == ["safe", "reachable"]


def test_time_limits_hold(endless: impasse.Model) -> None:
    begun = time.monotonic()
    answer = impasse.check(endless, "deadlock", engine="explicit", timeout=0.3)[0]
    assert time.monotonic() - begun < 5
    assert (answer.verdict, answer.reason) == ("unknown", "timeout")
    assert answer.run is None and answer.evidence is None


def test_memory_limits_hold(endless: impasse.Model) -> None:
    answer = impasse.check(endless, "deadlock", engine="explicit", memory="30M", timeout=60)[0]
    assert (answer.verdict, answer.reason) == ("unknown", "memory")


def test_the_lock_of_the_interpreter_is_released(endless: impasse.Model) -> None:
    count = 0

    def work() -> None:
        nonlocal count
        while not done.is_set():
            count += 1

    done = threading.Event()
    thread = threading.Thread(target=work)
    thread.start()
    try:
        impasse.check(endless, "deadlock", engine="explicit", timeout=0.5)
    finally:
        done.set()
        thread.join()
    assert count > 1000


def test_signals_end_a_check(endless: impasse.Model) -> None:
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        impasse.check(endless, "deadlock", engine="explicit", timeout=60)
    timer.join()
    assert time.monotonic() - begun < 10
    assert impasse.check(endless, "deadlock", engine="explicit", timeout=0.1).verdict == "unknown"


def test_progress_is_reported(endless: impasse.Model) -> None:
    seen: list[impasse.Progress] = []
    impasse.check(endless, "deadlock", engine="explicit", timeout=0.4, progress=seen.append)
    assert seen and seen[-1].engine == "explicit"
    assert [p.states for p in seen] == sorted(p.states for p in seen)
    assert seen[-1].seconds > 0.2


def test_exceptions_of_the_progress_function_end_the_check(endless: impasse.Model) -> None:
    def fail(progress: impasse.Progress) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        impasse.check(endless, "deadlock", engine="explicit", timeout=60, progress=fail)


@pytest.mark.parametrize("bar", ["tqdm", "rich"])
def test_bars_are_shown(endless: impasse.Model, bar: str) -> None:
    pytest.importorskip(bar)
    outcome = impasse.check(endless, "deadlock", engine="explicit", timeout=0.2, progress=bar)
    assert outcome.verdict == "unknown"


def test_checks_in_the_event_loop(endless: impasse.Model, mutex: impasse.Net) -> None:
    async def both() -> tuple[str, str]:
        slow = asyncio.create_task(impasse.check_async(endless, "deadlock", engine="explicit", timeout=60))
        quick = await impasse.check_async(mutex, "deadlock")
        await asyncio.sleep(0.1)
        slow.cancel()
        try:
            await slow
        except asyncio.CancelledError:
            return quick.verdict, "cancelled"
        return quick.verdict, "not cancelled"

    begun = time.monotonic()
    assert asyncio.run(both()) == ("safe", "cancelled")
    assert time.monotonic() - begun < 20


def test_a_forked_process_can_check(stuck: impasse.Model) -> None:
    if not hasattr(os, "fork"):
        pytest.skip("no fork")
    impasse.check(stuck, "deadlock")
    child = os.fork()
    if child == 0:
        verdict = impasse.check(stuck, "deadlock").verdict
        os._exit(0 if verdict == "unsafe" else 1)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the child hangs")


def test_forks_while_others_check(stuck: impasse.Model) -> None:
    """No lock of the extension may be held when a process forks: 150 forks beside three checking threads."""
    code = """if True:
        import impasse_mc as impasse, os, signal, threading, time
        net = impasse.Net(); net.place("p", 2); net.place("q"); net.transition("t", {"p": 1}, {"q": 1})
        done = threading.Event()
        def work():
            while not done.is_set(): impasse.check(net, "EF q >= 2")
        threads = [threading.Thread(target=work) for _ in range(3)]
        [t.start() for t in threads]
        hangs = 0
        for _ in range(150):
            child = os.fork()
            if child == 0:
                os._exit(0 if impasse.check(net, "EF q >= 2").verdict == "unsafe" else 1)
            end = time.monotonic() + 20
            while True:
                pid, status = os.waitpid(child, os.WNOHANG)
                if pid: break
                if time.monotonic() > end:
                    os.kill(child, signal.SIGKILL); os.waitpid(child, 0); hangs += 1; break
                time.sleep(0.001)
            else: pass
        done.set(); [t.join() for t in threads]
        print(hangs)
    """
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "0", done.stdout + done.stderr


def test_checks_in_many_threads(stuck: impasse.Model, mutex: impasse.Net) -> None:
    verdicts: list[str] = []

    def work(seed: int) -> None:
        draw = random.Random(seed)
        for _ in range(20):
            model = draw.choice([stuck, mutex])
            verdicts.append(f"{model.name} {impasse.check(model, 'deadlock').verdict}")

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(verdicts) == 120
    assert set(verdicts) == {"stuck.rwb unsafe", "mutex safe"}


def test_mistakes_have_place_code_and_help(tmp_path: Path, mutex: impasse.Net) -> None:
    path = tmp_path / "lock.rwb"
    path.write_text("rwb 1\nevent take\nthread T { state s { block tale } }\n")
    with pytest.raises(impasse.InputError) as caught:
        impasse.check(path)
    error = caught.value
    assert (error.code, error.line, error.column) == ("rwb::undeclared-event", 3, 28)
    assert error.source == str(path) and error.help is not None and "take" in error.help
    assert isinstance(error, (impasse.ImpasseError, ValueError))
    with pytest.raises(impasse.InputError) as caught:
        impasse.check(mutex, "AG bus <= 1")
    assert caught.value.source == "--ask" and "busy" in str(caught.value)
    with pytest.raises(impasse.InputError) as caught:
        impasse.Program({"rwb": 2, "events": ["a"], "threads": [{"name": "T", "states": [{}]}]})
    assert caught.value.diagnostics[0].pointer is not None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "nonsense"}, "no engine `nonsense`"),
        ({"engine": "dpllt.x"}, "no engine"),
        ({"engine": "symbolic"}, "is not for a net"),
        ({"timeout": -1}, "timeout"),
        ({"memory": "lots"}, "memory"),
        ({"jobs": 0}, "jobs"),
        ({"patterns": ["loops"]}, "behavioral programs"),
        ({"trust": ["loops"]}, "behavioral programs"),
        ({"ends": "proper"}, "ends"),
        ({"progress": "colourful"}, "progress"),
        ({"properties": ["bad"]}, "bad"),
    ],
)
def test_options_that_do_not_fit(mutex: impasse.Net, options: dict, message: str) -> None:
    with pytest.raises(impasse.UsageError, match=message):
        impasse.check(mutex, "deadlock", **options)


def test_a_model_without_questions_needs_one(mutex: impasse.Net) -> None:
    with pytest.raises(impasse.UsageError, match="asks nothing"):
        impasse.check(mutex)


def test_every_example_has_the_answers_of_the_command_line(examples: Path) -> None:
    tool = os.environ.get("IMPASSE_TOOL")
    if tool is None:
        pytest.skip("IMPASSE_TOOL names no command line")
    compared = 0
    for path in sorted(examples.iterdir()):
        if path.suffix not in (".rwb", ".pnml", ".tts", ".spec", ".aag", ".c", ".js"):
            continue
        shown = subprocess.run([tool, "check", path, "--format", "json"], capture_output=True, text=True)
        report = json.loads(shown.stdout)
        wanted = (
            [(p["id"], p["verdict"], p["asked"]) for p in report["files"][0]["properties"]]
            if "files" in report
            else [(p["id"], p["verdict"], p["asked"]) for p in report["properties"]]
        )
        if not wanted:
            continue
        found = [(a.id, a.verdict, a.asked) for a in impasse.check(path)]
        assert found == wanted, path
        compared += 1
    assert compared >= 10


def test_z3_is_that_of_its_package() -> None:
    pytest.importorskip("z3")
    # A process of its own: this one may have loaded the library that IMPASSE_Z3 names.
    code = """
import impasse_mc as impasse, sys, z3
print(".".join(str(part) for part in z3.get_version()[:3]), impasse.z3_version())
if sys.platform.startswith("linux"):
    print(len({line.split()[-1] for line in open("/proc/self/maps") if "libz3" in line}))
"""
    env = {name: value for name, value in os.environ.items() if name != "IMPASSE_Z3"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    package, loaded, *copies = done.stdout.split()
    assert package == loaded, done.stderr
    assert copies in ([], ["1"])  # only Linux lists the libraries of a process in a file


def test_without_z3_only_what_needs_it_is_unknown(tmp_path: Path) -> None:
    code = """
import impasse_mc as impasse
print(impasse.z3_version())
print(impasse.loads("rwb 1 event a thread T { state s { block a } }", "rwb").check("bad").verdict)
"""
    for named in (tmp_path, tmp_path / "libz3.so"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "IMPASSE_Z3": str(named)},
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stdout.split()) == (0, ["None", "safe"]), done.stderr


# What a tester found.


def test_the_model_of_an_outcome_is_the_one_that_was_checked() -> None:
    net = impasse.Net()
    net.place("p", 1), net.place("q")
    net.transition("t", {"p": 1}, {"q": 1})
    outcome = impasse.check(net, ["AG p + q <= 1", "EF q >= 1"])
    net.transition("more", {}, {"q": 1})
    assert [t.name for t in outcome.model.transitions] == ["t"]
    assert outcome.replay() and pickle.loads(pickle.dumps(outcome)).replay()
    assert outcome.to_dict()["model"]["transitions"] == 1
    assert impasse.check(net, "AG p + q <= 1").verdict == "unsafe"


# A mixture of branching and linear time: of CTL*, neither CTL nor LTL.
MIXED = "A(G(F(busy = 0)) AND E(F busy = 1))"


def test_an_outcome_without_evidence_does_not_replay(mutex: impasse.Net) -> None:
    assert impasse.check(mutex, MIXED).replay() is False
    assert impasse.check(mutex, [MIXED, "AG busy <= 1"]).replay() is True


def test_questions_that_are_not_supported_say_why(mutex: impasse.Net) -> None:
    outcome = impasse.check(mutex, [f"x: {MIXED}", "AG busy <= 1", MIXED])
    assert [answer.verdict for answer in outcome] == ["unknown", "safe", "unknown"]
    assert [warning.code for warning in outcome.warnings] == ["lola::not-reachability"] * 2
    for answer in (outcome[0], outcome[2]):
        assert answer.reason == "unsupported" and answer.detail
    assert outcome[1].detail is None
    assert str(outcome).count("warning: --ask:1:") == 2
    assert impasse.check(mutex, "AG busy <= 1").warnings == []


def test_formulas_of_branching_time_and_largest_values_have_evidence(mutex: impasse.Net) -> None:
    outcome = impasse.check(mutex, ["AG EF busy = 0", "EF AG busy = 0", "MAX busy", "AG busy <= 1"])
    assert [answer.answer for answer in outcome] == ["safe", "fails", "value", "safe"]
    assert [answer.value for answer in outcome] == [None, None, 1, None]
    assert outcome.replay()


def test_names_of_own_questions_are_questions() -> None:
    circuit = impasse.Circuit()
    latch = circuit.latch("l")
    circuit.next(latch, ~latch)
    circuit.bad("three", latch), circuit.bad("a:b", False)
    assert [answer.id for answer in impasse.check(circuit, "three")] == ["three"]
    outcome = impasse.check(circuit, ["a:b", "three"])
    assert [(answer.id, answer.verdict) for answer in outcome] == [("a:b", "safe"), ("three", "unsafe")]
    evidence = outcome["three"].evidence
    assert evidence is not None and impasse.replay(circuit, evidence.text(), "three").accepted


@pytest.mark.parametrize("name", ["bad", "final", "deadlock", "target"])
def test_reserved_names_before_formulas_are_no_ids(mutex: impasse.Net, name: str) -> None:
    with pytest.raises(impasse.InputError, match=f"`{name}` has a fixed meaning"):
        impasse.check(mutex, f"{name}: EF busy >= 1")
    assert impasse.check(mutex, "hot: EF busy >= 1")["hot"].answer == "reachable"


WRONG = [
    {option: value}
    for option, values in {
        "timeout": ("10", -1, float("nan"), True, [1]),
        "memory": (1.5, -1, 10**30, "many", True, 0, "99999999999999999999T"),
        "jobs": (0, -1, 10**30, 1.0, "2", None, True),
        "bound": (-1, 10**30, 1.5, "3"),
        "seed": (-1, 10**30, None, 0.5),
        "shortest": (1, "yes", None),
        "explore_all": (0,),
        "engine": (3, b"ic3", ["ic3"]),
        "ends": ("other", None, 3),
        "init": (3,),
        "final": ({"p": 1},),
        "patterns": (3, [3]),
        "trust": (3, [None]),
        "fair": (3,),
        "ask": (3, [None], b"deadlock"),
        "properties": (3,),
        "progress": (3, "bar"),
    }.items()
    for value in values
]


@pytest.mark.parametrize("options", WRONG, ids=str)
def test_arguments_of_a_wrong_type_or_size_are_named(mutex: impasse.Net, options: dict) -> None:
    with pytest.raises(impasse.UsageError, match=f"`{next(iter(options))}`"):
        impasse.check(mutex, **{"ask": "deadlock", **options})


def test_numbers_of_numpy_are_arguments(mutex: impasse.Net) -> None:
    numpy = pytest.importorskip("numpy")
    outcome = impasse.check(
        mutex,
        "AG busy <= 1",
        timeout=numpy.float32(10),
        memory=numpy.int64(1 << 30),
        jobs=numpy.int32(1),
        seed=numpy.uint64(3),
        explore_all=numpy.bool_(False),
    )
    assert outcome.verdict == "safe"


def test_evidence_is_a_text_or_a_path(mutex: impasse.Net, tmp_path: Path) -> None:
    outcome = impasse.check(mutex, "AG busy <= 1")
    (path,) = outcome.save_evidence(tmp_path)
    text = path.read_bytes()
    for evidence in (path, str(path), text, bytearray(text), text.decode(), "\n" + text.decode()):
        assert impasse.replay(outcome, evidence).accepted
    for wrong in (3, None, [text], outcome[0].evidence):
        with pytest.raises(impasse.UsageError, match="`evidence`"):
            impasse.replay(outcome, wrong)
    with pytest.raises(impasse.UsageError, match="`model`"):
        impasse.replay("model.pnml", text)
    with pytest.raises(impasse.UsageError, match="`model`"):
        impasse.check(3, "deadlock")


@pytest.mark.parametrize("progress", [True, "tqdm", "rich", None, False])
def test_bars_of_checks_in_an_event_loop(mutex: impasse.Net, progress: object) -> None:
    if isinstance(progress, str):
        pytest.importorskip(progress)
    outcome = asyncio.run(impasse.check_async(mutex, "AG busy <= 1", progress=progress))
    assert outcome.verdict == "safe"
    with pytest.raises(impasse.UsageError, match="`progress`"):
        asyncio.run(impasse.check_async(mutex, "AG busy <= 1", progress=3))


def test_bridges_are_imported_when_they_are_used() -> None:
    text = """
import impasse_mc as impasse, sys
assert "impasse_mc.pm4py" not in sys.modules and {"pm4py", "bppy"} <= set(dir(impasse))
net = impasse.Net()
net.place("a", 1), net.place("b"), net.transition("t", {"a": 1}, {"b": 1})
net.final = {"b": 1}
print(impasse.pm4py.check_soundness(net).verdict, impasse.bppy.__name__)
try:
    impasse.other
except AttributeError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert run.stdout.splitlines() == ["sound impasse_mc.bppy", "module 'impasse_mc' has no attribute 'other'"], (
        run.stderr
    )
