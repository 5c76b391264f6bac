//! Goal formulas with truth values that are updated after each change of a place. The cost depends on the parts
//! that change.
//!
//! Each inequality stores its sum, and each other node the number of its children that are true. A change is
//! propagated to parents as long as truth values change (counters as in Dowling and Gallier 1984).

use model::{Formula, Goal, NetTask, Node};
use num_traits::ToPrimitive;
use search::Rows;

/// With weights up to this limit, at most `LIMIT` tokens on each place, and fewer than 2^32 terms, sums stay
/// within 128 bits.
const LARGEST_WEIGHT: i128 = 1 << 32;

pub(crate) struct Goals {
    /// The watched goals, each with the node of its whole formula.
    roots: Vec<(Goal, u32)>,
    /// For each node, the number of its children that must be true for the node to be true. Inequalities have
    /// no children.
    needs: Vec<u32>,
    parents: Rows<u32>,
    /// For each place, its terms: (sum, weight).
    terms: Rows<(u32, i64)>,
    /// For each sum, its node and the least value that makes it true.
    sums: Vec<(u32, i128)>,
    /// For each node, the index of the goal of which it is the root, or `NONE`.
    goal_of: Vec<u32>,
    /// Goals that have become true since the last call of [`Goals::hit`]. They may be false again.
    risen: Vec<u32>,
    initial: Values,
    values: Values,
    /// Set when a sum changes.
    pub(crate) is_changed: bool,
}

const NONE: u32 = u32::MAX;

/// The values that change during a walk.
#[derive(Clone, Default)]
struct Values {
    sums: Vec<i128>,
    /// For each node, the number of its true children.
    children: Vec<u32>,
    truth: Vec<bool>,
}

impl Goals {
    /// Watches the formulas of `task`, starting with the marking without tokens. Formulas with numbers that are
    /// too large are left out.
    pub(crate) fn new(task: &NetTask) -> Self {
        Self::of(task, &task.goals)
    }

    /// Watches the formulas of these goals.
    pub(crate) fn of(task: &NetTask, goals: &[Goal]) -> Self {
        let mut maker = Maker::default();
        for &goal in goals {
            if let Some(formula) = task.formula(goal).filter(|f| fits(f)) {
                let root = maker.add(formula);
                maker.roots.push((goal, root));
            }
        }
        maker.finish(task.net.places().len())
    }

    /// Returns the number of nodes of all formulas.
    pub(crate) fn nodes(&self) -> usize {
        self.needs.len()
    }

    /// Returns how much the last formula lacks now: an inequality the difference to the value required, a conjunction
    /// the sum of its children, a disjunction the minimum of its children. It is 0 if the formula holds. `lacks` is a
    /// buffer.
    pub(crate) fn lack(&self, lacks: &mut Vec<u64>) -> u64 {
        lacks.clear();
        // A node that needs one child is a disjunction, or a conjunction of one child, which is the same.
        lacks.extend(self.needs.iter().map(|needs| if *needs == 1 { u64::MAX } else { 0 }));
        for ((node, least), value) in self.sums.iter().zip(&self.values.sums) {
            lacks[*node as usize] = u64::try_from((least - value).max(0)).unwrap_or(u64::MAX);
        }
        for node in 0..lacks.len() {
            let lack = lacks[node];
            for &parent in self.parents.row(node) {
                let of_parent = &mut lacks[parent as usize];
                let is_least = self.needs[parent as usize] == 1;
                *of_parent = if is_least { lack.min(*of_parent) } else { lack.saturating_add(*of_parent) };
            }
        }
        lacks.last().copied().unwrap_or(0)
    }

    pub(crate) fn watched(&self) -> impl Iterator<Item = Goal> + '_ {
        self.roots.iter().map(|(goal, _)| *goal)
    }

    /// Returns true if the watched goal with this index holds now.
    pub(crate) fn holds(&self, index: usize) -> bool {
        self.values.truth[self.roots[index].1 as usize]
    }

    /// Returns to the marking without tokens.
    pub(crate) fn clear(&mut self) {
        self.values.clone_from(&self.initial);
        self.risen.clear();
        self.risen.extend(0..index(self.roots.len()));
    }

    /// Records a change of `place` from `old` to `new` tokens.
    pub(crate) fn changed(&mut self, place: usize, old: u64, new: u64) {
        let delta = i128::from(new) - i128::from(old);
        for i in 0..self.terms.row(place).len() {
            let (sum, weight) = self.terms.row(place)[i];
            let (node, least) = self.sums[sum as usize];
            let value = &mut self.values.sums[sum as usize];
            *value += i128::from(weight) * delta;
            self.is_changed = true;
            if (*value >= least) != self.values.truth[node as usize] {
                self.flip(node);
            }
        }
    }

    /// Changes the truth value of the inequality `node` and propagates the change.
    fn flip(&mut self, node: u32) {
        let values = &mut self.values;
        let mut work = vec![node];
        while let Some(node) = work.pop() {
            let now = !values.truth[node as usize];
            values.truth[node as usize] = now;
            let goal = self.goal_of[node as usize];
            if now && goal != NONE {
                self.risen.push(goal);
            }
            for &parent in self.parents.row(node as usize) {
                let children = &mut values.children[parent as usize];
                *children = if now { *children + 1 } else { *children - 1 };
                work.push(parent);
            }
            // A parent may be on the stack several times, and may change its value more than once.
            let undecided =
                |p: u32| (values.children[p as usize] >= self.needs[p as usize]) != values.truth[p as usize];
            while work.last().is_some_and(|p| !undecided(*p)) {
                work.pop();
            }
        }
    }

    /// Returns a goal that is true now, among those for which `open` is true. Each goal is returned at most
    /// once after it became true.
    pub(crate) fn hit(&mut self, open: impl Fn(Goal) -> bool) -> Option<Goal> {
        while let Some(i) = self.risen.pop() {
            let (goal, root) = self.roots[i as usize];
            if self.values.truth[root as usize] && open(goal) {
                return Some(goal);
            }
        }
        None
    }
}

fn fits(formula: &Formula) -> bool {
    formula.nodes().iter().all(|node| match node {
        Node::AtLeast(sum) => {
            let small = |n: &i128| n.abs() <= LARGEST_WEIGHT;
            sum.at_least.to_i128().is_some() && sum.terms.iter().all(|(_, c)| c.to_i128().as_ref().is_some_and(small))
        }
        Node::All(_) | Node::Any(_) => true,
    })
}

#[derive(Default)]
struct Maker {
    roots: Vec<(Goal, u32)>,
    needs: Vec<u32>,
    /// (child, parent)
    parents: Vec<(u32, u32)>,
    /// (place, (sum, weight))
    terms: Vec<(u32, (u32, i64))>,
    sums: Vec<(u32, i128)>,
    values: Values,
}

impl Maker {
    fn add(&mut self, formula: &Formula) -> u32 {
        let base = index(self.needs.len());
        for node in formula.nodes() {
            let id = index(self.needs.len());
            let (needs, truth, children) = match node {
                Node::AtLeast(linear) => {
                    let sum = index(self.sums.len());
                    let weight = |c: &num_bigint::BigInt| c.to_i64().expect("formulas that do not fit are left out");
                    self.terms.extend(linear.terms.iter().map(|(p, c)| (p.0, (sum, weight(c)))));
                    let least = linear.at_least.to_i128().expect("formulas that do not fit are left out");
                    self.sums.push((id, least));
                    self.values.sums.push(0);
                    (u32::MAX, 0 >= least, 0)
                }
                Node::All(parts) => self.join(id, base, parts, parts.len()),
                Node::Any(parts) => self.join(id, base, parts, 1),
            };
            self.needs.push(needs);
            self.values.truth.push(truth);
            self.values.children.push(children);
        }
        index(self.needs.len() - 1)
    }

    fn join(&mut self, id: u32, base: u32, parts: &[model::NodeId], needs: usize) -> (u32, bool, u32) {
        let children = parts.iter().map(|p| base + index(p.index()));
        self.parents.extend(children.clone().map(|c| (c, id)));
        let holding = index(children.filter(|c| self.values.truth[*c as usize]).count());
        let needs = index(needs);
        (needs, holding >= needs, holding)
    }

    fn finish(self, places: usize) -> Goals {
        let mut goal_of = vec![NONE; self.needs.len()];
        for (i, (_, root)) in (0u32..).zip(&self.roots) {
            goal_of[*root as usize] = i;
        }
        Goals {
            goal_of,
            risen: (0..index(self.roots.len())).collect(),
            roots: self.roots,
            parents: Rows::sorted(self.needs.len(), self.parents),
            needs: self.needs,
            terms: Rows::sorted(places, self.terms),
            sums: self.sums,
            initial: self.values.clone(),
            values: self.values,
            is_changed: false,
        }
    }
}

fn index(n: usize) -> u32 {
    u32::try_from(n).expect("readers limit formulas")
}
