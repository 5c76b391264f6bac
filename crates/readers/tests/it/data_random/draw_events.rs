//! Random expressions and sets of events.

use super::draw::Draw;
use super::tree::{Arg, Atom, Diff, Events, Ex, Op, Pattern, Type};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Request,
    /// Waiting, blocking and the like, where a set may be infinite.
    Filter,
    /// A named set, which may be requested.
    Set,
}

fn is_number(kind: Type) -> bool {
    matches!(kind, Type::Range(..) | Type::Int)
}

/// True if the types have values in common.
fn agree(one: Type, other: Type) -> bool {
    is_number(one) && is_number(other) || one == other
}

impl Draw {
    /// Expressions without operators, of types that agree with this one, and their types.
    fn leaves(&mut self, kind: Type) -> Vec<(Ex, Type)> {
        let mut leaves = Vec::new();
        for (c, &(of, value)) in self.case.consts.iter().enumerate() {
            let of = if of == Type::Int { Type::Range(value, value + 1) } else { of };
            leaves.push((Ex::Const(c), of));
        }
        leaves.extend(self.loops.iter().map(|&(l, low, high)| (Ex::Loop(l), Type::Range(low, high))));
        for (v, variable) in self.variables.iter().enumerate() {
            let ex = match variable.length {
                None => Ex::Var(v),
                Some(n) => Ex::Elem(v, Box::new(Ex::Num(self.random.below(n as usize) as i64))),
            };
            leaves.push((ex, variable.kind));
        }
        leaves.extend(self.bound.iter().map(|&(name, of)| (Ex::Bound(name), of)));
        leaves.retain(|(_, of)| agree(*of, kind) && !(self.is_bounded && *of == Type::Int));
        leaves
    }

    fn leaf(&mut self, kind: Type) -> Ex {
        let leaves = self.leaves(kind);
        if !leaves.is_empty() && self.random.chance(70) {
            return self.random.pick(&leaves).0.clone();
        }
        match kind {
            Type::Range(low, high) => Ex::Num(low + self.random.below((high - low) as usize) as i64),
            Type::Int => Ex::Num(self.random.between(0, 6) as i64 - 2),
            Type::Bool => Ex::Truth(self.random.chance(50)),
            Type::Enum(e) => Ex::Member(e, self.random.below(self.case.enums[e])),
        }
    }

    /// Returns a number.
    pub(super) fn int(&mut self, depth: usize) -> Ex {
        if depth == 0 || self.random.chance(35) {
            return self.leaf(Type::Int);
        }
        let one = self.int(depth - 1);
        match self.random.below(20) {
            0..6 => Ex::bin(Op::Add, one, self.int(depth - 1)),
            6..10 => Ex::bin(Op::Sub, one, self.int(depth - 1)),
            10..12 => Ex::bin(Op::Mul, one, self.int(depth - 1)),
            12..15 => Ex::bin(Op::Mod, one, Ex::Num(self.random.between(1, 4) as i64)),
            15 => Ex::bin(Op::Div, one, Ex::Num(self.random.between(1, 3) as i64)),
            16 => Ex::Neg(Box::new(one)),
            17 if self.is_faulty => {
                Ex::bin(if self.random.chance(50) { Op::Div } else { Op::Mod }, one, self.leaf(Type::Int))
            }
            18 if self.is_faulty && self.random.chance(10) => Ex::bin(Op::Sub, Ex::Num(i64::MAX), one),
            _ => {
                let mut arrays = (0..self.variables.len()).filter(|&v| {
                    let variable = &self.variables[v];
                    variable.length.is_some() && matches!(variable.kind, Type::Range(..))
                });
                match arrays.next_back() {
                    None => one,
                    Some(v) if self.is_faulty && self.random.chance(40) => Ex::Elem(v, Box::new(one)),
                    Some(v) => {
                        let length = self.variables[v].length.expect("an array");
                        Ex::Elem(v, Box::new(Ex::bin(Op::Mod, one, Ex::Num(length))))
                    }
                }
            }
        }
    }

    /// Returns a truth value.
    pub(super) fn truth(&mut self, depth: usize) -> Ex {
        let two = |draw: &mut Draw, op| {
            let one = draw.truth(depth - 1);
            Ex::bin(op, one, draw.truth(depth - 1))
        };
        match self.random.below(20) {
            0..2 if depth > 0 => two(self, Op::And),
            2..4 if depth > 0 => two(self, Op::Or),
            4 if depth > 0 => two(self, Op::Eq),
            5..7 if depth > 0 => Ex::Not(Box::new(self.truth(depth - 1))),
            7..10 => self.leaf(Type::Bool),
            10..13 if !self.case.enums.is_empty() => {
                let kind = Type::Enum(self.random.below(self.case.enums.len()));
                let op = if self.random.chance(50) { Op::Eq } else { Op::Ne };
                let one = self.leaf(kind);
                Ex::bin(op, one, self.leaf(kind))
            }
            _ => {
                let op = [Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge][self.random.below(6)];
                let one = self.int(depth.min(1));
                Ex::bin(op, one, self.leaf(Type::Int))
            }
        }
    }

    /// Returns an expression with a value of the type.
    pub(super) fn fitting(&mut self, kind: Type) -> Ex {
        match kind {
            Type::Bool => self.truth(1),
            Type::Enum(_) => self.leaf(kind),
            Type::Int => self.int(1),
            Type::Range(low, high) => {
                let mut leaves = self.leaves(kind);
                leaves.retain(|(_, of)| matches!(of, Type::Range(l, h) if low <= *l && *h <= high));
                if !leaves.is_empty() && self.random.chance(50) {
                    return self.random.pick(&leaves).0.clone();
                }
                if self.random.chance(50) {
                    return Ex::Num(low + self.random.below((high - low) as usize) as i64);
                }
                let rest = Ex::bin(Op::Mod, self.int(1), Ex::Num(high - low));
                if low == 0 { rest } else { Ex::bin(Op::Add, rest, Ex::Num(low)) }
            }
        }
    }

    /// A new name with a text that means nothing else here. Names of different types have different texts.
    fn name(&mut self, kind: Type) -> usize {
        let texts: &[&str] = match kind {
            Type::Bool => &["b", "_b", "c"],
            Type::Enum(0) => &["s", "_s", "t"],
            Type::Enum(_) => &["f", "_f", "g"],
            _ => &["v", "w", "x", "_y", "n7", "k"],
        };
        let text = *self.random.pick(texts);
        let name = self.case.names.len();
        let is_taken = self.taken.iter().any(|taken| taken == text);
        self.case.names.push(if is_taken { format!("q{name}") } else { text.to_owned() });
        name
    }

    /// The parameters that patterns may bind. A request cannot bind an `int`.
    fn parameters(&self, requests: bool) -> Vec<(usize, usize, Type)> {
        let mut parameters = Vec::new();
        for (e, event) in self.case.events.iter().enumerate() {
            if !requests || !event.params.contains(&Type::Int) {
                parameters.extend(event.params.iter().enumerate().map(|(p, kind)| (e, p, *kind)));
            }
        }
        parameters
    }

    /// Returns a name that all patterns of a sync bind, or none. The kinds of the arms say which arms request.
    pub(super) fn shared(&mut self, arms: &[bool]) -> Option<(usize, Type)> {
        if arms.is_empty() || !self.random.chance(45) {
            return None;
        }
        let parameters = self.parameters(arms.contains(&true));
        if parameters.is_empty() {
            return None;
        }
        let kind = self.random.pick(&parameters).2;
        let name = self.name(kind);
        if !is_number(kind) {
            return Some((name, kind));
        }
        let parameters = self.parameters(false);
        let all = parameters.iter().filter(|(_, _, of)| is_number(*of));
        let wide = all.fold(None, |wide, (_, _, of)| match (wide, of) {
            (None, of) => Some(*of),
            (Some(Type::Range(low, high)), Type::Range(l, h)) => Some(Type::Range(low.min(*l), high.max(*h))),
            _ => Some(Type::Int),
        });
        Some((name, wide.expect("at least one")))
    }

    /// Returns a set of events. If there is a name, each of its patterns binds the name.
    pub(super) fn events(&mut self, purpose: Purpose, name: Option<(usize, Type)>) -> Events {
        let count = [1, 1, 1, 2, 2, 3][self.random.below(6)];
        (0..count).map(|_| self.diff(purpose, name, 0)).collect()
    }

    fn diff(&mut self, purpose: Purpose, name: Option<(usize, Type)>, depth: usize) -> Diff {
        let from = self.atom(purpose, name, depth);
        let count = [0, 0, 0, 0, 0, 0, 1, 1, 2][self.random.below(9)];
        Diff { from, minus: (0..count).map(|_| self.atom(Purpose::Filter, None, depth + 1)).collect() }
    }

    fn atom(&mut self, purpose: Purpose, name: Option<(usize, Type)>, depth: usize) -> Atom {
        let has_int = self.case.events.iter().any(|e| e.params.contains(&Type::Int));
        let is_finite = purpose == Purpose::Filter || !has_int;
        match self.random.below(30) {
            0 | 1 if name.is_none() && is_finite => Atom::All,
            2 if name.is_none() => Atom::None,
            3 | 4 if depth < 2 => {
                let count = self.random.between(1, 2);
                Atom::Group((0..count).map(|_| self.diff(purpose, name, depth + 1)).collect())
            }
            5..8 if name.is_none() && !self.case.sets.is_empty() => Atom::Set(self.random.below(self.case.sets.len())),
            _ => Atom::Pattern(self.pattern(purpose, name)),
        }
    }

    fn pattern(&mut self, purpose: Purpose, name: Option<(usize, Type)>) -> Pattern {
        let binding = name.map(|(name, kind)| {
            let mut parameters = self.parameters(purpose == Purpose::Request);
            parameters.retain(|(_, _, of)| agree(*of, kind));
            let (event, p, _) = *self.random.pick(&parameters);
            (name, event, p)
        });
        let event = binding.map_or_else(|| self.random.below(self.case.events.len()), |(_, event, _)| event);
        let params = self.case.events[event].params.clone();
        let has_int = params.contains(&Type::Int);
        let visible = self.bound.len();
        let may_omit =
            binding.is_none() && !self.case.events[event].is_array && (purpose == Purpose::Filter || !has_int);
        let free = self.taken.len();
        self.taken.extend(name.map(|(name, _)| self.case.names[name].clone()));
        let mut binds = Vec::new();
        let args = if params.is_empty() || may_omit && self.random.chance(15) {
            None
        } else {
            let mut args = Vec::new();
            for (p, kind) in params.into_iter().enumerate() {
                args.push(match binding {
                    Some((name, _, at)) if at == p => {
                        binds.push((name, kind));
                        Arg::Bind(name)
                    }
                    _ => self.arg(purpose, kind, &mut binds),
                });
            }
            Some(args)
        };
        let needs = binds.len() > usize::from(binding.is_some());
        self.bound.extend(binds);
        let chance = if needs { 90 } else { 15 };
        let when = self.random.chance(chance).then(|| self.when(visible));
        self.bound.truncate(visible);
        self.private.extend(self.taken.drain(free..));
        Pattern { event, args, when }
    }

    /// A condition that usually speaks of the names behind the first ones. It has few faults.
    fn when(&mut self, first: usize) -> Ex {
        let is_faulty = std::mem::replace(&mut self.is_faulty, false);
        self.is_faulty = is_faulty && self.random.chance(8);
        let when = match self.bound[first..].first() {
            Some(&(name, kind)) if self.random.chance(75) => {
                let ops = [Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge];
                let op = ops[self.random.below(if is_number(kind) { 6 } else { 2 })];
                let other = if is_number(kind) { self.int(1) } else { self.leaf(kind) };
                let compared = Ex::bin(op, Ex::Bound(name), other);
                if self.random.chance(25) { Ex::bin(Op::And, compared, self.truth(1)) } else { compared }
            }
            _ => self.truth(1),
        };
        self.is_faulty = is_faulty;
        when
    }

    fn arg(&mut self, purpose: Purpose, kind: Type, binds: &mut Vec<(usize, Type)>) -> Arg {
        if kind == Type::Int && purpose != Purpose::Filter {
            self.is_bounded = true;
            let value = if purpose == Purpose::Set { Ex::Num(self.random.below(3) as i64) } else { self.int(1) };
            self.is_bounded = false;
            return Arg::Value(value);
        }
        match self.random.below(20) {
            0..6 => Arg::Any,
            6..10 => {
                let name = self.name(kind);
                self.taken.push(self.case.names[name].clone());
                binds.push((name, kind));
                Arg::Bind(name)
            }
            10..13 if is_number(kind) => {
                let (low, high) = if let Type::Range(low, high) = kind { (low, high) } else { (-1, 4) };
                let from = low + self.random.below((high - low) as usize) as i64;
                let to = from + self.random.below((high - from) as usize) as i64;
                if self.random.chance(20) {
                    return Arg::Range(self.leaf(kind), Ex::Num(high - 1), self.random.chance(50));
                }
                Arg::Range(Ex::Num(from), Ex::Num(to), self.random.chance(50))
            }
            _ => {
                if self.is_faulty && is_number(kind) && self.random.chance(8) {
                    // A number alone is checked by the reader.
                    return Arg::Value(Ex::bin(Op::Add, self.int(1), self.leaf(Type::Int)));
                }
                let is_faulty = std::mem::replace(&mut self.is_faulty, false);
                let value = self.fitting(kind);
                self.is_faulty = is_faulty;
                Arg::Value(value)
            }
        }
    }
}
