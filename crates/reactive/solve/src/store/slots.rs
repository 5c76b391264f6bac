//! Finds the variables that make up a state: the variables that a call may read before it has assigned them.
//!
//! This is a definite-assignment analysis. It makes one forward pass over the flat code of each function. One
//! pass suffices, because all jumps lead forwards. A function is analysed after the functions that it calls.

use super::instr::{Code, Instr, Op, Place, Span};
use model::ids::FunctionId;
use std::collections::BTreeMap;

/// A set of cells, one bit each.
type Cells = Vec<u64>;

/// The effect of a function on its caller.
#[derive(Clone)]
struct Summary {
    /// Cells that may be read before they are assigned.
    exposed: Cells,
    /// Cells assigned on every path to the end of the function. `None` if it never returns.
    assigned: Option<Cells>,
}

/// Returns for each cell: true if a call may read the cell before the call has assigned it.
pub(super) fn read_before_assigned(code: &Code) -> Vec<bool> {
    let elements: Vec<u32> = code
        .program
        .arrays()
        .iter()
        .flat_map(|a| a.first.0..a.first.0 + a.len)
        .filter_map(|v| match code.places[v as usize] {
            Place::Cell(cell) => Some(cell),
            Place::Constant(_) => None,
        })
        .collect();
    let mut summaries: Vec<Option<Summary>> = vec![None; code.starts.len()];
    let entry = code.program.entry();
    let mut path = vec![entry];
    while let Some(&f) = path.last() {
        let missing: Vec<FunctionId> = callees(code, f).filter(|callee| summaries[callee.index()].is_none()).collect();
        if missing.is_empty() {
            if summaries[f.index()].is_none() {
                summaries[f.index()] = Some(Pass::new(code, &elements, &summaries).function(f));
            }
            path.pop();
        }
        path.extend(missing);
    }
    let exposed = &summaries[entry.index()].as_ref().expect("it was on the path").exposed;
    (0..code.cells.len()).map(|cell| exposed[cell / 64] >> (cell % 64) & 1 == 1).collect()
}

/// Returns the range of instructions of a function.
fn range(code: &Code, f: FunctionId) -> std::ops::Range<usize> {
    let end = code.starts.get(f.index() + 1).map_or(code.instrs.len(), |&pc| pc as usize);
    code.starts[f.index()] as usize..end
}

fn callees(code: &Code, f: FunctionId) -> impl Iterator<Item = FunctionId> + '_ {
    code.instrs[range(code, f)].iter().filter_map(|instr| match instr {
        Instr::Call(f) | Instr::ReturnCall(f) => Some(*f),
        _ => None,
    })
}

struct Pass<'a> {
    code: &'a Code,
    /// Array elements that some statement assigns. A pointer may lead to any of these elements.
    elements: &'a [u32],
    summaries: &'a [Option<Summary>],
    exposed: Cells,
    /// Cells assigned on every path to the current position. `None` if it is unreachable.
    here: Option<Cells>,
    /// For each target of a jump: the cells assigned on every path to it so far.
    ahead: BTreeMap<u32, Cells>,
    end: Option<Cells>,
}

impl<'a> Pass<'a> {
    fn new(code: &'a Code, elements: &'a [u32], summaries: &'a [Option<Summary>]) -> Self {
        let none: Cells = vec![0; code.cells.len().div_ceil(64)];
        Self { code, elements, summaries, exposed: none.clone(), here: Some(none), ahead: BTreeMap::new(), end: None }
    }

    fn function(mut self, f: FunctionId) -> Summary {
        for pc in range(self.code, f) {
            if let Some(other) = self.ahead.remove(&u32::try_from(pc).expect("positions are 32 bits")) {
                meet(&mut self.here, other);
            }
            if self.here.is_some() {
                self.instr(self.code.instrs[pc]);
            }
        }
        Summary { exposed: self.exposed, assigned: self.end }
    }

    fn instr(&mut self, instr: Instr) {
        match instr {
            Instr::Branch { condition, otherwise } => {
                self.reads(condition);
                let here = self.here.clone().expect("a way leads here");
                self.jump(otherwise, here);
            }
            Instr::Jump(to) => {
                let here = self.here.take().expect("a way leads here");
                self.jump(to, here);
            }
            Instr::Assign(cell, span) => {
                self.reads(span);
                self.here.as_mut().expect("a way leads here")[cell as usize / 64] |= 1 << (cell % 64);
            }
            Instr::Print(span) => self.reads(span),
            Instr::Return(span) => {
                self.reads(span);
                self.leave();
            }
            Instr::Call(f) => self.call(f),
            Instr::ReturnCall(f) => {
                self.call(f);
                self.leave();
            }
            Instr::End => self.leave(),
            Instr::Invalid => {}
            Instr::Error(_) | Instr::Crash => self.here = None,
        }
    }

    fn jump(&mut self, to: u32, here: Cells) {
        let mut there = self.ahead.remove(&to);
        meet(&mut there, here);
        self.ahead.extend(there.map(|cells| (to, cells)));
    }

    fn leave(&mut self) {
        if let Some(here) = self.here.take() {
            meet(&mut self.end, here);
        }
    }

    fn call(&mut self, f: FunctionId) {
        let summary = self.summaries[f.index()].as_ref().expect("callees come first");
        let Some(here) = &mut self.here else { return };
        for ((exposed, &callee), &assigned) in self.exposed.iter_mut().zip(&summary.exposed).zip(here.iter()) {
            *exposed |= callee & !assigned;
        }
        match &summary.assigned {
            Some(assigned) => here.iter_mut().zip(assigned).for_each(|(here, assigned)| *here |= assigned),
            None => self.here = None,
        }
    }

    fn reads(&mut self, span: Span) {
        let code = self.code;
        for op in code.ops(span) {
            match *op {
                Op::Cell(cell) => self.read(cell),
                Op::Element { pointer, .. } => {
                    self.read(pointer);
                    self.elements.iter().for_each(|&cell| self.read(cell));
                }
                _ => {}
            }
        }
    }

    fn read(&mut self, cell: u32) {
        let here = self.here.as_ref().expect("a way leads here");
        self.exposed[cell as usize / 64] |= !here[cell as usize / 64] & 1 << (cell % 64);
    }
}

/// Intersects the cells assigned on two paths.
fn meet(there: &mut Option<Cells>, here: Cells) {
    match there {
        Some(there) => there.iter_mut().zip(here).for_each(|(there, here)| *there &= here),
        None => *there = Some(here),
    }
}
