//! Engines for circuits. Engines for outputs also decide justice properties and circuits with memories, on translated
//! circuits ([`Recurrence`], [`Followed`], [`Expanded`]).

use crate::engines;
use crate::entrant::{Entrant, Role};
use crate::options::Options;
use crate::plan::{self, Subject, entrants};
use crate::row::{Call, Circuits};
use circuits::CircuitIc3;
use circuits::correspondence::Host;
use circuits::{Bmc, Corresponding, Expanded, Followed, Hosted, KInduction, Recurrence};
use circuits::{CircuitWalk, MemoryWalk};
use model::{Circuit, CircuitTask, Engine, Goal, JusticeId, OutputId, Translation};
use std::sync::Arc;

/// The circuit and its goals, with the seed of random simulation.
pub(crate) struct Task {
    outputs: CircuitTask,
    justice: Vec<JusticeId>,
    seed: u64,
}

pub(crate) fn plan<'a>(circuit: &Arc<Circuit>, goals: Vec<Goal>, options: &'a Options<'_>) -> Vec<Entrant<'a>> {
    let justice = |goal: &Goal| if let Goal::Justice(justice) = goal { Some(*justice) } else { None };
    // No engine finds infinite runs of circuits with memories, so their justice properties are not supported.
    let (justice, unsupported): (Vec<JusticeId>, Vec<Goal>) = match circuit.memories().is_empty() {
        true => (goals.iter().filter_map(justice).collect(), Vec::new()),
        false => (Vec::new(), goals.iter().copied().filter(|goal| justice(goal).is_some()).collect()),
    };
    let task = Arc::new(Task {
        outputs: CircuitTask::new(Arc::clone(circuit), goals.iter().copied()),
        justice,
        seed: options.seed,
    });
    let goals = goals.into_iter().filter(|goal| !unsupported.contains(goal)).collect();
    let explore_all = options.explore_all;
    let mut list = entrants::<Circuits>(
        &Subject { task, entries: |row| row.circuit, goals, threads: 0, explore_all, is_bounded: false },
        options,
    );
    if !unsupported.is_empty() {
        list.push(plan::unsupported(unsupported));
    }
    list
}

/// Creates IC3 on bits.
pub(crate) fn ic3<'a>(call: &Call<'a, Circuits>) -> Vec<Entrant<'a>> {
    let plain = |task: &CircuitTask, _| -> Box<dyn Engine> { Box::new(ic3_after_merging(task.clone())) };
    if !call.task.outputs.circuit().memories().is_empty() {
        // Proofs that follow some words compare addresses, which needs names for gates.
        let named = |task: &CircuitTask, _| -> Box<dyn Engine> {
            let options = circuits::ic3::Options { signals: true, ..Default::default() };
            Box::new(CircuitIc3::new(task, &options))
        };
        return with_memories(call, engines::IC3.name, Role::Main, named, plain);
    }
    all(call, engines::IC3.name, Role::Main, plain)
}

/// IC3 on bits, from some time on with equal nodes merged.
pub(crate) fn ic3_after_merging(task: CircuitTask) -> Corresponding<'static> {
    Corresponding::new(task, Box::new(|task| Box::new(CircuitIc3::new(task, &circuits::ic3::Options::default()))))
}

/// Creates k-liveness on IC3, for justice properties.
pub(crate) fn k_liveness<'a>(call: &Call<'a, Circuits>) -> Vec<Entrant<'a>> {
    let host = |task: &CircuitTask, _| -> Box<dyn Engine> { Box::new(ic3_after_merging(task.clone())) };
    for_justice(call, engines::K_LIVENESS.name, Role::Main, Translation::Count(0), host)
}

/// Creates k-induction.
pub(crate) fn k_induction<'a>(call: &Call<'a, Circuits>) -> Vec<Entrant<'a>> {
    all(call, engines::K_INDUCTION.name, without_end(call), |task, _| Box::new(KInduction::new(task)))
}

/// Creates bounded model checking.
pub(crate) fn bmc<'a>(call: &Call<'a, Circuits>) -> Vec<Entrant<'a>> {
    all(call, engines::BMC.name, without_end(call), |task, _| Box::new(Bmc::new(task)))
}

/// Creates random simulation.
pub(crate) fn walk<'a>(call: &Call<'a, Circuits>) -> Vec<Entrant<'a>> {
    let host = |task: &CircuitTask, seed| -> Box<dyn Engine> { Box::new(CircuitWalk::new(task, seed)) };
    if !call.task.outputs.circuit().memories().is_empty() {
        // Many runs at a time, if there are latches for all words.
        if let Some(entrant) = expanding(call, engines::WALK.name, without_end(call), host) {
            return vec![entrant];
        }
        let task = Arc::clone(&call.task);
        let made = move || -> Option<Box<dyn Engine>> { Some(Box::new(MemoryWalk::new(&task.outputs, task.seed))) };
        let goals = call.task.outputs.goals().collect();
        return vec![Entrant::made(engines::WALK.name, made).in_role(without_end(call)).only_for(goals)];
    }
    all(call, engines::WALK.name, without_end(call), host)
}

/// The role of an engine that may search without end.
fn without_end(call: &Call<'_, Circuits>) -> Role {
    if call.by_name { Role::Main } else { Role::Assistant { ahead: 0 } }
}

/// Creates an engine for outputs. The number is the seed of random simulation.
type Make = fn(&CircuitTask, u64) -> Box<dyn Engine>;

/// Returns an engine for all outputs together, and one for each justice property. Circuits with memories have an engine
/// for each output, and one that follows all words.
fn all<'a>(call: &Call<'a, Circuits>, name: &'static str, role: Role, make: Make) -> Vec<Entrant<'a>> {
    if !call.task.outputs.circuit().memories().is_empty() {
        return with_memories(call, name, role, make, make);
    }
    let mut list = Vec::new();
    if !call.task.outputs.outputs().is_empty() || call.task.justice.is_empty() {
        let task = Arc::clone(&call.task);
        let made = move || -> Option<Box<dyn Engine>> { Some(make(&task.outputs, task.seed)) };
        let entrant = Entrant::made(name, made).in_role(role);
        let goals = call.task.outputs.goals().collect();
        list.push(if call.task.justice.is_empty() { entrant } else { entrant.only_for(goals) });
    }
    list.extend(for_justice(call, name, role, Translation::Loop, make));
    list
}

/// Returns the engines for a circuit with memories: those that follow some words, and one that follows all of them.
/// Neither can be left out where both are possible: some words are enough for most short runs, and all words for proofs
/// that need them all.
fn with_memories<'a>(
    call: &Call<'a, Circuits>,
    name: &'static str,
    role: Role,
    some: Make,
    every: Make,
) -> Vec<Entrant<'a>> {
    let mut list = following(call, name, role, some);
    list.extend(expanding(call, name, role, every));
    list
}

/// Returns an engine for each output of a circuit with memories, because each has words of its own to follow.
fn following<'a>(call: &Call<'a, Circuits>, name: &'static str, role: Role, make: Make) -> Vec<Entrant<'a>> {
    let entrant = |&output: &OutputId| {
        let task = Arc::clone(&call.task);
        let made = move || -> Option<Box<dyn Engine>> {
            let followed = Followed::new(Arc::clone(task.outputs.circuit()), output);
            Some(Box::new(Hosted::new(name, followed, host(make, task.seed))))
        };
        Entrant::made(name, made).in_role(role).only_for(vec![Goal::Output(output)])
    };
    call.task.outputs.outputs().iter().map(entrant).collect()
}

/// Returns an engine for all outputs of a circuit with memories that have few words.
fn expanding<'a>(call: &Call<'a, Circuits>, name: &'static str, role: Role, make: Make) -> Option<Entrant<'a>> {
    let goals: Vec<Goal> = call.task.outputs.goals().collect();
    let expanded = Expanded::new(call.task.outputs.clone()).filter(|_| !goals.is_empty())?;
    let seed = call.task.seed;
    let made = move || -> Option<Box<dyn Engine>> { Some(Box::new(Hosted::new(name, expanded, host(make, seed)))) };
    Some(Entrant::made(name, made).in_role(role).only_for(goals))
}

/// Creates engines with this seed.
fn host(make: Make, seed: u64) -> Host<'static> {
    Box::new(move |task| make(task, seed))
}

/// Returns an engine for each justice property, by this translation.
fn for_justice<'a>(
    call: &Call<'a, Circuits>,
    name: &'static str,
    role: Role,
    translation: Translation,
    make: Make,
) -> Vec<Entrant<'a>> {
    let entrant = |&justice: &JusticeId| {
        let task = Arc::clone(&call.task);
        let made = move || -> Option<Box<dyn Engine>> {
            let circuit = Arc::clone(task.outputs.circuit());
            let recurrence = match translation {
                Translation::Loop => Recurrence::looping(circuit, justice),
                Translation::Count(_) => Recurrence::counting(circuit, justice),
            };
            Some(Box::new(Hosted::new(name, recurrence, host(make, task.seed))))
        };
        Entrant::made(name, made).in_role(role).only_for(vec![Goal::Justice(justice)])
    };
    call.task.justice.iter().map(entrant).collect()
}
