//! A system that `explore` and `simulate` step through, whatever its kind. Each request names the path to a state, so
//! there is no current state. States on paths that were asked for are kept, up to a bound, so that a step after a long
//! path costs one step.

mod aim;
mod error;
pub mod export;
mod kept;
mod moment;
pub mod path;
pub mod patience;
pub mod position;
mod search;
pub mod views;

use crate::choices::moves::random_step;
use crate::choices::{Choices, MOST_OUTCOMES, Refusal, Taken, outcomes};
use crate::draw::graph::Graph;
use crate::draw::source::states;
use crate::json::{StateRecord, json};
use crate::steps::Value;
use aim::Aim;
pub use error::MachineError;
use kept::Kept;
use model::{EventId, Goal, Move, Problem, Stop, Trace};
pub use moment::Moment;
use num_bigint::BigUint;
use path::{LONGEST, Path, Pick};
use position::{Position, Stepped};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use views::{
    ChangeView, ChoiceView, FieldView, GraphView, OutcomeView, RefusedPage, RefusedView, RunView, StateView, StepView,
    Target, WhyView, bad_step,
};

/// Maximum number of enabled labels in an answer.
const LISTED: usize = 200;
/// For this many labels, the answer lists all outcomes and what they change, as far as their states together have no
/// more than this number of parts.
const PREVIEWED: usize = 40;
const COMPARED: usize = 200_000;
/// Maximum number of changes of an outcome, and of places in the text, in an answer.
const CHANGES: usize = 12;
const PLACES: usize = 256;
/// Maximum number of targets at which a random run pauses.
const TARGETS: usize = 100;
/// On a long path, the states at multiples of this number of steps are kept.
const EVERY: usize = 512;

/// A system that is stepped through, whatever its kind.
pub trait Explored: Send + Sync {
    /// Returns the number of labels: events, transitions, frames or inputs.
    fn labels(&self) -> usize;
    /// Returns the name of a label.
    fn name(&self, label: u32) -> String;
    /// Returns the names of the parts of a state.
    fn parts(&self) -> Vec<String>;
    /// Returns what the initial states leave open.
    fn start_fields(&self) -> Vec<FieldView>;
    /// Returns the state at the end of the path. `query` chooses among the enabled labels.
    fn state(&self, problem: &Problem, path: &Path, query: &str) -> Result<StateView, MachineError>;
    /// Returns the steps with the numbers `from..to`, counted from 0.
    fn steps(&self, problem: &Problem, path: &Path, from: usize, to: usize) -> Result<Vec<StepView>, MachineError>;
    /// Returns labels that are not enabled, with the reasons.
    fn refused(&self, path: &Path, query: &str, offset: usize, limit: usize) -> Result<RefusedPage, MachineError>;
    /// Takes random steps, until a target is reached.
    fn random(
        &self,
        problem: &Problem,
        path: &Path,
        steps: usize,
        seed: u64,
        until: &[Target],
    ) -> Result<RunView, MachineError>;
    /// Returns the states around the end of the path.
    fn graph(&self, problem: &Problem, path: &Path, most: usize) -> Result<GraphView, MachineError>;
    /// Searches breadth first. `visit` is told the number of states, and returns false to end the search.
    fn search(
        &self,
        problem: &Problem,
        path: &Path,
        target: &Target,
        visit: &mut dyn FnMut(usize) -> bool,
    ) -> Result<SearchOutcome, MachineError>;
    /// Returns the path as a run.
    fn trace(&self, path: &Path) -> Result<Trace, MachineError>;
    /// Returns the path of a run that the checker has accepted, and false if it is cut.
    fn path_of(&self, trace: &Trace) -> Result<(Path, bool), MachineError>;
    /// Returns true if the formula holds in the state at the end of the path.
    fn holds(&self, problem: &Problem, path: &Path, formula: &str) -> Result<bool, MachineError>;
    /// Returns the step that decided that a run gets stuck; `None` if it is not found.
    fn last_moment(&self, trace: &Trace) -> Option<Moment>;
    /// Returns the ids of the properties that the path reaches at its end.
    fn reached(&self, problem: &Problem, path: &Path) -> Result<Vec<String>, MachineError>;
    /// Returns a position in the system, to step line by line.
    fn position<'a>(&'a self, problem: &'a Problem) -> Box<dyn Position + 'a>;
    /// Returns the picture of the states that are reached first, at most `most`. `None` if the work was stopped.
    fn picture(&self, most: usize, stop: &Stop) -> Option<Graph>;
}

/// The result of a search.
pub enum SearchOutcome {
    /// A path to the target.
    Path(Path),
    /// All reachable states were visited.
    Nowhere(usize),
    /// The search ended before that.
    Cut(usize),
}

/// A system of the kind `K`.
pub struct Machine<K: Choices> {
    pub(super) kind: K,
    kept: Mutex<Kept<K::State>>,
}

impl<K: Choices> Machine<K> {
    /// Returns a machine that keeps no states yet.
    pub fn new(kind: K) -> Self {
        Self { kind, kept: Mutex::new(Kept::new()) }
    }

    fn kept(&self) -> MutexGuard<'_, Kept<K::State>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, path: &Path, steps: usize, state: &K::State) {
        self.kept().keep(path, steps, state, self.kind.size(state));
    }

    /// Returns the state after the first `length` steps of the path.
    pub(super) fn at(&self, path: &Path, length: usize) -> Result<K::State, MachineError> {
        let (mut done, mut state) = match self.kept().recall(path, length) {
            Some(known) => known,
            None => {
                let start = self.kind.start(&path.start);
                (0, start.ok_or_else(|| MachineError::Path("there is no such initial state".to_owned()))?)
            }
        };
        while done < length {
            patience::check()?;
            let pick = &path.picks[done];
            let taken = self.kind.take(&state, pick.label, &pick.outcome);
            state = taken.map_err(|refusal| bad_step(done + 1, refusal))?.to;
            done += 1;
            if done.is_multiple_of(EVERY) && done < length {
                self.keep(path, done, &state);
            }
        }
        self.keep(path, length, &state);
        Ok(state)
    }

    /// Returns the first changes, and the number of changes that are left out.
    fn changes(&self, from: &K::State, to: &K::State, most: usize) -> (Vec<ChangeView>, usize) {
        let parts = self.kind.differ(from, to);
        let change = |&part: &usize| ChangeView {
            name: self.kind.part(part),
            from: json(&self.kind.value(from, part)),
            to: json(&self.kind.value(to, part)),
            from_text: self.kind.text(from, part),
            to_text: self.kind.text(to, part),
        };
        (parts.iter().take(most).map(change).collect(), parts.len().saturating_sub(most))
    }

    /// Returns the texts of the values that have one.
    fn texts(&self, state: &K::State) -> StateRecord {
        let text = |part| Some((self.kind.part(part), self.kind.text(state, part)?.into()));
        (0..self.kind.parts()).filter_map(text).collect()
    }

    /// Returns the whole state. Places without tokens are left out.
    fn whole(&self, state: &K::State) -> StateRecord {
        let mut all = StateRecord::new();
        for part in 0..self.kind.parts() {
            let value = self.kind.value(state, part);
            if value != Value::Tokens(BigUint::ZERO) {
                all.insert(self.kind.part(part), json(&value));
            }
        }
        all
    }

    pub(super) fn reached_in(&self, problem: &Problem, state: &K::State, goals: &[Goal]) -> Vec<String> {
        let is_reached = |goal: Goal| {
            let formula = problem.formula(goal).and_then(|formula| self.kind.holds(state, formula));
            goals.contains(&goal) || formula.unwrap_or_else(|| self.kind.reaches(state, goal))
        };
        problem.properties().iter().filter(|p| is_reached(p.goal)).map(|p| p.id.clone()).collect()
    }

    fn choice(&self, state: &K::State, label: u32, is_previewed: bool) -> ChoiceView {
        let fields = self.kind.fields(state, label);
        let (tried, complete) = outcomes(&fields, if is_previewed { MOST_OUTCOMES } else { 1 });
        let mut requested_by = Vec::new();
        let mut possible = Vec::new();
        for outcome in tried {
            let Ok(taken) = self.kind.take(state, label, &outcome) else { continue };
            let changes = is_previewed.then(|| self.changes(state, &taken.to, CHANGES));
            let (changes, more) = changes.map_or((None, 0), |(changes, more)| (Some(changes), more));
            let pick = Pick { label, outcome }.to_string();
            possible.push(OutcomeView { pick, event: taken.event, outputs: taken.shows, changes, more });
            requested_by = taken.requested_by;
        }
        let fields = fields.into_iter().map(FieldView::of).collect();
        ChoiceView { label, name: self.kind.name(label), requested_by, fields, outcomes: possible, complete }
    }

    fn step_view(
        &self,
        problem: &Problem,
        number: usize,
        pick: &Pick,
        from: &K::State,
        taken: &Taken<K::State>,
    ) -> StepView {
        StepView {
            step: number as u64,
            event: taken.event.clone(),
            requested_by: taken.requested_by.clone(),
            outputs: taken.shows.clone(),
            changes: self.changes(from, &taken.to, usize::MAX).0,
            reached: self.reached_in(problem, &taken.to, &taken.goals),
            pick: pick.to_string(),
        }
    }
}

impl<K: Choices> Explored for Machine<K> {
    fn labels(&self) -> usize {
        self.kind.labels()
    }

    fn name(&self, label: u32) -> String {
        self.kind.name(label)
    }

    fn parts(&self) -> Vec<String> {
        (0..self.kind.parts()).map(|part| self.kind.part(part)).collect()
    }

    fn start_fields(&self) -> Vec<FieldView> {
        self.kind.start_fields().into_iter().map(FieldView::of).collect()
    }

    fn state(&self, problem: &Problem, path: &Path, query: &str) -> Result<StateView, MachineError> {
        let state = self.at(path, path.picks.len())?;
        let enabled = self.kind.enabled(&state);
        let fits = |label: &&u32| query.is_empty() || self.kind.name(**label).contains(query);
        let listed: Vec<u32> = enabled.iter().filter(fits).take(LISTED).copied().collect();
        let previewed = PREVIEWED.min(COMPARED / self.kind.parts().max(1)).max(1);
        let choices = listed.iter().enumerate().map(|(i, label)| self.choice(&state, *label, i < previewed)).collect();
        let places = (0..self.kind.parts().min(PLACES)).map_while(|part| self.kind.place(&state, part)).collect();
        let lines: Vec<u32> = (0..self.kind.parts()).map(|part| self.kind.line(&state, part).unwrap_or(0)).collect();
        let lines = if lines.iter().any(|line| *line > 0) { lines } else { Vec::new() };
        Ok(StateView {
            path: path.to_string(),
            step: path.picks.len(),
            state: self.whole(&state),
            texts: self.texts(&state),
            numbers: self.kind.numbers(&state),
            places,
            lines,
            choices,
            enabled: enabled.len(),
            reached: self.reached(problem, path)?,
            stuck: if enabled.is_empty() { self.kind.stuck(&state) } else { Vec::new() },
        })
    }

    fn steps(&self, problem: &Problem, path: &Path, from: usize, to: usize) -> Result<Vec<StepView>, MachineError> {
        let (from, to) = (from.min(path.picks.len()), to.min(path.picks.len()));
        let mut state = self.at(path, from)?;
        let mut steps = Vec::new();
        for (number, pick) in path.picks.iter().enumerate().take(to).skip(from) {
            patience::check()?;
            let taken = self.kind.take(&state, pick.label, &pick.outcome);
            let taken = taken.map_err(|refusal| bad_step(number + 1, refusal))?;
            steps.push(self.step_view(problem, number + 1, pick, &state, &taken));
            state = taken.to;
        }
        Ok(steps)
    }

    fn refused(&self, path: &Path, query: &str, offset: usize, limit: usize) -> Result<RefusedPage, MachineError> {
        let state = self.at(path, path.picks.len())?;
        let enabled = self.kind.enabled(&state);
        let labels = (0..).take(self.kind.labels()).filter(|label| enabled.binary_search(label).is_err());
        let fitting: Vec<u32> =
            labels.filter(|label| query.is_empty() || self.kind.name(*label).contains(query)).collect();
        let view = |&label: &u32| RefusedView {
            label,
            name: self.kind.name(label),
            why: WhyView::of(self.kind.refusal(&state, label)),
        };
        let items = fitting.iter().skip(offset).take(limit).map(view).collect();
        Ok(RefusedPage { total: fitting.len(), items })
    }

    fn random(
        &self,
        problem: &Problem,
        path: &Path,
        steps: usize,
        seed: u64,
        until: &[Target],
    ) -> Result<RunView, MachineError> {
        if until.len() > TARGETS {
            return Err(MachineError::Target(format!("a run pauses at one of at most {TARGETS} targets")));
        }
        let aims: Result<Vec<Aim>, MachineError> = until.iter().map(|target| self.aim(problem, target)).collect();
        let aims = aims?;
        let mut random = ::search::rng::Rng(seed);
        let mut state = self.at(path, path.picks.len())?;
        let (mut picks, mut paused_at, mut ended) = (Vec::new(), None, false);
        while picks.len() < steps && path.picks.len() + picks.len() < LONGEST && paused_at.is_none() {
            patience::check()?;
            let Some((pick, taken)) = random_step(&self.kind, &state, &mut random) else {
                ended = true;
                break;
            };
            paused_at = aims.iter().position(|aim| self.hits(aim, pick.label, &taken));
            picks.push(pick);
            state = taken.to;
        }
        let path = path.and(picks);
        self.keep(&path, path.picks.len(), &state);
        Ok(RunView { path: path.to_string(), paused_at, ended })
    }

    fn graph(&self, problem: &Problem, path: &Path, most: usize) -> Result<GraphView, MachineError> {
        self.surroundings(problem, path, most)
    }

    fn search(
        &self,
        problem: &Problem,
        path: &Path,
        target: &Target,
        visit: &mut dyn FnMut(usize) -> bool,
    ) -> Result<SearchOutcome, MachineError> {
        self.breadth_first(&self.aim(problem, target)?, path, visit)
    }

    fn trace(&self, path: &Path) -> Result<Trace, MachineError> {
        let start = self.kind.recorded_start(&path.start);
        let mut trace =
            Trace::new(start.ok_or_else(|| MachineError::Path("there is no such initial state".to_owned()))?);
        let mut state = self.at(path, 0)?;
        for (number, pick) in path.picks.iter().enumerate() {
            patience::check()?;
            let wrong = |refusal: Refusal| bad_step(number + 1, refusal);
            let taken = self.kind.take(&state, pick.label, &pick.outcome).map_err(wrong)?;
            let recorded = self.kind.recorded(&state, pick.label, &pick.outcome, &taken.to).map_err(wrong)?;
            trace.push(EventId(pick.label), recorded);
            state = taken.to;
        }
        Ok(trace)
    }

    fn path_of(&self, trace: &Trace) -> Result<(Path, bool), MachineError> {
        let strange = || MachineError::Evidence("the run cannot be expressed as a path".to_owned());
        let start = self.kind.start_of(&trace.start).ok_or_else(strange)?;
        let mut state = self.kind.start(&start).ok_or_else(strange)?;
        let all = trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| &run.word));
        let mut picks = Vec::new();
        for Move { event, choice } in all.take(LONGEST) {
            patience::check()?;
            let recorded = choice.map(|choice| trace.choice(choice));
            let outcome = self.kind.outcome_of(&state, event.0, recorded).ok_or_else(strange)?;
            let taken = self.kind.take(&state, event.0, &outcome);
            state = taken.map_err(|refusal| bad_step(picks.len() + 1, refusal))?.to;
            picks.push(Pick { label: event.0, outcome });
        }
        let is_whole = trace.len().is_some_and(|length| length == picks.len() as u64);
        let path = Path { start, picks: Arc::new(picks) };
        self.keep(&path, path.picks.len(), &state);
        Ok((path, is_whole))
    }

    fn holds(&self, problem: &Problem, path: &Path, formula: &str) -> Result<bool, MachineError> {
        let aim = self.aim(problem, &Target::Formula(formula.to_owned()))?;
        let state = self.at(path, path.picks.len())?;
        self.holds_in(&aim, &state)
            .ok_or_else(|| MachineError::Target("formulas do not speak of such states".to_owned()))
    }

    fn last_moment(&self, trace: &Trace) -> Option<Moment> {
        self.moment(trace)
    }

    fn reached(&self, problem: &Problem, path: &Path) -> Result<Vec<String>, MachineError> {
        let Some((last, before)) = path.picks.split_last() else {
            return Ok(self.reached_in(problem, &self.at(path, 0)?, &[]));
        };
        let state = self.at(path, before.len())?;
        let taken = self.kind.take(&state, last.label, &last.outcome);
        let taken = taken.map_err(|refusal| bad_step(path.picks.len(), refusal))?;
        Ok(self.reached_in(problem, &taken.to, &taken.goals))
    }

    fn position<'a>(&'a self, problem: &'a Problem) -> Box<dyn Position + 'a> {
        Box::new(Stepped::new(&self.kind, problem))
    }

    fn picture(&self, most: usize, stop: &Stop) -> Option<Graph> {
        states::graph(&self.kind, most, stop)
    }
}
