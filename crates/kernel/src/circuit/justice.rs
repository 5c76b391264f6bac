//! Clauses of a translated circuit, as evidence that no run violates a justice property.
//!
//! The kernel builds the translated circuit from the circuit as read. `crates/model/src/circuit/justice.rs` lists its
//! nodes. The clauses are then checked as for any circuit ([`super::clauses`]), with the justice property as the name
//! of the output.
//!
//! A *violating run* is an infinite sequence of frames in each of which all constraints are true, and in which each of
//! the signals s(0), s(1), .. is true infinitely often. The new nodes do not occur in the next functions of the
//! circuit as read, in its gates, or in its constraints. So each finite prefix of a violating run is a run of the
//! translated circuit, whatever the values of the input `save`.
//!
//! 1. *Loop.* If there is a violating run, the output of the translated circuit can be true. Proof: the compared
//!    latches have finitely many joint values, so in some frame i they have values that they have again in infinitely
//!    many frames. Let n > i be a frame before which each s was true in some frame from i on. Let t be a frame from n
//!    on in which the compared latches have the values of frame i. Let `save` be true in frame i only. Then `saved`
//!    is true from frame i + 1 on, and c(l) has the value of l in frame i. m(s) is true from the frame after the first
//!    one from i on in which s is true, so m(s) is true in frame t for each s. So the output is true in frame t, and
//!    all constraints are true up to this frame.
//! 2. *Count.* If there is a violating run, the output of the translated circuit can be true, for each k. Proof: if
//!    there are at least two s, m(s) is true iff s was true in an earlier frame and `all` has not been true since. As
//!    each s is true again and again, `all` is true again and again. With one s this is so because `all` is s, and
//!    with none because `all` is true. p(i) is true after `all` was true in i frames. So the output is true when `all`
//!    is true for the time k + 1.
//! 3. If the clauses hold in every frame of every run of the translated circuit and exclude its output, no run
//!    violates the justice property. Proof: by claims 1 and 2, a violating run has a prefix that is a run of the
//!    translated circuit, with its output true in the last frame.
//!
//! Claim 1 holds for any choice of the compared latches. The choice matters for the converse, which nothing here needs:
//! if the output is true, a violating run exists.

use super::check;
use super::clauses::Encoding;
use crate::work::Work;
use crate::{Check, Obligations, reject};
use model::{Circuit, Gate, Goal, JusticeId, JusticeProof, Latch, LatchId, Reset, Signal, Translation};

/// Checks that the clauses of the translated circuit hold in each of its frames and exclude the justice property.
///
/// # Errors
/// If they do not, if the proof is about another goal, or if a resource limit is exceeded.
pub fn check_proof(
    circuit: &Circuit,
    proof: &JusticeProof,
    goals: &[Goal],
    obligation: &mut Obligations<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    let [goal @ Goal::Justice(justice)] = *goals else {
        return reject("a proof by a translation has one goal, a justice property");
    };
    let translated = translated(circuit, justice, proof.translation, work)?;
    let encoding = Encoding::new(&translated, work)?.standing_for(goal);
    crate::clauses::check(&encoding, &proof.clauses, goals, obligation, work)
}

/// Returns the translated circuit, with one output.
///
/// # Errors
/// If the circuit has no such property, if it is malformed, or if a resource limit is exceeded.
pub fn translated(
    circuit: &Circuit,
    justice: JusticeId,
    translation: Translation,
    work: &mut Work<'_>,
) -> Check<Circuit> {
    check(circuit)?;
    if justice.index() >= circuit.justices().len() {
        return reject("there is no such justice property");
    }
    if let Translation::Count(most) = translation
        && most > Translation::MOST
    {
        return reject("the proof counts further than the checker allows");
    }
    let signals = circuit.recurring(justice);
    let (nodes, latches) = match translation {
        Translation::Loop => (8 * circuit.latches().len() + 4 * signals.len() + 4, circuit.latches().len() + 1),
        Translation::Count(most) => (4 * signals.len() + 3 * most as usize + 1, most as usize),
    };
    let nodes = circuit.gates().len() + nodes;
    let latches = circuit.latches().len() + latches + signals.len();
    // Signals are numbers of 32 bits with a bit for the sign.
    if nodes >= 1 << 30 {
        return reject("the translated circuit is too large");
    }
    work.spend(nodes as u64)?;
    work.grow(nodes * size_of::<Gate>() + latches * size_of::<Latch>())?;
    let mut extended = Extended { circuit: copy(circuit) };
    match translation {
        Translation::Loop => extended.search_loop(&circuit.cone_latches(signals.iter().copied()), &signals),
        Translation::Count(most) => extended.count(most, &signals),
    }
    Ok(extended.circuit)
}

/// Returns the nodes, latches and constraints of the circuit.
fn copy(circuit: &Circuit) -> Circuit {
    let mut copy = Circuit::default();
    for gate in circuit.gates() {
        match *gate {
            Gate::False => {}
            Gate::Input(_) => {
                copy.input(None);
            }
            Gate::Latch(latch) => {
                copy.latch(circuit.latches()[latch.index()].reset, None);
            }
            Gate::And(a, b) => {
                copy.and(a, b);
            }
        }
    }
    for (id, latch) in circuit.latches().iter().enumerate() {
        copy.set_next(LatchId::new(id), latch.next.expect("every latch has one: this was checked"));
    }
    circuit.constraints().iter().for_each(|&signal| copy.constrain(signal));
    assert_eq!(copy.gates(), circuit.gates(), "nodes keep their numbers");
    copy
}

/// The copy of a circuit, with the nodes of the translation added so far.
struct Extended {
    circuit: Circuit,
}

impl Extended {
    fn and(&mut self, a: Signal, b: Signal) -> Signal {
        self.circuit.and(a, b)
    }

    fn or(&mut self, a: Signal, b: Signal) -> Signal {
        !self.circuit.and(!a, !b)
    }

    /// Adds a latch that starts with 0.
    fn latch(&mut self) -> (LatchId, Signal) {
        let id = self.circuit.latch(Reset::Zero, None);
        (id, self.of(id))
    }

    fn of(&self, latch: LatchId) -> Signal {
        self.circuit.latches()[latch.index()].signal
    }

    /// Adds an output that is true if the values of the latches `compared` were saved in an earlier frame and are
    /// the same again, and each of the signals was true in some frame from that one on, before this one.
    fn search_loop(&mut self, compared: &[LatchId], signals: &[Signal]) {
        let save = self.circuit.input(None);
        let (saved_latch, saved) = self.latch();
        let copies: Vec<_> = compared.iter().map(|_| self.latch()).collect();
        let seen: Vec<_> = signals.iter().map(|_| self.latch()).collect();
        let inside = self.or(saved, save);
        self.circuit.set_next(saved_latch, inside);
        let saving = self.and(save, !saved);
        let mut parts = vec![saved];
        for (&latch, &(id, copy)) in compared.iter().zip(&copies) {
            let now = self.of(latch);
            let (taken, kept) = (self.and(saving, now), self.and(!saving, copy));
            let next = self.or(taken, kept);
            self.circuit.set_next(id, next);
            let (more, less) = (self.and(now, !copy), self.and(!now, copy));
            parts.push(self.and(!more, !less));
        }
        for (&signal, &(id, seen)) in signals.iter().zip(&seen) {
            let met = self.or(seen, signal);
            let next = self.and(inside, met);
            self.circuit.set_next(id, next);
            parts.push(seen);
        }
        let output = self.conjunction(&parts);
        self.circuit.output(output, None);
    }

    /// Adds an output that is true if all signals were true, one after another, `most` times, and now again.
    fn count(&mut self, most: u32, signals: &[Signal]) {
        let folded = if signals.len() > 1 { signals } else { &[] };
        let seen: Vec<_> = folded.iter().map(|_| self.latch()).collect();
        let counters: Vec<_> = (0..most).map(|_| self.latch()).collect();
        let met: Vec<Signal> = folded.iter().zip(&seen).map(|(&signal, &(_, seen))| self.or(seen, signal)).collect();
        let all = if folded.is_empty() { self.conjunction(signals) } else { self.conjunction(&met) };
        for (&(id, _), met) in seen.iter().zip(met) {
            let next = self.and(met, !all);
            self.circuit.set_next(id, next);
        }
        let mut before = None;
        for &(id, counter) in &counters {
            let again = before.map_or(all, |before| self.and(before, all));
            let next = self.or(counter, again);
            self.circuit.set_next(id, next);
            before = Some(counter);
        }
        let output = before.map_or(all, |last| self.and(last, all));
        self.circuit.output(output, None);
    }

    /// Returns the conjunction, by a gate for each signal after the first.
    fn conjunction(&mut self, signals: &[Signal]) -> Signal {
        let Some((&first, rest)) = signals.split_first() else { return Signal::TRUE };
        rest.iter().fold(first, |all, &signal| self.and(all, signal))
    }
}
