//! Random C programs, compiled with `gcc -fwrapv -O0` and read by us. Both execute the same inputs, call by
//! call. An engine must not prove a label unreachable if gcc's program reaches it.
//!
//! Many programs share one compilation. Macros around the unchanged text of each program make its names unique.
//! Each word of inputs runs in a separate process, because runs may end by signals.

pub(crate) mod text;

use impasse::certify::Player;
use impasse::formats::{Limits, Source, read};
use impasse::model::{ErrorId, Goal, InputId, Outcome, Problem, Reactive, SystemModel};
use impasse::{Finding, Options, check};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Command;
use std::sync::Arc;
use testkit::Random;
use testkit::reactive::explore;
use text::INPUTS;

/// Number of programs in one compilation.
pub(crate) const TOGETHER: u64 = 100;
/// Number of words of inputs for each program, and number of their calls.
const WORDS: usize = 6;
const CALLS: usize = 10;
/// Engines are not run on programs with more valuations.
const MOST_VALUATIONS: usize = 200;

/// The head of every compilation.
const DRIVER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>
#include <sys/resource.h>
#define assert(e) ((e) ? (void)0 : gcc_stops("line", __LINE__))
void gcc_stops(const char *what, int number) { printf("%s %d\n", what, number); _exit(0); }
void __VERIFIER_error(int number) { gcc_stops("error", number); }
"#;

/// Counters over the compared programs.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) programs: u64,
    pub(crate) refused: BTreeMap<&'static str, u64>,
    pub(crate) calls: u64,
    pub(crate) outputs: u64,
    /// Number of calls that printed several letters, or that returned an undefined value.
    pub(crate) unspelt: u64,
    pub(crate) invalid: u64,
    /// Numbers of runs that ended at a label; by an assertion or a trap; in undefined behaviour.
    pub(crate) errors: u64,
    pub(crate) crashes: u64,
    pub(crate) undefined: u64,
    /// Number of programs on which engines were run, and the numbers of their answers.
    pub(crate) decided: u64,
    pub(crate) safe: u64,
    pub(crate) unsafes: u64,
    pub(crate) unknown: u64,
}

struct Sample {
    text: String,
    problem: Problem,
    program: Arc<Reactive>,
    words: Vec<Vec<usize>>,
    /// The line in the compilation before the program's first line.
    line: usize,
}

/// True if there is a gcc for x86-64.
pub(crate) fn is_there() -> bool {
    let answer = Command::new("gcc").arg("-dumpmachine").output();
    answer.is_ok_and(|answer| answer.stdout.starts_with(b"x86_64"))
}

/// Compares the programs for `seed` to `seed + count - 1`.
///
/// # Errors
///
/// A description of the first difference, with the program.
pub(crate) fn compare(seed: u64, count: u64, tally: &mut Tally) -> Result<(), String> {
    let mut samples = Vec::new();
    for number in 0..count {
        let rng = &mut Random::new(seed.wrapping_add(number));
        let text = text::program(rng);
        tally.programs += 1;
        let source = Source { name: "random.c".to_owned(), bytes: text.clone().into_bytes() };
        match read(source, Some("c"), &Limits::default()) {
            Ok(read) => {
                let SystemModel::Reactive(program) = read.problem.system() else { return Err("no program".to_owned()) };
                let words = (0..WORDS).map(|_| (0..CALLS).map(|_| rng.below(INPUTS.len())).collect()).collect();
                samples.push(Sample { text, program: program.clone(), problem: read.problem, words, line: 0 });
            }
            Err(error) => *tally.refused.entry(error.code()).or_default() += 1,
        }
    }
    let output = compile_and_run(&mut samples)?;
    let mut runs = output.split("word\n").skip(1);
    for sample in &samples {
        let mut reached = BTreeSet::new();
        for word in &sample.words {
            let run = runs.next().ok_or("gcc's program ends early")?;
            follow(sample, word, run, &mut reached, tally).map_err(|wrong| {
                let word: Vec<i32> = word.iter().map(|&i| INPUTS[i]).collect();
                format!("{wrong}\ninputs {word:?}\n{}\ngcc's run:\n{run}", sample.text)
            })?;
        }
        decide(sample, &reached, tally).map_err(|wrong| format!("{wrong}\n{}", sample.text))?;
    }
    Ok(())
}

/// Returns the text that is compiled: the head, all programs, and a `main` that executes their words.
fn compilation(samples: &mut [Sample]) -> String {
    let mut all = DRIVER.to_owned();
    let mut runs = String::new();
    for (number, sample) in samples.iter_mut().enumerate() {
        let names = ["inputs", "x0", "x1", "x2", "k", "t", "u", "p", "h0", "h1", "calculate_output", "main"];
        for name in names {
            writeln!(all, "#define {name} {name}_{number}").expect("texts grow");
        }
        sample.line = all.lines().count();
        all.push_str(&sample.text);
        for name in names {
            writeln!(all, "#undef {name}").expect("texts grow");
        }
        let value = if sample.text.contains("int calculate_output") { "value = " } else { "" };
        for word in &sample.words {
            runs.push_str("  if (begin()) {\n    int value = 0;\n");
            for &input in word {
                let letter = INPUTS[input];
                writeln!(
                    runs,
                    "    {value}calculate_output_{number}({letter});\n    printf(\"call %d %d %d %d\\n\", value, \
                     x0_{number}, \
                     x1_{number}, x2_{number});"
                )
                .expect("texts grow");
            }
            runs.push_str("    _exit(0);\n  }\n");
        }
    }
    let begin = "int begin(void) {\n  int status, child;\n  printf(\"word\\n\");\n  child = fork();\n  if (child == \
                 0) return 1;\n  \
                 waitpid(child, &status, 0);\n  if (WIFSIGNALED(status)) printf(\"signal %d\\n\", \
                 WTERMSIG(status));\n  return 0;\n}\n";
    let main = "int main() {\n  struct rlimit none = {0, 0};\n  setrlimit(RLIMIT_CORE, &none);\n  setvbuf(stdout, \
                NULL, _IONBF, 0);\n";
    format!("{all}\n{begin}{main}{runs}  return 0;\n}}\n")
}

fn compile_and_run(samples: &mut [Sample]) -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (source, binary) = (folder.path().join("all.c"), folder.path().join("all"));
    std::fs::write(&source, compilation(samples)).map_err(|error| error.to_string())?;
    let compiler = Command::new("gcc").args(["-fwrapv", "-O0", "-w", "-o"]).arg(&binary).arg(&source).output();
    let compiler = compiler.map_err(|error| error.to_string())?;
    if !compiler.status.success() {
        let messages = String::from_utf8_lossy(&compiler.stderr).into_owned();
        let lines: Vec<String> =
            std::fs::read_to_string(&source).unwrap_or_default().lines().map(String::from).collect();
        let line = messages.split("all.c:").nth(2).and_then(|rest| rest.split(':').next()?.parse::<usize>().ok());
        let line = line.and_then(|line| lines.get(line - 1).cloned()).unwrap_or_default();
        return Err(format!("gcc refuses what we read:\n{messages}\n{line}"));
    }
    let run = Command::new(&binary).output().map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&run.stdout).into_owned())
}

/// Follows gcc's execution of a word, as long as the behaviour is defined.
fn follow(
    sample: &Sample,
    word: &[usize],
    run: &str,
    reached: &mut BTreeSet<u32>,
    tally: &mut Tally,
) -> Result<(), String> {
    let program = &sample.program;
    let mut player = Player::new(program);
    let mut lines = run.lines();
    for (number, &input) in word.iter().enumerate() {
        tally.calls += 1;
        let outcome = player.call(InputId::new(input));
        if outcome_is_undefined(program, outcome) {
            tally.undefined += 1;
            return Ok(());
        }
        let mut printed = Vec::new();
        let end = loop {
            let line = lines.next().ok_or_else(|| format!("call {number}: gcc's run ends without a word"))?;
            match line.parse::<i32>() {
                Ok(letter) => printed.push(letter),
                Err(_) => break line,
            }
        };
        let of = |what: &str| format!("call {number}: we say {outcome:?}, gcc {end}: {what}");
        if program.convention() == impasse::model::reactive::Convention::Printed && printed != player.letters() {
            return Err(of(&format!("letters {:?} and {printed:?}", player.letters())));
        }
        let stopped = stopped(sample, end);
        match (outcome, stopped) {
            (Outcome::Error(error), Some(Some(label))) if program.errors()[error.index()] == label => {
                reached.insert(label);
                tally.errors += 1;
                return Ok(());
            }
            (Outcome::Crash, Some(None)) => {
                tally.crashes += 1;
                return Ok(());
            }
            (Outcome::Error(_) | Outcome::Crash, _) | (_, Some(_)) => return Err(of("ends")),
            _ => goes_on(sample, &player, outcome, end).map_err(|wrong| of(&wrong))?,
        }
        tally.outputs += u64::from(matches!(outcome, Outcome::Output(_)));
        tally.unspelt += u64::from(outcome == Outcome::Unspelt);
        tally.invalid += u64::from(outcome == Outcome::Invalid);
    }
    Ok(())
}

fn outcome_is_undefined(program: &Reactive, outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Error(error) if Some(error) == program.undefined())
}

/// Returns how gcc's execution stopped: `Some(Some(label))` if it stopped at a label, `Some(None)` if it
/// stopped otherwise, and `None` if it did not stop.
fn stopped(sample: &Sample, end: &str) -> Option<Option<u32>> {
    let (what, number) = end.split_once(' ')?;
    match what {
        "signal" => Some(None),
        "error" => Some(number.parse().ok()),
        "line" => {
            let line = number.parse::<usize>().ok()? - sample.line - 1;
            let text = sample.text.lines().nth(line).unwrap_or_default().trim();
            let label = text.strip_prefix("error_").and_then(|rest| rest.split(':').next());
            Some(label.and_then(|label| label.parse().ok()))
        }
        _ => None,
    }
}

/// Compares the state after a call, and its returned value.
fn goes_on(sample: &Sample, player: &Player<'_>, outcome: Outcome, end: &str) -> Result<(), String> {
    let numbers: Vec<i32> = end.split(' ').skip(1).filter_map(|number| number.parse().ok()).collect();
    let [value, values @ ..] = numbers.as_slice() else { return Err("is no call".to_owned()) };
    let program = &sample.program;
    let ours: Vec<i32> = ["x0", "x1", "x2"]
        .iter()
        .filter_map(|name| {
            program.initial().iter().enumerate().position(|(i, _)| program.name(impasse::model::VarId::new(i)) == *name)
        })
        .map(|var| player.values()[var])
        .collect();
    if ours != values {
        return Err(format!("variables {ours:?}"));
    }
    let is_returned = program.convention() == impasse::model::reactive::Convention::Returned;
    let fits = match outcome {
        Outcome::Output(letter) => *value == letter,
        // By the rules of the challenge, a rule that assigns and returns -2 has fired silently.
        Outcome::Silent => matches!(value, -1 | -2),
        _ => true,
    };
    if is_returned && !fits { Err("another value".to_owned()) } else { Ok(()) }
}

/// Checks the engines' answers on programs with few valuations.
fn decide(sample: &Sample, reached: &BTreeSet<u32>, tally: &mut Tally) -> Result<(), String> {
    if sample.problem.properties().is_empty() || explore(&sample.program, MOST_VALUATIONS).is_none() {
        return Ok(());
    }
    tally.decided += 1;
    for answer in &check(&sample.problem, &Options::default()).answers {
        if let Finding::Rejected { why } = &answer.finding {
            return Err(format!("the evidence of {} is wrong: {why}", answer.engine));
        }
        let Goal::Error(ErrorId(label)) = answer.property.goal else { continue };
        let number = sample.program.errors()[label as usize];
        let is_reached = reached.contains(&number);
        if is_reached && !answer.is_unsafe() {
            return Err(format!("gcc reaches error_{number}: {:?}", answer.finding));
        }
        tally.safe += u64::from(answer.is_safe());
        tally.unsafes += u64::from(answer.is_unsafe());
        tally.unknown += u64::from(!answer.is_safe() && !answer.is_unsafe());
    }
    Ok(())
}
