//! Turns a problem into the task that engines get: translates thread-transition systems to nets, settles goals
//! that no potentially marked places can satisfy, and slices the net for the other goals.

use crate::invariants::potentially_marked::{Live, live};
use crate::reduce::formula::{self, Simplified};
use crate::reduce::lift_task::{Chains, TaskLift};
use crate::reduce::origins::{Origin, Origins};
use crate::reduce::slice::{Question, Slice, project, slice};
use crate::reduce::threads::{Leftover, Role, chooses, convert};
use crate::rules::is_small;
use model::{
    Bound, Certificate, Claim, Formula, Goal, Marked, MarkedTask, Net, NetTask, Node, NodeId, PlaceId,
    PotentiallyMarked, Range, Slot, TransitionId,
};
use std::sync::Arc;

/// The options of [`prepare`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// True if places and transitions that cannot influence the goals are dropped.
    pub slice: bool,
    /// The bound on tokens, which is passed on to the task.
    pub bound: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self { slice: true, bound: None }
    }
}

/// The size of a net or thread-transition system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Number of places (of a thread-transition system: of shared and local states).
    pub places: usize,
    /// Number of transitions.
    pub transitions: usize,
}

/// A problem prepared for engines.
#[derive(Debug)]
pub struct Prepared {
    /// The task that is left to decide. It has no goals if all goals are settled.
    pub task: NetTask,
    /// Goals that are unreachable because of the potentially marked places, as claims about the problem as
    /// read.
    pub settled: Vec<Claim>,
    /// Lifts claims about the task to the system as read.
    pub lift: Arc<TaskLift>,
    /// The size of the system as read.
    pub before: Size,
    /// The size of the task's net.
    pub after: Size,
}

/// Prepares the goals of a task. The cost is linear in the size of the system and the goals, except for names.
#[must_use]
pub fn prepare(asked: &MarkedTask<'_>, options: &Options) -> Prepared {
    let input = Input::new(asked);
    let before = match asked.system() {
        Marked::Net(net) => size(net),
        Marked::Threads(s) => Size { places: s.places(), transitions: s.transitions().len() },
    };
    let live = if options.slice { live(&input.net) } else { Live::everything(&input.net) };
    let mut open: Vec<Open> = Vec::new();
    let mut impossible: Vec<Goal> = Vec::new();
    for (goal, asked) in &input.goals {
        let formulas = match asked {
            Some(asked) if options.slice => match formula::simplify(asked, &live.places) {
                Some(left) => Some(Asked { asked: Arc::clone(asked), left }),
                None => {
                    impossible.push(*goal);
                    continue;
                }
            },
            asked => asked.as_ref().map(|f| Asked {
                asked: Arc::clone(f),
                left: Simplified { formula: Formula::clone(f), origins: f.ids().collect() },
            }),
        };
        open.push(Open { goal: *goal, formulas });
    }
    let slice =
        if options.slice { input.slice(&live, &open, options.bound.is_some()) } else { input.everything(&live) };
    let (task, back) = input.build(asked, &live, &slice, &open, options.bound);
    let settled = match impossible.as_slice() {
        [] => Vec::new(),
        _ => {
            let places = back.potentially_marked(&[]);
            vec![Claim::Safe {
                goals: impossible,
                certificate: Certificate::PotentiallyMarked(PotentiallyMarked { places }),
            }]
        }
    };
    let after = size(&task.net);
    Prepared { task, settled, lift: Arc::new(back), before, after }
}

fn size(net: &Net) -> Size {
    Size { places: net.places().len(), transitions: net.transitions().len() }
}

/// A goal that is not settled, and its formula if it has one.
struct Open {
    goal: Goal,
    formulas: Option<Asked>,
}

/// An original formula, and its simplification.
struct Asked {
    asked: Arc<Formula>,
    left: Simplified,
}

/// The problem, translated to a net.
struct Input {
    net: Arc<Net>,
    /// The goals with their formulas over places of the net.
    goals: Vec<(Goal, Option<Arc<Formula>>)>,
    /// The places of which exactly one holds a token.
    control: Vec<PlaceId>,
    /// Number of places of the system as read.
    known_places: usize,
    chains: Option<Chains>,
}

impl Input {
    fn new(asked: &MarkedTask<'_>) -> Self {
        let mut goals: Vec<(Goal, Option<Arc<Formula>>)> =
            asked.goals().iter().map(|&goal| (goal, asked.formula(goal).cloned())).collect();
        match asked.system() {
            Marked::Net(net) => {
                let known_places = net.places().len();
                Self { net: Arc::clone(net), goals, control: Vec::new(), known_places, chains: None }
            }
            Marked::Threads(system) => {
                let lossy = goals.iter().all(|(_, f)| f.as_ref().is_some_and(|f| f.is_upward_closed()));
                let converted = convert(system, if lossy { Leftover::Dropped } else { Leftover::Awaited });
                let choosing = system.transitions().iter().any(chooses);
                if choosing && !lossy {
                    let quiet = |f: &Arc<Formula>| Arc::new(formula::with_empty(f, &converted.chains));
                    goals.iter_mut().for_each(|(_, f)| *f = f.as_ref().map(quiet));
                }
                let chains = choosing.then(|| Chains {
                    system: Arc::clone(system),
                    roles: converted.roles,
                    running: converted.chains,
                });
                let (net, control) = (Arc::new(converted.net), converted.control);
                Self { net, goals, control, known_places: system.places(), chains }
            }
        }
    }

    fn everything(&self, live: &Live) -> Slice {
        Slice { places: vec![true; self.net.places().len()], transitions: live.transitions.clone(), exact: None }
    }

    fn slice(&self, live: &Live, open: &[Open], bounded: bool) -> Slice {
        let formulas = open.iter().filter_map(|o| o.formulas.as_ref()).map(|f| (&*f.asked, &f.left.formula)).collect();
        let deadlock = open.iter().any(|o| o.goal == Goal::Deadlock);
        slice(&self.net, live, &Question { formulas, deadlock, bounded })
    }

    /// Builds the task and the lift.
    fn build(
        self,
        task: &MarkedTask<'_>,
        live: &Live,
        slice: &Slice,
        open: &[Open],
        bound: Option<u64>,
    ) -> (NetTask, TaskLift) {
        let kept = |keep: &[bool]| (0..keep.len()).filter(|&i| keep[i]).collect::<Vec<usize>>();
        let places: Vec<PlaceId> = kept(&slice.places).into_iter().map(PlaceId::new).collect();
        let transitions: Vec<TransitionId> = kept(&slice.transitions).into_iter().map(TransitionId::new).collect();
        let mut new_id = vec![None; self.net.places().len()];
        places.iter().enumerate().for_each(|(i, p)| new_id[p.index()] = Some(PlaceId::new(i)));

        let net = if places.len() == self.net.places().len() && transitions.len() == self.net.transitions().len() {
            // All places are kept, so all are potentially marked and nothing changes.
            Arc::clone(&self.net)
        } else {
            let net = Net::new(
                places.iter().map(|p| self.net.place(*p).clone()).collect(),
                transitions.iter().map(|t| project(self.net.transition(*t), live, &new_id)).collect(),
            );
            Arc::new(net.expect("part of a net is a net"))
        };
        let plenty = if bound.is_none() && slice.exact.is_none() { self.plenty(&net, open) } else { Vec::new() };
        let counted = with_any_number(&net, &plenty).filter(|net| is_small(net));
        let (net, plenty) = counted.map_or((net, Vec::new()), |counted| (counted, plenty));
        let never = Arc::new(formula::never());
        let mut formulas = vec![never; task.formulas().len()];
        for o in open {
            if let (Goal::Formula(id), Some(Asked { left, .. })) = (o.goal, &o.formulas) {
                let renamed =
                    formula::rename(&left.formula, |p| new_id[p.index()].expect("places of formulas are kept"));
                formulas[id.index()] = Arc::new(renamed);
            }
        }
        let mut whole = vec![true; places.len()];
        for (t, transition) in self.net.transitions().iter().enumerate() {
            if live.transitions[t] && !slice.transitions[t] {
                transition
                    .effects
                    .iter()
                    .filter_map(|e| new_id[e.place.index()])
                    .for_each(|p| whole[p.index()] = false);
            }
        }
        let goals = open.iter().map(|o| o.goal).collect();
        let slots = slots(&self.control, &new_id, places.len());
        let mut counted = vec![true; places.len()];
        self.control.iter().filter_map(|p| new_id[p.index()]).for_each(|p| counted[p.index()] = false);
        let bound = bound.map(|most| Bound { most, counted });

        let open_of_task = net.open_places();
        let start = self.net.open_places().into_iter().map(|p| {
            let id = new_id[p.index()].filter(|id| !plenty.contains(id))?;
            open_of_task.binary_search(&id).ok()
        });
        let tokens = |p: &PlaceId| self.net.place(places[p.index()]).initial.at_least.clone();
        let plenty = plenty.iter().filter_map(|p| Some((open_of_task.binary_search(p).ok()?, tokens(p)))).collect();
        let left = |o: &Open| Some((o.goal, self.origins(task, o, live, &net, (&places, &transitions))?));
        let origins = open.iter().filter_map(left).collect();
        let back = TaskLift {
            start: start.collect(),
            plenty,
            places,
            transitions,
            origins,
            potentially_marked: live.places.clone(),
            known_places: self.known_places,
            chains: self.chains,
        };
        (NetTask { net, slots, whole, exact: slice.exact.is_some(), formulas, goals, bound }, back)
    }

    /// Returns the places of the task's net that begin with so many tokens that engines cannot count them, if any
    /// number of tokens may stand for them (see [`crate::reduce::lift_task`]).
    fn plenty(&self, net: &Net, open: &[Open]) -> Vec<PlaceId> {
        let is_countable = |node: &Node| match node {
            Node::AtLeast(sum) => sum.at_least.bits() <= MOST_BITS,
            Node::All(_) | Node::Any(_) => true,
        };
        let may_have_more = |o: &Open| {
            let formula = o.formulas.as_ref().map(|f| &f.left.formula);
            formula.is_some_and(|f| f.is_upward_closed() && f.nodes().iter().all(is_countable))
        };
        if self.chains.is_some() || !net.is_monotone() || !open.iter().all(may_have_more) {
            return Vec::new();
        }
        let places = (0..net.places().len()).map(PlaceId::new);
        places.filter(|p| net.place(*p).initial.at_least.bits() > MOST_BITS).collect()
    }

    /// Returns the origins that lift the reason why a goal is excluded.
    fn origins(
        &self,
        task: &MarkedTask<'_>,
        open: &Open,
        live: &Live,
        net: &Net,
        (places, transitions): (&[PlaceId], &[TransitionId]),
    ) -> Option<Origins> {
        let Some(formulas) = &open.formulas else {
            let (asked, left) = (model::deadlock_in(task.system()), model::deadlock_of(net.transitions()));
            let places: Vec<Option<PlaceId>> =
                places.iter().map(|p| (p.index() < self.known_places).then_some(*p)).collect();
            let transitions: Vec<Option<usize>> = transitions.iter().map(|t| self.stands_for(*t)).collect();
            return Origins::of_deadlock(&asked, &left, &transitions, &places, &live.places);
        };
        let asked = task.formula(open.goal)?;
        let (nodes, root) = (asked.nodes().len(), asked.ids().last()?);
        let strengthened = formulas.asked.ids().last()?;
        let origin = |node: &NodeId| match node.index() {
            n if n < nodes => Origin::Node(*node),
            _ if *node == strengthened => Origin::Node(root),
            // This node means that no chain is running.
            _ => Origin::Constant(true),
        };
        Some(Origins::new(asked, formulas.left.origins.iter().map(origin).collect(), &live.places))
    }

    /// Returns the transition of the system as read that can fire when this transition can. Returns `None` if
    /// this transition continues or ends a chain.
    fn stands_for(&self, t: TransitionId) -> Option<usize> {
        match self.chains.as_ref().map(|chains| chains.roles[t.index()]) {
            None => Some(t.index()),
            Some(Role::Whole(t) | Role::Start(t)) => Some(t as usize),
            Some(Role::Give(..) | Role::End(_)) => None,
        }
    }
}

/// Number of bits of numbers that all engines can work with.
const MOST_BITS: u64 = 31;

/// Returns the net in which any number of tokens may start in these places. `None` if there are no such places.
fn with_any_number(net: &Net, places: &[PlaceId]) -> Option<Arc<Net>> {
    let mut all = net.places().to_vec();
    places.iter().for_each(|p| all[p.index()].initial = Range::from(0u8));
    let counted = || Net::new(all, net.transitions().to_vec()).expect("only initial counts are different");
    (!places.is_empty()).then(|| Arc::new(counted()))
}

/// Returns one slot for all control places together, and one slot for each other place.
pub(crate) fn slots(control: &[PlaceId], new_id: &[Option<PlaceId>], places: usize) -> Vec<Slot> {
    let one_of: Vec<PlaceId> = control.iter().filter_map(|p| new_id[p.index()]).collect();
    let mut alone = vec![true; places];
    one_of.iter().for_each(|p| alone[p.index()] = false);
    let tokens = (0..places).filter(|&p| alone[p]).map(|p| Slot::Tokens(PlaceId::new(p)));
    let one_of = (!one_of.is_empty()).then_some(Slot::OneOf(one_of));
    one_of.into_iter().chain(tokens).collect()
}
