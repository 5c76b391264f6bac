//! The records of the server's answers. `docs/explorer.md` describes them. Where `check --format json` has a record for
//! the same thing, this one has the same members.

#![expect(missing_docs, reason = "docs/explorer.md describes the members of these records")]

use super::error::MachineError;
use crate::choices::{Field, Lack, Refusal};
use crate::json::StateRecord;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// A state, and what can be done in it.
#[derive(Serialize)]
pub struct StateView {
    pub path: String,
    /// The number of steps of the path.
    pub step: usize,
    pub state: StateRecord,
    /// Texts that say more than the values, for some of the parts: `line 14` for a state without a name.
    #[serde(skip_serializing_if = "StateRecord::is_empty")]
    pub texts: StateRecord,
    /// For each part of the state its number: the local state of a thread, the tokens of a place.
    pub numbers: Vec<u32>,
    /// For each of the first threads of a program: where it is in the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// For each part: the line of the text at which it is; 0 if it is not known. Empty if none is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<u32>,
    pub choices: Vec<ChoiceView>,
    /// The number of enabled labels, also of those that are not listed.
    pub enabled: usize,
    /// The ids of the properties with a goal that the state satisfies.
    pub reached: Vec<String>,
    /// For a state without a step: which threads wait for which, as lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stuck: Vec<String>,
}

/// An enabled label.
#[derive(Serialize)]
pub struct ChoiceView {
    pub label: u32,
    pub name: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requested_by: Vec<String>,
    /// The fields that make the outcome. Empty if there is one outcome.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldView>,
    /// The first possible outcomes.
    pub outcomes: Vec<OutcomeView>,
    /// True if all possible outcomes are listed.
    pub complete: bool,
}

/// A change of a value. The texts are there if they say more than the values.
#[derive(Serialize)]
pub struct ChangeView {
    pub name: String,
    pub from: Json,
    pub to: Json,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_text: Option<String>,
}

/// An outcome of a label.
#[derive(Serialize)]
pub struct OutcomeView {
    /// The step as a path contains it.
    pub pick: String,
    pub event: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// What the step changes. Left out for the last labels of a long list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<ChangeView>>,
    /// The number of changes that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// A field of a choice. The outcome is the number with the values of the fields as digits, the first field the
/// lowest digit.
#[derive(Serialize, Clone, Debug)]
pub struct FieldView {
    pub name: String,
    /// The number of values, in digits.
    pub count: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// What is added to a value to show it, in digits.
    pub least: String,
    /// True if the values stand for 0, -1, 1, -2, ..
    pub signed: bool,
}

impl FieldView {
    pub fn of(field: Field) -> Self {
        Self {
            name: field.name,
            count: field.count.to_string(),
            options: field.options,
            least: field.least.to_string(),
            signed: field.signed,
        }
    }
}

/// A step of a path.
#[derive(Serialize)]
pub struct StepView {
    /// Number of the step, from 1.
    pub step: u64,
    pub event: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requested_by: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    pub changes: Vec<ChangeView>,
    /// The ids of the properties with a goal that the step or the state after it satisfies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reached: Vec<String>,
    pub pick: String,
}

/// A label that is not enabled.
#[derive(Serialize)]
pub struct RefusedView {
    pub label: u32,
    pub name: String,
    #[serde(flatten)]
    pub why: WhyView,
}

/// Why a label is not enabled.
#[derive(Serialize, PartialEq, Debug)]
#[serde(tag = "because", rename_all = "snake_case")]
pub enum WhyView {
    NotRequested,
    Blocked { by: Vec<BlockerView> },
    Priority { higher: i64 },
    Tokens { places: Vec<LackView> },
    Other { why: String },
}

#[derive(Serialize, PartialEq, Debug)]
pub struct BlockerView {
    pub thread: String,
    pub at: String,
}

#[derive(Serialize, PartialEq, Debug)]
pub struct LackView {
    pub place: String,
    pub has: String,
    pub needs: String,
}

impl WhyView {
    pub fn of(refusal: Refusal) -> Self {
        let lack = |lack: Lack| LackView { place: lack.place, has: lack.has.to_string(), needs: lack.needs };
        match refusal {
            Refusal::Unknown => Self::Other { why: "there is no such label, or no such outcome".to_owned() },
            Refusal::NotRequested => Self::NotRequested,
            Refusal::Blocked(by) => {
                Self::Blocked { by: by.into_iter().map(|(thread, at)| BlockerView { thread, at }).collect() }
            }
            Refusal::Priority(higher) => Self::Priority { higher },
            Refusal::Tokens(places) => Self::Tokens { places: places.into_iter().map(lack).collect() },
            Refusal::Other(why) => Self::Other { why },
        }
    }

    /// Returns the reason as a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::NotRequested => "no thread requests it".to_owned(),
            Self::Blocked { by } => {
                let by: Vec<String> = by.iter().map(|b| format!("{} ({})", b.thread, b.at)).collect();
                format!("blocked by {}", by.join(", "))
            }
            Self::Priority { higher } => format!("a request of higher priority, {higher}, is enabled"),
            Self::Tokens { places } => {
                let lacks: Vec<String> =
                    places.iter().map(|lack| format!("{} is {}, not {}", lack.place, lack.has, lack.needs)).collect();
                lacks.join(", ")
            }
            Self::Other { why } => why.clone(),
        }
    }
}

/// The labels that are not enabled.
#[derive(Serialize)]
pub struct RefusedPage {
    /// The number of labels that fit the query.
    pub total: usize,
    pub items: Vec<RefusedView>,
}

/// What a search looks for, and where a random run pauses.
#[derive(Deserialize, Clone, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// A step with this event, or with this output.
    Event(String),
    /// A state that satisfies this formula.
    Formula(String),
    /// A state or step that satisfies the goal of this property, or `deadlock`.
    Property(String),
}

/// The result of a random run.
#[derive(Serialize)]
pub struct RunView {
    pub path: String,
    /// The index of the target at which the run pauses.
    pub paused_at: Option<usize>,
    /// True if nothing could be taken any more.
    pub ended: bool,
}

/// A part of the state graph.
#[derive(Serialize, Default)]
pub struct GraphView {
    pub nodes: Vec<NodeView>,
    pub edges: Vec<EdgeView>,
    /// The number of edges that lead to states which are not in the graph, as far as they were looked at.
    pub left_out: usize,
    /// The number of the node at the end of the path.
    pub current: usize,
}

#[derive(Serialize)]
pub struct NodeView {
    /// A path to the state.
    pub path: String,
    /// The parts that differ from the first node, and all parts of the first node.
    pub title: Vec<String>,
    pub reached: Vec<String>,
    /// True if all successors are in the graph.
    pub complete: bool,
    /// The number of enabled labels.
    pub enabled: usize,
}

#[derive(Serialize)]
pub struct EdgeView {
    pub from: usize,
    pub to: usize,
    pub event: String,
    pub pick: String,
}

/// What is wrong with a request.
pub fn bad_step(step: usize, refusal: Refusal) -> MachineError {
    MachineError::Path(format!("step {step} cannot be taken: {}", WhyView::of(refusal).sentence()))
}
