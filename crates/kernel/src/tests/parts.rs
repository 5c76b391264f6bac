//! Sets in parts: accepted if and only if the whole set is, in storage and between processes. Storage and
//! connections that lose, repeat or change words are noticed.

use super::nets::{self, random_net};
use super::programs::{self, BOTH, State, random_program};
use super::{Rng, kernel};
use crate::closed::Whole;
use crate::parts::{Buckets, Exchange, Storage, spilled};
use crate::program::{States, Stepper};
use crate::{Check, Checked, Refusal, Work, confirm_shared};
use model::{Certificate, Claim, Goal, Markings, Problem, Program, Stop};
use std::collections::VecDeque;
use std::sync::{Arc, Barrier, Mutex};
use testkit::Listed;

/// What a storage does wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    None,
    Loses,
    Repeats,
    Flips(u32),
    Swaps,
}

/// Storage in memory. One call of `append` is treated wrongly.
#[derive(Clone, Debug)]
struct InMemory {
    fault: Fault,
    /// Number of calls of `append` before the fault. `None` after the fault.
    after: Arc<Mutex<Option<usize>>>,
}

struct Lists {
    of: InMemory,
    lists: Vec<Vec<Vec<u64>>>,
}

impl InMemory {
    fn new(fault: Fault, after: usize) -> Self {
        Self { fault, after: Arc::new(Mutex::new(Some(after))) }
    }

    fn has_failed(&self) -> bool {
        self.fault != Fault::None && self.after.lock().expect("not poisoned").is_none()
    }
}

impl Storage for InMemory {
    fn buckets(&self, count: usize, _words: usize) -> Check<Box<dyn Buckets>> {
        Ok(Box::new(Lists { of: self.clone(), lists: vec![Vec::new(); count] }))
    }
}

impl Buckets for Lists {
    fn append(&mut self, bucket: usize, words: &[u64]) -> Check<()> {
        let mut after = self.of.after.lock().expect("not poisoned");
        let (mut words, mut to) = (words.to_vec(), bucket);
        *after = match *after {
            Some(0) => {
                match self.of.fault {
                    Fault::None => {}
                    Fault::Loses => _ = words.remove(0),
                    Fault::Repeats => words.push(words[0]),
                    Fault::Flips(bit) => words[0] ^= 1 << bit,
                    Fault::Swaps => to = (bucket + 1) % self.lists.len(),
                }
                None
            }
            count => count.map(|count| count - 1),
        };
        self.lists[to].push(words);
        Ok(())
    }

    fn read(&mut self, bucket: usize, each: &mut dyn FnMut(&[u64]) -> Check<()>) -> Check<()> {
        self.lists[bucket].iter().try_for_each(|words| each(words))
    }
}

/// Returns some states of the program: the reachable ones, mostly with a few changes.
fn some_states(rng: &mut Rng, program: &Program) -> Vec<State> {
    let mut states = programs::reachable(program);
    for _ in 0..rng.below(3) {
        let state: State = program.threads().iter().map(|t| rng.below(t.states.len()) as u32).collect();
        if !states.remove(&state) {
            states.insert(state);
        }
    }
    states.into_iter().collect()
}

fn in_parts(program: &Program, states: &[State], goals: &[Goal], parts: usize, storage: &InMemory) -> Check<Whole> {
    let stepper = Stepper::new(program)?;
    let stop = Stop::default();
    let listed = Listed(states.to_vec());
    spilled::check(&mut States::new(program, &stepper, goals), &listed, parts, storage, &mut Work::new(1 << 30, &stop))
}

#[test]
fn sets_are_accepted_in_parts_iff_they_are_accepted_as_a_whole() {
    let mut rng = Rng(11);
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..3000 {
        let program = random_program(&mut rng);
        let states = some_states(&mut rng, &program);
        let goals = [&BOTH[..], &BOTH[..1], &BOTH[1..]][rng.below(3)];
        let whole = programs::set(&program, &states, goals);
        let parts = in_parts(&program, &states, goals, 1 + rng.below(5), &InMemory::new(Fault::None, 0));
        match (&whole, &parts) {
            (Ok(checked), Ok(parts)) => {
                assert_eq!((checked.length(), checked.hash()), (parts.states, parts.hash), "round {round}");
                accepted += 1;
            }
            (Err(Refusal::Rejected(_)), Err(Refusal::Rejected(_))) => refused += 1,
            _ => panic!("round {round}: {whole:?}, in parts {parts:?}\n{program:#?}\n{states:?}"),
        }
    }
    assert!(accepted > 300 && refused > 300, "the generator is too weak: {accepted} {refused}");
}

#[test]
fn a_state_that_is_listed_twice_is_found_in_parts() {
    let mut rng = Rng(12);
    for parts in 1..4 {
        let program = random_program(&mut rng);
        let mut states: Vec<State> = programs::reachable(&program).into_iter().collect();
        states.push(states[0].clone());
        let got = in_parts(&program, &states, &BOTH[..1], parts, &InMemory::new(Fault::None, 0));
        assert!(matches!(&got, Err(Refusal::Rejected(why)) if why.contains("listed twice")), "{got:?}");
    }
}

#[test]
fn faults_of_the_storage_are_noticed() {
    let mut rng = Rng(13);
    let (mut faults, mut closed) = (0, 0);
    for round in 0..4000 {
        let program = random_program(&mut rng);
        let states: Vec<State> = programs::reachable(&program).into_iter().collect();
        let faulty = [Fault::Loses, Fault::Repeats, Fault::Flips(rng.below(64) as u32), Fault::Swaps][rng.below(4)];
        let storage = InMemory::new(faulty, rng.below(8));
        let got = in_parts(&program, &states, &BOTH[..1], 2 + rng.below(3), &storage);
        if storage.has_failed() {
            assert!(matches!(got, Err(Refusal::Rejected(_))), "round {round}: {faulty:?} {got:?}\n{program:#?}");
            faults += 1;
            closed += usize::from(programs::set(&program, &states, &BOTH[..1]).is_ok());
        }
    }
    assert!(faults > 600 && closed > 300, "the test is too weak: {faults} {closed}");
}

/// Peers in threads of one process.
struct Network {
    inboxes: Vec<Mutex<VecDeque<Vec<u64>>>>,
    numbers: Mutex<Vec<Vec<u64>>>,
    meeting: Barrier,
}

struct Peer<'n> {
    network: &'n Network,
    number: usize,
}

impl Network {
    fn new(peers: usize) -> Self {
        let inboxes = (0..peers).map(|_| Mutex::default()).collect();
        Self { inboxes, numbers: Mutex::new(vec![Vec::new(); peers]), meeting: Barrier::new(peers) }
    }

    /// Runs one check in each peer. Returns their results.
    fn run(&self, check: impl Fn(&mut Peer<'_>) -> Check<Checked> + Sync) -> Vec<Check<Checked>> {
        std::thread::scope(|scope| {
            let start = |number| {
                let check = &check;
                scope.spawn(move || check(&mut Peer { network: self, number }))
            };
            let threads: Vec<_> = (0..self.inboxes.len()).map(start).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        })
    }
}

impl Peer<'_> {
    fn combine(&self, numbers: &mut [u64], with: impl Fn(u64, u64) -> u64) {
        let all = &self.network.numbers;
        all.lock().expect("not poisoned")[self.number] = numbers.to_vec();
        self.network.meeting.wait();
        let lists = all.lock().expect("not poisoned").clone();
        for (at, number) in numbers.iter_mut().enumerate() {
            *number = lists.iter().map(|list| list[at]).fold(0, &with);
        }
        self.network.meeting.wait();
    }
}

impl Exchange for Peer<'_> {
    fn number(&self) -> usize {
        self.number
    }

    fn peers(&self) -> usize {
        self.network.inboxes.len()
    }

    fn send(&mut self, to: usize, words: &[u64]) -> Check<()> {
        self.network.inboxes[to].lock().expect("not poisoned").push_back(words.to_vec());
        Ok(())
    }

    fn receive(&mut self, take: &mut dyn FnMut(&[u64])) -> Check<()> {
        let mut arrived = std::mem::take(&mut *self.network.inboxes[self.number].lock().expect("not poisoned"));
        arrived.drain(..).for_each(|words| take(&words));
        Ok(())
    }

    fn finish(&mut self, take: &mut dyn FnMut(&[u64])) -> Check<()> {
        self.network.meeting.wait();
        self.receive(take)?;
        self.network.meeting.wait();
        Ok(())
    }

    fn sum(&mut self, numbers: &mut [u64]) -> Check<()> {
        self.combine(numbers, u64::wrapping_add);
        Ok(())
    }

    fn greatest(&mut self, numbers: &mut [u64]) -> Check<()> {
        self.combine(numbers, u64::max);
        Ok(())
    }
}

/// Splits the states at random, and checks the shares in as many peers.
fn shared(
    rng: &mut Rng,
    problem: &Problem,
    states: &[State],
    goals: &[Goal],
    certificate: impl Fn(Vec<State>) -> Certificate + Sync,
) -> Vec<Check<Checked>> {
    let mut shares = vec![Vec::new(); 1 + rng.below(4)];
    for state in states {
        let to = rng.below(shares.len());
        shares[to].push(state.clone());
    }
    Network::new(shares.len()).run(|peer| {
        let stop = Stop::default();
        let certificate = certificate(shares[peer.number].clone());
        confirm_shared(problem, goals, &certificate, peer, &mut Work::new(1 << 30, &stop))
    })
}

/// Checks that all peers have the result of the whole set. Returns true if it is accepted.
fn agree(whole: &Check<Checked>, shared: &[Check<Checked>]) -> bool {
    for result in shared {
        match (whole, result) {
            (Ok(whole), Ok(result)) => assert_eq!(whole, result),
            (Err(Refusal::Rejected(_)), Err(Refusal::Rejected(_))) => {}
            _ => panic!("{whole:?}, in shares {shared:?}"),
        }
    }
    whole.is_ok()
}

#[test]
fn shares_of_programs_are_accepted_iff_the_whole_is() {
    let mut rng = Rng(14);
    let mut accepted = 0;
    for _ in 0..1000 {
        let program = random_program(&mut rng);
        let states = some_states(&mut rng, &program);
        let goals = [&BOTH[..], &BOTH[..1], &BOTH[1..]][rng.below(3)];
        let problem = Problem::of_program_with(Arc::clone(&program), &BOTH).expect("goals of programs");
        let set = |share| Certificate::StateSet(Box::new(Listed(share)));
        let shared = shared(&mut rng, &problem, &states, goals, set);
        accepted += usize::from(agree(&programs::set(&program, &states, goals), &shared));
    }
    assert!((200..800).contains(&accepted), "the generator is too weak: {accepted}");
}

#[test]
fn shares_of_nets_are_accepted_iff_the_whole_is() {
    let mut rng = Rng(15);
    let (mut accepted, mut all) = (0, 0);
    for _ in 0..2000 {
        let places = 1 + rng.below(4);
        let net = random_net(&mut rng, places);
        let Some(mut states) = nets::reachable(&net) else { continue };
        for _ in 0..rng.below(3) {
            let state: State = (0..places).map(|_| rng.below(3) as u32).collect();
            if !states.remove(&state) {
                states.insert(state);
            }
        }
        let states: Vec<State> = states.into_iter().collect();
        let problem = Problem::of_net(Arc::new(net))
            .never("f", nets::cover(rng.below(places), 1 + rng.below(4) as u32))
            .and_then(Problem::never_stuck)
            .expect("it fits");
        let both = [nets::first(), Goal::Deadlock];
        let goals = [&both[..], &both[..1], &both[1..]][rng.below(3)];
        let slots = nets::plain(places);
        let set = |share| {
            let (slots, potentially_marked) = (slots.clone(), vec![true; places]);
            Certificate::Markings(Markings { slots, potentially_marked, states: Box::new(Listed(share)) })
        };
        let shared = shared(&mut rng, &problem, &states, goals, set);
        let claim = Claim::Safe { goals: goals.to_vec(), certificate: set(states.clone()) };
        accepted += usize::from(agree(&kernel(&problem, &claim), &shared));
        all += 1;
    }
    assert!(accepted > 100 && all - accepted > 300, "the generator is too weak: {accepted} of {all}");
}
