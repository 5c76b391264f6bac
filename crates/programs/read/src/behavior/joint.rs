//! Search of all threads together, for threads that have too many states, or an error, by themselves.
//!
//! The search visits the joint states of the program, breadth first, and makes the local states, the events and the
//! moves that runs meet, and no others. The explicit program then has exactly the runs of the threads:
//! 1. A joint state that a run visits is visited by the search, by induction on the run: the next event is requested in
//!    one of its local states and blocked in none, so the search takes it, to all targets of all threads.
//!    Of all threads together, it takes only the events with the greatest priority, as [`model::rwb`] defines: no run
//!    takes others. Which thread blocks a requested event is known up to the first one that does.
//! 2. What the search never looked at (an event in a local state that never meet) is missing in the explicit program,
//!    and no run can tell the difference.
//!
//! If there are too many joint states, what was found is a part of the program. What is not known then of an event in a
//! local state is said to be unread ([`model::unread`]), so each other run of the part is a run of the threads.

use super::explored::{Bounds, Effect, Explored, Res, Session, is_limit};
use super::{Behavior, Kind};
use formats::codes;
use formats::error::Error;
use model::{Goal, LocalId};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// An event in a local state: what is known about it.
#[derive(Clone, Copy)]
pub(super) enum Known {
    Blocked,
    /// Not blocked, and nothing else is known.
    Free,
    Stays,
    /// The index among the moves of the state.
    Moves(usize),
}

/// What is known of a thread, by local state and event.
pub(super) type KnownOfThread = HashMap<(usize, usize), Known>;
/// What is known, for each thread.
pub(super) type AllKnown = Vec<KnownOfThread>;

/// A part of a program with too many joint states.
pub(super) struct Part {
    pub(super) known: AllKnown,
    /// The limit.
    pub(super) why: Box<Error>,
    /// The goals that were met: bad states, and states in which all that is requested is blocked.
    pub(super) met: Vec<Goal>,
    /// True if a thread had too many states before there were too many joint states.
    pub(super) is_narrow: bool,
}

/// A joint state: the local state of each member.
type Joint = Box<[LocalId]>;

struct Search<'e, 'b, B: Behavior> {
    explored: &'e mut [Explored<'b, B>],
    /// The threads that are explored together, ascending.
    members: Vec<usize>,
    /// The events that may happen at any time, because a thread that is no member requests them.
    environment: BTreeSet<usize>,
    /// Only events before this one happen. Others are new to members that were explored by themselves.
    events: usize,
    known: AllKnown,
    /// For each thread and local state: the numbers of the requested events.
    requests: Vec<HashMap<usize, Vec<usize>>>,
    seen: HashSet<Joint>,
    level: Vec<Joint>,
    looks: usize,
    bounds: Bounds,
    met: BTreeSet<Goal>,
}

/// Explores the threads together. Returns what was found if a limit is reached, otherwise `None`.
///
/// # Errors
/// Errors of the threads in states that runs visit.
pub(super) fn search<B: Behavior>(
    explored: &mut [Explored<'_, B>],
    session: &mut Session<'_, '_, B::Event>,
) -> Res<Option<Part>> {
    let known = vec![HashMap::new(); explored.len()];
    let members = (0..explored.len()).collect();
    Ok(search_among(explored, (members, BTreeSet::new(), known, usize::MAX), session)?.err())
}

/// Explores some of the threads together, while the events of the environment may happen at any time. `known` is what
/// was known before. Only the first `events` events happen. Returns what is known, or the part if a limit is reached.
///
/// # Errors
/// Errors of the threads in states that are visited.
pub(super) fn search_among<B: Behavior>(
    explored: &mut [Explored<'_, B>],
    (members, environment, known, events): (Vec<usize>, BTreeSet<usize>, AllKnown, usize),
    session: &mut Session<'_, '_, B::Event>,
) -> Res<Result<AllKnown, Part>> {
    let mut search = Search {
        known,
        requests: vec![HashMap::new(); members.len()],
        seen: HashSet::new(),
        level: Vec::new(),
        looks: 0,
        bounds: session.bounds,
        met: BTreeSet::new(),
        explored,
        members,
        environment,
        events,
    };
    let initial: Vec<Vec<LocalId>> =
        search.members.iter().map(|thread| search.explored[*thread].initial.clone()).collect();
    let mut is_small = search.add_all(&initial);
    while is_small && !search.level.is_empty() {
        for joint in std::mem::take(&mut search.level) {
            is_small = is_small
                && match search.expand(&joint, session) {
                    Err(why) if is_limit(&why) => return Ok(Err(search.part(why, true))),
                    result => result?,
                };
        }
    }
    let too_many = || Error::whole(&codes::LIMIT_STATES, session.source.name, "the threads have too many joint states");
    Ok(if is_small { Ok(search.known) } else { Err(search.part(too_many(), false)) })
}

impl<B: Behavior> Search<'_, '_, B> {
    fn part(self, why: Box<Error>, is_narrow: bool) -> Part {
        Part { known: self.known, why, met: self.met.into_iter().collect(), is_narrow }
    }

    /// Adds all combinations of the local states. Returns false if there are too many joint states.
    fn add_all(&mut self, choices: &[Vec<LocalId>]) -> bool {
        let mut at = vec![0; choices.len()];
        loop {
            let joint: Joint = at.iter().zip(choices).map(|(i, of_thread)| of_thread[*i]).collect();
            if self.seen.insert(joint.clone()) {
                self.level.push(joint);
            }
            self.looks += 1;
            if self.seen.len() > self.bounds.joint || self.looks > self.bounds.looks {
                return false;
            }
            // The next combination, as a counter with a digit for each thread.
            let Some(digit) = (0..at.len()).find(|digit| at[*digit] + 1 < choices[*digit].len()) else { return true };
            at[..digit].fill(0);
            at[digit] += 1;
        }
    }

    /// Adds the successors of a joint state. A state with a bad local state has none.
    fn expand(&mut self, joint: &Joint, session: &mut Session<'_, '_, B::Event>) -> Res<bool> {
        let is_bad = |(thread, local): (&usize, &LocalId)| {
            matches!(self.explored[*thread].points[local.index()].kind, Kind::Bad | Kind::Fault)
        };
        if self.members.iter().zip(joint).any(is_bad) {
            self.met.insert(Goal::Bad);
            return Ok(true);
        }
        let mut requested = self.requested(joint, session);
        requested.retain(|event| *event < self.events);
        let mut open = BTreeMap::new();
        for event in &requested {
            if let Some(known) = self.unblocked(joint, *event, session)? {
                open.insert(*event, known);
            }
        }
        let is_stuck = !requested.is_empty() && open.is_empty();
        self.keep_greatest(joint, &mut open);
        for (event, known) in open {
            let mut choices = Vec::with_capacity(joint.len());
            for (member, (local, known)) in joint.iter().zip(known).enumerate() {
                choices.push(self.targets(self.members[member], *local, (event, known), session)?);
            }
            if !self.add_all(&choices) {
                return Ok(false);
            }
        }
        if is_stuck {
            self.met.insert(Goal::Deadlock);
        }
        Ok(true)
    }

    /// Returns the numbers of the events that some member or the environment requests.
    fn requested(&mut self, joint: &Joint, session: &Session<'_, '_, B::Event>) -> BTreeSet<usize> {
        let mut all = self.environment.clone();
        for ((thread, requests), local) in self.members.iter().zip(&mut self.requests).zip(joint) {
            let thread = &self.explored[*thread];
            let of_point =
                || thread.points[local.index()].requests.iter().map(|event| session.numbers[event]).collect();
            all.extend(requests.entry(local.index()).or_insert_with(of_point).iter().copied());
        }
        all
    }

    /// Returns what is known of an event in each local state. `None` if the event is blocked in one of them.
    fn unblocked(
        &mut self,
        joint: &Joint,
        event: usize,
        session: &mut Session<'_, '_, B::Event>,
    ) -> Res<Option<Vec<Known>>> {
        let mut all = Vec::with_capacity(joint.len());
        for (thread, local) in self.members.iter().zip(joint) {
            self.looks += 1;
            let at = (local.index(), event);
            let known = match self.known[*thread].get(&at) {
                Some(known) => *known,
                None => {
                    let is_blocked = self.explored[*thread].blocks(at.0, event, session)?;
                    let known = if is_blocked { Known::Blocked } else { Known::Free };
                    self.known[*thread].insert(at, known);
                    known
                }
            };
            if matches!(known, Known::Blocked) {
                return Ok(None);
            }
            all.push(known);
        }
        Ok(Some(all))
    }

    /// Keeps the events that some thread requests with the greatest priority. What threads that are no members block is
    /// not known, so then all events are kept.
    fn keep_greatest(&self, joint: &Joint, open: &mut BTreeMap<usize, Vec<Known>>) {
        let priority = |member: usize| self.explored[self.members[member]].points[joint[member].index()].priority;
        let is_plain = (1..joint.len()).all(|member| priority(member) == priority(0));
        if is_plain || self.members.len() < self.explored.len() {
            return;
        }
        let requests = |member: &usize| self.requests[*member].get(&joint[*member].index()).into_iter().flatten();
        let is_heard = |member: &usize| requests(member).any(|event| open.contains_key(event));
        let Some(greatest) = (0..joint.len()).filter(is_heard).map(priority).max() else { return };
        let first = (0..joint.len()).filter(|member| priority(*member) == greatest);
        let kept: BTreeSet<usize> = first.flat_map(|member| requests(&member).copied()).collect();
        open.retain(|event, _| kept.contains(event));
    }

    /// Returns the local states to which an event leads that is not blocked.
    fn targets(
        &mut self,
        thread: usize,
        local: LocalId,
        (event, mut known): (usize, Known),
        session: &mut Session<'_, '_, B::Event>,
    ) -> Res<Vec<LocalId>> {
        let at = local.index();
        if matches!(known, Known::Free) {
            known = match self.explored[thread].step(at, event, session)? {
                Effect::Moves => Known::Moves(self.explored[thread].moves[at].len() - 1),
                _ => Known::Stays,
            };
            self.known[thread].insert((at, event), known);
        }
        Ok(match known {
            Known::Moves(index) => self.explored[thread].moves[at][index].1.clone(),
            _ => vec![local],
        })
    }
}
