//! Describes a reactive program: its sizes, its alphabet, and its properties.

use crate::cli::input::Model;
use impasse::model::reactive::{Convention, letter};
use impasse::model::{Goal, Reactive};
use view::text::plural;

pub(super) fn describe(model: &Model, program: &Reactive) {
    let count = |n: usize, what: &str| plural(n as u64, what);
    say!("{}: reactive program", model.name);
    let parts = [
        count(program.var_count(), "variable"),
        count(program.function_count(), "function"),
        count(program.all_stmts().len(), "statement"),
    ];
    say!("  {}", parts.join(", "));
    let letters: Vec<String> = program.inputs().iter().map(|&n| letter(n)).collect();
    say!("  inputs: {}", letters.join(" "));
    let how = match program.convention() {
        Convention::Returned => "returns its outputs",
        Convention::Printed => "prints its outputs",
    };
    say!("  each calls `{}`, which {how}", program.function_name(program.entry()));
    let asked = |is: fn(Goal) -> bool| model.problem.properties().iter().filter(|p| is(p.goal)).count();
    let errors = asked(|goal| matches!(goal, Goal::Error(_)));
    let formulas = asked(|goal| matches!(goal, Goal::Temporal(_)));
    say!("  asks for {} and {}", count(errors, "error label"), count(formulas, "temporal formula"));
}
