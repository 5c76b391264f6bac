//! Reader for `assume` in the JSON form: `{"length": [..]}` (at least one of these comparisons holds) and
//! `{"end": THREAD, "in": [..]}`.

use super::read::{Names, Reader};
use crate::rwb::assume::{AtomForm, MOST};
use formats::error::printable;
use formats::json::{Object, Res, Value};
use formats::{codes, suggest};
use model::{Assumption, IntAtom, LocalId, Program, ThreadId};
use std::collections::HashMap;

/// The number of state names that count as one unit of work.
const NAMES_PER_UNIT: usize = 16;

impl<'a> Reader<'a> {
    /// Reads a list of assumptions about `program`.
    pub(super) fn assumptions(&mut self, list: Value<'a>, program: &Program) -> Res<Vec<Assumption>> {
        let threads: HashMap<&str, usize> =
            program.threads().iter().enumerate().map(|(i, t)| (t.name.as_str(), i)).collect();
        let list = self.document.array(list, "a list of assumptions")?;
        list.into_iter().map(|value| self.assumption(value, program, &threads)).collect()
    }

    fn assumption(&mut self, value: Value<'a>, program: &Program, threads: &HashMap<&str, usize>) -> Res<Assumption> {
        let object = self.document.record(value, "an assumption", &["length", "end", "in"])?;
        if let Some(atoms) = object.get("length") {
            if object.get("end").is_some() || object.get("in").is_some() {
                let error = self.document.error(&codes::RWB_ASSUME_FORM, value, "an assumption of two kinds");
                return Err(error.label("expected either `length`, or `end` with `in`"));
            }
            let list = self.document.array(atoms, "a list of comparisons")?;
            if list.is_empty() {
                let message = "expected a list of comparisons, found an empty one";
                let error = self.document.error(&codes::JSON_TYPE, atoms, message);
                return Err(error.label("expected at least one"));
            }
            let atoms: Res<Vec<IntAtom>> = list.into_iter().map(|atom| self.atom(atom)).collect();
            return Ok(Assumption::Int(atoms?));
        }
        let (place, within) = (self.document.required(&object, "end")?, self.document.required(&object, "in")?);
        let name = self.document.string(place, "the name of a thread")?;
        let Some(thread) = threads.get(name.as_ref()).copied() else {
            let message = format!("there is no thread `{}`", printable(&name));
            let error = self.document.error(&codes::RWB_UNKNOWN_THREAD, place, message).label("not in `threads`");
            return Err(suggest::hinted(error, &name, program.threads().iter().map(|t| t.name.as_str()), ""));
        };
        let known = &program.threads()[thread].states;
        self.meter.work(1 + known.len() / NAMES_PER_UNIT, self.span(place))?;
        let names: Names = known.iter().enumerate().map(|(i, s)| (s.name.clone(), LocalId::new(i))).collect();
        let states = self.states(within, &names)?;
        if states.is_empty() {
            let message = "expected a list of state names, found an empty one";
            let error = self.document.error(&codes::JSON_TYPE, within, message);
            return Err(error.label("expected at least one state"));
        }
        Ok(Assumption::Final { thread: ThreadId::new(thread), states })
    }

    /// Reads a comparison: `{">=": 10}`, `{"<=": 10}`, `{"==": 3}` or `{"%": 4, "==": 1}`.
    fn atom(&mut self, value: Value<'a>) -> Res<IntAtom> {
        let object = self.document.record(value, "a comparison", &[">=", "<=", "==", "%"])?;
        let number = |key| self.number(&object, key);
        let part = match (number(">=")?, number("<=")?, number("==")?, number("%")?) {
            (Some(n), None, None, None) => AtomForm::AtLeast(n),
            (None, Some(n), None, None) => AtomForm::AtMost(n),
            (None, None, Some(n), None) => AtomForm::Equal(n),
            (None, None, Some(residue), Some(modulus)) if residue < modulus => AtomForm::Residue(modulus, residue),
            (None, None, Some(residue), Some(modulus)) => {
                let message = format!("{residue} is not a remainder of a division by {modulus}");
                let error = self.document.error(&codes::RWB_ASSUME_NUMBER, value, message);
                return Err(error.label("expected a remainder below the modulus"));
            }
            _ => {
                let message = "expected one of `>=`, `<=`, `==`, or `%` with `==`";
                return Err(self.document.error(&codes::RWB_ASSUME_FORM, value, message).label("not a comparison"));
            }
        };
        Ok(part.atom())
    }

    fn number(&self, object: &Object<'a>, key: &str) -> Res<Option<u64>> {
        let Some(value) = object.get(key) else { return Ok(None) };
        match value.get().parse::<u64>() {
            Ok(n) if n < MOST => Ok(Some(n)),
            _ => {
                let message = format!("expected a length, found {}", printable(value.get()));
                let error = self.document.error(&codes::RWB_ASSUME_NUMBER, value, message);
                Err(error.label("expected a number from 0 to 2^62 - 1"))
            }
        }
    }
}
