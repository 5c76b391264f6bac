//! Text that a format writes must be read back as the same system and the same goal.

use impasse::formats::{Limits, Source, WriteError, apply_init, by_name, read};
use impasse::model::{
    Act, FormulaId, Goal, LocalId, Net, Problem, Property, Questions, SharedId, SystemModel, ThreadInit,
    ThreadTransitionSystem,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use testkit::marked::{Sample, truth};

/// Formats with a writer.
const FORMATS: [&str; 5] = ["spec", "tts", "pnml", "lola", "tina"];
/// Problems with more markings are compared by their text only.
const MOST_STATES: usize = 300;

/// Numbers of written texts, and of problems that a format could not express.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Trips {
    pub(crate) written: u64,
    pub(crate) refused: u64,
}

/// Writes and reads the sample in every format, with each of its goals separately.
///
/// # Errors
///
/// A description of the difference between what was written and what was read.
pub(crate) fn round_trip(sample: &Sample, trips: &mut Trips) -> Result<(), String> {
    if has_idle_transfer(&sample.problem) {
        return Ok(());
    }
    initial_states(&sample.problem)?;
    for property in sample.problem.properties() {
        let problem = alone(&sample.problem, property);
        for format in FORMATS {
            one(&problem, format, sample.bound, trips).map_err(|e| format!("{format}: {e}"))?;
        }
    }
    Ok(())
}

/// Returns the problem with one property. A thread-transition system gets the initial states with which a
/// `.tts` file is read.
fn alone(problem: &Problem, property: &Property) -> Problem {
    let formulas = problem.formula(property.goal).cloned().into_iter().collect::<Vec<_>>();
    let goal = if formulas.is_empty() { property.goal } else { Goal::Formula(FormulaId(0)) };
    let system = match problem.system() {
        SystemModel::Threads(system) => SystemModel::Threads(Arc::new(with_init(system, default_init()))),
        system => system.clone(),
    };
    Problem::new(
        system,
        Questions { formulas, properties: vec![Property::never("target", goal)], ..Questions::default() },
    )
    .expect("it fits")
}

fn one(problem: &Problem, format: &str, bound: u64, trips: &mut Trips) -> Result<(), String> {
    let format = by_name(format).ok_or("no such format")?;
    let mut text = Vec::new();
    match (format.write.ok_or("no writer")?)(problem, &mut text) {
        Ok(()) => trips.written += 1,
        Err(WriteError::Feature(_)) => {
            trips.refused += 1;
            return Ok(());
        }
        Err(error) => return Err(format!("{error:?}")),
    }
    let shown = String::from_utf8_lossy(&text).into_owned();
    let source = Source { name: format!("net.{}", format.extensions[0]), bytes: text };
    let read = read(source, Some(format.name), &Limits::default()).map_err(|e| format!("{e}\n{shown}"))?;
    let back = read.problem;
    same_system(problem, &back).map_err(|e| format!("{e}\n{shown}"))?;
    if back.properties().is_empty() {
        return Ok(()); // a format for systems only
    }
    let meanings = [problem, &back].map(|p| truth(p, bound, MOST_STATES));
    if meanings[0] == meanings[1] { Ok(()) } else { Err(format!("{meanings:?}\n{shown}")) }
}

fn same_system(wrote: &Problem, back: &Problem) -> Result<(), String> {
    match wrote.system() {
        SystemModel::Net(net) => match back.system() {
            SystemModel::Net(read) if same_net(net, read) => Ok(()),
            other => Err(format!("{net:?} became {other:?}")),
        },
        SystemModel::Threads(system) => match back.system() {
            SystemModel::Threads(read) if read == system => Ok(()),
            other => Err(format!("{system:?} became {other:?}")),
        },
        _ => Err("not a net".to_owned()),
    }
}

/// True if the nets are equal except for the names of their transitions.
fn same_net(a: &Net, b: &Net) -> bool {
    let rules = |net: &Net| net.transitions().iter().map(|t| (t.guards.clone(), t.effects.clone())).collect::<Vec<_>>();
    a.places() == b.places() && rules(a) == rules(b)
}

/// A `.tts` file has no initial states, so `--init` must restore them.
fn initial_states(problem: &Problem) -> Result<(), String> {
    let SystemModel::Threads(system) = problem.system() else { return Ok(()) };
    let other = problem.clone().on(Arc::new(with_init(system, default_init())));
    let mut other = other.map_err(|mismatch| mismatch.to_string())?;
    apply_init(&mut other, &init(system)).map_err(|e| e.to_string())?;
    match other.system() {
        SystemModel::Threads(got) if got == system => Ok(()),
        got => Err(format!("--init {} made {got:?}", init(system))),
    }
}

/// Returns the default initial states: any number of threads in local state 0.
fn default_init() -> ThreadInit {
    ThreadInit { shared: SharedId(0), threads: BTreeMap::new(), any: vec![LocalId(0)] }
}

fn with_init(system: &ThreadTransitionSystem, init: ThreadInit) -> ThreadTransitionSystem {
    let transitions = system.transitions().to_vec();
    ThreadTransitionSystem::new(system.shared(), system.locals(), init, transitions)
        .expect("only the initial states are others")
}

/// Returns the initial states in the form of `--init`.
fn init(system: &ThreadTransitionSystem) -> String {
    let init = system.initial();
    let threads = init.threads.iter().flat_map(|(l, n)| {
        let times = u32::try_from(n).expect("the generator makes few");
        (0..times).map(|_| l.0.to_string())
    });
    let threads: Vec<String> = threads.collect();
    let any: Vec<String> = init.any.iter().map(|l| l.0.to_string()).collect();
    let mut text = init.shared.0.to_string();
    if !threads.is_empty() {
        text += &format!("|{}", threads.join(","));
    }
    if !any.is_empty() {
        text += &format!("/{}", any.join(","));
    }
    text
}

/// True if some transfer leads to its own source. Such a transfer changes nothing and matters only because it
/// is enabled. Readers of `.tts` remove it as a self-loop.
fn has_idle_transfer(problem: &Problem) -> bool {
    match problem.system() {
        SystemModel::Threads(system) => system.transitions().iter().any(|t| t.act == Act::Transfer && t.from == t.to),
        _ => false,
    }
}
