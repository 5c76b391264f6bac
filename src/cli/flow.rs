//! Runs of programs as code flows: for each step, the line of the text where its event is requested. For SARIF.

use impasse::Answer;
use impasse::model::{LocalId, Position, Problem, ThreadId};
use impasse::steps::ProgramRun;

/// Maximum number of steps. Viewers list all of them.
const MOST: usize = 1_000;

/// A step of a code flow.
#[derive(Clone, Debug)]
pub(crate) struct FlowStep {
    /// The number of a line of the model, from 1.
    pub(crate) line: usize,
    /// The event, and the threads that request it.
    pub(crate) text: String,
}

/// Returns the steps of the run of an answer, as far as their lines are known. There are none if the answer has no run,
/// or if the model was not written as text with threads.
pub(crate) fn of_answer(problem: &Problem, answer: &Answer) -> Vec<FlowStep> {
    let (Some(trace), Some(program)) = (answer.trace(), problem.system().as_program()) else { return Vec::new() };
    let mut run = ProgramRun::new(program, trace);
    let mut flow = Vec::new();
    let moves = trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| &run.word));
    for step in moves.take(MOST) {
        let state = |t: usize| LocalId(run.at()[t]);
        let requests = |t: &usize| program.threads()[*t].state(state(*t)).request.contains(step.event);
        let requesting: Vec<usize> = (0..program.threads().len()).filter(requests).collect();
        let positions = requesting.iter().filter_map(|t| program.position(ThreadId::new(*t), state(*t)));
        let in_text = |position: &Position<'_>| position.file.is_none() && position.line > 0;
        if let Some(line) = positions.filter(in_text).map(|position| position.line as usize).next() {
            let names: Vec<&str> = requesting.iter().map(|t| program.threads()[*t].name.as_str()).collect();
            let event = &program.events()[step.event.index()];
            flow.push(FlowStep { line, text: format!("{event}, requested by {}", names.join(", ")) });
        }
        run.take(step);
    }
    flow
}
