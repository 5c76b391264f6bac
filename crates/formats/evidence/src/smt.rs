//! Writer for invariants of nets as SMT-LIB, so that any solver for linear integer arithmetic can check them
//! independently.
//!
//! There are three kinds of obligations. Each obligation stands between `(push)` and `(pop)`, and is `unsat` if
//! the claim is right. It describes:
//!
//! 1. an initial marking that violates an invariant;
//! 2. a step from a marking in which all invariants hold to one that violates an invariant;
//! 3. for each goal, a marking in which all invariants hold and that satisfies the goal.
//!
//! Place i has `pi` tokens before the step and `qi` after it; `t` is the transition. If threads choose a target,
//! `s7.2.4` is the number of threads that go from place 2 to place 4 under transition 7.
//!
//! A concurrency relation also implies that certain places are never marked, because each transition that could
//! mark them requires a token on a never marked place, or tokens that the relation does not allow together. For
//! nets, the obligations state which places these are. Their computation does not use how few tokens a transfer
//! moves, so it may miss a place. For thread-transition systems, the obligations do not state these places. In
//! both cases a solver may find a step that the checker can exclude.

use model::{
    Act, Bit, Certificate, Claim, Clausal, ConcurrencyRelation, Formula, Goal, InvariantCertificate, Linear, Marked,
    Net, NetInvariant, Node, PlaceId, Problem, Range, ThreadTransition, ThreadTransitionSystem,
};
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::Zero;
use std::fmt::Write as _;
use std::io::{self, Write};

/// The largest number of bytes that are written.
const LIMIT: usize = 20 << 20;

/// Writes the obligations of a claim that rests on invariants.
///
/// # Errors
/// Errors of `out`; another kind of claim; and obligations of more than 20 MB, of which nothing is written.
pub fn write(problem: &Problem, claim: &Claim, out: &mut dyn Write) -> io::Result<()> {
    let Claim::Safe { goals, certificate: Certificate::Invariant(invariant) } = claim else {
        return Err(invalid("only invariants of nets have obligations"));
    };
    let mut text = Text(String::new());
    match problem.system().as_marked() {
        Some(Marked::Net(net)) => obligations(problem, goals, invariant, &OfNet(net), &mut text)?,
        Some(Marked::Threads(system)) => obligations(problem, goals, invariant, &OfThreads(system), &mut text)?,
        None => return Err(invalid("programs and circuits have no markings")),
    }
    out.write_all(text.0.as_bytes())
}

fn invalid(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

struct Text(String);

impl Text {
    fn line(&mut self, line: &str) -> io::Result<()> {
        if self.0.len() + line.len() > LIMIT {
            return Err(invalid("more than 20 MB of obligations"));
        }
        self.0.push_str(line);
        self.0.push('\n');
        Ok(())
    }

    fn assert(&mut self, formula: &str) -> io::Result<()> {
        self.line(&format!("(assert {formula})"))
    }
}

/// A transition as formulas: its conditions, the additional constants, and the new counts of the places that it
/// changes.
struct TransitionTerms {
    needs: Vec<String>,
    constants: Vec<String>,
    changes: Vec<(usize, String)>,
}

trait System {
    fn initial(&self) -> Vec<Range>;
    fn transitions(&self) -> usize;
    fn step(&self, t: usize) -> TransitionTerms;

    /// Returns the places that are never marked, given a relation ([`NetInvariant::ConcurrencyRelation`]).
    fn never_marked(&self, pairs: &ConcurrencyRelation) -> Vec<usize>;
}

fn obligations(
    problem: &Problem,
    goals: &[Goal],
    invariant: &InvariantCertificate,
    system: &dyn System,
    text: &mut Text,
) -> io::Result<()> {
    let initial = system.initial();
    let known = |p: PlaceId| p.index() < initial.len();
    if !invariant.invariants.iter().all(|i| places(i).into_iter().all(known)) {
        return Err(invalid("an invariant about places that the system does not have"));
    }
    let of_pairs = |i: &NetInvariant| {
        if let NetInvariant::ConcurrencyRelation(pairs) = i { system.never_marked(pairs) } else { Vec::new() }
    };
    let empty: Vec<usize> = invariant.invariants.iter().flat_map(of_pairs).collect();
    text.line("(set-logic QF_LIA)")?;
    for p in 0..initial.len() {
        text.line(&format!("(declare-const p{p} Int)\n(assert (>= p{p} 0))"))?;
    }
    text.line("; an initial marking that breaks an invariant\n(push 1)")?;
    for (p, range) in initial.iter().enumerate() {
        text.assert(&within(p, range))?;
    }
    text.assert(&format!("(not {})", invariants(invariant, &empty, 'p')?))?;
    text.line("(check-sat) ; unsat\n(pop 1)")?;
    text.assert(&invariants(invariant, &empty, 'p')?)?;
    text.line("; a step that breaks an invariant\n(push 1)\n(declare-const t Int)")?;
    text.assert(&format!("(and (<= 0 t) (< t {}))", system.transitions()))?;
    let mut changers: Vec<Vec<usize>> = vec![Vec::new(); initial.len()];
    for p in 0..initial.len() {
        text.line(&format!("(declare-const q{p} Int)"))?;
    }
    for t in 0..system.transitions() {
        let step = system.step(t);
        for constant in &step.constants {
            text.line(&format!("(declare-const {constant} Int)\n(assert (>= {constant} 0))"))?;
        }
        let mut holds = step.needs;
        for (p, value) in step.changes {
            changers[p].push(t);
            holds.push(format!("(= q{p} {value})"));
        }
        text.assert(&format!("(=> (= t {t}) {})", joined("and", &holds, "true")))?;
    }
    for (p, changers) in changers.iter().enumerate() {
        let mut ways = vec![format!("(= q{p} p{p})")];
        ways.extend(changers.iter().map(|t| format!("(= t {t})")));
        text.assert(&joined("or", &ways, "false"))?;
    }
    text.assert(&format!("(not {})", invariants(invariant, &empty, 'q')?))?;
    text.line("(check-sat) ; unsat\n(pop 1)")?;
    for goal in goals {
        let dead;
        let formula: &Formula = match goal {
            Goal::Formula(id) => problem.formulas().get(id.index()).ok_or_else(|| invalid("an unknown goal"))?,
            _ => {
                dead = model::deadlock(problem.system()).ok_or_else(|| invalid("programs have no markings"))?;
                &dead
            }
        };
        text.line(&format!("; a marking of the goal {goal}\n(push 1)"))?;
        goal_holds(formula, text)?;
        text.line("(check-sat) ; unsat\n(pop 1)")?;
    }
    Ok(())
}

fn place_of(bit: &Bit) -> Option<PlaceId> {
    match bit {
        Bit::AtLeast(place, _) => Some(*place),
        Bit::Latch(_) | Bit::Node(_) | Bit::In(..) | Bit::Room(_) => None,
    }
}

/// Returns a literal of a clause. A literal that is not about the tokens of a place becomes false.
fn literal(clausal: &Clausal, lit: i32, when: char) -> String {
    match clausal.bits.get(lit.unsigned_abs() as usize - 1) {
        Some(Bit::AtLeast(p, n)) if lit > 0 => format!("(>= {when}{} {n})", p.0),
        Some(Bit::AtLeast(p, n)) => format!("(< {when}{} {n})", p.0),
        _ => "false".to_owned(),
    }
}

fn places(invariant: &NetInvariant) -> Vec<PlaceId> {
    match invariant {
        NetInvariant::PotentiallyMarked(places) => places.len().checked_sub(1).map(PlaceId::new).into_iter().collect(),
        NetInvariant::ConcurrencyRelation(pairs) => pairs.places().to_vec(),
        NetInvariant::AtMost(bound) => bound.terms.iter().map(|(p, _)| *p).collect(),
        NetInvariant::SomeMarked(places) => places.clone(),
        NetInvariant::NeverCovered(vectors) => vectors.iter().flatten().map(|(p, _)| *p).collect(),
        NetInvariant::Clauses(clausal) => clausal.bits.iter().filter_map(place_of).collect(),
    }
}

/// Writes a definition for each node, so that shared parts are written once, and asserts the root.
fn goal_holds(formula: &Formula, text: &mut Text) -> io::Result<()> {
    for (number, node) in formula.nodes().iter().enumerate() {
        let named = |parts: &[model::NodeId]| parts.iter().map(|p| format!("n{}", p.index())).collect::<Vec<_>>();
        let value = match node {
            Node::All(parts) => joined("and", &named(parts), "true"),
            Node::Any(parts) => joined("or", &named(parts), "false"),
            Node::AtLeast(Linear { terms, at_least }) => {
                format!("(>= {} {})", sum(terms, 'p'), integer(at_least))
            }
        };
        text.line(&format!("(define-fun n{number} () Bool {value})"))?;
    }
    text.assert(&format!("n{}", formula.nodes().len() - 1))
}

fn joined(operator: &str, parts: &[String], none: &str) -> String {
    match parts {
        [] => none.to_owned(),
        [one] => one.clone(),
        _ => format!("({operator} {})", parts.join(" ")),
    }
}

fn integer(n: &BigInt) -> String {
    if n.sign() == Sign::Minus { format!("(- {})", n.magnitude()) } else { n.to_string() }
}

fn sum(terms: &[(PlaceId, BigInt)], when: char) -> String {
    let terms: Vec<String> = terms.iter().map(|(p, c)| format!("(* {} {when}{})", integer(c), p.0)).collect();
    joined("+", &terms, "0")
}

fn within(place: usize, range: &Range) -> String {
    let least = format!("(>= p{place} {})", range.at_least);
    match &range.at_most {
        Some(most) => format!("(and {least} (<= p{place} {most}))"),
        None => least,
    }
}

/// Returns the conjunction of all invariants, before the step (`p`) or after it (`q`).
fn invariants(invariant: &InvariantCertificate, empty: &[usize], when: char) -> io::Result<String> {
    let mut all = String::from("(and true");
    for place in empty {
        let _ = write!(all, "\n(<= {when}{place} 0)");
    }
    for net_invariant in &invariant.invariants {
        match net_invariant {
            NetInvariant::PotentiallyMarked(marked) => {
                for (place, _) in marked.iter().enumerate().filter(|(_, can_be)| !**can_be) {
                    let _ = write!(all, "\n(<= {when}{place} 0)");
                }
            }
            NetInvariant::ConcurrencyRelation(pairs) => write_pairs(pairs, when, &mut all)?,
            NetInvariant::AtMost(bound) => {
                let _ = write!(all, "\n(<= {} {})", sum(&bound.terms, when), integer(&bound.at_most));
            }
            NetInvariant::SomeMarked(places) => {
                let some: Vec<String> = places.iter().map(|p| format!("(>= {when}{} 1)", p.0)).collect();
                let _ = write!(all, "\n{}", joined("or", &some, "false"));
            }
            NetInvariant::NeverCovered(vectors) => {
                for vector in vectors {
                    let below: Vec<String> = vector.iter().map(|(p, n)| format!("(< {when}{} {n})", p.0)).collect();
                    let _ = write!(all, "\n{}", joined("or", &below, "false"));
                }
            }
            NetInvariant::Clauses(clausal) => {
                for clause in &clausal.clauses {
                    let literals: Vec<String> = clause.iter().map(|lit| literal(clausal, *lit, when)).collect();
                    let _ = write!(all, "\n{}", joined("or", &literals, "false"));
                }
            }
        }
        if all.len() > LIMIT {
            return Err(invalid("more than 20 MB of obligations"));
        }
    }
    all.push(')');
    Ok(all)
}

/// Writes for each place which earlier places of the list must be empty if it is marked.
fn write_pairs(pairs: &ConcurrencyRelation, when: char, all: &mut String) -> io::Result<()> {
    for (a, place) in pairs.places().iter().enumerate() {
        if !pairs.allows(a, a) {
            let _ = write!(all, "\n(<= {when}{} 1)", place.0);
        }
        let others = pairs.places()[..a].iter().enumerate().filter(|(b, _)| !pairs.allows(a, *b));
        let empty: Vec<String> = others.map(|(_, other)| format!("(<= {when}{} 0)", other.0)).collect();
        if !empty.is_empty() {
            let _ = write!(all, "\n(or (<= {when}{} 0) {})", place.0, joined("and", &empty, "true"));
        }
        if all.len() > LIMIT {
            return Err(invalid("more than 20 MB of obligations"));
        }
    }
    Ok(())
}

struct OfNet<'a>(&'a Net);

impl System for OfNet<'_> {
    fn initial(&self) -> Vec<Range> {
        self.0.places().iter().map(|p| p.initial.clone()).collect()
    }

    fn transitions(&self) -> usize {
        self.0.transitions().len()
    }

    fn step(&self, t: usize) -> TransitionTerms {
        let t = &self.0.transitions()[t];
        let needs = t.guards.iter().map(|g| within(g.place.index(), &g.range)).collect();
        let value = |effect: &model::Effect| {
            let mut terms: Vec<String> = effect.sources.iter().map(|s| format!("p{}", s.0)).collect();
            if !effect.add.is_zero() || terms.is_empty() {
                terms.push(integer(&effect.add));
            }
            joined("+", &terms, "0")
        };
        let changes = t.effects.iter().map(|e| (e.place.index(), value(e))).collect();
        TransitionTerms { needs, constants: Vec::new(), changes }
    }

    /// Finds fewer places than the checker, which also uses how few tokens a transfer moves.
    fn never_marked(&self, pairs: &ConcurrencyRelation) -> Vec<usize> {
        let mut marked: Vec<bool> =
            self.0.places().iter().map(|p| p.initial.at_most.as_ref().is_none_or(|most| !most.is_zero())).collect();
        let together = |a: PlaceId, b: PlaceId| match (pairs.row_of(a), pairs.row_of(b)) {
            (Some(a), Some(b)) => pairs.allows(a, b),
            _ => true,
        };
        let mut grows = true;
        while std::mem::take(&mut grows) {
            for t in self.0.transitions() {
                let asked = || t.guards.iter().filter(|g| !g.range.at_least.is_zero());
                let allowed = |a: &model::Guard| {
                    let twice = a.range.at_least <= BigUint::from(1u8) || together(a.place, a.place);
                    twice && asked().all(|b| a.place == b.place || together(a.place, b.place))
                };
                if !asked().all(|a| marked[a.place.index()] && allowed(a)) {
                    continue;
                }
                for effect in &t.effects {
                    let gets = effect.add.sign() == Sign::Plus || effect.sources.iter().any(|s| marked[s.index()]);
                    if gets {
                        grows |= !std::mem::replace(&mut marked[effect.place.index()], true);
                    }
                }
            }
        }
        (0..marked.len()).filter(|p| !marked[*p]).collect()
    }
}

struct OfThreads<'a>(&'a ThreadTransitionSystem);

impl OfThreads<'_> {
    /// Adds the new counts of local states under a broadcast to `values`: for each place, the terms of a sum.
    fn broadcast(
        &self,
        number: usize,
        t: &ThreadTransition,
        step: &mut TransitionTerms,
        values: &mut [Option<Vec<String>>],
    ) {
        let (from, to) = (self.0.local_place(t.from.1).index(), self.0.local_place(t.to.1).index());
        // The passive threads in a place: all but the active thread.
        let others = |place: usize| if place == from { format!("(- p{place} 1)") } else { format!("p{place}") };
        let leaving: Vec<usize> = t.passive.keys().map(|x| self.0.local_place(*x).index()).collect();
        let start = |place: usize| if leaving.contains(&place) { Vec::new() } else { vec![others(place)] };
        for place in leaving.iter().copied().chain([from, to]) {
            values[place].get_or_insert_with(|| start(place));
        }
        for (x, targets) in &t.passive {
            let x = self.0.local_place(*x).index();
            let mut picked = Vec::new();
            for target in targets {
                let y = self.0.local_place(*target).index();
                let arrives = match targets.len() {
                    1 => others(x),
                    _ => {
                        let constant = format!("s{number}.{x}.{y}");
                        picked.push(constant.clone());
                        step.constants.push(constant.clone());
                        constant
                    }
                };
                values[y].get_or_insert_with(|| start(y)).push(arrives);
            }
            if !picked.is_empty() {
                step.needs.push(format!("(= {} {})", joined("+", &picked, "0"), others(x)));
            }
        }
        values[to].get_or_insert_with(|| start(to)).push("1".to_owned());
    }
}

impl System for OfThreads<'_> {
    fn initial(&self) -> Vec<Range> {
        let initial = self.0.initial();
        let mut ranges = vec![Range::exactly(0u8); self.0.places()];
        ranges[self.0.shared_place(initial.shared).index()] = Range::exactly(1u8);
        for (local, n) in &initial.threads {
            ranges[self.0.local_place(*local).index()] = Range::exactly(BigUint::clone(n));
        }
        for local in &initial.any {
            ranges[self.0.local_place(*local).index()].at_most = None;
        }
        ranges
    }

    fn transitions(&self) -> usize {
        self.0.transitions().len()
    }

    fn step(&self, number: usize) -> TransitionTerms {
        let t = &self.0.transitions()[number];
        let (s, s_after) = (self.0.shared_place(t.from.0).index(), self.0.shared_place(t.to.0).index());
        let (from, to) = (self.0.local_place(t.from.1).index(), self.0.local_place(t.to.1).index());
        let needs = vec![format!("(>= p{s} 1)"), format!("(>= p{from} 1)")];
        let mut step = TransitionTerms { needs, constants: Vec::new(), changes: Vec::new() };
        if s != s_after {
            step.changes.push((s, format!("(- p{s} 1)")));
            step.changes.push((s_after, format!("(+ p{s_after} 1)")));
        }
        let mut values: Vec<Option<Vec<String>>> = vec![None; self.0.places()];
        match t.act {
            Act::Spawn => values[to] = Some(vec![format!("p{to}"), "1".to_owned()]),
            Act::Transfer if from == to => {}
            Act::Transfer => {
                values[from] = Some(Vec::new());
                values[to] = Some(vec![format!("p{from}"), format!("p{to}")]);
            }
            Act::Move => self.broadcast(number, t, &mut step, &mut values),
        }
        let values = values.into_iter().enumerate().filter_map(|(place, terms)| Some((place, terms?)));
        step.changes.extend(values.map(|(place, terms)| (place, joined("+", &terms, "0"))));
        step
    }

    fn never_marked(&self, _pairs: &ConcurrencyRelation) -> Vec<usize> {
        Vec::new()
    }
}
