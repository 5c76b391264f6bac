//! The engine that hosts another engine, before and after nodes are merged.

use super::{Induction, Merged, Progress, candidates};
use model::{Budget, CircuitTask, Claim, Engine, Goal, Save, Saved, Stats, Stop, Turn, Unrestored, Unsaved};
use std::sync::Arc;

/// Work units of the hosted engine before nodes are compared. Most small circuits are decided in this time.
const HEAD_START: u64 = 30_000;

/// Work units of the comparison, at least. It may also take as long as the hosted engine has worked.
const LEAST: u64 = 500_000;

/// Nodes simulated per work unit.
const NODES_PER_UNIT: u64 = 2;

/// Bytes that the comparison needs for each node, as an estimate. Without this memory, nothing is merged.
const BYTES_PER_NODE: usize = 1_000;

/// Creates the hosted engine for a circuit.
pub type Host<'a> = Box<dyn Fn(&CircuitTask) -> Box<dyn Engine + 'a> + Send + 'a>;

/// Which nodes have been compared.
enum Stage {
    /// The hosted engine works on the circuit as read.
    AsRead,
    /// Candidates are being proven equal. The hosted engine waits.
    Comparing(Box<Induction>),
    /// The hosted engine works on the circuit with merged nodes.
    Merged(Box<Merged>),
    /// No nodes are equal, or the comparison took too long.
    Unmerged,
}

/// An engine on a circuit. After some time, equal nodes of the circuit are merged.
pub struct Corresponding<'a> {
    task: CircuitTask,
    host: Host<'a>,
    engine: Box<dyn Engine + 'a>,
    stage: Stage,
    /// Work units of the hosted engine before nodes are compared.
    head_start: u64,
    /// Work units of the hosted engine on the circuit as read.
    worked: u64,
    /// Work units of the comparison.
    compared: u64,
    settled: Vec<Goal>,
    merged: u64,
    queries: u64,
    /// True if the engine is going to be saved. Then no nodes are merged.
    is_saved: bool,
}

impl<'a> Corresponding<'a> {
    /// Hosts the engine that `host` creates for this task.
    #[must_use]
    pub fn new(task: CircuitTask, host: Host<'a>) -> Self {
        Self {
            engine: host(&task),
            task,
            host,
            stage: Stage::AsRead,
            head_start: HEAD_START,
            worked: 0,
            compared: 0,
            settled: Vec::new(),
            merged: 0,
            queries: 0,
            is_saved: false,
        }
    }

    /// Returns the engine, with another number of work units before nodes are compared.
    #[must_use]
    pub fn after(self, head_start: u64) -> Self {
        Self { head_start, ..self }
    }

    /// Finds candidates by simulation.
    fn begin(&self) -> Stage {
        let circuit = self.task.circuit();
        let outputs = self.open().map(|output| circuit.outputs()[output.index()].signal);
        let mut nodes = circuit.cone(outputs);
        if nodes.first() != Some(&0) {
            nodes.insert(0, 0);
        }
        let classes = candidates(circuit, &nodes);
        match classes.len() {
            0 => Stage::Unmerged,
            _ => Stage::Comparing(Box::new(Induction::new(circuit, nodes, classes))),
        }
    }

    /// Records that the goals of a claim are no longer open.
    fn forget(&mut self, claim: &Claim) {
        self.settled.extend_from_slice(claim.goals());
        self.settled.sort_unstable();
        self.settled.dedup();
    }

    /// The outputs that are still open.
    fn open(&self) -> impl Iterator<Item = model::OutputId> + '_ {
        let is_open = |output: &model::OutputId| self.settled.binary_search(&Goal::Output(*output)).is_err();
        self.task.outputs().iter().copied().filter(is_open)
    }

    /// Compares nodes until the budget is used up or the comparison ends.
    fn compare(&mut self, mut induction: Box<Induction>, budget: &mut Budget) -> Stage {
        let most = LEAST.max(self.worked).saturating_sub(self.compared);
        let given = budget.work.min(most);
        let mut own = Budget::new(given, Arc::clone(&budget.stop));
        let progress = induction.run(&mut own);
        let spent = own.spent_of(given);
        self.compared += spent;
        budget.spend(spent);
        self.queries = induction.queries;
        match progress {
            Progress::Done if induction.classes().len() > 0 => {
                self.merged = induction.classes().len() as u64;
                let open: Vec<Goal> = self.open().map(Goal::Output).collect();
                let task = CircuitTask::new(Arc::clone(self.task.circuit()), open);
                let merged = Box::new(Merged::new(&task, &induction));
                self.engine = (self.host)(&merged.task);
                Stage::Merged(merged)
            }
            Progress::Done => Stage::Unmerged,
            Progress::More if spent >= most => Stage::Unmerged,
            Progress::More => Stage::Comparing(induction),
        }
    }
}

impl Engine for Corresponding<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        loop {
            match std::mem::replace(&mut self.stage, Stage::Unmerged) {
                Stage::AsRead if self.worked >= self.head_start && !self.is_saved => {
                    let nodes = self.task.circuit().gates().len();
                    if budget.stop.has_room(nodes.saturating_mul(BYTES_PER_NODE)) {
                        self.stage = self.begin();
                        budget.spend(nodes as u64 / NODES_PER_UNIT);
                    }
                }
                Stage::Comparing(induction) => self.stage = self.compare(induction, budget),
                stage => {
                    self.stage = stage;
                    let is_first = matches!(self.stage, Stage::AsRead) && !self.is_saved;
                    let given = if is_first { budget.work.min(self.head_start.max(1)) } else { budget.work };
                    let mut own = Budget::new(given, Arc::clone(&budget.stop));
                    let turn = self.engine.run(&mut own);
                    let spent = own.spent_of(given);
                    self.worked += if is_first { spent.max(1) } else { 0 };
                    budget.spend(spent);
                    if let Turn::Claims(claim) = &turn {
                        self.forget(claim);
                    }
                    match (turn, &self.stage) {
                        (Turn::More, Stage::AsRead) if is_first && !budget.stop.is_paused() => {}
                        (Turn::Claims(claim), Stage::Merged(merged)) => return Turn::Claims(merged.lift(claim)),
                        (turn, _) => return turn,
                    }
                }
            }
            if budget.work == 0 || budget.stop.raised().is_some() {
                return Turn::More;
            }
        }
    }

    fn refused(&mut self, goal: Goal) {
        self.engine.refused(goal);
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.settled.extend_from_slice(goals);
        self.settled.sort_unstable();
        self.settled.dedup();
        self.engine.settled(goals);
    }

    fn save(&mut self, since: u64, to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
        self.engine.save(since, to)
    }

    fn restore(&mut self, from: &mut dyn Saved, stop: &Stop) -> Result<Option<u64>, Unrestored> {
        self.is_saved = true;
        self.engine.restore(from, stop)
    }

    fn stats(&self) -> Stats {
        let mut stats = self.engine.stats();
        if self.merged > 0 {
            stats.more.insert("merged", self.merged);
        }
        stats
    }
}
