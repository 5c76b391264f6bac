//! Checks a system written in Rust: two-phase commit, after J. Gray and L. Lamport, Consensus on transaction
//! commit, 2006.
//!
//! A state is plain data, a step has an action that says what happens, and the questions are functions. Such a
//! system gets what every other system gets: limits, shortest runs, answers that the checker has accepted, and a page
//! that steps through it.
//!
//!     cargo run --example own_system
//!     cargo run --example own_system -- explore

// Examples print to the terminal.
#![allow(clippy::print_stdout)]

use impasse::model::Problem;
use impasse::own::{Model, Question, Typed};
use impasse::{Options, Steps, check, slots};

slots! {
    /// A participant.
    #[derive(Clone, Copy, PartialEq, Debug)]
    enum Rm { Working, Prepared, Committed, Aborted }
}

slots! {
    /// The coordinator.
    #[derive(Clone, Copy, PartialEq, Debug)]
    enum Tm { Init, Committed, Aborted }
}

slots! {
    /// The state of the whole system. It contains the messages sent so far: messages are never lost and may be
    /// read again.
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct State { rms: [Rm; 7], tm: Tm, heard: [bool; 7], prepared: [bool; 7], commit: bool, abort: bool }
}

#[derive(Debug)]
#[expect(dead_code, reason = "the participants are read by `Debug` only")]
enum Action {
    Prepare(usize),
    Abort(usize),
    Hear(usize),
    Commit,
    GiveUp,
    ObeyCommit(usize),
    ObeyAbort(usize),
}

/// The number of participants, at most seven.
struct TwoPhase(usize);

impl Model for TwoPhase {
    type State = State;
    type Action = Action;

    fn initial(&self) -> Vec<State> {
        let none = [false; 7];
        vec![State { rms: [Rm::Working; 7], tm: Tm::Init, heard: none, prepared: none, commit: false, abort: false }]
    }

    fn steps(&self, s: &State, step: &mut dyn FnMut(Action, State)) {
        let with = |i: usize, rm: Rm| State { rms: std::array::from_fn(|j| if j == i { rm } else { s.rms[j] }), ..*s };
        if s.tm == Tm::Init && (0..self.0).all(|i| s.heard[i]) {
            step(Action::Commit, State { tm: Tm::Committed, commit: true, ..*s });
        }
        if s.tm == Tm::Init {
            step(Action::GiveUp, State { tm: Tm::Aborted, abort: true, ..*s });
        }
        for i in 0..self.0 {
            if s.tm == Tm::Init && s.prepared[i] && !s.heard[i] {
                let mut next = *s;
                next.heard[i] = true;
                step(Action::Hear(i), next);
            }
            if s.rms[i] == Rm::Working {
                let mut next = with(i, Rm::Prepared);
                next.prepared[i] = true;
                step(Action::Prepare(i), next);
                step(Action::Abort(i), with(i, Rm::Aborted));
            }
            if s.commit && s.rms[i] != Rm::Committed {
                step(Action::ObeyCommit(i), with(i, Rm::Committed));
            }
            if s.abort && s.rms[i] != Rm::Aborted {
                step(Action::ObeyAbort(i), with(i, Rm::Aborted));
            }
        }
    }

    fn questions(&self) -> Vec<Question<Self>> {
        let torn = |_: &Self, s: &State| s.rms.contains(&Rm::Committed) && s.rms.contains(&Rm::Aborted);
        let all = |m: &Self, s: &State| s.rms[..m.0].iter().all(|rm| *rm == Rm::Committed);
        vec![Question::never("torn", torn), Question::reachable("all commit", all)]
    }
}

pub(crate) fn main() {
    let problem = Problem::of_own(Typed::new(TwoPhase(5)));
    if std::env::args().nth(1).as_deref() == Some("explore") {
        std::process::exit(impasse::cli::explore("two-phase commit", problem, 0).into());
    }
    let outcome = check(&problem, &Options::default());
    let [torn, commit] = &outcome.answers[..] else { panic!("two questions") };
    assert!(torn.is_safe() && commit.is_unsafe() && commit.shortest);
    println!("never torn: {} states; a shortest run to where all have committed:", torn.stats.states);
    for step in Steps::new(&problem, commit.trace().expect("it is reachable")) {
        println!("{:3}. {}", step.number, step.event);
    }
}
