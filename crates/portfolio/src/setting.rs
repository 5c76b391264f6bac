//! The options that not every engine supports, as rows of the table of engines name them.

/// An option that not every engine supports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setting {
    /// [`crate::Options::explore_all`]: the engine completes the space, and its counts are those of the whole space.
    ExploreAll,
    /// [`crate::Options::batch`].
    Batch,
    /// [`crate::Options::seed`].
    Seed,
    /// [`crate::Options::invariants`].
    Invariants,
    /// An empty [`crate::Options::patterns`], which makes the engine work without invariants. For nets and
    /// thread-transition systems.
    NoInvariants,
    /// [`crate::Options::bound`].
    Bound,
    /// [`crate::Options::jobs`]: more than one job changes no verdict, and no count of a complete state
    /// space.
    Jobs,
    /// [`crate::Options::disk`].
    Disk,
    /// [`crate::Options::lossy`].
    Lossy,
}
