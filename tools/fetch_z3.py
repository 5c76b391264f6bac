"""Puts the Z3 library of the Python package z3-solver under cargo's target directory and prints where it is.

Usage: fetch_z3.py VERSION. Called by tools/pkg-config-z3; several build scripts may call it at the same time. On failure
one line on standard error says why.

The library lies in TARGET/z3-VERSION, once. Each profile's directory has a link to it, and a build script is told the link:
cargo puts only paths inside the profile's directory on the loader's path for `cargo test` and `cargo run`.
"""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

try:
    import fcntl
except ImportError:  # not a Unix; the renaming below is then the only guard
    fcntl = None


class Failure(Exception):
    """Why there is no library, in one line."""


def directories():
    """Cargo's target directory and, in a build script, the profile's directory in it."""
    if "OUT_DIR" in os.environ:
        # TARGET_DIRECTORY[/TRIPLE]/PROFILE/build/PACKAGE-HASH/out
        for parent in pathlib.Path(os.environ["OUT_DIR"]).parents:
            if parent.name == "build":
                profile = parent.parent
                above = profile.parent
                has_triple = above.name == os.environ.get("TARGET")
                return (above.parent if has_triple else above), profile
    root = pathlib.Path(__file__).resolve().parent.parent
    return pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or root / "target").absolute(), None


@contextlib.contextmanager
def locked(path):
    """Holds a lock that ends with the process, whatever happens to it."""
    with open(path, "w", encoding="utf-8") as file:
        if fcntl:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def download(version, directory):
    """Downloads the package for this machine; the path of the wheel."""
    pip = [sys.executable, "-m", "pip"]
    if subprocess.run(pip + ["--version"], capture_output=True, check=False).returncode != 0:
        raise Failure("python3 has no pip")
    options = ["--quiet", "--no-input", "--disable-pip-version-check", "--retries", "2"]
    what = ["--no-deps", "--only-binary=:all:", "--dest", str(directory), f"z3-solver=={version}"]
    result = subprocess.run(pip + ["download"] + options + what, capture_output=True, text=True, check=False)
    wheels = sorted(directory.glob("*.whl"))
    if result.returncode != 0 or not wheels:
        lines = [line for line in result.stderr.splitlines() if line.strip()]
        raise Failure("pip cannot download it: " + (lines[-1].strip() if lines else "no reason given"))
    return wheels[0]


def unpack(wheel, directory):
    """Extracts libraries and headers. The wheel holds the library under several names: one file, the others links."""
    directory.mkdir()
    (directory / "include").mkdir()
    first_name = {}
    with zipfile.ZipFile(wheel) as archive:
        # Longest name first, so that libz3.so.5.3 (the name that programs load) is the file.
        for member in sorted(archive.infolist(), key=lambda m: -len(m.filename)):
            folder, _, name = member.filename.rpartition("/")
            if not name or folder not in ("z3/lib", "z3/bin", "z3/include"):
                continue
            path = directory / "include" / name if folder == "z3/include" else directory / name
            content = (member.CRC, member.file_size)
            if folder == "z3/lib" and content in first_name and hasattr(os, "symlink"):
                path.symlink_to(first_name[content])
                continue
            with archive.open(member) as source, open(path, "wb") as sink:
                shutil.copyfileobj(source, sink)
            # The wheel's time, not now: cargo must not take the library for changed after the script that made it.
            made = time.mktime(member.date_time + (0, 0, -1))
            os.utime(path, (made, made))
            first_name[content] = name
    if not any(directory.glob("*z3*")):
        raise Failure(f"no library in {wheel.name}")


def fetch(version, target):
    """The directory with the library of this version."""
    home = target / f"z3-{version}"
    if home.is_dir():
        return home
    target.mkdir(parents=True, exist_ok=True)
    with locked(target / f".z3-{version}.lock"):
        if not home.is_dir():
            with tempfile.TemporaryDirectory(prefix=f".z3-{version}-", dir=target) as scratch:
                scratch = pathlib.Path(scratch)
                unpack(download(version, scratch), scratch / "z3")
                # The directory appears complete or not at all, also when this process is killed.
                os.rename(scratch / "z3", home)
    return home


def linked(home, profile):
    """A link to `home` in the profile's directory; relative, so that the target directory can be moved."""
    link = profile / home.name
    with contextlib.suppress(FileExistsError):
        link.symlink_to(os.path.relpath(home, profile), target_is_directory=True)
    return link


def main():
    """Prints the directory or why there is none."""
    try:
        target, profile = directories()
        home = fetch(sys.argv[1], target)
        print(linked(home, profile) if profile else home)
    except (Failure, OSError, zipfile.BadZipFile) as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    main()
