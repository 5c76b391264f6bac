//! Any [`System`] as a stepper: two 32-bit slots to a word. For systems that nobody has compiled, and for tests.

use crate::step::{Step, Successors};
use model::{Kind, System};

/// A system stepped through its own interface.
#[derive(Debug)]
pub struct Generic<S: System> {
    system: S,
    unpacked: Vec<u32>,
}

impl<S: System> Generic<S> {
    /// Makes `system` a stepper.
    pub fn new(system: S) -> Self {
        Self { system, unpacked: Vec::new() }
    }
}

fn pack(state: &[u32], out: &mut Vec<u64>) {
    out.clear();
    out.extend(state.chunks(2).map(|pair| pair.iter().rev().fold(0, |word, &slot| word << 32 | u64::from(slot))));
    if out.is_empty() {
        out.push(0);
    }
}

fn unpack(packed: &[u64], width: usize, out: &mut Vec<u32>) {
    out.clear();
    out.extend((0..width).map(|i| (packed[i / 2] >> (32 * (i % 2))) as u32));
}

impl<S: System + Send> Step for Generic<S> {
    fn words(&self) -> usize {
        self.system.width().div_ceil(2).max(1)
    }

    fn width(&self) -> usize {
        self.system.width()
    }

    fn pack(&self, state: &[u32], out: &mut Vec<u64>) {
        pack(state, out);
    }

    fn unpack(&self, packed: &[u64], out: &mut Vec<u32>) {
        unpack(packed, self.system.width(), out);
    }

    fn initial(&self, sink: &mut dyn FnMut(&[u64])) {
        let mut packed = Vec::new();
        self.system.initial(&mut |state| {
            pack(state, &mut packed);
            sink(&packed);
        });
    }

    fn expand(&mut self, packed: &[u64], out: &mut Successors) -> Kind {
        out.clear();
        unpack(packed, self.system.width(), &mut self.unpacked);
        let mut next = Vec::new();
        self.system.successors(&self.unpacked, &mut |label, state| {
            pack(state, &mut next);
            out.push(label, &next);
        })
    }
}
