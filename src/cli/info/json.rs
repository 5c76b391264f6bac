//! `impasse info --format json`: a description as an object on a line, with the names of `check --format json`.

use super::structure::MOST;
use crate::cli::input::Model;
use crate::cli::json::{ModelReport, PropertyReport, Value};
use crate::cli::kinds;
use crate::cli::limits::Watch;
use crate::cli::notes::Note;
use impasse::model::{Net, PlaceId, Reason, TransitionId};
use impasse::{Counts, counts};
use nets::structure::{Flow, Semiflow};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Serialize)]
pub(super) struct Description<'m> {
    file: &'m str,
    model: ModelReport,
    questions: Vec<QuestionReport<'m>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structure: Option<StructureReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<CountsReport>,
    warnings: Vec<Note>,
}

#[derive(Serialize)]
struct QuestionReport<'m> {
    id: &'m str,
    kind: &'static str,
    /// How it is asked: `never`, `EF`, `AG`.
    asked: &'static str,
}

/// Facts about the structure of a net.
#[derive(Serialize)]
pub(super) struct StructureReport {
    class: String,
    /// Factors of places by name; `None` if there are too many.
    place_semiflows: Option<Vec<BTreeMap<String, String>>>,
    transition_semiflows: Option<Vec<BTreeMap<String, String>>>,
    largest_unmarked_siphon: Vec<String>,
    largest_trap: Vec<String>,
    sources: Vec<String>,
}

/// Counts of reachable markings.
#[derive(Serialize)]
pub(super) struct CountsReport {
    markings: Value,
    arcs: Value,
    most_tokens_on_a_place: Value,
    most_tokens_in_a_marking: Value,
}

/// Describes a model.
pub(super) fn describe<'m>(
    model: &'m Model,
    structure: Option<StructureReport>,
    counts: Option<CountsReport>,
    warnings: Vec<Note>,
) -> Description<'m> {
    let problem = &model.problem;
    let question = |property: &'m impasse::model::Property| QuestionReport {
        id: &property.id,
        kind: problem.kind(property),
        asked: PropertyReport::how(property.asked),
    };
    let questions = problem.properties().iter().map(question).collect();
    Description { file: &model.name, model: kinds::of(problem).report(), questions, structure, counts, warnings }
}

/// Returns the facts that `--structure` says, if the net has plain and read arcs only.
pub(super) fn structure(net: &Net) -> Option<StructureReport> {
    let flow = Flow::of(net)?;
    let place = |p: usize| net.shown_place(PlaceId::new(p)).to_owned();
    let transition = |t: usize| net.shown_transition(TransitionId::new(t)).to_owned();
    let places = |all: &[PlaceId]| all.iter().map(|p| place(p.index())).collect();
    Some(StructureReport {
        class: flow.class().name().to_owned(),
        place_semiflows: flow.place_semiflows(MOST).map(|all| semiflows(&all, &place)),
        transition_semiflows: flow.transition_semiflows(MOST).map(|all| semiflows(&all, &transition)),
        largest_unmarked_siphon: places(&flow.unmarked_siphon()),
        largest_trap: places(&flow.largest_trap()),
        sources: flow.sources().iter().map(|t| transition(t.index())).collect(),
    })
}

fn semiflows(all: &[Semiflow], name: &dyn Fn(usize) -> String) -> Vec<BTreeMap<String, String>> {
    let of = |semiflow: &Semiflow| semiflow.iter().map(|(node, factor)| (name(*node), factor.to_string())).collect();
    all.iter().map(of).collect()
}

/// Counts what `--count` counts.
pub(super) fn count(net: &Arc<Net>, watch: &Watch) -> Result<CountsReport, Reason> {
    let Counts { markings, arcs, place, marking } = counts(net, &watch.stop())?;
    let [markings, arcs, place, marking] = [markings, arcs, place, marking].map(|n| Value::of(&n));
    Ok(CountsReport { markings, arcs, most_tokens_on_a_place: place, most_tokens_in_a_marking: marking })
}
