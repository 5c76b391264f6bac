//! A behavioral program as a net, so that invariants of nets ([`crate::invariants`]) are evidence about programs.
//!
//! The places are the local states of all threads, in order. The place of the state of each thread holds one token, and
//! the other places hold none. For each event, a thread has *ways*:
//! * *move*: a state that does not block the event, and requests it or moves on it, with one of its targets. The token
//!   goes from the state to the target.
//! * *rest*: the other states that do not block the event. The token stays. There is a way for each of them. If the
//!   event then had more than [`FEW`] transitions, there is one way for all of them: the places of the states that
//!   block the event or have moves must be empty.
//!
//! A thread with several initial states begins in a place of its own, after those of all local states. A transition
//! takes its token to each of its initial states.
//!
//! A bad state has no ways. There is a transition for each event and each choice of a way of each thread that mentions
//! the event, if one of these ways requests it.
//!
//! 1. Each step of the program from a composite state is a firing of the net from the marking of this state, to the
//!    marking of the next state. Proof: some thread requests the event, no thread blocks it, and no thread is bad. So
//!    the state of each thread belongs to one of its ways, and to a way with the target that is taken. Threads that do
//!    not mention the event stay. The guards of the chosen ways hold, because each thread has one token.
//!    From the initial marking, the threads with a place of their own first go to their initial states.
//! 2. So invariants of the net hold in the markings of all reachable composite states. In these, the places of threads
//!    that have not begun are empty. (The net has more firings than the program has steps if a thread that does not
//!    mention the event is bad.)
//! 3. A composite state in which a thread is bad satisfies the formula of `bad`. A state without an enabled event in
//!    which no thread is bad satisfies the formula of `deadlock`: the threads have begun, and for each event, no thread
//!    is in a state that requests it, or one is in a state that blocks it.

use super::Stepper;
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::{EventId, Formula, FormulaBuilder, Goal, Guard, Net, NodeId, Place, PlaceId, Program, Range, Transition};
use num_bigint::{BigInt, BigUint};
use std::collections::BTreeMap;

/// Most guards in all transitions of the net of a program, with those of choices that no transition belongs to.
const MOST_GUARDS: usize = 1 << 20;

/// Most transitions of an event with a way for each resting state.
const FEW: usize = 256;

/// A program as a net.
pub struct ProgramNet<'a> {
    stepper: &'a Stepper,
    /// For each thread: the place of its first state.
    first: Vec<u32>,
    /// The threads with several initial states. Their places come after those of all local states.
    starts: Vec<usize>,
    places: u32,
    /// For each event: the threads with states that request it, block it or have moves on it, in ascending order.
    concerned: Vec<Vec<usize>>,
}

/// What a thread may do when an event fires.
#[derive(Clone, Debug)]
enum Way {
    Move { from: PlaceId, to: PlaceId, requests: bool },
    Rest { empty: Vec<PlaceId> },
}

impl Way {
    fn requests(&self) -> bool {
        matches!(self, Self::Move { requests: true, .. })
    }

    /// The number of guards.
    fn guards(&self) -> usize {
        if let Self::Rest { empty } = self { empty.len() } else { 1 }
    }
}

impl<'a> ProgramNet<'a> {
    /// Prepares the translation. `stepper` is that of the program.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn new(program: &Program, stepper: &'a Stepper, work: &mut Work<'_>) -> Check<Self> {
        let mut first = Vec::with_capacity(stepper.width());
        let mut places = 0u32;
        let mut concerned: Vec<Vec<usize>> = vec![Vec::new(); stepper.events()];
        for (thread, of) in program.threads().iter().enumerate() {
            first.push(places);
            places = places.checked_add(stepper.size(thread) as u32).ok_or(Refusal::ResourceLimit)?;
            let mut mention = |event: EventId| {
                let threads = &mut concerned[event.index()];
                if threads.last() != Some(&thread) {
                    threads.push(thread);
                }
            };
            for state in &of.states {
                work.spend((1 + state.request.len() + state.block.len() + state.on.len()) as u64)?;
                state.request.iter().chain(state.block.iter()).for_each(&mut mention);
                state.on.keys().copied().for_each(&mut mention);
            }
        }
        let starts: Vec<usize> = (0..stepper.width()).filter(|&thread| stepper.initial(thread).len() != 1).collect();
        places.checked_add(starts.len() as u32).ok_or(Refusal::ResourceLimit)?;
        Ok(Self { stepper, first, starts, places, concerned })
    }

    fn place(&self, thread: usize, local: u32) -> PlaceId {
        PlaceId(self.first[thread] + local)
    }

    /// The places of the threads that have not begun.
    fn unbegun(&self) -> impl Iterator<Item = PlaceId> {
        (self.places..).map(PlaceId).take(self.starts.len())
    }

    /// Returns the net.
    ///
    /// # Errors
    /// If it has too many transitions, or a resource limit is exceeded.
    pub fn net(&self, program: &Program, work: &mut Work<'_>) -> Check<Net> {
        let mut places = Vec::new();
        for thread in 0..self.stepper.width() {
            let initial = self.stepper.initial(thread);
            for local in 0..self.stepper.size(thread) as u32 {
                let name = format!("{thread}.{local}");
                places.push(Place { name, initial: Range::exactly(u8::from(initial == [local])) });
            }
        }
        let (mut transitions, mut left) = (Vec::new(), MOST_GUARDS);
        for (thread, from) in self.starts.iter().zip(self.unbegun()) {
            places.push(Place { name: format!("{thread}"), initial: Range::exactly(1u8) });
            for &to in self.stepper.initial(*thread) {
                let way = Way::Move { from, to: self.place(*thread, to), requests: false };
                transitions.push(transition(format!("#{}", transitions.len()), &[way]));
            }
        }
        for (event, name) in (0..).zip(program.events()) {
            for choice in self.choices(event, &mut left, work)? {
                transitions.push(transition(format!("{name}#{}", transitions.len()), &choice));
            }
        }
        Net::new(places, transitions).or_else(|why| reject(format!("the program has no net: {why}")))
    }

    /// Returns the choices of a way for each thread that mentions the event, with a way that requests it.
    fn choices(&self, event: u32, left: &mut usize, work: &mut Work<'_>) -> Check<Vec<Vec<Way>>> {
        let count = |ways: &[Vec<Way>]| ways.iter().fold(1usize, |count, ways| count.saturating_mul(ways.len()));
        let mut ways = self.all_ways(event, true, work)?;
        if count(&ways) > FEW {
            ways = self.all_ways(event, false, work)?;
        }
        let most = ways.iter().map(|ways| ways.iter().map(Way::guards).max().unwrap_or_default()).sum();
        let guards = count(&ways).saturating_mul(most);
        *left = left.checked_sub(guards).ok_or(Refusal::ResourceLimit)?;
        work.spend(guards as u64)?;
        work.grow(guards * size_of::<Guard>())?;
        let mut choices: Vec<Vec<Way>> = vec![Vec::new()];
        for ways in &ways {
            let with = |choice: &Vec<Way>, way: &Way| choice.iter().chain([way]).cloned().collect::<Vec<Way>>();
            choices = choices.iter().flat_map(|choice| ways.iter().map(move |way| with(choice, way))).collect();
        }
        choices.retain(|choice| choice.iter().any(Way::requests));
        Ok(choices)
    }

    /// Returns the ways of each thread that mentions the event. If only one thread has ways that request it, this
    /// thread has no others.
    fn all_ways(&self, event: u32, each: bool, work: &mut Work<'_>) -> Check<Vec<Vec<Way>>> {
        let threads = self.concerned[event as usize].iter();
        let mut all = threads.map(|&thread| self.ways(thread, event, each, work)).collect::<Check<Vec<_>>>()?;
        let mut asking = all.iter_mut().filter(|ways| ways.iter().any(Way::requests));
        if let (Some(only), None) = (asking.next(), asking.next()) {
            only.retain(Way::requests);
        }
        Ok(all)
    }

    /// Returns the ways of a thread, with one for `each` resting state.
    fn ways(&self, thread: usize, event: u32, each: bool, work: &mut Work<'_>) -> Check<Vec<Way>> {
        let stepper = self.stepper;
        let (mut ways, mut resting, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for local in 0..stepper.size(thread) as u32 {
            let (from, targets) = (self.place(thread, local), stepper.targets(thread, local, event));
            work.spend(1 + targets.len() as u64)?;
            let requests = stepper.requests(thread, local, event);
            let is_open = !stepper.is_bad(thread, local) && !stepper.blocks(thread, local, event);
            if is_open && !requests && targets == [local] {
                resting.push(from);
                continue;
            }
            others.push(from);
            if is_open {
                ways.extend(targets.iter().map(|&to| Way::Move { from, to: self.place(thread, to), requests }));
            }
        }
        match resting.len() {
            0 => {}
            1 => ways.push(stay(resting[0])),
            n if each && n <= FEW => ways.extend(resting.into_iter().map(stay)),
            _ => ways.push(Way::Rest { empty: others }),
        }
        Ok(ways)
    }

    /// Returns a formula that holds in the markings of all composite states of a goal.
    ///
    /// # Errors
    /// If the goal is not `bad` or `deadlock`, or a resource limit is exceeded.
    pub fn formula(&self, goal: Goal, work: &mut Work<'_>) -> Check<Formula> {
        let mut builder = FormulaBuilder::default();
        let bad = |stepper: &Stepper, thread, local| stepper.is_bad(thread, local);
        let root = match goal {
            Goal::Bad => {
                let bad = self.places(0..self.stepper.width(), bad, work)?;
                some(&mut builder, &bad)
            }
            Goal::Deadlock => {
                let mut not = self.places(0..self.stepper.width(), bad, work)?;
                not.extend(self.unbegun());
                let mut stuck = vec![none(&mut builder, &not)];
                // Events that the same states block share the inequality, so that few cases are to be distinguished.
                let mut blocked: BTreeMap<Vec<PlaceId>, NodeId> = BTreeMap::new();
                for event in 0..self.stepper.events() as u32 {
                    let threads = || self.concerned[event as usize].iter().copied();
                    let requests =
                        self.places(threads(), |stepper, t, local| stepper.requests(t, local, event), work)?;
                    if requests.is_empty() {
                        continue;
                    }
                    let blocks = self.places(threads(), |stepper, t, local| stepper.blocks(t, local, event), work)?;
                    let new = |builder: &mut FormulaBuilder| some(builder, &blocks);
                    let blocked = *blocked.entry(blocks.clone()).or_insert_with(|| new(&mut builder));
                    let ways = vec![none(&mut builder, &requests), blocked];
                    stuck.push(builder.any(ways));
                }
                builder.all(stuck)
            }
            _ => return reject("invariants exclude only the goals bad and deadlock of a program"),
        };
        Ok(builder.finish(root))
    }

    /// The places of the states of these threads that a test is true of.
    fn places(
        &self,
        threads: impl Iterator<Item = usize>,
        test: impl Fn(&Stepper, usize, u32) -> bool,
        work: &mut Work<'_>,
    ) -> Check<Vec<PlaceId>> {
        let mut places = Vec::new();
        for thread in threads {
            let locals = 0..self.stepper.size(thread) as u32;
            work.spend(locals.len() as u64)?;
            places.extend(locals.filter(|&s| test(self.stepper, thread, s)).map(|s| self.place(thread, s)));
        }
        Ok(places)
    }
}

fn stay(place: PlaceId) -> Way {
    Way::Move { from: place, to: place, requests: false }
}

fn transition(name: String, choice: &[Way]) -> Transition {
    let one = |place: PlaceId| (place, BigUint::from(1u8));
    let moves = |way: &Way| if let Way::Move { from, to, .. } = way { Some((one(*from), one(*to))) } else { None };
    let (pre, post): (Vec<_>, Vec<_>) = choice.iter().filter_map(moves).unzip();
    let mut transition = Transition::from_arcs(name, &pre, &post);
    for way in choice {
        if let Way::Rest { empty } = way {
            transition.guards.extend(empty.iter().map(|&place| Guard { place, range: Range::exactly(0u8) }));
        }
    }
    transition.guards.sort_by_key(|guard| guard.place);
    transition
}

/// At least one of these places holds a token.
fn some(builder: &mut FormulaBuilder, places: &[PlaceId]) -> NodeId {
    builder.at_least(places.iter().map(|&place| (place, BigInt::from(1))), BigInt::from(1))
}

/// None of these places holds a token.
fn none(builder: &mut FormulaBuilder, places: &[PlaceId]) -> NodeId {
    builder.at_least(places.iter().map(|&place| (place, BigInt::from(-1))), BigInt::ZERO)
}
