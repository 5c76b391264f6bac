"""Tool-info module of BenchExec for Impasse.

With the root of the repository in PYTHONPATH, use it as `<benchmark tool="dev.tools.benchexec.impasse">`, or put it into
`benchexec/tools` and use it as `impasse`. The folder of the program is in PATH or is `--tool-directory`. A property
file (`.prp`) is not passed on: Impasse reads its properties from the model, from the file beside it, or from options.
"""

import json

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """Runs `impasse check` and reads its JSON report."""

    def executable(self, tool_locator):
        return tool_locator.find_executable("impasse")

    def name(self):
        return "Impasse"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="impasse ")

    def cmdline(self, executable, options, task, rlimits):
        limits = []
        if rlimits.memory:
            # The process also needs memory that the limit does not count, such as that of Z3.
            limits += ["--memory", str(int(rlimits.memory * 0.9))]
        if rlimits.cputime or rlimits.walltime:
            limits += ["--timeout", f"{rlimits.cputime or rlimits.walltime}s"]
        return [executable, "check", "--format", "json", *limits, *options, *task.input_files_or_identifier]

    def determine_result(self, run):
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        report = _last_report(run.output)
        code = run.exit_code.value
        # A process that ends in another way than its report says has failed after it.
        if report is None or report["summary"]["exit"] != code:
            return result.RESULT_ERROR + f" (exit code {code})"
        if code == 0:
            return result.RESULT_TRUE_PROP
        if code in (10, 11, 12, 13):
            return result.RESULT_FALSE_PROP
        if code in (30, 31, 32, 33):
            reasons = {each["reason"] for each in report.get("properties", ()) if each["reason"]}
            return result.RESULT_UNKNOWN + (f" ({', '.join(sorted(reasons))})" if reasons else "")
        return result.RESULT_ERROR + f" (exit code {code})"

    def get_value_from_output(self, output, identifier):
        """`states`, `engine`, `peak_bytes` and the like: members of the report, or counts of the first answer."""
        report = _last_report(output)
        if report is None:
            return None
        answers = report.get("properties") or [{}]
        for members in (report, answers[0], answers[0].get("stats", {})):
            if identifier in members:
                return str(members[identifier])
        return None


def _last_report(output):
    """The report in the output, which is one line. Of several files, it is the summary."""
    for line in reversed(list(output)):
        if line.startswith("{"):
            try:
                return json.loads(line)
            except ValueError:
                return None
    return None
