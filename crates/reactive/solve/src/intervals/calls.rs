//! The calls of abstract states, in the form in which temporal checks need them.

use crate::intervals::boxes;
use crate::intervals::eval::Codes;
use crate::intervals::layout::{Layout, Slot};
use crate::intervals::run::{CallOutput, End};
use crate::intervals::space::products;
use crate::intervals::tree::Tree;
use crate::store::interval::Interval;
use hashbrown::HashMap;
use model::{ErrorId, EventId, Holds, InputId, Outcome, Reactive, Trace, VarId};
use search::valuations::States;
use std::sync::Arc;
use temporal::Calls;

/// Maximal number of calls that are made to find a repeated state when a loop is closed.
const MOST_CALLS: u64 = 100_000;

/// Calls from abstract states, with all their ways.
pub(crate) struct CellCalls {
    program: Arc<Reactive>,
    layout: Layout,
    tree: Tree,
    codes: Codes,
    exact: Codes,
    has_one_way: bool,
    state: Vec<u64>,
}

impl CellCalls {
    /// Makes the calls. `has_one_way` is true if every call has only one way.
    pub(crate) fn new(program: Arc<Reactive>, layout: Layout, has_one_way: bool) -> Self {
        Self {
            tree: Tree::new(&program, &layout),
            codes: Codes::default(),
            exact: Codes::wrapping(),
            has_one_way,
            state: vec![0; layout.words],
            layout,
            program,
        }
    }

    /// The variables of states and how their values are represented, as in [`model::Valuations`].
    pub(crate) fn holds(&self) -> Vec<(VarId, Holds)> {
        self.layout.slots.iter().map(|slot| (slot.var, slot.holds())).collect()
    }

    /// Makes one call from single values. Returns `None` if the call stops, is invalid, or has several ways.
    fn single(&mut self, now: &mut Vec<Interval>, input: InputId) -> Option<()> {
        let letter = self.program.input(input);
        let ways = boxes::ways(&self.program, &self.layout, &mut self.exact, letter, now, &mut 0)?;
        let [way] = ways.as_slice() else { return None };
        let goes_on = matches!(way.end, End::Continues(CallOutput::Output(_) | CallOutput::Silent));
        now.clone_from(&way.after);
        (goes_on && now.iter().all(|value| value.single().is_some())).then_some(())
    }
}

impl Calls for CellCalls {
    fn states(&self) -> States {
        let told = |slot: &Slot| (0..slot.codes() as u32).map(|code| slot.told(code) as i32).collect();
        let values: Vec<Vec<i32>> = self.layout.slots.iter().map(told).collect();
        States::new(values.iter().map(|values| Some(values.as_slice())))
    }

    fn inputs(&self) -> usize {
        self.program.inputs().len()
    }

    fn undefined(&self) -> Option<ErrorId> {
        self.program.undefined()
    }

    fn initial(&self) -> Vec<i32> {
        let mut state = self.state.clone();
        self.layout.initial(&self.program, &mut state);
        self.layout.slots.iter().map(|slot| slot.told(slot.get(&state)) as i32).collect()
    }

    fn call(&mut self, from: &[i32], input: InputId, room: &mut [i32], sink: &mut dyn FnMut(Outcome, &[i32])) {
        for (slot, &value) in self.layout.slots.iter().zip(from) {
            if let Some(code) = slot.code(value) {
                slot.set(&mut self.state, code);
            }
        }
        let (layout, state) = (&self.layout, &self.state);
        let mut after = state.clone();
        self.tree.call(&self.program, layout, &mut self.codes, state, input, &mut |end, effects| {
            let outcome = match end {
                End::Continues(CallOutput::Output(letter)) => Outcome::Output(letter),
                End::Continues(CallOutput::Silent) => Outcome::Silent,
                End::Continues(CallOutput::Unspelt) => Outcome::Unspelt,
                End::Continues(CallOutput::Invalid | CallOutput::Unclear) => return sink(Outcome::Invalid, from),
                End::Error(error) => return sink(Outcome::Error(error), from),
                End::Stops | End::TooCoarse => return sink(Outcome::Crash, from),
            };
            after.copy_from_slice(state);
            products(layout, effects, &mut after, &mut |after| {
                room.copy_from_slice(from);
                for effect in effects {
                    let slot = &layout.slots[effect.slot as usize];
                    room[effect.slot as usize] = slot.told(slot.get(after)) as i32;
                }
                sink(outcome, room);
            });
        });
    }

    fn work(&self) -> u64 {
        self.tree.work / 8
    }

    fn has_one_way(&self) -> bool {
        self.has_one_way
    }

    /// Returns a trace with the same calls. The loop may be repeated several times, both before and within the
    /// new loop.
    fn close(&mut self, trace: Trace) -> Option<Trace> {
        let from = usize::try_from(trace.repeats_from?).ok()?;
        let words =
            trace.runs().iter().flat_map(|run| run.word.iter().cycle().take(run.word.len() * run.times as usize));
        let inputs: Vec<InputId> = words.map(|step| InputId(step.event.0)).collect();
        let (stem, round) = inputs.split_at_checked(from)?;
        let slots = self.layout.slots.iter();
        let mut now: Vec<Interval> = slots.map(|s| Interval::point(self.program.initial()[s.var.index()])).collect();
        stem.iter().try_for_each(|&input| self.single(&mut now, input))?;
        let mut seen: HashMap<Vec<i32>, u64> = HashMap::new();
        for rounds in 0..MOST_CALLS / round.len().max(1) as u64 {
            let values = now.iter().map(|value| value.lo).collect();
            if let Some(&back) = seen.get(&values) {
                return Some(looped(stem, round, back, rounds));
            }
            seen.insert(values, rounds);
            round.iter().try_for_each(|&input| self.single(&mut now, input))?;
        }
        None
    }
}

/// Makes the trace: the stem, then `back` repetitions of the loop, then the repetitions from `back` to `rounds`
/// as the new loop.
fn looped(stem: &[InputId], round: &[InputId], back: u64, rounds: u64) -> Trace {
    let event = |input: &InputId| EventId(input.0);
    let mut trace = Trace::new(Box::from([]));
    stem.iter().for_each(|input| trace.push(event(input), None));
    let word: Vec<EventId> = round.iter().map(event).collect();
    trace.push_repeat(word.clone(), back);
    trace.push_repeat(word, rounds - back);
    trace.repeats_from = Some(stem.len() as u64 + back * round.len() as u64);
    trace
}
