//! Exit codes, as `docs/cli.md` lists them, and the order that decides which of several results determines the
//! code.

use impasse::model::{Goal, QuestionForm, Reason};
use impasse::{Answer, Finding};
use std::process::ExitCode;

/// The result of a command. The variants are ordered: of several results, the greatest one determines the
/// exit code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Exit {
    /// Done; for `check`, everything asked is proven.
    Done,
    /// Only proven up to a bound.
    UnknownBound,
    /// Unknown: memory limit.
    UnknownMemory,
    /// Unknown: time limit.
    UnknownTimeout,
    /// Unknown: the engine gave up, or its evidence is uncertified.
    Unknown,
    /// Stopped by the user before everything was answered.
    Interrupted,
    /// `replay`: the evidence was not accepted. `lsp`: the session ended without the request for it.
    NotAccepted,
    /// A temporal formula is violated.
    Temporal,
    /// A state that should be reachable is unreachable.
    Unreachable,
    /// A deadlock is reachable.
    Deadlock,
    /// A bad state is reachable.
    Bad,
    /// `sat`: unsatisfiable.
    Unsatisfiable,
    /// `sat`: satisfiable.
    Satisfiable,
    /// `cluster run`: a process was lost.
    #[cfg_attr(not(feature = "cluster"), expect(dead_code, reason = "only `cluster` loses processes"))]
    Lost,
    /// Bad input.
    Input,
    /// The command line is invalid.
    Usage,
    /// A bug in this tool.
    Internal,
}

impl Exit {
    /// Returns the exit code of the process.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::NotAccepted => 1,
            Exit::Bad | Exit::Satisfiable => 10,
            Exit::Deadlock => 11,
            Exit::Unreachable => 12,
            Exit::Temporal => 13,
            Exit::Unsatisfiable => 20,
            Exit::Unknown => 30,
            Exit::UnknownTimeout => 31,
            Exit::UnknownMemory => 32,
            Exit::UnknownBound => 33,
            Exit::Usage => 64,
            Exit::Input => 65,
            Exit::Internal => 70,
            Exit::Lost => 75,
            Exit::Interrupted => 130,
        }
    }

    /// Returns the result of a process with this exit code. `None` if there is none.
    #[cfg(feature = "cluster")]
    pub(crate) fn of_code(code: u8) -> Option<Self> {
        const OF_RUN: [Exit; 14] = [
            Exit::Done,
            Exit::UnknownBound,
            Exit::UnknownMemory,
            Exit::UnknownTimeout,
            Exit::Unknown,
            Exit::Interrupted,
            Exit::Temporal,
            Exit::Unreachable,
            Exit::Deadlock,
            Exit::Bad,
            Exit::Lost,
            Exit::Input,
            Exit::Usage,
            Exit::Internal,
        ];
        OF_RUN.into_iter().find(|exit| exit.code() == code)
    }

    /// Returns true if the result means that a property does not hold as asked.
    pub(crate) fn is_violation(self) -> bool {
        matches!(self, Exit::Bad | Exit::Deadlock | Exit::Unreachable | Exit::Temporal)
    }

    /// Returns the result of an answer.
    pub(crate) fn of_answer(answer: &Answer) -> Self {
        match &answer.finding {
            Finding::Rejected { .. } => Exit::Internal,
            Finding::Within(_) => Exit::of_reason(Reason::Bound),
            Finding::Unknown { reason, .. } => Exit::of_reason(*reason),
            Finding::Settled(_) if Self::is_as_wanted(answer) => Exit::Done,
            Finding::Settled(_) if answer.property.answer(answer.verdict()) == "unreachable" => Exit::Unreachable,
            Finding::Settled(_) if answer.property.is_deadlock() => Exit::Deadlock,
            Finding::Settled(_) => match answer.property.goal {
                Goal::Bad | Goal::Formula(_) | Goal::Output(_) | Goal::Error(_) | Goal::Predicate(_) => Exit::Bad,
                Goal::Temporal(_) | Goal::Justice(_) | Goal::Hot(_) | Goal::SomeHot | Goal::Branching(_) => {
                    Exit::Temporal
                }
                // A largest value is neither right nor wrong.
                Goal::Bound(_) => Exit::Done,
                Goal::Unsupported(_) => Exit::Internal,
                Goal::Deadlock => Exit::Deadlock,
            },
        }
    }

    /// Returns true if the answer is what the user wants: what is asked holds. A file that asks `EF phi` does not say
    /// what is wanted, so phi counts as a target that must not be reachable.
    fn is_as_wanted(answer: &Answer) -> bool {
        if answer.property.asked == QuestionForm::Exists { answer.is_safe() } else { answer.holds() != Some(false) }
    }

    /// Returns the result of an unknown answer.
    pub(crate) fn of_reason(reason: Reason) -> Self {
        match reason {
            Reason::Timeout => Exit::UnknownTimeout,
            Reason::Memory => Exit::UnknownMemory,
            Reason::Bound => Exit::UnknownBound,
            Reason::Interrupted => Exit::Interrupted,
            Reason::Unsupported
            | Reason::Undefined
            | Reason::GaveUp
            | Reason::Uncertified
            | Reason::Overflow
            | Reason::Disk
            | Reason::Lossy => Exit::Unknown,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

/// Reports a usage error that the parser of the command line did not find.
pub(crate) fn usage(message: &str) -> Exit {
    tell!("error: {message}\n\nFor more information, try '--help'.");
    Exit::Usage
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn the_worst_wins() {
        let worst = |exits: &[Exit]| exits.iter().max().map(|e| e.code());
        assert_eq!(worst(&[Exit::Done, Exit::Unknown]), Some(30));
        assert_eq!(worst(&[Exit::UnknownMemory, Exit::Deadlock, Exit::Done]), Some(11));
        assert_eq!(worst(&[Exit::Deadlock, Exit::Bad]), Some(10));
        assert_eq!(worst(&[Exit::Deadlock, Exit::Unreachable]), Some(11));
        assert_eq!(worst(&[Exit::Temporal, Exit::Unreachable]), Some(12));
        assert_eq!(worst(&[Exit::UnknownTimeout, Exit::UnknownBound]), Some(31));
        assert_eq!(worst(&[Exit::Bad, Exit::Input]), Some(65));
        assert_eq!(worst(&[Exit::Internal, Exit::Bad, Exit::Input]), Some(70));
        assert_eq!(worst(&[Exit::Interrupted, Exit::Unknown]), Some(130));
    }
}
