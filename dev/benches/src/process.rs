//! Execution of one command in a separate process: its output, its resource usage, and limits that end it.
//!
//! Resource usage is what the kernel reports (`wait4`). CPU seconds do not depend on other load of the machine,
//! and the peak memory includes memory that an allocator does not see. The peak that the kernel reports for a
//! child process is at least the size of this process when it forked, so this process must stay small. The
//! limits here are a last resort. The command has limits of its own and should obey them.

use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use wait4::Wait4;

/// Limits at which the process is killed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Greatest wall-clock time.
    pub(crate) wall: Duration,
    /// Greatest resident memory in bytes. It is sampled, and on Linux only.
    pub(crate) resident: u64,
}

/// The reason why the process was killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Killed {
    TooLong,
    TooBig,
}

/// A process that has ended.
#[derive(Debug)]
pub(crate) struct Finished {
    /// The exit code. `None` if a signal ended the process.
    pub(crate) code: Option<i32>,
    pub(crate) killed: Option<Killed>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// User and system time in seconds.
    pub(crate) cpu: f64,
    /// Wall-clock time in seconds.
    pub(crate) wall: f64,
    /// Largest resident size in bytes.
    pub(crate) peak: u64,
}

/// The signal (SIGXCPU) by which the kernel ends a process that exceeds its soft limit of CPU time.
const CPU_LIMIT_SIGNAL: i32 = 24;

/// Seconds of a tick, in which `/proc` counts CPU time.
const CLOCK_TICK: f64 = 0.01;

/// Interval at which the memory and the CPU time of a running process are sampled.
const TICK: Duration = Duration::from_millis(50);

/// Runs `command` until it closes its stdout or exceeds a limit.
pub(crate) fn run(command: &mut Command, limits: Limits) -> io::Result<Finished> {
    limited(command, limits, None)
}

/// Like [`run`], but after `cpu` of CPU time the command receives SIGTERM. It then ends as after Ctrl-C and
/// reports its results so far.
pub(crate) fn run_for(command: &mut Command, limits: Limits, cpu: Duration) -> io::Result<Finished> {
    limited(command, limits, Some(cpu.as_secs_f64()))
}

fn limited(command: &mut Command, limits: Limits, cpu: Option<f64>) -> io::Result<Finished> {
    let start = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let (output, killed) = watch(&mut child, &stdout, start, limits, cpu)?;
    let usage = child.wait4()?;
    let killed = killed.or((usage.status.signal() == Some(CPU_LIMIT_SIGNAL)).then_some(Killed::TooLong));
    Ok(Finished {
        code: exit_code(usage.status),
        killed,
        stdout: output,
        stderr: stderr.recv_timeout(Duration::from_secs(1)).unwrap_or_default(),
        cpu: (usage.rusage.utime + usage.rusage.stime).as_secs_f64(),
        wall: start.elapsed().as_secs_f64(),
        peak: usage.rusage.maxrss,
    })
}

fn exit_code(status: ExitStatus) -> Option<i32> {
    status.code()
}

/// Waits for the end of the output. If the process exceeds a limit before this, it is killed.
fn watch(
    child: &mut Child,
    stdout: &Receiver<String>,
    start: Instant,
    limits: Limits,
    mut cpu: Option<f64>,
) -> io::Result<(String, Option<Killed>)> {
    loop {
        match stdout.recv_timeout(TICK) {
            Ok(output) => return Ok((output, None)),
            Err(RecvTimeoutError::Disconnected) => return Ok((String::new(), None)),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if cpu.is_some_and(|most| used(child.id()).is_some_and(|seconds| seconds >= most)) {
            cpu = None;
            interrupt(child.id())?;
        }
        let broken = if start.elapsed() > limits.wall {
            Killed::TooLong
        } else if resident(child.id()).is_some_and(|bytes| bytes > limits.resident) {
            Killed::TooBig
        } else {
            continue;
        };
        child.kill()?;
        return Ok((stdout.recv_timeout(Duration::from_secs(1)).unwrap_or_default(), Some(broken)));
    }
}

/// Reads a pipe to its end in the background, so that the process never waits for this one.
fn collect(pipe: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // A broken pipe counts as a closed one. The output received so far is judged.
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

/// Returns the resident size of a running process in bytes.
fn resident(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Returns the CPU seconds of a running process, user and system (Linux only).
fn used(pid: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the command is in parentheses and may itself contain spaces and parentheses.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) as f64 * CLOCK_TICK)
}

fn interrupt(pid: u32) -> io::Result<()> {
    // The process may already have ended. Then `kill` fails, and this is ignored.
    Command::new("kill").args(["-TERM", &pid.to_string()]).stderr(Stdio::null()).status().map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { wall: Duration::from_secs(20), resident: 1 << 30 };

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn output_and_exit_code_come_back() {
        let done = run(&mut shell("echo out; echo err >&2; exit 31"), LIMITS).expect("sh runs");
        assert_eq!((done.code, done.killed), (Some(31), None));
        assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("out\n", "err\n"));
        assert!(done.peak > 0);
    }

    #[test]
    fn what_runs_too_long_is_killed() {
        let limits = Limits { wall: Duration::from_millis(200), ..LIMITS };
        let done = run(&mut shell("echo early; exec sleep 30"), limits).expect("sh runs");
        assert_eq!((done.code, done.killed), (None, Some(Killed::TooLong)));
        assert_eq!(done.stdout, "early\n");
        assert!(done.wall < 10.0, "{}", done.wall);
    }

    #[test]
    fn what_grows_too_big_is_killed() {
        if resident(std::process::id()).is_none() {
            return; // not supported by this system
        }
        let limits = Limits { resident: 1, ..LIMITS };
        let done = run(&mut shell("exec sleep 30"), limits).expect("sh runs");
        assert_eq!(done.killed, Some(Killed::TooBig));
    }

    #[test]
    fn what_uses_too_much_cpu_time_is_interrupted_and_may_speak() {
        if used(std::process::id()).is_none() {
            return; // not supported by this system
        }
        let script = "trap 'echo enough; exit 3' TERM; while :; do :; done";
        let done = run_for(&mut shell(script), LIMITS, Duration::from_millis(200)).expect("sh runs");
        assert_eq!((done.code, done.killed, done.stdout.as_str()), (Some(3), None, "enough\n"));
        assert!(done.cpu >= 0.2, "{}", done.cpu);
    }

    #[test]
    fn time_spent_is_counted() {
        let done = run(&mut shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"), LIMITS).expect("sh runs");
        assert!(done.cpu > 0.01, "{}", done.cpu);
    }
}
