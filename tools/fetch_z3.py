"""Puts the Z3 library of the Python package z3-solver into cargo's target directory and prints its directory.

Usage: fetch_z3.py VERSION. Called by tools/pkg-config-z3; several build scripts may call it at the same time. On
failure it prints the reason as one line on standard error.

There is one copy of the library, in TARGET/z3-VERSION. Each profile's directory has a link to it, and build scripts
get the path of the link, because cargo adds only paths inside the profile's directory to the loader's path of
`cargo test` and `cargo run`.
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
except ImportError:  # no Unix; then only the renaming below protects against other processes
    fcntl = None


class Failure(Exception):
    """The reason why there is no library, in one line."""


def directories():
    """Returns cargo's target directory and, in a build script, the profile's directory in it."""
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
    """Holds a lock that is released when the process ends, even if it is killed."""
    with open(path, "w", encoding="utf-8") as file:
        if fcntl:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def download(version, directory):
    """Downloads the package for this machine. Returns the path of the wheel."""
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
    """Extracts libraries and headers. It has several names in the wheel: one becomes a file, the others links."""
    directory.mkdir()
    (directory / "include").mkdir()
    first_name = {}
    with zipfile.ZipFile(wheel) as archive:
        # The longest name comes first, so that libz3.so.5.3, which programs load, is the file.
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
            # Files get the times in the wheel. With the current time, cargo would treat the library as newer
            # than the build script.
            made = time.mktime(member.date_time + (0, 0, -1))
            os.utime(path, (made, made))
            first_name[content] = name
    if not any(directory.glob("*z3*")):
        raise Failure(f"no library in {wheel.name}")


def fetch(version, target):
    """Returns the directory of this version of the library, after a download if necessary."""
    home = target / f"z3-{version}"
    if home.is_dir():
        return home
    target.mkdir(parents=True, exist_ok=True)
    with locked(target / f".z3-{version}.lock"):
        if not home.is_dir():
            with tempfile.TemporaryDirectory(prefix=f".z3-{version}-", dir=target) as scratch:
                scratch = pathlib.Path(scratch)
                unpack(download(version, scratch), scratch / "z3")
                # The directory appears complete or not at all, even if this process is killed.
                os.rename(scratch / "z3", home)
    return home


def linked(home, profile):
    """Creates a link to `home` in the profile's directory. It is relative, so the target directory can be moved."""
    link = profile / home.name
    with contextlib.suppress(FileExistsError):
        link.symlink_to(os.path.relpath(home, profile), target_is_directory=True)
    return link


def main():
    """Prints the directory, or the reason why there is none."""
    try:
        target, profile = directories()
        home = fetch(sys.argv[1], target)
        print(linked(home, profile) if profile else home)
    except (Failure, OSError, zipfile.BadZipFile) as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    main()
