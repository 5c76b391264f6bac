//! The numbers that variables can have: a least fixpoint of sets over all assignments, regardless of their
//! conditions.
//!
//! Most variables of the RERS challenge programs are only assigned constants, so these sets are their whole
//! range (van de Pol, Ruys and te Brinke 2014, section 2.4). If a set has more than [`MOST`] values, the
//! variable is arithmetic and is represented by intervals.

use crate::store::interval::{self, Interval};
use model::reactive::{Binary, Expr, Stmt};
use model::{ExprId, Reactive};

/// Maximal size of a value set.
const MOST: usize = 100;

/// Maximal number of rounds. A set that still grows belongs to a counter, which is arithmetic.
const ROUNDS: usize = 40;

/// Ascending numbers; `None` for any number.
pub(crate) type Set = Option<Vec<i32>>;

/// The value sets of variables and expressions.
pub(crate) struct Values {
    /// The set of each variable.
    pub(crate) vars: Vec<Set>,
    /// The set of each expression. It is computed only for expressions that are assigned or compared, and for
    /// their operands. It is empty for all other expressions.
    pub(crate) exprs: Vec<Set>,
}

impl Values {
    pub(crate) fn of(program: &Reactive) -> Self {
        let mut vars: Vec<Set> = program.initial().iter().map(|&v| Some(vec![v])).collect();
        let needed = needed(program);
        let mut exprs: Vec<Set> = vec![Some(Vec::new()); program.exprs().len()];
        let assigned: Vec<(usize, ExprId)> = program
            .all_stmts()
            .iter()
            .filter_map(|s| match *s {
                Stmt::Assign(v, e) => Some((v.index(), e)),
                _ => None,
            })
            .collect();
        for round in 0.. {
            for (i, &expr) in program.exprs().iter().enumerate() {
                if needed[i] {
                    exprs[i] = of_expr(program, expr, &exprs, &vars);
                }
            }
            let mut has_grown = false;
            for &(var, expr) in &assigned {
                let grows = grow(&mut vars[var], &exprs[expr.index()]);
                has_grown |= grows;
                if grows && round > ROUNDS {
                    vars[var] = None;
                }
            }
            if !has_grown {
                break;
            }
        }
        Self { vars, exprs }
    }
}

/// Expressions that are assigned or compared, and their operands.
fn needed(program: &Reactive) -> Vec<bool> {
    let mut needed = vec![false; program.exprs().len()];
    for stmt in program.all_stmts() {
        if let Stmt::Assign(_, e) = *stmt {
            needed[e.index()] = true;
        }
    }
    for i in (0..needed.len()).rev() {
        match program.exprs()[i] {
            Expr::Unary(_, a) => needed[a.index()] |= needed[i],
            Expr::Binary(op, a, b) => {
                let wanted = needed[i] || is_comparison(op);
                needed[a.index()] |= wanted;
                needed[b.index()] |= wanted;
            }
            _ => {}
        }
    }
    needed
}

pub(crate) fn is_comparison(op: Binary) -> bool {
    matches!(op, Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge)
}

fn grow(set: &mut Set, more: &Set) -> bool {
    let Some(have) = set else { return false };
    let Some(more) = more else {
        *set = None;
        return true;
    };
    let before = have.len();
    for &value in more {
        if let Err(at) = have.binary_search(&value) {
            have.insert(at, value);
        }
    }
    let has_grown = have.len() > before;
    if have.len() > MOST {
        *set = None;
    }
    has_grown
}

fn of_expr(program: &Reactive, expr: Expr, exprs: &[Set], vars: &[Set]) -> Set {
    match expr {
        Expr::Const(c) => Some(vec![c]),
        Expr::Input => collect(program.inputs().iter().copied()),
        Expr::Var(v) => vars[v.index()].clone(),
        Expr::Element { pointer, index } => {
            let mut all = Some(Vec::new());
            for &array in vars[pointer.index()].as_ref()? {
                if let Some(var) = program.element(array, index) {
                    grow(&mut all, &vars[var.index()]);
                }
            }
            all
        }
        Expr::Unary(op, a) => {
            let a = exprs[a.index()].as_ref()?;
            singles(a.iter().map(|&x| Some(interval::unary(op, Interval::point(x)))))
        }
        Expr::Binary(op, a, b) => {
            let (a, b) = (exprs[a.index()].as_ref()?, exprs[b.index()].as_ref()?);
            if a.len() * b.len() > MOST * MOST / 4 {
                return None;
            }
            let pairs = a.iter().flat_map(|&x| b.iter().map(move |&y| (Interval::point(x), Interval::point(y))));
            let results = pairs.map(|(x, y)| interval::binary(op, x, y));
            // If the left side decides, the right side is not evaluated. It may have no value at all.
            let decides = |x: &i32| match op {
                Binary::And => *x == 0,
                Binary::Or => *x != 0,
                _ => false,
            };
            let decided = a.iter().any(decides).then(|| Some(Interval::point(i32::from(op == Binary::Or))));
            singles(results.chain(decided))
        }
    }
}

/// The set of results, without crashes. `None` if some result is not a single number because it overflows.
fn singles(results: impl Iterator<Item = Option<Interval>>) -> Set {
    let mut all = Vec::new();
    for result in results.flatten() {
        all.push(result.single()?);
    }
    collect(all.into_iter())
}

fn collect(values: impl Iterator<Item = i32>) -> Set {
    let mut all: Vec<i32> = values.collect();
    all.sort_unstable();
    all.dedup();
    (all.len() <= MOST).then_some(all)
}
