//! Tests that limits end checks, exact to the unit.

use crate::{Refusal, Work};
use model::{Reason, Stop};

#[test]
fn an_allowance_is_spent_to_the_last_unit() {
    let stop = Stop::default();
    let mut work = Work::new(100_000, &stop);
    for _ in 0..100_000 {
        assert_eq!(work.spend(1), Ok(()));
    }
    assert_eq!(work.spend(0), Ok(()));
    assert_eq!(work.spend(1), Err(Refusal::ResourceLimit));
    assert_eq!(Work::new(7, &stop).spend(8), Err(Refusal::ResourceLimit));
}

#[test]
fn a_raised_flag_ends_work_soon() {
    let stop = Stop::default();
    let mut work = Work::new(u64::MAX, &stop);
    assert_eq!(work.spend(1), Ok(()));
    stop.raise(Reason::Timeout);
    let units = (0..1 << 20).take_while(|_| work.spend(1).is_ok()).count();
    assert!(units < 1 << 15, "{units}");
    assert_eq!(work.spend(1 << 20), Err(Refusal::ResourceLimit), "many units at once are no way around it");
}

#[test]
fn memory_is_asked_for() {
    let stop = Stop::with_memory_limit(1000, || 500);
    let work = Work::new(1, &stop);
    assert_eq!(work.grow(100), Ok(()));
    assert_eq!(work.grow(1000), Err(Refusal::ResourceLimit));
}
