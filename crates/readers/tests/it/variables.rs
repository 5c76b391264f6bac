//! Questions about variables of threads (`rwb 2`).

use impasse_readers::{Ask, Error, Limits, Source, ask, read_for};
use model::{Goal, Letter, LtlNode, Problem, Program};

/// Reads a program with its questions.
fn asked(text: &str, questions: &[&str]) -> Result<(Problem, Vec<Goal>), Box<Error>> {
    let source = Source { name: "t.rwb".to_owned(), bytes: text.as_bytes().to_vec() };
    let mut problem = read_for(source, None, &Limits::default(), questions)?.problem;
    let mut goals = Vec::new();
    for (at, question) in questions.iter().enumerate() {
        match ask(&mut problem, question, at + 1, &Limits::default())? {
            Ask::Property(property) => goals.push(property.goal),
            Ask::Unsupported { error, .. } => return Err(error),
        }
    }
    Ok((problem, goals))
}

fn code(text: &str, question: &str) -> &'static str {
    asked(text, &[question]).expect_err(question).code()
}

fn program(problem: &Problem) -> &Program {
    problem.system().as_program().expect("a program")
}

const COUNTER: &str = "rwb 2 enum Side { North, South } event tick, stop
    thread C { var n: 0..5 = 0 var side: Side var is_open: bool var board[2][2]: 0..3
      body { while n < 4 { request tick  n = n + 1  side = South  board[1][0] = 2 } is_open = true  request stop } }
    thread D { var n: -2..2 = -1 body { request stop } }";

/// The values of a variable that is never read again do not tell states apart, unless a question names the variable.
#[test]
fn a_variable_that_a_question_names_has_a_value_in_all_states() {
    let (plain, _) = asked(COUNTER, &["EF C.L0"]).expect("a question about a state");
    assert!(program(&plain).variables().iter().all(|variable| variable.at.is_none()));
    let (kept, _) = asked(COUNTER, &["AG C.n <= 4", "G C.side = North"]).expect("questions about variables");
    let values = |name: &str| program(&kept).variable(name).and_then(|variable| variable.at.clone());
    let mut n = values("C.n").expect("it is kept");
    n.sort_unstable();
    // Four syncs of the loop, the sync after it, and the end.
    assert_eq!(n, [0, 1, 2, 3, 4, 4]);
    let mut side = values("C.side").expect("it is kept");
    side.sort_unstable();
    assert_eq!(side, [0, 1, 1, 1, 1, 1]);
    assert!(values("C.is_open").is_none() && values("D.n").is_none());
}

#[test]
fn elements_of_arrays_have_names() {
    let (problem, _) = asked(COUNTER, &["EF C.board[1][0] = 2"]).expect("a question about an element");
    let values = |name: &str| program(&problem).variable(name).and_then(|variable| variable.at.clone());
    assert!(values("C.board[1][0]").is_some_and(|values| values.contains(&2)));
    assert_eq!(values("C.board[0][1]").map(|values| values.into_iter().max()), Some(Some(0)));
    assert!(values("C.board[2][0]").is_none());
}

/// Values are compared by their numbers or names, in both languages of formulas.
#[test]
fn what_is_said_of_variables_fits_their_types() {
    for right in [
        "EF C.n + 2 * D.n >= 3",
        "AG (C.is_open -> C.n = 4)",
        "AG NOT (C.is_open = TRUE AND C.side != South)",
        "EF C.n <= D.n",
        "G (C.is_open -> C.n = 4)",
        "F C.n >= 4",
        "(C.n<3)->C.side!=South",
        "G D.n = -1",
        "C.is_open <-> true",
    ] {
        asked(COUNTER, &[right]).unwrap_or_else(|error| panic!("{right}: {error}"));
    }
    for wrong in
        ["EF C.side", "EF C.side = West", "G C.side", "G C.side <= North", "G C.n = many", "G C.n", "F C.n <= D.n"]
    {
        assert_eq!(code(COUNTER, wrong), "ask::variable", "{wrong}");
    }
    // A number is no statement, also where it is 0 or 1.
    assert_eq!(code("rwb 2 event e thread T { var n: 0..2 = 1 body { } }", "EF T.n"), "lola::operands");
    assert_eq!(code("rwb 2 event e thread T { var n: 0..2 = 1 body { } }", "EF T.n + 0"), "lola::operands");
    assert_eq!(code(COUNTER, "G E.n = 1"), "ltl::proposition");
}

/// A state of a thread has the name of a variable.
#[test]
fn a_state_with_the_name_of_a_variable_is_not_guessed() {
    let text = "rwb 2 event e thread T { var n: 0..2 state n { request e on e -> m } state m { } }";
    for question in ["EF T.n", "EF T.n = 1", "G T.n = 1"] {
        assert_eq!(code(text, question), "ask::variable", "{question}");
    }
    asked(text, &["EF T.m"]).expect("no variable has this name");
}

/// Numbers of states depend on the variables that questions name: `C.L2` is another state beside `C.n`.
#[test]
fn numbers_of_states_are_refused_beside_variables_of_the_thread() {
    for questions in [["AG C.n <= 4", "EF C.L2"], ["AG C.n <= 4", "F C.L2"], ["EF C.L2 AND C.n = 1", "EF D.L0"]] {
        assert_eq!(
            asked(COUNTER, &questions).expect_err("it moves").code(),
            match questions[1] {
                "F C.L2" => "ltl::proposition",
                _ => "ask::variable",
            }
        );
    }
    asked(COUNTER, &["AG C.n <= 4", "EF D.L0", "F D.L0"]).expect("the other thread keeps its numbers");
}

/// What a reader has not kept is not guessed.
#[test]
fn a_variable_without_its_values_is_an_error() {
    let source = Source { name: "t.rwb".to_owned(), bytes: COUNTER.as_bytes().to_vec() };
    let mut problem = read_for(source, None, &Limits::default(), &[]).expect("a program").problem;
    for question in ["AG C.n <= 3", "G C.n <= 3"] {
        let error = ask(&mut problem, question, 1, &Limits::default()).expect_err(question);
        assert_eq!(error.code(), "ask::variable", "{question}");
        assert!(error.message().contains("not known in all states"), "{error}");
    }
}

/// A letter of a temporal formula for each state in which the comparison holds.
#[test]
fn comparisons_in_temporal_formulas_are_sets_of_states() {
    let (problem, _) = asked(COUNTER, &["F C.n >= 3"]).expect("a formula");
    let at = program(&problem).variable("C.n").and_then(|variable| variable.at.clone()).expect("it is kept");
    let letters = problem.temporal()[0].nodes().iter().filter_map(|node| match node {
        LtlNode::Letter(Letter::State(thread, state)) => Some((thread.index(), at[state.index()])),
        _ => None,
    });
    let mut letters: Vec<(usize, i64)> = letters.collect();
    letters.sort_unstable();
    assert_eq!(letters, [(0, 3), (0, 4), (0, 4)]);
}
