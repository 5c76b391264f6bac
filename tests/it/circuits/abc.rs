//! Files of random circuits, read by berkeley-abc. It must find the same frame in which each output is first
//! true. When it reads a file of ours and writes it again, the result must have the same meaning.

use impasse::formats::{Limits, Source, by_name, read};
use impasse::model::{Goal, Problem, SystemModel};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use testkit::circuit::{circuit, problem, truth};

const ABC: &str = "berkeley-abc";
/// Number of frames that berkeley-abc explores.
const FRAMES: u64 = 40;
/// Limit on the states of a circuit. The generator makes fewer, and constraints that are folded into latches
/// add some.
const MOST_STATES: usize = 20_000;

/// Counters over the compared circuits.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) circuits: u64,
    pub(crate) outputs: u64,
    pub(crate) constrained: u64,
    pub(crate) violated: u64,
    pub(crate) deepest: u64,
    /// Circuits without an answer. The bounded check of berkeley-abc refuses circuits without latches and
    /// crashes on some with several outputs.
    pub(crate) silent: u64,
}

/// True if the tool is installed.
pub(crate) fn is_there() -> bool {
    Command::new(ABC).args(["-c", "quit"]).output().is_ok()
}

/// For each output that can be true: the first frame (from 1) in which the output is true.
type First = BTreeMap<usize, u64>;

/// Compares all outputs of the circuit of a seed.
///
/// # Errors
///
/// A description of the difference.
pub(crate) fn compare(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let problem = problem(circuit(seed));
    let ours = first(&problem)?;
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let [there, back] = ["there.aig", "back.aig"].map(|name| folder.path().join(name));
    fs::write(&there, written("aig", &problem)?).map_err(|e| e.to_string())?;
    let (from, to) = (there.display(), back.display());
    let script = format!("&read {from}; &put; fold; write_aiger {to}; bmc3 -a -F {FRAMES}");
    let output = Command::new(ABC).args(["-c", &script]).output().map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout);
    tally.circuits += 1;
    let Some(theirs) = first_frames(&said) else {
        tally.silent += 1;
        return Ok(());
    };
    let wrong = |what: String| {
        let text = written("aag", &problem).unwrap_or_default();
        format!("{what}\n{said}\n{}", String::from_utf8_lossy(&text))
    };
    let within: First = ours.iter().map(|(o, frame)| (*o, *frame)).filter(|(_, frame)| *frame <= FRAMES).collect();
    if theirs != within {
        return Err(wrong(format!("first true in frames {theirs:?}, ours {ours:?}")));
    }
    let returned = read_back(&back).map_err(&wrong)?;
    if returned != ours {
        return Err(wrong(format!("what came back is true in frames {returned:?}, ours {ours:?}")));
    }
    let SystemModel::Circuit(circuit) = problem.system() else { return Err("no circuit".to_owned()) };
    tally.constrained += u64::from(!circuit.constraints().is_empty());
    tally.outputs += problem.properties().len() as u64;
    tally.violated += theirs.len() as u64;
    tally.deepest = tally.deepest.max(theirs.values().copied().max().unwrap_or(0));
    Ok(())
}

/// Returns the frames (from 1) in the tool's answer. `None` if the answer is incomplete.
fn first_frames(answer: &str) -> Option<First> {
    let mut first = First::new();
    for line in answer.lines() {
        let Some((output, frame)) = line.split_once(" was asserted in frame") else { continue };
        let output = output.trim_start().strip_prefix("Output ")?.split_whitespace().next()?.parse().ok()?;
        let frame: u64 = frame.split_whitespace().next()?.trim_end_matches('.').parse().ok()?;
        first.insert(output, frame + 1);
    }
    let is_whole =
        ["No output asserted in", "Explored all reachable states", "outputs are SAT", "outputs are found to be SAT"];
    is_whole.iter().any(|words| answer.contains(words)).then_some(first)
}

/// Returns the result of brute force for all properties, by their numbers.
fn first(problem: &Problem) -> Result<First, String> {
    let SystemModel::Circuit(circuit) = problem.system() else { return Err("no circuit".to_owned()) };
    let truth = truth(circuit, MOST_STATES).ok_or("too large")?;
    let of = |(number, goal): (usize, Goal)| match goal {
        Goal::Output(output) => truth.shortest.get(&output).map(|frame| (number, *frame)),
        _ => None,
    };
    Ok(problem.goals().enumerate().filter_map(of).collect())
}

fn written(format: &str, problem: &Problem) -> Result<Vec<u8>, String> {
    let write = by_name(format).and_then(|format| format.write).ok_or("no writer")?;
    let mut bytes = Vec::new();
    write(problem, &mut bytes).map_err(|e| format!("{e:?}"))?;
    Ok(bytes)
}

/// Returns the result of brute force for the outputs of a file.
fn read_back(file: &Path) -> Result<First, String> {
    let bytes = fs::read(file).map_err(|e| e.to_string())?;
    let source = Source { name: "back.aig".to_owned(), bytes };
    first(&read(source, None, &Limits::default()).map_err(|e| e.to_string())?.problem)
}
