//! The projection of a program with unbounded data onto some of its threads, the *kept* threads.
//!
//! The projected program has the kept threads, in order, with their variables, and one more thread if the other threads
//! request something: it requests every family of events that some outcome of another thread requests, with any
//! arguments, and never blocks. Some kept threads are *targets*. Bad locations of kept threads that are no targets
//! become ordinary locations in which the thread ignores all events.
//!
//! Every run of the program, restricted to the kept threads, is a run of the projection. Proof by induction: at a step
//! of the program no kept thread blocks the event, and some thread requests it, which is kept or counts in the added
//! thread. Kept threads do in the projection what they do in the program, until the run of the program ends.
//!
//! So if no target is ever at a bad location in the projection, no target is in the program.

use super::{
    Constraint, DataCertificate, DataProgram, DataThread, DataVariable, Decision, Linear, Location, LocationKind,
    Outcome, Symbol,
};
use crate::ids::{DecisionId, EventId, LocationId, ThreadId, VariableId};
use std::collections::{BTreeMap, BTreeSet};

/// A proof that some threads never are at a bad location: an invariant of a projection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataProjection {
    /// The kept threads, ascending.
    pub kept: Vec<ThreadId>,
    /// The threads that the proof is about, ascending. All of them are kept.
    pub targets: Vec<ThreadId>,
    /// The invariant of the projected program, with its proofs. It excludes bad locations.
    pub invariant: DataCertificate,
}

impl DataProgram {
    /// Returns the projection onto the kept threads. `O(size)`.
    ///
    /// # Errors
    /// If the lists are not ascending, name unknown threads, or if a target is not kept.
    pub fn projected(&self, kept: &[ThreadId], targets: &[ThreadId]) -> Result<Self, String> {
        let is_ascending = |list: &[ThreadId]| list.windows(2).all(|pair| pair[0] < pair[1]);
        if !is_ascending(kept) || !is_ascending(targets) || kept.last().is_some_and(|t| t.index() >= self.threads.len())
        {
            return Err("threads are not known, or not ascending".to_owned());
        }
        if targets.iter().any(|target| kept.binary_search(target).is_err()) {
            return Err("a target is not kept".to_owned());
        }
        let renaming = Renaming::new(self, kept);
        let mut threads: Vec<DataThread> = kept
            .iter()
            .map(|id| renaming.thread(&self.threads[id.index()], targets.binary_search(id).is_ok()))
            .collect();
        let others = self.threads.iter().enumerate().filter(|(t, _)| kept.binary_search(&ThreadId::new(*t)).is_err());
        let requested: BTreeSet<EventId> = others.flat_map(|(_, thread)| thread.requested()).collect();
        if !requested.is_empty() {
            threads.push(requesting(requested, &threads));
        }
        Self::new(renaming.variables, self.events.clone(), threads)
    }
}

/// The new numbers of variables and threads.
struct Renaming {
    variables: Vec<DataVariable>,
    /// By old number.
    variable: BTreeMap<VariableId, VariableId>,
    thread: BTreeMap<ThreadId, ThreadId>,
}

impl Renaming {
    fn new(program: &DataProgram, kept: &[ThreadId]) -> Self {
        let thread: BTreeMap<ThreadId, ThreadId> =
            kept.iter().enumerate().map(|(new, old)| (*old, ThreadId::new(new))).collect();
        let (mut variables, mut variable) = (Vec::new(), BTreeMap::new());
        for (old, of) in program.variables.iter().enumerate() {
            if let Some(owner) = thread.get(&of.thread) {
                variable.insert(VariableId::new(old), VariableId::new(variables.len()));
                variables.push(DataVariable { name: of.name.clone(), thread: *owner });
            }
        }
        Self { variables, variable, thread }
    }

    fn thread(&self, thread: &DataThread, is_target: bool) -> DataThread {
        let location = |location: &Location| match location.kind {
            LocationKind::Bad if !is_target => {
                Location { kind: LocationKind::Plain, on: BTreeMap::new(), ..location.clone() }
            }
            _ => location.clone(),
        };
        DataThread {
            name: thread.name.clone(),
            locations: thread.locations.iter().map(location).collect(),
            decisions: thread.decisions.iter().map(|decision| self.decision(decision)).collect(),
            initial: thread.initial,
        }
    }

    fn decision(&self, decision: &Decision) -> Decision {
        match decision {
            Decision::Test { constraint, yes, no } => {
                Decision::Test { constraint: self.constraint(constraint), yes: *yes, no: *no }
            }
            Decision::Divide { term, by, quotient, then } => {
                Decision::Divide { term: self.linear(term), by: by.clone(), quotient: *quotient, then: *then }
            }
            Decision::Any { .. } | Decision::Choose(_) => decision.clone(),
            Decision::End(outcome) => {
                let update = |(variable, value): &(VariableId, Linear)| (self.variable[variable], self.linear(value));
                let go = outcome.go.as_ref().map(|(to, updates)| (*to, updates.iter().map(update).collect()));
                Decision::End(Outcome { go, ..*outcome })
            }
        }
    }

    fn symbol(&self, symbol: Symbol) -> Symbol {
        match symbol {
            Symbol::Variable(id) => Symbol::Variable(self.variable[&id]),
            Symbol::Input(thread, number) => Symbol::Input(self.thread[&thread], number),
            Symbol::Argument(_) => symbol,
        }
    }

    fn linear(&self, linear: &Linear) -> Linear {
        let terms = linear.terms().iter().map(|(symbol, factor)| (self.symbol(*symbol), factor.clone()));
        Linear::new(terms, linear.constant().clone())
    }

    fn constraint(&self, constraint: &Constraint) -> Constraint {
        Constraint::at_most_zero(&self.linear(constraint.term()))
    }
}

impl DataThread {
    /// Returns the families of events that some outcome of the thread requests. `O(size)`.
    #[must_use]
    pub fn requested(&self) -> BTreeSet<EventId> {
        // Parts come before the decisions that they belong to.
        let mut requests = Vec::with_capacity(self.decisions.len());
        for decision in &self.decisions {
            requests.push(match decision {
                Decision::End(outcome) => outcome.requests,
                decision => decision.parts().iter().any(|part| requests[part.index()]),
            });
        }
        let decisions = self.locations.iter().flat_map(|location| &location.on);
        decisions.filter(|(_, decision)| requests[decision.index()]).map(|(event, _)| *event).collect()
    }
}

/// Returns a thread that requests these families of events.
fn requesting(events: BTreeSet<EventId>, others: &[DataThread]) -> DataThread {
    let names: BTreeSet<&str> = others.iter().map(|thread| thread.name.as_str()).collect();
    let mut name = "(others)".to_owned();
    while names.contains(name.as_str()) {
        name.push('\'');
    }
    let end = |requests, go| Decision::End(Outcome { requests, blocks: false, go });
    DataThread {
        name,
        locations: vec![Location {
            name: "0".to_owned(),
            line: 0,
            values: String::new(),
            kind: LocationKind::Plain,
            on: events.into_iter().map(|event| (event, DecisionId(0))).collect(),
        }],
        decisions: vec![end(true, None), end(false, Some((LocationId(0), Vec::new())))],
        initial: DecisionId(1),
    }
}
