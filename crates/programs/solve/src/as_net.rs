//! Behavioral programs as nets, for arguments that count. The places are the local states of all threads, in order. The
//! place of the state of each thread holds one token.
//!
//! A linear invariant of the net, such as "each zone is taken by as many robots as are in it", says what threads
//! conserve together. No single thread shows it, and a list of states is long. The state equation with cases
//! ([`nets::equation`]) finds such invariants, and shows with them that no state is `bad` or a deadlock.
//!
//! The kernel translates the program again (`kernel::program::as_net`, where the translation is defined and proved) and
//! checks the invariants on its own net. Both translations must number places and nodes of formulas alike.

use model::{
    Certificate, Claim, EventId, Exclusion, Formula, FormulaBuilder, FormulaId, Goal, Guard, InvariantCertificate,
    Lift, LocalId, LocalState, Net, NetInvariant, NetTask, NodeId, Place, PlaceId, Program, ProgramTask, Range, Reason,
    Thread, Transition, Why,
};
use num_bigint::{BigInt, BigUint};
use std::collections::HashMap;
use std::sync::Arc;

/// Most guards in all transitions of the net: for each local state and move of the program, and altogether. A net with
/// few of them is always made. Where several threads count the same events, the net is much larger than the program,
/// and other engines are faster.
const GROWTH: usize = 16;
const SMALL: usize = 1 << 12;
const MOST_GUARDS: usize = 1 << 20;

/// Most mentions of an event by a local state.
const MOST_MENTIONS: usize = 1 << 22;

/// Most transitions of an event with a way for each resting state of a thread, as in the kernel. (Ways are explained
/// there.)
const FEW: usize = 256;

/// Returns the net of a program with the formulas of its goals, and the lift of claims to the program. `None` if the
/// problem has assumptions, or the net would be too large. The cost is linear in the sizes of the program and of the
/// net.
#[must_use]
pub fn as_net(task: &ProgramTask) -> Option<(NetTask, Arc<dyn Lift>)> {
    let program = task.program();
    if !task.assumptions().is_empty() {
        return None;
    }
    let numbers = Numbers::new(program)?;
    let net = Arc::new(numbers.net(true).or_else(|| numbers.net(false))?);
    let formulas =
        task.goals().iter().map(|&goal| Some(Arc::new(numbers.formula(goal)?))).collect::<Option<Vec<_>>>()?;
    let goals = (0..formulas.len()).map(|number| Goal::Formula(FormulaId::new(number))).collect();
    Some((NetTask::plain(net, formulas, goals), Arc::new(ProgramGoals(task.goals().to_vec()))))
}

/// The goals of the program, by the number of their formula.
struct ProgramGoals(Vec<Goal>);

impl ProgramGoals {
    fn goal(&self, inner: Goal) -> Goal {
        match inner {
            Goal::Formula(id) => self.0[id.index()],
            other => other,
        }
    }
}

impl Lift for ProgramGoals {
    fn claim(&self, claim: Claim) -> Claim {
        match claim {
            Claim::Safe { goals, certificate: Certificate::Invariant(mut of) } => {
                of.exclusions.iter_mut().for_each(|(goal, _)| *goal = self.goal(*goal));
                without_marked(&mut of);
                let goals = goals.into_iter().map(|goal| self.goal(goal)).collect();
                Claim::Safe { goals, certificate: Certificate::Invariant(of) }
            }
            Claim::Safe { goals, .. } | Claim::Unknown { goals, .. } => {
                let goals = goals.into_iter().map(|goal| self.goal(goal)).collect();
                Claim::Unknown { goals, reason: Reason::GaveUp }
            }
            _ => unreachable!("the state equation only proves that goals are not reached"),
        }
    }

    fn inner(&self, goal: Goal) -> Option<Goal> {
        self.0.iter().position(|&own| own == goal).map(|number| Goal::Formula(FormulaId::new(number)))
    }
}

/// Removes the first invariant, which says that all places can be marked. In the evidence about a program it would list
/// all local states.
fn without_marked(of: &mut InvariantCertificate) {
    let first = of.invariants.remove(0);
    debug_assert!(matches!(first, NetInvariant::PotentiallyMarked(places) if places.iter().all(|can_be| *can_be)));
    for (_, why) in &mut of.exclusions {
        let Exclusion::Cases(cases) = why else { continue };
        for lemma in &mut cases.lemmas {
            if let Why::Sum { invariants, .. } = &mut lemma.why {
                invariants.iter_mut().for_each(|(number, _)| *number -= 1);
            }
        }
    }
}

/// A program with the numbers of its local states as places.
struct Numbers<'p> {
    program: &'p Program,
    /// For each thread: the place of its first state.
    first: Vec<u32>,
    /// The threads with several initial states. Each begins in a place after those of all local states.
    starts: Vec<usize>,
    places: u32,
    /// For each thread: its bad states, in ascending order.
    bad: Vec<Vec<usize>>,
    /// For each event: the threads with states that request it, block it or have moves on it, with these states.
    mentions: Vec<Vec<Mention>>,
}

/// A thread, and its states that mention an event, in ascending order.
#[derive(Clone)]
struct Mention {
    thread: usize,
    states: Vec<usize>,
}

/// A way of a thread to take part in an event.
#[derive(Clone)]
struct Way {
    takes: Option<PlaceId>,
    puts: Option<PlaceId>,
    /// Places that must be empty.
    empty: Vec<PlaceId>,
    requests: bool,
}

impl Way {
    fn guards(&self) -> usize {
        self.empty.len().max(1)
    }
}

impl<'p> Numbers<'p> {
    fn new(program: &'p Program) -> Option<Self> {
        let mut first = Vec::with_capacity(program.threads().len());
        let (mut places, mut mentions) = (0u32, vec![Vec::new(); program.events().len()]);
        let mut left = MOST_MENTIONS;
        for (number, thread) in program.threads().iter().enumerate() {
            first.push(places);
            places = places.checked_add(u32::try_from(thread.states.len()).ok()?)?;
            for (s, state) in thread.states.iter().enumerate() {
                left = left.checked_sub(state.request.len() + state.block.len() + state.on.len())?;
                for event in state.request.iter().chain(state.block.iter()).chain(state.on.keys().copied()) {
                    let threads: &mut Vec<Mention> = &mut mentions[event.index()];
                    match threads.last_mut().filter(|last| last.thread == number) {
                        Some(last) if last.states.last() == Some(&s) => {}
                        Some(last) => last.states.push(s),
                        None => threads.push(Mention { thread: number, states: vec![s] }),
                    }
                }
            }
        }
        let bad = |thread: &Thread| (0..thread.states.len()).filter(|&s| thread.states[s].bad).collect();
        let is_open = |&thread: &usize| program.threads()[thread].initial.len() != 1;
        let starts: Vec<usize> = (0..program.threads().len()).filter(is_open).collect();
        places.checked_add(u32::try_from(starts.len()).ok()?)?;
        Some(Self { program, first, starts, places, bad: program.threads().iter().map(bad).collect(), mentions })
    }

    fn place(&self, thread: usize, state: usize) -> PlaceId {
        PlaceId(self.first[thread] + LocalId::new(state).0)
    }

    /// The places of the threads that have not begun.
    fn unbegun(&self) -> impl Iterator<Item = PlaceId> {
        (self.places..).map(PlaceId).take(self.starts.len())
    }

    /// Returns the net, with a way for each resting state where these are few. Ways for all of them together make a
    /// smaller net.
    fn net(&self, each: bool) -> Option<Net> {
        let mut places = Vec::new();
        for (number, thread) in self.program.threads().iter().enumerate() {
            let of = |(state, _)| {
                let initial = Range::exactly(u8::from(thread.initial == [LocalId::new(state)]));
                Place { name: self.place(number, state).0.to_string(), initial }
            };
            places.extend(thread.states.iter().enumerate().map(of));
        }
        let size = |thread: &Thread| thread.states.iter().map(|state| 1 + state.on.len()).sum::<usize>();
        let size: usize = self.program.threads().iter().map(size).sum();
        let mut left = size.saturating_mul(GROWTH).clamp(SMALL, MOST_GUARDS);
        let mut events = Vec::with_capacity(self.mentions.len());
        for event in 0..self.mentions.len() {
            let (ways, count) = self.all_ways(EventId::new(event), each)?;
            let most = ways.iter().map(|ways| ways.iter().map(Way::guards).max().unwrap_or_default()).sum();
            left = left.checked_sub(count.checked_mul(most)?)?;
            events.push((ways, count));
        }
        let mut transitions = Vec::new();
        for (&thread, from) in self.starts.iter().zip(self.unbegun()) {
            places.push(Place { name: from.0.to_string(), initial: Range::exactly(1u8) });
            for to in &self.program.threads()[thread].initial {
                let puts = Some(self.place(thread, to.index()));
                let way = Way { takes: Some(from), puts, empty: Vec::new(), requests: false };
                transitions.push(transition(transitions.len().to_string(), &[&way]));
            }
        }
        for (ways, count) in events {
            // The choices are counted like the digits of a number, the last thread fastest.
            for choice in 0..count {
                let (mut digits, mut chosen) = (choice, Vec::with_capacity(ways.len()));
                for ways in ways.iter().rev() {
                    chosen.push(&ways[digits % ways.len()]);
                    digits /= ways.len();
                }
                if chosen.iter().any(|way| way.requests) {
                    transitions.push(transition(transitions.len().to_string(), &chosen));
                }
            }
        }
        Net::new(places, transitions).ok()
    }

    /// Returns the ways of each thread that mentions the event, and the number of choices of one way for each. If only
    /// one thread has ways that request it, this thread has no others.
    fn all_ways(&self, event: EventId, each: bool) -> Option<(Vec<Vec<Way>>, usize)> {
        let all = |each: bool| {
            let mut ways: Vec<Vec<Way>> =
                self.mentions[event.index()].iter().map(|mention| self.ways(mention, event, each)).collect();
            let asks = |ways: &Vec<Way>| ways.iter().any(|way| way.requests);
            if ways.iter().filter(|ways| asks(ways)).count() == 1 {
                ways.iter_mut().filter(|ways| asks(ways)).for_each(|ways| ways.retain(|way| way.requests));
            }
            let count = ways.iter().try_fold(1usize, |count, ways| count.checked_mul(ways.len()))?;
            Some((ways, count))
        };
        let fine = if each { all(true) } else { None };
        fine.filter(|(_, count)| *count <= FEW).or_else(|| all(false))
    }

    /// Returns the ways of a thread, with one for `each` resting state.
    fn ways(&self, Mention { thread, states }: &Mention, event: EventId, each: bool) -> Vec<Way> {
        let of = &self.program.threads()[*thread];
        let place = |s: usize| self.place(*thread, s);
        let moves = |s: usize, to: PlaceId, requests| Way {
            takes: Some(place(s)),
            puts: Some(to),
            empty: Vec::new(),
            requests,
        };
        let (mut ways, mut others) = (Vec::new(), Vec::new());
        for &s in states {
            let (state, targets) = (&of.states[s], of.targets(LocalId::new(s), event));
            let (is_open, requests) = (!state.bad && !state.block.contains(event), state.request.contains(event));
            let stays = state.on.get(&event).is_none_or(|targets| *targets == [LocalId::new(s)]);
            if is_open && stays && !requests {
                continue;
            }
            others.push(s);
            if is_open {
                ways.extend(targets.map(|to| moves(s, place(to.index()), requests)));
            }
        }
        // No way leads from a bad state.
        others.extend(&self.bad[*thread]);
        others.sort_unstable();
        others.dedup();
        let resting = of.states.len() - others.len();
        if resting == 1 || (each && resting <= FEW) {
            let rests = (0..of.states.len()).filter(|s| others.binary_search(s).is_err());
            ways.extend(rests.map(|s| moves(s, place(s), false)));
        } else if resting > 0 {
            let empty = others.into_iter().map(place).collect();
            ways.push(Way { takes: None, puts: None, empty, requests: false });
        }
        ways
    }

    /// Returns the formula of `bad` or `deadlock`.
    fn formula(&self, goal: Goal) -> Option<Formula> {
        let mut builder = FormulaBuilder::default();
        let bad = self.bad.iter().enumerate().flat_map(|(thread, bad)| bad.iter().map(move |&s| (thread, s)));
        let bad: Vec<PlaceId> = bad.map(|(thread, s)| self.place(thread, s)).collect();
        let root = match goal {
            Goal::Bad => sum(&mut builder, &bad, 1, 1),
            Goal::Deadlock => {
                let not: Vec<PlaceId> = bad.into_iter().chain(self.unbegun()).collect();
                let mut stuck = vec![sum(&mut builder, &not, -1, 0)];
                let mut known: HashMap<Vec<PlaceId>, NodeId> = HashMap::new();
                for (event, mentions) in self.mentions.iter().enumerate() {
                    let event = EventId::new(event);
                    let places = |test: fn(&LocalState, EventId) -> bool| -> Vec<PlaceId> {
                        let states = mentions.iter().flat_map(|m| m.states.iter().map(move |&s| (m.thread, s)));
                        let states = states.filter(|(t, s)| test(&self.program.threads()[*t].states[*s], event));
                        states.map(|(thread, s)| self.place(thread, s)).collect()
                    };
                    let requests = places(|state, event| state.request.contains(event));
                    if requests.is_empty() {
                        continue;
                    }
                    let blocks = places(|state, event| state.block.contains(event));
                    let new = |builder: &mut FormulaBuilder| sum(builder, &blocks, 1, 1);
                    let blocked = *known.entry(blocks.clone()).or_insert_with(|| new(&mut builder));
                    let ways = vec![sum(&mut builder, &requests, -1, 0), blocked];
                    stuck.push(builder.any(ways));
                }
                builder.all(stuck)
            }
            _ => return None,
        };
        Some(builder.finish(root))
    }
}

fn transition(name: String, ways: &[&Way]) -> Transition {
    let arcs = |end: fn(&Way) -> Option<PlaceId>| -> Vec<(PlaceId, BigUint)> {
        ways.iter().filter_map(|way| end(way)).map(|place| (place, BigUint::from(1u8))).collect()
    };
    let mut transition = Transition::from_arcs(name, &arcs(|way| way.takes), &arcs(|way| way.puts));
    let empty = ways.iter().flat_map(|way| &way.empty);
    transition.guards.extend(empty.map(|&place| Guard { place, range: Range::exactly(0u8) }));
    transition.guards.sort_by_key(|guard| guard.place);
    transition
}

/// Adds the inequality `sign * sum of places >= at_least`.
fn sum(builder: &mut FormulaBuilder, places: &[PlaceId], sign: i8, at_least: i8) -> NodeId {
    builder.at_least(places.iter().map(|&place| (place, BigInt::from(sign))), BigInt::from(at_least))
}
