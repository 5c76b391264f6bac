//! The greatest stubborn set within given events, at one composite state.
//!
//! Fix a state q that ends no run, and a set T of events. A *move* of a thread in local state s is an event that s does not
//! block and that takes it to another state; R(s) are the states reachable from s over moves, with s. Bad states end runs, so
//! below "some state of R(s)" means one that is not bad. T is stubborn at q if
//!
//! * (E) for every enabled e of T and every thread, in q in local state s, all these are in T: either (*stay*)
//!   if e is a move of s: moves of s to some t with e unblocked in some state of R(t); and the events f, unblocked in s
//!   and leaving it in s, that for a target t of e (not bad, not s) t blocks, or takes elsewhere, or requests no longer while s
//!   does; if e is no move of s: moves of s to some t with e a move of some state of R(t);
//!   or (*swap*) the events f that cannot be put behind e everywhere in R(s): for some r of R(s) that does not block f,
//!   f leads from r to a state that does not block e and from there e to some u, but r blocks e, or there is no t with e from r to t,
//!   t not blocking f (and requesting it if r does), f from t to u; a bad t will do where u is bad.
//! * (D) for every disabled e of T: some thread blocks it in its state s, and all moves of s to some t with e unblocked
//!   in some state of R(t) are in T; or no thread requests it, and in every thread all moves of its state to some t with e
//!   requested and not blocked in some state of R(t) are.
//!
//! and serves a goal if
//!
//! * (B) bad: for every thread in s, T has all moves of s to states from which a bad one is reachable, or all moves of
//!   states of R(s) that may lead into a bad one;
//! * (K) deadlock: some enabled e is in T, in every thread in s T has all moves of s to some t with e blocked in
//!   some state of R(t), and for one thread that requests e, all moves to some t with e not requested in some state of R(t).
//!
//! **Theorem.** If a run of n > 0 events leads from q into a state of a goal that T serves, then some event of T is enabled in q
//! and one of its successors is at most n - 1 events from that goal.
//!
//! Proof. (1) *The run has an event of T.* Bad: the thread that ends bad makes both kinds of moves of (B). Deadlock:
//! else every thread, unless it never left its state of q, left it by a move outside T, and so (K) ends in a state that does not
//! block e, and the requester requests e: the run does not end in a deadlock. (2) Let e be the first event of T in the run, after
//! the events f1 .. fk outside T. *It is enabled in q*: else by (D) the blocking thread has not moved or is in a state
//! from which e remains blocked, or no thread requests e without blocking it. (3) *It can be done first.* A thread goes through s = s0, s1,
//! .. sk by f1 .. fk, and e takes it to u. We need t0, a target of e in s, such that f1 .. fk take the thread from t0 to
//! u through states that block none of the next events and request them where the s of the same number did, or through such states into
//! a bad one, if u is bad. Staying, e a move of s: moves of s outside T lead to where e stays blocked, so s0 = .. = sk = s, and t0 = u
//! will do: if u is not s and not bad, because each f leaves the thread in u and finds u as it found s. Staying, e no move of s:
//! then it is no move of sk either (sk is s, or reached by a move outside T), u = sk, and t0 = s. Swapping: e moves from behind each f to before it,
//! from fk to f1; once its target is bad, it is bad from there on. So e, f1 .. fk is a run from q,
//! perhaps cut short by a bad state, which only a run into `bad` meets; a thread outside is not touched. It ends like e's run or earlier.
//! What follows is as before. (Valmari's weak stubborn sets; for goals as attractors Schmidt, "Stubborn sets for model checking the EF/AG fragment of CTL", 1999.)
//!
//! All conditions but the choice of T's members are monotone: what T needs, a larger T has too. So the union of stubborn sets is
//! stubborn, and deleting what breaks a rule until nothing does leaves the greatest stubborn set.

use crate::Check;
use kernel::Work;
use kernel::program::stepper::Stepper;
use model::Goal;
use std::collections::BTreeMap;

/// The sets of events that a rule asks for, by thread, local state and event; see the module for their names.
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

/// A set in [`Rules::sets`].
type SetId = u32;

/// The rules of one program.
pub(crate) struct Rules {
    words: usize,
    sets: Vec<Box<[u64]>>,
    ids: BTreeMap<Box<[u64]>, SetId>,
    /// Per event, the threads that it means something to.
    parties: Vec<Vec<Party>>,
    /// Per thread and local state the two sets of (B).
    ways: Vec<Vec<[SetId; 2]>>,
    /// By [`Rule`], all but the last.
    needs: Vec<[SetId; 6]>,
}

struct Party {
    thread: usize,
    /// Its needs in local state s are at `first + s * stride`.
    first: usize,
    stride: usize,
}

/// A thread with what its states may come to.
struct Local<'a> {
    stepper: &'a Stepper,
    thread: usize,
    words: usize,
    /// Events that some state requests, blocks or moves on.
    mentioned: Vec<u32>,
    /// Moves per state.
    moves: Vec<Vec<u32>>,
    /// Reachable states per state.
    reach: Vec<Vec<u32>>,
}

/// Per local state s, the events of which something holds in some state of R(s).
type Future = Vec<Vec<u64>>;

/// What the states of one thread may come to.
struct Futures {
    /// Moves.
    moves: Future,
    /// Not blocked.
    free: Future,
    /// Blocked.
    blocked: Future,
    /// Requested and not blocked.
    asked: Future,
    /// Not requested.
    silent: Future,
    /// Not to be swapped with a mentioned event, which is named by its column, not by the state alone.
    clashes: Vec<Future>,
}

impl Rules {
    /// Compiles the rules; costs about states^2 and states * events^2 per thread. Tests leave rules out.
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
                // What e asks for, it asks for as a member.
                set[e as usize / 64] &= !(1 << (e % 64));
                self.intern(set)
            });
            self.needs.push(ids);
        }
        Ok(())
    }

    /// Is there a set, stubborn in `state` and serving all `goals`, whose enabled events are all `allowed`?
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

    /// (E)
    fn enabled_event(&self, state: &[u32], event: usize, set: &[u64]) -> bool {
        let met = |party: &Party, rule| self.within(self.need(party, state, rule), set);
        self.parties[event].iter().all(|party| met(party, Rule::Stay) || met(party, Rule::Swap))
    }

    /// (D)
    fn disabled_event(&self, stepper: &Stepper, state: &[u32], event: usize, set: &[u64]) -> bool {
        let met = |party: &Party, rule| self.within(self.need(party, state, rule), set);
        let parties = &self.parties[event];
        let (e, at) = (event as u32, |party: &Party| state[party.thread]);
        let stays_blocked = |party: &Party| stepper.blocks(party.thread, at(party), e) && met(party, Rule::Free);
        let is_requested = parties.iter().any(|party| stepper.requests(party.thread, at(party), e));
        parties.iter().any(stays_blocked) || (!is_requested && parties.iter().all(|party| met(party, Rule::Ask)))
    }

    /// (B) and (K)
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

    /// Per state s the events of which `now` holds in some state of R(s) that is not bad.
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

    /// Moves of `s` to some t where `e` is in the future.
    fn moves_before(&self, s: u32, e: u32, future: &Future) -> Vec<u64> {
        let before = |&f: &u32| self.targets(s, f).iter().any(|&t| has(&future[t as usize], e as usize));
        self.set(self.moves[s as usize].iter().copied().filter(before))
    }

    /// (B), first kind.
    fn first_moves(&self, s: u32) -> Vec<u64> {
        let leads = |&t: &u32| self.reach[t as usize].iter().any(|&r| self.is_bad(r));
        self.set(self.moves[s as usize].iter().copied().filter(|&f| self.targets(s, f).iter().any(leads)))
    }

    /// (B), second kind.
    fn last_moves(&self, s: u32) -> Vec<u64> {
        let into_bad = |r: u32, f: u32| self.targets(r, f).iter().any(|&t| self.is_bad(t));
        let moves = |&r: &u32| self.moves[r as usize].iter().copied().filter(move |&f| into_bad(r, f));
        self.set(self.reach[s as usize].iter().flat_map(moves))
    }

    /// (E), staying.
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

    /// (E), swapping: does everything that f, e leads to from `r` also come from e, f?
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
