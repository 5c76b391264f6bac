//! Compares translated formulas with direct evaluation.

mod engine;
mod formulas;
mod words;

use crate::automaton::Automaton;
use crate::scc::components;
use crate::translate::violations;
use formulas::{any_formula, parse};
use model::{Letter, Ltl};
use proptest::prelude::*;
use words::{Word, any_word};

/// Returns true if the automaton accepts the word.
fn accepts(automaton: &Automaton, word: &Word) -> bool {
    let (n, length) = (automaton.len(), word.letters.len());
    let edges = |node: usize| {
        let (q, at) = (node / length, node % length);
        let class = automaton.alphabet.class(word.letters[at]);
        let next = word.next(at);
        automaton
            .edges(q as u32, class)
            .iter()
            .map(move |e| (e.to as usize * length + next, e.marks))
            .collect::<Vec<_>>()
    };
    let component = components(n * length, |node| edges(node).into_iter().map(|(to, _)| to).collect());
    let mut reached = vec![false; n * length];
    let mut todo: Vec<usize> = automaton.initial.iter().map(|&q| q as usize * length).collect();
    let mut marks = vec![None; n * length];
    while let Some(node) = todo.pop() {
        if std::mem::replace(&mut reached[node], true) {
            continue;
        }
        for (to, some) in edges(node) {
            if component[to] == component[node] {
                *marks[component[to]].get_or_insert(0) |= some;
            }
            todo.push(to);
        }
    }
    marks.contains(&Some(automaton.all))
}

proptest! {
    #![proptest_config(testkit::config(3000))]

    #[test]
    fn automata_accept_what_violates(formula in any_formula(), words in prop::collection::vec(any_word(), 8)) {
        let Some(automaton) = violations(&formula) else { return Ok(()) };
        for word in words {
            prop_assert_eq!(accepts(&automaton, &word), !word.satisfies(&formula), "{:?}", word);
        }
    }
}

fn states(text: &str) -> usize {
    violations(&parse(text)).expect("it is small").len()
}

#[test]
fn common_formulas_have_small_automata() {
    assert_eq!(states("(G ! oV)"), 2);
    assert_eq!(states("(F oV)"), 1);
    assert_eq!(states("(G (! iA | (F oV)))"), 2);
    assert_eq!(states("(! oW WU iB)"), 2);
    assert_eq!(states("(G (! (oW & ! iD) | (! iD U (oY & ! iD))))"), 3);
    assert_eq!(states("((G ! iC) | (F (iC & (F oW))))"), 2);
}

#[test]
fn what_no_run_can_violate_has_no_states() {
    assert_eq!(states("(G (! oV | X ! oW))"), 0, "an input follows an output");
    assert_eq!(states("! oV"), 0, "the first letter is an input");
    assert_eq!(states("((F oV) | (G ! oV))"), 0);
    assert_eq!(states("true"), 0);
    assert_eq!(states("! (iA & iB)"), 0);
}

#[test]
fn a_letter_that_the_formula_does_not_name_is_of_its_kind() {
    let formula: Ltl = parse("(iA | ! X oV)");
    let automaton = violations(&formula).unwrap();
    let word = |letters: &[Letter]| Word { letters: letters.to_vec(), back: 0 };
    assert!(accepts(&automaton, &word(&[Letter::Input(7), Letter::Output(22)])));
    assert!(!accepts(&automaton, &word(&[Letter::Input(7), Letter::Output(23)])));
    assert!(!accepts(&automaton, &word(&[Letter::Input(1), Letter::Output(22)])));
}

#[test]
fn a_deep_formula_needs_no_stack() {
    let text = "X ".repeat(10_000) + "iA";
    assert!(violations(&parse(&text)).is_none_or(|a| a.len() > 10_000));
    let text = "! ".repeat(10_000) + "(F iA)";
    assert_eq!(states(&text), 1);
}
