//! A b-thread that shares nothing, or a group of b-threads, as a behavior.

use super::joint::{Joint, Together};
use super::state::EngineState;
use super::thread::JsThread;
use super::value::Event;
use formats::error::Error;
pub(crate) use programs_read::behavior::{Behavior, Blame, Point};

type Res<T> = Result<T, Box<Error>>;

pub(super) enum Process<'c> {
    One(JsThread<'c>),
    Group(Joint<'c>),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum ProcessState {
    One(EngineState),
    Group(Together),
}

impl Behavior for Process<'_> {
    const WEIGHT: usize = 8;
    type Event = Event;
    type State = ProcessState;

    fn initial(&self) -> Res<Vec<ProcessState>> {
        Ok(match self {
            Self::One(thread) => thread.initial()?.into_iter().map(ProcessState::One).collect(),
            Self::Group(group) => group.initial()?.into_iter().map(ProcessState::Group).collect(),
        })
    }

    fn point(&self, state: &ProcessState) -> Res<Point<Event>> {
        match (self, state) {
            (Self::One(thread), ProcessState::One(state)) => thread.point(state),
            (Self::Group(group), ProcessState::Group(state)) => group.point(state),
            _ => unreachable!("a state belongs to its process"),
        }
    }

    fn blocks_jointly(&self, state: &ProcessState) -> bool {
        match (self, state) {
            (Self::Group(group), ProcessState::Group(state)) => group.blocks_jointly(state),
            _ => false,
        }
    }

    fn blocks(&self, state: &ProcessState, event: &Event) -> Res<bool> {
        match (self, state) {
            (Self::One(thread), ProcessState::One(state)) => thread.blocks(state, event),
            (Self::Group(group), ProcessState::Group(state)) => group.blocks(state, event),
            _ => unreachable!("a state belongs to its process"),
        }
    }

    fn step(&self, state: &ProcessState, event: &Event) -> Res<Option<Vec<ProcessState>>> {
        Ok(match (self, state) {
            (Self::One(thread), ProcessState::One(state)) => {
                thread.step(state, event)?.map(|states| states.into_iter().map(ProcessState::One).collect())
            }
            (Self::Group(group), ProcessState::Group(state)) => {
                group.step(state, event)?.map(|states| states.into_iter().map(ProcessState::Group).collect())
            }
            _ => unreachable!("a state belongs to its process"),
        })
    }

    fn blame(&self, states: &mut dyn Iterator<Item = &ProcessState>) -> Option<Blame> {
        match self {
            Self::One(thread) => thread.blame(&mut states.filter_map(|state| match state {
                ProcessState::One(state) => Some(state),
                ProcessState::Group(_) => None,
            })),
            Self::Group(group) => group.blame(&mut states.filter_map(|state| match state {
                ProcessState::Group(state) => Some(state),
                ProcessState::One(_) => None,
            })),
        }
    }
}
