//! PNML: reading gives an error or a net. A plain net is written and read back unchanged. For small nets,
//! coverability IC3 and bit-level IC3 check for a while whether each place can hold two tokens, with their
//! invariants checked.
#![no_main]

use formats::{Limits, Source};
use readers::by_name;
use libfuzzer_sys::fuzz_target;
use model::{Budget, Engine, Formula, FormulaId, Goal, Net, NetTask, PlaceId, Stop, SystemModel, Turn};
use num_bigint::BigUint;
use nets::invariants::Invariants;
use std::sync::Arc;

/// Greatest number of places, and of transitions, of a net that is searched.
const SMALL: usize = 20;
/// Work units of a search.
const WORK: u64 = 2_000;

fn search(net: &Arc<Net>) {
    let two = |p| Arc::new(Formula::cover(&[(PlaceId::new(p), BigUint::from(2u8))]));
    let formulas: Vec<Arc<Formula>> = (0..net.places().len()).map(two).collect();
    let goals = (0..formulas.len()).map(|number| Goal::Formula(FormulaId::new(number))).collect();
    let task = NetTask::plain(Arc::clone(net), formulas, goals);
    let Some(invariants) = Invariants::new(&task).map(Arc::new) else { return };
    let stop = Arc::new(Stop::default());
    let engines: [Box<dyn Engine>; 2] = [
        Box::new(nets::Ic3::new(task.clone(), Arc::clone(&invariants))),
        Box::new(nets::Ic3Bits::new(task, invariants, nets::NetBitsOptions::default())),
    ];
    for mut engine in engines {
        let mut budget = Budget::new(WORK, Arc::clone(&stop));
        while budget.work > 0 && matches!(engine.run(&mut budget), Turn::Claims(_)) {}
    }
}

fuzz_target!(|bytes: &[u8]| {
    let format = by_name("pnml").expect("registered");
    let (reader, writer) = (format.read.expect("readable"), format.write.expect("writable"));
    let source = Source { name: "fuzz.pnml".to_owned(), bytes: bytes.to_vec() };
    let Ok(read) = reader(&source, &Limits::default()) else { return };
    if let Some(net) = read.problem.system().as_net()
        && net.places().len().max(net.transitions().len()) <= SMALL
    {
        search(net);
    }
    let mut text = Vec::new();
    if writer(&read.problem, &mut text).is_err() {
        return;
    }
    let again =
        reader(&Source { name: "again.pnml".to_owned(), bytes: text }, &Limits::default()).expect("our own text");
    let (SystemModel::Net(a), SystemModel::Net(b)) = (read.problem.system(), again.problem.system()) else { return };
    assert_eq!(a, b);
});
