"""The outcome of a check: an answer to each question, with its evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Optional, Union, overload

from . import _impasse
from .errors import Diagnostic, UsageError, translated
from .models import Model
from .run import Run

if TYPE_CHECKING:
    import pandas


def _exact(value: Any) -> Any:
    """Returns a value as JSON reports have it: integers that not every reader of JSON represents are text."""
    return str(value) if isinstance(value, int) and abs(value) >= 1 << 53 else value


def _exact_state(state: dict[str, Any]) -> dict[str, Any]:
    return {name: _exact(value) for name, value in state.items()}


class Evidence:
    """What an answer rests on. The independent checker has accepted it."""

    def __init__(self, record: dict[str, Any], answer: Answer) -> None:
        self._answer = answer
        self.kind: str = record["kind"]
        """The kind: ``trace``, ``state-set``, ``clauses``, ``lemmas``, ``linear`` and others."""
        self.length: Optional[int] = record["length"]
        """The size: the number of events, states, clauses and so on."""
        self.checked: bool = record["checked"]
        """True if the checker has accepted it."""
        self.checked_by: Optional[str] = record["checked_by"]
        """The part of the checker that accepted it: ``kernel`` or ``rules``."""
        self.shortest: Optional[bool] = record["shortest"]
        """For violations: true if the search showed that no violating run is shorter."""
        self.trusted: list[str] = record["trusted"]
        """Kinds of lemmas that were accepted without proof because of the option ``trust``."""

    def text(self) -> bytes:
        """Returns the evidence file, which ``impasse replay`` checks on any machine.

        Raises:
            UsageError: Systems written in Python have no evidence files.
        """
        return self._answer._evidence_text()

    def __repr__(self) -> str:
        """Returns the kind, the length, and the part of the checker."""
        return f"<evidence: {self.kind} of length {self.length}, checked by {self.checked_by}>"


class Answer:
    """The answer to one question.

    It is no truth value, because ``unknown`` is neither yes nor no.
    """

    def __init__(self, found: Any, seconds: float, detail: Optional[str] = None) -> None:
        self._found = found
        with translated():
            self._record: dict[str, Any] = found.record()
        if self._record["detail"] is None and self._record["reason"] is not None:
            self._record["detail"] = detail
        self._seconds = seconds
        self._run: Optional[Run] = None
        self._text: Optional[bytes] = None

    @property
    def id(self) -> str:
        """The name of the question."""
        return str(self._record["id"])

    @property
    def kind(self) -> str:
        """The kind of the question: ``deadlock``, ``bad``, ``cover``, ``reach``, ``ltl`` and others."""
        return str(self._record["kind"])

    @property
    def asked(self) -> str:
        """How it is asked: ``never``, ``AG`` or ``EF``."""
        return str(self._record["asked"])

    @property
    def verdict(self) -> str:
        """``safe`` (no run does it), ``unsafe`` (a run does it), ``value`` (see `value`) or ``unknown``."""
        return str(self._record["verdict"])

    @property
    def answer(self) -> str:
        """As `verdict`, but ``reachable`` and ``unreachable`` for ``EF phi``, and ``holds`` and ``fails`` for other
        formulas about single runs. What is asked holds if the answer is ``safe``, ``reachable`` or ``holds``."""
        return str(self._record["answer"])

    @property
    def value(self) -> Optional[int]:
        """The largest value of the sum, if the question asks for one (`MAX p + q`) and it is known."""
        value: Optional[str] = self._record.get("value")
        return None if value is None else int(value)

    @property
    def reason(self) -> Optional[str]:
        """Why the verdict is ``unknown``: ``timeout``, ``memory``, ``gave_up``, ``bound`` and others."""
        reason: Optional[str] = self._record["reason"]
        return reason

    @property
    def detail(self) -> Optional[str]:
        """A sentence about the reason."""
        detail: Optional[str] = self._record["detail"]
        return detail

    @property
    def engine(self) -> str:
        """The engine that gave the answer."""
        return str(self._record["engine"])

    @property
    def stats(self) -> dict[str, Any]:
        """Counts of the engine: ``states``, ``transitions``, ``lemmas`` (by kind) and others."""
        stats: dict[str, Any] = self._record["stats"]
        return stats

    @property
    def seconds(self) -> float:
        """The time of the whole check in seconds."""
        return self._seconds

    @property
    def evidence(self) -> Optional[Evidence]:
        """What the answer rests on; ``None`` if it is unknown."""
        record = self._record["evidence"]
        return None if record is None else Evidence(record, self)

    @property
    def run(self) -> Optional[Run]:
        """The run that violates the property, or reaches the state asked for; ``None`` if there is none."""
        if self._run is None and self._found is not None:
            parts = self._found.run()
            self._run = None if parts is None else Run(parts)
        return self._run

    def _evidence_text(self) -> bytes:
        if self._text is None:
            if self._found is None:
                raise UsageError("the evidence was not kept")
            with translated():
                self._text = self._found.evidence()
        return self._text

    def to_dict(self, *, run: bool = False) -> dict[str, Any]:
        """Returns the answer as plain values, with the keys of the JSON reports of the command line.

        Args:
            run: True to include the run, with the state after each step.
        """
        record = dict(self._record, seconds=self._seconds)
        if record["evidence"] is not None:
            kept = {k: v for k, v in record["evidence"].items() if v is not None and v != []}
            record["evidence"] = {"length": None, "file": None, **kept}
        if run and self.run is not None:
            steps = [
                {
                    "step": step.number,
                    "event": step.event,
                    "requested_by": step.requested_by,
                    "changes": [
                        {"name": n, "from": _exact(old), "to": _exact(new)} for n, (old, new) in step.changes.items()
                    ],
                    "state": _exact_state(step.state),
                }
                for step in self.run
            ]
            record["trace"] = {
                "start": _exact_state(self.run.initial),
                "steps": steps,
                "complete": self.run.is_complete,
            }
            if self.run.repeats_from is not None:
                record["trace"]["repeats_from"] = self.run.repeats_from + 1
        return record

    def __bool__(self) -> NoReturn:
        """Raises TypeError: an answer may be unknown."""
        raise TypeError("an answer is no truth value, it may be unknown: compare `answer.verdict`")

    def __getstate__(self) -> dict[str, Any]:
        """Returns what is pickled: the record, the run, and the evidence."""
        _ = self.run
        if self._text is None and self._record["evidence"] is not None and self._found is not None:
            try:
                self._evidence_text()
            except UsageError:
                self._text = None
        return dict(self.__dict__, _found=None)

    def __repr__(self) -> str:
        """Returns the id with the verdict."""
        return f"<answer {self.id!r}: {self.answer}>"

    def __str__(self) -> str:
        """Returns the verdict with its evidence, and the run if there is one."""
        head = f"{self.id}: {self.answer.upper()}"
        if self.reason is not None:
            why = f"{self.reason}: {self.detail}" if self.detail else self.reason
            return f"{head} ({why}; {self.engine}, {self.seconds:.3f} s)"
        evidence = self.evidence
        if self.run is not None:
            return f"{head} after {self.run.length} steps ({self.engine}, {self.seconds:.3f} s)\n{self.run}"
        proof = "" if evidence is None else f"{evidence.kind} of length {evidence.length}, "
        return f"{head} ({proof}{self.engine}, {self.seconds:.3f} s)"


class Outcome(Sequence[Answer]):
    """The answers to all questions of a check, in the order asked.

    It is no truth value, because ``unknown`` is neither yes nor no.

    >>> import impasse_mc as impasse
    >>> stuck = impasse.loads("rwb 1 event a thread T { state s { request a block a } }", "rwb")
    >>> outcome = impasse.check(stuck)
    >>> outcome.verdict, outcome["deadlock"].verdict
    ('unsafe', 'unsafe')
    """

    def __init__(
        self,
        model: Model,
        asked: dict[str, Any],
        found: list[Any],
        seconds: float,
        warnings: Sequence[Diagnostic] = (),
        details: Optional[Mapping[str, str]] = None,
    ) -> None:
        self._model = model
        self._warnings = list(warnings)
        # Sentences about answers, by id: why a question is not supported.
        self._details = dict(details or {})
        self._asked = asked
        self._found: Optional[list[Any]] = found
        self._answers: Optional[list[Answer]] = None
        self.seconds = seconds
        """The time of the check in seconds."""

    @property
    def model(self) -> Model:
        """The model that was checked. A net or circuit is kept as it was then, even if it is extended afterwards."""
        return self._model

    @property
    def warnings(self) -> list[Diagnostic]:
        """What is legal in the model or in the questions, but suspicious; and questions that are not supported."""
        return list(self._warnings)

    @property
    def answers(self) -> list[Answer]:
        """The answers."""
        if self._answers is None:
            found = self._found or []
            self._answers = [Answer(each, self.seconds, self._details.get(each.id)) for each in found]
        return self._answers

    @property
    def verdict(self) -> str:
        """``unsafe`` if any answer is unsafe; otherwise ``unknown`` if any is unknown; otherwise ``safe``.

        For questions with ``EF``, ``unsafe`` means that the state is reachable.
        """
        verdicts = {answer.verdict for answer in self.answers}
        order = ("unsafe", "unknown", "safe", "value")
        return next((verdict for verdict in order if verdict in verdicts), "unknown")

    def __len__(self) -> int:
        """Returns the number of answers."""
        return len(self.answers)

    @overload
    def __getitem__(self, key: Union[int, str]) -> Answer: ...

    @overload
    def __getitem__(self, key: slice) -> list[Answer]: ...

    def __getitem__(self, key: Union[int, str, slice]) -> Union[Answer, list[Answer]]:
        """Returns the answer with this index or id."""
        if not isinstance(key, str):
            return self.answers[key]
        for answer in self.answers:
            if answer.id == key:
                return answer
        known = ", ".join(answer.id for answer in self.answers)
        raise KeyError(f"no question {key!r} was asked; the questions are {known}")

    def __iter__(self) -> Iterator[Answer]:
        """Iterates over the answers."""
        return iter(self.answers)

    def __bool__(self) -> NoReturn:
        """Raises TypeError: an answer may be unknown."""
        raise TypeError("an outcome is no truth value, answers may be unknown: compare `outcome.verdict`")

    def to_dict(self, *, runs: bool = False) -> dict[str, Any]:
        """Returns the outcome as plain values, with the keys of the JSON reports of the command line.

        Args:
            runs: True to include runs, with the state after each step.
        """
        return {
            "schema": 1,
            "tool": {"name": "impasse", "version": _impasse.version},
            "file": self._model.name,
            "model": self._model.info(),
            "properties": [answer.to_dict(run=runs) for answer in self.answers],
            "seconds": self.seconds,
        }

    def to_json(self, *, runs: bool = False, indent: Optional[int] = None) -> str:
        """Returns the outcome as JSON: see `to_dict`."""
        return json.dumps(self.to_dict(runs=runs), indent=indent)

    def to_frame(self) -> pandas.DataFrame:
        """Returns a pandas data frame with a row for each answer. Needs the package pandas."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("`to_frame` needs pandas: pip install pandas") from error
        rows = []
        for answer in self.answers:
            evidence = answer.evidence
            rows.append(
                {
                    "model": self._model.name,
                    "id": answer.id,
                    "kind": answer.kind,
                    "asked": answer.asked,
                    "verdict": answer.verdict,
                    "answer": answer.answer,
                    "reason": answer.reason,
                    "engine": answer.engine,
                    "evidence": None if evidence is None else evidence.kind,
                    "length": None if evidence is None else evidence.length,
                    "states": answer.stats["states"],
                    "seconds": answer.seconds,
                }
            )
        return pandas.DataFrame(rows)

    def save_evidence(self, directory: Union[str, Path]) -> list[Path]:
        """Writes an evidence file for each settled question, and returns the paths.

        ``impasse replay MODEL FILE`` checks such a file.

        Raises:
            OSError: A file cannot be written.
            UsageError: Systems written in Python have no evidence files.
        """
        directory = Path(directory)
        directory.mkdir(parents=True, exist_ok=True)
        stem = re.sub(r"[^A-Za-z0-9_.-]", "_", Path(self._model.name).name)
        paths: list[Path] = []
        for answer in self.answers:
            if answer.evidence is None:
                continue
            name = re.sub(r"[^A-Za-z0-9_.-]", "_", answer.id)
            path = directory / f"{stem}.{name}.evidence.json"
            number = 2
            while path in paths:
                path = directory / f"{stem}.{name}-{number}.evidence.json"
                number += 1
            path.write_bytes(answer._evidence_text())
            paths.append(path)
        return paths

    def replay(self) -> bool:
        """Checks all evidence again, as read from its text, with the independent checker alone.

        Returns:
            True if at least one question is settled, and the checker accepts the evidence of each settled question.
            False otherwise: where nothing is settled, there is nothing to accept.

        Raises:
            UsageError: Systems written in Python have no evidence files.
        """
        from .checking import replay

        settled = [answer for answer in self.answers if answer.verdict != "unknown"]
        if not settled or any(answer.evidence is None for answer in settled):
            return False
        texts = [answer._evidence_text() for answer in self.answers if answer.evidence is not None]
        trust = {kind for a in self.answers if a.evidence is not None for kind in a.evidence.trusted}
        names = sorted(kind.split(".")[0] for kind in trust)
        return all(replay(self, text, trust=names).accepted for text in texts)

    def __getstate__(self) -> dict[str, Any]:
        """Returns what is pickled: the model and the answers."""
        return dict(self.__dict__, _found=None, _answers=self.answers)

    def __repr__(self) -> str:
        """Returns the model with the answers."""
        answers = ", ".join(f"{answer.id}: {answer.answer}" for answer in self.answers)
        return f"<outcome of {self._model.name!r}: {answers}>"

    def __str__(self) -> str:
        """Returns all answers and warnings as text."""
        lines = [f"{self._model.name}: {answer}" for answer in self.answers]
        return "\n".join(lines + [f"warning: {warning}" for warning in self._warnings])

    def _repr_html_(self) -> str:
        from ._html import outcome_html

        return outcome_html(self)
