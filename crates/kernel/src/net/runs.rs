//! Replays runs of nets and thread-transition systems, with exact numbers of any size.
//!
//! A transition is enabled iff the range of every guard contains the tokens of its place. Firing gives the
//! place of each effect the sum of the old tokens of its sources plus a constant; all effects read the old
//! marking. Threads that pick a target are then added to the places that the trace records.
//!
//! Goals on markings are not terminal, so the run may pass through goal markings before its end.
//!
//! *Repetitions* of a word in which each transition only adds constants to places:
//!
//! 1. For each place and each position i in the word, the tokens before event i of pass j are linear in j.
//!    Proof: they are the tokens at the start of the repetition, plus j times the change of one pass, plus the
//!    changes of the events before i.
//! 2. If the word can be taken in pass a and in pass b, it can be taken in every pass between them. Proof: a
//!    step requires that guards hold, which are ranges, and that no count becomes negative. So it requires that
//!    linear quantities are in intervals. Such a requirement holds in all passes from a to b if it holds in a
//!    and in b.
//!
//! Therefore (2) one pass is replayed, the changes of all further passes but the last are added at once, and the
//! last pass is replayed again with all checks.
//!
//! *Unbounded sums*:
//!
//! 3. Let a run lead to the marking m and then, by a word w, to the marking n. Let n have at least the tokens of m on
//!    each place, and let the sum be greater in n than in m. If each transition of w only adds constants, leaves no
//!    choice and has no upper bound in a guard, then the sum has no largest value. Proof: by induction w can be
//!    repeated for ever. Before each pass there are at least the tokens of the pass before it, so the guards hold and
//!    no count becomes negative. Each pass changes each place by the same constant. So each pass adds the same positive
//!    number to the sum.

use super::outcomes::{Group, possible};
use super::rules::Rules;
use super::{Marked, formula};
use crate::trace::{Semantics, steps};
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::{Goal, Problem, Sum, Trace, Transition};
use num_bigint::{BigUint, Sign};
use num_traits::{ToPrimitive, Zero};

/// The semantics of a net or thread-transition system for runs. A state holds the tokens of each place.
#[derive(Debug)]
pub struct Runs<'a> {
    problem: &'a Problem,
    system: Marked<'a>,
    rules: Rules<'a>,
}

impl<'a> Runs<'a> {
    /// Creates the semantics of `system`, which must be the system of `problem`.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn new(problem: &'a Problem, system: Marked<'a>, work: &mut Work<'_>) -> Check<Self> {
        let rules = Rules::new(system, work)?;
        assert_eq!(rules.initial.len(), system.places(), "every place has initial tokens");
        Ok(Self { problem, system, rules })
    }

    /// Returns the problem.
    pub(super) fn problem(&self) -> &'a Problem {
        self.problem
    }

    /// Returns the first transition that is enabled, in words. `None` if no transition is enabled.
    pub(super) fn enabled(&self, marking: &[BigUint]) -> Option<String> {
        let is_enabled = |t: &Transition| t.guards.iter().all(|g| g.range.contains(&marking[g.place.index()]));
        self.rules.transitions.iter().position(is_enabled).map(|t| self.system.transition(t))
    }

    fn known(&self, t: u32) -> Check<&Transition> {
        match self.rules.transitions.get(t as usize) {
            Some(transition) => Ok(transition),
            None => reject(format!("unknown event {t}")),
        }
    }

    fn must_be_enabled(&self, t: &Transition, marking: &[BigUint]) -> Check<()> {
        let Some(guard) = t.guards.iter().find(|g| !g.range.contains(&marking[g.place.index()])) else { return Ok(()) };
        let (place, tokens) = (guard.place.index(), &marking[guard.place.index()]);
        match self.system {
            Marked::Threads(system) if guard.place.0 >= system.shared() => {
                reject(format!("no thread is in {}", guard.place.0 - system.shared()))
            }
            _ => reject(format!("it is not enabled with {tokens} tokens in `{}`", self.system.name(place))),
        }
    }

    /// Fires a transition, except for the threads that pick a target.
    fn fire(&self, t: &Transition, marking: &mut [BigUint]) -> Check<()> {
        let mut new = Vec::with_capacity(t.effects.len());
        for effect in &t.effects {
            let mut tokens: BigUint = effect.sources.iter().map(|p| &marking[p.index()]).sum();
            match effect.add.sign() {
                Sign::NoSign => {}
                Sign::Plus => tokens += effect.add.magnitude(),
                Sign::Minus if tokens < *effect.add.magnitude() => {
                    return reject("it removes more tokens than there are");
                }
                Sign::Minus => tokens -= effect.add.magnitude(),
            }
            new.push(tokens);
        }
        for (effect, tokens) in t.effects.iter().zip(new) {
            marking[effect.place.index()] = tokens;
        }
        Ok(())
    }

    /// Returns the threads that pick a target when `t` fires, grouped by their targets (as place indices).
    fn picking(&self, t: u32, marking: &[BigUint]) -> Check<Vec<Group>> {
        let mut groups = Vec::new();
        for scatter in self.rules.scatters_of(t as usize) {
            let all = &marking[scatter.source.index()];
            debug_assert!(!scatter.but_one || !all.is_zero(), "the active thread is there");
            let threads = if scatter.but_one { all - 1u8 } else { all.clone() };
            if threads.is_zero() {
                continue;
            }
            // A trace records 32-bit numbers for fewer than 2^32 places. A number that does not fit into 64
            // bits cannot be what is recorded.
            let Some(threads) = threads.to_u64() else {
                return reject("it leaves more threads than the recorded state has");
            };
            groups.push(Group { targets: scatter.targets.iter().map(|p| p.index()).collect(), threads });
        }
        Ok(groups)
    }

    /// Moves the threads that pick a target to the recorded state.
    fn go_to(&self, picking: &[Group], to: &[u32], marking: &mut [BigUint]) -> Check<()> {
        let Marked::Threads(system) = self.system else {
            return reject("a step of a net records a choice, and there is none");
        };
        let shared = system.shared() as usize;
        if to.len() != 1 + system.locals() as usize || to[0] as usize >= shared {
            return reject("the recorded state does not fit the system");
        }
        if marking[to[0] as usize].is_zero() {
            return reject("it cannot lead to the recorded shared state");
        }
        let mut wanted = vec![0; marking.len()];
        for ((have, wanted), &recorded) in marking.iter().zip(&mut wanted).skip(shared).zip(&to[1..]) {
            match have.to_u32().and_then(|have| recorded.checked_sub(have)) {
                Some(more) => *wanted = u64::from(more),
                None => return reject("it cannot lead to the recorded state"),
            }
        }
        if !possible(picking, wanted) {
            return reject("it cannot lead to the recorded state");
        }
        marking.iter_mut().skip(shared).zip(&to[1..]).for_each(|(have, &recorded)| *have = BigUint::from(recorded));
        Ok(())
    }

    /// Returns true if `t` adds the same constants whenever it fires, and leaves no choice.
    fn adds_constants(&self, t: u32) -> Check<bool> {
        let transition = self.known(t)?;
        Ok(self.rules.scatters_of(t as usize).is_empty() && transition.effects.iter().all(|e| e.delta().is_some()))
    }

    /// Replays a run and a word that can be repeated for ever, with a greater sum after each pass (3). Returns the
    /// number of steps of both.
    ///
    /// # Errors
    /// If the trace is no such run, or if a resource limit is exceeded.
    pub fn grows(&mut self, trace: &Trace, sum: &Sum, work: &mut Work<'_>) -> Check<u64> {
        let events = trace.len().ok_or(Refusal::ResourceLimit)?;
        let Some(repeats_from) = trace.repeats_from.filter(|&from| from < events) else {
            return reject("a sum grows for ever along an infinite run, and this run does not repeat");
        };
        let mut marking = self.start(&trace.start, work)?;
        let mut before = None;
        for (number, step) in (0..).zip(steps(trace)) {
            if number == repeats_from {
                before = Some(marking.clone());
            }
            if number >= repeats_from && !(self.adds_constants(step.event.0)? && self.known(step.event.0)?.is_plain()) {
                return reject(format!("event number {} may be disabled by more tokens", number + 1));
            }
            let choice = step.choice.map(|choice| trace.choice(choice));
            let taken = self.step(&mut marking, step.event.0, choice, work);
            crate::within(taken, || format!("event number {}", number + 1))?;
        }
        let Some(before) = before else { return reject("the run ends before the step from which it repeats") };
        work.spend(2 * marking.len() as u64)?;
        if let Some(place) = (0..marking.len()).find(|&place| marking[place] < before[place]) {
            return reject(format!("the steps that repeat take tokens from `{}`", self.system.name(place)));
        }
        let value = |marking: &[BigUint]| sum.iter().map(|(p, factor)| &marking[p.index()] * factor).sum::<BigUint>();
        if value(&marking) <= value(&before) {
            return reject("the sum does not grow");
        }
        Ok(events)
    }

    fn taken(&mut self, marking: &mut Vec<BigUint>, word: &[u32], work: &mut Work<'_>) -> Check<()> {
        word.iter().try_for_each(|&t| self.step(marking, t, None, work))
    }
}

impl Semantics for Runs<'_> {
    type State = Vec<BigUint>;

    /// Returns the initial marking. A place with a range of initial tokens starts with the lower end of its
    /// range plus its number in `start`; the result must be in the range. All other places start as the system
    /// defines.
    fn start(&mut self, start: &[u32], work: &mut Work<'_>) -> Check<Vec<BigUint>> {
        work.spend(self.rules.initial.len() as u64)?;
        let open = self.rules.initial.iter().filter(|range| !range.is_single()).count();
        if start.len() != open {
            let (has, long) = (start.len(), if start.len() < open { "short" } else { "long" });
            return reject(format!("the start of the trace has {has} slots, not {open}: it is too {long}"));
        }
        let mut extra = start.iter();
        let mut marking = Vec::with_capacity(self.rules.initial.len());
        for (place, range) in self.rules.initial.iter().enumerate() {
            let mut tokens = range.at_least.clone();
            if !range.is_single() {
                tokens += extra.next().copied().unwrap_or_default();
            }
            if !range.contains(&tokens) {
                let name = self.system.name(place);
                return reject(format!("the trace starts with {tokens} tokens in `{name}`, which is not initial"));
            }
            marking.push(tokens);
        }
        assert_eq!(extra.next(), None, "each slot is that of an open place");
        Ok(marking)
    }

    fn step(&mut self, marking: &mut Vec<BigUint>, t: u32, choice: Option<&[u32]>, work: &mut Work<'_>) -> Check<()> {
        let transition = self.known(t)?;
        let sources: usize = transition.effects.iter().map(|e| e.sources.len()).sum();
        let targets: usize = self.rules.scatters_of(t as usize).iter().map(|s| s.targets.len()).sum();
        work.spend((1 + transition.guards.len() + sources + targets) as u64)?;
        work.spend(if choice.is_some() { marking.len() as u64 } else { 0 })?;
        let named = || self.system.transition(t as usize);
        crate::within(self.must_be_enabled(transition, marking), named)?;
        let picking = crate::within(self.picking(t, marking), named)?;
        crate::within(self.fire(transition, marking), named)?;
        match choice {
            None if picking.is_empty() => Ok(()),
            None => reject("the trace does not record the target of the threads"),
            Some(to) => self.go_to(&picking, to, marking),
        }
    }

    fn reached(&mut self, marking: &Vec<BigUint>, goal: Goal, work: &mut Work<'_>) -> Check<()> {
        if goal != Goal::Deadlock {
            let formula = formula::asked(self.problem, goal, self.system.places())?;
            work.spend(formula::size(formula))?;
            return match formula::holds(formula, marking) {
                true => Ok(()),
                false => reject("the trace ends in a marking that does not satisfy the goal"),
            };
        }
        work.spend(self.rules.transitions.len() as u64)?;
        if let Some(name) = self.enabled(marking) {
            return reject(format!("the trace ends in a marking that is not a deadlock: {name} is enabled"));
        }
        Ok(())
    }

    fn repeat(
        &mut self,
        state: &Vec<BigUint>,
        word: &[u32],
        times: u64,
        work: &mut Work<'_>,
    ) -> Check<Option<(Vec<BigUint>, u64)>> {
        for &t in word {
            if !self.adds_constants(t)? {
                return Ok(None);
            }
        }
        assert!(times > 1, "the first pass and the last are two");
        let mut marking = state.clone();
        work.spend(2 * state.len() as u64)?;
        self.taken(&mut marking, word, work)?;
        for (tokens, old) in marking.iter_mut().zip(state) {
            if *tokens > *old {
                *tokens += (&*tokens - old) * (times - 2);
            } else if *tokens < *old {
                let gone = (old - &*tokens) * (times - 2);
                if *tokens < gone {
                    return reject("it runs out of tokens");
                }
                *tokens -= gone;
            }
        }
        self.taken(&mut marking, word, work)?;
        Ok(Some((marking, 2 * word.len() as u64)))
    }
}
