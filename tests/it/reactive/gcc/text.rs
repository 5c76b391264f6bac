//! Random C programs as text, in the supported subset: operators without parentheses, literals of all kinds,
//! divisions that trap, tables, pointers, calls, early returns, several prints, and both conventions.

use std::fmt::Write as _;
use testkit::Random;

/// The inputs of every program.
pub(crate) const INPUTS: [i32; 3] = [1, 2, 3];

const LITERALS: [&str; 16] = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "-2",
    "5",
    "7",
    "010",
    "0x1F",
    "2147483647",
    "(-2147483647 - 1)",
    "(1 - 2)",
    "!0",
    "0X7fffffff",
    "- 3",
];
const SIGNS: [&str; 13] = ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||"];

struct Writer<'r> {
    rng: &'r mut Random,
    text: String,
    /// True if the entry returns its letters.
    returns: bool,
    /// True while the entry is written, false for helpers.
    in_entry: bool,
    /// True if the current function may use `input`.
    has_input: bool,
    errors: u32,
    /// The existing helpers: the name, true if it takes the input, and true if it returns a number.
    helpers: Vec<(String, bool, bool)>,
    /// True if pointers may be null initially.
    has_null: bool,
}

/// Returns the text of a random program.
pub(crate) fn program(rng: &mut Random) -> String {
    let returns = rng.below(3) == 0;
    let has_null = rng.below(8) == 0;
    let mut writer = Writer {
        rng,
        text: "#include <stdio.h>\n#include <stdlib.h>\nint inputs[] = {1, 2, 3};\n".to_owned(),
        returns,
        in_entry: false,
        has_input: false,
        errors: 0,
        helpers: Vec::new(),
        has_null,
    };
    writer.globals();
    for number in 0..writer.rng.below(3) {
        writer.helper(number);
    }
    writer.entry();
    writer.text
}

impl Writer<'_> {
    fn one<'s>(&mut self, of: &[&'s str]) -> &'s str {
        of[self.rng.below(of.len())]
    }

    fn line(&mut self, depth: usize, line: &str) {
        writeln!(self.text, "{}{line}", "  ".repeat(depth)).expect("texts grow");
    }

    fn globals(&mut self) {
        for name in ["x0", "x1", "x2"] {
            let value = match self.rng.below(6) {
                0 => String::new(),
                1 => " = -2147483648".to_owned(),
                2 => format!(" = {} {} {}", self.one(&LITERALS), self.one(&["+", "-", "*", "<"]), self.one(&LITERALS)),
                _ => format!(" = {}", self.one(&LITERALS)),
            };
            self.line(0, &format!("int {name}{value};"));
        }
        let k = self.one(&["-1", "0", "3", "2147483647"]);
        let word = self.one(&["const int", "int const", "static const int"]);
        self.line(0, &format!("{word} k = {k};"));
        let elements = self.one(&["4, -1, 0, 2", "1, 2", "-2147483647 - 1, 3, 0x10, 0"]);
        let word = self.one(&["int", "const int"]);
        self.line(0, &format!("{word} t[4] = {{{elements}}};"));
        self.line(0, "int u[2] = {1, 7};");
        let target = if self.has_null { "" } else { self.one(&[" = u", " = &x1"]) };
        self.line(0, &format!("int *p{target};"));
    }

    fn leaf(&mut self) -> String {
        match self.rng.below(13) {
            0..=4 => self.one(&["x0", "x1", "x2"]).to_owned(),
            5 if self.has_input => "input".to_owned(),
            6 => "k".to_owned(),
            7 => format!("t[{}]", self.rng.below(4)),
            8 => "*p".to_owned(),
            9 => {
                let index = self.one(&["x0", "x1 - 1", "x2 % 4", "x0 + x1", "k", "!x1"]);
                // The reader refuses a constant index that is out of range, so the index is a variable here.
                format!("t[{}]", if index == "k" { "x2" } else { index })
            }
            _ => self.one(&LITERALS).to_owned(),
        }
    }

    /// Returns operands and operators in a row without parentheses, so precedence determines the grouping.
    fn expr(&mut self, depth: usize) -> String {
        let mut text = String::new();
        for number in 0..1 + self.rng.below(3) {
            if number > 0 {
                write!(text, " {} ", self.one(&SIGNS)).expect("texts grow");
            }
            match self.rng.below(8) {
                0 => text.push_str("- "),
                1 => text.push('!'),
                _ => {}
            }
            if depth > 0 && self.rng.below(3) == 0 {
                write!(text, "({})", self.expr(depth - 1)).expect("texts grow");
            } else {
                text.push_str(&self.leaf());
            }
        }
        text
    }

    /// Returns a condition that is usually true in some states and false in others.
    fn condition(&mut self) -> String {
        let var = self.one(&["x0", "x1", "x2", "x0", "*p"]);
        match self.rng.below(5) {
            0 if self.has_input => format!("input == {}", 1 + self.rng.below(3)),
            1 if self.has_input => {
                format!("({var} {} {}) && input != 2", self.one(&["<", ">", "=="]), self.rng.below(3))
            }
            2 => format!("{var} {} {}", self.one(&["<", ">", "==", "!=", "<=", ">="]), self.one(&LITERALS)),
            _ => self.expr(2),
        }
    }

    /// Returns an expression to assign, which mostly takes few values.
    fn value(&mut self) -> String {
        match self.rng.below(3) {
            0 => self.one(&LITERALS).to_owned(),
            1 => format!("({}) % {}", self.expr(1), self.one(&["3", "5", "-4"])),
            _ => self.expr(2),
        }
    }

    fn helper(&mut self, number: usize) {
        let (name, returns) = (format!("h{number}"), self.rng.below(2) == 0);
        let parameter = self.one(&["int input", "void", ""]);
        self.has_input = parameter == "int input";
        let kind = if returns { "int" } else { "void" };
        self.line(0, &format!("{kind} {name}({parameter}) {{"));
        self.body(returns, 1);
        if returns && self.rng.below(4) > 0 {
            let value = self.value();
            self.line(1, &format!("return {value};"));
        }
        self.line(0, "}");
        self.helpers.push((name, self.has_input, returns));
    }

    fn entry(&mut self) {
        let kind = if self.returns { "int" } else { "void" };
        (self.has_input, self.in_entry) = (true, true);
        self.line(0, &format!("{kind} calculate_output(int input) {{"));
        for _ in 0..1 + self.rng.below(3) {
            self.body(self.returns, 1);
        }
        if self.returns && self.rng.below(6) > 0 {
            let value = self.letter();
            self.line(1, &format!("return {value};"));
        }
        self.line(0, "}");
        self.line(0, "int main() { while (1) { int input; scanf(\"%d\", &input); calculate_output(input); } }");
    }

    fn letter(&mut self) -> String {
        match self.rng.below(4) {
            0 => self.value(),
            _ => self.one(&["20", "21", "22", "-1", "-2"]).to_owned(),
        }
    }

    fn body(&mut self, returns: bool, depth: usize) {
        for _ in 0..1 + self.rng.below(3) {
            self.statement(returns, depth);
        }
    }

    fn statement(&mut self, returns: bool, depth: usize) {
        let prints = !self.returns;
        let line = match self.rng.below(20) {
            0..=4 => format!("{} = {};", self.one(&["x0", "x1", "x2"]), self.value()),
            5..=8 if prints => format!("printf(\"%d\\n\", {});", self.letter()),
            5..=9 if depth < 4 => return self.branches(returns, depth),
            10 => format!("p = {};", self.one(&["u", "&x0", "&x1", "t"])),
            11 | 12 => self.call(returns && (self.returns || !self.in_entry)),
            13 | 14 => {
                self.errors += 1;
                let (condition, number) = (self.condition(), self.errors);
                let stop = match self.rng.below(3) {
                    0 => format!("__VERIFIER_error({number});"),
                    _ => format!("error_{number}: assert(0);"),
                };
                self.line(depth, &format!("if ({condition}) {{"));
                self.line(depth + 1, &stop);
                "}".to_owned()
            }
            15 if self.rng.below(4) == 0 => format!("assert({});", self.condition()),
            16 if depth > 1 && !returns => "return;".to_owned(),
            16 if depth > 1 => format!("return {};", self.letter()),
            17 if depth > 1 => "fprintf(stderr, \"Invalid input: %d\\n\", 0);".to_owned(),
            18 => format!("x{} = -2147483648;", self.rng.below(3)),
            19 => ";".to_owned(),
            _ => return,
        };
        self.line(depth, &line);
    }

    fn call(&mut self, returns: bool) -> String {
        if self.helpers.is_empty() {
            return ";".to_owned();
        }
        let number = self.rng.below(self.helpers.len());
        let (name, gets_input, gives) = self.helpers[number].clone();
        let argument = if gets_input && self.has_input { "input" } else { "" };
        if gets_input && !self.has_input {
            return ";".to_owned();
        }
        // A `return` is rare, because the code after it is dead.
        let tail = if gives && returns && self.rng.below(3) == 0 { "return " } else { "" };
        format!("{tail}{name}({argument});")
    }

    /// Writes an `if` with its `else` branches, with and without braces.
    fn branches(&mut self, returns: bool, depth: usize) {
        let mut word = "";
        for _ in 0..1 + self.rng.below(3) {
            let condition = self.condition();
            let braced = self.rng.below(3) > 0;
            self.line(depth, &format!("{word}if ({condition}){}", if braced { " {" } else { "" }));
            self.inside(returns, depth, braced);
            word = "else ";
        }
        if self.rng.below(2) == 0 {
            let braced = self.rng.below(2) == 0;
            self.line(depth, if braced { "else {" } else { "else" });
            self.inside(returns, depth, braced);
        }
    }

    fn inside(&mut self, returns: bool, depth: usize, braced: bool) {
        if braced {
            self.body(returns, depth + 1);
            self.line(depth, "}");
            return;
        }
        let line = match self.rng.below(3) {
            // A following `else` belongs to this `if`.
            0 => format!("if ({}) x2 = {};", self.condition(), self.value()),
            _ => format!("x{} = {};", self.rng.below(3), self.value()),
        };
        self.line(depth + 1, &line);
    }
}
