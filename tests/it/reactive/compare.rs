//! Checks of one random program with some formulas by every engine, against brute force.

use impasse::model::{
    ErrorId, Goal, Letter, Ltl, LtlId, LtlNode, Problem, Property, Questions, Reactive, Reason, Stop, TemporalId,
};
use impasse::{Answer, Family, Finding, Options, Row, check, engines};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use testkit::Random;
use testkit::reactive::{self, Explored, Values, explore};

/// Programs with more valuations are skipped.
const MOST_VALUATIONS: usize = 300;
/// Turns after which the interval abstraction is stopped. Each doubles the work, so these are some seconds.
const MOST_TURNS: u64 = 10;
/// Number of formulas that are checked on each program.
const FORMULAS: usize = 3;

/// Counters over many programs.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) programs: u64,
    /// Programs with too many valuations.
    pub(crate) skipped: u64,
    pub(crate) reachable: u64,
    pub(crate) unreachable: u64,
    /// Errors that the interval abstraction proves unreachable.
    pub(crate) shown_by_cells: u64,
    pub(crate) violated: u64,
    pub(crate) hold: u64,
    /// Formulas for which brute force decides the truth.
    pub(crate) sure: u64,
}

/// Generates the program for `seed` and compares.
///
/// # Errors
///
/// A description of the first wrong answer, with the program.
pub(crate) fn compare(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let random = &mut Random::new(seed);
    let program = reactive::random(random, Values::Few);
    let formulas: Vec<Ltl> = (0..FORMULAS).map(|_| formula(random)).collect();
    tally.programs += 1;
    let Some(explored) = explore(&program, MOST_VALUATIONS) else {
        tally.skipped += 1;
        return Ok(());
    };
    let against = Against { problem: problem(&program, &formulas), program, explored };
    let known = engines::ALL.iter().copied().filter(|row| row.knows(Family::Reactive));
    for engine in known.map(Some).chain([None]) {
        against.check(engine, tally).map_err(|wrong| format!("{engine:?}: {wrong}\n{:#?}", against.problem))?;
    }
    Ok(())
}

fn problem(program: &Arc<Reactive>, formulas: &[Ltl]) -> Problem {
    let errors = program.labels().map(|(label, _)| Goal::Error(label));
    let temporal = (0..formulas.len()).map(TemporalId::new).map(Goal::Temporal);
    Problem::new(
        Arc::clone(program),
        Questions {
            temporal: formulas.iter().cloned().map(Arc::new).collect(),
            properties: errors.chain(temporal).map(|goal| Property::never(goal.to_string(), goal)).collect(),
            ..Questions::default()
        },
    )
    .expect("it fits")
}

/// Returns a formula over letters that the programs use, operands first.
fn formula(random: &mut Random) -> Ltl {
    let letters = [1, 2, 3].map(Letter::Input).into_iter().chain([20, 21, 22].map(Letter::Output));
    let mut nodes: Vec<LtlNode> = letters.map(LtlNode::Letter).collect();
    for _ in 0..1 + random.below(6) {
        let (a, b) = (LtlId::new(random.below(nodes.len())), LtlId::new(random.below(nodes.len())));
        nodes.push(match random.below(10) {
            0 | 1 => LtlNode::Not(a),
            2 => LtlNode::And(a, b),
            3 => LtlNode::Or(a, b),
            4 => LtlNode::Next(a),
            5 => LtlNode::Until(a, b),
            6 => LtlNode::WeakUntil(a, b),
            7 => LtlNode::Release(a, b),
            8 => LtlNode::Globally(a),
            _ => LtlNode::Finally(a),
        });
    }
    Ltl::new(nodes)
}

struct Against {
    problem: Problem,
    program: Arc<Reactive>,
    explored: Explored,
}

impl Against {
    fn check(&self, engine: Option<&'static Row>, tally: &mut Tally) -> Result<(), String> {
        // The interval abstraction by itself may split ranges without end.
        let (stop, turns) = (Arc::new(Stop::default()), AtomicU64::new(0));
        let count = |name| {
            if name == engines::INTERVALS.name && turns.fetch_add(1, Relaxed) == MOST_TURNS {
                stop.raise(Reason::Timeout);
            }
        };
        let alone = engine == Some(&engines::INTERVALS);
        let on_turn: &(dyn Fn(&'static str) + Sync) = if alone { &count } else { &|_| {} };
        let outcome = check(&self.problem, &Options { engine, stop: Arc::clone(&stop), on_turn, ..Options::default() });
        for answer in &outcome.answers {
            let goal = answer.property.goal;
            if let Finding::Rejected { why } = &answer.finding {
                return Err(format!("{goal}: the evidence of {} is wrong: {why}: {:?}", answer.engine, answer.claim));
            }
            match goal {
                Goal::Error(error) => self.error(engine, error, answer, tally),
                Goal::Temporal(id) => self.temporal(engine, id, answer, tally),
                _ => Ok(()),
            }
            .map_err(|wrong| format!("{goal}: {wrong}, {:?}", answer.finding))?;
        }
        Ok(())
    }

    /// True if a run reaches undefined behaviour.
    fn is_undefined(&self) -> bool {
        self.program.undefined().is_some_and(|label| self.explored.errors.contains(&label.0))
    }

    fn error(
        &self,
        engine: Option<&'static Row>,
        error: ErrorId,
        answer: &Answer,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let is_reachable = self.explored.errors.contains(&error.0);
        let is_settled = answer.is_safe() || answer.is_unsafe();
        if answer.is_safe() && self.is_undefined() {
            return Err("what a run does is not defined".to_owned());
        }
        let must_know = engine.is_none_or(|row| row.name.starts_with("explicit"));
        if must_know && !is_settled && (is_reachable || !self.is_undefined()) {
            return Err("the space is finite, and there is no answer".to_owned());
        }
        if is_settled && answer.is_unsafe() != is_reachable {
            return Err(format!("reachable by brute force: {is_reachable}"));
        }
        if engine == Some(&engines::EXPLICIT) {
            tally.reachable += u64::from(is_reachable);
            tally.unreachable += u64::from(answer.is_safe());
        } else if engine == Some(&engines::INTERVALS) {
            tally.shown_by_cells += u64::from(answer.is_safe());
        }
        Ok(())
    }

    fn temporal(
        &self,
        engine: Option<&'static Row>,
        id: TemporalId,
        answer: &Answer,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let (is_violated, is_sure) = self.explored.short_lasso(&self.program, &self.problem.temporal()[id.index()]);
        let is_settled = answer.is_safe() || answer.is_unsafe();
        let all_runs = self.explored.all_runs;
        if answer.is_safe() && !all_runs {
            return Err("not all infinite runs are spelt".to_owned());
        }
        if engine.is_none_or(|row| *row == engines::LTL) && !is_settled && (is_violated || all_runs) {
            return Err("the space is finite, and there is no answer".to_owned());
        }
        if is_violated && answer.is_safe() {
            return Err("a short lasso violates it".to_owned());
        }
        if is_sure && !is_violated && answer.is_unsafe() {
            return Err("the only run satisfies it".to_owned());
        }
        if engine == Some(&engines::LTL) {
            tally.violated += u64::from(answer.is_unsafe());
            tally.hold += u64::from(answer.is_safe());
            tally.sure += u64::from(is_sure);
        }
        Ok(())
    }
}
