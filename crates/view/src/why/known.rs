//! What is known of the subformulas: from constants, from a search of a small net, and from the listed markings of the
//! evidence, cheapest first.

use super::never::Future;
use super::paths::Paths;
use super::words::Words;
use certify::why::{Constants, truths};
use model::{BranchingEvidence, Ctl, CtlId, CtlNode, Problem, Stop};
use std::cell::OnceCell;

/// The listed markings of the evidence.
pub(super) struct Listed<'p> {
    pub(super) paths: Paths<'p>,
    /// The initial marking that decides the formula.
    pub(super) initial: u32,
}

impl<'p> Listed<'p> {
    pub(super) fn of(
        problem: &Problem,
        formula: &Ctl,
        evidence: &'p BranchingEvidence,
        constants: &Constants,
        holds: bool,
    ) -> Option<Self> {
        let truths = truths(problem, formula, evidence, constants, &Stop::default())?;
        let decides = |number: &&u32| truths.truth(formula.root(), **number) == Some(holds);
        let initial = truths.initial().iter().find(decides).copied()?;
        Some(Self { paths: Paths::new(truths, &evidence.markings.as_ref()?.slots), initial })
    }
}

/// What is known of the subformulas, cheapest first.
pub(super) struct Known<'p> {
    pub(super) problem: &'p Problem,
    pub(super) formula: &'p Ctl,
    pub(super) evidence: &'p BranchingEvidence,
    pub(super) constants: Constants,
    pub(super) holds: bool,
    /// Computed when it is needed: for small nets the markings after the initial one say enough.
    pub(super) listed: OnceCell<Option<Listed<'p>>>,
    /// For each subformula: its truth, if it is the same in all reachable markings.
    pub(super) lasting: Vec<Option<bool>>,
    /// The markings that can be reached from the initial one, if they are few.
    pub(super) future: Option<Future<'p>>,
}

impl<'p> Known<'p> {
    pub(super) fn listed(&self) -> Option<&Listed<'p>> {
        let Self { problem, formula, evidence, constants, holds, .. } = self;
        self.listed.get_or_init(|| Listed::of(problem, formula, evidence, constants, *holds)).as_ref()
    }

    /// The truth of `EF a`, `EF !EF a` and their negations in the initial marking of a small net.
    pub(super) fn initially(&self, words: &Words<'_>, id: CtlId) -> Option<bool> {
        let future = self.future.as_ref()?;
        let reached = match self.formula.node(id) {
            CtlNode::Not(a) => return self.initially(words, *a).map(|truth| !truth),
            node => self.formula.reached(node)?,
        };
        match reached {
            CtlNode::Not(inner) => {
                let letter = self.formula.reached(self.formula.node(*inner))?;
                Some(future.lost(words.letter(letter)?).is_some())
            }
            letter => Some(future.reaches(words.letter(letter)?)),
        }
    }
}
