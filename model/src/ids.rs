//! Typed indices: a thread is not an event is not a local state, and the compiler knows it.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// The id of the `index`-th item.
            ///
            /// # Panics
            /// If `index` does not fit 32 bits; readers refuse models of that size long before.
            #[must_use]
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("model limits keep every index below 2^32"))
            }

            /// The position of this item in its list.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// An event of a behavioral program.
    EventId
}
id! {
    /// A thread of a behavioral program.
    ThreadId
}
id! {
    /// A state of one thread (a composite state is one `LocalId` per thread).
    LocalId
}
id! {
    /// A place of a net. Thread systems are seen as nets where places matter: shared states first, then local states.
    PlaceId
}
id! {
    /// A transition of a net or of a thread system. In traces it is the [`EventId`] of the same number.
    TransitionId
}
id! {
    /// A formula of a problem.
    FormulaId
}
id! {
    /// A predicate of a system of one's own ([`crate::own`]).
    PredicateId
}
id! {
    /// A shared state of a thread system.
    SharedId
}
id! {
    /// A latch of a circuit.
    LatchId
}
id! {
    /// Something that must never be true of a circuit.
    OutputId
}
id! {
    /// A variable of a reactive program.
    VarId
}
id! {
    /// An array of a reactive program.
    ArrayId
}
id! {
    /// A letter of a reactive program's input alphabet. In traces it is the [`EventId`] of the same number.
    InputId
}
id! {
    /// An error label of a reactive program.
    ErrorId
}
id! {
    /// An expression of a reactive program.
    ExprId
}
id! {
    /// A function of a reactive program.
    FunctionId
}
id! {
    /// A temporal formula of a problem.
    TemporalId
}
id! {
    /// A subformula of a temporal formula.
    LtlId
}
