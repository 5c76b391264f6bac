//! Why a run violates a formula of linear temporal logic: the values of subformulas along the run, followed from the
//! whole formula to the statements about single positions that decide it.

use super::words::Words;
use crate::reasons;
use crate::steps::marking::Stepper;
use crate::steps::{MarkedRun, ProgramRun};
use crate::{positions, walk};
use model::{EventId, Goal, Letter, LocalId, Ltl, LtlId, LtlNode, Problem, Program, SystemModel, ThreadId, Trace};

/// The most positions of a run that are looked at.
const POSITIONS: u64 = 2_000;
/// The most positions of which values are shown, and the most rows.
const COLUMNS: usize = 40;
const ROWS: usize = 8;
/// The longest text of a formula.
const LENGTH: usize = 100;

/// Returns sentences about why the run violates the formula, and rows with the values along it. Empty if the formula is
/// not about such runs, or the run is too long.
#[must_use]
pub fn along(problem: &Problem, trace: &Trace, goal: Goal) -> Vec<String> {
    let Goal::Temporal(_) = goal else { return Vec::new() };
    let (Some(formula), Some(true)) = (problem.ltl(goal), trace.len().map(|length| length <= POSITIONS)) else {
        return Vec::new();
    };
    let Some(run) = Run::of(problem, &formula, trace) else { return Vec::new() };
    let is_exists = problem.properties().iter().any(|p| p.goal == goal && p.asked.is_exists());
    let mut lines = if is_exists { Vec::new() } else { run.follow() };
    lines.extend(run.rows());
    lines
}

/// A run with the truth of each subformula at each position.
struct Run<'p> {
    problem: &'p Problem,
    formula: &'p Ltl,
    /// For each subformula.
    truth: Vec<Vec<bool>>,
    texts: Vec<String>,
    /// The position after the last one.
    first: usize,
    /// True if the run ends, and its last position repeats.
    ends: bool,
}

impl<'p> Run<'p> {
    fn of(problem: &'p Problem, formula: &'p Ltl, trace: &Trace) -> Option<Self> {
        let mut truth: Vec<Vec<bool>> = vec![Vec::new(); formula.nodes().len()];
        let letters: Vec<(usize, Letter)> = formula
            .nodes()
            .iter()
            .enumerate()
            .filter_map(
                |(number, node)| if let LtlNode::Letter(letter) = node { Some((number, *letter)) } else { None },
            )
            .collect();
        let steps = trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| &run.word));
        let mut push = |is_true: &dyn Fn(Letter) -> bool| {
            letters.iter().for_each(|(number, letter)| truth[*number].push(is_true(*letter)));
        };
        match problem.system() {
            SystemModel::Rwb(program) => {
                let mut run = ProgramRun::new(program, trace);
                for step in steps {
                    push(&|letter| holds(program, run.at(), Some(step.event), letter));
                    run.pass(step);
                }
                if trace.repeats_from.is_none() {
                    push(&|letter| holds(program, run.at(), None, letter));
                }
            }
            SystemModel::Net(_) | SystemModel::Threads(_) => {
                let mut run = MarkedRun::new(Stepper::new(problem.system())?, trace);
                let is_true = |run: &MarkedRun<'_>, letter: Letter| match letter {
                    Letter::Marking(id) => {
                        problem.formula(Goal::Formula(id)).is_some_and(|formula| reasons::holds(formula, run.at()))
                    }
                    _ => false,
                };
                for step in steps {
                    push(&|letter| is_true(&run, letter));
                    run.take(step);
                }
                if trace.repeats_from.is_none() {
                    push(&|letter| is_true(&run, letter));
                }
            }
            _ => return None,
        }
        let length = trace.len()? as usize + usize::from(trace.repeats_from.is_none());
        let first = trace.repeats_from.map_or(length - 1, |from| from as usize);
        let mut run = Self { problem, formula, truth, texts: Vec::new(), first, ends: trace.repeats_from.is_none() };
        run.evaluate(length);
        run.texts = run.written();
        Some(run)
    }

    /// The position after this one.
    fn next(&self, at: usize, length: usize) -> usize {
        if at + 1 < length { at + 1 } else { self.first }
    }

    /// Evaluates the subformulas, operands first. Operators about later positions are evaluated backwards, twice around
    /// the part that repeats.
    fn evaluate(&mut self, length: usize) {
        for number in 0..self.truth.len() {
            let of = |a: LtlId| &self.truth[a.index()];
            let each = |is: &dyn Fn(usize) -> bool| (0..length).map(is).collect::<Vec<bool>>();
            let backwards = |initial: bool, is: &dyn Fn(usize, bool) -> bool| {
                let mut values = vec![initial; length];
                for _ in 0..2 {
                    for at in (0..length).rev() {
                        values[at] = is(at, values[self.next(at, length)]);
                    }
                }
                values
            };
            let values = match self.formula.nodes()[number] {
                LtlNode::Letter(_) => continue,
                LtlNode::Constant(value) => vec![value; length],
                LtlNode::Not(a) => each(&|at| !of(a)[at]),
                LtlNode::And(a, b) => each(&|at| of(a)[at] && of(b)[at]),
                LtlNode::Or(a, b) => each(&|at| of(a)[at] || of(b)[at]),
                LtlNode::Next(a) => each(&|at| of(a)[self.next(at, length)]),
                LtlNode::Until(a, b) => backwards(false, &|at, later| of(b)[at] || of(a)[at] && later),
                LtlNode::WeakUntil(a, b) => backwards(true, &|at, later| of(b)[at] || of(a)[at] && later),
                LtlNode::Release(a, b) => backwards(true, &|at, later| of(b)[at] && (of(a)[at] || later)),
                LtlNode::Globally(a) => backwards(true, &|at, later| of(a)[at] && later),
                LtlNode::Finally(a) => backwards(false, &|at, later| of(a)[at] || later),
            };
            self.truth[number] = values;
        }
    }

    fn length(&self) -> usize {
        self.truth[0].len()
    }

    /// Says where a position is: a step of a program, or a marking of a net.
    fn when(&self, at: usize) -> String {
        let has_events = self.problem.system().as_program().is_some();
        match at {
            _ if self.ends && at == self.first => "at the end".to_owned(),
            _ if has_events => format!("in step {}", at + 1),
            0 => "at the start".to_owned(),
            _ => format!("after step {at}"),
        }
    }

    /// Follows the formula, which is false at the start, to what decides it.
    fn follow(&self) -> Vec<String> {
        let (mut lines, mut open) = (Vec::new(), vec![(self.formula.root(), 0, false)]);
        while let Some((id, at, truth)) = open.pop() {
            let text = |a: LtlId| &self.texts[a.index()];
            let is = |a: LtlId, at: usize| self.truth[a.index()][at];
            debug_assert_eq!(is(id, at), truth, "the reason is asked for what is true");
            match (self.formula.node(id), truth) {
                (LtlNode::Not(a), _) => open.push((a, at, !truth)),
                (LtlNode::And(a, b), false) | (LtlNode::Or(a, b), true) => {
                    let first = if is(a, at) == truth { a } else { b };
                    if !truth && lines.is_empty() && (self.is_temporal(a) || self.is_temporal(b)) {
                        lines.push(format!("The part {} fails.", text(first)));
                    }
                    open.push((first, at, truth));
                }
                (LtlNode::And(a, b), true) | (LtlNode::Or(a, b), false) => {
                    open.push((b, at, truth));
                    open.push((a, at, truth));
                }
                (LtlNode::Next(a), _) => open.push((a, self.next(at, self.length()), truth)),
                (LtlNode::Globally(a), false) => {
                    let Some(failed) = self.ahead(at).find(|at| !is(a, *at)) else { continue };
                    lines.push(format!("{} fails {}:", text(a), self.when(failed)));
                    open.push((a, failed, false));
                }
                (LtlNode::Finally(a), false) => {
                    lines.push(format!("{} is not true {}, and never later.", text(a), self.when(at)));
                }
                (LtlNode::Until(a, b) | LtlNode::WeakUntil(a, b), false) => {
                    match self.ahead(at).find(|at| !is(a, *at)) {
                        Some(failed) => {
                            let when = self.when(failed);
                            lines.push(format!("{} fails {when}, and {} was not true before.", text(a), text(b)));
                        }
                        None => lines.push(format!("{} is not true {}, and never later.", text(b), self.when(at))),
                    }
                }
                (LtlNode::Release(a, b), false) => {
                    let Some(failed) = self.ahead(at).find(|at| !is(b, *at)) else { continue };
                    lines.push(format!(
                        "{} fails {}, and {} was not true before.",
                        text(b),
                        self.when(failed),
                        text(a)
                    ));
                }
                (LtlNode::Letter(Letter::Event(_)), true) => {
                    lines.push(format!("{} happens {}.", text(id), self.when(at)));
                }
                (_, truth) => lines.push(format!("{} is {truth} {}.", text(id), self.when(at))),
            }
        }
        lines
    }

    /// This position and all later ones, each once.
    fn ahead(&self, at: usize) -> impl Iterator<Item = usize> {
        (at..self.length()).chain(self.first..at.max(self.first))
    }

    fn is_temporal(&self, id: LtlId) -> bool {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let node = self.formula.node(id);
            if !matches!(
                node,
                LtlNode::Not(_) | LtlNode::And(..) | LtlNode::Or(..) | LtlNode::Letter(_) | LtlNode::Constant(_)
            ) {
                return true;
            }
            open.extend(node.operands());
        }
        false
    }

    /// The values of letters and of temporal subformulas along the run: `1` and `.`, with `|` before the part that
    /// repeats.
    fn rows(&self) -> Vec<String> {
        if self.length() > COLUMNS || self.length() < 2 {
            return Vec::new();
        }
        let is_shown = |node: &LtlNode| !matches!(node, LtlNode::Constant(_) | LtlNode::Not(_));
        let mut numbers: Vec<usize> =
            (0..self.truth.len()).filter(|number| is_shown(&self.formula.nodes()[*number])).collect();
        numbers.dedup_by_key(|number| self.texts[*number].clone());
        if numbers.len() > ROWS {
            numbers.retain(|number| matches!(self.formula.nodes()[*number], LtlNode::Letter(_)));
            numbers.truncate(ROWS);
        }
        let row = |number: usize| {
            let mut row = String::new();
            for (at, value) in self.truth[number].iter().enumerate() {
                row.push_str(if at == self.first { "|" } else { "" });
                row.push(if *value { '1' } else { '.' });
            }
            format!("  {row}  {}", self.texts[number])
        };
        let last = if self.ends { "the last position lasts for ever" } else { "the part after | repeats for ever" };
        let place = match self.problem.system().as_program() {
            Some(_) => "in each step",
            None => "at the start and after each step",
        };
        let title = format!("Values {place} (1 is true; {last}):");
        std::iter::once(title).chain(numbers.into_iter().map(row)).collect()
    }

    /// Writes each subformula.
    fn written(&self) -> Vec<String> {
        let stepper = Stepper::new(self.problem.system());
        let words = stepper.map(|stepper| Words::plain(self.problem, stepper));
        let mut texts: Vec<String> = Vec::with_capacity(self.formula.nodes().len());
        for node in self.formula.nodes() {
            let text = |a: LtlId| texts[a.index()].as_str();
            let written = match *node {
                LtlNode::Constant(value) => value.to_string(),
                LtlNode::Letter(letter) => self.letter(letter, words.as_ref()),
                LtlNode::Not(a) => format!("!{}", text(a)),
                LtlNode::And(a, b) => format!("({} & {})", text(a), text(b)),
                LtlNode::Or(a, b) => match self.formula.node(a) {
                    LtlNode::Not(a) => format!("({} -> {})", text(a), text(b)),
                    _ => format!("({} | {})", text(a), text(b)),
                },
                LtlNode::Next(a) => format!("X {}", text(a)),
                LtlNode::Until(a, b) => format!("({} U {})", text(a), text(b)),
                LtlNode::WeakUntil(a, b) => format!("({} WU {})", text(a), text(b)),
                LtlNode::Release(a, b) => format!("({} R {})", text(a), text(b)),
                LtlNode::Globally(a) => format!("G {}", text(a)),
                LtlNode::Finally(a) => format!("F {}", text(a)),
            };
            let is_long = written.chars().count() > LENGTH;
            texts.push(if is_long { written.chars().take(LENGTH).collect::<String>() + ".." } else { written });
        }
        texts
    }

    fn letter(&self, letter: Letter, words: Option<&Words<'_>>) -> String {
        let program = self.problem.system().as_program();
        let event = |e: EventId| program.map_or_else(String::new, |p| p.event_name(e).to_owned());
        let thread = |t: ThreadId| program.map_or_else(String::new, |p| p.thread(t).name.clone());
        match letter {
            Letter::Event(e) => event(e),
            Letter::Enabled(e) => format!("enabled({})", event(e)),
            Letter::State(t, s) => {
                let state = program.map_or_else(String::new, |program| positions::short(program, t, s));
                format!("[{} at {state}]", thread(t))
            }
            Letter::Ready(t) => format!("ready({})", thread(t)),
            Letter::Served(t) => format!("served({})", thread(t)),
            Letter::Hot(t) => format!("hot({})", thread(t)),
            Letter::SomeHot => "hot".to_owned(),
            Letter::Bad => "bad".to_owned(),
            Letter::End => "end".to_owned(),
            Letter::Deadlock => "deadlock".to_owned(),
            Letter::Marking(id) => match (self.problem.formula(Goal::Formula(id)), words) {
                (Some(formula), Some(words)) => words.marking(formula),
                _ => String::new(),
            },
            Letter::Input(n) => format!("input {n}"),
            Letter::Output(n) => format!("output {n}"),
        }
    }
}

/// Returns true if the letter holds in a state of a program in which this event happens.
fn holds(program: &Program, at: &[u32], event: Option<EventId>, letter: Letter) -> bool {
    let enabled = || walk::enabled(program, at);
    let local = |t: ThreadId| program.thread(t).state(LocalId(at[t.index()]));
    match letter {
        Letter::Event(e) => event == Some(e),
        Letter::State(t, s) => at[t.index()] == s.0,
        Letter::Enabled(e) => enabled().contains(e),
        Letter::Ready(t) => enabled().iter().any(|e| local(t).request.contains(e)),
        Letter::Served(t) => event.is_some_and(|e| local(t).request.contains(e)),
        Letter::Hot(t) => program.is_hot(t, LocalId(at[t.index()])),
        Letter::SomeHot => program.hot_threads().any(|t| program.is_hot(t, LocalId(at[t.index()]))),
        Letter::Bad => walk::goal(program, at) == Some(Goal::Bad),
        Letter::End => enabled().is_empty(),
        Letter::Deadlock => walk::goal(program, at) == Some(Goal::Deadlock),
        Letter::Input(_) | Letter::Output(_) | Letter::Marking(_) => false,
    }
}
