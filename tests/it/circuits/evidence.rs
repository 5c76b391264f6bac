//! Evidence about circuits, by definition: whether clauses are an invariant, and changes of clauses, proofs and
//! runs.

use impasse::model::{Bit, Circuit, Clausal, Derivation, EventId, Gate, JusticeId, LatchId, OutputId, Signal, Trace};
use std::collections::BTreeSet;
use testkit::Random;
use testkit::circuit::{Frame, State, frames, initial};

/// True if the clauses hold in the frame.
pub(crate) fn hold(circuit: &Circuit, clausal: &Clausal, frame: &Frame<'_>) -> bool {
    let is_true = |lit: &i32| match &clausal.bits[lit.unsigned_abs() as usize - 1] {
        Bit::Latch(latch) => frame.is(circuit.latches()[latch.index()].signal) == (*lit > 0),
        Bit::Node(signal) => frame.is(*signal) == (*lit > 0),
        Bit::In(..) | Bit::AtLeast(..) | Bit::Room(_) => panic!("no bit of a circuit"),
    };
    clausal.clauses.iter().all(|clause| clause.iter().any(is_true))
}

/// Returns clauses that hold in exactly these states.
pub(crate) fn exactly(circuit: &Circuit, states: &BTreeSet<State>) -> Clausal {
    let latches = circuit.latches().len();
    let differs =
        |state: State| (0..latches).map(move |i| if state >> i & 1 == 1 { -(i as i32 + 1) } else { i as i32 + 1 });
    let others = (0..1 << latches).filter(|state| !states.contains(state));
    Clausal {
        bits: (0..latches).map(|i| Bit::Latch(LatchId::new(i))).collect(),
        clauses: others.map(|state| differs(state).collect()).collect(),
        initial: None,
        step: None,
    }
}

/// Adds clauses over nodes that are not latches, at random. They hold in all frames of runs with these states.
pub(crate) fn add_nodes(circuit: &Circuit, clausal: &mut Clausal, states: &[State], random: &mut Random) {
    let nodes: Vec<usize> =
        (0..circuit.gates().len()).filter(|&node| !matches!(circuit.gates()[node], Gate::Latch(_))).collect();
    clausal.bits.extend(nodes.iter().map(|&node| Bit::Node(Signal::new(node, false))));
    let holds = |clause: &[i32]| {
        let alone = Clausal { bits: clausal.bits.clone(), clauses: vec![clause.to_vec()], ..Clausal::default() };
        states.iter().all(|state| frames(circuit, *state).all(|frame| hold(circuit, &alone, &frame)))
    };
    let bits = clausal.bits.len();
    let mut literal = || {
        let variable = random.below(bits) as i32 + 1;
        if random.chance(50) { variable } else { -variable }
    };
    let clauses: Vec<Vec<i32>> = (0..20).map(|_| vec![literal(), literal()]).filter(|clause| holds(clause)).collect();
    clausal.clauses.extend(clauses);
}

/// Returns the reason why the clauses do not show that the outputs are never true. `None` if they show it.
pub(crate) fn broken(circuit: &Circuit, clausal: &Clausal, outputs: &[OutputId]) -> Option<String> {
    // A state without a frame that satisfies the constraints occurs in no run.
    let breaks = |state: State| frames(circuit, state).any(|frame| !hold(circuit, clausal, &frame));
    if let Some(state) = initial(circuit).find(|state| breaks(*state)) {
        return Some(format!("the initial state {state:b} breaks a clause"));
    }
    for state in 0..1 << circuit.latches().len() {
        for frame in frames(circuit, state).filter(|frame| hold(circuit, clausal, frame)) {
            if let Some(output) = outputs.iter().find(|o| frame.violates(**o)) {
                return Some(format!("in the state {state:b} the clauses hold and {output:?} may be true"));
            }
            let to = frame.next();
            if breaks(to) {
                return Some(format!("from {state:b} a step leads to {to:b}, which breaks a clause"));
            }
        }
    }
    None
}

/// Returns a random change of clauses or of their proofs, with a description. `None` if the chosen change is
/// impossible.
pub(crate) fn mutant(clausal: &Clausal, random: &mut Random) -> Option<(&'static str, Clausal)> {
    let mut new = clausal.clone();
    let what = match random.below(6) {
        0 => {
            new.clauses.remove(pick(new.clauses.len(), random)?);
            "a clause dropped"
        }
        1 => {
            let clause = pick(new.clauses.len(), random)?;
            let lit = pick(new.clauses[clause].len(), random)?;
            new.clauses[clause].remove(lit);
            "a literal dropped"
        }
        2 => {
            let clause = pick(new.clauses.len(), random)?;
            let lit = pick(new.clauses[clause].len(), random)?;
            new.clauses[clause][lit] *= -1;
            "a literal turned round"
        }
        3 => {
            let (a, b) = (pick(new.bits.len(), random)?, pick(new.bits.len(), random)?);
            new.bits.swap(a, b);
            "bits swapped"
        }
        4 => change_proof(new.initial.as_mut()?, random)?,
        _ => change_proof(new.step.as_mut()?, random)?,
    };
    (new != *clausal).then_some((what, new))
}

/// Changes a derivation at random. Returns a description of the change.
pub(crate) fn change_proof(proof: &mut Derivation, random: &mut Random) -> Option<&'static str> {
    let at = pick(proof.steps.len(), random)?;
    match random.below(4) {
        0 => {
            proof.steps.remove(at);
            Some("a step of a proof dropped")
        }
        1 => {
            let lit = pick(proof.steps[at].0.len(), random)?;
            proof.steps[at].0[lit] *= -1;
            Some("a literal of a proof")
        }
        2 => {
            let hint = pick(proof.steps[at].1.len(), random)?;
            proof.steps[at].1[hint] = random.between(0, 200) as u64;
            Some("a hint of a proof")
        }
        _ => {
            let hint = pick(proof.steps[at].1.len(), random)?;
            proof.steps[at].1.remove(hint);
            Some("a hint of a proof dropped")
        }
    }
}

/// Returns the run with a random change of its frames.
pub(crate) fn changed_run(trace: &Trace, random: &mut Random) -> Trace {
    let mut start = trace.start.to_vec();
    let mut frames: Vec<(EventId, Option<Vec<u32>>)> = Vec::new();
    for run in trace.runs() {
        for _ in 0..run.times {
            frames.extend(run.word.iter().map(|m| (m.event, m.choice.map(|c| trace.choice(c).to_vec()))));
        }
    }
    match random.below(5) {
        0 if !start.is_empty() => {
            let at = random.below(start.len());
            start[at] ^= 1 << random.below(8);
        }
        1 => {
            frames.pop();
        }
        2 if !frames.is_empty() => {
            frames.remove(random.below(frames.len()));
        }
        3 if !frames.is_empty() => {
            let frame = frames[random.below(frames.len())].clone();
            frames.insert(random.below(frames.len()), frame);
        }
        _ if !frames.is_empty() => {
            let at = random.below(frames.len());
            match &mut frames[at].1 {
                Some(slots) if !slots.is_empty() => slots[0] ^= 1 << random.below(6),
                Some(slots) => slots.push(0),
                None => frames[at].0 = EventId(1),
            }
        }
        _ => start.push(0),
    }
    let mut new = Trace::new(start.into_boxed_slice());
    for (event, choice) in frames {
        new.push(event, choice.map(Vec::into_boxed_slice));
    }
    new
}

fn pick(count: usize, random: &mut Random) -> Option<usize> {
    (count > 0).then(|| random.below(count))
}

/// Checks an AIGER witness of a justice property, given as text, by the rule of `aigsim`. The state after the last line
/// is the state before an earlier line, in all latches, and each recurring signal is true from that line on. All
/// constraints are true in each line.
pub(crate) fn witnesses(circuit: &Circuit, justice: JusticeId, text: &str) -> Result<(), String> {
    let mut lines = text.lines();
    if lines.next() != Some("1") || lines.next() != Some(format!("j{}", justice.0).as_str()) {
        return Err("the first lines are not `1` and the property".to_owned());
    }
    let bits = |line: &str, count: usize| -> Result<u64, String> {
        let digit = |(i, c): (usize, char)| match c {
            '0' => Ok(0),
            '1' => Ok(1 << i),
            _ => Err(format!("{c} is no bit")),
        };
        if line.len() == count { line.chars().enumerate().map(digit).sum() } else { Err(format!("not {count} bits")) }
    };
    let mut state = bits(lines.next().ok_or("no state")?, circuit.latches().len())?;
    if !initial(circuit).any(|start| start == state) {
        return Err("not an initial state".to_owned());
    }
    let signals = circuit.recurring(justice);
    let mut before: Vec<State> = Vec::new();
    let mut last_true = vec![None; signals.len()];
    for line in lines.by_ref().take_while(|line| *line != ".") {
        let frame = Frame::new(circuit, state, bits(line, circuit.inputs().len())?);
        if !frame.counts() {
            return Err("a constraint is broken".to_owned());
        }
        for (last, _) in last_true.iter_mut().zip(&signals).filter(|(_, signal)| frame.is(**signal)) {
            *last = Some(before.len());
        }
        before.push(state);
        state = frame.next();
    }
    let loops = |from: usize| before[from] == state && last_true.iter().all(|last| last.is_some_and(|at| at >= from));
    match (lines.next(), (0..before.len()).any(loops)) {
        (Some(more), _) => Err(format!("{more} after the end")),
        (None, false) => Err("no loop".to_owned()),
        (None, true) => Ok(()),
    }
}
