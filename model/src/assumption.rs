//! What the user assumes of violating runs: statements about the constants that patterns speak of.
//!
//! An assumption narrows the question ("can it go wrong after an odd number of events?"), so that a search may use it
//! like any lemma. The checker holds traces to it and accepts it as an axiom of refutations.

use crate::ids::{LocalId, ThreadId};
use crate::lemma::{LemmaLit, Prop};
use crate::pattern::ConcreteRun;
use crate::term::{Constant, IntAtom, IntTerm, Values};
use num_integer::Integer;
use num_traits::ToPrimitive;

/// A statement about the violating run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Assumption {
    /// Some of these atoms holds; the only constant in them is [`Constant::RunLength`].
    Int(Vec<IntAtom>),
    /// The run ends with this thread in one of these states.
    Final {
        /// The thread.
        thread: ThreadId,
        /// States, ascending.
        states: Vec<LocalId>,
    },
}

impl Assumption {
    /// The literals of which it says that one is true.
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

    /// Does it hold of a run of `length` events that ends in `last` (a local state per thread)?
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

    /// Does it hold of `run`?
    #[must_use]
    pub fn holds_of(&self, run: &ConcreteRun) -> bool {
        run.states.last().is_some_and(|last| self.holds(run.events.len() as u64, last))
    }
}

/// Lengths of runs, told apart as far as assumptions look: `0..exact` each by itself, and from `exact` on by the
/// remainder by `modulus`. They are numbered from 0: length `exact + k` has the number `exact + k % modulus`, so a
/// number is also a length of its class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lengths {
    /// Lengths below this are classes of their own.
    pub exact: u32,
    /// Longer ones are told apart by their remainder; 0 means that there are no longer ones.
    pub modulus: u32,
}

impl Lengths {
    /// No more classes than this: what looks further is counted so far, and no further.
    pub const MOST: u32 = 1 << 20;

    /// The coarsest classes that `assumptions` do not look into.
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

    /// How many classes there are.
    #[must_use]
    pub fn count(self) -> u32 {
        self.exact + self.modulus
    }

    /// The class of runs that are one event longer than those of class `number`; `None` if nothing is longer.
    #[must_use]
    pub fn next(self, number: u32) -> Option<u32> {
        let longer = number + 1;
        if longer < self.count() { Some(longer) } else { (self.modulus > 0).then_some(self.exact) }
    }
}

/// From which length on an atom about the length of the run is a matter of the remainder by some number, and by which
/// one; `None` for atoms of a form that no assumption has.
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

    /// Whatever is said of a class is true of all its lengths.
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
