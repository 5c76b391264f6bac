//! Nets and thread systems by the book: slow, obvious, and sharing no code with what it is compared with.
//!
//! Markings are lists of counts, for thread systems with a place per shared state (one of them holds a token) before those
//! of the local states. Numbers are 128 bits wide and checked: the generators stay below 2^100, markings that are kept
//! within the bound.

use impasse::model::{
    Act, Formula, Goal, Net, Node, PlaceId, Problem, SystemModel, ThreadSystem, ThreadTransition, Trace, Transition,
};
use num_bigint::{BigInt, BigUint};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) type Marking = Vec<i128>;

/// What is true of a problem within a bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Truth {
    /// Steps of a shortest run into the goal, for each goal that is reachable.
    pub(crate) shortest: BTreeMap<Goal, u64>,
    /// Distinct reachable markings.
    pub(crate) states: u64,
    /// Triples of a marking, a transition and a successor within the bound.
    pub(crate) transitions: u64,
    /// Was anything left out?
    pub(crate) cut: bool,
}

/// Explores `problem` within `bound`, breadth first; `None` if there are more than `most` markings.
pub(crate) fn truth(problem: &Problem, bound: u64, most: usize) -> Option<Truth> {
    let bound = i128::from(bound);
    let (start, mut cut) = initial(problem, bound);
    let mut depth: BTreeMap<Marking, u64> = start.iter().map(|m| (m.clone(), 0)).collect();
    let mut queue: Vec<Marking> = depth.keys().cloned().collect();
    let mut truth = Truth { shortest: BTreeMap::new(), states: 0, transitions: 0, cut: false };
    let mut next = 0;
    while next < queue.len() {
        if queue.len() > most {
            return None;
        }
        let m = queue[next].clone();
        let steps = depth[&m];
        next += 1;
        let successors: Vec<Marking> = (0..transitions(problem)).flat_map(|t| fire(problem, t, &m)).collect();
        for property in &problem.properties {
            if satisfies(problem, property.goal, &m) {
                truth.shortest.entry(property.goal).or_insert(steps);
            }
        }
        for to in successors {
            if counted(problem, &to) > bound {
                cut = true;
                continue;
            }
            truth.transitions += 1;
            if !depth.contains_key(&to) {
                depth.insert(to.clone(), steps + 1);
                queue.push(to);
            }
        }
    }
    truth.states = queue.len() as u64;
    truth.cut = cut;
    Some(truth)
}

/// Markings within a bound.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    pub(crate) markings: Vec<Marking>,
    /// Was anything left out?
    pub(crate) cut: bool,
}

/// All reachable markings within `bound`; `None` if there are more than `most`.
pub(crate) fn reach(problem: &Problem, bound: u64, most: usize) -> Option<Reached> {
    let bound = i128::from(bound);
    let (start, mut cut) = initial(problem, bound);
    let mut seen: BTreeSet<Marking> = start.iter().cloned().collect();
    let mut markings = start;
    let mut next = 0;
    while next < markings.len() {
        if markings.len() > most {
            return None;
        }
        let m = markings[next].clone();
        next += 1;
        for to in (0..transitions(problem)).flat_map(|t| fire(problem, t, &m)) {
            if counted(problem, &to) > bound {
                cut = true;
            } else if !seen.contains(&to) {
                seen.insert(to.clone());
                markings.push(to);
            }
        }
    }
    Some(Reached { markings, cut })
}

/// Does `m` satisfy the goal?
pub(crate) fn satisfies(problem: &Problem, goal: Goal, m: &[i128]) -> bool {
    match problem.formula(goal) {
        Some(formula) => holds(formula, m),
        None => (0..transitions(problem)).all(|t| fire(problem, t, m).is_empty()),
    }
}

/// Where the trace ends, if it is a run.
pub(crate) fn replay(problem: &Problem, trace: &Trace) -> Option<Marking> {
    let mut m = least(problem);
    let open = open(problem);
    if open.len() != trace.start.len() {
        return None;
    }
    for ((place, most), &extra) in open.iter().zip(&trace.start) {
        m[*place] += i128::from(extra);
        if most.is_some_and(|most| m[*place] > most) {
            return None;
        }
    }
    for run in trace.runs() {
        for _ in 0..run.times {
            for step in &run.word {
                if step.event.index() >= transitions(problem) {
                    return None;
                }
                let successors = fire(problem, step.event.index(), &m);
                m = match step.choice {
                    None => (successors.len() == 1).then(|| successors[0].clone())?,
                    Some(choice) => {
                        let SystemModel::Threads(system) = &problem.system else { return None };
                        let (&shared, locals) = trace.choice(choice).split_first()?;
                        let mut to = vec![0; system.shared() as usize];
                        *to.get_mut(shared as usize)? = 1;
                        to.extend(locals.iter().map(|&n| i128::from(n)));
                        successors.contains(&to).then_some(to)?
                    }
                };
            }
        }
    }
    Some(m)
}

pub(crate) fn transitions(problem: &Problem) -> usize {
    match &problem.system {
        SystemModel::Net(net) => net.transitions().len(),
        SystemModel::Threads(system) => system.transitions().len(),
        _ => panic!("not a net"),
    }
}

/// Tokens that a bound counts.
fn counted(problem: &Problem, m: &[i128]) -> i128 {
    match &problem.system {
        SystemModel::Threads(system) => m[system.shared() as usize..].iter().sum(),
        _ => m.iter().fold(0, |sum: i128, n| sum.saturating_add(*n)),
    }
}

fn number(n: &BigUint) -> i128 {
    n.try_into().expect("the generators stay below 2^100")
}

fn integer(n: &BigInt) -> i128 {
    n.try_into().expect("the generators stay below 2^100")
}

/// The least initial marking.
fn least(problem: &Problem) -> Marking {
    match &problem.system {
        SystemModel::Net(net) => net.places().iter().map(|p| number(&p.initial.at_least)).collect(),
        SystemModel::Threads(system) => {
            let mut m = vec![0; system.places()];
            m[system.shared_place(system.initial().shared).index()] = 1;
            for (&l, n) in &system.initial().threads {
                m[system.local_place(l).index()] = number(n);
            }
            m
        }
        _ => panic!("not a net"),
    }
}

/// Places that may start with more, and with how many at most.
fn open(problem: &Problem) -> Vec<(usize, Option<i128>)> {
    match &problem.system {
        SystemModel::Net(net) => {
            let most = |p: PlaceId| net.place(p).initial.at_most.as_ref().map(number);
            net.open_places().into_iter().map(|p| (p.index(), most(p))).collect()
        }
        SystemModel::Threads(system) => {
            system.initial().any.iter().map(|&l| (system.local_place(l).index(), None)).collect()
        }
        _ => panic!("not a net"),
    }
}

/// The initial markings within the bound, and whether there are others.
pub(crate) fn initial(problem: &Problem, bound: i128) -> (Vec<Marking>, bool) {
    let mut all = vec![least(problem)];
    let mut cut = false;
    for (place, most) in open(problem) {
        let mut more = Vec::new();
        for m in &all {
            let ends = most.unwrap_or(i128::MAX).min(m[place] + bound + 1);
            more.extend((m[place]..=ends).map(|n| {
                let mut new = m.clone();
                new[place] = n;
                new
            }));
        }
        all = more;
    }
    all.retain(|m| {
        let within = counted(problem, m) <= bound;
        cut |= !within;
        within
    });
    (all, cut)
}

/// The successors of `m` under transition `t`, each once.
pub(crate) fn fire(problem: &Problem, t: usize, m: &[i128]) -> Vec<Marking> {
    match &problem.system {
        SystemModel::Net(net) => fire_net(net, &net.transitions()[t], m).into_iter().collect(),
        SystemModel::Threads(system) => fire_threads(system, &system.transitions()[t], m),
        _ => panic!("not a net"),
    }
}

fn fire_net(net: &Net, t: &Transition, m: &[i128]) -> Option<Marking> {
    let within = |p: PlaceId, least: &BigUint, most: Option<&BigUint>| {
        let n = m[p.index()];
        n >= number(least) && most.is_none_or(|most| n <= number(most))
    };
    if !t.guards.iter().all(|g| within(g.place, &g.range.at_least, g.range.at_most.as_ref())) {
        return None;
    }
    let mut to = m.to_vec();
    for effect in &t.effects {
        to[effect.place.index()] = effect.sources.iter().map(|s| m[s.index()]).sum::<i128>() + integer(&effect.add);
        assert!(to[effect.place.index()] >= 0, "{} in {net:?}", t.name);
    }
    Some(to)
}

fn fire_threads(system: &ThreadSystem, t: &ThreadTransition, m: &[i128]) -> Vec<Marking> {
    let (shared, local) = (system.shared_place(t.from.0).index(), system.local_place(t.from.1).index());
    let (to_shared, to_local) = (system.shared_place(t.to.0).index(), system.local_place(t.to.1).index());
    if m[shared] != 1 || m[local] < 1 {
        return Vec::new();
    }
    let mut base = m.to_vec();
    base[shared] = 0;
    base[to_shared] = 1;
    match t.act {
        Act::Spawn => base[to_local] += 1,
        Act::Transfer => {
            let all = std::mem::take(&mut base[local]);
            base[to_local] += all;
        }
        Act::Move => {
            base[local] -= 1;
            return broadcast(system, t, &base, to_local);
        }
    }
    vec![base]
}

/// `base` is without the active thread. All others move at once; where there is a choice, in every way.
fn broadcast(system: &ThreadSystem, t: &ThreadTransition, base: &[i128], active_to: usize) -> Vec<Marking> {
    let mut still = base.to_vec();
    still[active_to] += 1;
    for source in t.passive.keys() {
        let source = system.local_place(*source).index();
        still[source] -= base[source];
    }
    let mut all = vec![still];
    for (source, targets) in &t.passive {
        let threads = base[system.local_place(*source).index()];
        let targets: Vec<usize> = targets.iter().map(|&l| system.local_place(l).index()).collect();
        all = all.iter().flat_map(|m| spread(m, threads, &targets)).collect();
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// `m` with `threads` more on `targets`, in every way.
fn spread(m: &[i128], threads: i128, targets: &[usize]) -> Vec<Marking> {
    let with = |n: i128| {
        let mut new = m.to_vec();
        new[targets[0]] += n;
        new
    };
    match targets {
        [_] => vec![with(threads)],
        _ => (0..=threads).flat_map(|n| spread(&with(n), threads - n, &targets[1..])).collect(),
    }
}

fn holds(formula: &Formula, m: &[i128]) -> bool {
    let mut values: Vec<bool> = Vec::new();
    for node in formula.nodes() {
        values.push(match node {
            Node::All(parts) => parts.iter().all(|p| values[p.index()]),
            Node::Any(parts) => parts.iter().any(|p| values[p.index()]),
            Node::AtLeast(sum) => {
                let total: i128 = sum.terms.iter().map(|(p, c)| integer(c) * m[p.index()]).sum();
                total >= integer(&sum.at_least)
            }
        });
    }
    values.last().copied().unwrap_or(true)
}

/// The greatest number in a net's guards and effects.
pub(crate) fn greatest_number(problem: &Problem) -> i128 {
    let SystemModel::Net(net) = &problem.system else { return 0 };
    let guards = net.transitions().iter().flat_map(|t| &t.guards).map(|g| number(&g.range.at_least));
    let effects = net.transitions().iter().flat_map(|t| &t.effects).map(|e| integer(&e.add).abs());
    guards.chain(effects).max().unwrap_or(0)
}
