//! Draws pictures of runs: a sequence diagram as SVG. Each changed part of the state (thread, place, latch,
//! variable) is a lane. Each step is a row with the event and the new values on the lanes.
//!
//! The file is self-contained: it loads no fonts and runs no script. Its colours are readable on light and
//! dark pages.

use crate::draw::text::xml;
use crate::positions;
use crate::steps::{Step, Steps, Value};
use crate::text::plural;
use model::{Goal, LocalId, Problem, ThreadId, Trace};
use std::collections::BTreeSet;
use std::fmt::{self, Display, Write as _};

/// Maximum number of steps that are drawn. If a run is longer, the last row says how many steps are left out.
const ROWS: usize = 200;
/// Maximum number of lanes that are drawn. Lanes are drawn for the parts that change first.
const LANES: usize = 24;
/// Maximum number of characters of a name or value.
const SHOWN: usize = 28;
/// Height of a row in pixels.
const ROW: usize = 34;
/// Width of a character in pixels, in the font size used, rounded up.
const CHARACTER: usize = 8;

/// A run with the data for its picture.
#[derive(Debug)]
pub struct Drawing {
    /// The steps.
    pub steps: Vec<Step>,
    /// Number of steps that are left out.
    left_out: u64,
    /// The names of the lanes.
    pub lanes: Vec<String>,
    /// The value of each lane before the first step.
    pub first: Vec<String>,
    /// Number of lanes that are left out.
    narrowed: usize,
    /// What the run ends in.
    pub end: String,
}

/// Returns the SVG text of a run into `goal` that the checker has accepted. The cost is linear in the changes of the
/// steps drawn.
pub fn svg(problem: &Problem, trace: &Trace, goal: Goal) -> String {
    Drawing::of(problem, trace, goal).svg()
}

/// Returns the SVG text of collected data of a run.
pub fn of_drawing(drawing: &Drawing) -> String {
    drawing.svg()
}

impl Drawing {
    /// Collects the data of a run into `goal` that the checker has accepted.
    pub fn of(problem: &Problem, trace: &Trace, goal: Goal) -> Self {
        let mut run = Steps::new(problem, trace);
        let start = run.state();
        let (mut steps, mut lanes, mut others) = (Vec::new(), Vec::<String>::new(), BTreeSet::new());
        for mut step in run.by_ref().take(ROWS) {
            step.changes.retain(|change| {
                if lanes.contains(&change.name) {
                    return true;
                }
                let has_room = lanes.len() < LANES;
                if has_room {
                    lanes.push(change.name.clone());
                } else if !others.contains(&change.name) {
                    others.insert(change.name.clone());
                }
                has_room
            });
            if !step.shows.is_empty() {
                step.event = format!("{} / {}", step.event, step.shows.join(" "));
            }
            steps.push(step);
        }
        let value = |lane: &String| start.iter().find(|(name, _)| name == lane).map(|(_, value)| value);
        let first = |lane: &String| value(lane).map(|value| short(&placed(problem, lane, value))).unwrap_or_default();
        let first = lanes.iter().map(first).collect();
        for change in steps.iter_mut().flat_map(|step| &mut step.changes) {
            change.to = placed(problem, &change.name, &change.to);
        }
        let all = trace.len().unwrap_or(u64::MAX);
        let id = problem.properties().iter().find(|p| p.goal == goal).map_or(goal.id(), |p| p.id.as_str());
        let end = match trace.repeats_from {
            Some(from) => format!("The steps after step {from} repeat for ever. The run violates {id}."),
            None => format!("The end of the run: {id}"),
        };
        Self { left_out: all.saturating_sub(steps.len() as u64), steps, lanes, first, narrowed: others.len(), end }
    }

    /// Returns the title of the drawing.
    pub fn title(&self) -> String {
        format!("A run of {}", plural(self.steps.len() as u64 + self.left_out, "step"))
    }

    /// Returns what the picture says below the steps: what is left out, and what the run ends in.
    pub fn notes(&self) -> Vec<String> {
        let steps = (self.left_out > 0).then(|| format!(".. and {} more steps", self.left_out));
        let lanes = (self.narrowed > 0).then(|| format!(".. and {} more parts that change", self.narrowed));
        steps.into_iter().chain(lanes).chain([self.end.clone()]).collect()
    }

    /// Returns the width of the column of events, in pixels.
    fn margin(&self) -> usize {
        let longest = self.steps.iter().map(|step| short(&step.event).chars().count()).max().unwrap_or(0);
        60 + longest * CHARACTER
    }

    /// Returns the width of each lane, in pixels.
    fn widths(&self) -> Vec<usize> {
        let values = |lane: &str| {
            let changes = self.steps.iter().flat_map(|step| &step.changes).filter(move |change| change.name == lane);
            changes.map(|change| short(&change.to).chars().count()).max().unwrap_or(0)
        };
        let width = |(lane, first): (&String, &String)| {
            let longest = values(lane).max(short(lane).chars().count()).max(first.chars().count());
            longest * CHARACTER + 36
        };
        self.lanes.iter().zip(&self.first).map(width).collect()
    }

    fn svg(&self) -> String {
        let (margin, widths) = (self.margin(), self.widths());
        let centers: Vec<usize> = widths
            .iter()
            .scan(margin, |from, width| Some(std::mem::replace(from, *from + width) + width / 2))
            .collect();
        let notes = self.notes().len();
        let width = (margin + widths.iter().sum::<usize>()).max(self.end.len() * CHARACTER) + 24;
        let height = 70 + self.steps.len() * ROW + notes * 22;
        let mut out = String::new();
        // Writing into a string cannot fail.
        let _ = self.draw(&mut out, &centers, width, height);
        out
    }

    fn draw(&self, out: &mut String, centers: &[usize], width: usize, height: usize) -> fmt::Result {
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" font-family=\"ui-monospace, Menlo, Consolas, monospace\" \
             font-size=\"12\">"
        )?;
        let lanes: Vec<String> = self.lanes.iter().map(short).collect();
        writeln!(out, "<title>{}</title>", xml(&self.title()))?;
        writeln!(out, "<desc>{} Lanes: {}.</desc>", xml(&self.notes().join(" ")), xml(&lanes.join(", ")))?;
        writeln!(out, "<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#fbfaf7\" stroke=\"#d8d3c8\"/>")?;
        let end = 58 + self.steps.len() * ROW;
        for ((lane, first), x) in self.lanes.iter().zip(&self.first).zip(centers) {
            writeln!(out, "<line x1=\"{x}\" y1=\"50\" x2=\"{x}\" y2=\"{end}\" stroke=\"#b9b2a4\"/>")?;
            text(out, *x, 22, "middle", "#1d1b16\" font-weight=\"bold", &short(lane))?;
            text(out, *x, 40, "middle", "#6b6557", first)?;
        }
        for (row, step) in self.steps.iter().enumerate() {
            self.row(out, centers, 70 + row * ROW, step)?;
        }
        let notes = self.notes();
        for (i, note) in notes.iter().enumerate() {
            let fill = if i + 1 == notes.len() { "#7a3b12" } else { "#6b6557" };
            text(out, 16, 74 + self.steps.len() * ROW + i * 22, "start", fill, note)?;
        }
        out.write_str("</svg>\n")
    }

    fn row(&self, out: &mut String, centers: &[usize], y: usize, step: &Step) -> fmt::Result {
        text(out, 34, y + 4, "end", "#8a8373", &step.number)?;
        text(out, 46, y + 4, "start", "#7a3b12", &short(&step.event))?;
        let on = |name: &str| self.lanes.iter().position(|lane| lane == name).map(|lane| centers[lane]);
        let touched = step.changes.iter().filter_map(|change| on(&change.name));
        let requested: Vec<usize> = step.requested_by.iter().filter_map(|name| on(name)).collect();
        let all: Vec<usize> = touched.chain(requested.iter().copied()).collect();
        if let (Some(least), Some(most)) = (all.iter().min(), all.iter().max()) {
            writeln!(
                out,
                "<line x1=\"{least}\" y1=\"{y}\" x2=\"{most}\" y2=\"{y}\" stroke=\"#c9743a\" stroke-width=\"2\"/>"
            )?;
        }
        for change in &step.changes {
            let Some(x) = on(&change.name) else { continue };
            let value = short(&change.to);
            let half = value.chars().count() * CHARACTER / 2 + 8;
            let stroke = if requested.contains(&x) { "#c9743a" } else { "#5f7f8f" };
            let fill = if matches!(change.to, Value::State(_)) { "#ffffff" } else { "#eef4f6" };
            writeln!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"22\" rx=\"5\" fill=\"{fill}\" stroke=\"{stroke}\"/>",
                x - half,
                y - 11,
                2 * half
            )?;
            text(out, x, y + 4, "middle", "#1d1b16", &value)?;
        }
        Ok(())
    }
}

/// Returns the value as text reports show it: a state of a thread body is named by its line.
fn placed(problem: &Problem, name: &str, value: &Value) -> Value {
    let found = || {
        let Value::State(state) = value else { return None };
        let program = problem.system().as_program()?;
        let t = ThreadId::new(program.threads().iter().position(|thread| thread.name == name)?);
        let s = LocalId::new(program.thread(t).states.iter().position(|local| local.name == *state)?);
        Some(Value::State(positions::short(program, t, s)))
    };
    found().unwrap_or_else(|| value.clone())
}

/// Returns the text of a name or value, cut after `SHOWN` characters.
pub fn short(of: &impl Display) -> String {
    let text = of.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text,
    }
}

fn text(out: &mut String, x: usize, y: usize, anchor: &str, fill: &str, text: &impl Display) -> fmt::Result {
    let text = xml(&text.to_string());
    writeln!(out, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"{fill}\">{text}</text>")
}
