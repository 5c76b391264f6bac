//! The abstract call as decision trees over slots, one for each input, grown on demand.
//!
//! An unvisited node contains the run that leads to it. On the first visit the run continues to its next event.
//! Work common to many states is done once. Afterwards, a state costs one table lookup for each slot that its
//! call tests.

use crate::intervals::eval::Codes;
use crate::intervals::layout::Layout;
use crate::intervals::run::{Context, End, Event, Level, Run};
use crate::store::interval::Interval;
use model::{InputId, Reactive};

/// Not grown yet.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
enum Node {
    New(Box<Run>),
    /// Branches on the class or the interval of a slot. The run is the one before the test.
    Look {
        slot: u32,
        level: Level,
        run: Box<Run>,
        children: Box<[u32]>,
    },
    Fork(Box<[u32]>),
    End {
        end: End,
        first: u32,
        len: u32,
    },
}

/// An assignment to a slot: the code may be any from the first to the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Effect {
    pub(crate) slot: u32,
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// The trees of all inputs.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    effects: Vec<Effect>,
    roots: Vec<u32>,
    open: Vec<u32>,
    /// Conditions and assignments evaluated so far.
    pub(crate) work: u64,
}

impl Tree {
    pub(crate) fn new(program: &Reactive, layout: &Layout) -> Self {
        let nothing = vec![(Level::Nothing, Interval::ALL); layout.slots.len()];
        let runs = program.inputs().iter().map(|&input| Run::new(program, input, nothing.clone()));
        let nodes: Vec<Node> = runs.map(|run| Node::New(Box::new(run))).collect();
        let roots = (0..nodes.len() as u32).collect();
        Self { nodes, effects: Vec::new(), roots, open: Vec::new(), work: 0 }
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Passes all ways of a call from a state to `sink`.
    pub(crate) fn call(
        &mut self,
        program: &Reactive,
        layout: &Layout,
        codes: &mut Codes,
        state: &[u64],
        input: InputId,
        sink: &mut dyn FnMut(End, &[Effect]),
    ) {
        debug_assert!(self.open.is_empty());
        self.open.push(self.roots[input.index()]);
        while let Some(at) = self.open.pop() {
            let at = at as usize;
            if let Node::New(_) = self.nodes[at] {
                let mut context = Context { program, layout, codes, work: 0 };
                self.grow(at, &mut context);
                self.work += context.work;
            }
            match &self.nodes[at] {
                Node::New(_) => debug_assert!(false, "grown just now"),
                Node::Fork(children) => self.open.extend(children.iter()),
                Node::End { end, first, len } => sink(*end, &self.effects[*first as usize..][..*len as usize]),
                Node::Look { slot, level, children, .. } => {
                    let slot = &layout.slots[*slot as usize];
                    let code = slot.get(state);
                    let code = if *level == Level::Class { slot.class(code) } else { code };
                    let child = children[code as usize];
                    let child = if child == NONE { self.child(at, code, layout) } else { child };
                    self.open.push(child);
                }
            }
        }
    }

    /// Makes the child of a node for a code of the slot that it tests.
    fn child(&mut self, at: usize, code: u32, layout: &Layout) -> u32 {
        let next = self.nodes.len() as u32;
        let Node::Look { slot, level, run, children } = &mut self.nodes[at] else { return at as u32 };
        children[code as usize] = next;
        let mut run = run.clone();
        let looked = &layout.slots[*slot as usize];
        let (level, value) = match level {
            Level::Class => (Level::Class, looked.class_interval(code)),
            _ => (Level::Cell, looked.interval(code)),
        };
        let is_whole = level == Level::Class && looked.is_single_cell(code);
        run.learn(*slot as usize, if is_whole { Level::Cell } else { level }, value);
        self.nodes.push(Node::New(run));
        next
    }

    fn grow(&mut self, at: usize, context: &mut Context<'_>) {
        let placeholder = Node::End { end: End::Stops, first: 0, len: 0 };
        let Node::New(mut run) = std::mem::replace(&mut self.nodes[at], placeholder) else { return };
        self.nodes[at] = match run.advance(context) {
            Event::Look { slot, level } => {
                let looked = &context.layout.slots[slot];
                let codes = if level == Level::Class { looked.class_count() } else { looked.codes() };
                Node::Look { slot: slot as u32, level, run, children: vec![NONE; codes].into() }
            }
            Event::Fork(runs) => {
                let first = self.nodes.len() as u32;
                self.nodes.extend(runs.into_iter().map(|run| Node::New(Box::new(run))));
                Node::Fork((first..self.nodes.len() as u32).collect())
            }
            Event::End(end) => {
                let first = self.effects.len() as u32;
                let effects = run.effects(context.layout).filter_map(|(slot, value)| {
                    let (first, last) = context.layout.slots[slot].codes_met(value)?;
                    Some(Effect { slot: slot as u32, first, last })
                });
                self.effects.extend(effects);
                Node::End { end, first, len: self.effects.len() as u32 - first }
            }
        };
    }
}
