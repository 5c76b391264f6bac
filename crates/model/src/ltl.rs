//! Formulas of linear temporal logic over the runs of a reactive program, of a behavioral program, of a net or of a
//! thread-transition system.
//!
//! **Reactive programs.** A run is a sequence of letters: the input of each call, followed by the output of the call
//! if it has one. Exactly one proposition holds at each position, and only infinite runs count. (This is the
//! definition of the RERS challenges, as described in the corpus notes `RERS_FORMAT.md`, section 3.)
//!
//! **Behavioral programs.** A position of a run is a composite state together with the event that happens in it. A run
//! counts if it is maximal. A run that ends in a state without an enabled event stays in this state for ever: all
//! further positions are this state without an event. Several propositions may hold at a position.
//!
//! **Nets.** A position of a run is a marking. As for programs, runs are maximal, and a run that ends in a deadlock
//! stays in this marking for ever. (This is the definition of the Model Checking Contest.)

use crate::goal::Goal;
use crate::ids::{EventId, FormulaId, LocalId, LtlId, ThreadId};
use crate::rwb::Program;
use std::collections::HashMap;

/// A letter: a proposition about one position of a run. `Input` and `Output` are about reactive programs, `Marking` is
/// about nets, and the others are about behavioral programs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Letter {
    /// An input, by its number (1 for A).
    Input(i32),
    /// An output, by its number.
    Output(i32),
    /// This event happens.
    Event(EventId),
    /// The thread is in this state.
    State(ThreadId, LocalId),
    /// This event is enabled.
    Enabled(EventId),
    /// The thread requests an enabled event.
    Ready(ThreadId),
    /// The thread requests the event that happens.
    Served(ThreadId),
    /// The thread is in a hot state.
    Hot(ThreadId),
    /// Some thread is in a hot state.
    SomeHot,
    /// Some thread is in a bad state.
    Bad,
    /// No event is enabled.
    End,
    /// No event is enabled, no thread is in a bad state, and the state is no proper end.
    Deadlock,
    /// The marking satisfies this formula of the problem ([`crate::Questions::formulas`]).
    Marking(FormulaId),
}

impl Letter {
    /// True if the letter is about this program.
    #[must_use]
    pub fn fits(self, program: &Program) -> bool {
        let thread = |t: ThreadId| t.index() < program.threads().len();
        match self {
            Letter::Input(_) | Letter::Output(_) | Letter::Marking(_) => false,
            Letter::Event(e) | Letter::Enabled(e) => e.index() < program.events().len(),
            Letter::State(t, s) => thread(t) && s.index() < program.thread(t).states.len(),
            Letter::Ready(t) | Letter::Served(t) | Letter::Hot(t) => thread(t),
            Letter::SomeHot | Letter::Bad | Letter::End | Letter::Deadlock => true,
        }
    }
}
/// A subformula, evaluated at a position of a run. "Some position" and "all positions" mean this position and
/// later ones. Operands have smaller ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LtlNode {
    /// `true` or `false`
    Constant(bool),
    /// The letter holds at the current position.
    Letter(Letter),
    /// `! a`
    Not(LtlId),
    /// `a & b`
    And(LtlId, LtlId),
    /// `a | b`
    Or(LtlId, LtlId),
    /// `X a`: a holds at the next position.
    Next(LtlId),
    /// `a U b`: b holds at some position, and a holds at all positions before it.
    Until(LtlId, LtlId),
    /// `a WU b`: `a U b` holds, or a holds at all positions.
    WeakUntil(LtlId, LtlId),
    /// `a R b`: b holds up to and including the first position where a holds, or b holds at all positions.
    Release(LtlId, LtlId),
    /// `G a`: a holds at all positions.
    Globally(LtlId),
    /// `F a`: a holds at some position.
    Finally(LtlId),
}

/// A temporal formula, as the list of its subformulas. The last one is the formula itself.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Ltl {
    nodes: Vec<LtlNode>,
}

impl Ltl {
    /// Creates a formula from its subformulas. The last one is the root.
    ///
    /// # Panics
    /// Panics if the list is empty, or if an operand does not come before its operator.
    #[must_use]
    pub fn new(nodes: Vec<LtlNode>) -> Self {
        assert!(!nodes.is_empty(), "a formula has a root");
        for (i, node) in nodes.iter().enumerate() {
            assert!(node.operands().all(|a| a.index() < i), "operands come first");
        }
        Self { nodes }
    }

    /// All subformulas, operands first. The last one is the formula itself.
    #[must_use]
    pub fn nodes(&self) -> &[LtlNode] {
        &self.nodes
    }

    /// Returns the id of the formula itself.
    #[must_use]
    pub fn root(&self) -> LtlId {
        LtlId::new(self.nodes.len() - 1)
    }

    /// Returns a subformula.
    #[must_use]
    pub fn node(&self, id: LtlId) -> LtlNode {
        self.nodes[id.index()]
    }

    /// Iterates over the letters, each as often as it occurs.
    pub fn letters(&self) -> impl Iterator<Item = Letter> + '_ {
        self.nodes.iter().filter_map(|node| if let LtlNode::Letter(letter) = node { Some(*letter) } else { None })
    }

    /// Returns the formula in which letters are replaced by constants where `value` knows one, and simplified where an
    /// operand is constant. If the letters have these values at all positions of a run, both formulas have the same
    /// truth at each of them.
    #[must_use]
    pub fn with(&self, value: impl Fn(Letter) -> Option<bool>) -> Self {
        let mut builder = LtlBuilder::default();
        let mut new: Vec<LtlId> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let node = match node.map(|a| new[a.index()]) {
                LtlNode::Letter(letter) => value(letter).map_or(LtlNode::Letter(letter), LtlNode::Constant),
                node => node,
            };
            let id = builder.simplified(node);
            new.push(id);
        }
        let root = *new.last().expect("a formula has a root");
        builder.finish(root)
    }

    /// Returns for each subformula whether it has no temporal operator, so that one position determines its truth.
    #[must_use]
    pub fn propositional(&self) -> Vec<bool> {
        let mut plain: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            use LtlNode::{And, Constant, Letter, Not, Or};
            let is_boolean = matches!(node, Constant(_) | Letter(_) | Not(_) | And(..) | Or(..));
            plain.push(is_boolean && node.operands().all(|a| plain[a.index()]));
        }
        plain
    }
}

/// Builds a formula. Equal subformulas become one.
#[derive(Clone, Debug, Default)]
pub struct LtlBuilder {
    nodes: Vec<LtlNode>,
    known: HashMap<LtlNode, LtlId>,
}

impl LtlBuilder {
    /// Adds a subformula. Its operands have been added before.
    pub fn node(&mut self, node: LtlNode) -> LtlId {
        let nodes = &mut self.nodes;
        *self.known.entry(node).or_insert_with(|| {
            nodes.push(node);
            LtlId::new(nodes.len() - 1)
        })
    }

    /// Adds a subformula, or one with the same meaning that is simpler because operands are constant.
    fn simplified(&mut self, node: LtlNode) -> LtlId {
        use LtlNode::{And, Constant, Finally, Globally, Letter, Next, Not, Or, Release, Until, WeakUntil};
        let of = |id: LtlId| if let Constant(value) = self.nodes[id.index()] { Some(value) } else { None };
        let same = match node {
            Constant(_) | Letter(_) => None,
            Not(a) => return self.node(of(a).map_or(node, |value| Constant(!value))),
            Next(a) | Globally(a) | Finally(a) => of(a).map(|_| a),
            And(a, b) => match (of(a), of(b)) {
                (Some(false), _) | (_, Some(true)) => Some(a),
                (_, Some(false)) | (Some(true), _) => Some(b),
                _ => None,
            },
            Or(a, b) => match (of(a), of(b)) {
                (Some(true), _) | (_, Some(false)) => Some(a),
                (_, Some(true)) | (Some(false), _) => Some(b),
                _ => None,
            },
            Until(a, b) => match (of(a), of(b)) {
                (_, Some(_)) | (Some(false), _) => Some(b),
                (Some(true), _) => return self.node(Finally(b)),
                _ => None,
            },
            WeakUntil(a, b) => match (of(a), of(b)) {
                (_, Some(true)) | (Some(false), _) => Some(b),
                (Some(true), _) => Some(a),
                (_, Some(false)) => return self.node(Globally(a)),
                _ => None,
            },
            Release(a, b) => match (of(a), of(b)) {
                (_, Some(_)) | (Some(true), _) => Some(b),
                (Some(false), _) => return self.node(Globally(b)),
                _ => None,
            },
        };
        same.unwrap_or_else(|| self.node(node))
    }

    /// Adds a letter.
    pub fn letter(&mut self, letter: Letter) -> LtlId {
        self.node(LtlNode::Letter(letter))
    }

    /// Adds all subformulas of `formula`, and returns its root.
    pub fn formula(&mut self, formula: &Ltl) -> LtlId {
        let mut ids: Vec<LtlId> = Vec::with_capacity(formula.nodes.len());
        for node in &formula.nodes {
            let id = self.node(node.map(|a| ids[a.index()]));
            ids.push(id);
        }
        ids[formula.root().index()]
    }

    /// Adds the conjunction (or, if `is_or`, the disjunction) of these subformulas.
    pub fn join(&mut self, is_or: bool, parts: impl IntoIterator<Item = LtlId>) -> LtlId {
        let join = |a, b| if is_or { LtlNode::Or(a, b) } else { LtlNode::And(a, b) };
        let all = parts.into_iter().collect::<Vec<_>>().into_iter().reduce(|a, b| self.node(join(a, b)));
        all.unwrap_or_else(|| self.node(LtlNode::Constant(!is_or)))
    }

    /// Returns the formula with this root. Subformulas that it does not use are dropped.
    ///
    /// # Panics
    /// Panics if there is no such subformula.
    #[must_use]
    pub fn finish(self, root: LtlId) -> Ltl {
        let mut is_used = vec![false; root.index() + 1];
        is_used[root.index()] = true;
        for i in (0..=root.index()).rev().filter(|i| self.nodes[*i].operands().next().is_some()) {
            if is_used[i] {
                self.nodes[i].operands().for_each(|a| is_used[a.index()] = true);
            }
        }
        let (mut nodes, mut ids) = (Vec::new(), vec![LtlId(0); root.index() + 1]);
        for i in (0..=root.index()).filter(|i| is_used[*i]) {
            ids[i] = LtlId::new(nodes.len());
            nodes.push(self.nodes[i].map(|a| ids[a.index()]));
        }
        Ltl::new(nodes)
    }
}

impl LtlNode {
    /// Returns the node with other operands.
    #[must_use]
    pub fn map(self, to: impl Fn(LtlId) -> LtlId) -> Self {
        match self {
            LtlNode::Constant(_) | LtlNode::Letter(_) => self,
            LtlNode::Not(a) => LtlNode::Not(to(a)),
            LtlNode::And(a, b) => LtlNode::And(to(a), to(b)),
            LtlNode::Or(a, b) => LtlNode::Or(to(a), to(b)),
            LtlNode::Next(a) => LtlNode::Next(to(a)),
            LtlNode::Until(a, b) => LtlNode::Until(to(a), to(b)),
            LtlNode::WeakUntil(a, b) => LtlNode::WeakUntil(to(a), to(b)),
            LtlNode::Release(a, b) => LtlNode::Release(to(a), to(b)),
            LtlNode::Globally(a) => LtlNode::Globally(to(a)),
            LtlNode::Finally(a) => LtlNode::Finally(to(a)),
        }
    }

    /// Iterates over the operands.
    pub fn operands(self) -> impl Iterator<Item = LtlId> {
        let (a, b) = match self {
            LtlNode::Constant(_) | LtlNode::Letter(_) => (None, None),
            LtlNode::Not(a) | LtlNode::Next(a) | LtlNode::Globally(a) | LtlNode::Finally(a) => (Some(a), None),
            LtlNode::And(a, b)
            | LtlNode::Or(a, b)
            | LtlNode::Until(a, b)
            | LtlNode::WeakUntil(a, b)
            | LtlNode::Release(a, b) => (Some(a), Some(b)),
        };
        a.into_iter().chain(b)
    }
}

/// Returns the formula that a run violates iff it belongs to this goal about hot threads. `None` for other goals.
#[must_use]
pub fn never_stays_hot(goal: Goal) -> Option<Ltl> {
    let letter = match goal {
        Goal::Hot(thread) => Letter::Hot(thread),
        Goal::SomeHot => Letter::SomeHot,
        _ => return None,
    };
    let mut builder = LtlBuilder::default();
    let (hot, bad) = (builder.letter(letter), builder.letter(Letter::Bad));
    let cool = builder.node(LtlNode::Not(hot));
    let either = builder.node(LtlNode::Or(cool, bad));
    let once = builder.node(LtlNode::Finally(either));
    let root = builder.node(LtlNode::Globally(once));
    Some(builder.finish(root))
}
