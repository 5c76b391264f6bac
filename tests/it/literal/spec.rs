//! Literal interpreter of `.spec` text: the grammar and the firing rule of mist (Ganty, Van Begin), from its
//! parser.
//!
//! A file is a list of words in consecutive sections. A rule fires if its guards hold and no new value is
//! negative. All new values are computed from the old ones. A variable that `init` does not name may have any
//! initial value.

use super::{Atom, Literal, Marking};
use std::collections::BTreeMap;

#[derive(Debug)]
struct Rule {
    guards: Vec<Atom>,
    /// The variable, the variables that are added up, and a constant.
    updates: Vec<(usize, Vec<usize>, i128)>,
}

/// A file.
#[derive(Debug)]
pub(crate) struct Spec {
    variables: usize,
    rules: Vec<Rule>,
    initial: BTreeMap<usize, (i128, Option<i128>)>,
    target: Vec<Vec<Atom>>,
}

/// Returns the words, numbers and signs of a text without its comments.
fn words(text: &[u8]) -> Vec<String> {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let (mut words, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let start = at;
        at += 1;
        match text[start] {
            b'#' => at += text[at..].iter().take_while(|b| **b != b'\n').count(),
            b' ' | b'\t' | b'\n' | b'\r' => continue,
            b if is_word(b) => at += text[at..].iter().take_while(|b| is_word(**b)).count(),
            b'>' | b'-'
                if text.get(at).is_some_and(|next| matches!((text[start], next), (b'>', b'=') | (b'-', b'>'))) =>
            {
                at += 1;
            }
            _ => {}
        }
        if text[start] != b'#' {
            words.push(String::from_utf8(text[start..at].to_vec()).expect("words are ASCII"));
        }
    }
    words
}

struct Reader {
    words: Vec<String>,
    at: usize,
    variables: Vec<String>,
}

impl Reader {
    fn peek(&self) -> &str {
        self.words.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.words[self.at - 1].clone()
    }

    fn skip(&mut self, word: &str) {
        let found = self.next();
        assert_eq!(found, word, "word {} of {:?}", self.at, self.words);
    }

    fn eats(&mut self, word: &str) -> bool {
        let found = self.peek() == word;
        self.at += usize::from(found);
        found
    }

    fn number(&mut self) -> i128 {
        self.next().parse().expect("a number")
    }

    fn variable(&mut self) -> usize {
        let name = self.next();
        self.variables.iter().position(|v| *v == name).expect("a variable")
    }

    fn atom(&mut self) -> Atom {
        let place = self.variable();
        match self.next().as_str() {
            "=" => {
                let n = self.number();
                Atom { place, least: n, most: Some(n) }
            }
            ">=" => Atom { place, least: self.number(), most: None },
            _ => {
                self.skip("[");
                let least = self.number();
                self.skip(",");
                let most = Some(self.number());
                self.skip("]");
                Atom { place, least, most }
            }
        }
    }

    fn conjunction(&mut self) -> Vec<Atom> {
        let mut atoms = vec![self.atom()];
        while self.eats(",") {
            atoms.push(self.atom());
        }
        atoms
    }

    fn rule(&mut self) -> Rule {
        let mut rule = Rule { guards: Vec::new(), updates: Vec::new() };
        while !self.eats("->") {
            if !self.eats("true") {
                let atom = self.atom();
                rule.guards.push(atom);
            }
            self.eats(",");
        }
        while !self.eats(";") {
            let place = self.variable();
            self.skip("'");
            self.skip("=");
            let (mut sources, mut constant, mut sign) = (Vec::new(), 0, 1);
            loop {
                match self.peek().as_bytes()[0].is_ascii_digit() {
                    true => constant += sign * self.number(),
                    false => sources.push(self.variable()),
                }
                sign = match self.peek() {
                    "+" => 1,
                    "-" => -1,
                    _ => break,
                };
                self.at += 1;
            }
            rule.updates.push((place, sources, constant));
            self.eats(",");
        }
        rule
    }
}

impl Spec {
    pub(crate) fn read(text: &[u8]) -> Self {
        let mut reader = Reader { words: words(text), at: 0, variables: Vec::new() };
        reader.skip("vars");
        while reader.peek() != "rules" {
            let name = reader.next();
            reader.variables.push(name);
        }
        reader.skip("rules");
        let mut rules = Vec::new();
        while reader.peek() != "init" {
            rules.push(reader.rule());
        }
        reader.skip("init");
        let mut initial = BTreeMap::new();
        while !reader.eats("target") {
            let atom = reader.atom();
            initial.insert(atom.place, (atom.least, atom.most));
            reader.eats(",");
        }
        let mut target = Vec::new();
        while !matches!(reader.peek(), "" | "invariants") {
            target.push(reader.conjunction());
        }
        Self { variables: reader.variables.len(), rules, initial, target }
    }
}

impl Literal for Spec {
    fn starts(&self) -> Vec<(i128, Option<i128>)> {
        (0..self.variables).map(|v| self.initial.get(&v).copied().unwrap_or((0, None))).collect()
    }

    fn steps(&self) -> usize {
        self.rules.len()
    }

    fn successors(&self, step: usize, m: &[i128]) -> Vec<Marking> {
        let rule = &self.rules[step];
        if !rule.guards.iter().all(|atom| atom.holds(m)) {
            return Vec::new();
        }
        let mut after = m.to_vec();
        for (place, sources, constant) in &rule.updates {
            after[*place] = sources.iter().map(|s| m[*s]).sum::<i128>() + constant;
        }
        if after.iter().all(|n| *n >= 0) { vec![after] } else { Vec::new() }
    }

    fn is_target(&self, m: &[i128]) -> bool {
        self.target.iter().any(|all| all.iter().all(|atom| atom.holds(m)))
    }

    fn counted(&self, m: &[i128]) -> i128 {
        m.iter().sum()
    }
}
