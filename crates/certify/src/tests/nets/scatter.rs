//! Tests of sets of markings of thread-transition systems with threads that pick one of several targets. A set
//! is accepted iff the definition, taken literally and with every thread moved by itself, says so.

use super::super::brute::Rng;
use super::super::rejected;
use super::threads::{fire, random_system, start, step, system, threads_problem, tokens};
use super::*;
use model::{Act, Linear, Node, ThreadTransition, ThreadTransitionSystem};
use num_traits::{Signed, ToPrimitive};
use std::collections::{BTreeSet, VecDeque};

/// For each place: the tokens of a listed marking. `None` if the place is not kept.
type Partial = Vec<Option<i64>>;

struct Literal<'a> {
    system: &'a ThreadTransitionSystem,
    set: &'a Set,
    states: Vec<Partial>,
    kept: Vec<bool>,
    exact: Vec<bool>,
}

impl<'a> Literal<'a> {
    fn new(system: &'a ThreadTransitionSystem, set: &'a Set, goals: &[&Formula], deadlock: bool) -> Self {
        let places = system.places();
        let states = set.states.iter().map(|s| naive::by_place(set, places, s)).collect();
        let kept = naive::by_place(set, places, &vec![0; set.slots.len()]).iter().map(Option::is_some).collect();
        let mut literal = Self { system, set, states, kept, exact: vec![deadlock; places] };
        for sum in goals.iter().flat_map(|f| sums(f)) {
            sum.terms.iter().filter(|(_, c)| c.is_negative()).for_each(|(q, _)| literal.exact[q.index()] = true);
        }
        for _ in 0..places {
            for (from, to) in literal.firing().flat_map(|t| flows(system, t)) {
                literal.exact[from] |= literal.exact[to] && literal.kept[to];
            }
        }
        literal.exact.iter_mut().zip(&literal.kept).for_each(|(exact, kept)| *exact &= kept);
        literal
    }

    fn asks(&self, t: &ThreadTransition) -> [usize; 2] {
        [self.system.shared_place(t.from.0).index(), self.system.local_place(t.from.1).index()]
    }

    /// Transitions that need no place which is never marked.
    fn firing(&self) -> impl Iterator<Item = &'a ThreadTransition> + use<'a> {
        let (system, potentially_marked) = (self.system, &self.set.potentially_marked);
        let asks = |t: &ThreadTransition| [system.shared_place(t.from.0), system.local_place(t.from.1)];
        let fires: Vec<_> =
            system.transitions().iter().filter(|t| asks(t).iter().all(|q| potentially_marked[q.index()])).collect();
        fires.into_iter()
    }

    fn has(&self, m: &[i64]) -> bool {
        self.states.iter().any(|s| naive::stands_for(s, &self.exact, m))
    }

    fn is_markable_closed(&self) -> bool {
        let init = self.system.initial();
        let potentially_marked = &self.set.potentially_marked;
        let local = |l| potentially_marked[self.system.local_place(l).index()];
        let started = init.threads.keys().chain(&init.any).all(|&l| local(l));
        let after = |t: &ThreadTransition| {
            let flows = flows(self.system, t);
            potentially_marked[self.system.shared_place(t.to.0).index()]
                && local(t.to.1)
                && flows.iter().all(|&(from, to)| !potentially_marked[from] || potentially_marked[to])
        };
        started && potentially_marked[self.system.shared_place(init.shared).index()] && self.firing().all(after)
    }

    fn is_good(&self, goals: &[&Formula], deadlock: bool) -> bool {
        let init = self.system.initial();
        if !self.is_markable_closed() || init.any.iter().any(|&l| self.kept[self.system.local_place(l).index()]) {
            return false;
        }
        let first = tokens(self.system, &start(self.system, &vec![0; init.any.len()]));
        if !self.has(&first.iter().map(|&n| n.into()).collect::<Vec<_>>()) {
            return false;
        }
        let unknown =
            |(from, to): (usize, usize)| !self.kept[from] && self.set.potentially_marked[from] && self.kept[to];
        if self.firing().flat_map(|t| flows(self.system, t)).any(unknown) {
            return false;
        }
        self.states.iter().all(|s| {
            let enabled = |t: &&ThreadTransition| self.asks(t).iter().all(|&q| s[q].is_none_or(|n| n > 0));
            let closed = self.firing().filter(enabled).all(|t| outcomes(self.system, t, s).iter().all(|m| self.has(m)));
            let alive = self.firing().filter(enabled).any(|t| self.asks(t).iter().all(|&q| self.kept[q]));
            closed && (alive || !deadlock) && goals.iter().all(|f| !self.may_hold(f, s))
        })
    }

    fn may_hold(&self, formula: &Formula, s: &Partial) -> bool {
        naive::value(formula, |sum| {
            let most = |(q, c): &(PlaceId, BigInt)| match (s[q.index()], self.set.potentially_marked[q.index()]) {
                (Some(n), _) => Some(n * c.to_i64().unwrap()),
                (None, true) if c.is_positive() => None,
                (None, _) => Some(0),
            };
            let total: Option<i64> = sum.terms.iter().map(most).sum();
            total.is_none_or(|total| total >= sum.at_least.to_i64().unwrap())
        })
    }
}

fn sums(formula: &Formula) -> impl Iterator<Item = &Linear> {
    formula.nodes().iter().filter_map(|node| if let Node::AtLeast(sum) = node { Some(sum) } else { None })
}

/// The pairs of places between which threads other than the active one may move.
fn flows(system: &ThreadTransitionSystem, t: &ThreadTransition) -> Vec<(usize, usize)> {
    let place = |l| system.local_place(l).index();
    match t.act {
        Act::Spawn => vec![],
        Act::Transfer => vec![(place(t.from.1), place(t.to.1))],
        Act::Move => t.passive.iter().flat_map(|(&l, to)| to.iter().map(move |&to| (place(l), place(to)))).collect(),
    }
}

/// The markings that `t` leads to from a listed marking. For places that are not kept the numbers mean nothing.
fn outcomes(system: &ThreadTransitionSystem, t: &ThreadTransition, s: &Partial) -> BTreeSet<Vec<i64>> {
    let place = |l| system.local_place(l).index();
    let mut m: Vec<i64> = s.iter().map(|n| n.unwrap_or(0)).collect();
    m[system.shared_place(t.from.0).index()] -= 1;
    m[system.shared_place(t.to.0).index()] += 1;
    let (from, to) = (place(t.from.1), place(t.to.1));
    match t.act {
        Act::Spawn => m[to] += 1,
        Act::Transfer => {
            let all = std::mem::take(&mut m[from]);
            m[to] += all;
        }
        Act::Move => {
            m[from] -= 1;
            let leaving: Vec<_> = t.passive.iter().map(|(&l, to)| (std::mem::take(&mut m[place(l)]), to)).collect();
            m[to] += 1;
            let mut all = BTreeSet::from([m]);
            for (threads, targets) in leaving {
                for _ in 0..threads {
                    let arrive = |m: &Vec<i64>, to: usize| {
                        let mut m = m.clone();
                        m[to] += 1;
                        m
                    };
                    all = all.iter().flat_map(|m| targets.iter().map(move |&to| arrive(m, place(to)))).collect();
                }
            }
            return all;
        }
    }
    BTreeSet::from([m])
}

/// Reachable states with few threads, as markings.
fn reachable(system: &ThreadTransitionSystem) -> BTreeSet<Tokens> {
    let open = system.initial().any.len();
    let starts: Vec<u32> = if open == 0 { vec![0] } else { vec![0, 2] };
    let mut seen: BTreeSet<_> = starts.iter().map(|&n| start(system, &vec![n; open])).collect();
    let mut queue: VecDeque<_> = seen.iter().cloned().collect();
    while let Some(state) = queue.pop_front() {
        if state.1.len() > 5 || seen.len() > 80 {
            continue;
        }
        for next in system.transitions().iter().flat_map(|t| fire(t, &state)) {
            if seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    seen.iter().map(|s| tokens(system, s)).collect()
}

/// A certificate that is nearly right: some places dropped, some covered markings left out, some damage.
fn random_set(
    rng: &mut Rng,
    system: &ThreadTransitionSystem,
    reachable: &BTreeSet<Tokens>,
    goals: &[&Formula],
    deadlock: bool,
) -> Set {
    let drop = rng.one_in(2);
    let mut slots: Vec<Slot> = Vec::new();
    if !drop || !rng.one_in(4) {
        slots.push(Slot::OneOf((0..system.shared()).map(p).collect()));
    }
    let open: Vec<u32> = system.initial().any.iter().map(|l| system.shared() + l.0).collect();
    let free = (system.shared()..system.places() as u32).filter(|q| !open.contains(q) || rng.one_in(20));
    let free: Vec<u32> = free.collect();
    for q in free {
        if drop && rng.one_in(3) {
            continue;
        }
        let few = reachable.iter().all(|m| m[q as usize] <= 1);
        slots.push(if few && rng.one_in(3) { Slot::OneOf(vec![p(q)]) } else { Slot::Tokens(p(q)) });
    }
    let mut potentially_marked: Vec<bool> =
        (0..system.places()).map(|q| reachable.iter().any(|m| m[q] > 0) || rng.one_in(8)).collect();
    if rng.one_in(2) {
        potentially_marked.fill(true);
    }
    let value = |slot: &Slot, m: &Tokens| match slot {
        Slot::Tokens(q) => m[q.index()],
        Slot::OneOf(list) => list.iter().position(|q| m[q.index()] > 0).map_or(0, |i| i as u32 + 1),
    };
    let states: BTreeSet<Tokens> = reachable.iter().map(|m| slots.iter().map(|s| value(s, m)).collect()).collect();
    let mut set = Set { slots, potentially_marked, states: states.into_iter().collect() };
    if rng.one_in(2) {
        let literal = Literal::new(system, &set, goals, deadlock);
        let wide = |s: &Partial| -> Vec<i64> { s.iter().map(|n| n.unwrap_or(0)).collect() };
        let below = |a: usize, b: usize| {
            a != b && naive::stands_for(&literal.states[b], &literal.exact, &wide(&literal.states[a]))
        };
        let count = set.states.len();
        let greatest: Vec<bool> = (0..count).map(|a| !(0..count).any(|b| below(a, b))).collect();
        set.states = set.states.iter().zip(greatest).filter(|(_, keep)| *keep).map(|(s, _)| s.clone()).collect();
    }
    if rng.one_in(3) && !set.states.is_empty() && !set.slots.is_empty() {
        let (i, slot) = (rng.below(set.states.len()), rng.below(set.slots.len()));
        if rng.one_in(2) {
            set.states.remove(i);
        } else {
            let most = if let Slot::OneOf(list) = &set.slots[slot] { list.len() } else { 3 };
            set.states[i][slot] = rng.below(most + 1) as u32;
        }
    }
    set.states.sort();
    set.states.dedup();
    rng.shuffle(&mut set.states);
    set
}

#[test]
fn sets_are_accepted_iff_the_definition_says_so() {
    let mut rng = Rng(31);
    let (mut accepted, mut projected, mut smaller, mut deadlocks, mut refused) = (0, 0, 0, 0, 0);
    for round in 0..60_000 {
        let system = random_system(&mut rng, true);
        if system.transitions().iter().all(|t| t.passive.values().all(|to| to.len() < 2)) {
            continue;
        }
        let formula = random_formula(&mut rng, system.places());
        let both = [first(), Goal::Deadlock];
        let goals = [&both[..1], &both[..1], &both[1..], &both[..]][rng.below(4)];
        let (formulas, deadlock) =
            (if goals[0] == first() { vec![&formula] } else { vec![] }, goals.contains(&Goal::Deadlock));
        let reachable = reachable(&system);
        let set = random_set(&mut rng, &system, &reachable, &formulas, deadlock);
        let literal = Literal::new(&system, &set, &formulas, deadlock);
        let good = literal.is_good(&formulas, deadlock);
        let got = set.check(&threads_problem(&system, vec![formula.clone()]), goals);
        assert_eq!(got.is_ok(), good, "round {round}: {got:?}\n{system:#?}\n{formula:?}\n{goals:?}\n{set:?}");
        assert!(!matches!(got, Err(Refusal::Unknown(_))), "round {round}");
        refused += usize::from(!good);
        if good {
            accepted += 1;
            projected += usize::from(set.slots.len() < 1 + system.locals() as usize);
            let kept = |m: &Tokens| -> Tokens { (0..m.len()).filter(|&q| literal.kept[q]).map(|q| m[q]).collect() };
            smaller += usize::from(set.states.len() < reachable.iter().map(kept).collect::<BTreeSet<_>>().len());
            deadlocks += usize::from(deadlock);
            let dead = |m: &Tokens| {
                let open = |t: &ThreadTransition| literal.asks(t).iter().all(|&q| m[q] > 0);
                !system.transitions().iter().any(open)
            };
            for m in &reachable {
                let violated = formulas.iter().any(|f| naive::holds(f, m)) || deadlock && dead(m);
                assert!(!violated, "round {round}: a wrong verdict, {m:?}\n{system:#?}\n{formula:?}\n{set:?}");
                let wide: Vec<i64> = m.iter().map(|&n| n.into()).collect();
                assert!(literal.has(&wide), "round {round}: {m:?} is not in the set");
            }
        }
    }
    assert!(
        accepted > 1500 && projected > 500 && smaller > 15 && deadlocks > 150 && refused > 10_000,
        "the generator is too weak: {accepted} {projected} {smaller} {deadlocks} {refused}"
    );
}

/// One of the threads in 0 sends the others there to 1 or 2, and stays.
fn scatter(threads: u64) -> ThreadTransitionSystem {
    system(1, 3, &[(0, threads)], &[], vec![step((0, 0), Act::Move, (0, 0), &[(0, &[1, 2])])])
}

fn tokens_of(places: &[u32], states: &[&[u32]]) -> Set {
    Set {
        slots: places.iter().map(|&q| Slot::Tokens(p(q))).collect(),
        potentially_marked: vec![true; 4],
        states: states.iter().map(|s| s.to_vec()).collect(),
    }
}

#[test]
fn every_way_to_spread_must_be_in_the_set() {
    let problem = threads_problem(&scatter(3), vec![cover(&[(2, 3)]), linear(&[(1, 1), (2, -1)], 4)]);
    let all: [&[u32]; 4] = [&[3, 0, 0], &[1, 2, 0], &[1, 1, 1], &[1, 0, 2]];
    assert!(tokens_of(&[1, 2, 3], &all).check(&problem, &[first()]).is_ok());
    assert!(tokens_of(&[1, 2, 3], &all).check(&problem, &[Goal::Deadlock]).is_err(), "the shared state is not kept");
    for i in 0..all.len() {
        let less: Vec<&[u32]> = (0..all.len()).filter(|j| *j != i).map(|j| all[j]).collect();
        assert!(tokens_of(&[1, 2, 3], &less).check(&problem, &[first()]).is_err(), "{:?} is missing", all[i]);
    }
    // The number of threads in 2 is not kept. So fewer threads may be in 1, which matters only if 1 is exact.
    let second = Goal::Formula(FormulaId(1));
    let some: [&[u32]; 2] = [&[3, 0], &[1, 2]];
    assert!(tokens_of(&[1, 2], &some).check(&problem, &[first()]).is_ok());
    rejected(tokens_of(&[1, 2], &some).check(&problem, &[second]), "not closed");
    let exact: [&[u32]; 4] = [&[3, 0], &[1, 2], &[1, 1], &[1, 0]];
    assert!(tokens_of(&[1, 2], &exact).check(&problem, &[second]).is_ok());
    for i in 1..exact.len() {
        let less: Vec<&[u32]> = (0..exact.len()).filter(|j| *j != i).map(|j| exact[j]).collect();
        rejected(tokens_of(&[1, 2], &less).check(&problem, &[second]), "not closed");
    }
    // If the number of arriving threads matters, the place that the threads come from must be kept.
    rejected(tokens_of(&[2], &[&[0], &[2]]).check(&problem, &[first()]), "`local 0`, which is not kept, to `local 1`");
}

#[test]
fn too_many_ways_to_spread_are_too_dear() {
    let problem = threads_problem(&scatter(100_001), vec![cover(&[(1, 100_002)])]);
    let claim = |max_steps| {
        let set = tokens_of(&[1, 2, 3], &[&[100_001, 0, 0], &[1, 100_000, 100_000]]);
        let markings = Markings {
            slots: set.slots,
            potentially_marked: set.potentially_marked,
            states: Box::new(Listed(set.states)),
        };
        let claim = Claim::Safe { goals: vec![first()], certificate: Certificate::Markings(markings) };
        confirm(&problem, &claim, &Options { max_steps, ..Options::default() }, &Stop::default())
    };
    assert!(claim(10_000_000).is_ok());
    assert_eq!(claim(100_000), Err(Refusal::ResourceLimit));
}
