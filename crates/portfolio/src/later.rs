//! An engine that is created at its first turn, so that it costs nothing if other engines decide the problem
//! first. Creating an engine is work like any other. If the creation takes many work units, the engine is
//! created only after its turns have spent that number of units.

use model::saved::Nothing;
use model::{Budget, Engine, Goal, Save, Saved, Stats, Stop, Turn, Unrestored, Unsaved};

/// Creates the engine. Returns `None` if there is no engine for the problem.
type Make<'a> = Box<dyn FnOnce() -> Option<Box<dyn Engine + 'a>> + Send + 'a>;

/// An engine that may not have been created yet.
pub(crate) struct Later<'a> {
    name: &'static str,
    make: Option<Make<'a>>,
    /// Work units that remain to be spent before the engine is created.
    price: u64,
    engine: Option<Box<dyn Engine + 'a>>,
    /// Goals that were settled before the engine was created.
    settled: Vec<Goal>,
    /// True if the engine is going to be saved.
    is_saved: bool,
}

impl<'a> Later<'a> {
    /// Wraps `make` as an engine. `name` is the name of the engine, and `price` is the cost of creating it in
    /// work units. If `make` returns `None`, the engine ends without a claim.
    pub(crate) fn boxed(
        name: &'static str,
        price: u64,
        make: impl FnOnce() -> Option<Box<dyn Engine + 'a>> + Send + 'a,
    ) -> Box<dyn Engine + 'a> {
        Box::new(Self { name, make: Some(Box::new(make)), price, engine: None, settled: Vec::new(), is_saved: false })
    }
}

impl Later<'_> {
    /// Creates the engine, unless that was done before.
    fn create(&mut self) {
        if let Some(make) = self.make.take() {
            self.engine = make();
            if let Some(engine) = &mut self.engine {
                self.settled.sort_unstable();
                engine.settled(&self.settled);
                if self.is_saved {
                    let restored = engine.restore(&mut Nothing, &Stop::default());
                    debug_assert_eq!(restored, Ok(None), "nothing is saved");
                }
            }
        }
    }
}

/// Records of which the first one was read already.
struct Again<'r> {
    first: Option<Vec<u8>>,
    rest: &'r mut dyn Saved,
}

impl Saved for Again<'_> {
    fn next(&mut self, record: &mut Vec<u8>) -> Result<bool, Unrestored> {
        match self.first.take() {
            Some(first) => {
                *record = first;
                Ok(true)
            }
            None => self.rest.next(record),
        }
    }
}

impl Engine for Later<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        if self.make.is_some() {
            let paid = self.price.min(budget.work);
            self.price -= paid;
            if !budget.spend(paid) {
                return Turn::More;
            }
            debug_assert_eq!(self.price, 0, "the engine is paid for");
        }
        self.create();
        self.engine.as_mut().map_or(Turn::Done, |engine| engine.run(budget))
    }

    fn refused(&mut self, goal: Goal) {
        if let Some(engine) = &mut self.engine {
            engine.refused(goal);
        }
    }

    fn settled(&mut self, goals: &[Goal]) {
        match &mut self.engine {
            Some(engine) => engine.settled(goals),
            None => self.settled.extend(goals),
        }
    }

    fn claims_shortest(&self, goal: Goal) -> bool {
        self.engine.as_ref().is_some_and(|engine| engine.claims_shortest(goal))
    }

    fn save(&mut self, since: u64, to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
        self.engine.as_mut().map_or(Ok(None), |engine| engine.save(since, to))
    }

    /// An engine with records was paid for before it was saved. Without records, it is created later.
    fn restore(&mut self, from: &mut dyn Saved, stop: &Stop) -> Result<Option<u64>, Unrestored> {
        let mut first = Vec::new();
        if !from.next(&mut first)? {
            self.is_saved = true;
            return Ok(None);
        }
        self.create();
        let mut records = Again { first: Some(first), rest: from };
        self.engine.as_mut().map_or(Ok(None), |engine| engine.restore(&mut records, stop))
    }

    fn stats(&self) -> Stats {
        self.engine.as_ref().map_or_else(Stats::default, |engine| engine.stats())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ready::ReadyClaims;
    use model::{Claim, Reason, Stop};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn the_engine_is_made_when_it_is_paid_for() {
        let claim = Claim::Unknown { goals: vec![Goal::Bad], reason: Reason::GaveUp };
        let is_made = AtomicBool::new(false);
        let mut later = Later::boxed("x", 100, || {
            is_made.store(true, Ordering::Relaxed);
            Some(Box::new(ReadyClaims::new("slice", vec![claim])))
        });
        let turn = |work| Budget::new(work, Arc::new(Stop::default()));
        for _ in 0..2 {
            assert!(matches!(later.run(&mut turn(50)), Turn::More));
            assert!(!is_made.load(Ordering::Relaxed), "it is not paid for, or nothing is left of the turn");
        }
        let mut budget = turn(50);
        assert!(matches!(later.run(&mut budget), Turn::Claims(Claim::Unknown { .. })));
        assert_eq!((is_made.load(Ordering::Relaxed), budget.work), (true, 50));
        assert!(matches!(later.run(&mut budget), Turn::Done));
    }

    /// An engine that tells whether it has records.
    struct Recorded(Stats);

    impl Engine for Recorded {
        fn name(&self) -> &'static str {
            "recorded"
        }
        fn run(&mut self, _: &mut Budget) -> Turn {
            Turn::Done
        }
        fn refused(&mut self, _: Goal) {}
        fn restore(&mut self, from: &mut dyn Saved, _: &Stop) -> Result<Option<u64>, Unrestored> {
            let mut record = Vec::new();
            while from.next(&mut record)? {
                self.0.states += u64::from(record[0]);
            }
            self.0.transitions += 1;
            Ok((self.0.states > 0).then_some(1))
        }
        fn stats(&self) -> Stats {
            self.0.clone()
        }
    }

    #[test]
    fn an_engine_with_records_is_made_at_once() {
        for (records, is_made) in [(vec![], false), (vec![vec![1], vec![2]], true)] {
            let mut later = Later::boxed("x", 100, || Some(Box::new(Recorded(Stats::default()))));
            let mut log = testkit::Log::of(records);
            assert_eq!(log.restore(|from| later.restore(from, &Stop::default())), Ok(is_made));
            assert_eq!((later.stats().states, later.stats().transitions), if is_made { (3, 1) } else { (0, 0) });
            later.run(&mut Budget::new(1_000, Arc::new(Stop::default())));
            assert_eq!(later.stats().transitions, 1, "it is told once that it is saved");
        }
    }

    #[test]
    fn where_there_is_none_it_ends() {
        let mut later = Later::boxed("x", 0, || None);
        assert!(matches!(later.run(&mut Budget::unlimited(Arc::new(Stop::default()))), Turn::Done));
    }
}
