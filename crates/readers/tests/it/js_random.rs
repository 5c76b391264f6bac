//! Random programs in the subset of JavaScript, compared with Node: expressions over numbers, texts, truth values,
//! arrays and objects, with loops, closures, exceptions and syncs.

use crate::js_node::{compare, words};
use crate::read_as;
use testkit::{Random, count};

struct Gen {
    random: Random,
    out: String,
    /// Names of variables with values, arrays, objects, and functions of two parameters.
    values: Vec<String>,
    arrays: Vec<String>,
    objects: Vec<String>,
    functions: Vec<String>,
    next: usize,
    /// True where a sync may stand.
    may_sync: bool,
    loops: usize,
}

const LITERALS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "-1",
    "0.5",
    "10",
    "1e21",
    "NaN",
    "Infinity",
    "''",
    "'a'",
    "'12'",
    "' 7 '",
    "'é→'",
    "true",
    "false",
    "null",
    "undefined",
    "[]",
    "[1, 'b']",
    "{}",
    "({k: 1})",
    "-0",
];
const OPERATORS: &[&str] = &[
    "+", "+", "-", "*", "/", "%", "**", "<", "<=", ">", ">=", "==", "!=", "===", "!==", "&&", "||", "&", "|", "^",
    "<<", ">>", ">>>", "+", "===", "<",
];
const UNARY: &[&str] = &["-", "+", "!", "~", "typeof ", "void ", "String", "Number", "Boolean", "Math.floor", "isNaN"];

impl Gen {
    fn new(seed: u64) -> Self {
        let (values, arrays, objects, functions) = (vec![], vec![], vec![], vec![]);
        let (out, next) = (String::new(), 0);
        Self { random: Random::new(seed), out, values, arrays, objects, functions, next, may_sync: true, loops: 0 }
    }

    fn name(&mut self, letter: char) -> String {
        self.next += 1;
        format!("{letter}{}", self.next)
    }

    fn one(&mut self, names: fn(&Self) -> &Vec<String>) -> Option<String> {
        let all = names(self).clone();
        if all.is_empty() { None } else { Some(self.random.pick(&all).clone()) }
    }

    /// An expression of any type but functions.
    fn expr(&mut self, depth: usize) -> String {
        let known = self.one(|g| &g.values);
        if depth == 0 || self.random.one_in(5) {
            let literal = (*self.random.pick(LITERALS)).to_owned();
            return match known {
                Some(name) if self.random.chance(60) => name,
                _ if literal == "{}" => "({})".to_owned(),
                _ => literal,
            };
        }
        let d = depth - 1;
        match self.random.below(14) {
            0..=3 => {
                let (a, op, b) = (self.expr(d), *self.random.pick(OPERATORS), self.expr(d));
                format!("(({a}) {op} ({b}))")
            }
            4 => format!("{}({})", *self.random.pick(UNARY), self.expr(d)),
            5 => format!("({} ? {} : {})", self.expr(d), self.expr(d), self.expr(d)),
            6 => format!("[{}, {}]", self.expr(d), self.expr(d)),
            7 => format!("({{p: {}, q: {}}})", self.expr(d), self.expr(d)),
            8 => format!("({})[{}]", self.expr(d), self.prim(d)),
            9 => format!("(({}) ?? ({})).length", self.expr(d), self.expr(d)),
            10 => self.text(d),
            11 => self.array(d),
            12 => match self.one(|g| &g.functions) {
                Some(f) => format!("{f}({}, {})", self.expr(d), self.expr(d)),
                None => self.expr(d),
            },
            _ => match self.one(|g| &g.objects) {
                Some(o) => match self.random.below(4) {
                    0 => format!("({} in {o})", self.prim(d)),
                    1 => format!("{o}?.{}", self.random.pick(&["a", "b", "c"])),
                    2 => format!("JSON.stringify({o})"),
                    _ => format!("Object.{}({o})", self.random.pick(&["keys", "values", "entries"])),
                },
                None => format!("`x${{{}}}y`", self.expr(d)),
            },
        }
    }

    /// An expression with a value that is no object.
    fn prim(&mut self, depth: usize) -> String {
        match self.random.below(4) {
            0 => format!("Number({})", self.expr(depth)),
            1 => format!("String({})", self.expr(depth)),
            2 => (*self.random.pick(&["0", "1", "'a'", "'b'", "2"])).to_owned(),
            _ => format!("!({})", self.expr(depth)),
        }
    }

    fn text(&mut self, d: usize) -> String {
        let text = format!("String({})", self.expr(d));
        let (a, b) = (self.prim(d), self.prim(d));
        match self.random.below(10) {
            0 => format!("{text}.slice({a}, {b})"),
            1 => format!("{text}.indexOf({a})"),
            2 => format!("{text}.charAt({a})"),
            3 => format!("{text}.split({a})"),
            4 => format!("{text}.toUpperCase().trim()"),
            5 => format!("{text}.padStart(4, {a})"),
            6 => format!("{text}.replace({a}, {b})"),
            7 => format!("{text}.substring({a}, {b})"),
            8 => format!("{text}.startsWith({a})"),
            _ => format!("[...{text}]"),
        }
    }

    fn array(&mut self, d: usize) -> String {
        let Some(a) = self.one(|g| &g.arrays) else { return self.expr(d) };
        let (x, y) = (self.prim(d), self.prim(d));
        match self.random.below(12) {
            0 => format!("{a}.slice({x}, {y})"),
            1 => format!("{a}.concat({x}, [{y}])"),
            2 => format!("{a}.includes({x})"),
            3 => format!("{a}.join({x})"),
            4 => {
                let value = self.inner("x");
                format!("{a}.map((x, i) => {value})")
            }
            5 => format!("{a}.filter(x => {})", self.inner("x")),
            6 => format!("{a}.reduce((x, y) => {}, {x})", self.inner("x")),
            7 => format!("{a}.slice().sort((x, y) => x - y)"),
            8 => format!("{a}.slice().sort()"),
            9 => format!("{a}.find(x => {})", self.inner("x")),
            10 => format!("[...{a}, {x}]"),
            _ => format!("{a}.slice().reverse()"),
        }
    }

    /// An expression with one more variable.
    fn inner(&mut self, name: &str) -> String {
        self.values.push(name.to_owned());
        let value = self.expr(2);
        self.values.pop();
        value
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn block(&mut self, count: usize) {
        let names = (self.values.clone(), self.arrays.clone(), self.objects.clone(), self.functions.clone());
        for _ in 0..count {
            self.statement();
        }
        (self.values, self.arrays, self.objects, self.functions) = names;
    }

    fn statement(&mut self) {
        match self.random.below(16) {
            0 | 1 => {
                let (name, value) = (self.name('v'), self.expr(3));
                self.line(&format!("let {name} = {value};"));
                self.values.push(name);
            }
            2 => self.assign(),
            3 => {
                let (name, value) = (self.name('a'), self.expr(2));
                let more = self.prim(1);
                self.line(&format!("const {name} = [{value}, {more}];"));
                self.arrays.push(name);
            }
            4 => {
                let (name, value) = (self.name('o'), self.expr(2));
                self.line(&format!("const {name} = {{a: {value}, 7: 'x', c: 0}};"));
                self.objects.push(name);
            }
            5 => self.change(),
            6 => {
                let test = self.expr(3);
                self.line(&format!("if ({test}) {{"));
                self.block(2);
                self.line("} else {");
                self.block(1);
                self.line("}");
            }
            7 | 8 if self.loops < 2 => self.repeat(),
            9 => self.function(),
            10 => {
                let may_sync = std::mem::replace(&mut self.may_sync, false);
                self.line("try {");
                self.block(2);
                self.line("} catch (e) {");
                self.block(1);
                self.line("}");
                self.may_sync = may_sync;
            }
            11 => self.switch(),
            _ => self.sync(),
        }
    }

    fn assign(&mut self) {
        let Some(name) = self.one(|g| &g.values) else { return };
        if name.starts_with(['i', 'w']) {
            return;
        }
        let value = self.expr(2);
        let op = *self.random.pick(&["=", "=", "+=", "-=", "||=", "??=", "&&=", "*="]);
        let text = if self.random.one_in(4) { format!("{name}++;") } else { format!("{name} {op} {value};") };
        self.line(&text);
    }

    fn change(&mut self) {
        let (x, y) = (self.prim(2), self.prim(1));
        if self.random.chance(50) {
            let Some(a) = self.one(|g| &g.arrays) else { return };
            let text = match self.random.below(7) {
                0 => format!("{a}.push({x}, {y});"),
                1 => format!("{a}.pop();"),
                2 => format!("{a}.unshift({x});"),
                3 => format!("{a}.splice({x}, {y}, {x});"),
                4 => format!("{a}[0] = {x};"),
                5 => format!("if ({a}.length > 1) {a}[1]++;"),
                _ => format!("{a}.reverse(); {a}.shift();"),
            };
            self.line(&text);
        } else {
            let Some(o) = self.one(|g| &g.objects) else { return };
            let text = match self.random.below(4) {
                0 => format!("{o}.b = {x};"),
                1 => format!("delete {o}.a;"),
                2 => format!("{o}[{y}] = {x};"),
                _ => format!("{o}.c++;"),
            };
            self.line(&text);
        }
    }

    fn repeat(&mut self) {
        self.loops += 1;
        let name = self.name('i');
        let head = match self.random.below(4) {
            0 => format!("for (let {name} = 0; {name} < {}; {name}++) {{", self.random.between(1, 4)),
            1 => match self.one(|g| &g.arrays) {
                Some(a) => format!("for (const {name} of {a}.slice(0, 3)) {{"),
                None => format!("for (const {name} of 'xyz') {{"),
            },
            2 => match self.one(|g| &g.objects) {
                Some(o) => format!("for (const {name} in {o}) {{"),
                None => format!("for (const {name} of [1, 'b']) {{"),
            },
            _ => format!("let {name} = 0; while ({name}++ < {}) {{", self.random.between(1, 3)),
        };
        self.line(&head);
        self.values.push(name);
        self.block(2);
        if self.random.one_in(3) {
            let test = self.expr(2);
            let jump = *self.random.pick(&["break", "continue"]);
            self.line(&format!("if ({test}) {jump};"));
        }
        self.block(1);
        self.values.pop();
        self.line("}");
        self.loops -= 1;
    }

    fn function(&mut self) {
        let name = self.name('f');
        let default = self.expr(1);
        self.line(&format!("const {name} = function(w, x = {default}) {{"));
        let values = self.values.clone();
        self.values.extend(["w".to_owned(), "x".to_owned()]);
        let may_sync = self.may_sync;
        self.may_sync &= self.random.one_in(3);
        let may_sync_inside = self.may_sync;
        self.block(2);
        self.may_sync = may_sync;
        let value = self.expr(2);
        self.line(&format!("return {value}; }};"));
        self.values = values;
        // A function with a sync is not called in a `try`, where the sync of the shim would be caught.
        let call = format!("{name}({}, {});", self.expr(1), self.expr(1));
        if self.may_sync {
            self.line(&call);
        }
        if !may_sync_inside {
            self.functions.push(name);
        }
    }

    fn switch(&mut self) {
        let value = self.expr(2);
        self.line(&format!("switch ({value}) {{"));
        for case in ["case 1:", "case 'a':", "default:", "case true:"] {
            self.line(&format!("{case} {{"));
            self.block(1);
            self.line("}");
            if self.random.chance(50) {
                self.line("break;");
            }
        }
        self.line("}");
    }

    fn sync(&mut self) {
        if !self.may_sync {
            return;
        }
        let (a, b) = (self.expr(3), self.expr(2));
        let name = self.name('v');
        let text = match self.random.below(4) {
            0 => format!("let {name} = bp.sync({{request: [bp.Event('e', {a}), bp.Event('f')]}}).name;"),
            1 => format!("let {name} = bp.sync({{request: bp.Event('e', {a}), waitFor: bp.Event('g')}}).data;"),
            2 => format!("let {name} = {b}; bp.sync({{request: bp.Event(String({a}), {name})}});"),
            _ => format!("let {name} = bp.sync({{request: bp.Event('e', [{a}, {b}])}}).data[0];"),
        };
        self.line(&text);
        self.values.push(name);
    }
}

fn program(seed: u64) -> String {
    let mut g = Gen::new(seed);
    g.line("bp.registerBThread('T', function() {");
    let statements = g.random.between(4, 12);
    g.block(statements);
    g.line("});");
    if g.random.one_in(3) {
        g.line("bp.registerBThread('U', function() { const e = bp.sync({waitFor: bp.EventSet('s', e => e.data > 1)});");
        g.line("bp.sync({request: bp.Event('g', e.data), block: bp.Event('f')}); });");
    }
    g.out
}

#[test]
fn random_programs_have_the_words_that_node_finds() {
    let mut programs = Vec::new();
    let mut refused = 0;
    let cases = count(3000);
    for seed in 0..cases {
        let source = program(seed);
        match read_as("t.js", &source) {
            Ok(read) => {
                // The words are computed once more by `compare`. Long lists of them are left out.
                let found = words(read.problem.system().as_program().expect("a program"), 5);
                if found.len() < 500 {
                    programs.push((source, 5));
                }
            }
            Err(error) => {
                let known = ["js::unsupported", "js::memory", "js::runtime", "js::loop"];
                assert!(known.contains(&error.code()), "seed {seed}: {error} {:?}\n{source}", error.line_column());
                refused += 1;
            }
        }
    }
    assert!(refused * 5 < cases, "{refused} of {cases} programs are refused");
    compare(&programs);
}

/// Cuts, repeats and swaps parts of programs. The reader gives a program or an error with a place for all of them.
#[test]
fn damaged_programs_are_read_or_refused() {
    for seed in 0..count(4000) {
        let mut random = Random::new(seed);
        let mut text: Vec<char> = match random.pick(&[0, 1]) {
            0 => program(seed).chars().collect(),
            _ => random.pick(crate::js_node::PROGRAMS).0.chars().collect(),
        };
        for _ in 0..random.between(1, 4) {
            let (from, length) = (random.below(text.len()), random.between(1, 12));
            let part: Vec<char> = text.iter().skip(from).take(length).copied().collect();
            let to = random.below(text.len());
            match random.below(3) {
                0 => drop(text.drain(from..(from + length).min(text.len()))),
                1 => drop(text.splice(to..to, part)),
                _ => drop(text.splice(to..(to + length).min(text.len()), part)),
            }
            if text.is_empty() {
                break;
            }
        }
        let text: String = text.into_iter().collect();
        if let Err(error) = read_as("t.js", &text) {
            assert!(error.line_column().is_some(), "seed {seed}: {error}\n{text}");
        }
    }
}
