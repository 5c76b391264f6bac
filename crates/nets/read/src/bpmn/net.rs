//! Places and steps of the net of a BPMN file.
//!
//! A step becomes a transition. A step may clear the places of a scope (an interruption or a terminate event), or need
//! that nothing else is left there (the end of a process or sub-process with parallel tokens). These places are known
//! only when all nodes are translated, so the arcs to them are added last.

use super::tree::{Res, ScopeId, Tree};
use crate::join::{ArcKind, End, transition};
use formats::codes::{self, Code};
use formats::error::{Error, Text, printable};
use formats::source::Limits;
use model::{Net, Place, PlaceId, Range, Transition, TransitionId};
use num_bigint::BigUint;
use std::collections::HashSet;
use std::ops;

/// The arcs of clearing steps are only in the net, and take more memory than arcs of files: fewer are allowed.
const SHARE: usize = 4;

/// A step of the net.
#[derive(Default)]
pub(super) struct Step {
    pub(super) id: String,
    pub(super) called: String,
    /// True if the step is no activity or event of the process.
    pub(super) is_silent: bool,
    pub(super) takes: Vec<PlaceId>,
    pub(super) puts: Vec<PlaceId>,
    /// Scopes in which all places lose their tokens.
    pub(super) clears: ops::Range<usize>,
    /// Further places that lose all their tokens.
    pub(super) clears_too: Vec<PlaceId>,
    pub(super) last: Option<Last>,
}

/// The end of a scope: no token is left but on the places of ends, which the step clears.
pub(super) struct Last {
    /// The scopes in which all places are empty; `None` for all places of the net.
    pub(super) scopes: Option<ops::Range<usize>>,
    pub(super) ends: Vec<PlaceId>,
    /// True if each end has at most one token.
    pub(super) is_single: bool,
}

/// A net that is being made.
pub(super) struct Builder<'t> {
    pub(super) tree: &'t Tree,
    limits: &'t Limits,
    text: Text<'t>,
    places: Vec<Place>,
    called: Vec<String>,
    /// The scope of each place. The start, the end and messages are in none.
    scopes: Vec<Option<ScopeId>>,
    steps: Vec<Step>,
    arcs: usize,
    names: HashSet<String>,
    step_names: HashSet<String>,
    pub(super) start: PlaceId,
    pub(super) end: PlaceId,
}

impl<'t> Builder<'t> {
    pub(super) fn new(text: Text<'t>, limits: &'t Limits, tree: &'t Tree) -> Self {
        let (places, called, scopes, steps) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (names, step_names) = (HashSet::new(), HashSet::new());
        let (start, end) = (PlaceId::new(0), PlaceId::new(0));
        Self { tree, limits, text, places, called, scopes, steps, arcs: 0, names, step_names, start, end }
    }

    /// Adds a place. An id that is taken gets an underscore.
    pub(super) fn place(&mut self, id: &str, called: &str, scope: Option<ScopeId>) -> Res<PlaceId> {
        self.within(self.places.len(), self.limits.places, &codes::LIMIT_PLACES, "places")?;
        let name = fresh(&mut self.names, id);
        self.places.push(Place { name, initial: Range::exactly(u8::from(self.places.is_empty())) });
        self.called.push(called.to_owned());
        self.scopes.push(scope);
        Ok(PlaceId::new(self.places.len() - 1))
    }

    pub(super) fn step(&mut self, mut step: Step) -> Res<()> {
        self.within(self.steps.len(), self.limits.transitions, &codes::LIMIT_TRANSITIONS, "transitions")?;
        self.arcs += step.takes.len() + step.puts.len();
        self.within(self.arcs, self.limits.arcs / SHARE, &codes::LIMIT_ARCS, "arcs")?;
        step.id = fresh(&mut self.step_names, &step.id);
        self.steps.push(step);
        Ok(())
    }

    fn within(&self, have: usize, most: usize, code: &'static Code, what: &str) -> Res<()> {
        let message = || format!("the net of the processes has more than {most} {what}");
        if have < most { Ok(()) } else { Err(Error::whole(code, self.text.name, message())) }
    }

    pub(super) fn finish(mut self) -> Res<Net> {
        let mut by_scope: Vec<Vec<PlaceId>> = vec![Vec::new(); self.tree.scopes.len()];
        for (p, scope) in self.scopes.iter().enumerate() {
            scope.iter().for_each(|scope| by_scope[scope.0].push(PlaceId::new(p)));
        }
        let mut steps = std::mem::take(&mut self.steps);
        let mut transitions = Vec::with_capacity(steps.len());
        for step in &mut steps {
            transitions.push(self.transition(step, &by_scope)?);
        }
        let silent = |(t, step): (usize, &Step)| step.is_silent.then(|| TransitionId::new(t));
        let silent = steps.iter().enumerate().filter_map(silent).collect();
        let called: Vec<String> = steps.into_iter().map(|step| step.called).collect();
        let invalid =
            |e: model::net::InvalidNet| Error::whole(&codes::NET_INVALID, self.text.name, printable(&e.to_string()));
        let net = Net::new(self.places, transitions).map_err(invalid)?;
        let last = vec![(self.end, BigUint::from(1u8))];
        Ok(net.with_called(&self.called, &called).with_finals(vec![last]).with_silent(silent))
    }

    fn transition(&mut self, step: &mut Step, by_scope: &[Vec<PlaceId>]) -> Res<Transition> {
        let mut arcs: Vec<(End, u8)> = Vec::with_capacity(step.takes.len() + step.puts.len());
        let arc = |kind, into| move |place: &PlaceId| (End { place: *place, into, kind }, 1);
        arcs.extend(step.takes.iter().map(arc(ArcKind::Normal, true)));
        arcs.extend(step.puts.iter().map(arc(ArcKind::Normal, false)));
        let cleared = by_scope[step.clears.clone()].iter().flatten();
        arcs.extend(cleared.chain(&step.clears_too).map(arc(ArcKind::Reset, true)));
        if let Some(last) = &step.last {
            let ends = last.ends.iter();
            arcs.extend(ends.clone().map(arc(ArcKind::Reset, true)));
            if last.is_single {
                arcs.extend(ends.clone().map(|place| (End { place: *place, into: true, kind: ArcKind::Inhibitor }, 2)));
            }
            let ends: HashSet<PlaceId> = ends.copied().collect();
            let quiet = arc(ArcKind::Inhibitor, true);
            match &last.scopes {
                Some(scopes) => {
                    let places = by_scope[scopes.clone()].iter().flatten();
                    arcs.extend(places.filter(|place| !ends.contains(place)).map(quiet));
                }
                None => {
                    let places = (0..self.places.len()).map(PlaceId::new);
                    let others = places.filter(|p| *p != self.start && *p != self.end && !ends.contains(p));
                    let others = others.filter(|place| !step.takes.contains(place));
                    arcs.extend(others.map(|place| quiet(&place)));
                }
            }
        }
        self.arcs += arcs.len();
        self.within(self.arcs, self.limits.arcs / SHARE, &codes::LIMIT_ARCS, "arcs")?;
        arcs.sort_by_key(|(end, _)| end.place);
        let (transition, _) =
            transition(std::mem::take(&mut step.id), &arcs, |(end, _)| *end, |(_, weight)| (*weight).into());
        Ok(transition)
    }
}

/// Returns the name, with underscores behind it until no other node has it.
fn fresh(names: &mut HashSet<String>, name: &str) -> String {
    let mut name = name.to_owned();
    while !names.insert(name.clone()) {
        name.push('_');
    }
    name
}
