//! Why the machine does not answer a request.

/// What is wrong with a request.
#[derive(Debug)]
pub enum MachineError {
    /// The path is not a path of the system.
    Path(String),
    /// A target or a formula cannot be understood.
    Target(String),
    /// What is asked for does not exist.
    Absent(String),
    /// The evidence or the export is refused.
    Evidence(String),
    /// The answer takes too long.
    Ended(String),
    /// A bug or an error of the machine.
    Internal(String),
}

impl MachineError {
    /// Returns what is wrong.
    pub fn message(&self) -> &str {
        match self {
            MachineError::Path(why)
            | MachineError::Target(why)
            | MachineError::Absent(why)
            | MachineError::Evidence(why) => why,
            MachineError::Ended(why) | MachineError::Internal(why) => why,
        }
    }
}
