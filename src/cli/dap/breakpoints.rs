//! Breakpoints: lines at which a thread arrives, events, and formulas that come true.

use super::model::Model;
use view::machine::path::Path;
use view::machine::views::StateView;

/// A breakpoint at a line, with a condition that must hold, too.
#[derive(Clone, Debug)]
pub(super) struct AtLine {
    pub(super) line: u32,
    pub(super) condition: Option<String>,
}

/// All breakpoints.
#[derive(Default, Debug)]
pub(super) struct Breakpoints {
    pub(super) lines: Vec<AtLine>,
    pub(super) events: Vec<String>,
    pub(super) formulas: Vec<String>,
    /// True if the debugger stops where a property is violated.
    pub(super) at_violations: bool,
}

impl Breakpoints {
    /// Returns why the debugger stops after a step, as a reason of the protocol and a text, and the thread that arrives
    /// at a line.
    pub(super) fn hit(
        &self,
        model: &Model,
        path: &Path,
        event: &str,
        (before, after): (&StateView, &StateView),
    ) -> Option<(&'static str, String, Option<usize>)> {
        if self.at_violations && !after.reached.is_empty() {
            return Some(("exception", after.reached.join(", "), None));
        }
        if self.events.iter().any(|name| name == event) {
            return Some(("function breakpoint", event.to_owned(), None));
        }
        let holds = |formula: &String| model.holds(path, formula) == Ok(true);
        if let Some(formula) = self.formulas.iter().find(|formula| holds(formula)) {
            return Some(("function breakpoint", formula.clone(), None));
        }
        let moved = |thread: usize| before.numbers.get(thread) != after.numbers.get(thread);
        let arriving = |line: u32| {
            after
                .lines
                .iter()
                .enumerate()
                .find(|(thread, now)| **now == line && moved(*thread))
                .map(|(thread, _)| thread)
        };
        self.lines.iter().find_map(|at| {
            let thread = arriving(at.line).filter(|_| at.condition.as_ref().is_none_or(&holds))?;
            Some(("breakpoint", format!("line {}", at.line), Some(thread)))
        })
    }
}
