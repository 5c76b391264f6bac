//! Bounded model checking of small machines: mutual exclusion, a lift, a processor.

use super::super::formula::{Formula, Lit};
use model::cnf::Cnf;

/// The lock of Peterson (1981) for `processes` processes, which is a filter of `processes` - 1 levels. Two processes
/// are inside within `steps` steps of single processes. The processes write their level before they
/// register as the last one of the level. If `swapped`, they register first, which is wrong.
pub(super) fn filter_lock(processes: usize, steps: usize, swapped: bool) -> Cnf {
    // Each level has three places: before the first write, before the second write, and waiting.
    const PLACES: usize = 3;
    let levels = processes - 1;
    let inside = PLACES * levels;
    let mut formula = Formula::default();
    let (yes, no) = (formula.constant(true), formula.constant(false));
    let first = |n: usize| (0..n).map(|i| if i == 0 { yes } else { no }).collect::<Vec<Lit>>();
    let mut at = vec![first(inside + 1); processes];
    let mut last = vec![first(processes); levels];
    let mut bad = Vec::new();
    for _ in 0..steps {
        let turn = formula.vars(processes);
        formula.exactly_one(&turn);
        // Literal l of a process: its published level is at least l + 1.
        let from = |level: usize| PLACES * level + 1 + usize::from(swapped);
        let publish = |own: &Vec<Lit>| (0..levels).map(|l| formula.any(&own[from(l)..])).collect();
        let published: Vec<Vec<Lit>> = at.iter().map(publish).collect();
        let mut next = at.clone();
        for process in 0..processes {
            let own = &at[process];
            let mut waits = Vec::new();
            for level in 0..levels {
                let others: Vec<Lit> = (0..processes).filter(|&p| p != process).map(|p| published[p][level]).collect();
                let crowded = formula.any(&others);
                waits.push(formula.all(&[own[PLACES * level + 2], crowded, last[level][process]]));
            }
            let waits = formula.any(&waits);
            let moves = formula.and(turn[process], -waits);
            for place in 0..=inside {
                let before = if place == 0 { inside } else { place - 1 };
                next[process][place] = formula.choose(moves, own[before], own[place]);
            }
        }
        for (level, own) in last.iter_mut().enumerate() {
            let registers = PLACES * level + usize::from(!swapped);
            let now: Vec<Lit> = (0..processes).map(|p| formula.and(turn[p], at[p][registers])).collect();
            let written = formula.any(&now);
            *own = formula.choose_word(written, &now, own);
        }
        at = next;
        for b in 0..processes {
            (0..b).for_each(|a| bad.push(formula.and(at[a][inside], at[b][inside])));
        }
    }
    formula.clause(&bad);
    formula.finish()
}

/// A lift between `floors` floors. It goes on in its direction as long as there are calls ahead, then turns.
/// New calls come at any time, except at the floor that is served. From some state, a call is not served within `steps`
/// steps.
pub(super) fn lift(floors: usize, steps: usize) -> Cnf {
    let mut formula = Formula::default();
    let no = formula.constant(false);
    let (mut at, mut up, mut calls) = (formula.vars(floors), formula.var(), formula.vars(floors));
    let waiting = formula.vars(floors);
    formula.exactly_one(&at);
    formula.exactly_one(&waiting);
    (0..floors).for_each(|f| formula.implies(&[waiting[f]], &[calls[f]]));
    for _ in 0..steps {
        let here: Vec<Lit> = (0..floors).map(|f| formula.and(at[f], calls[f])).collect();
        (0..floors).for_each(|f| formula.clause(&[-waiting[f], -here[f]]));
        let serves = formula.any(&here);
        let beyond = |formula: &mut Formula, upwards: bool| {
            let mut found = Vec::new();
            for f in 0..floors {
                let range = if upwards { f + 1..floors } else { 0..f };
                let some = formula.any(&calls[range]);
                found.push(formula.and(at[f], some));
            }
            formula.any(&found)
        };
        let (above, below) = (beyond(&mut formula, true), beyond(&mut formula, false));
        let going_up = formula.choose(up, above, -below);
        let idle = -formula.or(above, below);
        let direction = formula.choose(idle, up, going_up);
        let stays = formula.or(serves, idle);
        up = formula.choose(serves, up, direction);
        let moved: Vec<Lit> = (0..floors)
            .map(|f| {
                let from_below = f.checked_sub(1).map_or(no, |g| at[g]);
                let from_above = at.get(f + 1).copied().unwrap_or(no);
                formula.choose(direction, from_below, from_above)
            })
            .collect();
        let fresh = formula.vars(floors);
        calls = (0..floors)
            .map(|f| {
                // A floor that is served now is called again at the next step at the earliest.
                let called = formula.or(calls[f], fresh[f]);
                formula.and(called, -here[f])
            })
            .collect();
        at = formula.choose_word(stays, &at, &moved);
    }
    formula.finish()
}

/// A processor with registers of `bits` bits.
#[derive(Clone, Copy)]
pub(super) struct Processor {
    /// Logarithm of the number of registers.
    pub(super) address: usize,
    pub(super) bits: usize,
    /// Instructions that have a result which is not yet in its register.
    pub(super) stages: usize,
}

impl Processor {
    /// Two processors run the same program of `length` instructions of any kind from the same registers: one without
    /// pipeline, and one with a pipeline that forwards results. Their registers differ at the end. If `stale`, the
    /// pipeline prefers the older one of two results, else the formula is unsatisfiable.
    pub(super) fn differs(self, length: usize, stale: bool) -> Cnf {
        let mut formula = Formula::default();
        let mut plain = formula.grid(1 << self.address, self.bits);
        let mut piped = plain.clone();
        // Results under way, the newest first, each with its one-hot target.
        let mut pending: Vec<(Vec<Lit>, Vec<Lit>)> = Vec::new();
        for _ in 0..length {
            let operation = formula.vars(2);
            let [target, left, right] = [(); 3].map(|()| self.decoded(&mut formula));
            let operands = [&left, &right].map(|source| selected(&mut formula, source, &plain));
            let result = computed(&mut formula, &operation, &operands);
            written(&mut formula, &target, &result, &mut plain);
            let operands = [&left, &right].map(|source| {
                let mut value = selected(&mut formula, source, &piped);
                let newest_last: Vec<&(Vec<Lit>, Vec<Lit>)> =
                    if stale { pending.iter().collect() } else { pending.iter().rev().collect() };
                for (target, result) in newest_last {
                    let same: Vec<Lit> = target.iter().zip(source).map(|(&a, &b)| formula.and(a, b)).collect();
                    let same = formula.any(&same);
                    value = formula.choose_word(same, result, &value);
                }
                value
            });
            let result = computed(&mut formula, &operation, &operands);
            pending.insert(0, (target, result));
            if pending.len() > self.stages {
                self.retire(&mut formula, &mut pending, &mut piped);
            }
        }
        while !pending.is_empty() {
            self.retire(&mut formula, &mut pending, &mut piped);
        }
        formula.differ(&plain.concat(), &piped.concat());
        formula.finish()
    }

    fn retire(self, formula: &mut Formula, pending: &mut Vec<(Vec<Lit>, Vec<Lit>)>, registers: &mut [Vec<Lit>]) {
        if let Some((target, result)) = pending.pop() {
            written(formula, &target, &result, registers);
        }
    }

    /// Returns any address, as one-hot literals.
    fn decoded(self, formula: &mut Formula) -> Vec<Lit> {
        let address = formula.vars(self.address);
        let line = |formula: &mut Formula, number: usize| {
            let bits: Vec<Lit> =
                address.iter().enumerate().map(|(i, &l)| if number >> i & 1 == 1 { l } else { -l }).collect();
            formula.all(&bits)
        };
        (0..1 << self.address).map(|number| line(formula, number)).collect()
    }
}

fn selected(formula: &mut Formula, source: &[Lit], registers: &[Vec<Lit>]) -> Vec<Lit> {
    let mut word = Vec::new();
    for bit in 0..registers[0].len() {
        let parts: Vec<Lit> = source.iter().zip(registers).map(|(&s, r)| formula.and(s, r[bit])).collect();
        word.push(formula.any(&parts));
    }
    word
}

fn written(formula: &mut Formula, target: &[Lit], result: &[Lit], registers: &mut [Vec<Lit>]) {
    for (&here, register) in target.iter().zip(registers) {
        *register = formula.choose_word(here, result, register);
    }
}

/// Returns the sum, the exclusive or, the conjunction, or the left operand turned by one bit.
fn computed(formula: &mut Formula, operation: &[Lit], [a, b]: &[Vec<Lit>; 2]) -> Vec<Lit> {
    let sum = formula.sum(a, b);
    let odd = formula.xor_words(a, b);
    let both: Vec<Lit> = a.iter().zip(b).map(|(&x, &y)| formula.and(x, y)).collect();
    let mut turned = a.clone();
    turned.rotate_right(1);
    let one = formula.choose_word(operation[0], &sum, &odd);
    let two = formula.choose_word(operation[0], &both, &turned);
    formula.choose_word(operation[1], &one, &two)
}
