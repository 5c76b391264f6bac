//! The model: one type of states, one function of steps, and the two interfaces over them.

use impasse_model::own;
use impasse_model::own::Question;
use impasse_model::slots;
use stateright::Property;

/// The greatest number of participants.
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
pub(crate) enum Action {
    Prepare(usize),
    Abort(usize),
    Hear(usize),
    Commit,
    GiveUp,
    ObeyCommit(usize),
    ObeyAbort(usize),
}

/// Two-phase commit with this number of participants.
pub(crate) struct TwoPhase(pub(crate) usize);

impl TwoPhase {
    fn start() -> State {
        let none = [false; MOST];
        State { rms: [Rm::Working; MOST], tm: Tm::Init, heard: none, prepared: none, commit: false, abort: false }
    }

    fn can(&self, s: &State, step: &mut dyn FnMut(Action)) {
        if s.tm == Tm::Init && (0..self.0).all(|i| s.heard[i]) {
            step(Action::Commit);
        }
        if s.tm == Tm::Init {
            step(Action::GiveUp);
        }
        for i in 0..self.0 {
            if s.tm == Tm::Init && s.prepared[i] && !s.heard[i] {
                step(Action::Hear(i));
            }
            if s.rms[i] == Rm::Working {
                step(Action::Prepare(i));
                step(Action::Abort(i));
            }
            if s.commit && s.rms[i] != Rm::Committed {
                step(Action::ObeyCommit(i));
            }
            if s.abort && s.rms[i] != Rm::Aborted {
                step(Action::ObeyAbort(i));
            }
        }
    }

    fn after(s: &State, step: Action) -> State {
        let mut next = *s;
        match step {
            Action::Commit => (next.tm, next.commit) = (Tm::Committed, true),
            Action::GiveUp => (next.tm, next.abort) = (Tm::Aborted, true),
            Action::Hear(i) => next.heard[i] = true,
            Action::Prepare(i) => (next.rms[i], next.prepared[i]) = (Rm::Prepared, true),
            Action::Abort(i) | Action::ObeyAbort(i) => next.rms[i] = Rm::Aborted,
            Action::ObeyCommit(i) => next.rms[i] = Rm::Committed,
        }
        next
    }

    fn torn(s: &State) -> bool {
        s.rms.contains(&Rm::Committed) && s.rms.contains(&Rm::Aborted)
    }
}

impl own::Model for TwoPhase {
    type State = State;
    type Action = Action;

    fn initial(&self) -> Vec<State> {
        vec![Self::start()]
    }

    fn steps(&self, s: &State, step: &mut dyn FnMut(Action, State)) {
        self.can(s, &mut |what| step(what, Self::after(s, what)));
    }

    fn questions(&self) -> Vec<Question<Self>> {
        vec![Question::never("torn", |_, s| Self::torn(s))]
    }
}

impl stateright::Model for TwoPhase {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![Self::start()]
    }

    fn actions(&self, s: &State, actions: &mut Vec<Action>) {
        self.can(s, &mut |what| actions.push(what));
    }

    fn next_state(&self, s: &State, what: Action) -> Option<State> {
        Some(Self::after(s, what))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("not torn", |_, s: &State| !Self::torn(s))]
    }
}
