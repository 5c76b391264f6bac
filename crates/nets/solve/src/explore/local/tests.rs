//! The procedure alone, against brute force: the search that evaluates all formulas together would hide mistakes.

use super::*;
use model::{Formula, FormulaBuilder, FormulaId, Net, NetTask, PlaceId, Range};
use std::sync::Arc;
use testkit::Random;
use testkit::marked::branching::{Graph as All, formula};
use testkit::net::{arcs, place, up_to};

/// Nets with more markings are left out.
const MOST: usize = 100;

/// Returns the value of a formula in the initial marking.
fn value(net: &Arc<Net>, formulas: &[Arc<Formula>], formula: Ctl) -> bool {
    let task = Arc::new(NetTask::plain(Arc::clone(net), formulas.to_vec(), Vec::new()));
    let mut graph = Graph::new(&task, None, Arc::default()).expect("the net is small");
    let mut local = Local::new(formula, graph.initial[0]);
    let (result, _) = local.run(&mut graph, u64::MAX);
    result.expect("nothing is stuck").expect("it ends")
}

#[test]
fn formulas_alone_agree_with_brute_force() {
    let mut count = [0; 2];
    for seed in 0..testkit::count(20_000) {
        let random = &mut Random::new(seed ^ 0x6c6f_6361);
        let net = Arc::new(up_to(4, random));
        let Some(all) = All::of(&Arc::clone(&net).into(), MOST).filter(|all| all.initial == 1) else { continue };
        let formulas: Vec<Arc<Formula>> =
            (0..3).map(|_| Arc::new(testkit::formula::random(random, net.places().len()))).collect();
        let size = random.between(1, 10);
        let formula = formula(random, formulas.len(), size);
        let expected = all.holds(&formulas, &formula);
        assert_eq!(value(&net, &formulas, formula.clone()), expected, "seed {seed}: {formula:?}");
        count[usize::from(expected)] += 1;
    }
    assert!(!testkit::are_full() || count.iter().all(|count| *count > 2_000), "{count:?}");
}

/// An operand that is false only as a whole (no cycle of it becomes true) does not hide the other operand.
#[test]
fn operands_without_a_value_do_not_hide_others() {
    let places = ["a", "b", "c"].into_iter().enumerate();
    let places = places.map(|(p, name)| place(name, Range::exactly(u8::from(p == 0)))).collect();
    let stay = arcs("stay", &[(0, 1)], &[(0, 1)]);
    let transitions = vec![stay, arcs("go", &[(0, 1)], &[(1, 1)]), arcs("end", &[(1, 1)], &[(2, 1)])];
    let net = Arc::new(Net::new(places, transitions).expect("it is a net"));
    let marked = |list: &[usize]| {
        let mut builder = FormulaBuilder::default();
        let parts = list.iter().map(|p| builder.place_at_least(PlaceId::new(*p), &1u8.into())).collect();
        let root = builder.any(parts);
        Arc::new(builder.finish(root))
    };
    let formulas = [marked(&[0]), marked(&[0, 1]), marked(&[2])];
    let mut builder = model::CtlBuilder::default();
    let [a, a_or_b, c] = [0, 1, 2].map(|letter| builder.letter(FormulaId::new(letter)));
    let (never, next) = (builder.exists_until(a, c), builder.exists_next(a));
    let either = builder.join(false, vec![never, next]);
    let nested = builder.exists_until(a_or_b, never);
    for root in [either, nested] {
        assert!(value(&net, &formulas, builder.clone().finish(root)), "{root:?} of {builder:?}");
    }
}
