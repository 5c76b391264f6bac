//! Checks that questions fit a system: each kind of system has certain goals, and the indices in goals,
//! formulas and assumptions must be in range.

use super::questions::Questions;
use crate::assumption::Assumption;
use crate::formula::{Formula, Node};
use crate::goal::{Goal, Marked, Property, SystemModel};
use crate::ltl::{Letter, Ltl};
use crate::rwb::Program;
use std::collections::BTreeMap;

/// A question that does not fit the system.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Mismatch {
    /// A property that does not fit.
    #[error("property `{id}`: {why}")]
    Property {
        /// The id of the property.
        id: String,
        /// The reason.
        why: Unfit,
    },
    /// A formula over places that does not fit.
    #[error("formula {number}: {why}")]
    Formula {
        /// Its number in [`Questions::formulas`].
        number: usize,
        /// The reason.
        why: Unfit,
    },
    /// A temporal formula that does not fit.
    #[error("temporal formula {number}: {why}")]
    Temporal {
        /// Its number in [`Questions::temporal`].
        number: usize,
        /// The reason.
        why: Unfit,
    },
    /// A formula of computation tree logic that does not fit.
    #[error("branching formula {number}: {why}")]
    Branching {
        /// Its number in [`Questions::branching`].
        number: usize,
        /// The reason.
        why: Unfit,
    },
    /// A sum of token counts that does not fit.
    #[error("sum {number}: {why}")]
    Sum {
        /// Its number in [`Questions::sums`].
        number: usize,
        /// The reason.
        why: Unfit,
    },
    /// An assumption that does not fit.
    #[error("assumption {number}: {why}")]
    Assumption {
        /// Its number in [`Questions::assumptions`].
        number: usize,
        /// The reason.
        why: Unfit,
    },
}

/// The reason why something does not fit a system.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unfit {
    /// Systems of this kind have no goals, formulas or assumptions of this sort.
    #[error("{system} has no {what}")]
    Kind {
        /// The kind of system, in words.
        system: &'static str,
        /// What systems of this kind do not have.
        what: &'static str,
    },
    /// An index is out of range.
    #[error("there is no {what} {index}; there are {count}, numbered from 0")]
    Range {
        /// What the index refers to.
        what: &'static str,
        /// The index.
        index: usize,
        /// The number of such things.
        count: usize,
    },
    /// Another property has the same goal.
    #[error("`{0}` asks for the same")]
    Twice(String),
    /// A program with assumptions cannot have a formula as a goal.
    #[error("a formula cannot be asked of a program beside assumptions")]
    Assumed,
    /// A temporal formula or a fairness assumption is about another kind of system, or has an index out of range.
    #[error("it is about what the system does not have")]
    Letter,
    /// The final states in an assumption, or the places of a sum, are not ascending.
    #[error("its states or places are not in ascending order")]
    Order,
}

/// Checks that `index` is below `count`.
fn within(what: &'static str, index: usize, count: usize) -> Result<(), Unfit> {
    if index < count { Ok(()) } else { Err(Unfit::Range { what, index, count }) }
}

/// Numbers of the parts of a system that goals refer to by index.
struct Sizes {
    /// Number of outputs, error labels or predicates. Each kind of system has at most one of these.
    named: usize,
    formulas: usize,
    temporal: usize,
    branching: usize,
    sums: usize,
    is_assumed: bool,
}

impl Sizes {
    fn of(system: &SystemModel, asked: &Questions) -> Self {
        let named = match system {
            SystemModel::Circuit(circuit) => circuit.outputs().len(),
            SystemModel::Reactive(program) => program.errors().len(),
            SystemModel::Own(system) => system.predicates().len(),
            SystemModel::Rwb(_) | SystemModel::Net(_) | SystemModel::Threads(_) | SystemModel::Data(_) => 0,
        };
        let is_assumed = !asked.assumptions.is_empty();
        Self {
            named,
            formulas: asked.formulas.len(),
            temporal: asked.temporal.len(),
            branching: asked.branching.len(),
            sums: asked.sums.len(),
            is_assumed,
        }
    }

    /// Checks that `goal` fits `system`.
    fn fits(&self, system: &SystemModel, goal: Goal) -> Result<(), Unfit> {
        use SystemModel::{Circuit, Data, Net, Own, Reactive, Rwb, Threads};
        match (goal, system) {
            (Goal::Unsupported(_), _)
            | (Goal::Bad, Rwb(_) | Data(_))
            | (Goal::Deadlock, Rwb(_) | Net(_) | Threads(_) | Own(_) | Data(_)) => Ok(()),
            (Goal::Formula(_), Rwb(_)) if self.is_assumed => Err(Unfit::Assumed),
            (Goal::Formula(id), Rwb(_) | Net(_) | Threads(_)) => within("formula", id.index(), self.formulas),
            (Goal::Hot(_) | Goal::SomeHot | Goal::Temporal(_), Rwb(_)) if self.is_assumed => Err(Unfit::Assumed),
            (Goal::SomeHot, Rwb(_)) => Ok(()),
            (Goal::Hot(id), Rwb(program)) => within("thread", id.index(), program.threads().len()),
            (Goal::Justice(id), Circuit(circuit)) => within("justice property", id.index(), circuit.justices().len()),
            (Goal::Output(id), Circuit(_)) => within("output", id.index(), self.named),
            (Goal::Error(id), Reactive(_)) => within("error label", id.index(), self.named),
            (Goal::Temporal(id), Reactive(_) | Rwb(_) | Net(_) | Threads(_)) => {
                within("temporal formula", id.index(), self.temporal)
            }
            (Goal::Branching(id), Net(_) | Threads(_)) => within("branching formula", id.index(), self.branching),
            (Goal::Bound(id), Net(_) | Threads(_)) => within("sum", id.index(), self.sums),
            (Goal::Predicate(id), Own(_)) => within("predicate", id.index(), self.named),
            _ => Err(Unfit::Kind { system: system.noun(), what: "goals of this kind" }),
        }
    }
}

/// Checks that the properties fit the system and the other questions.
pub(super) fn check_properties(system: &SystemModel, asked: &Questions) -> Result<(), Mismatch> {
    let sizes = Sizes::of(system, asked);
    let mut known: BTreeMap<Goal, &str> = BTreeMap::new();
    for Property { id, goal, .. } in &asked.properties {
        let other = known.insert(*goal, id).map_or(Ok(()), |other| Err(Unfit::Twice(other.to_owned())));
        let fits = sizes.fits(system, *goal).and(other);
        fits.map_err(|why| Mismatch::Property { id: id.clone(), why })?;
    }
    Ok(())
}

/// Checks that the formula uses only places below `places`.
fn check_formula(formula: &Formula, places: usize) -> Result<(), Unfit> {
    let terms = formula.nodes().iter().flat_map(|node| match node {
        Node::AtLeast(atom) => atom.terms.as_slice(),
        Node::All(_) | Node::Any(_) => &[],
    });
    let last = terms.map(|(place, _)| place.index()).max();
    last.map_or(Ok(()), |place| within("place", place, places))
}

fn check_assumption(program: &Program, assumption: &Assumption) -> Result<(), Unfit> {
    let Assumption::Final { thread, states } = assumption else { return Ok(()) };
    within("thread", thread.index(), program.threads().len())?;
    let count = program.thread(*thread).states.len();
    states.iter().try_for_each(|state| within("state", state.index(), count))?;
    if states.is_sorted() { Ok(()) } else { Err(Unfit::Order) }
}

/// Checks that the letters of a temporal formula are about the system, and that there are this many formulas over
/// places.
fn check_temporal(system: &SystemModel, formula: &Ltl, formulas: usize) -> Result<(), Unfit> {
    let is_of_markings = |letter| matches!(letter, Letter::Marking(id) if id.index() < formulas);
    let is_of_reactive = |letter| matches!(letter, Letter::Input(_) | Letter::Output(_));
    let fits = match system {
        SystemModel::Reactive(_) => formula.letters().all(is_of_reactive),
        SystemModel::Rwb(program) => formula.letters().all(|letter| letter.fits(program)),
        SystemModel::Net(_) | SystemModel::Threads(_) => formula.letters().all(is_of_markings),
        _ => return Err(Unfit::Kind { system: system.noun(), what: "temporal formulas" }),
    };
    if fits { Ok(()) } else { Err(Unfit::Letter) }
}

/// Checks the formulas of computation tree logic and the sums.
fn check_of_markings(system: &SystemModel, asked: &Questions) -> Result<(), Mismatch> {
    let none = |what| Unfit::Kind { system: system.noun(), what };
    let marked = system.as_marked();
    for (number, formula) in asked.branching.iter().enumerate() {
        let fits = match marked {
            Some(_) if formula.letters().all(|letter| letter.index() < asked.formulas.len()) => continue,
            Some(_) => Unfit::Letter,
            None => none("formulas of computation tree logic"),
        };
        return Err(Mismatch::Branching { number, why: fits });
    }
    for (number, sum) in asked.sums.iter().enumerate() {
        let places = marked.map_or(0, Marked::places);
        let last = sum.last().map_or(Ok(()), |(place, _)| within("place", place.index(), places));
        let is_sorted = sum.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let fits = match marked {
            None => Err(none("token counts")),
            Some(_) if !is_sorted => Err(Unfit::Order),
            Some(_) => last,
        };
        fits.map_err(|why| Mismatch::Sum { number, why })?;
    }
    Ok(())
}

/// Checks that all questions fit the system.
pub(super) fn check(system: &SystemModel, asked: &Questions) -> Result<(), Mismatch> {
    let none = |what| Err(Unfit::Kind { system: system.noun(), what });
    let places = if asked.formulas.is_empty() { None } else { system.places() };
    for (number, formula) in asked.formulas.iter().enumerate() {
        let fits = places.map_or_else(|| none("formulas over places"), |places| check_formula(formula, places));
        fits.map_err(|why| Mismatch::Formula { number, why })?;
    }
    for (number, formula) in asked.temporal.iter().enumerate() {
        check_temporal(system, formula, asked.formulas.len()).map_err(|why| Mismatch::Temporal { number, why })?;
    }
    check_of_markings(system, asked)?;
    for (number, assumption) in asked.fairness.iter().enumerate() {
        let fits = |program: &Program| assumption.letters().into_iter().all(|letter| letter.fits(program));
        let why = match system.as_program() {
            Some(program) if fits(program) => continue,
            Some(_) => Unfit::Letter,
            None => Unfit::Kind { system: system.noun(), what: "fairness assumptions" },
        };
        return Err(Mismatch::Assumption { number, why });
    }
    for (number, assumption) in asked.assumptions.iter().enumerate() {
        let fits =
            system.as_program().map_or_else(|| none("assumptions"), |program| check_assumption(program, assumption));
        fits.map_err(|why| Mismatch::Assumption { number, why })?;
    }
    check_properties(system, asked)
}
