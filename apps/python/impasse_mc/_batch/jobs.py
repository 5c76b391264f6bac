"""Jobs, and the content that their ids are made of.

A job id is a hash of everything that the answer depends on: the content of the model, the
question, the options, and the version of the package. Two jobs with one id have one answer, so
that a second batch can take the answer from the file of results.

The content of a `System` is not known: its functions may use other functions and variables. So each
job of a `System` has an id of its own, unless the job has a `key`.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import operator
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Union

from .. import _given

# Options of `impasse.load`. The other options are those of `impasse.check`.
_LOAD = ("format", "target", "extern")
# Options that name files: the content of the file belongs to the id, its path does not.
_FILES = ("target", "extern")
# What the members of an option's value may be, so that equal options have one text.
_PLAIN = (str, int, float, bool, type(None))

Ask = Union[str, "list[str]", "tuple[str, ...]", None]


class Job:
    """A model, what is asked about it, and options of `impasse.check`.

    `model` is a model, or the path of a file. `ask` is one question, a list of questions, or
    None for the model's own questions. `name` is what reports call the job.

    `key` is a text that belongs to the content of the model in the id of the job. A job of a
    `System` always runs, because its content is not known. With a `key`, its answer is taken from
    the file of results if the key, the class and the options are the same: give another key if
    anything changes that the functions of the system depend on.

    >>> Job("lock.rwb", "deadlock", timeout=10)
    Job('lock.rwb', 'deadlock', timeout=10)
    """

    __slots__ = ("ask", "key", "model", "name", "options")

    def __init__(
        self,
        model: Any,
        ask: Ask = None,
        options: Mapping[str, Any] | None = None,
        *,
        name: str | None = None,
        key: str | None = None,
        **more: Any,
    ) -> None:
        for value, what in ((options, "options"), (name, "name"), (key, "key")):
            if value is not None and not isinstance(value, Mapping if what == "options" else str):
                kind = "dict" if what == "options" else "text"
                raise _usage(f"the {what} of a job must be a {kind}, not a {type(value).__name__}")
        self.model = model
        self.ask = ask
        self.options: dict[str, Any] = {**(options or {}), **more}
        self.name = name
        self.key = key

    def __repr__(self) -> str:
        options = "".join(f", {key}={value!r}" for key, value in self.options.items())
        return f"Job({self.model!r}, {self.ask!r}{options})"


class Prepared:
    """A job that is ready to run, or that has its line of results already."""

    __slots__ = ("attempts", "id", "index", "line", "name", "others", "packed", "recorded", "work")

    def __init__(self, index: int, job_id: str, name: str, work: tuple[Any, ...]) -> None:
        self.index = index
        self.id = job_id
        self.name = name
        # (id, name, model, ask, options): what the function `answer` of `_batch.work` takes.
        self.work = work
        # The same as bytes, for another process.
        self.packed = b""
        # Index and name of further jobs with the same id. They share the answer.
        self.others: list[tuple[int, str]] = []
        self.attempts = 0
        self.line: bytes | None = None
        self.recorded = False


def as_job(item: Any) -> Job:
    """The job that an element of `jobs` stands for."""
    if isinstance(item, Job):
        return item
    if isinstance(item, tuple):
        if not 1 <= len(item) <= 3:
            raise _usage(f"a job is (model, ask, options), not a tuple of {len(item)}")
        return Job(*item)
    if isinstance(item, Mapping):
        parts = dict(item)
        if "model" not in parts:
            raise _usage('a job that is a dict needs the key "model"')
        model, ask, options = parts.pop("model"), parts.pop("ask", None), parts.pop("options", None)
        job = Job(model, ask, options, name=parts.pop("name", None), key=parts.pop("key", None))
        job.options.update(parts)
        return job
    return Job(item)


def check_jobs(jobs: Any) -> None:
    """Refuses what is no list of jobs. The jobs of a list are checked before the first one runs."""
    import impasse_mc as impasse

    if isinstance(jobs, (str, bytes, os.PathLike, Mapping, Job, impasse.Model)):
        raise _usage(f"the jobs of a batch are a list, as in batch([job]), not one {type(jobs).__name__}")
    if not isinstance(jobs, Iterable):
        raise _usage(f"the jobs of a batch are a list, not a {type(jobs).__name__}")
    if isinstance(jobs, Sequence):
        for index, item in enumerate(jobs):
            _job(index, item)


def _job(index: int, item: Any) -> Job:
    """The job, whose parts are as they should be."""
    import impasse_mc as impasse

    try:
        job = as_job(item)
        if not isinstance(job.model, (str, os.PathLike)) and not hasattr(job.model, "digest"):
            raise _usage(f"it has no model: {type(job.model).__name__} is neither a model nor a path")
        if job.options:
            check_options(job.options)
        if job.ask is not None:
            _given.texts(job.ask, "`ask`")
    except impasse.UsageError as error:
        raise _usage(f"job {index}: {error}") from None
    return job


def check_options(options: Mapping[str, Any], more: tuple[str, ...] = ()) -> None:
    """Refuses options that `check` and `load` do not have, and values that they do not take."""
    from .. import checking

    search = set(checking._how.__kwdefaults__ or ())
    asked = set(checking._asked.__kwdefaults__ or ())
    known = {*search, *asked, *_LOAD, *more}
    for key in options:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(sorted(known))}"
            raise _usage(f"jobs have no option {key!r}{hint}")
    checking._how(**{key: value for key, value in options.items() if key in search})
    checking._asked(**{key: value for key, value in options.items() if key in asked})


def prepare(jobs: Iterable[Any], defaults: Mapping[str, Any], version: str) -> Iterator[Prepared]:
    """Each job with its id, in order. Errors of input become finished jobs.

    Files are read here and not by the process that answers: the answer then is about the very
    content that the id was made of, even if the file changes meanwhile.
    """
    import impasse_mc as impasse

    from . import work

    shared = dict(defaults)
    default_ask = shared.pop("ask", None)
    shared_text = _text(shared)
    for index, item in enumerate(jobs):
        job = _job(index, item)
        model, ask = job.model, default_ask if job.ask is None else job.ask
        if job.options:
            options = {**shared, **job.options}
            text = _text(options)
        else:
            options, text = shared, shared_text
        if isinstance(model, (str, os.PathLike)):
            path = os.fspath(model)
            name = job.name or path
            try:
                model = _load(path, options)
            except (impasse.ImpasseError, OSError) as error:
                yield _failed(index, path, name, error, text, version, work)
                continue
            options = {key: value for key, value in options.items() if key not in _LOAD}
        else:
            name = job.name or getattr(model, "name", None) or "model"
        if ask is not None and not isinstance(ask, str):
            ask = list(ask)
        try:
            job_id = _id_of(model, job.key, f"{version}\n{text}\n{json.dumps(ask)}")
        except impasse.ImpasseError as error:
            yield _failed(index, name, name, error, text, version, work)
            continue
        yield Prepared(index, job_id, name, (job_id, name, model, ask, options))


def _id_of(model: Any, key: str | None, rest: str) -> str:
    """The id of a job."""
    import impasse_mc as impasse

    if not isinstance(model, impasse.System):
        content = model.digest() if key is None else f"{model.digest()}\nkey {key}"
    elif key is None:
        content = f"once {uuid.uuid4().hex}"
    else:
        content = f"{type(model).__module__}.{type(model).__qualname__}\nkey {key}"
    return hashlib.sha256(f"{content}\n{rest}".encode()).hexdigest()


def _load(path: str, options: Mapping[str, Any]) -> Any:
    import impasse_mc as impasse

    return impasse.load(path, **{key: options[key] for key in _LOAD if key in options})


def _failed(index: int, path: str, name: str, error: Exception, text: str, version: str, work: Any) -> Prepared:
    """A job of a file that cannot be read. Its id holds the content and what is wrong."""
    record = work.error_of(error)
    try:
        content = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        content = path
    parts = f"{version}\nerror\n{content}\n{text}\n{json.dumps(record, sort_keys=True)}"
    job_id = hashlib.sha256(parts.encode()).hexdigest()
    done = Prepared(index, job_id, name, ())
    done.line = work.failure(job_id, name, record)
    return done


def _text(options: Mapping[str, Any]) -> str:
    """The options as a text that equal options share."""
    parts: dict[str, Any] = {}
    for key, value in options.items():
        if key in _FILES and isinstance(value, (str, os.PathLike)):
            try:
                value = hashlib.sha256(Path(value).read_bytes()).hexdigest()
            except OSError:
                value = os.fspath(value)
        elif isinstance(value, (set, frozenset)):
            value = sorted(value)
        parts[key] = _plain(key, value)
    return json.dumps(parts, sort_keys=True)


def _plain(key: str, value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (list, tuple)):
        return [_plain(key, each) for each in value]
    if not isinstance(value, _PLAIN) and hasattr(value, "__index__"):
        return operator.index(value)
    if not isinstance(value, _PLAIN):
        raise _usage(f"option {key!r} of a job cannot be a {type(value).__name__}")
    return value


def _usage(message: str) -> Exception:
    import impasse_mc as impasse

    error: Exception = impasse.UsageError(message)
    return error
