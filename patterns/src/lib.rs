//! Pattern matchers: what the shape of single threads says about every violating run.
//!
//! A matcher sees threads and a goal, never the product, and knows no solver. One file (or folder) each, registered in
//! [`ALL`]; the conformance kit ([`kit`]) runs on everything registered here and on anybody's own patterns.
//! `docs/patterns.md` tells how lemmas, facts and certificates fit together.

/// A test per side condition of a pattern: `caught` must notice that it is missing.
#[cfg(test)]
macro_rules! mutants {
    ($($name:ident: $condition:ident,)*) => {
        $(#[test]
        fn $name() {
            caught(SideCondition::$condition);
        })*
    };
}

pub mod arrays;
pub mod cartesian;
pub mod clock;
mod future;
mod group;
pub mod kit;
mod lasso;
pub mod looped;
pub mod pairs;
pub mod potential;
pub mod ranked;
mod requests;
mod set_clock;
pub mod tasks;

pub use group::SideCondition as GroupCondition;

use model::Pattern;

/// Every built-in pattern, in the order in which they restrict threads and in which their lemmas are emitted.
pub const ALL: &[&dyn Pattern] = &[
    &cartesian::CARTESIAN,
    &looped::LOOPED,
    &tasks::TASKS,
    &ranked::RANKED,
    &potential::POTENTIAL,
    &pairs::PAIRS,
    &arrays::ARRAYS,
];

/// The built-in pattern of this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Pattern> {
    ALL.iter().copied().find(|pattern| pattern.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for (i, pattern) in ALL.iter().enumerate() {
            assert!(ALL[..i].iter().all(|other| other.name() != pattern.name()));
            assert_eq!(by_name(pattern.name()).map(Pattern::name), Some(pattern.name()));
            assert!(!pattern.name().contains('.'), "kinds of lemmas are `pattern.kind`");
        }
        assert!(by_name("no such pattern").is_none());
    }
}
