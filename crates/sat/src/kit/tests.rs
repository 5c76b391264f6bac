//! Tests of the kit: a correct theory passes, and each theory with a planted fault is caught.

use super::*;
use crate::theory::{Ctx, DecidedBy, Tag};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Plant {
    Nothing,
    ExplainsByLater,
    ExplainsTooLittle,
    ImpliesTooEarly,
    LemmaTooStrong,
    ForgetsToUndo,
    UndoesTooMuch,
    ClaimsToRemember,
    NeverLooks,
    NeverEnds,
    NamesUnknown,
}

const BOUND: usize = 2;
const VARS: usize = 5;

/// At most two of five variables are true.
struct AtMost {
    plant: Plant,
    /// The true literals, in the order in which the theory was told. `levels` contains their number at the
    /// beginning of each level.
    told: Vec<Lit>,
    levels: Vec<usize>,
    extra: Option<Lit>,
    /// The literal that the theory was told last, of any variable.
    latest: Option<Lit>,
}

impl AtMost {
    fn new(plant: Plant) -> Self {
        Self { plant, told: Vec::new(), levels: Vec::new(), extra: None, latest: None }
    }

    /// Emits a lemma that one of the first three true literals is false. The first such lemma is split into two
    /// clauses by a new literal.
    fn conflict(&mut self, ctx: &mut Ctx<'_>) {
        let length = if self.plant == Plant::LemmaTooStrong { BOUND } else { BOUND + 1 };
        let clause: Vec<Lit> = self.told[..length].iter().map(|&lit| !lit).collect();
        if self.extra.is_none() && length > BOUND {
            let extra = *self.extra.insert(ctx.new_lit(DecidedBy::Theory));
            ctx.lemma(Tag(1), &[clause[0], extra]);
            ctx.lemma(Tag(2), &[clause[1], clause[2], !extra]);
            if self.plant == Plant::NamesUnknown {
                ctx.prefer(Var::new(extra.var().index() + 7).positive());
            }
        } else {
            ctx.lemma(Tag(0), &clause);
        }
    }
}

impl Theory for AtMost {
    fn propagate(&mut self, new: &[Lit], ctx: &mut Ctx<'_>) {
        if self.plant == Plant::NeverLooks {
            return;
        }
        self.latest = new.last().copied();
        self.told.extend(new.iter().filter(|lit| lit.is_positive() && lit.var().index() < VARS));
        let enough = if self.plant == Plant::ImpliesTooEarly { BOUND - 1 } else { BOUND };
        if self.told.len() > BOUND {
            self.conflict(ctx);
        } else if self.told.len() == enough && self.told[0].var().index() > 1 {
            // Otherwise the theory implies no literals and waits for a conflict, so that lemmas are tested too.
            let others = (0..VARS).map(|index| Var::new(index).positive());
            others.filter(|lit| !self.told.contains(lit)).for_each(|lit| ctx.imply(!lit));
        }
    }

    fn final_check(&mut self, ctx: &mut Ctx<'_>) {
        if self.plant == Plant::NeverEnds {
            ctx.lemma(Tag(9), &[Var::new(0).positive(), Var::new(0).negative()]);
        }
    }

    fn decide(&mut self, _: &Ctx<'_>) -> Option<Lit> {
        self.extra
    }

    fn explain(&mut self, lit: Lit, why: &mut Vec<Lit>) -> Tag {
        match self.plant {
            Plant::ExplainsByLater => {
                why.extend(self.told.iter().take(BOUND).chain(&self.latest).filter(|&&told| told != lit))
            }
            Plant::ExplainsTooLittle => why.extend(self.told.iter().take(BOUND - 1)),
            _ => why.extend(self.told.iter().take(BOUND)),
        }
        Tag(0)
    }

    fn push_level(&mut self) {
        self.levels.push(self.told.len());
    }

    fn pop_levels(&mut self, n: usize) {
        let keep = self.levels.len() - n;
        let told = self.levels[keep];
        self.levels.truncate(keep);
        match self.plant {
            Plant::ForgetsToUndo => {}
            Plant::UndoesTooMuch => self.told.truncate(told.saturating_sub(1)),
            _ => self.told.truncate(told),
        }
    }

    fn undoes_by_level(&self) -> bool {
        self.plant == Plant::ClaimsToRemember
    }
}

fn check(plant: Plant) -> Result<(), Rule> {
    let is_model = |values: &[bool]| values.iter().filter(|&&value| value).count() <= BOUND;
    theory(|| AtMost::new(plant), VARS, is_model, 200).map_err(|fault| fault.rule)
}

#[test]
fn a_good_theory_passes() {
    assert_eq!(check(Plant::Nothing), Ok(()));
}

#[test]
fn every_mutant_is_caught() {
    for (plant, rules) in [
        (Plant::ExplainsTooLittle, &[Rule::KeepsModels][..]),
        (Plant::ImpliesTooEarly, &[Rule::KeepsModels]),
        (Plant::LemmaTooStrong, &[Rule::KeepsModels]),
        (Plant::ForgetsToUndo, &[Rule::VouchesForModels, Rule::EarlierReasons, Rule::KeepsModels]),
        (Plant::UndoesTooMuch, &[Rule::VouchesForModels, Rule::EarlierReasons, Rule::KeepsModels]),
        (Plant::ClaimsToRemember, &[Rule::VouchesForModels, Rule::EarlierReasons, Rule::KeepsModels]),
        (Plant::NeverLooks, &[Rule::VouchesForModels]),
        (Plant::NeverEnds, &[Rule::Ends]),
        (Plant::NamesUnknown, &[Rule::KnownVariables]),
        (Plant::ExplainsByLater, &[Rule::EarlierReasons]),
    ] {
        let caught = check(plant);
        assert!(caught.is_err_and(|rule| rules.contains(&rule)), "{plant:?}: {caught:?}");
    }
}
