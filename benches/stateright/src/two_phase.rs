//! The model: one type of states, one function of steps, and the two interfaces over them.

use impasse::own::{self, Question};
use impasse::slots;
use stateright::Property;

/// Room for so many participants.
const MOST: usize = 10;

slots! {
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub(crate) enum Rm { Working, Prepared, Committed, Aborted }
}

slots! {
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub(crate) enum Tm { Init, Committed, Aborted }
}

slots! {
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub(crate) struct State {
        rms: [Rm; MOST],
        tm: Tm,
        heard: [bool; MOST],
        prepared: [bool; MOST],
        commit: bool,
        abort: bool,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Step {
    Prepare(usize),
    Abort(usize),
    Hear(usize),
    Commit,
    GiveUp,
    ObeyCommit(usize),
    ObeyAbort(usize),
}

/// So many participants.
pub(crate) struct TwoPhase(pub(crate) usize);

impl TwoPhase {
    fn start() -> State {
        let none = [false; MOST];
        State { rms: [Rm::Working; MOST], tm: Tm::Init, heard: none, prepared: none, commit: false, abort: false }
    }

    fn can(&self, s: &State, step: &mut dyn FnMut(Step)) {
        if s.tm == Tm::Init && (0..self.0).all(|i| s.heard[i]) {
            step(Step::Commit);
        }
        if s.tm == Tm::Init {
            step(Step::GiveUp);
        }
        for i in 0..self.0 {
            if s.tm == Tm::Init && s.prepared[i] && !s.heard[i] {
                step(Step::Hear(i));
            }
            if s.rms[i] == Rm::Working {
                step(Step::Prepare(i));
                step(Step::Abort(i));
            }
            if s.commit && s.rms[i] != Rm::Committed {
                step(Step::ObeyCommit(i));
            }
            if s.abort && s.rms[i] != Rm::Aborted {
                step(Step::ObeyAbort(i));
            }
        }
    }

    fn after(s: &State, step: Step) -> State {
        let mut next = *s;
        match step {
            Step::Commit => (next.tm, next.commit) = (Tm::Committed, true),
            Step::GiveUp => (next.tm, next.abort) = (Tm::Aborted, true),
            Step::Hear(i) => next.heard[i] = true,
            Step::Prepare(i) => (next.rms[i], next.prepared[i]) = (Rm::Prepared, true),
            Step::Abort(i) | Step::ObeyAbort(i) => next.rms[i] = Rm::Aborted,
            Step::ObeyCommit(i) => next.rms[i] = Rm::Committed,
        }
        next
    }

    fn torn(s: &State) -> bool {
        s.rms.contains(&Rm::Committed) && s.rms.contains(&Rm::Aborted)
    }
}

impl own::Model for TwoPhase {
    type State = State;
    type Action = Step;

    fn initial(&self) -> Vec<State> {
        vec![Self::start()]
    }

    fn steps(&self, s: &State, step: &mut dyn FnMut(Step, State)) {
        self.can(s, &mut |what| step(what, Self::after(s, what)));
    }

    fn questions(&self) -> Vec<Question<Self>> {
        vec![Question::never("torn", |_, s| Self::torn(s))]
    }
}

impl stateright::Model for TwoPhase {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![Self::start()]
    }

    fn actions(&self, s: &State, actions: &mut Vec<Step>) {
        self.can(s, &mut |what| actions.push(what));
    }

    fn next_state(&self, s: &State, what: Step) -> Option<State> {
        Some(Self::after(s, what))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("not torn", |_, s: &State| !Self::torn(s))]
    }
}
