//! Tests of projections onto groups of threads: justifications and certificates, against their definitions,
//! which are spelled out over sets and paths.

use super::brute::{self, Rng};
use super::{check, rejected};
use crate::clauses::View;
use crate::justifications;
use crate::threads::Threads;
use crate::{Confirmed, EvidenceKind, Refusal};
use kernel::Work;
use kernel::program::stepper::Stepper;
use model::{
    Certificate, Claim, Constant, EventId, Goal, IntAtom, Justification, LocalId, Meaning, Program, Projection, Prop,
    Stop, ThreadId,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use testkit::Listed;

const BOTH: [Goal; 2] = [Goal::Bad, Goal::Deadlock];

/// The projection, by definition.
struct Naive<'a> {
    program: &'a Program,
    members: Vec<usize>,
}

type Joint = Vec<u32>;

impl Naive<'_> {
    fn others(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.program.threads().len()).filter(|t| !self.members.contains(t))
    }

    /// The locally reachable states of a thread that are not bad.
    fn healthy(&self, thread: usize) -> Vec<&model::LocalState> {
        let of = &self.program.threads()[thread];
        let reachable = of.locally_reachable();
        (0..of.states.len()).filter(|&s| reachable[s] && !of.states[s].bad).map(|s| &of.states[s]).collect()
    }

    fn initial(&self) -> BTreeSet<Joint> {
        let all = brute::initial(self.program);
        all.into_iter().map(|s| self.members.iter().map(|&m| s[m]).collect()).collect()
    }

    fn locals<'b>(&'b self, joint: &'b Joint) -> impl Iterator<Item = &'b model::LocalState> {
        self.members.iter().zip(joint).map(|(&m, &s)| self.program.threads()[m].state(LocalId(s)))
    }

    fn fires(&self, joint: &Joint, event: EventId) -> bool {
        let outside = |t: usize| self.healthy(t).iter().any(|s| s.request.contains(event));
        !self.locals(joint).any(|s| s.block.contains(event))
            && (self.locals(joint).any(|s| s.request.contains(event)) || self.others().any(outside))
    }

    fn steps(&self, joint: &Joint) -> Vec<(EventId, Joint)> {
        let mut steps = Vec::new();
        for event in (0..self.program.events().len()).map(EventId::new).filter(|&e| self.fires(joint, e)) {
            let mut whole = vec![0; self.program.threads().len()];
            self.members.iter().zip(joint).for_each(|(&m, &s)| whole[m] = s);
            let next = brute::targets(self.program, &whole, event);
            let next: BTreeSet<Joint> =
                next.into_iter().map(|s| self.members.iter().map(|&m| s[m]).collect()).collect();
            steps.extend(next.into_iter().map(|to| (event, to)));
        }
        steps
    }

    fn after(&self, set: &BTreeSet<Joint>) -> BTreeSet<Joint> {
        set.iter().flat_map(|joint| self.steps(joint)).map(|(_, to)| to).collect()
    }

    fn reachable(&self) -> BTreeSet<Joint> {
        let mut all = self.initial();
        loop {
            let more: BTreeSet<Joint> = all.union(&self.after(&all)).cloned().collect();
            if more.len() == all.len() {
                return all;
            }
            all = more;
        }
    }

    /// True if some literal is true of every run of length `t` that ends, before distance `back`, with this
    /// path. Only three kinds of literals count: literals about `t`, literals about the path, and negated
    /// literals about times before the run began. The path has its newest state last.
    fn holds(
        &self,
        clause: &[(bool, Prop)],
        t: u64,
        (back, length): (u64, u64),
        path: Option<&(Vec<Joint>, Vec<EventId>)>,
    ) -> bool {
        let far = path.map_or(0, |(states, _)| back + states.len() as u64 - 1);
        clause.iter().any(|(positive, prop)| match prop {
            Prop::Int(atom) => {
                *positive && atom.eval(&[(Constant::RunLength, t.into())].into()).expect("only the run length")
            }
            Prop::StateBack { back: b, thread, state } => {
                let b = u64::from(*b);
                let Some(at) = self.members.iter().position(|&m| m == thread.index()) else {
                    return !*positive && b > t && b <= back + length;
                };
                if b > t {
                    return !*positive && b <= back + length;
                }
                let Some((states, _)) = path.filter(|_| (back..=far).contains(&b)) else { return false };
                (states[states.len() - 1 - (b - back) as usize][at] == state.0) == *positive
            }
            Prop::EventBack { back: b, event } => {
                let b = u64::from(*b);
                if b >= t {
                    return !*positive && b < back + length;
                }
                let Some((_, events)) = path.filter(|_| (back..far).contains(&b)) else { return false };
                (events[events.len() - 1 - (b - back) as usize] == *event) == *positive
            }
            Prop::Visits(_) | Prop::Ends(_) => false,
        })
    }

    /// All paths of `length` events that begin in `set`.
    fn paths(&self, set: &BTreeSet<Joint>, length: u64) -> Vec<(Vec<Joint>, Vec<EventId>)> {
        let mut paths: Vec<_> = set.iter().map(|joint| (vec![joint.clone()], Vec::new())).collect();
        for _ in 0..length {
            let longer = |(states, events): &(Vec<Joint>, Vec<EventId>)| {
                let steps = self.steps(&states[states.len() - 1]);
                let grow = |(event, to)| {
                    let (mut states, mut events) = (states.clone(), events.clone());
                    states.push(to);
                    events.push(event);
                    (states, events)
                };
                steps.into_iter().map(grow).collect::<Vec<_>>()
            };
            paths = paths.iter().flat_map(longer).collect();
        }
        paths
    }

    /// True if the clause holds for every T below `horizon`, as the justification requires.
    fn projected(&self, clause: &[(bool, Prop)], back: u64, length: u64, horizon: u64) -> bool {
        let mut sets = vec![self.initial()];
        (1..horizon).for_each(|u| sets.push(self.after(&sets[u as usize - 1])));
        (0..horizon).all(|t| {
            let Some(before) = t.checked_sub(back) else { return self.holds(clause, t, (back, length), None) };
            let m = length.min(before);
            let paths = self.paths(&sets[(before - m) as usize], m);
            paths.iter().all(|path| self.holds(clause, t, (back, length), Some(path)))
        })
    }
}

fn random_members(rng: &mut Rng, program: &Program) -> Vec<usize> {
    let first = rng.below(program.threads().len());
    (0..program.threads().len()).filter(|&t| t == first || rng.one_in(3)).collect()
}

fn random_clause(rng: &mut Rng, program: &Program, congruences: bool) -> Vec<(bool, Prop)> {
    let mut clause: Vec<(bool, Prop)> = Vec::new();
    let odds = 1 + rng.below(4);
    for back in 0..=3 {
        for event in (0..program.events().len()).map(EventId::new) {
            if rng.one_in(6) {
                clause.push((!rng.one_in(3), Prop::EventBack { back, event }));
            }
        }
        for (i, thread) in program.threads().iter().enumerate() {
            for state in 0..thread.states.len() {
                if rng.one_in(1 + odds) {
                    let prop = Prop::StateBack { back, thread: ThreadId::new(i), state: LocalId::new(state) };
                    clause.push((!rng.one_in(4), prop));
                }
            }
        }
    }
    let t = || Constant::RunLength;
    let mut atom = |atom| clause.push((true, Prop::Int(atom)));
    (0..6).filter(|_| rng.one_in(3)).for_each(|v| atom(IntAtom::equals(t(), v)));
    [1, 2, 3].into_iter().filter(|_| rng.one_in(12)).for_each(|v| atom(IntAtom::at_least(t(), v)));
    [0, 1, 2].into_iter().filter(|_| rng.one_in(6)).for_each(|v| atom(IntAtom::at_most(t(), v)));
    if congruences {
        for m in 1..=4 {
            (0..m).filter(|_| rng.one_in(3)).for_each(|r| atom(IntAtom::congruent(t(), r, m)));
        }
    }
    clause
}

fn accepts(program: &Program, justification: &Justification, clause: &[(bool, Prop)]) -> bool {
    let stop = Stop::default();
    let mut work = Work::new(u64::MAX, &stop);
    let stepper = Stepper::new(program).unwrap();
    let mut threads = Threads::new(&stepper, &mut work).unwrap();
    let meanings: Vec<Meaning> = clause.iter().map(|(_, prop)| Meaning::Prop(prop.clone())).collect();
    let literals: Vec<i32> = (1..).zip(clause).map(|(v, (positive, _))| if *positive { v } else { -v }).collect();
    let check = |threads: &mut Threads<'_>, work: &mut Work<'_>| {
        justifications::check(justification, &View::new(&literals, &meanings), threads, work)
    };
    let first = check(&mut threads, &mut work);
    assert_eq!(first, check(&mut threads, &mut work), "a group that is kept answers as before");
    match first {
        Ok(()) => true,
        Err(Refusal::Rejected(_)) => false,
        Err(other) => panic!("{other:?}"),
    }
}

/// Exactly the clauses that hold are accepted. With congruences, all accepted clauses hold.
#[test]
fn facts_about_projections_agree_with_their_definition() {
    let mut rng = Rng(31);
    let mut counts = [[0; 2]; 2];
    for round in 0..6000 {
        let program = if rng.one_in(2) { brute::random_lockstep(&mut rng) } else { brute::random_program(&mut rng) };
        let naive = Naive { program: &program, members: random_members(&mut rng, &program) };
        let congruences = rng.one_in(2);
        let mut clause = random_clause(&mut rng, &program, congruences);
        let (back, length) = (rng.below(3) as u32, rng.below(3) as u32);
        let threads = naive.members.iter().map(|&m| ThreadId::new(m)).collect();
        let justification = Justification::Projected { threads, back, length };
        // Literals are removed as long as the clause is accepted, so that clauses at the edge are tested.
        while accepts(&program, &justification, &clause) {
            assert!(
                naive.projected(&clause, back.into(), length.into(), 24),
                "round {round}: {justification:?} {clause:?}"
            );
            counts[usize::from(congruences)][0] += 1;
            if clause.is_empty() {
                break;
            }
            clause.swap_remove(rng.below(clause.len()));
        }
        if !congruences && !accepts(&program, &justification, &clause) {
            let holds = naive.projected(&clause, back.into(), length.into(), 24);
            assert!(!holds, "round {round}: {justification:?} {clause:?}\n{program:#?}");
            counts[0][1] += 1;
        }
    }
    assert!(counts[0][0] > 2000 && counts[0][1] > 1500 && counts[1][0] > 2000, "{counts:?}");
}

/// Two clocks in one group say more than each of them alone: the checker uses the lasso, not only the union of
/// its sets.
#[test]
fn a_group_clock_tells_the_time_of_pairs() {
    let program = brute::program(2, vec![brute::clock("Four", 4, &[0]), brute::clock("Six", 6, &[1])]);
    let justification = |threads: &[u32]| Justification::Projected {
        threads: threads.iter().map(|&t| ThreadId(t)).collect(),
        back: 0,
        length: 0,
    };
    let state = |thread, state| (false, Prop::StateBack { back: 0, thread: ThreadId(thread), state: LocalId(state) });
    let at = |residue| (true, Prop::Int(IntAtom::congruent(Constant::RunLength, residue, 12)));
    assert!(accepts(&program, &justification(&[0, 1]), &[state(0, 3), state(1, 5), at(11)]));
    assert!(!accepts(&program, &justification(&[0, 1]), &[state(0, 3), state(1, 5), at(10)]));
    assert!(!accepts(&program, &justification(&[0]), &[state(0, 3), state(1, 5), at(11)]));
    assert!(accepts(&program, &justification(&[0, 1]), &[state(0, 3), state(1, 4)]), "they never meet");
    for wrong in [&[][..], &[0, 0], &[1, 0], &[0, 2], &[7]] {
        assert!(!accepts(&program, &justification(wrong), &[state(0, 3), state(1, 4)]), "{wrong:?} is no group");
    }
}

/// A clause about times before the run began says nothing about short runs, unless it has a negated literal.
#[test]
fn short_runs_must_be_covered() {
    let program = brute::program(2, vec![brute::clock("One", 1, &[]), brute::marker()]);
    let justification = Justification::Projected { threads: vec![ThreadId(0)], back: 2, length: 0 };
    let there = |positive| (positive, Prop::StateBack { back: 2, thread: ThreadId(0), state: LocalId(0) });
    let most = |t| (true, Prop::Int(IntAtom::at_most(Constant::RunLength, t)));
    assert!(!accepts(&program, &justification, &[there(true)]));
    assert!(!accepts(&program, &justification, &[there(true), most(0)]));
    assert!(accepts(&program, &justification, &[there(true), most(1)]));
    assert!(accepts(&program, &justification, &[there(true), there(false)]));
}

/// Beyond the limit of a lasso, the checker assumes any state at any time but the first.
#[test]
fn a_lasso_that_is_too_long_is_given_up() {
    // One thread that is in one of four cycles: 87 states, and 4 * 9 * 25 * 49 = 44,100 sets.
    let (mut states, mut initial) = (Vec::new(), Vec::new());
    for period in [4, 9, 25, 49] {
        let first = states.len() as u32;
        initial.push(first);
        for k in 0..period {
            let next = [first + (k + 1) % period];
            states.push(brute::local(&format!("s{}", first + k), 1, &[0], &[], &[(0, &next)]));
        }
    }
    let long = brute::program(1, vec![brute::thread("cycles", &initial, states.clone())]);
    let short = brute::program(1, vec![brute::thread("cycles", &initial[..3], states[..38].to_vec())]);
    let justification = Justification::Projected { threads: vec![ThreadId(0)], back: 0, length: 0 };
    let at = |state| (false, Prop::StateBack { back: 0, thread: ThreadId(0), state: LocalId(state) });
    let congruent = || (true, Prop::Int(IntAtom::congruent(Constant::RunLength, 1, 4)));
    let later = |t| (true, Prop::Int(IntAtom::at_least(Constant::RunLength, t)));
    assert!(accepts(&short, &justification, &[at(1), congruent()]));
    assert!(!accepts(&long, &justification, &[at(1), congruent()]));
    assert!(accepts(&long, &justification, &[at(1), later(1)]));
    assert!(!accepts(&long, &justification, &[at(1), later(2)]));
    assert!(!accepts(&long, &justification, &[at(0), later(1)]));
}

fn claim(kept: &[usize], states: &BTreeSet<Joint>, goals: &[Goal]) -> Claim {
    let states = Box::new(Listed(states.iter().cloned().collect()));
    let kept = kept.iter().map(|&t| ThreadId::new(t)).collect();
    Claim::Safe { goals: goals.to_vec(), certificate: Certificate::Projection(Projection { kept, states }) }
}

/// True if the set is a certificate, by definition.
fn certifies(naive: &Naive<'_>, set: &BTreeSet<Joint>, goals: &[Goal]) -> bool {
    let bad = |joint: &Joint| naive.locals(joint).any(|s| s.bad);
    let bad_outside = |t: usize| {
        let thread = &naive.program.threads()[t];
        thread.locally_reachable().iter().zip(&thread.states).any(|(&reachable, s)| reachable && s.bad)
    };
    let requested = |joint: &Joint, e: EventId| {
        naive.locals(joint).any(|s| s.request.contains(e))
            || naive.others().any(|t| naive.healthy(t).iter().all(|s| s.request.contains(e)))
    };
    let events = || (0..naive.program.events().len()).map(EventId::new);
    // Of the other threads only `k` may block the event, and not in its state `of_k`.
    let open = |joint: &Joint, e: EventId, k: Option<usize>, of_k: Option<&model::LocalState>| {
        !naive.locals(joint).any(|s| s.block.contains(e))
            && !naive.others().any(|t| Some(t) != k && naive.healthy(t).iter().any(|s| s.block.contains(e)))
            && !of_k.is_some_and(|s| s.block.contains(e))
            && requested(joint, e)
    };
    let sure = |joint: &Joint| {
        let leaves_one = |k: usize| naive.healthy(k).iter().all(|s| events().any(|e| open(joint, e, Some(k), Some(s))));
        let may_block = |k: usize| events().any(|e| naive.healthy(k).iter().any(|s| s.block.contains(e)));
        events().any(|e| open(joint, e, None, None)) || naive.others().any(|k| may_block(k) && leaves_one(k))
    };
    naive.initial().is_subset(set)
        && naive.after(set).is_subset(set)
        && (!goals.contains(&Goal::Bad) || !(set.iter().any(bad) || naive.others().any(bad_outside)))
        && (!goals.contains(&Goal::Deadlock) || set.iter().all(|joint| bad(joint) || sure(joint)))
}

#[test]
fn projections_agree_with_their_definition() {
    let mut rng = Rng(32);
    let mut accepted = [0; 3];
    for round in 0..20_000 {
        let program: Arc<Program> =
            if rng.one_in(2) { brute::random_lockstep(&mut rng) } else { brute::random_program(&mut rng) };
        let members = if rng.one_in(6) { Vec::new() } else { random_members(&mut rng, &program) };
        let naive = Naive { program: &program, members };
        let mut set = if naive.members.is_empty() { BTreeSet::from([Vec::new()]) } else { naive.reachable() };
        for _ in 0..rng.below(3) {
            let sizes = naive.members.iter().map(|&m| program.threads()[m].states.len());
            let joint: Joint = sizes.map(|size| rng.below(size) as u32).collect();
            if !set.remove(&joint) {
                set.insert(joint);
            }
        }
        let kind = rng.below(3);
        let goals = [&BOTH[..], &BOTH[..1], &BOTH[1..]][kind];
        let got = check(&program, &claim(&naive.members, &set, goals));
        let right = certifies(&naive, &set, goals);
        assert_eq!(got.is_ok(), right, "round {round}: {got:?}\n{program:#?}\n{set:?} of {:?}", naive.members);
        let violated =
            || brute::reachable(&program).iter().filter_map(|s| brute::goal(&program, s)).any(|g| goals.contains(&g));
        assert!(!right || !violated(), "a wrong verdict");
        accepted[kind] += usize::from(right);
        if let Ok(Confirmed { evidence, length, .. }) = got {
            assert_eq!((evidence, length), (EvidenceKind::Projection, set.len() as u64));
        }
    }
    assert!(accepted.iter().all(|&n| n > 250), "too few were good: {accepted:?}");
}

#[test]
fn each_damage_to_a_projection_is_named() {
    let p = brute::program(2, vec![brute::clock("Four", 4, &[0]), brute::clock("Six", 6, &[1]), brute::marker()]);
    let all: Vec<usize> = vec![0, 1, 2];
    let states: BTreeSet<Joint> = brute::reachable(&p);
    assert!(check(&p, &claim(&all, &states, &BOTH)).is_ok());
    rejected(check(&p, &claim(&[0, 2, 1], &states, &BOTH)), "not an ascending list");
    rejected(check(&p, &claim(&[0, 1, 3], &states, &BOTH)), "not an ascending list");
    rejected(check(&p, &claim(&[0, 1], &states, &BOTH)), "not kept and has a bad state");
    rejected(check(&p, &claim(&[0, 1], &states, &BOTH[1..])), "not a state of the program");
    let first = BTreeSet::from([vec![0, 0, 0]]);
    rejected(check(&p, &claim(&all, &first, &BOTH)), "not closed");
    rejected(check(&p, &claim(&all, &BTreeSet::new(), &BOTH)), "initial state");
    let mut bad = states.clone();
    bad.insert(vec![0, 0, 1]);
    rejected(check(&p, &claim(&all, &bad, &BOTH)), "bad local state");
    assert!(check(&p, &claim(&all, &bad, &BOTH[1..])).is_ok(), "a bad state is no plain deadlock");
    let turns = vec![brute::local("s", 2, &[0], &[], &[(0, &[1])]), brute::local("t", 2, &[1], &[], &[])];
    let one = brute::program(2, vec![brute::thread("Turns", &[0], turns), brute::marker()]);
    let pairs = BTreeSet::from([vec![0], vec![1]]);
    rejected(check(&one, &claim(&[1], &pairs, &BOTH[1..])), "no event is sure to be enabled");
}
