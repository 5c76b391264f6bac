//! Nets and thread-transition systems as choices: a label is a transition. The fields of the start are the places with
//! several possible counts. The fields of a broadcast are the numbers of threads that go to each of several targets.

use super::{Choices, Field, Lack, Refusal, Taken, digits, holds, number, outcomes};
use crate::reasons;
use crate::steps::Value;
use crate::steps::marking::{Marking, Stepper};
use crate::trace::{self, Detail};
use model::{
    Act, Formula, Goal, LocalId, Marked, Net, PlaceId, Problem, Range, SystemModel, ThreadTransitionSystem,
    TransitionId,
};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use std::sync::Arc;

/// The number of values of a field for an initial count without upper bound: traces store 32 bits.
const COUNTS: u64 = 1 << 32;

/// The number of outcomes that are tried to find the one that a trace records.
const TRIED: usize = 1 << 16;

/// A net or thread-transition system as choices. A state is a marking.
#[derive(Clone, Debug)]
pub struct MarkedChoices {
    system: System,
    /// The markings in which the system may end, if it declares them.
    ends: Option<Arc<Formula>>,
}

#[derive(Clone, Debug)]
enum System {
    Net(Arc<Net>),
    Threads(Arc<ThreadTransitionSystem>),
}

impl MarkedChoices {
    /// Creates the choices; `None` if the states of the system are not markings.
    #[must_use]
    pub fn new(system: &SystemModel) -> Option<Self> {
        let ends = model::deadlock::ends(system);
        let system = match system.as_marked()? {
            Marked::Net(net) => System::Net(Arc::clone(net)),
            Marked::Threads(threads) => System::Threads(Arc::clone(threads)),
        };
        Some(Self { system, ends })
    }

    fn stepper(&self) -> Stepper<'_> {
        match &self.system {
            System::Net(net) => Stepper::Net(net),
            System::Threads(threads) => Stepper::Threads(threads),
        }
    }

    fn count(&self) -> usize {
        match &self.system {
            System::Net(net) => net.transitions().len(),
            System::Threads(threads) => threads.transitions().len(),
        }
    }

    /// Returns the places that prevent a transition.
    fn lacks(&self, at: &Marking, transition: TransitionId) -> Vec<Lack> {
        let stepper = self.stepper();
        let lack = |place: PlaceId, range: &Range| Lack {
            place: stepper.place_name(place),
            has: at[place.index()].clone(),
            needs: match &range.at_most {
                Some(most) if at[place.index()] > *most => format!("<= {most}"),
                _ => format!(">= {}", range.at_least),
            },
        };
        match &self.system {
            System::Net(net) => {
                let guards = net.transition(transition).guards.iter();
                guards.filter(|g| !g.range.contains(&at[g.place.index()])).map(|g| lack(g.place, &g.range)).collect()
            }
            System::Threads(threads) => {
                let (s, l) = threads.transitions()[transition.index()].from;
                let asked = [threads.shared_place(s), threads.local_place(l)].into_iter();
                asked.filter(|p| at[p.index()].is_zero()).map(|p| lack(p, &Range::from(1u32))).collect()
            }
        }
    }

    /// Returns the sources of passive threads with several targets: each with the number of threads in it.
    fn spread(&self, at: &Marking, transition: TransitionId) -> Vec<(LocalId, BigUint, Vec<LocalId>)> {
        let System::Threads(threads) = &self.system else { return Vec::new() };
        let t = &threads.transitions()[transition.index()];
        if t.act != Act::Move {
            return Vec::new();
        }
        let several = t.passive.iter().filter(|(_, targets)| targets.len() > 1);
        let counted = several.map(|(source, targets)| {
            let own = u32::from(*source == t.from.1);
            let tokens = at[threads.local_place(*source).index()].clone();
            (*source, if tokens.is_zero() { tokens } else { tokens - own }, targets.to_vec())
        });
        counted.filter(|(_, n, _)| !n.is_zero()).collect()
    }
}

impl Choices for MarkedChoices {
    type State = Marking;

    const NOTE: &'static str = "A state lists the places with tokens.";

    fn start_fields(&self) -> Vec<Field> {
        let stepper = self.stepper();
        let field = |(place, range): (PlaceId, Range)| {
            let least = range.at_least.clone();
            let count = range.at_most.map_or(BigUint::from(COUNTS), |most| most - &least + 1u32);
            Field::counted(stepper.place_name(place), count.min(COUNTS.into()), least)
        };
        stepper.open_places().into_iter().map(field).collect()
    }

    fn start(&self, outcome: &BigUint) -> Option<Marking> {
        self.recorded_start(outcome).map(|extra| self.stepper().start(&extra))
    }

    fn start_of(&self, recorded: &[u32]) -> Option<BigUint> {
        let values: Vec<BigUint> = recorded.iter().map(|n| BigUint::from(*n)).collect();
        Some(number(&self.start_fields(), &values))
    }

    fn recorded_start(&self, outcome: &BigUint) -> Option<Box<[u32]>> {
        let values = digits(&self.start_fields(), outcome)?;
        values.iter().map(|value| u32::try_from(value).ok()).collect()
    }

    fn labels(&self) -> usize {
        self.count()
    }

    fn name(&self, label: u32) -> String {
        self.stepper().transition_name(TransitionId(label))
    }

    fn enabled(&self, at: &Marking) -> Vec<u32> {
        let stepper = self.stepper();
        stepper.transitions().filter(|t| stepper.is_enabled(at, *t)).map(|t| t.0).collect()
    }

    fn fields(&self, at: &Marking, label: u32) -> Vec<Field> {
        let mut fields = Vec::new();
        for (source, n, targets) in self.spread(at, TransitionId(label)) {
            for target in &targets[1..] {
                let name = format!("threads from {} to {}", source.0, target.0);
                fields.push(Field::counted(name, &n + BigUint::one(), BigUint::ZERO));
            }
        }
        fields
    }

    fn refusal(&self, at: &Marking, label: u32) -> Refusal {
        if (label as usize) < self.count() {
            Refusal::Tokens(self.lacks(at, TransitionId(label)))
        } else {
            Refusal::Unknown
        }
    }

    fn take(&self, at: &Marking, label: u32, outcome: &BigUint) -> Result<Taken<Marking>, Refusal> {
        let (stepper, transition) = (self.stepper(), TransitionId(label));
        if label as usize >= self.count() || !stepper.is_enabled(at, transition) {
            return Err(self.refusal(at, label));
        }
        let values = digits(&self.fields(at, label), outcome).ok_or(Refusal::Unknown)?;
        let (mut values, mut fits) = (values.into_iter(), true);
        // The first target gets the threads that the fields leave over.
        let changes = stepper.fire(at, transition, &mut |_, n, targets| {
            let mut counts: Vec<BigUint> = vec![BigUint::ZERO];
            counts.extend(targets[1..].iter().map(|_| values.next().unwrap_or_default()));
            let sum: BigUint = counts.iter().sum();
            fits &= sum <= *n;
            counts[0] = if sum <= *n { n - sum } else { BigUint::ZERO };
            counts
        });
        if !fits {
            return Err(Refusal::Unknown);
        }
        let mut to = at.clone();
        for (place, n) in changes {
            to[place.index()] = n;
        }
        let event = stepper.transition_name(transition);
        Ok(Taken { to, event, requested_by: Vec::new(), shows: Vec::new(), goals: Vec::new(), is_rejected: false })
    }

    fn recorded(&self, at: &Marking, label: u32, _: &BigUint, to: &Marking) -> Result<Option<Box<[u32]>>, Refusal> {
        let System::Threads(threads) = &self.system else { return Ok(None) };
        if self.fields(at, label).is_empty() {
            return Ok(None);
        }
        let shared = to.iter().take(threads.shared() as usize).position(|n| !n.is_zero()).unwrap_or(0);
        let locals = to[threads.shared() as usize..].iter().map(|n| u32::try_from(n).ok());
        let slots: Option<Box<[u32]>> = std::iter::once(u32::try_from(shared).ok()).chain(locals).collect();
        slots.map(Some).ok_or_else(|| Refusal::Other("a trace cannot record so many threads".to_owned()))
    }

    fn outcome_of(&self, at: &Marking, label: u32, recorded: Option<&[u32]>) -> Option<BigUint> {
        let Some(recorded) = recorded else { return Some(BigUint::ZERO) };
        let mut to = at.clone();
        for (place, n) in self.stepper().towards(at, recorded) {
            to[place.index()] = n;
        }
        let (all, _) = outcomes(&self.fields(at, label), TRIED);
        all.into_iter().find(|outcome| self.take(at, label, outcome).is_ok_and(|taken| taken.to == to))
    }

    fn parts(&self) -> usize {
        match &self.system {
            System::Net(net) => net.places().len(),
            System::Threads(threads) => threads.places(),
        }
    }

    fn part(&self, part: usize) -> String {
        self.stepper().place_name(PlaceId::new(part))
    }

    fn value(&self, at: &Marking, part: usize) -> Value {
        Value::Tokens(at[part].clone())
    }

    fn differ(&self, at: &Marking, other: &Marking) -> Vec<usize> {
        super::positions(at, other)
    }

    fn numbers(&self, at: &Marking) -> Vec<u32> {
        at.iter().map(|n| u32::try_from(n).unwrap_or(u32::MAX)).collect()
    }

    fn holds(&self, at: &Marking, formula: &Formula) -> Option<bool> {
        Some(holds(formula, |place| BigInt::from(at[place.index()].clone())))
    }

    fn reaches(&self, at: &Marking, goal: Goal) -> bool {
        goal == Goal::Deadlock
            && !self.stepper().transitions().any(|t| self.stepper().is_enabled(at, t))
            && !self.may_end(at)
    }

    fn may_end(&self, at: &Marking) -> bool {
        self.ends.as_ref().is_some_and(|ends| self.holds(at, ends) == Some(true))
    }

    fn lines(&self, _: &Marking, at: &Marking) -> Vec<String> {
        let marked = at.iter().enumerate().filter(|(_, count)| !count.is_zero());
        let line = |(place, count): (usize, &BigUint)| {
            let name = self.part(place);
            if count.is_one() { name } else { format!("{name} = {count}") }
        };
        let lines: Vec<String> = marked.map(line).collect();
        if lines.is_empty() { vec!["(no tokens)".to_owned()] } else { lines }
    }

    fn show(&self, at: &Marking, most: usize) -> String {
        reasons::show(self.stepper(), at, most)
    }

    fn line_of(&self, from: &Marking, _: u32, taken: &Taken<Marking>, detail: Detail) -> String {
        let changes = || {
            let parts = self.differ(from, &taken.to);
            let changes = parts.into_iter().map(|part| (PlaceId::new(part), from[part].clone())).collect();
            trace::net::changed(self.stepper(), &changes, &taken.to, detail)
        };
        let now = match &self.system {
            System::Net(_) => changes(),
            System::Threads(_) => self.show(&taken.to, if detail.all { usize::MAX } else { trace::net::CHANGED + 4 }),
        };
        format!("{}  {now}", taken.event)
    }

    fn why(&self, problem: &Problem, at: &Marking, goal: Goal, steps: u64, detail: Detail) -> String {
        trace::net::why(problem, self.stepper(), at, goal, steps, detail)
    }

    fn size(&self, at: &Marking) -> usize {
        at.iter().map(|n| size_of::<BigUint>() + if n.is_zero() { 0 } else { 32 }).sum()
    }
}
