//! Random programs that are well typed. Most of them are small enough to explore.

use super::draw_events::Purpose;
use super::tree::{Act, Arm, Case, Event, Ex, First, Form, Item, Op, Shape, Sync, Thread, Type, Variable};
use testkit::Random;

/// The generator, with what is visible at the present place of the program.
pub(super) struct Draw {
    pub(super) random: Random,
    pub(super) case: Case,
    pub(super) variables: Vec<Variable>,
    /// Names that patterns have bound, and their types.
    pub(super) bound: Vec<(usize, Type)>,
    /// Loop variables and their bounds.
    pub(super) loops: Vec<(usize, i64, i64)>,
    /// True if expressions may have faults.
    pub(super) is_faulty: bool,
    /// True while no name of type `int` may be used, so that numbers stay small.
    pub(super) is_bounded: bool,
    /// The texts of names that patterns may not bind, because they may mean something.
    pub(super) taken: Vec<String>,
    /// The names of the patterns of the last sets.
    pub(super) private: Vec<String>,
    pub(super) has_ends: bool,
    /// Draws hot marks, so that a program with them is otherwise the same as without them.
    hot: Random,
    /// How many syncs are hot, in percent.
    heat: usize,
    /// The number of syncs that the thread may still get.
    fuel: usize,
    inside: usize,
}

/// Returns the program for the seed.
pub(super) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x7262_7732);
    let (is_faulty, has_ends) = (random.chance(40), random.chance(45));
    let mut hot = Random::new(seed ^ 0x0068_6f74);
    let mut draw = Draw {
        random,
        case: Case::default(),
        variables: Vec::new(),
        bound: Vec::new(),
        loops: Vec::new(),
        is_faulty,
        is_bounded: false,
        taken: Vec::new(),
        private: Vec::new(),
        has_ends,
        heat: [0, 20, 50, 90][hot.below(4)],
        hot,
        fuel: 0,
        inside: 0,
    };
    draw.declare();
    let threads = draw.random.between(1, 4);
    draw.items(threads);
    draw.case
}

impl Draw {
    fn declare(&mut self) {
        self.case.style = self.random.bits() >> 8;
        self.case.check =
            [None, None, None, Some("deadlock"), Some("bad"), Some("bad, deadlock")][self.random.below(6)];
        self.case.enums = (0..self.random.between(0, 2)).map(|_| self.random.between(2, 3)).collect();
        for _ in 0..self.random.between(0, 3) {
            let constant = match self.random.below(6) {
                0 => (Type::Bool, self.random.below(2) as i64),
                1 if !self.case.enums.is_empty() => (Type::Enum(0), self.random.below(self.case.enums[0]) as i64),
                _ => (Type::Int, self.random.between(1, 4) as i64),
            };
            self.case.consts.push(constant);
        }
        let mut has_int = !self.random.chance(15);
        for _ in 0..self.random.between(1, 4) {
            let is_array = self.random.chance(25);
            let count = if is_array { self.random.between(1, 2) } else { [0, 0, 1, 1, 2][self.random.below(5)] };
            let is_environment = self.random.chance(6);
            let mut params = Vec::new();
            for _ in 0..count {
                if is_array {
                    params.push(Type::Range(0, self.random.between(2, 3) as i64));
                } else if !has_int && !is_environment {
                    has_int = true;
                    params.push(Type::Int);
                } else {
                    params.push(self.kind());
                }
            }
            self.case.events.push(Event { params, is_array, is_environment });
        }
        let is_faulty = std::mem::replace(&mut self.is_faulty, false);
        for _ in 0..[0, 0, 1, 2][self.random.below(4)] {
            let set = self.events(Purpose::Set, None);
            self.case.sets.push(set);
        }
        self.is_faulty = is_faulty;
    }

    fn kind(&mut self) -> Type {
        match self.random.below(6) {
            0 => Type::Bool,
            1 | 2 if !self.case.enums.is_empty() => Type::Enum(self.random.below(self.case.enums.len())),
            _ => {
                let low = [0, 0, 0, 1, -1][self.random.below(5)];
                Type::Range(low, low + self.random.between(2, 4) as i64)
            }
        }
    }

    fn items(&mut self, threads: usize) {
        let (mut left, mut number) = (threads, 0);
        while left > 0 {
            number += 1;
            let item = match self.random.below(8) {
                0 if left >= 2 => {
                    left -= 1;
                    let l = self.new_loop(0, 2);
                    let thread = self.thread(number, vec![l]);
                    self.loops.pop();
                    Item::For(l, 0, 2, vec![Item::Thread(thread)])
                }
                1 => {
                    let condition = self.constant();
                    let (yes, no) = (self.thread(number, Vec::new()), self.thread(number + 10, Vec::new()));
                    Item::If(condition, vec![Item::Thread(yes)], vec![Item::Thread(no)])
                }
                _ => Item::Thread(self.thread(number, Vec::new())),
            };
            left -= 1;
            self.case.items.push(item);
        }
    }

    pub(super) fn new_loop(&mut self, low: i64, high: i64) -> usize {
        self.case.loops += 1;
        self.loops.push((self.case.loops, low, high));
        self.case.loops
    }

    /// A condition before the program runs, which has no faults.
    pub(super) fn constant(&mut self) -> Ex {
        let is_faulty = std::mem::replace(&mut self.is_faulty, false);
        let variables = std::mem::take(&mut self.variables);
        let condition = self.truth(1);
        (self.is_faulty, self.variables) = (is_faulty, variables);
        condition
    }

    fn thread(&mut self, name: usize, indices: Vec<usize>) -> Thread {
        if self.random.chance(15) {
            let is_faulty = std::mem::replace(&mut self.is_faulty, false);
            if self.random.chance(40) {
                let variable = self.variable();
                self.variables.push(variable);
            }
            let form = self.states();
            self.is_faulty = is_faulty;
            return Thread { name, indices, variables: std::mem::take(&mut self.variables), form };
        }
        for _ in 0..[0, 1, 1, 2, 2, 3][self.random.below(6)] {
            let variable = self.variable();
            self.variables.push(variable);
        }
        (self.fuel, self.inside) = (self.random.between(2, 7), 0);
        let mut acts = if self.random.chance(50) { self.some_acts(1) } else { Vec::new() };
        if self.random.chance(85) {
            acts.push(Act::Loop(self.round(1, 99)));
        } else {
            acts.extend(self.some_acts(1));
            if self.has_ends && self.random.chance(80) {
                acts.push(Act::Final);
            }
        }
        self.hide((0, 0));
        Thread { name, indices, variables: std::mem::take(&mut self.variables), form: Shape::Body(acts) }
    }

    fn variable(&mut self) -> Variable {
        let kind = if self.random.chance(6) { Type::Int } else { self.kind() };
        let length = self.random.chance(22).then(|| self.random.between(2, 3) as i64);
        let values = super::code::values(&self.case, kind);
        let first = match (values, self.random.below(6)) {
            (Some(values), 0 | 1) => {
                First::Value(values.start + self.random.below((values.end - values.start) as usize) as i64)
            }
            (Some(_), 2) if length.is_none() => First::Any,
            _ => First::Default,
        };
        let decoy = self.random.chance(5).then(|| self.kind());
        Variable { kind, length, first, decoy }
    }

    /// Returns acts with names of their own.
    fn acts(&mut self, depth: usize) -> Vec<Act> {
        let visible = (self.bound.len(), self.taken.len());
        let acts = self.some_acts(depth);
        self.hide(visible);
        acts
    }

    /// Returns acts with names that stay visible.
    fn some_acts(&mut self, depth: usize) -> Vec<Act> {
        let mut acts = Vec::new();
        for _ in 0..self.random.between(1, 3) {
            let act = self.act(depth);
            let stops = matches!(act, Act::Final | Act::Bad | Act::End | Act::Break | Act::Continue);
            acts.push(act);
            if stops && self.random.chance(90) {
                break;
            }
        }
        acts
    }

    /// Returns the acts of a loop. With this chance (in percent) they begin with a sync.
    fn round(&mut self, depth: usize, chance: usize) -> Vec<Act> {
        let visible = (self.bound.len(), self.taken.len());
        self.inside += 1;
        let mut acts = Vec::new();
        if self.random.chance(chance) {
            self.fuel = self.fuel.max(1);
            acts.push(self.sync(depth));
        }
        for _ in 0..self.random.between(0, 3) {
            acts.push(self.act(depth));
        }
        if acts.is_empty() {
            acts.push(self.sync(depth));
        }
        self.inside -= 1;
        self.hide(visible);
        acts
    }

    fn act(&mut self, depth: usize) -> Act {
        let deeper = depth < 4;
        match self.random.below(100) {
            0..28 if self.fuel > 0 => self.sync(depth),
            28..50 if !self.variables.is_empty() => self.assignment(),
            50..63 if deeper => {
                let condition = self.truth(2);
                let yes = self.acts(depth + 1);
                let no = self.random.chance(50).then(|| self.acts(depth + 1));
                Act::If(condition, yes, no)
            }
            63..68 if deeper => {
                let condition = self.truth(2);
                Act::While(condition, self.round(depth + 1, 97))
            }
            68..71 if deeper => Act::Loop(self.round(depth + 1, 99)),
            71..76 if deeper => {
                let low = self.random.between(0, 1) as i64;
                let high = low + self.random.between(1, 3) as i64;
                let l = self.new_loop(low, high);
                let acts = self.round(depth + 1, 60);
                self.loops.pop();
                Act::For(l, low, high, acts)
            }
            76..79 if deeper => {
                let count = self.random.between(0, 3) as i64;
                Act::Repeat(count, self.round(depth + 1, 60))
            }
            79..85 if deeper => Act::Choose((0..self.random.between(1, 3)).map(|_| self.acts(depth + 1)).collect()),
            85..88 => Act::Assert(self.likely()),
            88..93 if self.inside > 0 => {
                if self.random.chance(50) {
                    Act::Break
                } else {
                    Act::Continue
                }
            }
            93 if self.is_faulty => Act::Bad,
            94 => Act::End,
            95..99 if self.has_ends => Act::Final,
            _ if self.variables.is_empty() => self.sync(depth),
            _ => self.assignment(),
        }
    }

    /// A condition that holds more often than others.
    fn likely(&mut self) -> Ex {
        let (one, other) = (self.truth(2), self.truth(1));
        if self.random.chance(70) { Ex::bin(Op::Or, one, other) } else { one }
    }

    fn assignment(&mut self) -> Act {
        let v = self.random.below(self.variables.len());
        let Variable { kind, length, .. } = self.variables[v];
        let index = length.map(|n| {
            if self.is_faulty && self.random.chance(25) { self.int(1) } else { self.fitting(Type::Range(0, n)) }
        });
        if index.is_none()
            && self.random.chance(35)
            && let Type::Range(low, high) = kind
        {
            let more = Ex::bin(Op::Add, Ex::Var(v), Ex::Num(1));
            let step = Act::Set(v, None, Some(more));
            if self.is_faulty && self.random.chance(40) {
                return step;
            }
            let back = Act::Set(v, None, Some(Ex::Num(low)));
            return Act::If(Ex::bin(Op::Lt, Ex::Var(v), Ex::Num(high - 1)), vec![step], Some(vec![back]));
        }
        if kind != Type::Int && self.random.chance(12) {
            return Act::Set(v, index, None);
        }
        self.is_bounded = kind == Type::Int;
        let value = match kind {
            Type::Range(..) if self.is_faulty && self.random.chance(30) => self.int(2),
            Type::Int => self.int(2),
            _ => self.fitting(kind),
        };
        self.is_bounded = false;
        Act::Set(v, index, Some(value))
    }

    fn sync(&mut self, depth: usize) -> Act {
        self.fuel = self.fuel.saturating_sub(1);
        let form = [Form::Short, Form::Short, Form::Full, Form::Select, Form::Select][self.random.below(5)];
        let form = if depth >= 4 && form == Form::Select { Form::Short } else { form };
        let requests: Vec<bool> = match form {
            Form::Short => vec![self.random.chance(75)],
            Form::Full => {
                [&[true, false][..], &[true, false], &[false, true], &[true], &[]][self.random.below(5)].to_vec()
            }
            Form::Select => (0..self.random.between(1, 3)).map(|_| self.random.chance(60)).collect(),
        };
        let block = (requests.is_empty() || self.random.chance(20)).then(|| self.events(Purpose::Filter, None));
        let interrupt = self.random.chance(10).then(|| self.events(Purpose::Filter, None));
        let purpose = |requests| if requests { Purpose::Request } else { Purpose::Filter };
        let mut arms: Vec<Arm> = Vec::new();
        if form == Form::Select {
            for requests in requests {
                let visible = (self.bound.len(), self.taken.len());
                let name = self.shared(&[requests]);
                self.private.clear();
                let events = self.events(purpose(requests), name);
                let binds = self.bind(name);
                let acts = if self.random.chance(20) { Vec::new() } else { self.acts(depth + 1) };
                self.hide(visible);
                arms.push(Arm { requests, events, binds, acts });
            }
        } else {
            let name = self.shared(&requests);
            self.private.clear();
            for &requests in &requests {
                let events = self.events(purpose(requests), name);
                arms.push(Arm { requests, events, binds: Vec::new(), acts: Vec::new() });
            }
            let binds = self.bind(name);
            arms.iter_mut().for_each(|arm| arm.binds.clone_from(&binds));
        }
        let is_final = self.has_ends && self.random.chance(50);
        let is_hot = self.is_hot();
        Act::Sync(Sync { form, is_final, is_hot, arms, block, interrupt })
    }

    /// True if the next sync or state is hot.
    pub(super) fn is_hot(&mut self) -> bool {
        self.hot.chance(self.heat)
    }

    fn hide(&mut self, (bound, taken): (usize, usize)) {
        self.bound.truncate(bound);
        self.taken.truncate(taken);
    }

    fn bind(&mut self, name: Option<(usize, Type)>) -> Vec<usize> {
        self.bound.extend(name);
        self.taken.append(&mut self.private);
        name.iter().map(|(name, _)| *name).collect()
    }
}
