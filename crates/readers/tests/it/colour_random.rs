//! Random coloured nets: the reader's net is that of a plain unfolding, which tries all bindings and then leaves out
//! what never gets a token or never fires.

use crate::colour::shape;
use crate::pnml::net;
use crate::read_as;
use proptest::prelude::*;
use std::collections::BTreeSet;
use testkit::coloured::Coloured;

/// Returns the lines of [`shape`]. `None` if a difference that matters is not defined.
fn unfolded(net: &Coloured) -> Option<Vec<String>> {
    let initial = net.initial()?;
    let all = net.bindings();
    let mut there: BTreeSet<(usize, Vec<usize>)> = initial.keys().cloned().collect();
    loop {
        let before = there.len();
        for binding in &all {
            if let Some((takes, puts)) = &binding.arcs
                && takes.keys().all(|token| there.contains(token))
            {
                there.extend(puts.keys().cloned());
            }
        }
        if there.len() == before {
            break;
        }
    }
    let name = |(place, tuple): &(usize, Vec<usize>)| net.place_name(*place, tuple);
    let mut lines: Vec<String> =
        there.iter().map(|token| format!("{} {}", name(token), initial.get(token).unwrap_or(&0))).collect();
    for binding in &all {
        let (takes, puts) = binding.arcs.as_ref()?;
        if !takes.keys().all(|token| there.contains(token)) {
            continue;
        }
        let mut line = format!("{}:", binding.name);
        takes.iter().for_each(|(token, count)| line.push_str(&format!(" {}>={count}", name(token))));
        for token in takes.keys().chain(puts.keys()).collect::<BTreeSet<_>>() {
            let change = puts.get(token).unwrap_or(&0) - takes.get(token).unwrap_or(&0);
            if change != 0 {
                line.push_str(&format!(" {}{change:+}", name(token)));
            }
        }
        lines.push(line);
    }
    Some(lines)
}

fn agrees(choices: Vec<u8>) -> Result<(), TestCaseError> {
    let coloured = Coloured::of(choices);
    let text = coloured.text();
    match (read_as("t.pnml", &text), unfolded(&coloured)) {
        (Ok(read), Some(expected)) => prop_assert_eq!(shape(net(&read.problem)), expected, "{}", text),
        // A difference that is not defined may belong to a binding that never fires.
        (Ok(_), None) => {}
        (Err(error), None) => prop_assert_eq!(error.code(), "pnml::negative"),
        (Err(error), Some(_)) => prop_assert!(false, "{} {}", error, text),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn nets_are_those_of_a_plain_unfolding(choices in prop::collection::vec(any::<u8>(), 0..200)) {
        agrees(choices)?;
    }
}
