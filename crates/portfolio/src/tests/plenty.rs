//! Coverability in random nets with places that begin with more tokens than engines can count, against backward search.

use crate::{Finding, Options, check};
use model::{Formula, Net, Place, PlaceId, Problem, Range, Reason, Stop};
use num_bigint::BigUint;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use testkit::Random;
use testkit::net::{Covering, covering};

/// Turns of engines.
const TURNS: u32 = 60;

/// Returns a random net in which some places begin with very many tokens.
fn plentiful(random: &mut Random) -> Net {
    let net = testkit::net::net(random);
    let more = |place: &Place| {
        let many = BigUint::from(1u8) << [30, 31, 32, 61, 99][random.below(5)];
        match random.below(4) {
            0 | 1 => place.clone(),
            2 => Place { initial: Range::exactly(many), ..place.clone() },
            _ => Place { initial: Range { at_least: many, ..Range::from(0u8) }, ..place.clone() },
        }
    };
    let places = net.places().iter().map(more).collect();
    Net::new(places, net.transitions().to_vec()).expect("only initial counts are different")
}

#[test]
fn plenty_of_tokens_do_not_change_what_can_be_covered() {
    let (mut reachable, mut unreachable) = (0, 0);
    for seed in 0..testkit::count(2_000) {
        let mut random = Random::new(seed);
        let net = plentiful(&mut random);
        let vector: Vec<(PlaceId, BigUint)> = (0..random.between(1, 2))
            .map(|_| (PlaceId::new(random.below(net.places().len())), random.between(1, 4).into()))
            .collect();
        let problem =
            Problem::of_net(Arc::new(net)).never("target", Formula::cover(&vector)).expect("it has the places");
        let goal = problem.properties()[0].goal;
        let (stop, turns) = (Arc::new(Stop::default()), AtomicU32::new(0));
        let count = |_: &'static str| {
            if turns.fetch_add(1, Ordering::Relaxed) >= TURNS {
                stop.raise(Reason::Timeout);
            }
        };
        let outcome = check(&problem, &Options { stop: Arc::clone(&stop), on_turn: &count, ..Options::default() });
        let answer = outcome.about(goal).expect("it is asked");
        assert!(!matches!(answer.finding, Finding::Rejected { .. }), "{seed}: {:?}", answer.finding);
        match covering(&problem, goal) {
            Covering::Unknown => {}
            expected => assert!(
                if expected == Covering::Reachable { !answer.is_safe() } else { !answer.is_unsafe() },
                "{seed}: {:?}",
                answer.finding
            ),
        }
        let is_plenty = problem.system().as_net().is_some_and(|net| {
            net.is_monotone() && net.places().iter().any(|place| place.initial.at_least.bits() > 31)
        });
        reachable += u32::from(is_plenty && answer.is_unsafe());
        unreachable += u32::from(is_plenty && answer.is_safe());
    }
    assert!(reachable > 10 && unreachable > 10, "{reachable} {unreachable}");
}
