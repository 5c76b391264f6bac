"""The command of the package does what the native program does."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

STUCK = "rwb 1 event a thread T { state s { request a block a } }\n"
# A counter of 40 bits, which is full after a trillion steps.
ENDLESS = "rwb 1 event carry[40], full check bad thread Marker { body { wait full bad } }\n" + "".join(
    f"thread Bit{i} {{ state zero {{ request carry[{i}] block full, carry[{i + 1}..40] on carry[{i}] -> one }}"
    f" state one {{ request full block carry[{i}] on carry[{i + 1}..40] -> zero }} }}\n"
    for i in range(40)
)
PIPED = ["check", "-", "--input-format", "rwb"]


def installed() -> list[str]:
    """The command that pip has put beside the interpreter."""
    found = shutil.which("impasse", path=str(Path(sys.executable).parent))
    assert found, "pip has installed the command"
    return [found]


def native() -> list[str]:
    tool = os.environ.get("IMPASSE_TOOL")
    if not tool:
        pytest.skip("IMPASSE_TOOL names no command line")
    return [tool]


COMMANDS = {"installed": installed, "module": lambda: [sys.executable, "-m", "impasse_mc"], "native": native}


@pytest.fixture(params=COMMANDS)
def command(request: pytest.FixtureRequest) -> list[str]:
    return COMMANDS[request.param]()


def run(command: list[str], *args: str, text: str = "", **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*command, *args], input=text, capture_output=True, text=True, check=False, **more)  # type: ignore


def test_answers_and_exit_codes(command: list[str]) -> None:
    done = run(command, *PIPED, text=STUCK)
    assert done.returncode == 11 and "deadlock: UNSAFE" in done.stdout, done
    assert run(command, "check").returncode == 64
    assert run(command, "check", "no/such.rwb").returncode == 65
    assert run(command, "--help").stdout.startswith("Decides whether")
    assert re.match(r"impasse \d+\.\d+\.\d+.*lsp", run(command, "--version").stdout)


@pytest.mark.parametrize(
    "words", [["info", "-"], ["explain", "rwb::syntax"], ["draw", "-", "--out", "-", "--format", "mermaid"]]
)
def test_commands_print_what_the_native_program_prints(words: list[str]) -> None:
    more = ["--input-format", "rwb"] if "-" in words else []
    said = [run(make(), *words, *more, text=STUCK) for make in (installed, native)]
    assert said[0].returncode == 0 and said[0].stdout == said[1].stdout


def test_colours_and_closed_pipes(command: list[str]) -> None:
    assert "\x1b[" in run(command, *PIPED, "--color", "always", text=STUCK).stdout
    assert "\x1b[" not in run(command, *PIPED, text=STUCK).stdout
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*command, *PIPED], input=STUCK.encode(), stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert done.returncode in (11, 65) and b"Traceback" not in done.stderr, done


def test_interrupts_and_limits(command: list[str], tmp_path: Path) -> None:
    model = tmp_path / "endless.rwb"
    model.write_text(ENDLESS)
    explicit = ["check", str(model), "--engine", "explicit"]
    assert run(command, *explicit, "--timeout", "300ms").returncode == 31
    # The first interrupt ends the search, and the report says so.
    with subprocess.Popen([*command, *explicit], stdout=subprocess.PIPE, text=True) as process:
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=20)
    assert process.returncode == 130 and "interrupted" in out, (process.returncode, out)


def test_a_check_of_the_language_server_starts_the_command_again(command: list[str]) -> None:
    done = run(command, "lsp", text="")
    assert done.returncode == 1 and "Traceback" not in done.stderr, done


def test_processes_of_the_command_run_nothing_in_the_current_directory(tmp_path: Path) -> None:
    (tmp_path / "model.rwb").write_text(STUCK)
    for name in ("logging.py", "typing.py", "impasse_mc.py"):
        (tmp_path / name).write_text("open('ran', 'w')\n")
    done = run(installed(), "cluster", "run", "--processes", "2", "model.rwb", cwd=tmp_path)
    assert done.returncode == 11 and not (tmp_path / "ran").exists(), done
