//! Starts the processes of this machine, and starts them again after one was lost.

use super::place::{self, Plan};
use super::{INTERRUPT, MEMBER, PORT, Place, refuse};
use crate::cli::args::RunArgs;
use crate::cli::exit::{Exit, usage};
use crate::cli::input_name::is_stdin;
use crate::cli::{host, memory, output};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use std::{fs, thread};

/// Time between two looks at the processes.
const TICK: Duration = Duration::from_millis(10);
/// Time that the other processes have to end after process 0.
const GRACE: Duration = Duration::from_secs(5);
/// Time that all processes have to end after Ctrl-C.
const SHORT_GRACE: Duration = Duration::from_millis(700);

/// True after Ctrl-C, or a signal to end.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

pub(super) fn run(args: &RunArgs) -> Exit {
    if is_stdin(&args.file) {
        return usage("`cluster run` needs a file: each process reads the model");
    }
    let plan = match place::plan(args) {
        Ok(plan) => plan,
        Err(exit) => return exit,
    };
    if let Some(dir) = &args.checkpoint
        && let Err(error) = fs::create_dir_all(dir)
    {
        tell!("error: cannot write into {}: {error}", dir.display());
        return Exit::Input;
    }
    // Without a handler, Ctrl-C ends this process at once, and process 0 could not report.
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    let mut left = args.restarts;
    loop {
        let lost = match attempt(args, &plan) {
            Ok(exit) if exit != Exit::Lost => return exit,
            Ok(_) => "a process was lost".to_owned(),
            Err(error) => {
                tell!("error: cannot start the processes: {error}");
                return Exit::Input;
            }
        };
        if left == 0 {
            let hint = match args.checkpoint {
                Some(_) => "run the same command again to go on from the last level that is saved",
                None => "`--checkpoint DIR` saves the search, and `--restarts N` starts again more often",
            };
            return refuse(Exit::Lost, "cluster::lost", &lost, hint);
        }
        left -= 1;
        tell!("cluster: {lost}, starting again ({} more times)", left);
    }
}

/// A process that this command has started.
struct Member {
    number: usize,
    child: Child,
    input: ChildStdin,
}

impl Drop for Member {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts all processes once, and waits for them.
fn attempt(args: &RunArgs, plan: &Plan) -> io::Result<Exit> {
    let memory = args.limits.memory.or_else(|| memory::default_limit().map(|all| all / plan.own.len()));
    let mut members = Vec::new();
    let (ports, known) = mpsc::channel();
    for &number in &plan.own {
        let (member, out) = start(plan, number, memory)?;
        let ports = ports.clone();
        thread::spawn(move || pass_on(number, out, &ports));
        members.push(member);
    }
    drop(ports);
    let addresses = match &plan.addresses {
        Some(addresses) => addresses.clone(),
        None => match all_ports(&known, plan.processes) {
            Some(ports) => ports.into_iter().map(|port| format!("127.0.0.1:{port}")).collect(),
            None => return Ok(watch(&mut members)),
        },
    };
    let line = serde_json::to_string(&addresses)? + "\n";
    for member in &mut members {
        // A process that has ended is noticed by `watch`.
        let _ = member.input.write_all(line.as_bytes()).and_then(|()| member.input.flush());
    }
    let exit = watch(&mut members);
    drop(members);
    // The rest of the report is passed on when the pipe is closed.
    while known.recv().is_ok() {}
    Ok(exit)
}

/// Starts a process and tells it its place.
fn start(plan: &Plan, number: usize, memory: Option<usize>) -> io::Result<(Member, ChildStdout)> {
    let mut child =
        host::again()?.args(host::args()).env(MEMBER, "1").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (input, out) = (child.stdin.take(), child.stdout.take());
    let (Some(mut input), Some(out)) = (input, out) else { return Err(io::Error::other("there is no pipe")) };
    let (run, key) = (plan.run.clone(), plan.key.clone());
    let place = Place { number, processes: plan.processes, listen: plan.listen(number), run, key, memory };
    let _ = input.write_all((serde_json::to_string(&place)? + "\n").as_bytes()).and_then(|()| input.flush());
    Ok((Member { number, child, input }, out))
}

/// Reads the port of a process, and passes on everything else that it writes. A process that ends before it has a port
/// has none.
fn pass_on(number: usize, out: ChildStdout, ports: &mpsc::Sender<(usize, Option<u16>)>) {
    let (mut out, mut first) = (BufReader::new(out), String::new());
    // After an error, there is nothing to pass on.
    let _ = out.read_line(&mut first);
    let port = first.strip_prefix(PORT).and_then(|port| port.trim().parse().ok());
    if port.is_none() {
        output::write(&first);
    }
    let _ = ports.send((number, port));
    let mut buffer = [0; 1 << 13];
    loop {
        match out.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(count) => output::write_bytes(&buffer[..count]),
        }
    }
}

/// Waits for the ports of all processes. `None` if a process has ended without one.
fn all_ports(known: &mpsc::Receiver<(usize, Option<u16>)>, processes: usize) -> Option<Vec<u16>> {
    let mut ports = vec![0; processes];
    for _ in 0..processes {
        let (number, port) = known.recv().ok()?;
        ports[number] = port?;
    }
    Some(ports)
}

/// Waits until the work is done or a process is lost. Ends all processes then. The result is that of process 0, if it
/// has one.
fn watch(members: &mut Vec<Member>) -> Exit {
    let (mut result, mut lost, mut told, mut ends) = (None, false, false, None::<Instant>);
    loop {
        let mut at = 0;
        while at < members.len() {
            let Ok(Some(status)) = members[at].child.try_wait() else {
                at += 1;
                continue;
            };
            match (result_of(status), members.remove(at).number) {
                (Exit::Lost, _) => lost = true,
                (exit, 0) => result = Some(exit),
                (Exit::Done, _) => {}
                (exit, _) => result = result.or(Some(exit)),
            }
        }
        if INTERRUPTED.load(Ordering::Relaxed) && !told {
            // On a terminal, Ctrl-C has interrupted all processes. Elsewhere they know it from here. Process 0 reports.
            told = true;
            result = result.or(Some(Exit::Interrupted));
            ends = Instant::now().checked_add(SHORT_GRACE);
            for member in members.iter_mut() {
                // A process that has ended cannot be told.
                let _ = member.input.write_all(INTERRUPT.as_bytes()).and_then(|()| member.input.flush());
            }
        }
        let otherwise = if lost { Exit::Lost } else { Exit::Done };
        if members.is_empty() {
            return result.unwrap_or(otherwise);
        }
        // A process that ends at a limit breaks its connections, so another one may end before it.
        if lost || result.is_some() {
            let exit = result.unwrap_or(otherwise);
            ends = ends.or_else(|| Instant::now().checked_add(GRACE));
            if ends.is_some_and(|end| Instant::now() >= end) {
                return exit;
            }
        }
        thread::sleep(TICK);
    }
}

/// Returns the result that the exit code of a process stands for. A process that was killed is lost.
fn result_of(status: ExitStatus) -> Exit {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.and_then(Exit::of_code).unwrap_or(Exit::Lost)
}
