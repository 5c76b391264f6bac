//! Checks justifications by counts: a linear statement about how often events fire must hold at the end of all paths of
//! the projection onto a group ([`model::Justification::Counts`]).
//!
//! Let rho be a run of the program. Restricted to the group, rho is a path of the projection ([`crate::groups`]) from
//! an initial joint state. Let the *weight* of an event be what one more firing adds to the sum s of the statement `s
//! <= 0`: the coefficient of its count plus that of the run length. Then s of rho is the number in s plus the sum of
//! the weights of the events of rho.
//! 1. If rho makes the clause false, its path counts. Proof: all literals of the clause are false of rho.
//! 2. Let f(q) be the largest sum of weights of a path from q that counts. If f plus the number of s is at most 0 in
//!    all initial joint states, then s <= 0 for every rho that makes the clause false, a contradiction. So the clause
//!    is true of every rho. (An equation is two such statements.)
//!
//! The check computes f backwards. Level m has the largest sums of paths of exactly m events; it is needed up to
//! `length`, because literals speak of single distances. From there on f is the longest distance in a graph, computed
//! as by Goldberg and Radzik (1993): in each round, the edges that improve a value are sorted topologically, and values
//! are improved in this order. A counter with n states then takes one round instead of n.
//! 3. If the edges that improve values contain a cycle, the sum has no bound. Proof: along a cycle the values cancel,
//!    so the sum of its weights is positive. All its states have a value, so the end of a path that counts is
//!    reachable.

use crate::clauses::View as Clause;
use crate::groups::Group;
use crate::linear::{self, Linear, Relation};
use crate::projected::{Fires, Window};
use crate::threads::Threads;
use crate::{Check, reject};
use kernel::Work;
use kernel::program::stepper::Stepper;
use model::{Constant, ThreadId};
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// Accepts `clause` if it is an instance of [`model::Justification::Counts`] for these parameters.
pub(crate) fn check(
    members: &[ThreadId],
    length: u32,
    clause: &Clause<'_>,
    threads: &mut Threads<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    let (mut group, window) = Window::open(members, 0, length, clause, threads, work)?;
    let result = any_statement(&mut group, &window, clause, work);
    threads.keep(group);
    result
}

/// Accepts the clause if one of its arithmetic literals holds at the end of all paths that count.
fn any_statement(group: &mut Group, window: &Window<'_>, clause: &Clause<'_>, work: &mut Work<'_>) -> Check<()> {
    let mut last = reject("the clause has no linear statement about counts");
    for atom in &clause.atoms {
        let Some((sum, relation)) = linear::read(atom, work)? else { continue };
        let Some(weights) = Weights::of(&sum) else { continue };
        last = weights.at_most_zero(group, window, work);
        if last.is_ok() && relation == Relation::Zero {
            last = match Weights::of(&sum.negated()) {
                Some(weights) => weights.at_most_zero(group, window, work),
                None => reject("a number is too large"),
            };
        }
        if !matches!(last, Err(crate::Refusal::Rejected(_))) {
            break;
        }
    }
    last
}

/// The weights of events in a sum.
struct Weights {
    /// The weights of the events that the sum counts, by event.
    counted: BTreeMap<u32, i128>,
    /// The weight of each other event.
    other: i128,
    number: i128,
}

/// For each joint state: the largest sum of weights of a path from it, if there is such a path.
type Values = Vec<Option<i128>>;

impl Weights {
    /// Returns the weights in a sum about counts and the run length. `None` if it has another constant or a number of
    /// more than 64 bits. (Sums of fewer than 2^62 such weights fit 128 bits.)
    fn of(sum: &Linear<'_>) -> Option<Self> {
        let mut weights = Self { counted: BTreeMap::new(), other: 0, number: i128::from(sum.number.to_i64()?) };
        for (constant, coefficient) in &sum.terms {
            let coefficient = i128::from(coefficient.to_i64()?);
            match constant {
                Constant::RunLength => weights.other = coefficient,
                Constant::Count(event) => drop(weights.counted.insert(event.0, coefficient)),
                Constant::Named(_) | Constant::Cell(..) => return None,
            }
        }
        weights.counted.values_mut().for_each(|weight| *weight += weights.other);
        Some(weights)
    }

    fn weight(&self, event: u32) -> i128 {
        self.counted.get(&event).copied().unwrap_or(self.other)
    }

    /// Checks that the sum is at most 0 at the end of every path that counts.
    fn at_most_zero(&self, group: &Group, window: &Window<'_>, work: &mut Work<'_>) -> Check<()> {
        let ends = window.end(group, work)?;
        let mut values: Values = ends.into_iter().map(|is_end| is_end.then_some(0)).collect();
        for m in 0..window.length {
            if m >= window.reach {
                self.initial(group, &values)?;
            }
            values = self.before(group, window, m, &values, work)?;
        }
        Longest { weights: self, group, stepper: window.stepper, values }.improve(work)?;
        Ok(())
    }

    /// Checks the paths that begin in initial joint states.
    fn initial(&self, group: &Group, values: &Values) -> Check<()> {
        let most = group.initial().filter_map(|q| values[q]).max();
        match most.is_some_and(|most| most + self.number > 0) {
            true => reject("the statement about counts fails at the end of a path of the projection"),
            false => Ok(()),
        }
    }

    /// The values of paths with m + 1 events, given those of paths with m events.
    fn before(&self, group: &Group, window: &Window<'_>, m: u64, after: &Values, work: &mut Work<'_>) -> Check<Values> {
        let begins = window.allowed(group, m + 1, work)?;
        let fires = window.fires(m);
        let mut values: Values = vec![None; group.len()];
        for (q, value) in values.iter_mut().enumerate().filter(|(q, _)| begins[*q] && !fires.none) {
            work.spend(1 + group.moves(q).len() as u64)?;
            for &(event, to) in group.moves(q).iter().filter(|(event, _)| fires.is_allowed(*event)) {
                *value = (*value).max(after[to as usize].map(|v| v + self.weight(event)));
            }
            if let Some(stays) = after[q] {
                let most = self.most_idle(window.stepper, group, q, &fires, work)?;
                *value = (*value).max(most.map(|most| stays + most));
            }
        }
        Ok(values)
    }

    /// The largest weight of an allowed event that may fire in `q` and moves no member.
    fn most_idle(
        &self,
        stepper: &Stepper,
        group: &Group,
        q: usize,
        fires: &Fires,
        work: &mut Work<'_>,
    ) -> Check<Option<i128>> {
        let named = self.counted.len() + fires.not.len();
        work.spend(1 + (named * group.members().len()) as u64)?;
        let idles = |event: u32| (event as usize) < stepper.events() && group.idles_on(stepper, q, event);
        if let Some(event) = fires.only {
            return Ok(idles(event).then(|| self.weight(event)));
        }
        let (mut most, mut others) = (None, group.idle(q));
        for (&event, &weight) in self.counted.iter().filter(|(event, _)| idles(**event)) {
            others -= 1;
            most = most.max(fires.is_allowed(event).then_some(weight));
        }
        others -= fires.not.iter().filter(|&&event| !self.counted.contains_key(&event) && idles(event)).count();
        Ok(most.max((others > 0).then_some(self.other)))
    }
}

/// The computation of the largest sums of paths of any length.
struct Longest<'a> {
    weights: &'a Weights,
    group: &'a Group,
    stepper: &'a Stepper,
    values: Values,
}

/// Edges to a joint state: those of state `to` are `edges[starts[to]..starts[to + 1]]`, each as its source and weight.
struct Edges {
    starts: Vec<usize>,
    edges: Vec<(u32, i128)>,
}

impl Edges {
    fn new(group: &Group, weights: &Weights, work: &mut Work<'_>) -> Check<Self> {
        let moves = || (0..group.len()).flat_map(|q| group.moves(q).iter().map(move |&(event, to)| (q, event, to)));
        let mut starts = vec![0; group.len() + 2];
        for (_, _, to) in moves() {
            starts[to as usize + 2] += 1;
        }
        for i in 2..starts.len() {
            starts[i] += starts[i - 1];
        }
        let count = *starts.last().unwrap_or(&0);
        work.spend((2 * count + group.len()) as u64)?;
        work.grow(count.saturating_mul(size_of::<(u32, i128)>()))?;
        let mut edges = vec![(0, 0); count];
        for (from, event, to) in moves() {
            let at = &mut starts[to as usize + 1];
            edges[*at] = (from as u32, weights.weight(event));
            *at += 1;
        }
        Ok(Self { starts, edges })
    }

    fn to(&self, to: u32) -> &[(u32, i128)] {
        &self.edges[self.starts[to as usize]..self.starts[to as usize + 1]]
    }
}

/// The place of a joint state in the topological order of a round.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    /// Its edges are being followed.
    Open,
    Done,
}

impl Longest<'_> {
    /// Computes the largest sums, and checks those of initial joint states.
    fn improve(mut self, work: &mut Work<'_>) -> Check<()> {
        let edges = Edges::new(self.group, self.weights, work)?;
        let mut labelled: Vec<u32> =
            (0..self.group.len() as u32).filter(|&q| self.values[q as usize].is_some()).collect();
        for &q in &labelled {
            self.stays_bounded(q, work)?;
        }
        let mut marks = vec![Mark::New; self.group.len()];
        let mut is_changed = vec![false; self.group.len()];
        // After as many rounds as there are joint states, only sums along a cycle still grow.
        for round in 0.. {
            if labelled.is_empty() {
                break;
            }
            if round > self.group.len() {
                return reject("the sum of counts has no bound");
            }
            let mut order = self.order(&edges, &labelled, &mut marks, work)?;
            order.reverse();
            labelled.clear();
            for &to in &order {
                marks[to as usize] = Mark::New;
                let Some(value) = self.values[to as usize] else { continue };
                // A state that is improved later in this order is scanned then, with its new value.
                is_changed[to as usize] = false;
                for &(from, weight) in edges.to(to) {
                    work.spend(1)?;
                    let old = self.values[from as usize];
                    if old.is_some_and(|old| old >= value + weight) {
                        continue;
                    }
                    self.values[from as usize] = Some(value + weight);
                    if old.is_none() {
                        self.stays_bounded(from, work)?;
                    }
                    if !std::mem::replace(&mut is_changed[from as usize], true) {
                        labelled.push(from);
                    }
                }
            }
            labelled.retain(|&q| is_changed[q as usize]);
        }
        self.weights.initial(self.group, &self.values)
    }

    /// Checks that no event with a positive weight can fire in `q` again and again without moving a member.
    fn stays_bounded(&self, q: u32, work: &mut Work<'_>) -> Check<()> {
        let any = Fires::any();
        match self.weights.most_idle(self.stepper, self.group, q as usize, &any, work)? {
            Some(most) if most > 0 => reject("the sum of counts has no bound: a member stays while it grows"),
            _ => Ok(()),
        }
    }

    /// Orders the joint states from which improving edges lead to `labelled` states, directly or over other states with
    /// values: a state comes after the states that its own improvement improves. (So reversed, it comes before them.)
    fn order(&self, edges: &Edges, labelled: &[u32], marks: &mut [Mark], work: &mut Work<'_>) -> Check<Vec<u32>> {
        let mut order = Vec::new();
        let mut open: Vec<(u32, usize)> = Vec::new();
        for &root in labelled {
            if marks[root as usize] == Mark::New {
                marks[root as usize] = Mark::Open;
                open.push((root, 0));
            }
            while let Some((to, at)) = open.last_mut() {
                work.spend(1)?;
                let Some(&(from, weight)) = edges.to(*to).get(*at) else {
                    marks[*to as usize] = Mark::Done;
                    order.push(*to);
                    open.pop();
                    continue;
                };
                *at += 1;
                let (value, old) = (self.values[*to as usize], self.values[from as usize]);
                // States without a value have no improving edges of their own yet.
                if value.zip(old).is_none_or(|(value, old)| old >= value + weight) {
                    continue;
                }
                match marks[from as usize] {
                    Mark::Open => return reject("the sum of counts has no bound: it grows along a cycle"),
                    Mark::Done => {}
                    Mark::New => {
                        marks[from as usize] = Mark::Open;
                        open.push((from, 0));
                    }
                }
            }
        }
        Ok(order)
    }
}
