//! Literal interpreter of `.tts` and `.prop` text: the input language of BFC and the states of
//! thread-transition systems, from A. Kaiser, D. Kroening, T. Wahl: Efficient coverability analysis by proof
//! minimization, CONCUR 2012.
//!
//! A state is a shared state and a list of threads with their local states. Steps move threads one by one. The
//! paper does not define `~>` in the place of the arrow; the reference for it is docs/tts.md.

use super::{Literal, Marking};
use std::collections::BTreeSet;

#[derive(Debug)]
struct Line {
    from: (usize, usize),
    arrow: String,
    to: (usize, usize),
    passive: Vec<(usize, usize)>,
}

/// A file, its target, and the initial state from the command line.
#[derive(Debug)]
pub(crate) struct Threads {
    shared: usize,
    locals: usize,
    lines: Vec<Line>,
    /// The shared state and the local state of each thread. Nonexistent states may occur.
    target: Option<(usize, Vec<usize>)>,
    initial: (usize, Vec<usize>, Vec<usize>),
}

/// Returns the nonempty lines, without comments.
fn lines(text: &[u8]) -> Vec<String> {
    let visible = |line: &[u8]| line.split(|b| *b == b'#').next().unwrap_or_default().to_vec();
    let all = text.split(|b| *b == b'\n').map(visible);
    let all = all.map(|line| String::from_utf8(line).expect("ASCII outside of comments"));
    all.filter(|line| !line.trim().is_empty()).collect()
}

fn list(text: &str) -> Vec<usize> {
    text.split(',').map(str::trim).filter(|n| !n.is_empty()).map(number).collect()
}

fn number(text: &str) -> usize {
    text.parse().expect("a number")
}

fn state(line: &str) -> Option<(usize, Vec<usize>)> {
    let (shared, threads) = line.split_once(['|', 'B'])?;
    Some((number(shared.trim()), list(threads)))
}

/// Reads `s|l,../l,..`.
fn init(text: &str) -> (usize, Vec<usize>, Vec<usize>) {
    let (single, any) = text.split_once(['/', 'U']).unwrap_or((text, ""));
    let (shared, single) = single.split_once(['|', 'B']).unwrap_or((single, ""));
    (number(shared.trim()), list(single), list(any))
}

impl Threads {
    pub(crate) fn read(text: &[u8], prop: Option<&[u8]>, initial: Option<&str>) -> Self {
        let mut system = Self { shared: 0, locals: 0, lines: Vec::new(), target: None, initial: init("0/0") };
        let mut sizes = Vec::new();
        for line in lines(text) {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let Some(target) = state(&line) {
                system.target = Some(target);
            } else if sizes.len() < 2 {
                sizes.extend(words.iter().map(|w| number(w)));
            } else {
                let passive = words[5..].chunks(3).map(|move_| (number(move_[0]), number(move_[2]))).collect();
                let [s, l, to_s, to_l] = [0, 1, 3, 4].map(|i| number(words[i]));
                system.lines.push(Line { from: (s, l), arrow: words[2].to_owned(), to: (to_s, to_l), passive });
            }
        }
        (system.shared, system.locals) = (sizes[0], sizes[1]);
        // Lines without effect are ignored.
        system.lines.retain(|line| line.from != line.to || line.arrow == "+>");
        if let Some(prop) = prop {
            system.target = lines(prop).first().and_then(|line| state(line));
        }
        if let Some(initial) = initial {
            system.initial = init(initial);
        }
        system
    }

    /// Returns the shared state of a marking and the local state of each thread.
    fn threads(&self, m: &[i128]) -> (usize, Vec<usize>) {
        let shared = (0..self.shared).find(|s| m[*s] == 1).expect("a shared state");
        let of = |l: usize| std::iter::repeat_n(l, usize::try_from(m[self.shared + l]).expect("small"));
        (shared, (0..self.locals).flat_map(of).collect())
    }

    fn marking(&self, shared: usize, threads: &[usize]) -> Marking {
        let mut m = vec![0; self.shared + self.locals];
        m[shared] = 1;
        threads.iter().for_each(|l| m[self.shared + l] += 1);
        m
    }
}

impl Line {
    /// Returns the possible lists of threads after thread `active` takes the line.
    fn fire(&self, active: usize, threads: &[usize]) -> Vec<Vec<usize>> {
        let mut all = vec![Vec::new()];
        for (number, &local) in threads.iter().enumerate() {
            let goes = |l: &usize| match self.arrow.as_str() {
                "~>" => vec![if *l == self.from.1 { self.to.1 } else { *l }],
                "->" if number == active => vec![self.to.1],
                "->" => match self.passive.iter().filter(|(a, _)| a == l).map(|(_, b)| *b).collect::<Vec<_>>() {
                    none if none.is_empty() => vec![*l],
                    some => some,
                },
                _ => vec![*l],
            };
            let choices = goes(&local);
            let with = |before: &Vec<usize>, l: usize| before.iter().copied().chain([l]).collect::<Vec<_>>();
            let longer: BTreeSet<Vec<usize>> =
                all.iter().flat_map(|before| choices.iter().map(move |l| with(before, *l))).collect();
            all = longer.into_iter().collect();
        }
        if self.arrow == "+>" {
            all.iter_mut().for_each(|threads| threads.push(self.to.1));
        }
        all
    }
}

impl Literal for Threads {
    fn starts(&self) -> Vec<(i128, Option<i128>)> {
        let (shared, single, any) = &self.initial;
        let m = self.marking(*shared, single);
        let most = |(place, n): (usize, &i128)| {
            let open = place >= self.shared && any.contains(&(place - self.shared));
            (*n, (!open).then_some(*n))
        };
        m.iter().enumerate().map(most).collect()
    }

    fn steps(&self) -> usize {
        self.lines.len()
    }

    fn successors(&self, step: usize, m: &[i128]) -> Vec<Marking> {
        let line = &self.lines[step];
        let (shared, threads) = self.threads(m);
        if shared != line.from.0 {
            return Vec::new();
        }
        // Threads in the same local state are interchangeable, so the first of them suffices.
        let Some(active) = threads.iter().position(|l| *l == line.from.1) else { return Vec::new() };
        let after: BTreeSet<Marking> =
            line.fire(active, &threads).iter().map(|threads| self.marking(line.to.0, threads)).collect();
        after.into_iter().collect()
    }

    fn is_target(&self, m: &[i128]) -> bool {
        let Some((shared, asked)) = &self.target else { return false };
        let (now, mut threads) = self.threads(m);
        let mut take = |l: &usize| threads.iter().position(|t| t == l).map(|i| threads.swap_remove(i)).is_some();
        *shared == now && asked.iter().all(&mut take)
    }

    fn counted(&self, m: &[i128]) -> i128 {
        m[self.shared..].iter().sum()
    }
}
