//! Searches like those on transition systems: as deep as the run they look for, with dead ends at every level,
//! and unit clauses learnt at the bottom. Any quadratic cost would make these tests take minutes.

use impasse_sat::{Ctx, DecidedBy, Limits, Lit, Options, SolveResult, Solver, Tag, Theory};

/// Node i leads to node i + 1, directly or by a detour, and to a dead end. The last node is a dead end too.
/// Literals are created when a node is first reached.
struct Chain {
    length: usize,
    /// For each node: the literals of itself, its detour and its dead end.
    nodes: Vec<[Lit; 3]>,
    expanded: Vec<bool>,
    /// For each variable: the node it belongs to.
    owner: Vec<usize>,
    /// Nodes with a true literal `nodes[i][0]` that the theory was told, in the order of telling. `levels`
    /// contains the length of `path` at the beginning of each level.
    path: Vec<usize>,
    levels: Vec<usize>,
    dead_first: bool,
    by_level: bool,
}

impl Chain {
    fn node(&mut self, ctx: &mut Ctx<'_>) -> [Lit; 3] {
        let node = [0; 3].map(|_| ctx.new_lit(DecidedBy::Theory));
        self.owner.extend([self.nodes.len(); 3]);
        self.nodes.push(node);
        self.expanded.push(false);
        node
    }

    fn expand(&mut self, at: usize, ctx: &mut Ctx<'_>) {
        let [here, detour, dead] = self.nodes[at];
        if std::mem::replace(&mut self.expanded[at], true) {
            return;
        }
        if at == self.length {
            ctx.lemma(Tag(1), &[!here]);
            return;
        }
        let [next, ..] = self.node(ctx);
        ctx.lemma(Tag(2), &[!here, next, detour, dead]);
        ctx.lemma(Tag(3), &[!detour, next]);
    }
}

impl Theory for Chain {
    fn propagate(&mut self, new: &[Lit], ctx: &mut Ctx<'_>) {
        for &lit in new.iter().filter(|lit| lit.is_positive()) {
            let node = self.owner[lit.var().index()];
            if lit == self.nodes[node][0] {
                self.path.push(node);
                self.expand(node, ctx);
            } else if lit == self.nodes[node][2] {
                ctx.lemma(Tag(4), &[!lit]);
            }
        }
    }

    fn final_check(&mut self, _: &mut Ctx<'_>) {
        panic!("there is no way out");
    }

    fn decide(&mut self, ctx: &Ctx<'_>) -> Option<Lit> {
        let &at = self.path.last()?;
        let [_, detour, dead] = self.nodes[at];
        let next = self.nodes.get(at + 1)?[0];
        let order = if self.dead_first { [dead, next, detour] } else { [next, detour, dead] };
        order.into_iter().find(|&lit| ctx.value(lit).is_none())
    }

    fn explain(&mut self, _: Lit, _: &mut Vec<Lit>) -> Tag {
        panic!("it implies nothing")
    }

    fn push_level(&mut self) {
        self.levels.push(self.path.len());
    }

    fn pop_levels(&mut self, n: usize) {
        let keep = self.levels.len() - n;
        self.path.truncate(self.levels[keep]);
        self.levels.truncate(keep);
    }

    // Both values are allowed. The theory ignores refuted nodes, so they need not be told again. It is never
    // told a true node at a level above the node's own level.
    fn undoes_by_level(&self) -> bool {
        self.by_level
    }
}

pub(crate) fn walk(length: usize, dead_first: bool, by_level: bool) -> Solver {
    let mut solver = Solver::new(Options::default());
    let first = [0; 3].map(|_| solver.new_var(DecidedBy::Theory).positive());
    let mut theory = Chain {
        length,
        nodes: vec![first],
        expanded: vec![false],
        owner: vec![0; 3],
        path: Vec::new(),
        levels: Vec::new(),
        dead_first,
        by_level,
    };
    solver.add_clause(Tag(0), &[first[0]]);
    assert_eq!(solver.solve_with(&mut theory, &[], &Limits::default()), SolveResult::Unsat);
    assert!(theory.expanded.iter().all(|&expanded| expanded));
    solver
}

/// 300,000 levels in release builds, which take well under a second. Debug builds are slower, so the depth is
/// smaller.
#[test]
fn a_deep_search_is_not_thrown_away() {
    let length = if cfg!(debug_assertions) { 60_000 } else { 300_000 };
    for (dead_first, by_level) in [(false, false), (false, true), (true, false), (true, true)] {
        let stats = *walk(length, dead_first, by_level).stats();
        assert!(stats.deepest as usize >= length, "{stats:?}");
        assert!((stats.decisions as usize) < 12 * length, "little is decided twice: {stats:?}");
    }
}

/// Refutes each literal it is told, one after the other.
struct Refuter {
    candidates: Vec<Lit>,
}

impl Theory for Refuter {
    fn propagate(&mut self, new: &[Lit], ctx: &mut Ctx<'_>) {
        for &lit in new.iter().filter(|lit| lit.is_positive()) {
            ctx.lemma(Tag(1), &[!lit]);
        }
    }

    fn final_check(&mut self, _: &mut Ctx<'_>) {
        panic!("one of the candidates must be true");
    }

    fn decide(&mut self, ctx: &Ctx<'_>) -> Option<Lit> {
        while self.candidates.last().is_some_and(|&lit| ctx.value(lit).is_some()) {
            self.candidates.pop();
        }
        self.candidates.last().copied()
    }

    fn explain(&mut self, _: Lit, _: &mut Vec<Lit>) -> Tag {
        panic!("it implies nothing")
    }

    fn push_level(&mut self) {}

    fn pop_levels(&mut self, _: usize) {}
}

/// A region with 10^5 exits has an exit clause of 10^5 literals. Refuting these literals one by one must not
/// read the whole clause 10^5 times.
#[test]
fn a_huge_clause_is_refuted_literal_by_literal() {
    for is_reversed in [false, true] {
        let mut solver = Solver::new(Options::default());
        let mut candidates: Vec<Lit> = (0..100_000).map(|_| solver.new_var(DecidedBy::Theory).positive()).collect();
        solver.add_clause(Tag(0), &candidates);
        if is_reversed {
            candidates.reverse();
        }
        let mut theory = Refuter { candidates };
        assert_eq!(solver.solve_with(&mut theory, &[], &Limits::default()), SolveResult::Unsat);
        assert_eq!(solver.stats().conflicts, 100_000);
    }
}
