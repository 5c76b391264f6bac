//! Formulas as formats write them: a list of operators, with operands before their operators, so that no function
//! recurses.

use super::Sum;
use model::TransitionId;

/// The position of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OperandId(pub(super) u32);

/// A comparison of a sum with 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compare {
    Less,
    AtMost,
    Equal,
    NotEqual,
    AtLeast,
    Greater,
}

/// An operator with its operands, or a statement.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Constant(bool),
    /// The comparison of the sum with 0 holds.
    Compare(Box<Sum>, Compare),
    /// One of these transitions is enabled.
    Fireable(Vec<TransitionId>),
    /// No transition is enabled.
    Deadlock,
    Not(OperandId),
    All(Vec<OperandId>),
    Any(Vec<OperandId>),
    /// Both operands hold, or neither does.
    Same(OperandId, OperandId),
    Next(OperandId),
    Globally(OperandId),
    Finally(OperandId),
    Until(OperandId, OperandId),
    WeakUntil(OperandId, OperandId),
    Release(OperandId, OperandId),
    /// Some maximal path (or all, unless `exists`) from the marking satisfies the operand.
    Path {
        exists: bool,
        of: OperandId,
    },
}

impl Op {
    pub(super) fn operands(&self) -> &[OperandId] {
        match self {
            Op::All(parts) | Op::Any(parts) => parts,
            Op::Not(a) | Op::Next(a) | Op::Globally(a) | Op::Finally(a) | Op::Path { of: a, .. } => {
                std::slice::from_ref(a)
            }
            Op::Constant(_) | Op::Compare(..) | Op::Fireable(_) | Op::Deadlock => &[],
            Op::Same(..) | Op::Until(..) | Op::WeakUntil(..) | Op::Release(..) => &[],
        }
    }

    /// Returns the operands of an operator that has exactly two.
    pub(super) fn pair(&self) -> Option<[OperandId; 2]> {
        match self {
            Op::Same(a, b) | Op::Until(a, b) | Op::WeakUntil(a, b) | Op::Release(a, b) => Some([*a, *b]),
            _ => None,
        }
    }

    pub(super) fn is_temporal(&self) -> bool {
        matches!(self, Op::Next(_) | Op::Globally(_) | Op::Finally(_) | Op::Until(..) | Op::WeakUntil(..))
            || matches!(self, Op::Release(..) | Op::Path { .. })
    }

    /// Iterates over all operands.
    fn all_operands(&self) -> impl Iterator<Item = usize> + '_ {
        self.operands().iter().copied().chain(self.pair().into_iter().flatten()).map(|a| a.0 as usize)
    }
}

/// A combination of statements about a marking, perhaps with temporal operators. The last element is the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Phi {
    pub(super) ops: Vec<Op>,
    /// True if a quantifier is a word of its own, as in `E (X p)`: what follows is then a formula about a run.
    pub(crate) is_apart: bool,
}

impl Phi {
    pub(crate) fn push(&mut self, op: Op) -> OperandId {
        self.ops.push(op);
        OperandId(u32::try_from(self.ops.len() - 1).unwrap_or(u32::MAX))
    }

    pub(crate) fn len(&self) -> usize {
        self.ops.len()
    }

    /// Returns for each part whether it has no temporal operator.
    pub(super) fn plain(&self) -> Vec<bool> {
        let mut plain: Vec<bool> = Vec::with_capacity(self.ops.len());
        for op in &self.ops {
            let is_plain = !op.is_temporal() && op.all_operands().all(|a| plain[a]);
            plain.push(is_plain);
        }
        plain
    }

    /// If the formula is `F phi` (if `is_finally`) or `G phi`, without other temporal operators, returns phi.
    pub(crate) fn inside(&self, is_finally: bool) -> Option<Self> {
        let inner = match self.ops.last()? {
            Op::Finally(a) if is_finally => *a,
            Op::Globally(a) if !is_finally => *a,
            _ => return None,
        };
        let phi = Self { ops: self.ops[..=inner.0 as usize].to_vec(), ..Self::default() };
        (!phi.ops.iter().any(Op::is_temporal)).then_some(phi)
    }

    /// Returns the first part of each part: the parts of a part stand one after the other, and end with it.
    pub(super) fn firsts(&self) -> Vec<usize> {
        let mut firsts: Vec<usize> = Vec::with_capacity(self.ops.len());
        for (i, op) in self.ops.iter().enumerate() {
            firsts.push(op.all_operands().map(|a| firsts[a]).min().unwrap_or(i));
        }
        firsts
    }

    /// Returns what a formula with quantifiers over paths asks of the initial marking. `None` if it is neither a
    /// formula about one path nor one of computation tree logic. `is_branching` says that `AX p` (but not `A (X p)`)
    /// is meant as a formula of computation tree logic: it then holds where no transition is enabled, and otherwise has
    /// the truth of `p` there.
    pub(crate) fn question(mut self, is_branching: bool) -> Option<Question> {
        if let Some((exists, inner, negated)) = self.one_path() {
            let is_next = matches!(self.ops[inner], Op::Next(a) if self.plain()[a.0 as usize]);
            if !(is_next && is_branching && !self.is_apart) {
                self.ops.truncate(inner + 1);
                return Some(self.about_path(exists, negated));
            }
        }
        let (root, negated) = self.root();
        let is_universal =
            !self.has_quantifier() || matches!(self.ops[root], Op::Path { exists, .. } if exists == negated);
        self.is_branching().then_some(Question::Branching { is_universal, phi: self })
    }

    /// Returns the outermost operator that is no negation, and true if it is negated.
    fn root(&self) -> (usize, bool) {
        let (mut root, mut negated) = (self.ops.len() - 1, false);
        while let Op::Not(inner) = &self.ops[root] {
            (negated, root) = (!negated, inner.0 as usize);
        }
        (root, negated)
    }

    /// If the formula is about one path, returns whether some path is meant, the formula about it, and true if the
    /// whole is negated.
    fn one_path(&self) -> Option<(bool, usize, bool)> {
        let (root, negated) = self.root();
        let Op::Path { exists, of } = self.ops[root] else { return None };
        let is_only = !self.ops[..root].iter().any(|op| matches!(op, Op::Path { .. }));
        is_only.then_some((exists, of.0 as usize, negated))
    }

    /// Returns `E phi`, if that is a formula of computation tree logic with the same meaning as of a formula about a
    /// run.
    pub(super) fn of_some_run(&self) -> Option<Self> {
        // E not phi = not A phi.
        let (root, negated) = self.root();
        let mut phi = Self { ops: self.ops[..=root].to_vec(), ..Self::default() };
        // The last marking of a run is followed by itself, and has no next one in a tree.
        let is_next = matches!(phi.ops[root], Op::Next(_));
        phi.push(Op::Path { exists: !negated, of: OperandId(root as u32) });
        (!is_next && phi.is_branching()).then(|| phi.negated_if(negated))
    }

    /// Returns true if this is a formula of computation tree logic: quantifiers stand before temporal operators only,
    /// and each temporal operator has one.
    fn is_branching(&self) -> bool {
        let plain = self.plain();
        let mut is_quantified = vec![false; self.ops.len()];
        for op in &self.ops {
            if let Op::Path { of, .. } = op {
                is_quantified[of.0 as usize] = true;
            }
        }
        let is_bare = |i: usize, op: &Op| op.is_temporal() && !matches!(op, Op::Path { .. }) && !is_quantified[i];
        let is_path_of_path =
            |i: usize, op: &Op| is_quantified[i] && !plain[i] && (!op.is_temporal() || matches!(op, Op::Path { .. }));
        self.ops.iter().enumerate().all(|(i, op)| !is_bare(i, op) && !is_path_of_path(i, op))
    }

    /// Returns the only logic that the formula belongs to: true for linear temporal logic, false for computation tree
    /// logic. `None` if it belongs to both, or to none.
    pub(crate) fn is_linear(&self) -> Option<bool> {
        match (self.one_path().is_some(), self.is_branching()) {
            (true, false) => Some(true),
            (false, true) if self.has_quantifier() => Some(false),
            _ => None,
        }
    }

    /// Returns what `E phi` or `A phi` asks, perhaps negated.
    fn about_path(self, exists: bool, negated: bool) -> Question {
        let mut phi = self;
        if let Some(mut inner) = phi.inside(exists) {
            // not EF phi = AG not phi, and not AG phi = EF not phi.
            if negated {
                inner.negate();
            }
            return Question::Markings { exists: exists != negated, phi: inner };
        }
        // not E phi = A not phi, and not A phi = E not phi.
        if negated {
            phi.negate();
        }
        if exists != negated { Question::SomeRun(phi) } else { Question::Runs(phi) }
    }

    /// Returns true if the formula has quantifiers over paths.
    pub(crate) fn has_quantifier(&self) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::Path { .. }))
    }

    /// Returns the formula, or its negation if `negated`.
    pub(crate) fn negated_if(mut self, negated: bool) -> Self {
        if negated {
            self.negate();
        }
        self
    }

    /// Negates the formula.
    pub(crate) fn negate(&mut self) {
        let root = OperandId(self.ops.len() as u32 - 1);
        self.push(Op::Not(root));
    }

    /// If the formula is `G phi` or `NOT F phi` without other temporal operators, returns what holds in all markings.
    pub(super) fn invariant(&self) -> Option<Self> {
        let Op::Not(inner) = self.ops.last()? else { return self.inside(false) };
        let inner = Self { ops: self.ops[..=inner.0 as usize].to_vec(), ..Self::default() };
        let mut phi = inner.inside(true)?;
        phi.negate();
        Some(phi)
    }

    /// Returns the operator `a and b` (if `all`) or `a or b`. If `a` is a list of the same kind, its operands
    /// are moved into the result, so nothing else may use `a`.
    pub(crate) fn chain(&mut self, a: OperandId, b: OperandId, all: bool) -> Op {
        let parts = match (&mut self.ops[a.0 as usize], all) {
            (Op::All(parts), true) | (Op::Any(parts), false) => {
                let mut parts = std::mem::take(parts);
                parts.push(b);
                parts
            }
            _ => vec![a, b],
        };
        if all { Op::All(parts) } else { Op::Any(parts) }
    }
}

/// A question.
pub(crate) enum Question {
    /// Whether some reachable marking (if `exists`), or each, satisfies a formula.
    Markings { exists: bool, phi: Phi },
    /// Whether all maximal runs satisfy a formula.
    Runs(Phi),
    /// Whether some maximal run satisfies a formula.
    SomeRun(Phi),
    /// Whether the initial marking satisfies a formula of computation tree logic. `is_universal`: it begins with `A`.
    Branching { is_universal: bool, phi: Phi },
    /// The largest value of a sum of token counts. Its factors are positive, and it has no constant.
    Bound(Sum),
}
