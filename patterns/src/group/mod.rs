//! Projections onto small groups of threads: the joint states that the group may take in any run of the
//! program.
//!
//! The method follows Kurshan 1994 (localization). All other threads are left out. An event fires if and only if
//! no member of the group blocks it, and a member requests it or some thread outside the group may request it.
//! Every run of the program, restricted to the group, is a run of the projection
//! ([`model::Justification::Projected`]). So if no run of the projection has some behavior, no run of the
//! program has it. The product of two threads is small even if the product of all threads is not.

mod conditions;
mod footprints;
mod relation;

pub(crate) use conditions::Conditions;
pub use conditions::SideCondition;
pub(crate) use footprints::Footprints;
pub(crate) use relation::Relation;
