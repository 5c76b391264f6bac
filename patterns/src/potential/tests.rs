//! Compares excluded states with the product by brute force, on random counters and on near misses of them.
//! Other tests use programs with known answers.

use super::exact::Potentials;
use super::firing::{Firings, Place};
use super::*;
use crate::kit::{self, Random};
use model::{EventId, EventSet, LocalId, LocalState, Program, ThreadId};
use std::collections::BTreeSet;

/// Builds a state that requests and blocks these events.
fn state(universe: usize, name: usize, request: &[usize], block: &[usize]) -> LocalState {
    let set = |ids: &[usize]| EventSet::from_events(universe, ids.iter().map(|&e| EventId::new(e)));
    let (request, block) = (set(request), set(block));
    LocalState { name: format!("s{name}"), request, block, bad: false, on: Default::default() }
}

fn thread(name: String, states: Vec<LocalState>, initial: usize) -> Thread {
    Thread { name, states, initial: vec![LocalId::new(initial)] }
}

fn go(state: &mut LocalState, event: usize, to: usize) {
    state.on.insert(EventId::new(event), vec![LocalId::new(to)]);
}

/// Parameters of a program with a semaphore, its clients, and a marker that counts the clients.
struct Counting {
    clients: usize,
    /// Maximum number of clients inside at once.
    limit: usize,
    /// Number of clients inside beyond which the marker is bad.
    bad_beyond: usize,
    /// True if the empty semaphore blocks releases, false if it ignores them.
    strict: bool,
    /// Tokens that one release gives back.
    back: usize,
}

impl Counting {
    /// Builds the program. Event `i` acquires for client i, event `clients + i` releases.
    fn program(&self) -> Program {
        let n = self.clients;
        let universe = 2 * n;
        let client = |i: usize| {
            let mut states = vec![state(universe, 0, &[i], &[]), state(universe, 1, &[n + i], &[])];
            go(&mut states[0], i, 1);
            go(&mut states[1], n + i, 0);
            thread(format!("client{i}"), states, 0)
        };
        let counter = |limit: usize, strict: bool, full: usize, back: usize| {
            let all: Vec<usize> = (0..n).collect();
            let releases: Vec<usize> = (n..2 * n).collect();
            let mut states: Vec<LocalState> = (0..=limit).map(|k| state(universe, k, &[], &[])).collect();
            for (k, now) in states.iter_mut().enumerate() {
                for event in 0..n {
                    if k < limit || full > limit {
                        go(now, event, k + 1);
                    }
                    if k > 0 {
                        go(now, n + event, k - back.min(k));
                    }
                }
                let block: Vec<usize> = match k {
                    0 if strict => releases.clone(),
                    k if k == limit && full == limit => all.clone(),
                    _ => Vec::new(),
                };
                block.iter().for_each(|&e| now.block.insert(EventId::new(e)));
            }
            if full > limit {
                states.push(LocalState::bad("bad".to_owned(), universe));
            }
            states
        };
        let mut threads: Vec<Thread> = (0..n).map(client).collect();
        threads.push(thread("semaphore".to_owned(), counter(self.limit, self.strict, self.limit, self.back), 0));
        let marker = counter(self.bad_beyond, false, self.bad_beyond + 1, 1);
        threads.push(thread("marker".to_owned(), marker, 0));
        let names = (0..universe).map(|e| format!("e{e}")).collect();
        Program::new(names, threads, vec![Goal::Bad, Goal::Deadlock]).expect("a program")
    }
}

fn random_program(random: &mut Random) -> Program {
    let limit = 1 + random.below(2);
    let counting = Counting {
        clients: 4 + random.below(2),
        limit,
        bad_beyond: limit - usize::from(limit > 1 && random.chance(20)),
        strict: random.chance(50),
        back: 1 + usize::from(random.chance(15)),
    };
    let program = counting.program();
    let mut threads = program.threads().to_vec();
    for _ in 0..random.below(3) {
        let victim = random.below(threads.len());
        change(random, &mut threads[victim], program.events().len());
    }
    Program::new(program.events().to_vec(), threads, program.check().to_vec()).expect("a program")
}

/// Changes one detail of a thread.
fn change(random: &mut Random, thread: &mut Thread, events: usize) {
    let size = thread.states.len();
    let other = LocalId::new(random.below(size));
    let state = &mut thread.states[random.below(size)];
    let event = EventId::new(random.below(events));
    match random.below(6) {
        0 => drop(state.on.remove(&event)),
        1 => drop(state.on.insert(event, vec![other])),
        2 => {
            let targets = state.on.entry(event).or_default();
            targets.push(other);
            targets.sort_unstable();
            targets.dedup();
        }
        3 => {
            thread.initial.push(other);
            thread.initial.sort_unstable();
            thread.initial.dedup();
        }
        4 => state.request.insert(event),
        _ => state.block.remove(event),
    }
}

/// Returns the local states that runs visit.
fn visited(program: &Program) -> BTreeSet<(ThreadId, LocalId)> {
    let mut work = kit::initial_states(program);
    let mut seen: BTreeSet<Box<[u32]>> = work.iter().cloned().collect();
    while let Some(state) = work.pop() {
        for event in kit::enabled(program, &state) {
            work.extend(kit::successors(program, &state, event).into_iter().filter(|next| seen.insert(next.clone())));
        }
    }
    let local = |state: &[u32]| (0..).zip(state.to_vec()).map(|(t, s)| (ThreadId(t), LocalId(s))).collect::<Vec<_>>();
    seen.iter().map(|state| &**state).flat_map(local).collect()
}

/// Returns the number of programs for which `pattern` excludes states, or an error if an excluded state is
/// visited.
fn check(pattern: &dyn Pattern, programs: usize) -> Result<usize, String> {
    let mut random = Random::new(7);
    let mut excluding = 0;
    for _ in 0..programs {
        let program = random_program(&mut random);
        let Some(restriction) = pattern.restrict(program.threads()) else { continue };
        excluding += 1;
        let visited = visited(&program);
        if let Some(wrong) = restriction.excluded.iter().find(|place| visited.contains(place)) {
            return Err(format!("{wrong:?} by {:?} of {}", restriction.why, kit::describe(&program)));
        }
    }
    Ok(excluding)
}

#[test]
fn excluded_states_are_never_visited() {
    let excluding = check(&POTENTIAL, 1_500).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert!(excluding > 300, "{excluding} programs");
}

macro_rules! mutants {
    ($($name:ident: $part:ident,)*) => {
        $(#[test]
        fn $name() {
            check(&Potentially::without(Omitted::$part), 1_500).expect_err("an unsound restriction");
        })*
    };
}

mutants! {
    mutant_later_requests: LaterRequests,
    mutant_staying: Staying,
    mutant_other_targets: OtherTargets,
    mutant_other_initial: OtherInitial,
    mutant_least_weights: LeastWeights,
}

fn excluded(counting: &Counting) -> Option<(usize, usize)> {
    let restriction = POTENTIAL.restrict(counting.program().threads())?;
    let Unreachable::Potential(potentials) = restriction.why else { panic!("potentials") };
    Some((restriction.excluded.len(), potentials.len()))
}

#[test]
fn semaphores_are_proved_for_any_number_of_clients() {
    let counting = |clients, strict| Counting { clients, limit: 3, bad_beyond: 3, strict, back: 1 };
    assert_eq!(excluded(&counting(5, true)), Some((1, 2)));
    assert_eq!(excluded(&counting(5, false)), Some((1, 2)));
    assert_eq!(excluded(&counting(100, false)), Some((1, 2)));
    // In the first program, a full semaphore is bad. In the second one, a release gives back two tokens.
    assert_eq!(excluded(&Counting { bad_beyond: 2, ..counting(5, true) }), None);
    assert_eq!(excluded(&Counting { back: 2, ..counting(5, false) }), None);
}

/// A proposal of the linear program is refused if the exact rule does not hold for it.
#[test]
fn weights_that_grow_are_refused() {
    let counting = Counting { clients: 2, limit: 1, bad_beyond: 1, strict: true, back: 1 };
    let program = counting.program();
    let firings = Firings::of(program.threads(), None).expect("a small program");
    let bad = Place { thread: ThreadId(3), state: LocalId(2) };
    let mut known = Potentials::none(&firings, None);
    // The marker and the semaphore have equal counts, unless a release finds the marker at 0 and the semaphore
    // at 1.
    let marker_above = vec![vec![0, 0], vec![0, 0], vec![0, -1], vec![0, 1, 2]];
    assert!(!known.add_if(marker_above.clone(), |all| all.exclude(bad)), "it grows by what the marker ignores");
    let marker_below = vec![vec![0, 0], vec![0, 0], vec![0, 1], vec![0, -1, -2]];
    assert!(known.add_if(marker_below, |_| true));
    assert!(!known.exclude(bad));
    assert!(!known.add_if(vec![vec![0, 0], vec![0, 0], vec![0, -1], vec![0, 2, 3]], |_| true));
    assert!(known.add_if(marker_above, |all| all.exclude(bad)));
    let far = vec![vec![0, i64::MAX], vec![0, i64::MIN], vec![0, i64::MAX], vec![0, i64::MAX, i64::MIN]];
    assert!(!known.add_if(far, |_| true), "large numbers are numbers");
}

#[test]
fn it_only_restricts() {
    let counting = Counting { clients: 2, limit: 1, bad_beyond: 1, strict: true, back: 1 };
    let program = counting.program();
    assert!(POTENTIAL.recognize(program.threads(), Goal::Bad).is_err());
    assert_eq!(POTENTIAL.restrict(program.threads()), POTENTIAL.restrict(program.threads()), "the same each time");
}
