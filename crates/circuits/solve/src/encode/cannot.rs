//! Why a system has no circuit.

/// The reason why a system cannot be encoded as a circuit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CannotEncode {
    /// A place has no bound. Circuits have finitely many states, so every place needs a bound.
    #[error("place `{0}` has no bound")]
    Unbounded(String),
    /// No initial marking is within the bound.
    #[error("no initial marking is within the bound: `{0}` holds more")]
    StartsOutside(String),
    /// The circuit would have more gates than allowed, or a number exceeds 62 bits.
    #[error("the circuit would be too large")]
    TooLarge,
}
