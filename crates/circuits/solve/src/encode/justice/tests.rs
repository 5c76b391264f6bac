//! The outputs of translated circuits against brute force.

use super::translate;
use model::{JusticeId, OutputId, Translation};
use std::sync::Arc;
use testkit::circuit::{circuit_with_justice, has_fair_run, truth};

/// The output of the translated circuits can be true as the definitions of the translations say. Counting to the
/// number of states decides the property.
#[test]
fn outputs_stand_for_justice() {
    let (mut compared, mut violated) = (0, 0);
    for seed in 0..testkit::count(3_000) {
        let circuit = Arc::new(circuit_with_justice(seed));
        if circuit.latches().len() > 3 || circuit.inputs().len() > 2 {
            continue;
        }
        let justice = JusticeId(0);
        let is_violated = has_fair_run(&circuit, justice);
        for translation in [Translation::Loop, Translation::Count(9), Translation::Count(0)] {
            let translated = translate(&circuit, justice, translation);
            let task = translated.task();
            let Some(truth) = truth(task.circuit(), 50_000) else { continue };
            let is_true = truth.shortest.contains_key(&OutputId(0));
            if translation == Translation::Count(0) {
                assert!(is_true || !is_violated, "seed {seed}");
            } else {
                assert_eq!(is_true, is_violated, "seed {seed}, {translation:?}");
            }
        }
        compared += 1;
        violated += u32::from(is_violated);
    }
    if testkit::are_full() {
        assert!(compared > 50 && violated > 10 && compared > violated + 10, "{violated} of {compared}");
    }
}
