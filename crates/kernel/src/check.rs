//! The results of checks, and refusals.

/// The reason why evidence is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The evidence is wrong. The text says what is wrong and where.
    #[error("the evidence is wrong: {0}")]
    Rejected(String),
    /// The work limit or the memory limit was exceeded, or the stop flag was raised.
    #[error("checking the evidence exceeds the resource limits")]
    ResourceLimit,
    /// This checker has no rule for this kind of evidence or lemma. The text names the kind.
    #[error("the evidence cannot be checked: {0}")]
    Unknown(String),
    /// The trace is a violating run, but breaks an assumption of the problem. The text names the assumption.
    #[error("the trace violates an assumption: {0}")]
    Assumption(String),
}

/// The result of a check.
pub type Check<T> = Result<T, Refusal>;

/// Returns the refusal [`Refusal::Rejected`] with this reason.
///
/// # Errors
/// Always.
pub fn reject<T>(reason: impl Into<String>) -> Check<T> {
    Err(Refusal::Rejected(reason.into()))
}

/// Puts `context` before the reason if `result` is [`Refusal::Rejected`]; returns any other result unchanged.
///
/// # Errors
/// The error of `result`.
pub fn within<T>(result: Check<T>, context: impl FnOnce() -> String) -> Check<T> {
    result.map_err(|refusal| match refusal {
        Refusal::Rejected(why) => Refusal::Rejected(format!("{}: {why}", context())),
        other => other,
    })
}
