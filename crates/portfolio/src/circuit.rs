//! Engines for circuits. Engines for outputs also decide justice properties and circuits with memories, on translated
//! circuits ([`Recurrence`], [`Followed`], [`Expanded`]).

use crate::entrant::{Entrant, Role};
use crate::row::{Call, Circuits, SystemKind};
use crate::select::{Selection, Subject};
use circuits::correspondence::Host;
use circuits::{
    Bmc, CircuitIc3, CircuitWalk, Corresponding, Expanded, Followed, Hosted, KInduction, MemoryWalk, Recurrence,
};
use model::{Circuit, CircuitTask, Engine, Goal, JusticeId, OutputId, Translation};
use std::sync::Arc;

/// The circuit and its goals, with the seed of random simulation.
pub(crate) struct Task {
    outputs: CircuitTask,
    justice: Vec<JusticeId>,
    seed: u64,
}

impl Task {
    fn has_memories(&self) -> bool {
        !self.outputs.circuit().memories().is_empty()
    }
}

impl SystemKind for Circuits {
    type Task<'a> = Task;
}

pub(crate) fn plan<'a>(circuit: &Arc<Circuit>, goals: Vec<Goal>, from: Selection<'a>) -> Vec<Entrant<'a>> {
    let justice = |goal: &Goal| if let Goal::Justice(justice) = goal { Some(*justice) } else { None };
    let outputs = CircuitTask::new(Arc::clone(circuit), goals.iter().copied());
    let mut task = Task { outputs, justice: goals.iter().filter_map(justice).collect(), seed: from.options.seed };
    let (mut goals, mut unsupported) = (goals, Vec::new());
    if task.has_memories() {
        // No engine finds infinite runs of circuits with memories, so their justice properties are not supported.
        unsupported = goals.extract_if(.., |goal| justice(goal).is_some()).collect();
        task.justice.clear();
    }
    let mut list = from.entrants(&Subject::new(|row| row.circuit, task, goals));
    list.extend((!unsupported.is_empty()).then(|| Entrant::unsupported(unsupported)));
    list
}

/// Creates IC3 on bits.
pub(crate) fn ic3<'a>(call: &Call<'a, Circuits>) -> Vec<Entrant<'a>> {
    let plain = |task: &CircuitTask, _| -> Box<dyn Engine> { Box::new(ic3_after_merging(task.clone())) };
    if call.task.has_memories() {
        // Proofs that follow some words compare addresses, which needs names for gates.
        let named = |task: &CircuitTask, _| -> Box<dyn Engine> {
            let options = circuits::ic3::Options { signals: true, ..Default::default() };
            Box::new(CircuitIc3::new(task, &options))
        };
        return with_memories(call, Role::Main, named, plain);
    }
    all(call, Role::Main, plain)
}

/// IC3 on bits, from some time on with equal nodes merged.
pub(crate) fn ic3_after_merging(task: CircuitTask) -> Corresponding<'static> {
    Corresponding::new(task, Box::new(|task| Box::new(CircuitIc3::new(task, &circuits::ic3::Options::default()))))
}

/// Creates k-liveness on IC3, for justice properties.
pub(crate) fn k_liveness<'a>(call: &Call<'a, Circuits>) -> Vec<Entrant<'a>> {
    for_justice(call, Role::Main, Translation::Count(0), |task, _| Box::new(ic3_after_merging(task.clone())))
}

/// Creates k-induction.
pub(crate) fn k_induction<'a>(call: &Call<'a, Circuits>) -> Vec<Entrant<'a>> {
    all(call, call.role(WITHOUT_END), |task, _| Box::new(KInduction::new(task)))
}

/// Creates bounded model checking.
pub(crate) fn bmc<'a>(call: &Call<'a, Circuits>) -> Vec<Entrant<'a>> {
    all(call, call.role(WITHOUT_END), |task, _| Box::new(Bmc::new(task)))
}

/// Creates random simulation.
pub(crate) fn walk<'a>(call: &Call<'a, Circuits>) -> Vec<Entrant<'a>> {
    let (make, role): (Make, Role) = (|task, seed| Box::new(CircuitWalk::new(task, seed)), call.role(WITHOUT_END));
    if !call.task.has_memories() {
        return all(call, role, make);
    }
    // Many runs at a time, if there are latches for all words.
    let one_by_one = || {
        let entrant = call.entrant(|call| MemoryWalk::new(&call.task.outputs, call.task.seed));
        entrant.in_role(role).only_for(call.task.outputs.goals().collect())
    };
    vec![expanding(call, role, make).unwrap_or_else(one_by_one)]
}

/// The role in `auto` of an engine that may search without end.
const WITHOUT_END: Role = Role::Assistant { ahead: 0 };

/// Creates an engine for outputs. The number is the seed of random simulation.
type Make = fn(&CircuitTask, u64) -> Box<dyn Engine>;

/// Returns an engine for all outputs together, and one for each justice property. Circuits with memories have an engine
/// for each output, and one that follows all words.
fn all<'a>(call: &Call<'a, Circuits>, role: Role, make: Make) -> Vec<Entrant<'a>> {
    let Task { outputs, justice, .. } = &*call.task;
    if call.task.has_memories() {
        return with_memories(call, role, make, make);
    }
    let mut list = Vec::new();
    if !outputs.outputs().is_empty() || justice.is_empty() {
        let entrant = call.paid(0, move |call| Some(make(&call.task.outputs, call.task.seed))).in_role(role);
        list.push(if justice.is_empty() { entrant } else { entrant.only_for(outputs.goals().collect()) });
    }
    list.extend(for_justice(call, role, Translation::Loop, make));
    list
}

/// Returns the engines for a circuit with memories: those that follow some words, and one that follows all of them.
/// Neither can be left out where both are possible: some words are enough for most short runs, and all words for proofs
/// that need them all.
fn with_memories<'a>(call: &Call<'a, Circuits>, role: Role, some: Make, every: Make) -> Vec<Entrant<'a>> {
    let mut list = following(call, role, some);
    list.extend(expanding(call, role, every));
    list
}

/// Returns an engine for each output of a circuit with memories, because each has words of its own to follow.
fn following<'a>(call: &Call<'a, Circuits>, role: Role, make: Make) -> Vec<Entrant<'a>> {
    let entrant = |&output: &OutputId| {
        translated(call, role, vec![Goal::Output(output)], make, move |circuit, name, host| {
            Hosted::new(name, Followed::new(circuit, output), host)
        })
    };
    call.task.outputs.outputs().iter().map(entrant).collect()
}

/// Returns an engine for all outputs of a circuit with memories that have few words.
fn expanding<'a>(call: &Call<'a, Circuits>, role: Role, make: Make) -> Option<Entrant<'a>> {
    let goals: Vec<Goal> = call.task.outputs.goals().collect();
    let expanded = Expanded::new(call.task.outputs.clone()).filter(|_| !goals.is_empty())?;
    Some(translated(call, role, goals, make, |_, name, host| Hosted::new(name, expanded, host)))
}

/// Returns an engine for each justice property, by this translation.
fn for_justice<'a>(call: &Call<'a, Circuits>, role: Role, by: Translation, make: Make) -> Vec<Entrant<'a>> {
    let entrant = |&justice: &JusticeId| {
        translated(call, role, vec![Goal::Justice(justice)], make, move |circuit, name, host| {
            let recurrence = match by {
                Translation::Loop => Recurrence::looping(circuit, justice),
                Translation::Count(_) => Recurrence::counting(circuit, justice),
            };
            Hosted::new(name, recurrence, host)
        })
    };
    call.task.justice.iter().map(entrant).collect()
}

/// Returns an engine that works on a translated circuit.
fn translated<'a, E: Engine + 'a>(
    call: &Call<'a, Circuits>,
    role: Role,
    goals: Vec<Goal>,
    make: Make,
    engine: impl FnOnce(Arc<Circuit>, &'static str, Host<'static>) -> E + Send + 'a,
) -> Entrant<'a> {
    let entrant = call.entrant(move |call| {
        let (circuit, seed) = (Arc::clone(call.task.outputs.circuit()), call.task.seed);
        engine(circuit, call.name, Box::new(move |task| make(task, seed)))
    });
    entrant.in_role(role).only_for(goals)
}
