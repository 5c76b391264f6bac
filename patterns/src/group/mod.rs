//! Projections onto small groups of threads: the joint states that any run of the program may put the group in.
//!
//! After Kurshan 1994 (localization): leave all other threads out, and let an event fire iff no member of the group blocks
//! it and a member requests it, or some other thread may. Every run of the program, looked at in the group, is then a run of the
//! projection ([`model::Fact::Projected`]), so what no run of the projection does, no run of the program does. The product
//! of two threads is small where the product of all is not.

mod conditions;
mod footprints;
mod relation;

pub(crate) use conditions::Conditions;
pub use conditions::SideCondition;
pub(crate) use footprints::Footprints;
pub(crate) use relation::Relation;
