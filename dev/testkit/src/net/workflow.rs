//! Workflow nets as process mining discovers them.
//!
//! They are made from random process trees, as the inductive miner makes them (Leemans, Fahland and van der Aalst,
//! "Discovering block-structured process models from event logs", PETRI NETS 2013): sequences, choices, parallel
//! branches and loops. Such a net is sound. With other arcs, it may be unsound.

use crate::Random;
use model::{Net, Place, PlaceId, Range, Transition};

/// A workflow net that is being made.
struct Workflow {
    places: usize,
    arcs: Vec<(Vec<usize>, Vec<usize>)>,
}

impl Workflow {
    fn place(&mut self) -> usize {
        self.places += 1;
        self.places - 1
    }

    fn step(&mut self, from: &[usize], to: &[usize]) {
        self.arcs.push((from.to_vec(), to.to_vec()));
    }

    /// Adds a random process with about this many activities between two places.
    fn process(&mut self, random: &mut Random, from: usize, to: usize, size: usize) {
        let mut open = vec![(from, to, size)];
        while let Some((from, to, size)) = open.pop() {
            if size <= 1 {
                self.step(&[from], &[to]);
                continue;
            }
            let (left, right) = (random.between(1, size - 1), size);
            let right = right - left;
            match random.below(4) {
                0 => {
                    let between = self.place();
                    open.extend([(from, between, left), (between, to, right)]);
                }
                1 => open.extend([(from, to, left), (from, to, right)]),
                2 => {
                    let [a, b, c, d] = [self.place(), self.place(), self.place(), self.place()];
                    self.step(&[from], &[a, c]);
                    self.step(&[b, d], &[to]);
                    open.extend([(a, b, left), (c, d, right)]);
                }
                _ => {
                    let [a, b] = [self.place(), self.place()];
                    self.step(&[from], &[a]);
                    self.step(&[b], &[to]);
                    open.extend([(a, b, left), (b, a, right)]);
                }
            }
        }
    }

    fn net(&self, first: usize) -> Net {
        let place = |p| Place { name: format!("p{p}"), initial: Range::exactly(u8::from(p == first)) };
        let side = |list: &[usize]| list.iter().map(|p| (PlaceId::new(*p), 1u8.into())).collect::<Vec<_>>();
        let step = |(t, (from, to)): (usize, &(Vec<usize>, Vec<usize>))| {
            Transition::from_arcs(format!("t{t}"), &side(from), &side(to))
        };
        let steps = self.arcs.iter().enumerate().map(step).collect();
        Net::new((0..self.places).map(place).collect(), steps).expect("a net")
    }
}

/// Returns a workflow net with about this many activities, from place 0 to place 1. If it is not `plain`, one or two
/// arcs were added. The cost is linear in the number of activities.
///
/// # Panics
/// Never: the net is valid.
#[must_use]
pub fn workflow(random: &mut Random, size: usize, plain: bool) -> Net {
    let mut workflow = Workflow { places: 2, arcs: Vec::new() };
    workflow.process(random, 0, 1, size);
    if !plain {
        for _ in 0..random.between(1, 2) {
            let (t, inner) = (random.below(workflow.arcs.len()), workflow.places.saturating_sub(2));
            if inner > 0 {
                let p = 2 + random.below(inner);
                let (from, to) = &mut workflow.arcs[t];
                let side = if random.below(2) == 0 { from } else { to };
                if !side.contains(&p) {
                    side.push(p);
                }
            }
        }
    }
    workflow.net(0)
}
