//! Renders runs of circuits frame by frame: the inputs that are true and, with `-v`, the latches that are
//! true. Words that are read from memories are shown with their addresses.

use crate::steps::frames::{Frame, Ports};
use crate::trace::table::Table;
use crate::trace::{Detail, HEAD, Rendered, TAIL, list, long_list, numbers};
use crate::why::needed;
use model::circuit::bit;
use model::{Circuit, Goal, Problem, Property, Trace};

/// Maximum work for showing latches and addresses. The work is the number of gates, inputs and words of memories of all
/// frames together, plus `FRAME` for each frame.
const PATIENCE: u64 = 100_000_000;
/// Work for gates and inputs up to which words that are read from memories are shown with addresses, without `-v`.
const SHORT: u64 = 10_000_000;
/// Cost of a frame in addition to its gates and inputs.
const FRAME: u64 = 64;

/// Consecutive frames that look alike.
struct Line {
    first: u64,
    last: u64,
    inputs: String,
    latches: String,
}

/// Renders a replayed run, indented.
pub fn render(problem: &Problem, circuit: &Circuit, trace: &Trace, goal: Goal, detail: Detail) -> Rendered {
    let mut out = start(circuit, trace, detail);
    let lines = lines(circuit, trace, detail);
    let frames = trace.len().unwrap_or(u64::MAX);
    let hidden =
        if detail.all || lines.len() as u64 <= HEAD + TAIL + 1 { 0..0 } else { HEAD..lines.len() as u64 - TAIL };
    let is_hidden = |i: &usize| hidden.contains(&(*i as u64));
    let hidden_frames = (0..lines.len()).filter(is_hidden).map(|i| lines[i].last - lines[i].first + 1).sum();
    let shown = lines.into_iter().enumerate().filter(|(i, _)| !is_hidden(i)).map(|(_, line)| line);
    if detail.all {
        let cells = |line: Line| [numbers(line.first, line.last), line.inputs, line.latches];
        let table = Table { titles: ["frame", "inputs", "latches"], lines: shown.map(cells).collect() };
        table.write(&mut out, &hidden, hidden_frames, detail);
    } else {
        let cells = |line: Line| [numbers(line.first, line.last), line.inputs];
        let table = Table { titles: ["frame", "inputs"], lines: shown.map(cells).collect() };
        table.write(&mut out, &hidden, hidden_frames, detail);
    }
    let last = frames.saturating_sub(1);
    let why = |property: &Property| match trace.repeats_from {
        None => format!("    In frame {last}, {} is true.\n", property.id),
        Some(first) => format!(
            "    {} for ever, and all signals of {} are true in {}.\n",
            if first == last {
                format!("Frame {last} repeats")
            } else {
                format!("The frames {first} to {last} repeat")
            },
            property.id,
            if first == last { "it" } else { "them" },
        ),
    };
    let why = problem.properties().iter().find(|p| p.goal == goal).map_or_else(String::new, why);
    Rendered { run: out, why: why + &needed::by_frame(circuit, trace, goal) }
}

/// Returns the initial values that the run chose for latches without a reset value.
fn start(circuit: &Circuit, trace: &Trace, detail: Detail) -> String {
    if circuit.open_latches().next().is_none() {
        return String::new();
    }
    let set = Ports::open(circuit).shown(|i| bit(&trace.start, i));
    let set = if set.is_empty() { "-".to_owned() } else { list(set.iter().map(String::as_str), detail) };
    format!("    starts with {set} (of the latches that may start with either value)\n")
}

/// Returns the frames in order. Consecutive frames that look alike become one line.
fn lines(circuit: &Circuit, trace: &Trace, detail: Detail) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let (ports, states) = (Ports::inputs(circuit), Ports::latches(circuit));
    let cost = FRAME + circuit.gates().len() as u64 + circuit.inputs().len() as u64;
    let mut patience = PATIENCE;
    let is_short = trace.len().is_some_and(|frames| frames.saturating_mul(cost) <= SHORT);
    let is_computed = detail.all || (is_short && !circuit.memories().is_empty());
    let mut frame = is_computed.then(|| Frame::first(circuit, &trace.start).once());
    let mut number = 0u64;
    for run in trace.runs() {
        // Repeated frames have no inputs. Without latches or addresses to show, they all look alike.
        let (rounds, times) = if frame.is_some() { (run.times, 1) } else { (1, run.times) };
        for step in (0..rounds).flat_map(|_| &run.word) {
            if frame.is_some() && patience < cost {
                let last = trace.len().unwrap_or(u64::MAX).saturating_sub(1);
                let inputs = "(too many frames to show here)".to_owned();
                lines.push(Line { first: number, last, inputs, latches: String::new() });
                return lines;
            }
            let words = step.choice.map_or(&[][..], |id| trace.choice(id));
            let (inputs, latches) = match &mut frame {
                Some(frame) => {
                    frame.compute(words);
                    let (inputs, held) = (ports.shown_in(frame), frame.latches());
                    frame.step();
                    patience = patience.saturating_sub(cost + frame.take_work());
                    (inputs, if detail.all { names(&states.shown(|i| held[i]), detail) } else { String::new() })
                }
                None => (ports.shown(|i| bit(words, i)), String::new()),
            };
            let inputs = names(&inputs, detail);
            let last = number.saturating_add(times - 1);
            match lines.last_mut() {
                Some(line)
                    if line.inputs == inputs && line.latches == latches && trace.repeats_from != Some(number) =>
                {
                    line.last = last;
                }
                _ => lines.push(Line { first: number, last, inputs, latches }),
            }
            number = last.saturating_add(1);
        }
    }
    lines
}

fn names(names: &[String], detail: Detail) -> String {
    if names.is_empty() { "-".to_owned() } else { long_list(names, detail) }
}
