//! Random threads that are written by states.

use super::draw::Draw;
use super::draw_events::Purpose;
use super::tree::{Ex, Op, Shape, Stmt};

impl Draw {
    pub(super) fn states(&mut self) -> Shape {
        let mut families = Vec::new();
        let mut count = 0;
        for _ in 0..self.random.between(1, 3) {
            let (low, high) = (count, count + self.random.between(1, 2) as i64);
            families.push((low, high));
            count = high;
        }
        let states = families.into_iter().map(|(low, high)| {
            let l = self.new_loop(low, high);
            let statements = self.statements(count, 0);
            self.loops.pop();
            (l, low, high, statements)
        });
        let states = states.collect();
        let other = self.random.below(count as usize) as i64;
        Shape::States(states, if self.random.chance(15) { vec![0, other] } else { vec![0] })
    }

    fn statements(&mut self, states: i64, depth: usize) -> Vec<Stmt> {
        let mut list = Vec::new();
        for _ in 0..self.random.between(1, 4) {
            let statement = match self.random.below(20) {
                0..6 => Stmt::Request(self.events(Purpose::Request, None)),
                6..9 => Stmt::Block(self.events(Purpose::Filter, None)),
                9..16 => {
                    let count = if self.random.chance(15) { 2 } else { 1 };
                    let variables = std::mem::take(&mut self.variables);
                    let to = (0..count).map(|_| Ex::bin(Op::Mod, self.int(1), Ex::Num(states))).collect();
                    self.variables = variables;
                    Stmt::On(self.events(Purpose::Filter, None), to)
                }
                16 if self.random.chance(20) => Stmt::Bad,
                17 if self.has_ends => Stmt::Final,
                18 if depth == 0 => {
                    let condition = self.constant();
                    Stmt::If(condition, self.statements(states, 1), self.statements(states, 1))
                }
                _ => continue,
            };
            list.push(statement);
        }
        if self.has_ends && depth == 0 && self.random.chance(40) {
            list.push(Stmt::Final);
        }
        if depth == 0 && self.is_hot() {
            list.push(Stmt::Hot);
        }
        list
    }
}
