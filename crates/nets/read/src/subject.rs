//! Subjects of questions about reachable states: the places and transitions that questions can name, and when a
//! transition is enabled.

use crate::reach::{Compare, Sum};
use model::{
    EventId, Guard, LocalId, LocalState, Marked, Net, NodeNames, PlaceId, Program, SharedId, SystemModel,
    ThreadTransitionSystem, TransitionId,
};
use num_bigint::BigInt;
use std::borrow::Cow;

/// A net, or the view of another system as a net, that formulas refer to.
#[derive(Clone, Copy)]
pub enum Subject<'a> {
    Net(&'a Net),
    /// A view with a place for each shared state (`s0`) and each local state (`l0`). The transitions have no
    /// names.
    Threads(&'a ThreadTransitionSystem),
    /// A view with a place for each local state of each thread (`Thread.state`). The transitions are the
    /// events.
    Program(&'a Program),
}

impl<'a> Subject<'a> {
    /// Returns the subject for systems that have markings or local states.
    pub(crate) fn of(system: &'a SystemModel) -> Option<Self> {
        let marked = system.as_marked().map(|marked| match marked {
            Marked::Net(net) => Self::Net(net),
            Marked::Threads(system) => Self::Threads(system),
        });
        marked.or_else(|| system.as_program().map(|program| Self::Program(program)))
    }

    pub(crate) fn places(self) -> NodeNames<'a, PlaceId> {
        match self {
            Self::Net(net) => net.place_names(),
            Self::Threads(system) => {
                let shared = (0..system.shared()).map(SharedId);
                let shared = shared.map(|s| (Cow::Owned(format!("s{}", s.0)), system.shared_place(s)));
                let locals = (0..system.locals()).map(LocalId);
                let locals = locals.map(|l| (Cow::Owned(format!("l{}", l.0)), system.local_place(l)));
                shared.chain(locals).collect()
            }
            Self::Program(program) => {
                let names = program
                    .threads()
                    .iter()
                    .flat_map(|thread| thread.states.iter().map(|state| format!("{}.{}", thread.name, state.name)));
                names.enumerate().map(|(p, name)| (Cow::Owned(name), PlaceId::new(p))).collect()
            }
        }
    }

    pub(crate) fn transitions(self) -> NodeNames<'a, TransitionId> {
        match self {
            Self::Net(net) => net.transition_names(),
            Self::Threads(_) => NodeNames::from_iter([]),
            Self::Program(program) => {
                let names = program.events().iter().enumerate();
                let names = names.map(|(e, name)| (Cow::Borrowed(name.as_str()), TransitionId::new(e)));
                // An event that no thread requests is never enabled.
                let plain = program.declarations().iter().filter(|declared| declared.parameters.is_empty());
                names.collect::<NodeNames<_>>().and_none(plain.map(|declared| declared.name.as_str()))
            }
        }
    }

    /// True if there are several initial markings.
    pub(crate) fn has_several_starts(self) -> bool {
        match self {
            Self::Net(net) => !net.open_places().is_empty(),
            Self::Threads(system) => !system.initial().any.is_empty(),
            Self::Program(program) => program.threads().iter().any(|thread| thread.initial.len() > 1),
        }
    }

    /// Returns the nouns for the whole, a place and a transition.
    pub(crate) fn nouns(self) -> [&'static str; 3] {
        match self {
            Self::Net(_) => ["net", "place", "transition"],
            Self::Threads(_) => ["thread-transition system", "state", "transition"],
            Self::Program(_) => ["program", "thread state", "event"],
        }
    }

    pub(crate) fn transition_count(self) -> usize {
        match self {
            Self::Net(net) => net.transitions().len(),
            Self::Threads(system) => system.transitions().len(),
            Self::Program(program) => program.events().len(),
        }
    }

    /// Returns the conditions under which a transition is enabled. All of them must hold.
    pub(crate) fn conditions(self, t: TransitionId) -> Vec<(Sum, Compare)> {
        let place = |place: PlaceId, constant: BigInt| Sum { constant, ..Sum::of_places(&[place]) };
        match self {
            Self::Net(net) => {
                let of = |guard: &Guard| {
                    let at_least = -BigInt::from(guard.range.at_least.clone());
                    let at_most = guard.range.at_most.clone().map(|most| -BigInt::from(most));
                    let most = at_most.map(|most| (place(guard.place, most), Compare::AtMost));
                    std::iter::once((place(guard.place, at_least), Compare::AtLeast)).chain(most)
                };
                net.transition(t).guards.iter().flat_map(of).collect()
            }
            Self::Threads(system) => {
                let (shared, local) = system.transitions()[t.index()].from;
                let one = |p| (place(p, BigInt::from(-1)), Compare::AtLeast);
                vec![one(system.shared_place(shared)), one(system.local_place(local))]
            }
            Self::Program(program) => {
                let event = EventId::new(t.index());
                let locals = || program.threads().iter().flat_map(|thread| &thread.states).enumerate();
                let sum = |is: &dyn Fn(&LocalState) -> bool, constant: i32| {
                    let places: Vec<PlaceId> = locals().filter(|(_, s)| is(s)).map(|(p, _)| PlaceId::new(p)).collect();
                    Sum { constant: constant.into(), ..Sum::of_places(&places) }
                };
                vec![
                    (sum(&|s| s.request.contains(event), -1), Compare::AtLeast),
                    (sum(&|s| s.block.contains(event), 0), Compare::AtMost),
                ]
            }
        }
    }
}
