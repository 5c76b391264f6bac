//! Systems as text in BTOR2, line by line.

use std::fmt::{Display, Write};

/// Bits of a word.
const WORD: u32 = 8;

/// The number of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Line(u32);

impl Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A system in BTOR2, line by line.
pub(super) struct System {
    text: String,
    last: u32,
    pub(super) bit: Line,
    /// The sort of addresses.
    pub(super) at: Line,
    pub(super) word: Line,
    pub(super) memory: Line,
}

impl System {
    /// Begins a system with addresses of this many bits.
    pub(super) fn new(index: u32) -> Self {
        let none = Line(0);
        let mut new = Self { text: String::new(), last: 0, bit: none, at: none, word: none, memory: none };
        new.bit = new.line("sort bitvec 1");
        new.at = new.line(&format!("sort bitvec {index}"));
        new.word = new.line(&format!("sort bitvec {WORD}"));
        new.memory = new.line(&format!("sort array {} {}", new.at, new.word));
        new
    }

    pub(super) fn line(&mut self, text: &str) -> Line {
        self.last += 1;
        writeln!(self.text, "{} {text}", self.last).expect("a string can be written to");
        Line(self.last)
    }

    pub(super) fn input(&mut self, sort: Line) -> Line {
        self.line(&format!("input {sort}"))
    }

    /// A state that may have any value at first.
    pub(super) fn any(&mut self, sort: Line) -> Line {
        self.line(&format!("state {sort}"))
    }

    /// A state that is zero at first. All words of a memory are.
    pub(super) fn zero(&mut self, sort: Line) -> Line {
        let of = if sort == self.memory { self.word } else { sort };
        let first = self.number(of, 0);
        let state = self.any(sort);
        self.line(&format!("init {sort} {state} {first}"));
        state
    }

    pub(super) fn number(&mut self, sort: Line, value: u64) -> Line {
        self.line(&format!("constd {sort} {value}"))
    }

    pub(super) fn op(&mut self, op: &str, sort: Line, operands: &[Line]) -> Line {
        let operands: String = operands.iter().map(|operand| format!(" {operand}")).collect();
        self.line(&format!("{op} {sort}{operands}"))
    }

    pub(super) fn both(&mut self, a: Line, b: Line) -> Line {
        self.op("and", self.bit, &[a, b])
    }

    pub(super) fn either(&mut self, a: Line, b: Line) -> Line {
        self.op("or", self.bit, &[a, b])
    }

    pub(super) fn not(&mut self, a: Line) -> Line {
        self.op("not", self.bit, &[a])
    }

    pub(super) fn equal(&mut self, a: Line, b: Line) -> Line {
        self.op("eq", self.bit, &[a, b])
    }

    pub(super) fn differ(&mut self, a: Line, b: Line) -> Line {
        self.op("neq", self.bit, &[a, b])
    }

    pub(super) fn read(&mut self, memory: Line, at: Line) -> Line {
        self.op("read", self.word, &[memory, at])
    }

    pub(super) fn choose(&mut self, sort: Line, condition: Line, yes: Line, no: Line) -> Line {
        self.op("ite", sort, &[condition, yes, no])
    }

    /// The memory after a word is written, if the condition holds.
    pub(super) fn written(&mut self, condition: Line, memory: Line, at: Line, word: Line) -> Line {
        let written = self.op("write", self.memory, &[memory, at, word]);
        self.choose(self.memory, condition, written, memory)
    }

    pub(super) fn next(&mut self, sort: Line, state: Line, next: Line) {
        self.line(&format!("next {sort} {state} {next}"));
    }

    /// A state that gets a value if the condition holds, and else keeps its own.
    pub(super) fn set(&mut self, sort: Line, state: Line, condition: Line, value: Line) {
        let next = self.choose(sort, condition, value, state);
        self.next(sort, state, next);
    }

    pub(super) fn plus_one(&mut self, sort: Line, of: Line) -> Line {
        let one = self.number(sort, 1);
        self.op("add", sort, &[of, one])
    }

    /// Remembers one word that is put into the memory, with its place, and compares it when it is taken from there.
    /// Ends the system.
    pub(super) fn remembering(
        mut self,
        memory: Line,
        (puts, put_at, word): (Line, Line, Line),
        (takes, take_at): (Line, Line),
    ) -> Self {
        let keeps = self.input(self.bit);
        let (is_kept, place, kept) = (self.zero(self.bit), self.any(self.at), self.any(self.word));
        let is_free = self.not(is_kept);
        let may_keep = self.both(keeps, is_free);
        let begins = self.both(puts, may_keep);
        let is_it = self.equal(take_at, place);
        let leaves = self.both(takes, is_it);
        let is_left = self.not(leaves);
        let stays = self.both(is_kept, is_left);
        let next_kept = self.either(begins, stays);
        self.next(self.bit, is_kept, next_kept);
        for (sort, state, value) in [(self.at, place, put_at), (self.word, kept, word)] {
            self.set(sort, state, begins, value);
        }
        let got = self.read(memory, take_at);
        let differs = self.differ(got, kept);
        let is_taken = self.both(leaves, is_kept);
        let bad = self.both(is_taken, differs);
        self.never(bad)
    }

    pub(super) fn never(mut self, bad: Line) -> Self {
        self.line(&format!("bad {bad}"));
        self
    }

    /// Returns the text.
    pub(super) fn end(self) -> String {
        self.text
    }
}
