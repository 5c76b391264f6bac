//! The states and steps of each kind of system, for pictures of state graphs. No verdict depends on them.

use crate::steps::frames::{self, Frame};
use crate::steps::letters;
use crate::steps::marking::{Marking, Stepper};
use crate::{positions, walk};
use certify::Player;
use model::{Circuit, InputId, LocalId, Outcome, Program, ThreadId};
use num_bigint::BigUint;

/// The number of starts, and of steps of a state with the same event, that are drawn.
const WAYS: usize = 64;

/// Things of which some may be missing.
pub struct Part<T> {
    /// The elements.
    pub all: Vec<T>,
    /// True if there are no others.
    pub is_complete: bool,
}

/// A system with states that can be listed one by one.
pub trait Space {
    /// A state.
    type State: Clone + Ord;

    /// What is missing if starts or steps are not complete.
    const LEFT_OUT: &'static str;

    /// How to read the text of a state.
    const NOTE: &'static str;

    /// Returns the initial states.
    fn starts(&self) -> Part<Self::State>;

    /// Returns the steps from a state, each with its label.
    fn steps(&mut self, at: &Self::State) -> Part<(String, Self::State)>;

    /// Returns the text of a state.
    fn lines(&self, at: &Self::State) -> Vec<String>;

    /// Returns true if the state is marked.
    fn is_bad(&self, at: &Self::State) -> bool;

    /// Returns true if it is no fault that the state has no step.
    fn may_end(&self, at: &Self::State) -> bool;
}

/// Returns the combinations of one item of each list, at most [`WAYS`].
fn combinations(lists: &[Vec<u32>]) -> Part<Vec<u32>> {
    let mut all = vec![Vec::with_capacity(lists.len())];
    let mut is_complete = true;
    for list in lists {
        let longer = |begin: &Vec<u32>| {
            let begin = begin.clone();
            list.iter().map(move |item| [&begin[..], &[*item]].concat())
        };
        let mut next: Vec<Vec<u32>> = all.iter().flat_map(longer).take(WAYS + 1).collect();
        is_complete &= next.len() <= WAYS;
        next.truncate(WAYS);
        all = next;
    }
    Part { all, is_complete }
}

/// The states of a behavioral program.
pub struct Programs<'p> {
    program: &'p Program,
    first: Vec<u32>,
}

impl<'p> Programs<'p> {
    /// Returns the space of the system.
    pub fn new(program: &'p Program) -> Self {
        Self { program, first: program.threads().iter().map(|thread| thread.initial[0].0).collect() }
    }
}

impl Space for Programs<'_> {
    type State = Vec<u32>;

    const LEFT_OUT: &'static str = "starts and targets beyond 64 combinations of choices";

    const NOTE: &'static str = "State 0 lists all threads, the others list those that are elsewhere than in state 0.";

    fn starts(&self) -> Part<Vec<u32>> {
        let starts = self.program.threads().iter().map(|thread| thread.initial.iter().map(|s| s.0).collect());
        combinations(&starts.collect::<Vec<_>>())
    }

    fn steps(&mut self, at: &Vec<u32>) -> Part<(String, Vec<u32>)> {
        let (mut all, mut is_complete) = (Vec::new(), true);
        for event in walk::enabled(self.program, at).iter() {
            let targets = walk::targets(self.program, at, event);
            let lists: Vec<Vec<u32>> = targets.iter().map(|to| to.iter().map(|s| s.0).collect()).collect();
            let ways = combinations(&lists);
            is_complete &= ways.is_complete;
            all.extend(ways.all.into_iter().map(|to| (self.program.event_name(event).to_owned(), to)));
        }
        Part { all, is_complete }
    }

    fn lines(&self, at: &Vec<u32>) -> Vec<String> {
        let line = |(t, s): (usize, &u32)| {
            let thread = ThreadId::new(t);
            format!("{}: {}", self.program.thread(thread).name, positions::short(self.program, thread, LocalId(*s)))
        };
        // The difference from the start says most, because lists are cut.
        let is_start = *at == self.first;
        let differs = |(t, s): &(usize, &u32)| is_start || **s != self.first[*t];
        at.iter().enumerate().filter(differs).map(line).collect()
    }

    fn is_bad(&self, at: &Vec<u32>) -> bool {
        walk::locals(self.program, at).any(|(_, state)| state.bad)
    }

    fn may_end(&self, at: &Vec<u32>) -> bool {
        self.program.all_final(at)
    }
}

/// The markings of a net or a thread-transition system.
pub struct Markings<'p>(pub Stepper<'p>);

impl Space for Markings<'_> {
    type State = Marking;

    const LEFT_OUT: &'static str =
        "more tokens on open places, and other choices of the threads that a broadcast moves";

    const NOTE: &'static str = "A state lists the places with tokens.";

    fn starts(&self) -> Part<Marking> {
        Part { all: vec![self.0.start(&[])], is_complete: self.0.open_places().is_empty() }
    }

    fn steps(&mut self, at: &Marking) -> Part<(String, Marking)> {
        let (mut all, mut is_complete) = (Vec::new(), true);
        for transition in self.0.transitions().filter(|t| self.0.is_enabled(at, *t)) {
            let changes = self.0.fire(at, transition, &mut |_, count, targets| {
                is_complete = false;
                (0..targets.len()).map(|i| if i == 0 { count.clone() } else { BigUint::ZERO }).collect()
            });
            let mut to = at.clone();
            changes.into_iter().for_each(|(place, count)| to[place.index()] = count);
            all.push((self.0.transition_name(transition), to));
        }
        Part { all, is_complete }
    }

    fn lines(&self, at: &Marking) -> Vec<String> {
        let marked = at.iter().enumerate().filter(|(_, count)| **count != BigUint::ZERO);
        let lines: Vec<String> = marked
            .map(|(p, count)| {
                let name = self.0.place_name(model::PlaceId::new(p));
                if *count == BigUint::from(1u32) { name } else { format!("{name} = {count}") }
            })
            .collect();
        if lines.is_empty() { vec!["(no tokens)".to_owned()] } else { lines }
    }

    fn is_bad(&self, _: &Marking) -> bool {
        false
    }

    fn may_end(&self, _: &Marking) -> bool {
        false
    }
}

/// The states of the latches of a circuit.
pub struct Latches<'p>(pub &'p Circuit);

impl Latches<'_> {
    /// Returns the words of the first values of this number of bits.
    fn words(bits: usize) -> Part<Vec<u32>> {
        let few = bits.min(WAYS.ilog2() as usize);
        let word = |number: u32| {
            let mut words = vec![0; bits.div_ceil(32).max(1)];
            words[0] = number;
            words
        };
        Part { all: (0..1 << few).map(word).collect(), is_complete: few == bits }
    }

    fn frame(&self, at: &[bool], inputs: &[u32]) -> Frame<'_> {
        let mut frame = Frame::first(self.0, &[]);
        frame.restore(at);
        frame.compute(inputs);
        frame
    }
}

impl Space for Latches<'_> {
    type State = Vec<bool>;

    const LEFT_OUT: &'static str = "values of inputs and open latches beyond 64 combinations";

    const NOTE: &'static str = "A state lists the latches that are 1, a step the inputs that are 1.";

    fn starts(&self) -> Part<Vec<bool>> {
        let words = Self::words(self.0.open_latches().count());
        let all = words.all.iter().map(|start| Frame::first(self.0, start).latches()).collect();
        Part { all, is_complete: words.is_complete }
    }

    fn steps(&mut self, at: &Vec<bool>) -> Part<(String, Vec<bool>)> {
        let words = Self::words(self.0.inputs().len());
        let mut all = Vec::new();
        for inputs in &words.all {
            let mut frame = self.frame(at, inputs);
            if !frame.counts() {
                continue;
            }
            let names = frames::Ports::inputs(self.0).shown(|i| model::circuit::bit(inputs, i));
            frame.step();
            all.push((if names.is_empty() { "-".to_owned() } else { names.join(", ") }, frame.latches()));
        }
        Part { all, is_complete: words.is_complete }
    }

    fn lines(&self, at: &Vec<bool>) -> Vec<String> {
        let lines = frames::Ports::latches(self.0).shown(|i| at[i]);
        if lines.is_empty() { vec!["(all 0)".to_owned()] } else { lines }
    }

    /// A state is bad if an output is true in it, for some of the inputs that are tried.
    fn is_bad(&self, at: &Vec<bool>) -> bool {
        let words = Self::words(self.0.inputs().len());
        words.all.iter().any(|inputs| {
            let frame = self.frame(at, inputs);
            frame.counts() && self.0.outputs().iter().any(|output| frame.is_true(output.signal))
        })
    }

    fn may_end(&self, _: &Vec<bool>) -> bool {
        true
    }
}

/// The values of a reactive program, and how its last call ended if it stopped the program.
pub struct Calls<'p> {
    player: Player<'p>,
    first: Vec<i32>,
}

impl<'p> Calls<'p> {
    /// Returns the space of the system.
    pub fn new(program: &'p model::Reactive) -> Self {
        let player = Player::new(program);
        let first = player.values().to_vec();
        Self { player, first }
    }
}

impl Space for Calls<'_> {
    type State = (Vec<i32>, Option<String>);

    const LEFT_OUT: &'static str = "nothing";

    const NOTE: &'static str = "A state lists the variables that are not as at the start. Labels are inputs / outputs.";

    fn starts(&self) -> Part<Self::State> {
        Part { all: vec![(self.first.clone(), None)], is_complete: true }
    }

    fn steps(&mut self, at: &Self::State) -> Part<(String, Self::State)> {
        let mut all = Vec::new();
        let inputs = if at.1.is_some() { 0 } else { self.player.program().inputs().len() };
        for input in (0..inputs).map(InputId::new) {
            self.player.restore(&at.0);
            let outcome = self.player.call(input);
            if outcome == Outcome::Invalid {
                continue;
            }
            let shows = letters::shown(&self.player, outcome);
            let label = format!("{} / {}", letters::input(self.player.program(), input), shows.join(" "));
            let end = matches!(outcome, Outcome::Error(_) | Outcome::Crash).then(|| shows.join(" "));
            // After the program has stopped, its values mean nothing.
            let values = if end.is_some() { self.first.clone() } else { self.player.values().to_vec() };
            all.push((label, (values, end)));
        }
        Part { all, is_complete: true }
    }

    fn lines(&self, at: &Self::State) -> Vec<String> {
        if let Some(end) = &at.1 {
            return vec![end.clone()];
        }
        let changed = at.0.iter().zip(&self.first).enumerate().filter(|(_, (value, first))| value != first);
        let name = |i| self.player.program().name(model::VarId::new(i));
        let lines: Vec<String> = changed.map(|(i, (value, _))| format!("{} = {value}", name(i))).collect();
        if lines.is_empty() { vec!["as at the start".to_owned()] } else { lines }
    }

    fn is_bad(&self, at: &Self::State) -> bool {
        at.1.is_some()
    }

    fn may_end(&self, at: &Self::State) -> bool {
        at.1.is_some()
    }
}
