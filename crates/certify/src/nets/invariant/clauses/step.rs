//! The formula "a step breaks a clause".
//!
//! The clauses and the earlier invariants hold before the step. One transition fires: there is a variable for
//! each, exactly one variable is true, and the guards of this transition hold. Transitions that change no place
//! of the clauses need no variable, because they leave everything unchanged that the clauses mention. After the
//! step:
//! * A place that the transition leaves unchanged has its old thresholds. For each place there is a variable
//!   that it is *moved*. It requires that one of the transitions that change the place fires.
//! * A changed place holds a sum of old contents plus a constant. It holds at least k tokens iff the sum is at
//!   least k minus the constant. Threads that pick their target ([`Scatter`]) are addends of their own. The
//!   number of threads that arrive in one place from another is arbitrary. But the total of the arrivals, over
//!   the targets that the clauses mention, is at most the number of threads that pick. If the clauses mention
//!   all targets, the total equals this number.
//!
//! The earlier invariants hold after the step as well.
//! 1. Every real step that breaks a clause gives a model. Proof: take the thresholds, the transition, *moved*
//!    for the places that it changes, and the arrivals (none for other transitions).

use super::marking::Marking;
use super::paper::Leaf;
use super::paper::Paper;
use super::room::{self, Balance};
use super::{literals, thresholds};
use crate::Check;
use kernel::Work;
use kernel::net::rules::Scatter;
use model::cnf::Cnf;
use model::{Clausal, PlaceId};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, ToPrimitive};
use std::collections::BTreeMap;

/// Largest number for which the total of the arrivals is compared with the number of threads that pick.
const MANY: u64 = 1 << 8;

pub(super) fn formula(mut paper: Paper<'_, '_>, clausal: &Clausal, work: &mut Work<'_>) -> Check<Cnf> {
    let mut before = Marking::default();
    let bits_before = literals(clausal, &mut before, &mut paper, work)?;
    paper.writer.all_hold(&clausal.clauses, |bit| bits_before[bit], work)?;
    let mut step = Firing { asked: BTreeMap::new(), before, after: Marking::default(), arrivals: 0 };
    let mut bits = Vec::new();
    for (leaf, tokens) in thresholds(clausal) {
        let literal = step.after.literal(leaf, tokens, &mut paper, work)?;
        step.asked.entry(leaf).or_default().push((tokens.clone(), literal));
        bits.push(literal);
    }
    step.fires(&mut paper, work)?;
    let Firing { mut before, mut after, .. } = step;
    before.know(true, &mut paper, work)?;
    before.order(&mut paper, work)?;
    after.know(false, &mut paper, work)?;
    after.order(&mut paper, work)?;
    paper.writer.some_is_broken(&clausal.clauses, |bit| bits[bit], work)?;
    Ok(paper.writer.finish())
}

struct Firing {
    /// For each place of the clauses, and for the room of a bound: the thresholds with their literals after the
    /// step.
    asked: BTreeMap<Leaf, Vec<(BigUint, i32)>>,
    before: Marking,
    after: Marking,
    /// Number of kinds of arrivals so far.
    arrivals: u32,
}

impl Firing {
    /// Adds that exactly one transition fires among those that change something, and that it changes places as
    /// its effects say.
    fn fires(&mut self, paper: &mut Paper<'_, '_>, work: &mut Work<'_>) -> Check<()> {
        let mut near: Vec<u32> = Vec::new();
        let known = paper.known;
        let balances = match (known.within, self.asked.contains_key(&Leaf::Room)) {
            (Some(within), true) => room::balances(known, within, work)?,
            _ => BTreeMap::new(),
        };
        for leaf in self.asked.keys() {
            let Leaf::Place(place) = leaf else { continue };
            let changers = &known.changers[*place as usize];
            work.spend(1 + changers.len() as u64)?;
            near.extend(changers.iter().filter(|t| known.can_fire[**t as usize]));
        }
        near.extend(balances.keys());
        near.sort_unstable();
        near.dedup();
        let fires = paper.writer.variables(near.len(), work)?;
        paper.writer.at_most_one(&fires, work)?;
        paper.writer.add(fires.iter().copied(), work)?;
        let mut movers: BTreeMap<Leaf, Vec<i32>> = BTreeMap::new();
        for (&t, &fires) in near.iter().zip(&fires) {
            self.transition(t as usize, fires, &mut movers, paper, work)?;
            if let Some(balance) = balances.get(&t) {
                movers.entry(Leaf::Room).or_default().push(fires);
                self.room(balance, fires, paper, work)?;
            }
        }
        for (&leaf, thresholds) in &self.asked {
            let moved = paper.writer.variable(work)?;
            let movers = movers.remove(&leaf).unwrap_or_default();
            paper.writer.add(std::iter::once(-moved).chain(movers), work)?;
            for (tokens, after) in thresholds {
                let before = self.before.literal(leaf, tokens, paper, work)?;
                paper.writer.add([moved, -before, *after], work)?;
                paper.writer.add([moved, before, -after], work)?;
            }
        }
        Ok(())
    }

    /// Adds that if the transition fires, its guards hold and the places that it changes hold what its effects
    /// say. `movers` collects, for each place, the transitions that change it.
    fn transition(
        &mut self,
        t: usize,
        fires: i32,
        movers: &mut BTreeMap<Leaf, Vec<i32>>,
        paper: &mut Paper<'_, '_>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        let known = paper.known;
        for guard in &known.rules.transitions[t].guards {
            let leaf = Leaf::Place(guard.place.0);
            let least = self.before.literal(leaf, &guard.range.at_least, paper, work)?;
            paper.writer.add([-fires, least], work)?;
            if let Some(most) = &guard.range.at_most {
                let more = self.before.literal(leaf, &(most + 1u8), paper, work)?;
                paper.writer.add([-fires, -more], work)?;
            }
        }
        let mut arriving: BTreeMap<PlaceId, Vec<Leaf>> = BTreeMap::new();
        for scatter in known.rules.scatters_of(t) {
            self.scatter(scatter, fires, &mut arriving, paper, work)?;
        }
        for change in &known.firings[t].changes {
            work.spend(1)?;
            let place = PlaceId(change.place);
            let Some(thresholds) = self.asked.get(&Leaf::Place(place.0)) else { continue };
            movers.entry(Leaf::Place(place.0)).or_default().push(fires);
            let effect = known.rules.transitions[t].effect(place);
            let itself = [place];
            let (sources, add) = effect.map_or((&itself[..], BigInt::ZERO), |e| (&e.sources[..], e.add.clone()));
            let mut addends: Vec<(Leaf, u64)> = Vec::with_capacity(sources.len());
            for source in sources.iter().map(|p| Leaf::Place(p.0)) {
                match addends.last_mut() {
                    Some((last, times)) if *last == source => *times += 1,
                    _ => addends.push((source, 1)),
                }
            }
            addends.extend(arriving.remove(&place).unwrap_or_default().into_iter().map(|leaf| (leaf, 1)));
            for (tokens, after) in thresholds {
                let before = self.before.sum(&addends, &(BigInt::from(tokens.clone()) - &add), paper, work)?;
                paper.writer.add([-fires, -before, *after], work)?;
                paper.writer.add([-fires, before, -after], work)?;
            }
        }
        Ok(())
    }

    /// Adds that if the transition fires, the room of the bound changes with the tokens and does not become
    /// negative.
    fn room(&mut self, balance: &Balance, fires: i32, paper: &mut Paper<'_, '_>, work: &mut Work<'_>) -> Check<()> {
        let Balance::Less { gone, add } = balance else { return Ok(()) };
        let here: Vec<(Leaf, u64)> = gone.iter().copied().chain([(Leaf::Room, 1)]).collect();
        if add.is_positive() {
            let enough = self.before.sum(&here, add, paper, work)?;
            paper.writer.add([-fires, enough], work)?;
        }
        let Some(thresholds) = self.asked.get(&Leaf::Room) else { return Ok(()) };
        for (tokens, after) in thresholds {
            let before = self.before.sum(&here, &(BigInt::from(tokens.clone()) + add), paper, work)?;
            paper.writer.add([-fires, -before, *after], work)?;
            paper.writer.add([-fires, before, -after], work)?;
        }
        Ok(())
    }

    /// Adds the threads that pick: an addend for each target that the clauses mention.
    fn scatter(
        &mut self,
        scatter: &Scatter,
        fires: i32,
        arriving: &mut BTreeMap<PlaceId, Vec<Leaf>>,
        paper: &mut Paper<'_, '_>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        let mut all: Vec<(Leaf, u64)> = Vec::new();
        let mut most = 0u64;
        for target in &scatter.targets {
            work.spend(1)?;
            let Some(thresholds) = self.asked.get(&Leaf::Place(target.0)) else { continue };
            let leaf = Leaf::Arrivals(self.arrivals);
            self.arrivals += 1;
            all.push((leaf, 1));
            arriving.entry(*target).or_default().push(leaf);
            let highest = thresholds.iter().map(|(tokens, _)| tokens.to_u64().unwrap_or(u64::MAX)).max();
            most = most.saturating_add(highest.unwrap_or_default());
        }
        let source = Leaf::Place(scatter.source.0);
        let everything = all.len() == scatter.targets.len();
        // If the active thread is one of the threads in the source place, it does not pick.
        let active = u8::from(scatter.but_one);
        for count in 1..=most.min(MANY) {
            let arrive = self.before.sum(&all, &BigInt::from(count), paper, work)?;
            let pick = self.before.literal(source, &(BigUint::from(count) + active), paper, work)?;
            paper.writer.add([-fires, -arrive, pick], work)?;
            if everything {
                paper.writer.add([-fires, arrive, -pick], work)?;
            }
        }
        Ok(())
    }
}
