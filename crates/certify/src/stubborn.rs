//! Stubborn sets of programs. The module computes the greatest stubborn set at one composite state such that
//! all enabled events of the stubborn set lie in a given set of events.
//!
//! Fix a state q that ends no run, and a set T of events. Definitions:
//! * A *move* of a thread in local state s is an event that s does not block and that may take the thread to
//!   another state.
//! * R(s) is the set of the states reachable from s over moves, including s. Bad states end runs. So in (E),
//!   (D) and (K) "some state of R(s)" means one that is not bad.
//!
//! T is *stubborn at q* if (E) and (D) hold.
//! * (E) Let e be an enabled event of T, and s the local state of any thread in q. Then one of these holds:
//!   * *Stay*, if e is a move of s. T contains all moves of s to some t such that some state of R(t) does not
//!     block e. T also contains each event f that s does not block and on which the thread may stay in s, if
//!     for some target t of e (not bad, not s) one of these is true: t blocks f, or the thread cannot stay in t
//!     on f, or s requests f and t does not.
//!   * *Stay*, if e is no move of s. T contains all moves of s to some t such that e is a move of some state of
//!     R(t).
//!   * *Swap*. T contains each event f that cannot be put behind e everywhere in R(s). This is so if some state
//!     r of R(s) does not block f, f leads from r to a state that does not block e, e leads from there to some
//!     u, and r blocks e or has no suitable t. A t is suitable if e leads from r to t, t does not block f, t
//!     requests f if r does, and f leads from t to u. If u is bad, a bad target t of e in r is suitable, too.
//! * (D) Let e be a disabled event of T. Then one of these holds:
//!   * Some thread blocks e in its state s, and T contains all moves of s to some t such that some state of
//!     R(t) does not block e.
//!   * No thread requests e. And for every thread in its state s, T contains all moves of s to some t such that
//!     some state of R(t) requests e and does not block it.
//!
//! T *serves* a goal if (B) or (K) holds for it.
//! * (B) The goal is `bad`. For every thread, with its state s in q, at least one of two sets is contained in
//!   T: the set of all moves of s to states from which a bad state is reachable, or the set of all moves of
//!   states of R(s) that may lead into a bad state.
//! * (K) The goal is `deadlock`. T contains an enabled event e such that two conditions hold. First, for every
//!   thread in its state s, T contains all moves of s to some t such that some state of R(t) blocks e. Second,
//!   for one thread that requests e, T contains all moves of its state to some t such that some state of R(t)
//!   does not request e.
//!
//! **Theorem.** If a run of n > 0 events leads from q into a state of a goal that T serves, then some event of
//! T is enabled in q and leads to a state that is at most n - 1 events from that goal. Proof, in four claims:
//! 1. The run contains an event of T. Proof: *Bad.* The thread that ends in a bad state makes a move from each
//!    of the two sets in (B): its first move, and its move into the bad state. T contains one of these sets,
//!    and so one of these moves. *Deadlock.* Suppose that no event of the run is in T. Every thread either
//!    never left its state of q, or left it by a move outside T. So by (K) it ends in a state that does not
//!    block e. Likewise the requester still requests e. So e is enabled at the end, which is a contradiction.
//! 2. Let e be the first event of T in the run, and let f1 .. fk be the events before it, which are outside T.
//!    Then e is enabled in q. Proof: otherwise (D) applies. In its first case, the blocking thread has not
//!    moved, or is in a state from which e remains blocked. In its second case, no thread requests e without
//!    blocking it. In both cases e cannot fire after f1 .. fk.
//! 3. e, f1 .. fk is a run from q, perhaps cut short by a bad state. It ends like the run f1 .. fk, e, or
//!    earlier. Proof: only a run into `bad` meets a bad state, so only such a run is cut short. f1 .. fk take a
//!    thread through s = s0, s1, .. sk, and e takes it to u. We need a target t0 of e in s such that f1 .. fk
//!    take the thread from t0 to u. On the way, each state must not block the next event, and must request it
//!    if the state si of the same number does. If u is bad, it suffices that the thread gets through such
//!    states into a bad one.
//!    * *Stay*, e a move of s. Moves of s outside T lead to states from which e stays blocked, but sk does not
//!      block e. So s0 = .. = sk = s, and t0 = u suffices. If u is neither s nor bad, the reason is that the
//!      thread stays in u on each f, that u does not block f, and that u requests f if s does.
//!    * *Stay*, e no move of s. Then e is no move of sk either, because sk is s or was reached by a move
//!      outside T. So u = sk, and t0 = s suffices.
//!    * *Swap*. Move e from behind each f to before it, from fk to f1. Once the target of e is bad, it stays
//!      bad from there on.
//!    * A thread that neither blocks e nor moves on e in any state is not touched by e.
//! 4. The theorem follows: after e, f1 .. fk, the remaining events of the run follow as before.
//!
//! Source: weak stubborn sets (Valmari); for goals as attractors Schmidt, "Stubborn sets for model checking the
//! EF/AG fragment of CTL", 1999.
//!
//! 5. Deleting events that break (E) or (D) until no event does leaves the greatest stubborn set. Proof: apart
//!    from the membership of e in T, all conditions are monotone: what T contains, a larger T contains too. So
//!    the union of stubborn sets is stubborn, and no deleted event is in a stubborn set.

use crate::Check;
use kernel::Work;
use kernel::program::stepper::Stepper;
use model::Goal;
use std::collections::BTreeMap;

/// The sets of events that a rule requires to be in T, by thread, local state and event. The head of the module
/// defines the rules: `Stay` and `Swap` belong to (E). `Free` and `Ask` are the two cases of (D). `Hold` and
/// `Insist` are the two conditions of (K). `Bad` is (B).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    Stay,
    Swap,
    Free,
    Ask,
    Hold,
    Insist,
    Bad,
}

/// The index of a set in [`Rules::sets`].
type SetId = u32;

/// The rules of one program.
pub(crate) struct Rules {
    words: usize,
    sets: Vec<Box<[u64]>>,
    ids: BTreeMap<Box<[u64]>, SetId>,
    /// For each event: the threads that request it, block it or move on it in some state.
    parties: Vec<Vec<Party>>,
    /// For each thread and local state: the two sets of (B).
    ways: Vec<Vec<[SetId; 2]>>,
    /// For each party and local state: the sets that the rules require, by [`Rule`]. [`Rule::Bad`] is not
    /// included. [`Party`] defines the index.
    needs: Vec<[SetId; 6]>,
}

struct Party {
    thread: usize,
    /// The required sets in local state s are at `needs[first + s * stride]`.
    first: usize,
    stride: usize,
}

/// A thread, with what its states may lead to.
struct Local<'a> {
    stepper: &'a Stepper,
    thread: usize,
    words: usize,
    /// Events that some state requests, blocks or moves on.
    mentioned: Vec<u32>,
    /// For each state: its moves.
    moves: Vec<Vec<u32>>,
    /// For each state s: the states of R(s).
    reach: Vec<Vec<u32>>,
}

/// For each local state s: the events that have some property in some state of R(s).
type Future = Vec<Vec<u64>>;

/// For each property that a rule uses: the events that may have it later.
struct Futures {
    /// The event is a move.
    moves: Future,
    /// The event is not blocked.
    free: Future,
    /// The event is blocked.
    blocked: Future,
    /// The event is requested and not blocked.
    asked: Future,
    /// The event is not requested.
    silent: Future,
    /// For each event e of [`Local::mentioned`], in the same order: the events that cannot be put behind e.
    clashes: Vec<Future>,
}

impl Rules {
    /// Compiles the rules. Costs about states^2 and states * events^2 per thread. Tests leave the rule `omit`
    /// out.
    pub(crate) fn new(stepper: &Stepper, omit: Option<Rule>, work: &mut Work<'_>) -> Check<Self> {
        let words = stepper.events().div_ceil(64);
        let mut rules = Self {
            words,
            sets: Vec::new(),
            ids: BTreeMap::new(),
            parties: (0..stepper.events()).map(|_| Vec::new()).collect(),
            ways: Vec::new(),
            needs: Vec::new(),
        };
        for thread in 0..stepper.width() {
            let local = Local::new(stepper, thread, work)?;
            let stride = local.mentioned.len();
            for (column, &event) in local.mentioned.iter().enumerate() {
                let first = rules.needs.len() + column;
                rules.parties[event as usize].push(Party { thread, first, stride });
            }
            work.grow(stepper.size(thread).saturating_mul(stride).saturating_mul(size_of::<[SetId; 6]>()))?;
            let futures = local.futures(work)?;
            let mut ways = Vec::new();
            for s in 0..stepper.size(thread) as u32 {
                ways.push([local.first_moves(s), local.last_moves(s)].map(|set| {
                    let set = if omit == Some(Rule::Bad) { vec![0; words] } else { set };
                    rules.intern(set)
                }));
                rules.compile(&local, &futures, s, omit, work)?;
            }
            rules.ways.push(ways);
        }
        Ok(rules)
    }

    fn intern(&mut self, set: Vec<u64>) -> SetId {
        let next = self.sets.len() as SetId;
        let set = set.into_boxed_slice();
        *self.ids.entry(set).or_insert_with_key(|set| {
            self.sets.push(set.clone());
            next
        })
    }

    fn compile(
        &mut self,
        local: &Local<'_>,
        futures: &Futures,
        s: u32,
        omit: Option<Rule>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        for (&e, clashes) in local.mentioned.iter().zip(&futures.clashes) {
            work.spend(6 * (self.words + local.moves[s as usize].len()) as u64)?;
            let sets = [
                (Rule::Stay, local.stay(s, e, futures, work)?),
                (Rule::Swap, clashes[s as usize].clone()),
                (Rule::Free, local.moves_before(s, e, &futures.free)),
                (Rule::Ask, local.moves_before(s, e, &futures.asked)),
                (Rule::Hold, local.moves_before(s, e, &futures.blocked)),
                (Rule::Insist, local.moves_before(s, e, &futures.silent)),
            ];
            let ids = sets.map(|(rule, mut set)| {
                if omit == Some(rule) {
                    set.fill(0);
                }
                // The set is required only if e is in T, so e itself need not be listed.
                set[e as usize / 64] &= !(1 << (e % 64));
                self.intern(set)
            });
            self.needs.push(ids);
        }
        Ok(())
    }

    /// True if there is a set that is stubborn in `state` and serves all `goals`, and all enabled events of the
    /// set are in `allowed`.
    pub(crate) fn admits(
        &self,
        stepper: &Stepper,
        state: &[u32],
        enabled: &[u64],
        allowed: &[u64],
        goals: &[Goal],
        work: &mut Work<'_>,
    ) -> Check<bool> {
        let mut set: Vec<u64> = enabled.iter().zip(allowed).map(|(enabled, allowed)| !enabled | allowed).collect();
        loop {
            let mut changed = false;
            for event in 0..self.parties.len() {
                if !has(&set, event) {
                    continue;
                }
                work.spend(1 + (self.parties[event].len() * self.words) as u64)?;
                let met = if has(enabled, event) {
                    self.enabled_event(state, event, &set)
                } else {
                    self.disabled_event(stepper, state, event, &set)
                };
                if !met {
                    set[event / 64] &= !(1 << (event % 64));
                    changed = true;
                }
            }
            if !changed {
                return Ok(goals.iter().all(|&goal| self.serves(stepper, state, enabled, &set, goal)));
            }
        }
    }

    fn need(&self, party: &Party, state: &[u32], rule: Rule) -> SetId {
        self.needs[party.first + state[party.thread] as usize * party.stride][rule as usize]
    }

    fn within(&self, set: SetId, all: &[u64]) -> bool {
        self.sets[set as usize].iter().zip(all).all(|(set, all)| set & !all == 0)
    }

    /// True if (E) holds for `event`.
    fn enabled_event(&self, state: &[u32], event: usize, set: &[u64]) -> bool {
        let met = |party: &Party, rule| self.within(self.need(party, state, rule), set);
        self.parties[event].iter().all(|party| met(party, Rule::Stay) || met(party, Rule::Swap))
    }

    /// True if (D) holds for `event`.
    fn disabled_event(&self, stepper: &Stepper, state: &[u32], event: usize, set: &[u64]) -> bool {
        let met = |party: &Party, rule| self.within(self.need(party, state, rule), set);
        let parties = &self.parties[event];
        let (e, at) = (event as u32, |party: &Party| state[party.thread]);
        let stays_blocked = |party: &Party| stepper.blocks(party.thread, at(party), e) && met(party, Rule::Free);
        let is_requested = parties.iter().any(|party| stepper.requests(party.thread, at(party), e));
        parties.iter().any(stays_blocked) || (!is_requested && parties.iter().all(|party| met(party, Rule::Ask)))
    }

    /// True if `set` serves the goal: (B) or (K).
    fn serves(&self, stepper: &Stepper, state: &[u32], enabled: &[u64], set: &[u64], goal: Goal) -> bool {
        let ways = |(thread, &local): (usize, &u32)| {
            self.ways[thread][local as usize].iter().any(|&way| self.within(way, set))
        };
        let is_key = |event: usize| {
            let met = |party: &Party, rule| self.within(self.need(party, state, rule), set);
            let insists = |party: &Party| {
                stepper.requests(party.thread, state[party.thread], event as u32) && met(party, Rule::Insist)
            };
            let parties = &self.parties[event];
            parties.iter().all(|party| met(party, Rule::Hold)) && parties.iter().any(insists)
        };
        match goal {
            Goal::Bad => state.iter().enumerate().all(ways),
            Goal::Deadlock => (0..self.parties.len()).any(|e| has(enabled, e) && has(set, e) && is_key(e)),
            _ => false,
        }
    }
}

impl<'a> Local<'a> {
    fn new(stepper: &'a Stepper, thread: usize, work: &mut Work<'_>) -> Check<Self> {
        let (events, size) = (stepper.events() as u32, stepper.size(thread) as u32);
        let mut local = Self {
            stepper,
            thread,
            words: stepper.events().div_ceil(64),
            mentioned: Vec::new(),
            moves: Vec::new(),
            reach: Vec::new(),
        };
        work.spend(u64::from(events).saturating_mul(size.into()))?;
        local.moves = (0..size).map(|s| (0..events).filter(|&e| local.is_move(s, e)).collect()).collect();
        let mentions = |s, e| !local.is_bad(s) && (local.requests(s, e) || local.blocks(s, e) || local.is_move(s, e));
        local.mentioned = (0..events).filter(|&e| (0..size).any(|s| mentions(s, e))).collect();
        work.grow((size as usize).saturating_mul(size as usize).saturating_mul(4))?;
        for s in 0..size {
            let reached = local.reachable(s, work)?;
            local.reach.push(reached);
        }
        Ok(local)
    }

    fn is_bad(&self, s: u32) -> bool {
        self.stepper.is_bad(self.thread, s)
    }

    fn blocks(&self, s: u32, e: u32) -> bool {
        self.stepper.blocks(self.thread, s, e)
    }

    fn requests(&self, s: u32, e: u32) -> bool {
        self.stepper.requests(self.thread, s, e)
    }

    fn targets(&self, s: u32, e: u32) -> &[u32] {
        self.stepper.targets(self.thread, s, e)
    }

    fn is_move(&self, s: u32, e: u32) -> bool {
        !self.blocks(s, e) && self.targets(s, e) != [s]
    }

    fn reachable(&self, s: u32, work: &mut Work<'_>) -> Check<Vec<u32>> {
        let mut seen = vec![false; self.moves.len()];
        seen[s as usize] = true;
        let (mut reached, mut next) = (vec![s], 0);
        while next < reached.len() {
            let at = reached[next];
            work.spend(1 + self.moves[at as usize].len() as u64)?;
            for &target in self.moves[at as usize].iter().flat_map(|&e| self.targets(at, e)) {
                if !std::mem::replace(&mut seen[target as usize], true) {
                    reached.push(target);
                }
            }
            next += 1;
        }
        Ok(reached)
    }

    fn set(&self, events: impl Iterator<Item = u32>) -> Vec<u64> {
        let mut set = vec![0; self.words];
        events.for_each(|e| set[e as usize / 64] |= 1 << (e % 64));
        set
    }

    /// For each state s: the events for which `now` holds in some state of R(s) that is not bad.
    fn future(&self, now: impl Fn(u32, u32) -> bool, work: &mut Work<'_>) -> Check<Future> {
        let size = self.moves.len() as u32;
        work.spend(u64::from(size).saturating_mul(self.mentioned.len() as u64))?;
        let present = |s| self.set(self.mentioned.iter().copied().filter(|&e| !self.is_bad(s) && now(s, e)));
        let present: Vec<Vec<u64>> = (0..size).map(present).collect();
        let mut future = Vec::with_capacity(present.len());
        for reach in &self.reach {
            work.spend((reach.len() * self.words) as u64)?;
            let mut all = vec![0; self.words];
            for &r in reach {
                all.iter_mut().zip(&present[r as usize]).for_each(|(all, more)| *all |= more);
            }
            future.push(all);
        }
        Ok(future)
    }

    fn futures(&self, work: &mut Work<'_>) -> Check<Futures> {
        let mut clashes = Vec::with_capacity(self.mentioned.len());
        for &e in &self.mentioned {
            work.grow(self.moves.len().saturating_mul(self.words * 8 + 24))?;
            clashes.push(self.future(|r, f| !self.blocks(r, f) && !self.swaps(r, f, e), work)?);
        }
        Ok(Futures {
            moves: self.future(|r, e| self.is_move(r, e), work)?,
            free: self.future(|r, e| !self.blocks(r, e), work)?,
            blocked: self.future(|r, e| self.blocks(r, e), work)?,
            asked: self.future(|r, e| self.requests(r, e) && !self.blocks(r, e), work)?,
            silent: self.future(|r, e| !self.requests(r, e), work)?,
            clashes,
        })
    }

    /// The moves of `s` to some t such that `future` of t contains `e`.
    fn moves_before(&self, s: u32, e: u32, future: &Future) -> Vec<u64> {
        let before = |&f: &u32| self.targets(s, f).iter().any(|&t| has(&future[t as usize], e as usize));
        self.set(self.moves[s as usize].iter().copied().filter(before))
    }

    /// (B), first kind: the moves to states from which a bad state is reachable.
    fn first_moves(&self, s: u32) -> Vec<u64> {
        let leads = |&t: &u32| self.reach[t as usize].iter().any(|&r| self.is_bad(r));
        self.set(self.moves[s as usize].iter().copied().filter(|&f| self.targets(s, f).iter().any(leads)))
    }

    /// (B), second kind: the moves, of reachable states, that may lead into a bad state.
    fn last_moves(&self, s: u32) -> Vec<u64> {
        let into_bad = |r: u32, f: u32| self.targets(r, f).iter().any(|&t| self.is_bad(t));
        let moves = |&r: &u32| self.moves[r as usize].iter().copied().filter(move |&f| into_bad(r, f));
        self.set(self.reach[s as usize].iter().flat_map(moves))
    }

    /// (E), *stay*: the events that T must contain.
    fn stay(&self, s: u32, e: u32, futures: &Futures, work: &mut Work<'_>) -> Check<Vec<u64>> {
        if !self.is_move(s, e) {
            return Ok(self.moves_before(s, e, &futures.moves));
        }
        let mut set = self.moves_before(s, e, &futures.free);
        for &t in self.targets(s, e).iter().filter(|&&t| t != s && !self.is_bad(t)) {
            for &f in &self.mentioned {
                work.spend(1)?;
                let leaves = !self.blocks(s, f) && self.targets(s, f).contains(&s);
                let finds = !self.blocks(t, f)
                    && self.targets(t, f).contains(&t)
                    && (self.requests(t, f) || !self.requests(s, f));
                if leaves && !finds {
                    set[f as usize / 64] |= 1 << (f % 64);
                }
            }
        }
        Ok(set)
    }

    /// (E), *swap*: true if everything that f, e leads to from `r` is also reached by e, f.
    fn swaps(&self, r: u32, f: u32, e: u32) -> bool {
        let open = self.targets(r, f).iter().filter(|&&middle| !self.blocks(middle, e));
        open.flat_map(|&middle| self.targets(middle, e)).all(|&u| {
            let other_way = |&t: &u32| {
                if self.is_bad(t) {
                    return self.is_bad(u);
                }
                let open = !self.blocks(t, f) && (self.requests(t, f) || !self.requests(r, f));
                open && self.targets(t, f).contains(&u)
            };
            !self.blocks(r, e) && self.targets(r, e).iter().any(other_way)
        })
    }
}

fn has(set: &[u64], event: usize) -> bool {
    set[event / 64] >> (event % 64) & 1 == 1
}
