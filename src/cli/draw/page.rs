//! Pages: a picture with the verdict, the run as text, and the source.

use super::request::PictureRequest;
use super::run::{ModelOrRun, Run};
use super::{source_of, unchecked};
use crate::cli::args::What;
use crate::cli::kinds;
use impasse::model::{Problem, Stop};
use impasse::{Answer, Steps};
use view::draw::sequence::Drawing;
use view::draw::source::{CurrentState, spots};
use view::draw::write::html::Page;
use view::draw::write::{self, Picture};
use view::render;
use view::text::Paint;
use view::trace::Detail;

/// The number of nodes of the second picture of a page about a run.
const NODES: usize = 120;
/// The number of steps of a run up to which its last state is drawn.
const STEPS: u64 = 100_000;

/// Returns the page of a picture of a model.
pub(crate) fn of_picture(name: &str, found: &ModelOrRun, picture: &Picture, source: Option<&str>) -> String {
    let verdict = found.run().map_or_else(|| unchecked(found.problem()), |run| run.verdict.clone());
    let heading = if matches!(picture, Picture::Graph(_)) { "Picture" } else { "Sequence diagram" };
    let run = found.run().map(|run| text(found.problem(), run)).unwrap_or_default();
    let pictures = vec![(heading.to_owned(), write::svg(picture))];
    write::html::html(&Page { title: name, verdict: &verdict, pictures, run: &run, source })
}

/// Returns the page of an answer with a run; `None` if the answer has none. The file called `name` is read again for
/// its source.
pub(crate) fn of_answer(name: &str, problem: &Problem, answer: &Answer) -> Option<String> {
    let run = Run::of_answer(problem, answer)?;
    let drawing = Drawing::of(problem, &run.trace, run.goal);
    let mut pictures = vec![("Sequence diagram".to_owned(), write::svg(&Picture::Sequence(Box::new(drawing))))];
    let source = source_of(name);
    let is_deadlock = answer.property.is_deadlock() && problem.system().as_program().is_some();
    let waits = is_deadlock.then_some((Some(What::Waits), "Who waits for whom"));
    for (what, heading) in waits.into_iter().chain([(None, "The end of the run")]) {
        let picture = last_state(problem, &run, what, source.as_deref());
        pictures.extend(picture.map(|svg| (heading.to_owned(), svg)));
    }
    let text = text(problem, &run);
    let verdict = &run.verdict;
    Some(write::html::html(&Page { title: name, verdict, pictures, run: &text, source: source.as_deref() }))
}

/// Returns the picture of the system at the end of the run, if the kind of system has one.
fn last_state(problem: &Problem, run: &Run, what: Option<What>, source: Option<&str>) -> Option<String> {
    let system = problem.system();
    if system.as_reactive().is_some() || run.trace.len().is_none_or(|length| length > STEPS) {
        return None;
    }
    let mut steps = Steps::new(problem, &run.trace);
    let last = steps.by_ref().last();
    let now = CurrentState { step: last.as_ref().map_or(0, |last| last.number), values: steps.state(), last };
    let spots = source.map(spots::spots).unwrap_or_default();
    let asked = PictureRequest { what, spots: &spots, now: Some(&now), most: NODES, stop: &Stop::default() };
    let graph = kinds::of(problem).draw(&asked).ok()?;
    Some(write::svg(&Picture::Graph(graph)))
}

/// Returns the run as text.
fn text(problem: &Problem, run: &Run) -> String {
    let detail = Detail { all: false, paint: Paint::plain() };
    match &run.why {
        Some(why) => why.render(problem, detail),
        None => render::render(problem, &run.trace, run.goal, detail),
    }
}
