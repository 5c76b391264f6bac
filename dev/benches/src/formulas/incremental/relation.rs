//! The transition relation of a net with bounded places, as clauses.
//!
//! A place with at most B tokens has B order literals (`at least 1`, .., `at least B`), once for the current
//! state and once for the next state. Each transition has a literal that selects it. Transitions that touch a
//! common place exclude each other. Other transitions may fire together. They commute, so the same states are
//! reached. A query about a few places then depends only on the transitions that touch these places. Firings
//! that would put more than B tokens on a place are left out, as in the bounded search of bit-level IC3.

use model::{Effect, Net};

/// The total number of variables. Variables of the current state come first, then the variables of the next
/// state, then all other variables.
pub(super) struct Relation {
    pub(super) vars: i32,
    pub(super) clauses: Vec<Vec<i32>>,
    /// The literals that hold initially, ascending by variable. Counts of places with several initial values
    /// are left open.
    pub(super) initial: Vec<i32>,
    /// Number of variables that describe a state. They are 1..=`state`.
    pub(super) state: i32,
    /// For each place: the literals of the transitions that may change it.
    pub(super) changed_by: Vec<Vec<i32>>,
    /// For each transition: its literal, and the places it tests or changes.
    pub(super) selected: Vec<(i32, Vec<usize>)>,
    tokens: i32,
}

/// The effect of firing on a place.
#[derive(Clone, Copy)]
enum Change {
    Add(i64),
    Set(i64),
}

impl Relation {
    /// Creates the relation. Returns `None` if the net has transfers between places.
    pub(super) fn new(net: &Net, tokens: i32) -> Option<Self> {
        let places = i32::try_from(net.places().len()).ok()?;
        let state = places * tokens;
        let mut relation = Self {
            vars: 2 * state,
            clauses: Vec::new(),
            initial: Vec::new(),
            state,
            changed_by: vec![Vec::new(); net.places().len()],
            selected: Vec::new(),
            tokens,
        };
        for place in 0..net.places().len() {
            relation.order(place);
            relation.start(place, net);
        }
        for transition in net.transitions() {
            let changes: Option<Vec<(usize, Change)>> =
                transition.effects.iter().map(|e| Some((e.place.index(), change(e)?))).collect();
            let selected = relation.fresh();
            let places = transition.guards.iter().map(|g| g.place.index());
            let mut places: Vec<usize> = places.chain(transition.effects.iter().map(|e| e.place.index())).collect();
            places.sort_unstable();
            places.dedup();
            relation.selected.push((selected, places));
            for guard in &transition.guards {
                let at_least = small(i64::try_from(&guard.range.at_least).ok());
                relation.require(selected, guard.place.index(), at_least);
                if let Some(most) = &guard.range.at_most {
                    let more = small(i64::try_from(most).ok()).saturating_add(1);
                    relation.forbid(selected, guard.place.index(), more);
                }
            }
            for (place, change) in changes? {
                relation.changed_by[place].push(selected);
                relation.fire(selected, place, change);
            }
        }
        relation.keep_the_rest();
        relation.exclude();
        Some(relation)
    }

    fn fresh(&mut self) -> i32 {
        self.vars += 1;
        self.vars
    }

    /// Returns the literal for "`place` currently has at least `count` tokens", or its truth value if that is
    /// constant.
    pub(super) fn now(&self, place: usize, count: i64) -> Result<i32, bool> {
        match count {
            ..=0 => Err(true),
            c if c > i64::from(self.tokens) => Err(false),
            c => Ok(place as i32 * self.tokens + c as i32),
        }
    }

    fn next(&self, place: usize, count: i64) -> Result<i32, bool> {
        self.now(place, count).map(|literal| literal + self.state)
    }

    /// Returns the literal of the next state that corresponds to a literal of the current state.
    pub(super) fn primed(&self, literal: i32) -> i32 {
        literal + self.state * literal.signum()
    }

    /// Returns the place to which a literal of a state belongs.
    pub(super) fn place(&self, literal: i32) -> usize {
        (literal.unsigned_abs() as usize - 1) / self.tokens as usize
    }

    /// Returns the variables of `place` in the current state. [`Relation::primed`] gives those of the next
    /// state.
    pub(super) fn vars_of(&self, place: usize) -> impl Iterator<Item = i32> + '_ {
        (1..=self.tokens).map(move |k| place as i32 * self.tokens + k)
    }

    /// True if this literal of a state holds in all initial states.
    pub(super) fn starts_with(&self, literal: i32) -> bool {
        let found = self.initial.binary_search_by_key(&literal.abs(), |l| l.abs());
        found.is_ok_and(|at| self.initial[at] == literal)
    }

    /// Adds that `if_all` together imply `then`.
    fn implies(&mut self, if_all: &[i32], then: Result<i32, bool>) {
        match then {
            Err(true) => {}
            Err(false) => self.clauses.push(if_all.iter().map(|l| -l).collect()),
            Ok(then) => self.clauses.push(if_all.iter().map(|l| -l).chain([then]).collect()),
        }
    }

    fn order(&mut self, place: usize) {
        for count in 2..=i64::from(self.tokens) {
            for of in [Self::now, Self::next] {
                if let (Ok(more), less) = (of(self, place, count), of(self, place, count - 1)) {
                    self.implies(&[more], less);
                }
            }
        }
    }

    fn start(&mut self, place: usize, net: &Net) {
        let range = &net.places()[place].initial;
        let at_least = small(i64::try_from(&range.at_least).ok());
        let most = range.at_most.as_ref().map(|most| small(i64::try_from(most).ok()));
        for count in 1..=i64::from(self.tokens) {
            if let Ok(literal) = self.now(place, count) {
                if count <= at_least {
                    self.initial.push(literal);
                } else if most.is_some_and(|most| count > most) {
                    self.initial.push(-literal);
                }
            }
        }
    }

    fn require(&mut self, selected: i32, place: usize, count: i64) {
        let enough = self.now(place, count);
        self.implies(&[selected], enough);
    }

    fn forbid(&mut self, selected: i32, place: usize, count: i64) {
        let too_many = self.now(place, count);
        self.implies(&[selected], too_many.map(|literal| -literal).map_err(|truth| !truth));
    }

    fn fire(&mut self, selected: i32, place: usize, change: Change) {
        if let Change::Add(more @ 1..) = change {
            self.forbid(selected, place, i64::from(self.tokens) - more + 1);
        }
        for count in 1..=i64::from(self.tokens) {
            let before = match change {
                Change::Add(more) => self.now(place, count - more),
                Change::Set(tokens) => Err(count <= tokens),
            };
            let Ok(after) = self.next(place, count) else { continue };
            match before {
                Ok(before) => {
                    self.implies(&[selected, before], Ok(after));
                    self.implies(&[selected, -before], Ok(-after));
                }
                Err(truth) => self.implies(&[selected], Ok(if truth { after } else { -after })),
            }
        }
    }

    /// A place that no selected transition changes keeps its tokens.
    fn keep_the_rest(&mut self) {
        for place in 0..self.changed_by.len() {
            for count in 1..=i64::from(self.tokens) {
                if let (Ok(now), Ok(next)) = (self.now(place, count), self.next(place, count)) {
                    for (before, after) in [(now, next), (-now, -next)] {
                        let reasons = self.changed_by[place].iter().copied();
                        self.clauses.push([-before, after].into_iter().chain(reasons).collect());
                    }
                }
            }
        }
    }

    /// Adds that at most one of the transitions that touch a place is selected, with a chain of literals "one
    /// of these is selected" (Sinz 2005).
    fn exclude(&mut self) {
        let mut touched_by: Vec<Vec<i32>> = vec![Vec::new(); self.changed_by.len()];
        for (selected, places) in &self.selected {
            places.iter().for_each(|&place| touched_by[place].push(*selected));
        }
        for rivals in touched_by {
            let mut before = None;
            for literal in rivals {
                let so_far = self.fresh();
                self.implies(&[literal], Ok(so_far));
                if let Some(before) = before {
                    self.implies(&[before], Ok(so_far));
                    self.implies(&[before], Ok(-literal));
                }
                before = Some(so_far);
            }
        }
    }
}

/// Returns the count. If the count does not fit into 64 bits, returns a number that is larger than any bound.
fn small(count: Option<i64>) -> i64 {
    count.unwrap_or(i64::MAX / 2)
}

fn change(effect: &Effect) -> Option<Change> {
    let add = i64::try_from(&effect.add).ok()?;
    match effect.delta() {
        Some(_) => Some(Change::Add(add)),
        None => effect.sources.is_empty().then_some(Change::Set(add)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Place, PlaceId, Range, Transition};
    use sat::{DecidedBy, Lit, Options, SolveResult, Solver, Tag};

    /// A net with two places, in which a token moves from the first to the second and doubles.
    fn doubling() -> Net {
        let place = |name: &str, tokens: u32| Place { name: name.to_owned(), initial: Range::exactly(tokens) };
        let arc = |place: usize, weight: u32| (PlaceId::new(place), weight.into());
        let move_one = Transition::from_arcs("t".to_owned(), &[arc(0, 1)], &[arc(1, 2)]);
        Net::new(vec![place("a", 2), place("b", 0)], vec![move_one]).expect("a net")
    }

    #[test]
    fn clauses_are_the_firings() {
        let tokens = 3;
        let relation = Relation::new(&doubling(), tokens).expect("no transfers");
        let mut solver = Solver::new(Options::default());
        for _ in 0..relation.vars {
            solver.new_var(DecidedBy::Host);
        }
        for clause in &relation.clauses {
            solver.add_clause(Tag(0), &clause.iter().map(|&l| Lit::from_dimacs(l)).collect::<Vec<_>>());
        }
        let is = |literal: i32, holds: bool| Lit::from_dimacs(if holds { literal } else { -literal });
        for bits in 0..4i64.pow(4) {
            let [a, b, c, d] = [bits % 4, bits / 4 % 4, bits / 16 % 4, bits / 64];
            let mut assumed = Vec::new();
            for (place, before, after) in [(0, a, c), (1, b, d)] {
                for count in 1..=i64::from(tokens) {
                    let now = relation.now(place, count).expect("a literal");
                    assumed.extend([is(now, count <= before), is(relation.primed(now), count <= after)]);
                }
            }
            let fires = (a, b) == (c, d) || (a >= 1 && c == a - 1 && d == b + 2);
            assert_eq!(solver.solve(&assumed) == SolveResult::Sat, fires, "{a} {b} to {c} {d}");
        }
        assert_eq!(relation.initial, [1, 2, -3, -4, -5, -6]);
    }
}
