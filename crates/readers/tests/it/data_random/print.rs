//! The text of a random program.

use super::tree::{Act, Arg, Arm, Atom, Case, Diff, Event, Ex, First, Form, Item, Op, Shape, Stmt, Sync, Thread, Type};

/// The name of a value of an enum.
pub(super) fn member(of: usize, i: usize) -> String {
    format!("{}{of}", ["A", "B", "C", "D"][i])
}

impl Op {
    /// The sign and its strength.
    fn sign(self) -> (&'static str, u8) {
        match self {
            Op::Or => ("||", 1),
            Op::And => ("&&", 2),
            Op::Eq => ("==", 3),
            Op::Ne => ("!=", 3),
            Op::Lt => ("<", 4),
            Op::Le => ("<=", 4),
            Op::Gt => (">", 4),
            Op::Ge => (">=", 4),
            Op::Add => ("+", 5),
            Op::Sub => ("-", 5),
            Op::Mul => ("*", 6),
            Op::Div => ("/", 6),
            Op::Mod => ("%", 6),
        }
    }
}

/// Strength of sums.
const SUM: u8 = 5;

pub(super) fn text(case: &Case) -> String {
    let mut text = "rwb 2\n".to_owned();
    for (e, &count) in case.enums.iter().enumerate() {
        let members: Vec<_> = (0..count).map(|i| member(e, i)).collect();
        text += &format!("enum E{e} {{ {} }}\n", members.join(", "));
    }
    for (c, (kind, value)) in case.consts.iter().enumerate() {
        let value = match kind {
            Type::Bool => (*value == 1).to_string(),
            Type::Enum(e) => member(*e, *value as usize),
            _ if c > 0 && matches!(case.consts[c - 1].0, Type::Int) => {
                let before = case.consts[c - 1].1;
                format!("K{} * 2 - {}", c - 1, 2 * before - value).replace("- -", "+ ")
            }
            _ => value.to_string(),
        };
        text += &format!("const K{c} = {value}\n");
    }
    if let Some(check) = case.check {
        text += &format!("check {check}\n");
    }
    let late = case.style.is_multiple_of(3);
    if !late {
        text += &case.events();
    }
    for (s, events) in case.sets.iter().enumerate() {
        text += &format!("set S{s} = {}\n", case.set(events));
    }
    case.items(&mut text, &case.items);
    if late {
        text += &case.events();
    }
    text
}

impl Case {
    fn events(&self) -> String {
        self.events.iter().enumerate().map(|(e, event)| self.event(e, event)).collect()
    }

    fn event(&self, e: usize, event: &Event) -> String {
        let environment = if event.is_environment { "environment " } else { "" };
        let params: Vec<String> = event
            .params
            .iter()
            .enumerate()
            .map(|(p, kind)| {
                if event.is_array {
                    let Type::Range(0, end) = kind else { unreachable!("sizes of arrays") };
                    format!("[{end}]")
                } else {
                    format!("p{p}: {}", self.kind(*kind, e + p))
                }
            })
            .collect();
        match (params.is_empty(), event.is_array) {
            (true, _) => format!("{environment}event e{e}\n"),
            (_, true) => format!("{environment}event e{e}{}\n", params.concat()),
            (_, false) => format!("{environment}event e{e}({})\n", params.join(", ")),
        }
    }

    fn kind(&self, kind: Type, number: usize) -> String {
        let other = self.style >> (number % 16) & 1 == 1;
        match kind {
            Type::Range(low, high) if other => format!("{low}..={}", high - 1),
            Type::Range(low, high) => {
                let named = self.consts.iter().position(|c| *c == (Type::Int, high));
                named.map_or(format!("{low}..{high}"), |c| format!("{low}..K{c}"))
            }
            Type::Int => "int".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Enum(e) if other => {
                let members: Vec<_> = (0..self.enums[e]).map(|i| member(e, i)).collect();
                format!("{{{}}}", members.join(", "))
            }
            Type::Enum(e) => format!("E{e}"),
        }
    }

    fn items(&self, text: &mut String, items: &[Item]) {
        for item in items {
            match item {
                Item::Thread(thread) => self.thread(text, thread),
                Item::For(l, low, high, items) => {
                    *text += &format!("for i{l} in {low}..{high} {{\n");
                    self.items(text, items);
                    *text += "}\n";
                }
                Item::If(condition, items, others) => {
                    *text += &format!("if {} {{\n", self.ex(condition, 0));
                    self.items(text, items);
                    *text += "} else {\n";
                    self.items(text, others);
                    *text += "}\n";
                }
            }
        }
    }

    fn thread(&self, text: &mut String, thread: &Thread) {
        let indices: String = thread.indices.iter().map(|i| format!("[i{i}]")).collect();
        *text += &format!("thread T{}{indices} {{\n", thread.name);
        for (v, variable) in thread.variables.iter().enumerate() {
            let length = variable.length.map_or(String::new(), |n| format!("[{n}]"));
            let first = match (variable.first, variable.kind) {
                (First::Default, _) => String::new(),
                (First::Any, _) => " = *".to_owned(),
                (First::Value(n), Type::Bool) => format!(" = {}", n == 1),
                (First::Value(n), Type::Enum(e)) => format!(" = {}", member(e, n as usize)),
                (First::Value(n), _) => format!(" = {n}"),
            };
            let declaration = format!("var n{v}{length}: {}{first}", self.kind(variable.kind, v));
            *text += &match variable.decoy {
                None => format!("  {declaration}\n"),
                Some(kind) => {
                    format!("  if 1 < 2 {{ {declaration} }} else {{ var n{v}{length}: {} }}\n", self.kind(kind, v))
                }
            };
        }
        match &thread.form {
            Shape::Body(acts) => {
                let (before, after) = match self.style >> 20 & 7 {
                    0 => ("if 2 == 2 { ", " } else { body { bad } }"),
                    1 => ("if 3 < 2 { body { bad } } else { ", " }"),
                    _ => ("", ""),
                };
                *text += &format!("  {before}body {{\n");
                self.acts(text, acts, 2);
                *text += &format!("  }}{after}\n}}\n");
            }
            Shape::States(states, first) => {
                let first: Vec<_> = first.iter().map(|k| format!("s[{k}]")).collect();
                *text += &format!("  init {}\n", first.join(" | "));
                for (l, low, high, statements) in states {
                    *text += &format!("  for i{l} in {low}..{high} {{ state s[i{l}] {{\n");
                    self.statements(text, statements);
                    *text += "  } }\n";
                }
                *text += "}\n";
            }
        }
    }

    fn statements(&self, text: &mut String, statements: &[Stmt]) {
        for statement in statements {
            let line = match statement {
                Stmt::Request(events) => format!("    request {}\n", self.set(events)),
                Stmt::Block(events) => format!("    block {}\n", self.set(events)),
                Stmt::On(events, to) => {
                    let to: Vec<_> = to.iter().map(|k| format!("s[{}]", self.ex(k, 0))).collect();
                    format!("    on {} -> {}\n", self.set(events), to.join(" | "))
                }
                Stmt::Bad => "    bad\n".to_owned(),
                Stmt::Final => "    final;\n".to_owned(),
                Stmt::Hot => "    hot\n".to_owned(),
                Stmt::If(condition, yes, no) => {
                    *text += &format!("    if {} {{\n", self.ex(condition, 0));
                    self.statements(text, yes);
                    *text += "    } else {\n";
                    self.statements(text, no);
                    "    }\n".to_owned()
                }
            };
            *text += &line;
        }
    }

    fn acts(&self, text: &mut String, acts: &[Act], depth: usize) {
        for act in acts {
            *text += &"  ".repeat(depth);
            self.act(text, act, depth);
            *text += "\n";
        }
    }

    fn block(&self, text: &mut String, acts: &[Act], depth: usize) {
        *text += " {\n";
        self.acts(text, acts, depth + 1);
        *text += &format!("{}}}", "  ".repeat(depth));
    }

    fn act(&self, text: &mut String, act: &Act, depth: usize) {
        match act {
            Act::Sync(sync) => self.sync(text, sync, depth),
            Act::Final => *text += "final;",
            Act::Bad => *text += "bad",
            Act::End => *text += "end",
            Act::Break => *text += "break",
            Act::Continue => *text += "continue",
            Act::Assert(condition) => *text += &format!("assert {}", self.ex(condition, 0)),
            Act::Set(v, index, value) => {
                let index = index.as_ref().map_or(String::new(), |i| format!("[{}]", self.ex(i, 0)));
                let value = value.as_ref().map_or("*".to_owned(), |value| self.ex(value, 0));
                *text += &format!("n{v}{index} = {value}");
            }
            Act::If(condition, yes, no) => {
                *text += &format!("if {}", self.ex(condition, 0));
                self.block(text, yes, depth);
                match no.as_deref() {
                    None => {}
                    Some([act @ Act::If(..)]) => {
                        *text += " else ";
                        self.act(text, act, depth);
                    }
                    Some(no) => {
                        *text += " else";
                        self.block(text, no, depth);
                    }
                }
            }
            Act::While(condition, acts) => {
                *text += &format!("while {}", self.ex(condition, 0));
                self.block(text, acts, depth);
            }
            Act::Loop(acts) => {
                *text += "loop";
                self.block(text, acts, depth);
            }
            Act::Repeat(count, acts) => {
                *text += &format!("repeat {count}");
                self.block(text, acts, depth);
            }
            Act::For(l, low, high, acts) => {
                *text += &format!("for i{l} in {low}..={}", high - 1);
                self.block(text, acts, depth);
            }
            Act::Choose(ways) => {
                for (i, way) in ways.iter().enumerate() {
                    *text += if i == 0 { "choose" } else { " or" };
                    self.block(text, way, depth);
                }
            }
        }
    }

    fn sync(&self, text: &mut String, sync: &Sync, depth: usize) {
        let marks = [("final ", sync.is_final), ("hot ", sync.is_hot)];
        marks.iter().filter(|(_, is_set)| *is_set).for_each(|(mark, _)| *text += mark);
        let verb = |arm: &Arm| if arm.requests { "request" } else { "wait" };
        match sync.form {
            Form::Select => *text += "select",
            Form::Full => *text += "sync",
            Form::Short => {}
        }
        if sync.form != Form::Select {
            for arm in &sync.arms {
                *text += &format!(" {} {}", verb(arm), self.set(&arm.events));
            }
        }
        for (clause, events) in [("interrupt", &sync.interrupt), ("block", &sync.block)] {
            if let Some(events) = events {
                *text += &format!(" {clause} {}", self.set(events));
            }
        }
        if sync.form != Form::Select {
            *text += ";";
            return;
        }
        *text += " {\n";
        for arm in &sync.arms {
            let verb = if arm.requests { "request " } else { "" };
            *text += &format!("{}on {verb}{}", "  ".repeat(depth + 1), self.set(&arm.events));
            self.block(text, &arm.acts, depth + 1);
            *text += "\n";
        }
        *text += &format!("{}}}", "  ".repeat(depth));
    }

    fn set(&self, events: &[Diff]) -> String {
        let parts: Vec<_> = events
            .iter()
            .map(|diff| {
                let minus = diff.minus.iter().map(|atom| format!(" - {}", self.atom(atom, true)));
                let minus: String = minus.collect();
                self.atom(&diff.from, !minus.is_empty()) + &minus
            })
            .collect();
        parts.join(", ")
    }

    /// The text of an atom, in braces if a sign after it could belong to its condition.
    fn atom(&self, atom: &Atom, followed: bool) -> String {
        match atom {
            Atom::All => "*".to_owned(),
            Atom::None => "none".to_owned(),
            Atom::Group(events) => format!("{{ {} }}", self.set(events)),
            Atom::Set(s) => format!("S{s}"),
            Atom::Pattern(pattern) => {
                let event = &self.events[pattern.event];
                let args = pattern.args.iter().flatten().map(|arg| self.arg(arg));
                let args = if event.is_array {
                    args.map(|arg| format!("[{arg}]")).collect()
                } else if pattern.args.is_some() {
                    format!("({})", args.collect::<Vec<_>>().join(", "))
                } else {
                    String::new()
                };
                let name = format!("e{}{args}", pattern.event);
                match &pattern.when {
                    None => name,
                    Some(when) if followed => format!("{{ {name} when {} }}", self.ex(when, 0)),
                    Some(when) => format!("{name} when {}", self.ex(when, 0)),
                }
            }
        }
    }

    fn arg(&self, arg: &Arg) -> String {
        match arg {
            Arg::Any => "*".to_owned(),
            Arg::Value(value) => self.ex(value, 0),
            Arg::Range(low, high, true) => format!("{}..={}", self.ex(low, SUM), self.ex(high, SUM)),
            Arg::Range(low, high, false) => format!("{}..{}", self.ex(low, SUM), self.ex(high, SUM)),
            Arg::Bind(name) => self.names[*name].clone(),
        }
    }

    /// The text of an expression, in parentheses if its sign is weaker than `least`.
    fn ex(&self, ex: &Ex, least: u8) -> String {
        match ex {
            Ex::Num(n) => n.to_string(),
            Ex::Truth(b) => b.to_string(),
            Ex::Member(e, i) => member(*e, *i),
            Ex::Const(c) => format!("K{c}"),
            Ex::Loop(l) => format!("i{l}"),
            Ex::Var(v) => format!("n{v}"),
            Ex::Elem(v, index) => format!("n{v}[{}]", self.ex(index, 0)),
            Ex::Bound(name) => self.names[*name].clone(),
            Ex::Not(a) => format!("!{}", self.ex(a, 7)),
            Ex::Neg(a) => format!("-({})", self.ex(a, 0)),
            Ex::Bin(op, a, b) => {
                let (sign, strength) = op.sign();
                let compares = (3..=4).contains(&strength);
                let left = if compares { SUM } else { strength };
                let right = if compares { SUM } else { strength + 1 };
                let text = format!("{} {sign} {}", self.ex(a, left), self.ex(b, right));
                if strength < least { format!("({text})") } else { text }
            }
        }
    }
}
