//! Fuzzes the solver's interface:
//! `cargo run --release -p impasse-sat --example fuzz_api -- --count 100000 --seed 1`.
//!
//! A trace that breaks a rule is shrunk and written to `--out DIR` (default: the current directory). `--first`
//! ends the run after the first such trace. `--replay FILE` runs the trace in the file. `--shrink FILE` shrinks
//! a trace that hangs or kills the process: each attempt runs in its own process, for at most `--seconds`
//! seconds.
#![allow(clippy::print_stdout, reason = "it is a tool")]

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use impasse_sat::kit::api::{Fault, Subject, Summary, Trace, run, shrink, twice};
use impasse_sat::{Options, Solver, Stats};

const ATTEMPTS: usize = 20_000;
const USAGE: &str =
    "fuzz_api [--count N] [--seed S] [--out DIR] [--seconds T] [--first] [--replay FILE | --shrink FILE | --show]";

type Error = Box<dyn std::error::Error>;

struct Args {
    count: u64,
    seed: u64,
    out: PathBuf,
    seconds: u64,
    replay: Option<PathBuf>,
    shrink: Option<PathBuf>,
    show: bool,
    first: bool,
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Args, Error> {
    let mut args = Args {
        count: 10_000,
        seed: 0,
        out: ".".into(),
        seconds: 20,
        replay: None,
        shrink: None,
        show: false,
        first: false,
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(USAGE);
        match word.as_str() {
            "--count" => args.count = value()?.parse()?,
            "--seed" => args.seed = value()?.parse()?,
            "--out" => args.out = value()?.into(),
            "--seconds" => args.seconds = value()?.parse()?,
            "--replay" => args.replay = Some(value()?.into()),
            "--shrink" => args.shrink = Some(value()?.into()),
            "--first" => args.first = true,
            "--show" => args.show = true,
            _ => return Err(USAGE.into()),
        }
    }
    Ok(args)
}

thread_local! {
    /// Location of the last panic.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

fn make(options: Options) -> Box<dyn Subject> {
    Box::new(Solver::new(options))
}

fn read(path: &Path) -> Result<Trace, Error> {
    Ok(fs::read_to_string(path)?.parse::<Trace>()?)
}

fn tell(fault: &Fault) {
    println!("{fault}");
    PLACE.with_borrow(|place| {
        if !place.is_empty() {
            println!("  at {place}")
        }
    });
}

fn replay(path: &Path) -> Result<ExitCode, Error> {
    match twice(&read(path)?, &make) {
        Ok(summary) => println!("no rule broken: {summary:?}"),
        Err(fault) => {
            tell(&fault);
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Shrinks a trace, with each attempt in a child process.
fn shrink_apart(path: &Path, seconds: u64) -> Result<ExitCode, Error> {
    let (tool, attempt) = (std::env::current_exe()?, path.with_extension("attempt"));
    let mut is_bad = |candidate: &Trace| {
        let child = fs::write(&attempt, candidate.to_string()).ok().and_then(|()| {
            Command::new(&tool).arg("--replay").arg(&attempt).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
        });
        child.is_some_and(|child| !ends_well(child, Duration::from_secs(seconds)))
    };
    let small = shrink(&read(path)?, ATTEMPTS, &mut is_bad);
    fs::remove_file(&attempt)?;
    let to = path.with_extension("small.trace");
    fs::write(&to, small.to_string())?;
    println!("{} calls in {}", small.len(), to.display());
    Ok(ExitCode::SUCCESS)
}

fn ends_well(mut child: std::process::Child, patience: Duration) -> bool {
    let start = Instant::now();
    while start.elapsed() < patience {
        if let Ok(Some(status)) = child.try_wait() {
            return status.success();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    // The child may have ended already, so errors are ignored.
    drop(child.kill());
    drop(child.wait());
    false
}

/// Starts a watchdog. If a trace hangs, the watchdog writes it to a file unchanged and ends the process.
/// `--shrink` can then shrink the trace.
fn watch(current: &'static AtomicU64, seconds: u64, out: PathBuf) {
    std::thread::spawn(move || {
        loop {
            let seed = current.load(Ordering::Relaxed);
            std::thread::sleep(Duration::from_secs(seconds));
            if current.load(Ordering::Relaxed) == seed && seed != u64::MAX {
                let path = out.join(format!("hangs-{seed}.trace"));
                let written = fs::write(&path, Trace::random(seed).to_string());
                println!("seed {seed} does not end: {} ({written:?})", path.display());
                std::process::exit(3);
            }
        }
    });
}

fn report(seed: u64, trace: &Trace, fault: &Fault, out: &Path) -> Result<(), Error> {
    println!("seed {seed}, {} calls", trace.len());
    tell(fault);
    let rule = fault.rule;
    let small =
        shrink(trace, ATTEMPTS, &mut |candidate| twice(candidate, &make).is_err_and(|fault| fault.rule == rule));
    let path = out.join(format!("{rule:?}-{seed}.trace").to_lowercase());
    let again = twice(&small, &make).err().map_or_else(String::new, |fault| fault.to_string());
    fs::write(&path, format!("# Seed {seed}. {}\n{small}", again.replace('\n', " ")))?;
    println!("{} calls in {}", small.len(), path.display());
    Ok(())
}

fn add<const N: usize>(sums: &mut [u64; N], counts: [u64; N]) {
    sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
}

fn fuzz(args: &Args) -> Result<ExitCode, Error> {
    static CURRENT: AtomicU64 = AtomicU64::new(u64::MAX);
    watch(&CURRENT, args.seconds, args.out.clone());
    let (start, mut faults, mut total, mut work) = (Instant::now(), 0, [0; 4], [0; 6]);
    for seed in args.seed..args.seed.saturating_add(args.count) {
        CURRENT.store(seed, Ordering::Relaxed);
        let trace = Trace::random(seed);
        // Every fourth trace runs twice, to check that it gives the same results. Running every trace twice
        // would leave less time for new traces.
        let check = if seed % 4 == 0 { twice } else { run };
        match check(&trace, &make) {
            Ok(Summary { answers, stats, .. }) => {
                add(&mut total, answers);
                let Stats { conflicts, restarts, reductions, collections, inprocessed, lemmas, .. } = stats;
                add(&mut work, [conflicts, restarts, reductions, collections, inprocessed, lemmas]);
            }
            Err(fault) => {
                CURRENT.store(u64::MAX, Ordering::Relaxed);
                report(seed, &trace, &fault, &args.out)?;
                faults += 1;
                if args.first {
                    break;
                }
            }
        }
    }
    let [sat, unsat, unknown, stopped] = total;
    let [conflicts, restarts, reductions, collections, inprocessed, lemmas] = work;
    println!("{conflicts} conflicts, {restarts} restarts, {reductions} reductions, {collections} collections");
    println!("{inprocessed} rounds of inprocessing, {lemmas} lemmas");
    println!(
        "{} traces from seed {} in {:.1} s: {sat} sat, {unsat} unsat, {unknown} unknown, {stopped} stopped; {faults} \
         faults",
        args.count,
        args.seed,
        start.elapsed().as_secs_f64()
    );
    Ok(if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn main() -> Result<ExitCode, Error> {
    let args = parse(std::env::args().skip(1))?;
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string);
        PLACE.with_borrow_mut(|known| *known = place.unwrap_or_default());
    }));
    if let Some(path) = &args.replay {
        replay(path)
    } else if let Some(path) = &args.shrink {
        shrink_apart(path, args.seconds)
    } else if args.show {
        println!("{}", Trace::random(args.seed));
        Ok(ExitCode::SUCCESS)
    } else {
        fuzz(&args)
    }
}
