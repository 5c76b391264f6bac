//! This crate's own stepper of nets, straight from their definition, exact at any size.
//!
//! A transition is enabled iff every guard's range contains the tokens of its place. Firing makes each effect's place hold
//! the sum of the old tokens of its sources plus a constant; all effects read the old marking.

use super::replay::Stepper;
use crate::{Check, reject};
use model::{Net, Transition};
use num_bigint::{BigUint, Sign};

pub(crate) struct NetStepper<'a> {
    net: &'a Net,
}

impl<'a> NetStepper<'a> {
    pub(crate) fn new(net: &'a Net) -> Self {
        Self { net }
    }
}

impl Stepper for NetStepper<'_> {
    /// Open places start with the tokens of `extra` beyond their least count, within their range; others as the net says.
    fn start(&self, extra: &[u32]) -> Check<Vec<BigUint>> {
        let mut extra = extra.iter();
        let mut marking = Vec::with_capacity(self.net.places().len());
        for place in self.net.places() {
            let mut tokens = place.initial.at_least.clone();
            if place.initial.at_most.as_ref() != Some(&tokens) {
                let Some(&more) = extra.next() else { return reject("the start of the trace is too short") };
                tokens += more;
                if !place.initial.contains(&tokens) {
                    let name = &place.name;
                    return reject(format!("the trace starts with {tokens} tokens in `{name}`, which is not initial"));
                }
            }
            marking.push(tokens);
        }
        if extra.next().is_some() { reject("the start of the trace is too long") } else { Ok(marking) }
    }

    fn transitions(&self) -> usize {
        self.net.transitions().len()
    }

    fn name(&self, t: usize) -> String {
        self.net.transitions()[t].name.clone()
    }

    fn cost(&self, t: usize) -> u64 {
        let transition = &self.net.transitions()[t];
        let sources: usize = transition.effects.iter().map(|e| e.sources.len()).sum();
        (1 + transition.guards.len() + sources) as u64
    }

    fn adds_constants(&self, t: usize) -> bool {
        adds_constants(&self.net.transitions()[t])
    }

    fn changed(&self, t: usize, out: &mut Vec<usize>) {
        out.extend(self.net.transitions()[t].effects.iter().map(|e| e.place.index()));
    }

    fn is_enabled(&self, t: usize, marking: &[BigUint]) -> bool {
        self.net.transitions()[t].guards.iter().all(|g| g.range.contains(&marking[g.place.index()]))
    }

    fn fire(&self, t: usize, choice: Option<&[u32]>, marking: &mut [BigUint]) -> Result<(), String> {
        let transition = &self.net.transitions()[t];
        if choice.is_some() {
            return Err("a net leaves no choice that could be recorded".to_owned());
        }
        if let Some(guard) = transition.guards.iter().find(|g| !g.range.contains(&marking[g.place.index()])) {
            let place = guard.place.index();
            return Err(format!(
                "it is not enabled with {} tokens in `{}`",
                marking[place],
                self.net.places()[place].name
            ));
        }
        if adds_constants(transition) {
            // Each effect reads its own place only, so that the order does not matter.
            for effect in &transition.effects {
                add(&mut marking[effect.place.index()], &effect.add)?;
            }
            return Ok(());
        }
        let mut new = Vec::with_capacity(transition.effects.len());
        for effect in &transition.effects {
            let mut tokens: BigUint = effect.sources.iter().map(|p| &marking[p.index()]).sum();
            add(&mut tokens, &effect.add)?;
            new.push(tokens);
        }
        for (effect, tokens) in transition.effects.iter().zip(new) {
            marking[effect.place.index()] = tokens;
        }
        Ok(())
    }
}

/// Are all its effects plain arcs?
fn adds_constants(transition: &Transition) -> bool {
    transition.effects.iter().all(|e| e.delta().is_some())
}

fn add(tokens: &mut BigUint, delta: &num_bigint::BigInt) -> Result<(), String> {
    match delta.sign() {
        Sign::NoSign => {}
        Sign::Plus => *tokens += delta.magnitude(),
        Sign::Minus if *tokens < *delta.magnitude() => return Err("it takes more tokens than there are".to_owned()),
        Sign::Minus => *tokens -= delta.magnitude(),
    }
    Ok(())
}
