//! Checks justifications by projection: a clause must be true of all paths of the projection onto a group, near
//! the end of a run.
//!
//! Let rho be a run of the program of length T. Restricted to the group, rho is a run of the projection
//! ([`crate::groups`]), and is in S(u) after u events.
//! 1. Let `back` and `length` be the parameters of the justification. If rho makes the clause false, then three
//!    statements are true. Proof: all literals of the clause are false of rho.
//!    * T is not covered by the clause's literals about the run length.
//!    * No negated literal names something before s_0.
//!    * Let m = min(length, T - back). The m events of rho before distance `back` are a path that begins in a
//!      joint state of S(T - back - m), and all literals about this path are false.
//! 2. So the clause is true of all runs if there is no such path for any T. The check searches backwards, level
//!    by level: at level m it computes the set of the joint states in which such a path of m events begins.

use crate::clauses::View as Clause;
use crate::clocks::LassoSet;
use crate::groups::Group;
use crate::joint::take_group;
use crate::threads::Threads;
use crate::{Check, reject};
use kernel::Work;
use kernel::program::stepper::Stepper;
use model::ThreadId;

/// Accepts `clause` if it is an instance of [`model::Justification::Projected`] for these parameters.
pub(crate) fn check(
    members: &[ThreadId],
    back: u32,
    length: u32,
    clause: &Clause<'_>,
    threads: &mut Threads<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    let (mut group, window) = Window::open(members, back, length, clause, threads, work)?;
    let result = window.check(&mut group, work);
    threads.keep(group);
    result
}

/// The part of paths about which the literals of a clause are considered.
pub(crate) struct Window<'a> {
    clause: &'a Clause<'a>,
    pub(crate) stepper: &'a Stepper,
    back: u64,
    pub(crate) length: u64,
    /// Runs shorter than this make a negated literal true. At most `back + length`.
    pub(crate) reach: u64,
}

/// A set of joint states. For each joint state: true if it is in the set.
pub(crate) type Joint = Vec<bool>;

impl<'a> Window<'a> {
    /// Returns the group of these threads and the window. The caller must return the group with [`Threads::keep`].
    pub(crate) fn open<'t: 'a>(
        members: &[ThreadId],
        back: u32,
        length: u32,
        clause: &'a Clause<'a>,
        threads: &mut Threads<'t>,
        work: &mut Work<'_>,
    ) -> Check<(Group, Self)> {
        let ascending = members.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascending || members.last().is_none_or(|last| last.index() >= threads.stepper.width()) {
            return reject("a group is a list of threads, ascending and at least one");
        }
        let members: Vec<u32> = members.iter().map(|m| m.0).collect();
        let group = take_group(threads, &members, work)?;
        let (back, length) = (u64::from(back), u64::from(length));
        let reach = clause.reach(back + length);
        Ok((group, Self { clause, stepper: threads.stepper, back, length, reach }))
    }

    fn check(&self, group: &mut Group, work: &mut Work<'_>) -> Check<()> {
        for t in self.reach..self.back {
            self.covered(t, work)?;
        }
        let mut begins = self.end(group, work)?;
        for m in 0..self.length {
            // There is no such path of m events, so there is none of more events. So the clause is true of all
            // longer runs.
            if !begins.contains(&true) {
                return Ok(());
            }
            let t = self.back + m;
            if t >= self.reach && group.initial().any(|q| begins[q]) {
                self.covered(t, work)?;
            }
            begins = self.before(group, m, &begins, work)?;
        }
        self.full(group, &begins, work)
    }

    /// Checks that runs of length `t` are covered.
    fn covered(&self, t: u64, work: &mut Work<'_>) -> Check<()> {
        work.spend(1)?;
        if self.clause.cover.contains(u128::from(t)) {
            return Ok(());
        }
        reject(format!("the clause may be false of a run of length {t}"))
    }

    /// Checks the paths of `length` events that make the clause false. They begin in `begins`, so the clause
    /// must cover the times at which the group may be there. If `begins` is empty, there is nothing to check.
    fn full(&self, group: &mut Group, begins: &Joint, work: &mut Work<'_>) -> Check<()> {
        if !begins.contains(&true) {
            return Ok(());
        }
        if self.clause.cover.is_empty() {
            return reject("a path of the projection makes the clause false");
        }
        let shift = self.back + self.length;
        let times = match group.lasso(work)? {
            Some(lasso) => {
                let begin_at = |u: usize| lasso.set(u).iter().any(|&q| begins[q as usize]);
                let members = (0..lasso.len()).map(|u| {
                    work.spend(1 + lasso.set(u).len() as u64)?;
                    Ok(begin_at(u))
                });
                LassoSet::new(shift, members.collect::<Check<_>>()?, lasso.prefix())
            }
            None => self.any_time(group, begins, work)?,
        };
        if self.clause.cover.covers(&times, work)? {
            return Ok(());
        }
        reject("a path of the projection makes the clause false at times that it does not cover")
    }

    /// The times to cover if the lasso is too long: at time 0 the group is in an initial state, later it may be
    /// in any state.
    fn any_time(&self, group: &Group, begins: &Joint, work: &mut Work<'_>) -> Check<LassoSet> {
        let shift = self.back + self.length;
        if group.initial().any(|q| begins[q]) {
            self.covered(shift, work)?;
        }
        Ok(LassoSet::from(shift + 1))
    }

    /// Paths without events: the joint states that make all literals at distance `back` false.
    pub(crate) fn end(&self, group: &Group, work: &mut Work<'_>) -> Check<Joint> {
        self.allowed(group, 0, work)
    }

    /// The joint states that make all literals about the states `m` events before the end of the path false.
    pub(crate) fn allowed(&self, group: &Group, m: u64, work: &mut Work<'_>) -> Check<Joint> {
        work.spend(1 + group.len() as u64)?;
        match self.states(group, self.back + m) {
            Some(allowed) => Ok((0..group.len()).map(|q| is_allowed(&allowed, group, q)).collect()),
            None => Ok(vec![true; group.len()]),
        }
    }

    /// The joint states in which paths of m + 1 events begin, given those in which paths of m events begin.
    fn before(&self, group: &Group, m: u64, begins: &Joint, work: &mut Work<'_>) -> Check<Joint> {
        let allowed = self.allowed(group, m + 1, work)?;
        let fires = self.fires(m);
        let begins_before = |q: usize| {
            work.spend(1 + group.members().len() as u64)?;
            Ok(allowed[q] && fires.leads(self.stepper, group, q, begins, work)?)
        };
        (0..group.len()).map(begins_before).collect()
    }

    /// The events that make all literals about the event false that has `m` events of the path after it.
    pub(crate) fn fires(&self, m: u64) -> Fires {
        Fires::new(self.clause, self.back + m)
    }

    /// For each member: the local states that make all literals about it at this distance false. `None` if
    /// there are no such literals.
    fn states(&self, group: &Group, back: u64) -> Option<Vec<Vec<bool>>> {
        let position = |thread: u32| group.members().binary_search(&thread).ok();
        let known = |positive| {
            let literals = self.clause.states_at(positive, back);
            literals.filter_map(move |(thread, state)| position(thread).map(|at| (at, state as usize)))
        };
        if known(true).next().is_none() && known(false).next().is_none() {
            return None;
        }
        let mut allowed: Vec<Vec<bool>> =
            group.members().iter().map(|&m| vec![true; self.stepper.size(m as usize)]).collect();
        for (at, state) in known(true) {
            allowed[at][state] = false;
        }
        for (at, state) in known(false) {
            allowed[at].iter_mut().enumerate().for_each(|(s, allowed)| *allowed &= s == state);
        }
        Some(allowed)
    }
}

fn is_allowed(allowed: &[Vec<bool>], group: &Group, q: usize) -> bool {
    group.locals(q).iter().zip(allowed).all(|(&s, allowed)| allowed[s as usize])
}

/// The events that make all literals about one distance false.
pub(crate) struct Fires {
    /// If there are negated literals: the event that all of them name.
    pub(crate) only: Option<u32>,
    /// The events that positive literals name, ascending.
    pub(crate) not: Vec<u32>,
    /// True if no event makes all these literals false: two negated literals name different events, or a
    /// negated and a positive literal name the same event.
    pub(crate) none: bool,
}

impl Fires {
    /// All events.
    pub(crate) fn any() -> Self {
        Self { only: None, not: Vec::new(), none: false }
    }

    /// True if the event is one of these.
    pub(crate) fn is_allowed(&self, event: u32) -> bool {
        !self.none && self.only.is_none_or(|only| only == event) && self.not.binary_search(&event).is_err()
    }

    fn new(clause: &Clause<'_>, back: u64) -> Self {
        let mut not: Vec<u32> = clause.events_at(true, back).collect();
        not.dedup();
        let only = clause.events_at(false, back).next();
        let differs = |e| clause.events_at(false, back).any(|other| other != e) || not.binary_search(&e).is_ok();
        Self { only, none: only.is_some_and(differs), not }
    }

    /// True if one of these events may lead from `q` into `to`.
    fn leads(&self, stepper: &Stepper, group: &Group, q: usize, to: &Joint, work: &mut Work<'_>) -> Check<bool> {
        if self.none {
            return Ok(false);
        }
        let moves = group.moves(q);
        if let Some(event) = self.only {
            let from = moves.partition_point(|&(e, _)| e < event);
            let moved = moves[from..].iter().take_while(|&&(e, _)| e == event).any(|&(_, next)| to[next as usize]);
            return Ok(moved || (to[q] && group.idles_on(stepper, q, event)));
        }
        work.spend((moves.len() + self.not.len() * group.members().len()) as u64)?;
        if moves.iter().any(|(event, next)| to[*next as usize] && self.not.binary_search(event).is_err()) {
            return Ok(true);
        }
        let idle = || self.not.iter().filter(|&&e| group.idles_on(stepper, q, e)).count();
        Ok(to[q] && group.idle(q) > 0 && group.idle(q) > idle())
    }
}
