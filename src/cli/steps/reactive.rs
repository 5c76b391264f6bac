//! Runs of reactive programs: a step is a call, and the state the values of all variables.

use super::{Change, Play, State, What};
use crate::cli::letters;
use impasse::certify;
use impasse::model::reactive::letter;
use impasse::model::{InputId, Move, Reactive, VarId};
use serde_json::Value;

pub(super) struct Player<'p> {
    program: &'p Reactive,
    player: certify::Player<'p>,
}

impl<'p> Player<'p> {
    pub(super) fn new(program: &'p Reactive) -> Self {
        Self { program, player: certify::Player::new(program) }
    }

    fn name(&self, var: usize) -> String {
        self.program.name(VarId::new(var)).to_owned()
    }
}

impl Play for Player<'_> {
    fn state(&self) -> State {
        self.player.values().iter().enumerate().map(|(v, value)| (self.name(v), Value::from(*value))).collect()
    }

    fn take(&mut self, step: &Move) -> What {
        let input = InputId(step.event.0);
        let before = self.player.values().to_vec();
        let outcome = self.player.call(input);
        let changed = before.iter().zip(self.player.values()).enumerate().filter(|(_, (from, to))| from != to);
        let change = |(v, (from, to)): (usize, (&i32, &i32))| Change {
            name: self.name(v),
            from: Value::from(*from),
            to: Value::from(*to),
        };
        What {
            event: Some(letter(self.program.input(input))),
            outputs: Some(letters::shown(&self.player, outcome)),
            changes: changed.map(change).collect(),
            ..What::default()
        }
    }

    fn why(&self, _steps: u64) -> Option<String> {
        None
    }
}
