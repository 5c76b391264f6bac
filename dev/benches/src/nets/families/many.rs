//! Up to 10^4 goals about one net in one run: contest formulas about independent state machines.

use super::{Case, Model};
use crate::corpus::Verdict::{Safe, Unsafe};
use patterns::kit::Random;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Number of state machines, and number of states of each.
const MACHINES: usize = 10;
const STATES: usize = 12;

pub(crate) fn cases() -> Vec<Case> {
    [100, 1_000, 10_000].map(many).into()
}

/// Each machine runs in a cycle. Every step is independent of the other machines, except the step back into the
/// first state. Three states are reached together if and only if no two of them are different states of one
/// machine.
fn many(count: usize) -> Case {
    let mut known = BTreeMap::new();
    for (id, places) in questions(count) {
        let clash = places.iter().any(|a| places.iter().any(|b| a.0 == b.0 && a.1 != b.1));
        known.insert(id, if clash { Safe } else { Unsafe });
    }
    Case::with_answers("many targets", &format!("{count} formulas"), known, move || {
        let properties = questions(count).into_iter().enumerate();
        let properties: String = properties.map(|(i, (id, places))| property(&id, &places, i % 2 == 0)).collect();
        let xml = format!("<property-set xmlns=\"http://mcc.lip6.fr/\">\n{properties}</property-set>\n");
        Model { file: "model.pnml", text: pnml(), goals: Some(("goals.xml", xml)) }
    })
}

/// A machine and its state.
type State = (usize, usize);

fn questions(count: usize) -> Vec<(String, [State; 3])> {
    let random = &mut Random::new(7);
    let state = |random: &mut Random| (random.below(MACHINES), random.below(STATES));
    (0..count).map(|i| (format!("Q-{i:05}"), [state(random), state(random), state(random)])).collect()
}

fn property(id: &str, places: &[State], exists: bool) -> String {
    let one = |(m, s): &State| {
        let tokens = format!("<tokens-count><place>m{m}s{s}</place></tokens-count>");
        format!("<integer-le><integer-constant>1</integer-constant>{tokens}</integer-le>")
    };
    let all: String = places.iter().map(one).collect();
    let formula = if exists {
        format!("<exists-path><finally><conjunction>{all}</conjunction></finally></exists-path>")
    } else {
        format!("<all-paths><globally><negation><conjunction>{all}</conjunction></negation></globally></all-paths>")
    };
    format!("<property><id>{id}</id><description>d</description><formula>{formula}</formula></property>\n")
}

/// Machines start in state 0. Two neighbours return to it together.
fn pnml() -> String {
    let mut text = String::from(
        "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\"><net id=\"n\" \
         type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"g\">\n",
    );
    let mut arcs = 0;
    let mut transition = |text: &mut String, name: &str, takes: &[String], puts: &[String]| {
        let _ = writeln!(text, "<transition id=\"{name}\"/>");
        for (source, target) in takes.iter().map(|p| (p.as_str(), name)).chain(puts.iter().map(|p| (name, p.as_str())))
        {
            let _ = writeln!(text, "<arc id=\"a{arcs}\" source=\"{source}\" target=\"{target}\"/>");
            arcs += 1;
        }
    };
    for m in 0..MACHINES {
        let _ = writeln!(text, "<place id=\"m{m}s0\"><initialMarking><text>1</text></initialMarking></place>");
        for s in 1..STATES {
            let _ = writeln!(text, "<place id=\"m{m}s{s}\"/>");
        }
    }
    for m in 0..MACHINES {
        for s in 1..STATES {
            transition(&mut text, &format!("t{m}_{s}"), &[format!("m{m}s{}", s - 1)], &[format!("m{m}s{s}")]);
        }
    }
    for m in (0..MACHINES).step_by(2) {
        let (last, next) = (STATES - 1, m + 1);
        let ends = [format!("m{m}s{last}"), format!("m{next}s{last}")];
        transition(&mut text, &format!("back{m}"), &ends, &[format!("m{m}s0"), format!("m{next}s0")]);
    }
    text.push_str("</page></net></pnml>\n");
    text
}

/// A small case with its known verdicts, for tests.
#[cfg(test)]
pub(crate) fn small() -> (Case, Vec<crate::corpus::Verdict>) {
    let case = many(40);
    let known = (0..40).map(|i| case.known.of(&format!("Q-{i:05}")).expect("asked")).collect();
    (case, known)
}
