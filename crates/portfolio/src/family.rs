//! The words in which rows of the table of engines say what an engine is for: kinds of systems, and options.

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

/// Kinds of systems, as engines distinguish them. Engines see a thread-transition system as a net.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// Behavioral programs.
    Programs,
    /// Nets and thread-transition systems.
    Nets,
    /// Circuits.
    Circuits,
    /// Reactive programs.
    Reactive,
    /// Systems of one's own.
    Own,
    /// Programs with unbounded data.
    Data,
}

impl Family {
    /// All kinds.
    pub const ALL: [Self; 6] = [Self::Programs, Self::Nets, Self::Circuits, Self::Reactive, Self::Own, Self::Data];

    /// Returns the name of the kind in the plural.
    #[must_use]
    pub fn plural(self) -> &'static str {
        self.names().0
    }

    /// Returns the name of one system of this kind, with an article.
    #[must_use]
    pub fn one(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Family::Programs => ("behavioral programs", "a behavioral program"),
            Family::Nets => ("nets and thread-transition systems", "a net or a thread-transition system"),
            Family::Circuits => ("circuits", "a circuit"),
            Family::Reactive => ("reactive programs", "a reactive program"),
            Family::Own => ("systems of one's own", "a system of one's own"),
            Family::Data => ("programs with unbounded data", "a program with unbounded data"),
        }
    }
}
