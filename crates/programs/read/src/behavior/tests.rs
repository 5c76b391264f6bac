//! Random threads, explored within small bounds and within large ones. Within small bounds, threads with lists get
//! neighbours, or only a part is explored.

use super::{Behavior, Blame, Elaborated, Kind, Named, Point, Shown, UNREAD, elaborate, rounds};
use formats::error::{Error, Span, Text};
use formats::meter::Meter;
use formats::source::{Limits, Partly};
use model::{Goal, Program};
use std::collections::BTreeSet;
use testkit::Random;

const EVENTS: u8 = 4;
/// The longest list. Threads with lists are finite, so that large bounds are enough for them.
const LONGEST: usize = 5;

type State = Vec<u8>;
/// Joint states, each alone and with each of its events.
type Steps = BTreeSet<(Vec<String>, Option<u8>)>;
type Res<T> = Result<T, Box<Error>>;

/// What a thread does in a state: events as bits, and the states to which each event leads.
#[derive(Clone)]
struct Row {
    requests: u8,
    blocks: u8,
    on: [Vec<u8>; EVENTS as usize],
}

enum Chance {
    /// A state is a number.
    Table { rows: Vec<Row>, initial: Vec<State> },
    /// A state is the list of the events of `watched`. Where an event follows another one, the thread may become bad.
    List { watched: u8, bad: [u8; 2], requested: Vec<u8> },
}

fn has(bits: u8, event: u8) -> bool {
    bits >> event & 1 == 1
}

impl Behavior for Chance {
    type Event = u8;
    type State = State;

    fn initial(&self) -> Res<Vec<State>> {
        Ok(match self {
            Self::Table { initial, .. } => initial.clone(),
            Self::List { .. } => vec![Vec::new()],
        })
    }

    fn point(&self, state: &State) -> Res<Point<u8>> {
        let bits = match self {
            Self::Table { rows, .. } => rows[state[0] as usize].requests,
            Self::List { requested, .. } => requested[state.len().min(LONGEST)],
        };
        let is_bad = state.last() == Some(&u8::MAX);
        Ok(Point {
            kind: if is_bad { Kind::Bad } else { Kind::Plain },
            is_hot: false,
            priority: 0,
            requests: (0..EVENTS).filter(|event| !is_bad && has(bits, *event)).collect(),
            is_sync: true,
            span: Span::default(),
            shown: Shown::always(format!("{state:?}")),
            name: None,
            kept: Vec::new(),
            origin: None,
        })
    }

    fn blocks(&self, state: &State, event: &u8) -> Res<bool> {
        Ok(matches!(self, Self::Table { rows, .. } if has(rows[state[0] as usize].blocks, *event)))
    }

    fn step(&self, state: &State, event: &u8) -> Res<Option<Vec<State>>> {
        Ok(match self {
            Self::Table { rows, .. } => {
                let to = &rows[state[0] as usize].on[*event as usize];
                (!to.is_empty()).then(|| to.iter().map(|to| vec![*to]).collect())
            }
            Self::List { watched, bad, .. } => (has(*watched, *event) && state.len() < LONGEST).then(|| {
                let longer = [state.as_slice(), &[*event]].concat();
                let mut next = vec![longer.clone()];
                if longer.ends_with(bad) {
                    next.push([longer.as_slice(), &[u8::MAX]].concat());
                }
                next
            }),
        })
    }

    fn blame(&self, _: &mut dyn Iterator<Item = &State>) -> Option<Blame> {
        None
    }
}

fn thread(random: &mut Random) -> Chance {
    let mut bits = |chance: usize| (0..EVENTS).filter(|_| random.chance(chance)).fold(0, |bits, e| bits | 1 << e);
    if bits(35) & 1 == 1 {
        let (watched, requested) = (bits(60), (0..=LONGEST).map(|_| bits(10)).collect());
        let bad = [random.below(EVENTS.into()) as u8, random.below(EVENTS.into()) as u8];
        return Chance::List { watched, bad, requested };
    }
    let count = random.between(1, 4) as u8;
    let rows = (0..count).map(|_| {
        let mut bits = |chance: usize| (0..EVENTS).filter(|_| random.chance(chance)).fold(0, |bits, e| bits | 1 << e);
        let (requests, blocks) = (bits(30), bits(15));
        let to = |_| (0..count).filter(|_| random.chance(20)).collect();
        Row { requests, blocks, on: [0; EVENTS as usize].map(to) }
    });
    let rows: Vec<Row> = rows.collect();
    let all = random.chance(50);
    let mut initial: Vec<State> = (0..count).filter(|s| *s == 0 || all || random.chance(20)).map(|s| vec![s]).collect();
    initial.dedup();
    Chance::Table { rows, initial }
}

/// The reachable joint states, and their events: what is seen of the runs, without what is unread. `None` if there are
/// too many.
fn seen(found: Elaborated<u8>) -> Option<(bool, Steps)> {
    let is_part = found.unread.is_some();
    let names = found.events.iter().map(ToString::to_string).chain(is_part.then(|| UNREAD.to_owned())).collect();
    let lines = found.lines;
    let program = Program::new(names, found.threads, vec![Goal::Bad, Goal::Deadlock]).expect("a program");
    let shown = |state: &[u32]| -> Vec<String> {
        state.iter().zip(&lines).map(|(local, lines)| lines.values[*local as usize].clone()).collect()
    };
    let (mut seen, mut done) = (BTreeSet::new(), BTreeSet::new());
    let mut open = testkit::program::initial(&program);
    while let Some(state) = open.pop() {
        if done.len() == 4_000 {
            return None;
        }
        let values = shown(&state);
        if !done.insert(state.clone()) || values.iter().any(|values| values == "not explored") {
            continue;
        }
        seen.insert((values.clone(), None));
        for (event, next) in testkit::program::successors(&program, &state) {
            let event = found.events.get(event.index()).copied();
            seen.insert((values.clone(), Some(event.expect("what is unread is not followed"))));
            open.push(next);
        }
    }
    Some((is_part, seen))
}

#[test]
fn small_bounds_find_what_large_ones_find() {
    let text = Text { name: "t", text: "" };
    let limits = Limits::default();
    let (mut parts, mut wholes) = (0, 0);
    for seed in 0..testkit::count(20_000) {
        let random = &mut Random::new(seed);
        let named = |number| Named { name: format!("t{number}"), span: Span::default(), behavior: thread(random) };
        let threads: Vec<Named<Chance>> = (0..4).map(named).collect();
        let explored = |most, partly| elaborate(&threads, text, &mut Meter::new(text, &limits), &rounds(most), partly);
        let Some((_, all)) = seen(explored(17, Partly::default()).expect("the threads are finite")) else { continue };
        for most in [3, 4, 5] {
            let Ok(found) = explored(most, Partly { at_goal: false, at_limit: true }) else { continue };
            let Some((is_part, found)) = seen(found) else { continue };
            if is_part {
                parts += 1;
                assert!(found.is_subset(&all), "seed {seed}, 2^{most} states: {:?}", found.difference(&all).next());
            } else {
                wholes += 1;
                assert_eq!(found, all, "seed {seed}, 2^{most} states");
            }
        }
    }
    assert!(parts > 100 && wholes > 100, "{parts} parts, {wholes} wholes");
}
