//! The search procedures.

/// The search procedure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Procedure {
    /// Forwards, nearest to the goal first, whatever the number of firings so far.
    #[default]
    Greedy,
    /// Forwards, least sum of the firings so far and a lower bound first. Finds a shortest run. A token added
    /// to an open place of the initial marking counts as a firing, unless additional tokens never disable
    /// anything; then these tokens are free.
    AStar,
    /// Backwards from covering goals, breadth first. The reference for IC3.
    Backward,
}
