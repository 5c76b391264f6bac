//! Comparison of the literal interpreter and our reader on one text. They must have the same initial markings,
//! and from every marking the same steps, successors and targets. Within a bound, they must agree with the
//! explicit search and its checker.

use super::{Literal, Marking, spec, threads, write};
use impasse::formats::{Limits, Source, apply_init, read, read_goals};
use impasse::model::{Problem, Reason};
use impasse::{Finding, Options, check, engines};
use std::collections::BTreeSet;
use testkit::{Random, marked};

/// The bound within which all markings are compared, and the greatest number of such markings.
const BOUND: i128 = 6;
const MOST_MARKINGS: usize = 400;
/// Number of steps of a walk, and maximum number of tokens in its markings. A walk may exceed the bound.
const WALK: usize = 30;
const MOST_TOKENS: i128 = 14;

/// Counters over the compared texts.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) texts: u64,
    pub(crate) markings: u64,
    pub(crate) steps: u64,
    pub(crate) targets: u64,
    /// Numbers of texts with a target, for each result within the bound: the target is reached; it is not
    /// reached, and no marking is beyond the bound; it is not reached, and there are markings beyond the bound.
    pub(crate) answers: [u64; 3],
    pub(crate) large: u64,
}

/// Compares a random `.spec` text.
///
/// # Errors
///
/// A description of the first difference.
pub(crate) fn spec(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let text = write::spec(&mut Random::new(seed));
    let shown = || String::from_utf8_lossy(&text).into_owned();
    let ours = ours("t.spec", &text).map_err(|e| format!("{e}\n{}", shown()))?;
    compare(&spec::Spec::read(&text), &ours, seed, tally).map_err(|e| format!("{e}\n{}", shown()))
}

/// Compares a random `.tts` text with its `.prop` text and its initial state.
///
/// # Errors
///
/// A description of the first difference.
pub(crate) fn threads(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let write::Tts { text, prop, init } = write::tts(&mut Random::new(seed));
    let shown = || {
        let prop = prop.as_deref().map(String::from_utf8_lossy);
        format!("{}\nprop: {prop:?}\ninit: {init:?}", String::from_utf8_lossy(&text))
    };
    let mut ours = ours("t.tts", &text).map_err(|e| format!("{e}\n{}", shown()))?;
    if let Some(prop) = &prop {
        let source = Source { name: "t.prop".to_owned(), bytes: prop.clone() };
        read_goals(source, None, &mut ours, &Limits::default()).map_err(|e| format!("{e}\n{}", shown()))?;
    }
    if let Some(init) = &init {
        apply_init(&mut ours, init).map_err(|e| format!("{e}\n{}", shown()))?;
    }
    let literal = threads::Threads::read(&text, prop.as_deref(), init.as_deref());
    compare(&literal, &ours, seed, tally).map_err(|e| format!("{e}\n{}", shown()))
}

fn ours(name: &str, text: &[u8]) -> Result<Problem, String> {
    let source = Source { name: name.to_owned(), bytes: text.to_vec() };
    read(source, None, &Limits::default()).map(|read| read.problem).map_err(|e| format!("{e} {:?}", e.line_column()))
}

fn compare(literal: &dyn Literal, ours: &Problem, seed: u64, tally: &mut Tally) -> Result<(), String> {
    tally.texts += 1;
    let pair = Pair { literal, ours };
    if literal.steps() != marked::transitions(ours.system()) {
        return Err(format!("{} steps, ours has {}", literal.steps(), marked::transitions(ours.system())));
    }
    let (starts, cut) = pair.starts()?;
    pair.walk(&starts, &mut Random::new(seed ^ 0x5eed), tally)?;
    let Some((reached, cut)) = pair.all(starts, cut, tally)? else {
        tally.large += 1;
        return Ok(());
    };
    pair.answer(reached, cut, tally)
}

struct Pair<'a> {
    literal: &'a dyn Literal,
    ours: &'a Problem,
}

impl Pair<'_> {
    /// Returns all initial markings within the bound. The boolean is true if there are also initial markings
    /// beyond the bound.
    fn starts(&self) -> Result<(Vec<Marking>, bool), String> {
        let (mut all, mut cut) = (vec![Vec::new()], false);
        for (least, most) in self.literal.starts() {
            let ends = most.unwrap_or(i128::MAX).min(least + BOUND + 1);
            all = all.iter().flat_map(|m: &Marking| (least..=ends).map(move |n| [&m[..], &[n]].concat())).collect();
        }
        all.retain(|m| {
            let within = self.literal.counted(m) <= BOUND;
            cut |= !within;
            within
        });
        let (mut theirs, our_cut) = marked::initial(self.ours.system(), BOUND);
        theirs.sort_unstable();
        all.sort_unstable();
        if (&all, cut) == (&theirs, our_cut) { Ok((all, cut)) } else { Err(format!("starts {all:?}, ours {theirs:?}")) }
    }

    /// Compares the successors of `m` for each step and returns all of them.
    fn successors(&self, m: &[i128], tally: &mut Tally) -> Result<Vec<Marking>, String> {
        tally.markings += 1;
        let mut all = Vec::new();
        for step in 0..self.literal.steps() {
            let mut theirs = marked::fire(self.ours.system(), step, m);
            let mut after = self.literal.successors(step, m);
            theirs.sort_unstable();
            after.sort_unstable();
            if after != theirs {
                return Err(format!("step {} from {m:?} leads to {after:?}, ours to {theirs:?}", step + 1));
            }
            tally.steps += after.len() as u64;
            all.append(&mut after);
        }
        for goal in self.ours.goals() {
            tally.targets += 1;
            let (said, theirs) = (self.literal.is_target(m), marked::satisfies(self.ours, goal, m));
            if said != theirs {
                return Err(format!("{m:?}: target {said}, ours {theirs}"));
            }
        }
        Ok(all)
    }

    fn walk(&self, starts: &[Marking], random: &mut Random, tally: &mut Tally) -> Result<(), String> {
        if starts.is_empty() {
            return Ok(());
        }
        let mut m = starts[random.below(starts.len())].clone();
        for _ in 0..WALK {
            let mut after = self.successors(&m, tally)?;
            after.retain(|m| self.literal.counted(m) <= MOST_TOKENS);
            if after.is_empty() {
                break;
            }
            m = after.swap_remove(random.below(after.len()));
        }
        Ok(())
    }

    /// Explores all markings within the bound. Returns whether the target is reached, and whether there are
    /// markings beyond the bound. `None` if there are too many markings.
    fn all(&self, starts: Vec<Marking>, cut: bool, tally: &mut Tally) -> Result<Option<(bool, bool)>, String> {
        let (mut seen, mut queue) = (starts.iter().cloned().collect::<BTreeSet<_>>(), starts);
        let (mut reached, mut cut, mut next) = (false, cut, 0);
        while next < queue.len() {
            if queue.len() > MOST_MARKINGS {
                return Ok(None);
            }
            let m = queue[next].clone();
            next += 1;
            reached |= self.literal.is_target(&m);
            for after in self.successors(&m, tally)? {
                if self.literal.counted(&after) > BOUND {
                    cut = true;
                } else if seen.insert(after.clone()) {
                    queue.push(after);
                }
            }
        }
        Ok(Some((reached, cut)))
    }

    /// The explicit search within the bound must give the same result, with checked evidence.
    fn answer(&self, reached: bool, cut: bool, tally: &mut Tally) -> Result<(), String> {
        let bound = Some(u64::try_from(BOUND).expect("small"));
        let options = Options { engine: Some(&engines::EXPLICIT), slice: false, bound, ..Options::default() };
        for answer in &check(self.ours, &options).answers {
            let (which, right) = match &answer.finding {
                Finding::Settled(_) if answer.is_safe() => (1, !reached && !cut),
                // Between the auxiliary steps that encode choices, fewer tokens are counted, so a run beyond
                // the bound may be found.
                Finding::Settled(_) => (0, reached || cut),
                Finding::Within(_) | Finding::Unknown { reason: Reason::Bound, .. } => (2, !reached && cut),
                other => return Err(format!("{other:?}")),
            };
            if !right {
                return Err(format!("reached: {reached}, cut: {cut}, but {:?}", answer.finding));
            }
            tally.answers[which] += 1;
        }
        Ok(())
    }
}
