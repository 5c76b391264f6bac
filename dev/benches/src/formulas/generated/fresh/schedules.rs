//! Schedules: shops, tournaments, courses.

use super::super::formula::{Formula, Lit};
use super::colourings::pairs;
use model::cnf::Cnf;
use testkit::Random;

/// A random shop: each job has one operation on each machine.
#[derive(Clone, Copy)]
pub(super) struct Shop {
    pub(super) jobs: usize,
    pub(super) machines: usize,
    /// The longest possible operation.
    pub(super) longest: usize,
    /// True if the operations of a job may have any order.
    pub(super) open: bool,
    pub(super) seed: u64,
}

struct Operation {
    job: usize,
    machine: usize,
    length: usize,
}

impl Shop {
    /// Returns the operations, those of each job in their order.
    fn operations(self) -> Vec<Operation> {
        let mut rng = Random::new(self.seed);
        let mut all = Vec::new();
        for job in 0..self.jobs {
            for machine in rng.sample(self.machines, self.machines) {
                all.push(Operation { job, machine, length: rng.between(1, self.longest) });
            }
        }
        all
    }

    /// Returns pairs of operations that must not overlap. The value is true if the first must come first.
    fn conflicts(self, all: &[Operation]) -> Vec<(usize, usize, bool)> {
        let conflict = |(a, b): (usize, usize)| {
            let (one, two) = (&all[a], &all[b]);
            let fixed = one.job == two.job && !self.open;
            let needed = if fixed { a + 1 == b } else { one.job == two.job || one.machine == two.machine };
            needed.then_some((a, b, fixed))
        };
        pairs(all.len()).into_iter().filter_map(conflict).collect()
    }

    /// A schedule that ends at `horizon`, with order-coded starts.
    pub(super) fn ordered(self, horizon: usize) -> Cnf {
        let all = self.operations();
        let mut formula = Formula::default();
        let start: Vec<Vec<Lit>> = all.iter().map(|o| formula.ordered(horizon - o.length)).collect();
        for (a, b, fixed) in self.conflicts(&all) {
            if fixed {
                formula.ordered_before(&[], &start[a], all[a].length, &start[b]);
            } else {
                let first = formula.var();
                formula.ordered_before(&[first], &start[a], all[a].length, &start[b]);
                formula.ordered_before(&[-first], &start[b], all[b].length, &start[a]);
            }
        }
        formula.finish()
    }

    /// A schedule that ends at `horizon`, with starts and ends as binary numbers.
    pub(super) fn binary(self, horizon: usize) -> Cnf {
        let all = self.operations();
        let mut formula = Formula::default();
        let width = (2 * horizon).ilog2() as usize + 1;
        let last = formula.word(horizon as u64, width);
        let mut times = Vec::new();
        for operation in &all {
            let start = formula.vars(width);
            formula.clause(&[-start[width - 1]]);
            let length = formula.word(operation.length as u64, width);
            let end = formula.sum(&start, &length);
            let fits = formula.is_at_most(&end, &last);
            formula.clause(&[fits]);
            times.push((start, end));
        }
        for (a, b, fixed) in self.conflicts(&all) {
            let before = formula.is_at_most(&times[a].1, &times[b].0);
            let after = if fixed { before } else { formula.is_at_most(&times[b].1, &times[a].0) };
            formula.clause(&[before, after]);
        }
        formula.finish()
    }
}

/// A tournament in which each two of `teams` teams meet once, at the place of one of them, in `teams` - 1 weeks.
/// At most `breaks` times a team stays at home or away for a second week. At least `teams` - 2 breaks are needed,
/// and suffice (de Werra 1981).
pub(super) fn tournament(teams: usize, breaks: usize) -> Cnf {
    let mut formula = Formula::default();
    let weeks = teams - 1;
    let home = formula.grid(teams, weeks);
    let games = pairs(teams);
    let plays = formula.grid(games.len(), weeks);
    for (game, &(a, b)) in games.iter().enumerate() {
        formula.exactly_one(&plays[game]);
        for week in 0..weeks {
            formula.implies(&[plays[game][week], home[a][week]], &[-home[b][week]]);
            formula.implies(&[plays[game][week], -home[a][week]], &[home[b][week]]);
        }
    }
    for team in 0..teams {
        for week in 0..weeks {
            let own = games.iter().zip(&plays).filter(|((a, b), _)| team == *a || team == *b);
            let lits: Vec<Lit> = own.map(|(_, weeks)| weeks[week]).collect();
            formula.exactly_one(&lits);
        }
    }
    // Weeks of team 0 are fixed, because the names of the other teams do not matter.
    for (game, &(a, b)) in games.iter().enumerate().filter(|(_, (a, _))| *a == 0) {
        formula.clause(&[plays[game][b - 1 - a]]);
    }
    let mut repeated = Vec::new();
    for team in &home {
        for two in team.windows(2) {
            repeated.push(-formula.xor(two[0], two[1]));
        }
    }
    formula.at_most(&repeated, breaks);
    formula.finish()
}

/// A timetable: `courses` courses, each in one of `slots` slots, at most `rooms` at the same time. `percent` percent of
/// the pairs of courses have common students and must not be at the same time. If `planted`, such pairs are
/// only chosen among courses that are apart in some timetable.
pub(super) fn timetable(courses: usize, slots: usize, percent: usize, planted: bool, seed: u64) -> Cnf {
    let mut rng = Random::new(seed);
    let mut formula = Formula::default();
    let at = formula.grid(courses, slots);
    at.iter().for_each(|own| formula.exactly_one(own));
    let hidden = rng.sample(courses, courses);
    for (a, b) in pairs(courses) {
        if rng.chance(percent) && !(planted && hidden[a] % slots == hidden[b] % slots) {
            (0..slots).for_each(|slot| formula.clause(&[-at[a][slot], -at[b][slot]]));
        }
    }
    for slot in 0..slots {
        let own: Vec<Lit> = at.iter().map(|own| own[slot]).collect();
        formula.at_most(&own, courses.div_ceil(slots));
    }
    formula.finish()
}
