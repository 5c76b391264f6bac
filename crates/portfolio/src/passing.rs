//! Finds other goals that a run reaches on its way to a goal. In a problem with thousands of targets, one run
//! often settles many of them.
//!
//! The run is stepped in machine words on the net as read. A target is tested when one of its places has
//! gained tokens. Each target found is claimed and checked like any other goal.

use crate::markings::{fire, steps};
use model::{EventId, Goal, Net, Problem, Trace};
use nets::rules::Rules;
use nets::targets::{self, Cube};
use search::Rows;
use std::sync::Arc;

/// With fewer goals, runs are not searched for other goals.
const MANY: usize = 16;

/// Maximum number of minimal markings of a goal.
const MINIMAL: usize = 64;

/// Maximum length of the runs that are stepped through.
const LONGEST: u64 = 20_000;

/// The coverability goals of a net, indexed by the places in which they require tokens.
pub(crate) struct PassedGoals {
    net: Arc<Net>,
    rules: Rules,
    targets: Vec<(Goal, Cube)>,
    /// For each place: the targets that require tokens in it.
    by_place: Rows<u32>,
}

impl PassedGoals {
    /// Creates the index. `None` if there are too few goals, if the system is not a net, or if its numbers
    /// are too large for machine words.
    pub(crate) fn new(problem: &Problem) -> Option<Self> {
        let net = problem.system().as_net()?;
        if problem.properties().len() < MANY {
            return None;
        }
        let rules = Rules::new(net).filter(|rules| rules.small)?;
        let cubes = |goal: Goal| {
            let cubes = problem.formula(goal).and_then(|f| targets::minimal(f, MINIMAL)).unwrap_or_default();
            cubes.into_iter().map(move |cube| (goal, cube))
        };
        let targets: Vec<(Goal, Cube)> = problem.goals().flat_map(cubes).collect();
        let asks = (0u32..).zip(&targets).flat_map(|(i, (_, cube))| cube.iter().map(move |(p, _)| (*p, i)));
        let by_place = Rows::sorted(rules.places(), asks.collect());
        Some(Self { net: Arc::clone(net), rules, targets, by_place })
    }

    /// Returns the goals that `trace` reaches on its way and for which `is_open` holds. Each comes with the
    /// prefix of `trace` that reaches it.
    pub(crate) fn on(&self, trace: &Trace, is_open: impl Fn(Goal) -> bool) -> Vec<(Goal, Trace)> {
        if trace.len().is_none_or(|n| n > LONGEST) {
            return Vec::new();
        }
        let events: Vec<EventId> = steps(trace).map(|step| step.event).collect();
        let mut tokens = self.rules.initial.clone();
        for (place, extra) in self.net.open_places().into_iter().zip(&trace.start) {
            tokens[place.index()] += u64::from(*extra);
        }
        let mut found: Vec<(Goal, Trace)> = Vec::new();
        let mut seen = vec![false; self.targets.len()];
        for (length, event) in events.iter().enumerate() {
            let Some(changed) = fire(&self.rules, event.0, &mut tokens) else { break };
            for &target in changed.iter().flat_map(|p| self.by_place.row(*p as usize)) {
                let (goal, cube) = &self.targets[target as usize];
                let reached = || cube.iter().all(|(p, n)| tokens[*p as usize] >= *n);
                if !seen[target as usize] && reached() {
                    seen[target as usize] = true;
                    if is_open(*goal) && found.iter().all(|(g, _)| g != goal) {
                        let mut run = Trace::new(trace.start.clone());
                        events[..=length].iter().for_each(|event| run.push(*event, None));
                        found.push((*goal, run));
                    }
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Formula, FormulaId, Place, PlaceId, Property, Questions, Range, Transition};

    #[test]
    fn a_run_settles_what_it_passes() {
        let (places, one) = (20u32, || 1u8.into());
        let place = |i: u32| Place { name: format!("p{i}"), initial: Range::exactly(u8::from(i == 0)) };
        let step = |i: u32| Transition::from_arcs(format!("t{i}"), &[(PlaceId(i), one())], &[(PlaceId(i + 1), one())]);
        let net = Net::new((0..places).map(place).collect(), (0..places - 1).map(step).collect()).expect("a net");
        let goal = |i: u32| Goal::Formula(FormulaId(i));
        let problem = Problem::new(
            Arc::new(net),
            Questions {
                formulas: (0..places).map(|i| Arc::new(Formula::cover(&[(PlaceId(i), one())]))).collect(),
                properties: (0..places).map(|i| Property::never(format!("q{i}"), goal(i))).collect(),
                ..Questions::default()
            },
        )
        .expect("it fits");
        let mut trace = Trace::new(Box::default());
        (0..5).for_each(|t| trace.push(EventId(t), None));
        let passed = PassedGoals::new(&problem).expect("many goals").on(&trace, |g| g != goal(2));
        let lengths: Vec<(Goal, Option<u64>)> = passed.iter().map(|(g, run)| (*g, run.len())).collect();
        assert_eq!(lengths, [1u32, 3, 4, 5].map(|i| (goal(i), Some(u64::from(i)))));
    }
}
