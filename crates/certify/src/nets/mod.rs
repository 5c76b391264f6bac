//! Checks evidence about nets and thread-transition systems for which the kernel has no rule: invariants with
//! clauses among them, sets of markings that leave out covered markings, and sets that are reduced by stubborn
//! sets.

mod cover;
mod covering;
mod exact;
mod invariant;
pub(super) mod kept;
pub(crate) mod reduced;
pub(crate) mod stubborn;

use crate::{Check, reject};
use kernel::Work;
use kernel::clauses::Obligations;
use kernel::closed::Set;
use kernel::net::{Marked, Rules, formulas};
use model::{Formula, FormulaBuilder, Goal, InvariantCertificate, Linear, Markings, Node, NodeId, Problem, Within};

/// Checks that the invariants hold in all reachable markings and exclude the goals.
pub(crate) fn invariant(
    system: Marked<'_>,
    problem: &Problem,
    invariant: &InvariantCertificate,
    goals: &[Goal],
    obligation: &mut Obligations<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    formulas(system, problem, goals)?;
    invariant::check(system, problem, (invariant, None), goals, obligation, work)
}

/// Checks that the invariants hold in all markings of the runs that stay within a bound, and exclude the goals.
pub(crate) fn within(
    system: Marked<'_>,
    problem: &Problem,
    (invariant, within): (&InvariantCertificate, &Within),
    goals: &[Goal],
    obligation: &mut Obligations<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    formulas(system, problem, goals)?;
    work.spend(1 + within.counted.len() as u64)?;
    if !within.counted.is_sorted_by(|a, b| a < b) || within.counted.last().is_some_and(|p| p.index() >= system.places())
    {
        return reject("the counted places are not in ascending order, or do not exist");
    }
    if let (Marked::Threads(threads), Some(first)) = (system, within.counted.first())
        && first.index() < threads.shared() as usize
    {
        return reject("a bound on threads does not count shared states");
    }
    invariant::check(system, problem, (invariant, Some(within)), goals, obligation, work)
}

/// Checks that a set of markings, with all markings that they cover, is closed and has no goals. The kernel
/// refused the set for the reason `why_not`.
pub(crate) fn markings(
    system: Marked<'_>,
    problem: &Problem,
    markings: &Markings,
    goals: &[Goal],
    why_not: &str,
    work: &mut Work<'_>,
) -> Check<Set> {
    let formulas = formulas(system, problem, goals)?;
    covering::check(system, markings, (&formulas, goals.contains(&Goal::Deadlock)), why_not, work)
}

/// Checks that a set of markings contains enough successors of each marking, and no goals.
pub(crate) fn reduced(
    system: Marked<'_>,
    problem: &Problem,
    markings: &Markings,
    goals: &[Goal],
    omit: Option<stubborn::Omit>,
    work: &mut Work<'_>,
) -> Check<Set> {
    let formulas = formulas(system, problem, goals)?;
    let rules = Rules::new(system, work)?;
    reduced::check(system, &rules, markings, &formulas, goals.contains(&Goal::Deadlock), omit, work)
}

/// Simplifies the formula for markings in which the places that are not potentially marked are empty. The
/// result holds in such a marking iff the formula does. It lacks the parts that have a fixed value in these
/// markings.
fn where_empty(formula: &Formula, potentially_marked: &[bool]) -> Formula {
    let mut builder = FormulaBuilder::default();
    let mut rest: Vec<Result<NodeId, bool>> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        rest.push(match node {
            Node::All(parts) => undecided(parts, &rest, false).map(|parts| builder.all(parts)),
            Node::Any(parts) => undecided(parts, &rest, true).map(|parts| builder.any(parts)),
            Node::AtLeast(sum) => {
                let terms = sum.terms.iter().filter(|(p, _)| potentially_marked[p.index()]).cloned();
                Linear::new(terms, sum.at_least.clone()).map(|sum| builder.linear(sum))
            }
        });
    }
    let root = match rest.last().copied().unwrap_or(Err(true)) {
        Ok(root) => root,
        Err(true) => builder.all(Vec::new()),
        Err(false) => builder.any(Vec::new()),
    };
    builder.finish(root)
}

/// Returns the parts without fixed value. If the node itself has a fixed value, `Err` contains it: `decisive`
/// if one part has this value, and `!decisive` if all parts have the value `!decisive`.
fn undecided(parts: &[NodeId], rest: &[Result<NodeId, bool>], decisive: bool) -> Result<Vec<NodeId>, bool> {
    let mut open = Vec::new();
    for part in parts {
        match rest[part.index()] {
            Ok(node) => open.push(node),
            Err(value) if value == decisive => return Err(decisive),
            Err(_) => {}
        }
    }
    if open.is_empty() { Err(!decisive) } else { Ok(open) }
}
