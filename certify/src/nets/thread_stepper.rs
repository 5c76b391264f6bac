//! This crate's own stepper of thread systems, straight from their definition: a shared state and a multiset of threads.
//!
//! A state is kept as a marking: one token on the shared state, the number of threads on each local state.

use super::outcomes::{Group, possible};
use super::replay::Stepper;
use crate::{Check, reject};
use model::{Act, LocalId, SharedId, ThreadSystem, ThreadTransition};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

pub(crate) struct ThreadStepper<'a> {
    system: &'a ThreadSystem,
}

impl<'a> ThreadStepper<'a> {
    pub(crate) fn new(system: &'a ThreadSystem) -> Self {
        Self { system }
    }

    fn shared(&self, s: SharedId) -> usize {
        self.system.shared_place(s).index()
    }

    fn local(&self, l: LocalId) -> usize {
        self.system.local_place(l).index()
    }

    fn transition(&self, t: usize) -> &ThreadTransition {
        &self.system.transitions()[t]
    }

    /// Moves the threads; returns those that pick one of several targets, taken out of the marking.
    fn move_threads<'t>(&self, t: &'t ThreadTransition, marking: &mut [BigUint]) -> Vec<(&'t [LocalId], BigUint)> {
        let (from, to) = (self.local(t.from.1), self.local(t.to.1));
        let mut picking = Vec::new();
        match t.act {
            Act::Spawn => marking[to] += 1u8,
            Act::Transfer => {
                let all = std::mem::take(&mut marking[from]);
                marking[to] += all;
            }
            Act::Move => {
                // The active thread first: the passive moves are those of all others. All leave before any arrives.
                marking[from] -= 1u8;
                let leaving = t.passive.iter().map(|(&l, to)| (&**to, std::mem::take(&mut marking[self.local(l)])));
                let leaving: Vec<(&[LocalId], BigUint)> = leaving.collect();
                for (targets, threads) in leaving {
                    match targets {
                        [only] => marking[self.local(*only)] += threads,
                        _ if threads.is_zero() => {}
                        _ => picking.push((targets, threads)),
                    }
                }
                marking[to] += 1u8;
            }
        }
        picking
    }

    /// Takes the marking, from which the `picking` threads have been taken out, to the recorded state `to`.
    fn go_to(&self, picking: &[(&[LocalId], BigUint)], to: &[u32], marking: &mut [BigUint]) -> Result<(), String> {
        let first = self.system.shared() as usize;
        let threads = &mut marking[first..];
        let mut wanted = Vec::with_capacity(threads.len());
        for (have, &recorded) in threads.iter().zip(&to[1..]) {
            match have.to_u32().and_then(|have| recorded.checked_sub(have)) {
                Some(more) => wanted.push(u64::from(more)),
                None => return Err("it cannot lead to the recorded state".to_owned()),
            }
        }
        // Sums of 32 bit numbers, fewer than 2^32 of them: whatever does not fit cannot be what is wanted.
        let groups: Option<Vec<Group<'_>>> =
            picking.iter().map(|(targets, n)| Some(Group { targets, threads: n.to_u64()? })).collect();
        match groups {
            Some(groups) if possible(&groups, wanted) => {}
            _ => return Err("it cannot lead to the recorded state".to_owned()),
        }
        threads.iter_mut().zip(&to[1..]).for_each(|(have, &recorded)| *have = BigUint::from(recorded));
        Ok(())
    }
}

impl Stepper for ThreadStepper<'_> {
    /// One token on the initial shared state, the threads that the system fixes, and those of `extra` in open local states.
    fn start(&self, extra: &[u32]) -> Check<Vec<BigUint>> {
        let initial = self.system.initial();
        let mut marking = vec![BigUint::zero(); self.system.places()];
        marking[self.shared(initial.shared)] = BigUint::one();
        for (&l, n) in &initial.threads {
            marking[self.local(l)].clone_from(n);
        }
        if extra.len() != initial.any.len() {
            let (has, wants) = (extra.len(), initial.any.len());
            return reject(format!("the start of the trace has {has} slots, not {wants}"));
        }
        for (&l, &more) in initial.any.iter().zip(extra) {
            marking[self.local(l)] += more;
        }
        Ok(marking)
    }

    fn transitions(&self) -> usize {
        self.system.transitions().len()
    }

    fn name(&self, t: usize) -> String {
        let t = self.transition(t);
        let arrow = match t.act {
            Act::Move => "->",
            Act::Spawn => "+>",
            Act::Transfer => "~>",
        };
        format!("{} {} {arrow} {} {}", t.from.0.0, t.from.1.0, t.to.0.0, t.to.1.0)
    }

    fn cost(&self, t: usize) -> u64 {
        let passive = &self.transition(t).passive;
        let targets: usize = passive.values().map(Vec::len).sum();
        // Where threads may pick, recorded states are looked at as a whole.
        let picks = passive.values().any(|targets| targets.len() > 1);
        (3 + passive.len() + targets + if picks { self.system.locals() as usize } else { 0 }) as u64
    }

    /// Without passive moves a thread moves, stays or appears, whatever else there is.
    fn adds_constants(&self, t: usize) -> bool {
        let t = self.transition(t);
        t.passive.is_empty() && t.act != Act::Transfer
    }

    fn changed(&self, t: usize, out: &mut Vec<usize>) {
        let t = self.transition(t);
        out.extend([self.shared(t.from.0), self.shared(t.to.0), self.local(t.from.1), self.local(t.to.1)]);
        for (&source, targets) in &t.passive {
            out.push(self.local(source));
            out.extend(targets.iter().map(|&l| self.local(l)));
        }
    }

    fn is_enabled(&self, t: usize, marking: &[BigUint]) -> bool {
        let t = self.transition(t);
        !marking[self.shared(t.from.0)].is_zero() && !marking[self.local(t.from.1)].is_zero()
    }

    fn fire(&self, t: usize, choice: Option<&[u32]>, marking: &mut [BigUint]) -> Result<(), String> {
        let enabled = self.is_enabled(t, marking);
        let t = self.transition(t);
        if !enabled {
            return Err(format!("no thread is in {} while the shared state is {}", t.from.1.0, t.from.0.0));
        }
        marking[self.shared(t.from.0)] = BigUint::zero();
        marking[self.shared(t.to.0)] = BigUint::one();
        let picking = self.move_threads(t, marking);
        match choice {
            None if picking.is_empty() => Ok(()),
            None => Err("it leaves threads a choice that the trace does not record".to_owned()),
            Some(to) if to.len() != 1 + self.system.locals() as usize => {
                Err("the recorded state is no state".to_owned())
            }
            Some(to) if to[0] != t.to.0.0 => Err("it cannot lead to the recorded shared state".to_owned()),
            Some(to) => self.go_to(&picking, to, marking),
        }
    }
}
