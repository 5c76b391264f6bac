//! The positions of runs of nets and thread-transition systems that are replayed: markings.

use super::formula;
use super::runs::Runs;
use crate::temporal::replay::Played;
use crate::work::Work;
use crate::{Check, reject};
use model::{Goal, Letter};
use num_bigint::BigUint;

impl Played for Runs<'_> {
    fn read(
        &mut self,
        marking: &Vec<BigUint>,
        _: Option<u32>,
        letters: &[Letter],
        out: &mut Vec<bool>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        for letter in letters {
            let Letter::Marking(id) = letter else { return reject("a letter is not about markings") };
            let formula = formula::asked(self.problem(), Goal::Formula(*id), marking.len())?;
            work.spend(formula::size(formula))?;
            out.push(formula::holds(formula, marking));
        }
        Ok(())
    }

    fn has_ended(&self, marking: &Vec<BigUint>) -> bool {
        self.enabled(marking).is_none()
    }

    fn describe(&self, marking: &Vec<BigUint>) -> String {
        let marked = marking.iter().filter(|tokens| **tokens != BigUint::ZERO).count();
        let first = self.enabled(marking).unwrap_or_default();
        format!("a marking of {marked} places in which {first} is enabled")
    }
}
