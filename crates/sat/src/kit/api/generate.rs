//! Generates random traces. Most traces are small. They contain formulas of several kinds near the threshold
//! between satisfiable and unsatisfiable, random options, and random habits of a theory (`lazy.rs`).
//!
//! Uniform random clauses seldom contain the patterns that inprocessing uses. Therefore some clauses are made
//! from earlier ones: copies, supersets, clauses that resolve with them, equivalences and definitions.

use super::bodies::body;
use super::knobs;
use super::lazy::{Habit, TheoryHabits};
use super::listener::Rigor;
use super::op::{Kind, Name, Op, Trace};
use super::ops::{Draw, Row, TABLE};
use crate::rng::Rng;

impl Trace {
    /// The trace with this seed.
    #[must_use]
    pub fn random(seed: u64) -> Self {
        let mut rng = Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5EED);
        let settings = settings(&mut rng);
        let rigor = Rigor::ALL[[0, 1, 2, 2][rng.below(4)]].0;
        let temper = TheoryHabits(Habit::ALL.map(|(_, _, numbers)| pick(&mut rng, numbers)));
        let mut generator = Generator::new(rng);
        generator.draw();
        let mut trace = Self { settings, rigor, temper, ops: generator.ops };
        trace.tidy();
        trace
    }
}

fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.below(from.len())]
}

fn settings(rng: &mut Rng) -> Vec<(String, String)> {
    let one_in = pick(rng, &[1, 1, 2, 4]);
    let mut settings = Vec::new();
    for knob in knobs::TABLE {
        if rng.chance(one_in) {
            settings.push((knob.name.to_owned(), pick(rng, knob.values).to_owned()));
        }
    }
    if rng.chance(3) {
        busy(&mut settings);
    }
    settings
}

/// Sets the options so that inprocessing and restarts run as often as possible.
fn busy(settings: &mut Vec<(String, String)>) {
    let value = |name: &str| match name {
        "restarts" => Some("true"),
        "restart_margin" => Some("0.5"),
        "restart_interval" | "restart_reluctant" | "inprocess_interval" => Some("1"),
        name => name.ends_with("_effort").then_some("100"),
    };
    settings.retain(|(name, _)| value(name).is_none());
    let pairs = knobs::TABLE.iter().filter_map(|knob| Some((knob.name.to_owned(), value(knob.name)?.to_owned())));
    settings.extend(pairs);
}

struct Generator {
    rng: Rng,
    ops: Vec<Op>,
    /// True if the trace begins with a formula from `bodies`.
    has_body: bool,
    /// Number of variables declared so far: 1 to `vars`.
    vars: usize,
    /// Number of operations in the trace. Clauses that follow each other count as one operation.
    steps: usize,
    /// The largest number of clauses that follow each other.
    burst: usize,
    /// Usual clause length.
    width: usize,
    /// One clause in `derived` is made from earlier clauses. 0: no clause is.
    derived: usize,
    /// One clause in `aimed` is made for the last assumptions (`aimed_clause`).
    aimed: usize,
    /// A planted model, as one bit for each variable, or `None`. Nearly all permanent clauses are true in this
    /// model.
    planted: Option<u64>,
    /// Number of open scopes.
    scopes: usize,
    clauses: Vec<Vec<Name>>,
    /// Assumptions of the last query.
    assumed: Vec<Name>,
    /// Operations that this trace does not use.
    without: Vec<Kind>,
}

impl Generator {
    fn new(mut rng: Rng) -> Self {
        let vars = match rng.below(20) {
            0..7 => 2 + rng.below(6),
            7..12 => 6 + rng.below(10),
            12..16 => 15 + rng.below(20),
            _ => 35 + rng.below(30),
        };
        let mut without = Vec::new();
        if rng.chance(2) {
            without.push(Kind::TheoryVar);
        }
        if rng.chance(3) {
            without.extend([Kind::Hidden, Kind::TheoryVar]);
        }
        if rng.chance(3) {
            without.extend([Kind::Push, Kind::Pop]);
        }
        if rng.chance(4) {
            without.extend([Kind::SolveWith, Kind::TryWith, Kind::Raised, Kind::Hidden]);
        } else if rng.chance(4) {
            without.push(Kind::Solve);
        }
        let has_body = vars > 6 && !rng.chance(1 + vars / 6);
        let most = if has_body { 2 } else { pick(&mut rng, &[2, 2, 5, 5]) * vars };
        for kinds in [
            &[Kind::Temporary, Kind::DropTemporaries][..],
            &[Kind::Removable, Kind::Remove],
            &[Kind::Domain, Kind::SolveIn],
            &[Kind::Flip],
            &[Kind::MinimizeCore],
        ] {
            if rng.chance(2) {
                without.extend_from_slice(kinds);
            }
        }
        Self {
            steps: 4 + rng.below(40),
            burst: 1 + rng.below(most),
            width: pick(&mut rng, &[2, 3, 3, 3, 4]),
            derived: pick(&mut rng, &[0, 2, 5]),
            aimed: pick(&mut rng, &[2, 4, 10]),
            planted: (!rng.chance(4)).then(|| rng.next()),
            scopes: 0,
            rng,
            ops: Vec::new(),
            has_body,
            vars,
            clauses: Vec::new(),
            assumed: Vec::new(),
            without,
        }
    }

    fn draw(&mut self) {
        let names = (1..=self.vars as i32).map(Name).collect();
        self.ops.push(Op { kind: Kind::HostVar, number: 0, names });
        if self.has_body {
            self.body();
        }
        for _ in 0..self.steps {
            let row = self.row();
            if row.draw == Draw::Clause {
                for _ in 0..1 + self.rng.below(self.burst) {
                    let names = self.clause();
                    self.push_clause(row, names);
                }
                continue;
            }
            let names = match row.draw {
                Draw::Nothing | Draw::Clause => Vec::new(),
                Draw::Implied => self.implied_clause(),
                Draw::Half => self.half(),
                Draw::Declares => {
                    self.vars += 1;
                    vec![Name(self.vars as i32)]
                }
                Draw::Few(most) => self.assumptions(most),
            };
            self.push(row, names);
            self.follow(row.kind);
        }
        let last = if self.without.contains(&Kind::SolveWith) { Kind::Solve } else { Kind::SolveWith };
        self.push(last.row(), Vec::new());
    }

    /// Draws assumptions. They often begin with a prefix of the last assumptions, so that the solver keeps a
    /// part of the trail.
    fn assumptions(&mut self, most: usize) -> Vec<Name> {
        let mut names = std::mem::take(&mut self.assumed);
        match self.rng.below(4) {
            0 | 1 => names.truncate(self.rng.below(names.len() + 1)),
            2 => {}
            _ => names.clear(),
        }
        for _ in 0..self.rng.below(most + 1).min(self.rng.below(most + 1)) {
            names.push(self.name());
        }
        names.truncate(2 * most);
        self.assumed = names.clone();
        names
    }

    /// Adds a formula from `bodies`. It is added permanently or in a scope, in which a refutation does not
    /// refute the rest of the trace. Some of its clauses may be hidden in the theory.
    fn body(&mut self) {
        let hidden = if self.without.contains(&Kind::Hidden) { 0 } else { pick(&mut self.rng, &[0, 0, 3, 9]) };
        if !self.without.contains(&Kind::Push) && !self.rng.chance(3) {
            self.push(Kind::Push.row(), Vec::new());
        }
        for clause in body(&mut self.rng, self.vars) {
            let kind = if self.rng.below(10) < hidden { Kind::Hidden } else { Kind::Clause };
            self.push_clause(kind.row(), clause);
        }
    }

    /// Adds operations that are meaningful only right after a query without theory. These are questions about
    /// the answer, or clauses that are added and removed while the trail is kept, followed by a similar query
    /// that keeps part of the trail.
    fn follow(&mut self, kind: Kind) {
        if !matches!(kind, Kind::Solve | Kind::SolveWithin | Kind::TryWithin | Kind::SolveIn) {
            return;
        }
        if self.rng.chance(3) {
            let names = self.half();
            self.push_if_wanted(Kind::Flip, names);
            self.push_if_wanted(Kind::MinimizeCore, Vec::new());
        }
        if self.rng.chance(4) {
            let kinds = [Kind::Clause, Kind::Temporary, Kind::Removable, Kind::Removable, Kind::DropTemporaries];
            for _ in 0..2 + self.rng.below(4) {
                let names = if self.assumed.is_empty() { self.clause() } else { self.aimed_clause() };
                match pick(&mut self.rng, &kinds) {
                    kind @ (Kind::Clause | Kind::Temporary) => self.push_clause(kind.row(), names),
                    kind => {
                        let names = self.implied_clause();
                        self.push_if_wanted(kind, names);
                    }
                }
            }
            self.push_if_wanted(Kind::Remove, Vec::new());
            let names = self.assumptions(3);
            self.push(kind.row(), names);
            let names = self.half();
            self.push_if_wanted(Kind::Flip, names);
        }
    }

    fn half(&mut self) -> Vec<Name> {
        (1..=self.vars as i32).map(Name).filter(|_| self.rng.chance(2)).collect()
    }

    fn push_if_wanted(&mut self, kind: Kind, names: Vec<Name>) {
        if !self.without.contains(&kind) {
            let row = kind.row();
            self.push(row, if row.draw == Draw::Nothing { Vec::new() } else { names });
        }
    }

    fn push(&mut self, row: &Row, names: Vec<Name>) {
        match row.kind {
            Kind::Push => self.scopes += 1,
            Kind::Pop => self.scopes = self.scopes.saturating_sub(1),
            _ => {}
        }
        let number = pick(&mut self.rng, row.numbers);
        self.ops.push(Op { kind: row.kind, number, names });
    }

    fn row(&mut self) -> &'static Row {
        let rows: Vec<&Row> = TABLE.iter().filter(|row| !self.without.contains(&row.kind)).collect();
        let mut at = self.rng.below(rows.iter().map(|row| row.weight).sum());
        for row in rows {
            if at < row.weight {
                return row;
            }
            at -= row.weight;
        }
        &TABLE[0]
    }

    fn name(&mut self) -> Name {
        let var = 1 + self.rng.below(self.vars) as i32;
        Name(if self.rng.chance(2) { var } else { -var })
    }

    fn clause(&mut self) -> Vec<Name> {
        let mut clause = match self.clauses.len() {
            0 => self.fresh_clause(),
            _ if !self.assumed.is_empty() && self.rng.chance(self.aimed) => self.aimed_clause(),
            _ if self.derived > 0 && self.rng.chance(self.derived) => self.derived_clause(),
            _ => self.fresh_clause(),
        };
        if self.planted.is_some() && clause.is_empty() {
            clause = vec![self.name()];
        }
        clause
    }

    /// Adds a clause. A permanent clause is made true in the planted model, with few exceptions.
    fn push_clause(&mut self, row: &Row, mut clause: Vec<Name>) {
        let is_for_good = row.kind == Kind::Hidden || row.kind == Kind::Clause && self.scopes == 0;
        if let Some(planted) = self.planted.filter(|_| is_for_good && !clause.is_empty()) {
            let holds = |name: &Name| (planted >> (name.var() % 64) & 1 == 1) == (name.0 > 0);
            if !clause.iter().any(holds) && !self.rng.chance(500) {
                let at = self.rng.below(clause.len());
                clause[at] = Name(-clause[at].0);
            }
        }
        self.clauses.push(clause.clone());
        self.push(row, clause);
    }

    fn fresh_clause(&mut self) -> Vec<Name> {
        let length = match self.rng.below(100) {
            0 => 0,
            1 if self.has_body => 2,
            1..4 => 1,
            4..12 => 2,
            12..85 => self.width,
            85..97 => self.width + 1 + self.rng.below(3),
            _ => 8 + self.rng.below(20),
        };
        // The empty clause refutes the formula for the rest of the trace, so it is drawn more rarely than other
        // short clauses.
        let length = if length == 0 && !self.rng.chance(10) { self.width } else { length };
        (0..length).map(|_| self.name()).collect()
    }

    /// A clause that is often unit or false under the last assumptions, so that it affects a kept trail.
    fn aimed_clause(&mut self) -> Vec<Name> {
        let mut clause: Vec<Name> = (0..1 + self.rng.below(2)).map(|_| self.name()).collect();
        for _ in 0..1 + self.rng.below(2) {
            clause.push(Name(-self.assumed[self.rng.below(self.assumed.len())].0));
        }
        clause
    }

    /// A clause that often follows from earlier clauses: an earlier clause with one more literal, a resolvent
    /// of two clauses, or a random clause. When the trace runs, `add_removable` checks whether the clause
    /// follows.
    fn implied_clause(&mut self) -> Vec<Name> {
        if self.clauses.is_empty() || self.rng.chance(3) {
            return self.fresh_clause();
        }
        let from = self.rng.below(self.clauses.len());
        let mut clause = self.clauses[from].clone();
        let clashes = |other: &&Vec<Name>| other.iter().any(|name| clause.contains(&Name(-name.0)));
        let others: Vec<Vec<Name>> = self.clauses.iter().filter(clashes).cloned().collect();
        if others.is_empty() || self.rng.chance(2) {
            clause.push(self.name());
            return clause;
        }
        let other = &others[self.rng.below(others.len())];
        if let Some(pivot) = other.iter().copied().find(|name| clause.contains(&Name(-name.0))) {
            clause.retain(|&name| name != Name(-pivot.0));
            clause.extend(other.iter().filter(|&&name| name != pivot));
        }
        clause
    }

    fn derived_clause(&mut self) -> Vec<Name> {
        let from = self.rng.below(self.clauses.len());
        let mut clause = self.clauses[from].clone();
        match self.rng.below(6) {
            0 => clause.reverse(),
            1 => clause.push(self.name()),
            2 => drop(clause.pop().filter(|_| clause.is_empty()).map(|name| clause.push(name))),
            // A clause that resolves with the earlier one.
            3 | 4 if !clause.is_empty() => {
                let at = self.rng.below(clause.len());
                clause[at] = Name(-clause[at].0);
            }
            // One implication of an equivalence. The case above sometimes generates the opposite implication.
            _ => {
                clause.truncate(1);
                clause.push(self.name());
            }
        }
        clause
    }
}
