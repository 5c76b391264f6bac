//! A small IC3 that makes the queries to be recorded (Bradley 2011; Eén, Mishchenko, Brayton 2011). It is not
//! meant to prove much. Its queries only have to resemble those of a full IC3.
//!
//! There is one solver per net. A lemma of frame i holds in the frames 1..=i. Its clause contains the
//! activation literal of frame i, and a query about frame i assumes the activation literals of i and above.
//! Targets are pairs of marked places, one after the other. Lemmas do not depend on the target and are kept.

use super::relation::Relation;
use super::trace::Writer;
use sat::{DecidedBy, Limits, Lit, Options, SolveResult, Solver, Tag, Var};
use std::collections::BTreeMap;
use testkit::Random;

/// A conjunction of literals of a state, ascending by variable.
type Cube = Vec<i32>;

const TAG: Tag = Tag(0);
/// The greatest number of frames.
const FRAMES: usize = 12;
/// The greatest number of queries for one target.
const QUERIES_PER_TARGET: u64 = 4000;

/// A solver that records all queries.
struct Recorder<'a> {
    solver: Solver,
    trace: &'a mut Writer,
    domains: BTreeMap<Vec<i32>, usize>,
    queries: u64,
}

impl Recorder<'_> {
    fn vars(&mut self, count: i32) {
        for _ in 0..count {
            self.solver.new_var(DecidedBy::Host);
        }
        self.trace.vars(count.unsigned_abs());
    }

    fn clause(&mut self, clause: &[i32]) {
        self.solver.add_clause(TAG, &lits(clause));
        self.trace.clause(clause);
    }

    /// Solves and records a query. Only the variables of `domain` need values.
    fn is_sat(&mut self, domain: Vec<i32>, temporary: &[i32], assumptions: &[i32]) -> bool {
        let vars: Vec<Var> = domain.iter().map(|&v| Lit::from_dimacs(v).var()).collect();
        let known = self.domains.len();
        let domain = match self.domains.get(&domain) {
            Some(&number) => number,
            None => {
                self.trace.domain(&domain);
                self.domains.insert(domain, known);
                known
            }
        };
        if !temporary.is_empty() {
            self.solver.add_temporary(TAG, &lits(temporary));
        }
        let sat = self.solver.solve_in(&vars, &lits(assumptions), &Limits::default()) == SolveResult::Sat;
        self.trace.query(domain, temporary, assumptions, sat);
        self.queries += 1;
        sat
    }

    /// After a model: returns the literals of the variables from 1 to `vars` that have a value in the model.
    fn values(&self, vars: i32) -> Cube {
        let value = |v: i32| self.solver.value(Lit::from_dimacs(v)).map(|value| if value { v } else { -v });
        (1..=vars).filter_map(value).collect()
    }

    fn is_true(&self, var: i32) -> bool {
        self.solver.value(Lit::from_dimacs(var)) == Some(true)
    }

    /// True if the assumption is in the core of the last unsatisfiable query.
    fn failed(&self, assumption: i32) -> bool {
        self.solver.core().contains(&Lit::from_dimacs(assumption))
    }

    fn done(&mut self) {
        self.solver.drop_temporaries();
    }
}

/// True if `cube` contains all literals of `part`.
fn includes(cube: &Cube, part: &Cube) -> bool {
    let has =
        |literal: &i32| cube.binary_search_by_key(&literal.abs(), |l| l.abs()).is_ok_and(|at| cube[at] == *literal);
    part.len() <= cube.len() && part.iter().all(has)
}

fn lits(literals: &[i32]) -> Vec<Lit> {
    literals.iter().map(|&l| Lit::from_dimacs(l)).collect()
}

pub(super) struct Driver<'a> {
    relation: &'a Relation,
    record: Recorder<'a>,
    /// For each frame: its activation literal. The activation literal of frame 0 implies the initial state.
    active: Vec<i32>,
    /// For each frame: the cubes that are excluded in this frame and in those below.
    lemmas: Vec<Vec<Cube>>,
    /// For each place: its parent in a union-find forest. Places that occur in a common lemma are in one group.
    group: Vec<usize>,
    rng: Random,
    limit: u64,
}

/// A cube that must be shown unreachable within `level` steps.
struct Obligation {
    level: usize,
    cube: Cube,
}

/// Makes about `queries` queries about `relation`, or fewer if all targets are done. Returns the number of
/// queries made.
pub(super) fn record(relation: &Relation, queries: u64, seed: u64, trace: &mut Writer) -> u64 {
    trace.session();
    let record = Recorder { solver: Solver::new(Options::default()), trace, domains: BTreeMap::new(), queries: 0 };
    let group = (0..relation.changed_by.len()).collect();
    let mut driver = Driver {
        relation,
        record,
        active: Vec::new(),
        lemmas: Vec::new(),
        group,
        rng: Random::new(seed),
        limit: queries,
    };
    // This includes the activation variables of all frames. If they were created later, their numbers would
    // come after the solver's internal variables.
    driver.record.vars(relation.vars + FRAMES as i32 + 2);
    relation.clauses.iter().for_each(|clause| driver.record.clause(clause));
    let start = driver.open_frame();
    relation.initial.iter().for_each(|&literal| driver.record.clause(&[-start, literal]));
    driver.open_frame();
    driver.ask_all();
    driver.record.queries
}

impl Driver<'_> {
    /// Opens a frame and returns its activation literal.
    fn open_frame(&mut self) -> i32 {
        let literal = self.relation.vars + 1 + self.active.len() as i32;
        self.active.push(literal);
        self.lemmas.push(Vec::new());
        literal
    }

    /// Handles one target after the other, until there are enough queries or no pair is left.
    fn ask_all(&mut self) {
        let places = self.relation.changed_by.len();
        let mut pairs: Vec<(usize, usize)> = (0..places).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
        self.rng.shuffle(&mut pairs);
        for (a, b) in pairs {
            if self.record.queries >= self.limit {
                return;
            }
            let marked = [a, b].map(|place| self.relation.now(place, 1).unwrap_or(1));
            self.ask(marked.to_vec());
        }
    }

    fn ask(&mut self, target: Cube) {
        let most = (self.record.queries + QUERIES_PER_TARGET).min(self.limit);
        let mut level = 1;
        while level <= FRAMES && self.record.queries < most && self.block(level, &target, most) {
            if level + 1 == self.active.len() {
                self.open_frame();
                self.push_lemmas();
            }
            level += 1;
        }
    }

    /// True if `target` is unreachable within `level` steps. False if it may be reachable, or if the queries
    /// are used up.
    fn block(&mut self, level: usize, target: &Cube, most: u64) -> bool {
        let mut open = vec![Obligation { level, cube: target.clone() }];
        while let Some(Obligation { level, cube }) = open.pop() {
            if level == 0 || !self.excludes_start(&cube) || self.record.queries >= most {
                return false;
            }
            if self.lemmas[level..].iter().flatten().any(|lemma| includes(&cube, lemma)) {
                continue;
            }
            if let Some(from) = self.predecessor(level, &cube) {
                open.push(Obligation { level, cube });
                open.push(Obligation { level: level - 1, cube: from });
            } else {
                let smaller = self.core_of(&cube);
                let smaller = self.generalize(level, smaller);
                self.learn(level, smaller);
            }
        }
        true
    }

    /// True if the cube contradicts the initial states.
    fn excludes_start(&self, cube: &Cube) -> bool {
        cube.iter().any(|&literal| self.relation.starts_with(-literal))
    }

    /// Checks whether `cube` can be reached in one step from a state outside `cube` in the frame below `level`.
    fn is_reachable(&mut self, level: usize, cube: &Cube) -> bool {
        let elsewhere: Vec<i32> = cube.iter().map(|l| -l).collect();
        let mut assumed: Vec<i32> = self.active[level - 1..].iter().rev().copied().collect();
        assumed.extend(cube.iter().map(|&l| self.relation.primed(l)));
        let domain = self.domain(cube);
        let sat = self.record.is_sat(domain, &elsewhere, &assumed);
        if !sat {
            self.record.done();
        }
        sat
    }

    /// Returns the variables that matter for reaching `cube` in one step: the transitions that change its
    /// places, the places that these transitions touch, and all places that lemmas connect with them. The other
    /// variables can keep their initial values, in which all lemmas hold.
    fn domain(&self, cube: &Cube) -> Vec<i32> {
        let mut domain: Vec<i32> = Vec::new();
        let mut places: Vec<usize> = cube.iter().map(|&literal| self.relation.place(literal)).collect();
        for &place in &places {
            domain.extend(self.relation.vars_of(place).map(|v| self.relation.primed(v)));
            domain.extend(&self.relation.changed_by[place]);
        }
        domain.sort_unstable();
        domain.dedup();
        for (_, touched) in self.relation.selected.iter().filter(|(s, _)| domain.binary_search(s).is_ok()) {
            places.extend(touched);
        }
        let mut in_groups = vec![false; self.group.len()];
        for place in places {
            let first = self.first_of(place);
            in_groups[first] = true;
        }
        let all = (0..in_groups.len()).filter(|&place| in_groups[self.first_of(place)]).collect::<Vec<_>>();
        let mut whole: Vec<i32> = all.into_iter().flat_map(|place| self.relation.vars_of(place)).collect();
        whole.append(&mut domain);
        whole
    }

    /// Returns the representative place of the group.
    fn first_of(&self, mut place: usize) -> usize {
        while self.group[place] != place {
            place = self.group[place];
        }
        place
    }

    /// Returns a cube of states of the frame below `level` that lead to `cube`. `None` if there are none.
    fn predecessor(&mut self, level: usize, cube: &Cube) -> Option<Cube> {
        if !self.is_reachable(level, cube) {
            return None;
        }
        let state = self.record.values(self.relation.state);
        let changers: Vec<i32> =
            cube.iter().flat_map(|&l| &self.relation.changed_by[self.relation.place(l)]).copied().collect();
        let mut inputs: Vec<i32> = changers.iter().map(|&t| if self.record.is_true(t) { t } else { -t }).collect();
        inputs.sort_unstable();
        inputs.dedup();
        self.record.done();
        // This query looks for a successor of the state outside `cube` by the same transitions. It is
        // unsatisfiable, and its core is the part of the state that matters.
        let elsewhere: Vec<i32> = cube.iter().map(|&l| -self.relation.primed(l)).collect();
        let assumed: Vec<i32> = inputs.iter().chain(&state).copied().collect();
        let domain = self.domain(cube);
        let sat = self.record.is_sat(domain, &elsewhere, &assumed);
        // The literals of places that the fired transitions touch are kept, too, because these places enable
        // the transitions.
        let fired = self.relation.selected.iter().filter(|(t, _)| inputs.contains(t));
        let touched: Vec<usize> = fired.flat_map(|(_, places)| places).copied().collect();
        let matters = |&l: &i32| sat || self.record.failed(l) || touched.contains(&self.relation.place(l));
        let from = state.iter().copied().filter(matters).collect();
        self.record.done();
        Some(from)
    }

    /// After `cube` was found unreachable: returns the part of the cube that is in the core. If this part does
    /// not exclude the initial states, a literal that excludes them is added.
    fn core_of(&self, cube: &Cube) -> Cube {
        let part: Cube = cube.iter().copied().filter(|&l| self.record.failed(self.relation.primed(l))).collect();
        if self.excludes_start(&part) {
            return part;
        }
        let excluding = cube.iter().copied().find(|&literal| self.relation.starts_with(-literal));
        cube.iter().copied().filter(|&l| part.contains(&l) || Some(l) == excluding).collect()
    }

    /// Removes as many literals as possible, in random order.
    fn generalize(&mut self, level: usize, mut cube: Cube) -> Cube {
        let mut order = cube.clone();
        self.rng.shuffle(&mut order);
        for literal in order {
            let fewer: Cube = cube.iter().copied().filter(|&l| l != literal).collect();
            if fewer.len() == cube.len() || !self.excludes_start(&fewer) {
                continue;
            }
            if self.is_reachable(level, &fewer) {
                self.record.done();
            } else {
                cube = self.core_of(&fewer);
            }
        }
        cube
    }

    /// Adds the lemma that excludes `cube` from frame `level` and from as many frames above it as possible.
    fn learn(&mut self, mut level: usize, cube: Cube) {
        while level + 1 < self.active.len() {
            if self.is_reachable(level + 1, &cube) {
                self.record.done();
                break;
            }
            level += 1;
        }
        self.add_lemma(level, cube);
    }

    fn add_lemma(&mut self, level: usize, cube: Cube) {
        let clause: Vec<i32> = std::iter::once(-self.active[level]).chain(cube.iter().map(|l| -l)).collect();
        self.record.clause(&clause);
        let first = cube.first().map_or(0, |&l| self.first_of(self.relation.place(l)));
        for &literal in &cube {
            let other = self.first_of(self.relation.place(literal));
            self.group[other] = first;
        }
        for lemmas in &mut self.lemmas[..=level] {
            lemmas.retain(|lemma| !includes(lemma, &cube));
        }
        self.lemmas[level].push(cube);
    }

    /// Moves lemmas that also hold one step later to the next frame.
    fn push_lemmas(&mut self) {
        for level in 1..self.active.len() - 1 {
            for cube in self.lemmas[level].clone() {
                if self.record.queries >= self.limit {
                    return;
                }
                let mut assumed: Vec<i32> = self.active[level..].iter().rev().copied().collect();
                assumed.extend(cube.iter().map(|&l| self.relation.primed(l)));
                let domain = self.domain(&cube);
                if !self.record.is_sat(domain, &[], &assumed) && self.lemmas[level].contains(&cube) {
                    self.add_lemma(level + 1, cube);
                }
            }
        }
    }
}
