//! Certificates by projection: a closed set of joint states of the kept threads. It contains no state that
//! could be part of a goal state.
//!
//! The projection onto the kept threads is a program. Its threads are the kept threads and one more thread. The
//! other threads of the program are not kept. If one of them requests an event in a locally reachable state
//! that is not bad, the additional thread always requests this event. So closure is checked in the same way as
//! for other state sets.
//! 1. Every run of the program, restricted to the kept threads, stays in the set. Proof: by induction over the
//!    run. An event that fires is blocked by no kept thread, and is requested by a kept thread or by the
//!    additional thread. A state without enabled event has no successors in the projection, and none in the
//!    program's runs.
//! 2. *Bad*: no run visits a bad composite state. Proof: such a state has a bad local state. It is not of a
//!    kept thread, because no listed state has a bad local state. It is not of another thread, because no bad
//!    state of these threads is locally reachable.
//! 3. *Deadlock*: no run ends in a plain deadlock. Proof: a plain deadlock has no bad local state, and its kept
//!    threads are in a listed state. For each listed state without bad local state, the check finds an event or
//!    a set of events:
//!    * An event that no kept thread blocks, and that the other threads do not block in any state they may be
//!      in. Some kept thread requests it, or another thread requests it in every state that this thread may be
//!      in. This event is enabled.
//!    * A set of events with these properties, except that one other thread, the same for all events of the
//!      set, may block them. In each state that this thread may be in, it leaves one of the events unblocked.
//!      That event is enabled.

use crate::threads::Threads;
use crate::{Check, Refusal, reject};
use kernel::Work;
use kernel::closed::{self, Listed, Set, Visit};
use kernel::program::stepper::{Scratch, Stepper, bit, bits, describe};
use model::{EventId, EventSet, Goal, LocalId, LocalState, Program, Projection, Thread};
use std::collections::BTreeMap;

pub(crate) fn check(
    program: &Program,
    stepper: &Stepper,
    projection: &Projection,
    goals: &[Goal],
    work: &mut Work<'_>,
) -> Check<Set> {
    let kept: Vec<usize> = projection.kept.iter().map(|thread| thread.index()).collect();
    if kept.windows(2).any(|pair| pair[0] >= pair[1]) || kept.last().is_some_and(|&last| last >= stepper.width()) {
        return reject("the kept threads are not an ascending list of threads");
    }
    let threads = Threads::new(stepper, work)?;
    let others: Vec<usize> = (0..stepper.width()).filter(|thread| kept.binary_search(thread).is_err()).collect();
    if goals.contains(&Goal::Bad) {
        for &thread in &others {
            if threads.views[thread].reachable.iter().any(|&s| stepper.is_bad(thread, s)) {
                return reject(format!("thread {thread} is not kept and has a bad state"));
            }
        }
    }
    let others = Others::new(&threads, &others, work)?;
    let projected = projected(program, &kept, &others)?;
    let joint = Stepper::new(&projected)?;
    let sure = Sure { stepper: &joint, threads: &threads, others: &others };
    let mut states = States { program: &projected, sure, goals, scratch: Scratch::default() };
    closed::check(&mut states, projection.states.as_ref(), work)
}

/// States of the projected program, without the slot of its last thread, which has only one state.
struct States<'a> {
    program: &'a Program,
    sure: Sure<'a>,
    goals: &'a [Goal],
    scratch: Scratch,
}

impl Listed for States<'_> {
    const ELEMENT: &'static str = "state";

    fn sizes(&self) -> Vec<usize> {
        let mut sizes = self.sure.stepper.sizes();
        sizes.pop();
        sizes
    }

    fn initial(&self, visit: &mut dyn FnMut(&[u32]) -> Check<()>) -> Check<()> {
        self.sure.stepper.initial_states(|state| visit(&state[..state.len() - 1]))
    }

    fn expand(&mut self, state: &[u32], visit: &mut impl Visit, work: &mut Work<'_>) -> Check<()> {
        let joint = self.sure.stepper;
        let whole: Vec<u32> = state.iter().copied().chain([0]).collect();
        joint.steps(&whole, &mut self.scratch, |changes| visit.visit(changes, work))?;
        let bad = whole.iter().enumerate().any(|(thread, &s)| joint.is_bad(thread, s));
        if bad && self.goals.contains(&Goal::Bad) {
            return reject("the set contains a state with a bad local state");
        }
        if !bad && self.goals.contains(&Goal::Deadlock) && !self.sure.has_event(&whole) {
            return reject("no event is sure to be enabled in");
        }
        Ok(())
    }

    fn describe(&self, state: &[u32]) -> String {
        describe(self.program, state)
    }
}

/// What the threads that are not kept may do, and what they are sure to do, as sets of events, 64 to a word.
/// Their bad states do not count.
struct Others {
    may_request: Vec<u64>,
    may_block: Vec<u64>,
    /// For each event: the only one of these threads that may block it. `SEVERAL` if two or more may.
    blocker: Vec<usize>,
    /// The events that some single thread requests in each of its states. (A thread with bad states only counts
    /// as requesting all events. Then no state is a plain deadlock.)
    sure_request: Vec<u64>,
}

/// A number that no thread has.
const SEVERAL: usize = usize::MAX;

impl Others {
    fn new(threads: &Threads<'_>, others: &[usize], work: &mut Work<'_>) -> Check<Self> {
        let stepper = threads.stepper;
        let none = || vec![0; stepper.words()];
        let blocker = vec![SEVERAL; stepper.events()];
        let mut all = Self { may_request: none(), may_block: none(), blocker, sure_request: none() };
        for &thread in others {
            let mut own_blocks = stepper.none();
            let mut always = EventSet::full(stepper.events());
            for &local in threads.views[thread].reachable.iter().filter(|&&s| !stepper.is_bad(thread, s)) {
                let (requests, blocks) = (stepper.request(thread, local), stepper.block(thread, local));
                work.spend(1 + (requests.size() + blocks.size() + own_blocks.size()) as u64)?;
                requests.add_to(&mut all.may_request);
                own_blocks.union_with(blocks);
                always.intersect_with(requests);
            }
            all.note_blocks(thread, &own_blocks, work)?;
            always.add_to(&mut all.sure_request);
        }
        Ok(all)
    }

    /// Records that `thread` may block these events.
    fn note_blocks(&mut self, thread: usize, blocks: &EventSet, work: &mut Work<'_>) -> Check<()> {
        for event in blocks.iter() {
            work.spend(1)?;
            let seen = bit(&self.may_block, event.0);
            self.blocker[event.index()] = if seen { SEVERAL } else { thread };
        }
        blocks.add_to(&mut self.may_block);
        Ok(())
    }
}

/// Builds the program of the kept threads and one additional thread. The additional thread always requests all
/// events that the other threads may request.
fn projected(program: &Program, kept: &[usize], others: &Others) -> Check<Program> {
    let events = program.events().len();
    let mut threads: Vec<Thread> = kept.iter().map(|&thread| program.threads()[thread].clone()).collect();
    let mut name = "(others)".to_owned();
    while threads.iter().any(|thread| thread.name == name) {
        name.push('\'');
    }
    let state = LocalState {
        name: "any".to_owned(),
        request: EventSet::from_events(events, bits(&others.may_request).map(EventId)),
        block: EventSet::empty(events),
        bad: false,
        on: BTreeMap::new(),
    };
    threads.push(Thread { name, states: vec![state], initial: vec![LocalId(0)] });
    Program::new(program.events().to_vec(), threads, program.check().to_vec())
        .map_err(|invalid| Refusal::Unknown(format!("the projection is not a valid program: {invalid}")))
}

struct Sure<'a> {
    /// The stepper of the projected program.
    stepper: &'a Stepper,
    /// The threads of the whole program.
    threads: &'a Threads<'a>,
    others: &'a Others,
}

impl Sure<'_> {
    /// True if some event is enabled whatever the other threads do, as long as they are in no bad state. The
    /// last slot of `state` stands for them. Cost: the number of events that may fire in the state, times the
    /// number of states of the threads that may block these events.
    fn has_event(&self, state: &[u32]) -> bool {
        let Some((_, kept)) = state.split_last() else { return false };
        let mut doubtful = self.others.sure_request.clone();
        for (thread, &s) in kept.iter().enumerate() {
            self.stepper.request(thread, s).add_to(&mut doubtful);
        }
        for (thread, &s) in kept.iter().enumerate() {
            self.stepper.block(thread, s).take_from(&mut doubtful);
        }
        if doubtful.iter().zip(&self.others.may_block).any(|(open, shut)| open & !shut != 0) {
            return true;
        }
        let mut by_blocker: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for event in bits(&doubtful) {
            by_blocker.entry(self.others.blocker[event as usize]).or_default().push(event);
        }
        by_blocker.remove(&SEVERAL);
        by_blocker.iter().any(|(&thread, events)| self.leaves_one_open(thread, events))
    }

    /// True if `thread`, which is not kept, leaves one of `events` unblocked in each state that it may be in.
    fn leaves_one_open(&self, thread: usize, events: &[u32]) -> bool {
        let whole = self.threads.stepper;
        let mut good = self.threads.views[thread].reachable.iter().filter(|&&s| !whole.is_bad(thread, s));
        good.all(|&s| {
            let blocks = whole.block(thread, s);
            events.iter().any(|&e| !blocks.contains(EventId(e)))
        })
    }
}
