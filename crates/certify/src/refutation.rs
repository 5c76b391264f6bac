//! Checks refutations: axioms that hold for every violating run, then clauses derived from them, the last of
//! which is empty. A derived clause must follow from earlier clauses, along the hints of its step or by reverse
//! unit propagation ([`crate::derivations`]).
//!
//! Let rho = s_0 e_0 .. e_{T-1} s_T be a violating run into a claimed goal. If the user assumes something of
//! violating runs, let rho be a run that satisfies the assumptions. Give each proof variable the truth value of
//! its meaning for rho. Give auxiliary variables any value. Below, a clause *names* what its positive literals
//! are about, and *excludes* what its negated literals are about. A state is *covered* if the clause names the
//! state or a group that contains it.
//! 1. Every accepted axiom is true. Proof: at the check of each axiom, marked "Sound". A clause may always have
//!    more literals than the check requires. The exception is [`Axiom::Unproven`]: it is accepted if the user
//!    trusts its pattern.
//! 2. Every derived clause is true. Proof: it follows from clauses that are true.
//! 3. An accepted refutation shows that rho does not exist. Proof: the refutation derives the empty clause,
//!    which is not true. This contradicts 2.

use crate::arith;
use crate::assumed;
use crate::clauses::{View, variable};
use crate::derivations::Derivations;
use crate::justifications;
use crate::keys::Key;
use crate::linear;
use crate::nodes::{Marks, Nodes, Set};
use crate::threads::Threads;
use crate::{Check, Refusal, reject};
use kernel::Work;
use kernel::keys::Layout;
use kernel::program::stepper::{Scratch, Stepper, describe};
use model::{Assumption, Axiom, Goal, LemmaKind, Meaning, Program, ProofStep, Prop, Refutation};
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// The result of a check.
pub(crate) struct Checked {
    /// Number of composite states that the check expanded.
    pub(crate) expanded: u64,
    /// Kinds of lemmas that were accepted without proof.
    pub(crate) trusted: Vec<LemmaKind>,
}

/// What the check accepts from the user without proof.
#[derive(Clone, Copy)]
pub(crate) struct Premises<'a> {
    /// Names of patterns. Their lemmas are accepted without proof.
    pub(crate) trust: &'a [String],
    /// Assumptions about violating runs.
    pub(crate) assumptions: &'a [Assumption],
}

pub(crate) fn check(
    program: &Program,
    stepper: &Stepper,
    refutation: &Refutation,
    goals: &[Goal],
    premises: &Premises<'_>,
    work: &mut Work<'_>,
) -> Check<Checked> {
    if refutation.width != stepper.width() {
        return reject(format!("states of {} threads in a refutation of width {}", stepper.width(), refutation.width));
    }
    check_meanings(stepper, refutation, work)?;
    match Layout::new(&stepper.sizes()).words() {
        1 => run::<[u64; 1]>(program, stepper, refutation, goals, premises, work),
        2 => run::<[u64; 2]>(program, stepper, refutation, goals, premises, work),
        3 | 4 => run::<[u64; 4]>(program, stepper, refutation, goals, premises, work),
        _ => run::<Box<[u64]>>(program, stepper, refutation, goals, premises, work),
    }
}

fn run<K: Key>(
    program: &Program,
    stepper: &Stepper,
    refutation: &Refutation,
    goals: &[Goal],
    premises: &Premises<'_>,
    work: &mut Work<'_>,
) -> Check<Checked> {
    let nodes = Nodes::<K>::new(program, stepper, refutation, work)?;
    let marks = || Marks::new(refutation.groups.len(), nodes.len());
    let mut checker = Checker {
        program,
        stepper,
        refutation,
        goals,
        trust: premises.trust,
        assumptions: premises.assumptions,
        covered: marks(),
        inside: marks(),
        nodes,
        threads: None,
        expanded: 0,
        trusted: Vec::new(),
        untrusted: None,
        work,
    };
    checker.steps()?;
    match checker.untrusted {
        Some(kind) => Err(Refusal::Unknown(format!(
            "a lemma of kind `{}` comes without a justification; `--trust {}` accepts it",
            kind.0,
            pattern(kind)
        ))),
        None => Ok(Checked { expanded: checker.expanded, trusted: checker.trusted }),
    }
}

/// Checks that everything a meaning names exists.
fn check_meanings(stepper: &Stepper, refutation: &Refutation, work: &mut Work<'_>) -> Check<()> {
    if refutation.meanings.len() > i32::MAX as usize || refutation.groups.len() > i32::MAX as usize {
        return Err(Refusal::ResourceLimit);
    }
    for (number, meaning) in refutation.meanings.iter().enumerate() {
        work.spend(1)?;
        let known = match meaning {
            Meaning::Group(group) => (*group as usize) < refutation.groups.len(),
            Meaning::Prop(Prop::EventBack { event, .. }) => event.index() < stepper.events(),
            Meaning::Prop(Prop::StateBack { thread, state, .. }) => {
                thread.index() < stepper.width() && state.index() < stepper.size(thread.index())
            }
            Meaning::Prop(Prop::Visits(_) | Prop::Ends(_) | Prop::Int(_)) | Meaning::Auxiliary => true,
        };
        if !known {
            return reject(format!("proof variable {} is about something that does not exist", number + 1));
        }
    }
    Ok(())
}

/// The pattern that a kind of lemma belongs to.
fn pattern(kind: LemmaKind) -> &'static str {
    kind.0.split('.').next().unwrap_or_default()
}

struct Checker<'a, 'w, K> {
    program: &'a Program,
    stepper: &'a Stepper,
    refutation: &'a Refutation,
    goals: &'a [Goal],
    trust: &'a [String],
    assumptions: &'a [Assumption],
    nodes: Nodes<'a, K>,
    /// States and groups that the clause's positive literals name.
    covered: Marks,
    /// States and groups of the set that the axiom is about.
    inside: Marks,
    threads: Option<Threads<'a>>,
    expanded: u64,
    trusted: Vec<LemmaKind>,
    untrusted: Option<LemmaKind>,
    work: &'a mut Work<'w>,
}

impl<K: Key> Checker<'_, '_, K> {
    /// Checks all steps in order. The last derived clause must be the empty one.
    fn steps(&mut self) -> Check<()> {
        let refutation = self.refutation;
        let mut clauses = Derivations::new(&refutation.steps, refutation.meanings.len(), self.work)?;
        let mut refuted = false;
        for (number, step) in refutation.steps.iter().enumerate() {
            self.work.spend(1)?;
            match step {
                ProofStep::Axiom(axiom, clause) => {
                    self.check_literals(number, clause)?;
                    in_step(number, axiom_name(axiom), self.axiom(axiom, clause))?;
                    clauses.add(number, self.work)?;
                }
                ProofStep::Derived(clause, hints) => {
                    self.check_literals(number, clause)?;
                    in_step(number, "derived", clauses.check(number, clause, hints, self.work))?;
                    clauses.add(number, self.work)?;
                    refuted = clause.is_empty();
                }
                ProofStep::Delete(index) => {
                    if !clauses.delete(*index, self.work)? {
                        return reject(format!("proof step {number}: there is no clause {index} to drop"));
                    }
                }
            }
        }
        if refuted { Ok(()) } else { reject("the proof does not end in the empty clause") }
    }

    fn check_literals(&self, number: usize, clause: &[i32]) -> Check<()> {
        let variables = self.refutation.meanings.len();
        match clause.iter().find(|&&l| l == 0 || l.unsigned_abs() as usize > variables) {
            Some(literal) => reject(format!("proof step {number}: there is no variable for literal {literal}")),
            None => Ok(()),
        }
    }

    fn axiom(&mut self, axiom: &Axiom, clause: &[i32]) -> Check<()> {
        self.work.spend(1 + clause.len() as u64)?;
        match axiom {
            Axiom::Initial => self.initial(clause),
            Axiom::SomeGoal => self.some_goal(clause),
            Axiom::OneGoal => self.one_goal(clause),
            Axiom::NotClaimed(goal) => self.not_claimed(clause, *goal),
            Axiom::GoalState => self.goal_state(clause),
            Axiom::Member => self.member(clause),
            Axiom::Exit => self.exit(clause),
            Axiom::Lemma(_, justification) => {
                if self.threads.is_none() {
                    self.threads = Some(Threads::new(self.stepper, self.work)?);
                }
                let Some(threads) = &mut self.threads else { return Err(Refusal::ResourceLimit) };
                justifications::check(justification, &View::new(clause, &self.refutation.meanings), threads, self.work)
            }
            Axiom::Unproven(kind) => {
                self.unproven(*kind);
                Ok(())
            }
            Axiom::Assumed(number) => {
                let meanings = &self.refutation.meanings;
                let said = clause.iter().filter(|&&l| l > 0).map(|&l| &meanings[variable(l)]);
                assumed::check(self.assumptions, *number, &said.collect::<Vec<_>>(), self.work)
            }
            Axiom::IntConflict => self.int_conflict(clause),
            Axiom::LinearConflict(multipliers) => self.linear_conflict(clause, multipliers),
        }
    }

    fn meaning(&self, literal: i32) -> &Meaning {
        &self.refutation.meanings[variable(literal)]
    }

    fn has_end(&self, clause: &[i32], positive: bool, goal: Goal) -> bool {
        let end = Meaning::Prop(Prop::Ends(goal));
        clause.iter().any(|&l| (l > 0) == positive && *self.meaning(l) == end)
    }

    /// The sets of visited states that the clause's literals of this sign name.
    fn sets(&self, clause: &[i32], positive: bool) -> Vec<Set> {
        let same_sign = clause.iter().filter(|&&l| (l > 0) == positive);
        same_sign.filter_map(|&l| self.nodes.set(variable(l), self.meaning(l))).collect()
    }

    /// Marks the states that the clause's positive literals name.
    fn mark_covered(&mut self, clause: &[i32]) -> Check<()> {
        self.covered.clear();
        for set in self.sets(clause, true) {
            self.nodes.mark(set, &mut self.covered, self.work, |_| {})?;
        }
        Ok(())
    }

    /// Checks that every initial state is covered. Sound: s_0 is an initial state.
    fn initial(&mut self, clause: &[i32]) -> Check<()> {
        self.mark_covered(clause)?;
        let Self { nodes, covered, program, stepper, work, .. } = self;
        stepper.initial_states(|state| {
            work.spend(1)?;
            match nodes.find(state) {
                Some(id) if nodes.is_in(id, covered) => Ok(()),
                _ => reject(format!("the initial state {} is not covered", describe(program, state))),
            }
        })
    }

    /// Checks that every claimed goal is in the clause. Sound: rho ends in a claimed goal.
    fn some_goal(&self, clause: &[i32]) -> Check<()> {
        match self.goals.iter().find(|&&g| !self.has_end(clause, true, g)) {
            Some(goal) => reject(format!("the claimed goal `{goal}` is missing")),
            None => Ok(()),
        }
    }

    /// Checks that the clause excludes both goals. Sound: goals are disjoint, because a plain deadlock has no
    /// bad local state.
    fn one_goal(&self, clause: &[i32]) -> Check<()> {
        let both = [Goal::Bad, Goal::Deadlock].iter().all(|&g| self.has_end(clause, false, g));
        if both { Ok(()) } else { reject("two goals must be excluded") }
    }

    /// Checks that the clause excludes a goal that is not claimed. Sound: rho ends in a claimed goal, and goals
    /// are disjoint.
    fn not_claimed(&self, clause: &[i32], goal: Goal) -> Check<()> {
        if self.goals.contains(&goal) {
            return reject(format!("the goal `{goal}` is claimed"));
        }
        if self.has_end(clause, false, goal) { Ok(()) } else { reject(format!("the goal `{goal}` is not excluded")) }
    }

    /// Checks that the clause excludes a state of a goal that it names. Sound: no event is enabled in a state
    /// of any goal, so a run that visits the state ends there.
    fn goal_state(&mut self, clause: &[i32]) -> Check<()> {
        for &literal in clause.iter().filter(|&&l| l < 0) {
            let Meaning::Prop(Prop::Visits(state)) = &self.refutation.meanings[variable(literal)] else { continue };
            self.expanded += 1;
            self.work.spend(1 + self.stepper.width() as u64)?;
            if self.stepper.goal(state).is_some_and(|goal| self.has_end(clause, true, goal)) {
                return Ok(());
            }
        }
        reject("no excluded state is a state of a goal that the clause names")
    }

    /// Checks that the clause excludes a part of a group that it names. Sound: rho visits a group if it visits
    /// a state or a part of the group.
    fn member(&mut self, clause: &[i32]) -> Check<()> {
        let (parts, wholes) = (self.sets(clause, false), self.sets(clause, true));
        for &part in &parts {
            for &whole in &wholes {
                let Set::Group(group) = whole else { continue };
                if self.nodes.is_member(part, group, &mut self.inside, self.work)? {
                    return Ok(());
                }
            }
        }
        reject("no excluded state belongs to a group that the clause names")
    }

    /// Checks that all ways out of an excluded set are covered.
    ///
    /// Sound: let rho visit the set, for the last time in s_i. The set has no state of a claimed goal, and s_T
    /// is one. So s_T is outside of the set, and i < T. So s_{i+1} is outside of the set and a successor of a
    /// state of the set. Each such successor is covered. (Goal states that are not claimed may be in the set,
    /// because they have no successors.)
    fn exit(&mut self, clause: &[i32]) -> Check<()> {
        self.mark_covered(clause)?;
        let mut last = reject("no set of states is excluded");
        for &literal in clause.iter().filter(|&&l| l < 0) {
            let Some(set) = self.nodes.set(variable(literal), self.meaning(literal)) else { continue };
            last = self.leaves(literal, set);
            if !matches!(last, Err(Refusal::Rejected(_))) {
                break;
            }
        }
        last
    }

    /// Checks that every successor of a state of `set` is in `set` or covered, and that `set` has no state of a
    /// claimed goal. The variable of `literal` stands for `set`.
    fn leaves(&mut self, literal: i32, set: Set) -> Check<()> {
        self.inside.clear();
        let mut groups = Vec::new();
        self.nodes.mark(set, &mut self.inside, self.work, |g| groups.push(g))?;
        let Self { nodes, covered, inside, program, stepper, work, goals, expanded, refutation, .. } = self;
        let mut scratch = Scratch::default();
        let mut expand = |state: &[u32]| {
            *expanded += 1;
            work.spend(1)?;
            let goal = stepper.successors(state, &mut scratch, |next| {
                work.spend(1)?;
                match nodes.find(next) {
                    Some(id) if nodes.is_in(id, inside) || nodes.is_in(id, covered) => Ok(()),
                    _ => reject(format!("{} leads to {}", describe(program, state), describe(program, next))),
                }
            })?;
            match goal.filter(|g| goals.contains(g)) {
                Some(goal) => reject(format!("{} is of goal `{goal}`", describe(program, state))),
                None => Ok(()),
            }
        };
        match &refutation.meanings[variable(literal)] {
            Meaning::Prop(Prop::Visits(state)) => expand(state),
            _ => groups.into_iter().flat_map(|g| nodes.listed(g)).try_for_each(expand),
        }
    }

    fn unproven(&mut self, kind: LemmaKind) {
        if !self.trust.iter().any(|name| name == pattern(kind)) {
            self.untrusted.get_or_insert(kind);
        } else if !self.trusted.contains(&kind) {
            self.trusted.push(kind);
        }
    }

    /// Checks that the excluded atoms about some constant do not all hold together. Sound: then one of these
    /// atoms is false, so its negated literal, which is in the clause, is true.
    fn int_conflict(&mut self, clause: &[i32]) -> Check<()> {
        let mut atoms: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for &literal in clause.iter().filter(|&&l| l < 0) {
            let Meaning::Prop(Prop::Int(atom)) = &self.refutation.meanings[variable(literal)] else { continue };
            if let Some((constant, atom)) = arith::normal(atom) {
                atoms.entry(constant).or_default().push(atom);
            }
        }
        for (constant, atoms) in atoms {
            if arith::clash(constant, &atoms, self.work)? {
                return Ok(());
            }
        }
        reject("the excluded atoms do not contradict each other: each constant has a value for which they hold")
    }

    /// Checks that multiples of excluded atoms add up to a contradiction. Sound: then one of these atoms is false, so
    /// its negated literal, which is in the clause, is true.
    fn linear_conflict(&mut self, clause: &[i32], multipliers: &[(u32, BigInt)]) -> Check<()> {
        let mut sum = linear::Sum::default();
        for (variable, multiplier) in multipliers {
            self.work.spend(1 + clause.len() as u64)?;
            let is_excluded = clause.iter().any(|&l| l < 0 && l.unsigned_abs() == *variable);
            let meaning = (*variable as usize).checked_sub(1).and_then(|v| self.refutation.meanings.get(v));
            let Some(Meaning::Prop(Prop::Int(atom))) = meaning.filter(|_| is_excluded) else {
                return reject(format!("the clause does not exclude an atom of variable {variable}"));
            };
            sum.add(atom, multiplier, self.work)?;
        }
        if sum.is_positive() {
            Ok(())
        } else {
            reject("the multiples of the excluded atoms add up to no contradiction")
        }
    }
}

/// Adds the step's number and kind to a rejection.
fn in_step(number: usize, axiom: &str, result: Check<()>) -> Check<()> {
    match result {
        Err(Refusal::Rejected(why)) => reject(format!("proof step {number} ({axiom}): {why}")),
        other => other,
    }
}

fn axiom_name(axiom: &Axiom) -> &'static str {
    match axiom {
        Axiom::Initial => "initial",
        Axiom::SomeGoal => "some goal",
        Axiom::OneGoal => "one goal",
        Axiom::NotClaimed(_) => "not claimed",
        Axiom::GoalState => "goal state",
        Axiom::Member => "member",
        Axiom::Exit => "exit",
        Axiom::Lemma(kind, _) | Axiom::Unproven(kind) => kind.0,
        Axiom::Assumed(_) => "assumed",
        Axiom::IntConflict => "arithmetic",
        Axiom::LinearConflict(_) => "linear arithmetic",
    }
}
