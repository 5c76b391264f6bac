//! Random programs of b-threads that share something, compared with Node.

use crate::js_node::{node, words};
use crate::read_as;
use testkit::{Random, count};

struct Gen {
    random: Random,
    out: String,
    /// Number of b-threads and copies that may still be made.
    births: usize,
}

impl Gen {
    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.random.below(from.len())]
    }

    fn event(&mut self) -> &'static str {
        self.pick(&["A", "B", "C", "bp.Event('d', bp.store.get('x'))"])
    }

    fn key(&mut self) -> &'static str {
        self.pick(&["'x'", "'y'", "'o'"])
    }

    fn value(&mut self) -> &'static str {
        self.pick(&[
            "1",
            "n",
            "(bp.store.get('x') || 0) + 1",
            "{v: n}",
            "[n, 2]",
            "'t'",
            "bp.random.nextInt(2)",
            "null",
        ])
    }

    fn statement(&mut self, depth: usize) {
        let text = match self.random.below(13) {
            0..=4 => {
                let part = self.pick(&["request", "request", "waitFor", "interrupt"]);
                let (a, b) = (self.event(), self.event());
                let block = if self.random.below(4) == 0 { ", block: C" } else { "" };
                format!("bp.sync({{request: {a}, {part}: {b}{block}}});")
            }
            5 | 6 => format!("bp.store.put({}, {});", self.key(), self.value()),
            7 => format!("bp.store.remove({});", self.key()),
            8 => "{ const o = bp.store.get('o'); if (o && typeof o === 'object') o.w = n; }".to_owned(),
            9 => format!("n += bp.store.has({}) ? 1 : bp.store.size();", self.key()),
            10 => "bp.ASSERT(bp.store.get('x') !== 3 && n < 9, 'x');".to_owned(),
            11 if self.births > 0 && depth > 0 => {
                self.births -= 1;
                self.out.push_str("bp.registerBThread('k', () => { let n = 5;\n");
                (0..1 + self.random.below(3)).for_each(|_| self.statement(depth - 1));
                "});".to_owned()
            }
            12 if self.births > 0 => {
                self.births -= 1;
                "if (bp.fork()) { n += 2; } else { n++; }".to_owned()
            }
            _ => "n++;".to_owned(),
        };
        self.out.push_str(&text);
        self.out.push('\n');
    }

    fn program(seed: u64) -> String {
        let mut this = Self { random: Random::new(seed), out: String::new(), births: 2 };
        let has_queue = this.random.below(3) == 0;
        this.out.push_str("const A = bp.Event('a'), B = bp.Event('b'), C = bp.Event('c');\n");
        for i in 0..1 + this.random.below(3) {
            this.out.push_str(&format!("bp.registerBThread('t{i}', () => {{ let n = {i};\n"));
            if has_queue && i == 0 {
                this.out
                    .push_str("bp.setInterruptHandler(e => { n++; bp.enqueueExternalEvent(bp.Event('h', n)); });\n");
                this.out.push_str("bp.sync({request: A, interrupt: B}); bp.setInterruptHandler(null);\n");
                this.out.push_str("bp.enqueueExternalEvent(C); bp.sync({waitFor: C, block: A});\n");
            }
            (0..2 + this.random.below(5)).for_each(|_| this.statement(1));
            this.out.push_str("});\n");
        }
        this.out
    }
}

#[test]
fn random_groups_have_the_words_that_node_finds() {
    let programs: Vec<String> = (0..count(3_000) as u64).map(Gen::program).collect();
    let mut read = Vec::new();
    for text in &programs {
        match read_as("t.js", text) {
            Ok(found) => {
                let program = found.problem.system().as_program().expect("a program").clone();
                read.push((text.clone(), words(&program, 4)));
            }
            Err(error) => {
                let code = error.code();
                assert!(["js::shared", "js::unsupported"].contains(&code), "{error} {:?}\n{text}", error.line_column());
            }
        }
    }
    assert!(read.len() * 2 > programs.len(), "most programs are read: {} of {}", read.len(), programs.len());
    let list: Vec<(String, usize)> = read.iter().map(|(text, _)| (text.clone(), 4)).collect();
    let Some(expected) = node(&list) else { return };
    for ((text, words), expected) in read.iter().zip(expected) {
        assert_eq!(*words, expected, "{text}");
    }
}
