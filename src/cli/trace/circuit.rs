//! Runs of circuits, frame by frame: which inputs are true.

use super::Detail;
use impasse::model::{Circuit, Input, Trace};

pub(super) fn render(circuit: &Circuit, trace: &Trace, _detail: Detail) -> String {
    let mut text = String::new();
    let frames = trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| &run.word));
    for (number, frame) in frames.enumerate() {
        let slots = frame.choice.map_or(&[][..], |id| trace.choice(id));
        let is_true = |i: usize| slots.get(i / 32).is_some_and(|slot| slot >> (i % 32) & 1 == 1);
        let named =
            |(i, input): (usize, &Input)| is_true(i).then(|| input.name.clone().unwrap_or_else(|| format!("i{i}")));
        let inputs: Vec<String> = circuit.inputs().iter().enumerate().filter_map(named).collect();
        text.push_str(&format!(
            "  frame {number}: {}\n",
            if inputs.is_empty() { "-".to_owned() } else { inputs.join(" ") }
        ));
    }
    text
}
