//! Index types. A thread, an event and a local state have different types, so the compiler rejects a confusion
//! of them.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the id of the item at position `index`.
            ///
            /// # Panics
            /// Panics if `index` does not fit 32 bits. Readers reject models of that size.
            #[must_use]
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("model limits keep every index below 2^32"))
            }

            /// Returns the position of the item in its list.
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
    /// A local state of one thread. (A composite state has one `LocalId` per thread.)
    LocalId
}
id! {
    /// A place of a net. For a thread-transition system, the places are the shared states, followed by the
    /// local states.
    PlaceId
}
id! {
    /// A transition of a net or thread-transition system. In traces it is the [`EventId`] with the same number.
    TransitionId
}
id! {
    /// A formula of a problem.
    FormulaId
}
id! {
    /// A predicate of a system written in Rust ([`crate::own`]).
    PredicateId
}
id! {
    /// A shared state of a thread-transition system.
    SharedId
}
id! {
    /// A latch of a circuit.
    LatchId
}
id! {
    /// A memory of a circuit.
    MemoryId
}
id! {
    /// Contents of memories of a circuit.
    ContentsId
}
id! {
    /// A port of a memory of a circuit.
    PortId
}
id! {
    /// An output of a circuit: a signal that must never be true.
    OutputId
}
id! {
    /// A justice property of a circuit.
    JusticeId
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
    /// A letter of the input alphabet of a reactive program. In traces it is the [`EventId`] with the same
    /// number.
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
id! {
    /// A formula of computation tree logic of a problem.
    BranchingId
}
id! {
    /// A subformula of a formula of computation tree logic.
    CtlId
}
id! {
    /// A question for the largest value of a sum of token counts.
    BoundId
}
id! {
    /// An integer variable of a program with unbounded data ([`crate::data`]).
    VariableId
}
id! {
    /// A location of one thread of a program with unbounded data.
    LocationId
}
id! {
    /// A decision of one thread of a program with unbounded data.
    DecisionId
}
