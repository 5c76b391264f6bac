//! Assumptions about violating runs: the user asks only about violating runs that satisfy them.
//!
//! An assumption narrows the question, for example to "can the program fail after an odd number of events?". A
//! search may use an assumption like a lemma. The checker accepts a trace only if the trace satisfies all
//! assumptions, and it accepts an assumption as an axiom of a refutation.

use crate::ids::{LocalId, ThreadId};
use crate::lemma::{LemmaLit, Prop};
use crate::pattern::ConcreteRun;
use crate::term::{Constant, IntAtom, IntTerm, Values};
use num_integer::Integer;
use num_traits::ToPrimitive;

/// A condition on the violating run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Assumption {
    /// At least one of these atoms holds. The only constant in them is [`Constant::RunLength`].
    Int(Vec<IntAtom>),
    /// At the end of the run, this thread is in one of these states.
    Final {
        /// The thread.
        thread: ThreadId,
        /// The allowed local states, ascending.
        states: Vec<LocalId>,
    },
}

impl Assumption {
    /// Returns the assumption as a clause: a disjunction of literals.
    #[must_use]
    pub fn clause(&self) -> Vec<LemmaLit> {
        match self {
            Self::Int(atoms) => atoms.iter().map(|atom| LemmaLit::yes(Prop::Int(atom.clone()))).collect(),
            Self::Final { thread, states } => {
                let state_back = |&state: &LocalId| Prop::StateBack { back: 0, thread: *thread, state };
                states.iter().map(|s| LemmaLit::yes(state_back(s))).collect()
            }
        }
    }

    /// Returns true if the assumption holds for a run of `length` events that ends in the composite state
    /// `last` (one local state per thread).
    #[must_use]
    pub fn holds(&self, length: u64, last: &[u32]) -> bool {
        match self {
            Self::Int(atoms) => {
                let values = Values::from([(Constant::RunLength, length.into())]);
                atoms.iter().any(|atom| atom.eval(&values) == Some(true))
            }
            Self::Final { thread, states } => {
                last.get(thread.index()).is_some_and(|s| states.binary_search(&LocalId(*s)).is_ok())
            }
        }
    }

    /// Returns true if the assumption holds for `run`.
    #[must_use]
    pub fn holds_of(&self, run: &ConcreteRun) -> bool {
        run.states.last().is_some_and(|last| self.holds(run.events.len() as u64, last))
    }
}

/// Classes of run lengths. No assumption distinguishes two lengths of the same class.
///
/// Each length below `exact` is a class of its own. Two lengths from `exact` on are in the same class iff they
/// have the same remainder modulo `modulus`. Classes are numbered from 0: length `exact + k` is in class
/// `exact + k % modulus`. The number of a class is therefore also a length in that class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lengths {
    /// Each length below this number is a class of its own.
    pub exact: u32,
    /// The modulus that distinguishes lengths from `exact` on. 0 means that no class contains such lengths.
    pub modulus: u32,
}

impl Lengths {
    /// Upper limit for the number of classes. If the assumptions need more classes, each length below this
    /// limit is a class of its own, and no class contains longer lengths.
    pub const MOST: u32 = 1 << 20;

    /// Returns classes such that no assumption distinguishes two lengths of the same class. The classes are
    /// derived from each atom on its own, so coarser classes may exist. If there would be more than
    /// [`Lengths::MOST`] classes, only lengths below that limit have a class.
    #[must_use]
    pub fn of(assumptions: &[Assumption]) -> Self {
        let atoms = assumptions.iter().flat_map(|assumption| match assumption {
            Assumption::Int(atoms) => atoms.as_slice(),
            Assumption::Final { .. } => &[],
        });
        let reach = atoms.map(reach).try_fold((0u64, 1u64), |(exact, modulus), of_atom| {
            let (from, by) = of_atom?;
            let modulus = u128::from(modulus).lcm(&u128::from(by)).to_u64()?;
            Some((exact.max(from), modulus))
        });
        let small = |(exact, modulus): (u64, u64)| {
            let count = exact.checked_add(modulus)?;
            (count <= Self::MOST.into()).then_some(Self { exact: exact as u32, modulus: modulus as u32 })
        };
        reach.and_then(small).unwrap_or(Self { exact: Self::MOST, modulus: 0 })
    }

    /// Returns the number of classes.
    #[must_use]
    pub fn count(self) -> u32 {
        self.exact + self.modulus
    }

    /// Returns the class of the runs that are one event longer than those of class `number`; `None` if no class
    /// contains longer runs.
    #[must_use]
    pub fn next(self, number: u32) -> Option<u32> {
        let longer = number + 1;
        if longer < self.count() { Some(longer) } else { (self.modulus > 0).then_some(self.exact) }
    }
}

/// For an atom about the run length, returns `(from, modulus)`: for lengths from `from` on, the truth of the
/// atom depends only on the length modulo `modulus`. Returns `None` for other forms of atoms, and for numbers
/// that do not fit 64 bits.
fn reach(atom: &IntAtom) -> Option<(u64, u64)> {
    let length = |term: &IntTerm| matches!(term, IntTerm::Constant(Constant::RunLength));
    match atom {
        IntAtom::Eq(IntTerm::Mod(_, 0), _) => None,
        IntAtom::Eq(IntTerm::Mod(term, modulus), IntTerm::Number(_)) if length(term) => Some((0, *modulus)),
        IntAtom::Eq(term, IntTerm::Number(n)) | IntAtom::Le(term, IntTerm::Number(n)) if length(term) => {
            Some((n.to_u64()?.checked_add(1)?, 1))
        }
        IntAtom::Le(IntTerm::Number(n), term) if length(term) => Some((n.to_u64()?, 1)),
        IntAtom::Eq(..) | IntAtom::Le(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(atoms: Vec<IntAtom>) -> Lengths {
        Lengths::of(&[Assumption::Int(atoms)])
    }

    #[test]
    fn classes_are_as_coarse_as_the_assumptions_allow() {
        let length = || Constant::RunLength;
        assert_eq!(Lengths::of(&[]), Lengths { exact: 0, modulus: 1 });
        assert_eq!(lengths(vec![IntAtom::equals(length(), 3)]), Lengths { exact: 4, modulus: 1 });
        let some = vec![IntAtom::at_least(length(), 5), IntAtom::congruent(length(), 1, 4)];
        assert_eq!(lengths(some), Lengths { exact: 5, modulus: 4 });
        let remainders = vec![IntAtom::congruent(length(), 1, 4), IntAtom::congruent(length(), 5, 6)];
        assert_eq!(lengths(remainders), Lengths { exact: 0, modulus: 12 });
        let far = Lengths { exact: Lengths::MOST, modulus: 0 };
        assert_eq!(lengths(vec![IntAtom::at_most(length(), u64::MAX)]), far);
        assert_eq!(lengths(vec![IntAtom::congruent(length(), 0, 1 << 40), IntAtom::congruent(length(), 0, 3)]), far);
    }

    /// Each assumption has the same truth value for a length and for the number of its class.
    #[test]
    fn the_number_of_a_class_stands_for_its_lengths() {
        let length = || Constant::RunLength;
        let atoms = [
            IntAtom::at_least(length(), 5),
            IntAtom::at_most(length(), 7),
            IntAtom::equals(length(), 2),
            IntAtom::congruent(length(), 3, 4),
            IntAtom::congruent(length(), 0, 6),
        ];
        for chosen in 0u32..32 {
            let all = || atoms.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1);
            let assumptions: Vec<Assumption> = all().map(|(_, atom)| Assumption::Int(vec![atom.clone()])).collect();
            let classes = Lengths::of(&assumptions);
            let mut class = 0;
            for length in 0..100 {
                let same = |a: &Assumption| a.holds(length, &[]) == a.holds(class.into(), &[]);
                assert!(assumptions.iter().all(same), "length {length} as {class} of {classes:?}, atoms {chosen:b}");
                class = classes.next(class).expect("they go on");
            }
        }
    }
}
