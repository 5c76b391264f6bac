//! A reactive program as flat code: conditional forward jumps instead of nested blocks, and expressions in
//! postfix order.
//!
//! Execution of flat code can stop anywhere and continue from there, because a position consists of the number
//! of an instruction and the return addresses of open function calls. The decision tree of [`super::tree`] needs
//! this. Execution of flat code needs no recursion. The translation folds constants: a variable that is never
//! assigned becomes a number. Most such variables are elements of constant tables.

use super::expression::Translator;
use super::instr::{Code, Instr, Op, Place, Point, Span};
use model::ids::{FunctionId, VarId};
use model::reactive::{Arms, Block, Convention, Stmt};
use model::{InputId, Outcome, Reactive};
use std::sync::Arc;

impl Code {
    /// Translates a program. Linear in its size.
    pub(super) fn new(program: &Arc<Reactive>) -> Self {
        let places = places(program);
        let cells = (0..program.var_count()).filter(|&v| matches!(places[v], Place::Cell(_))).map(VarId::new).collect();
        let mut code = Self {
            program: Arc::clone(program),
            instrs: Vec::new(),
            ops: Vec::new(),
            starts: Vec::new(),
            places: places.clone(),
            cells,
            slot_count: 0,
        };
        let mut translator = Translator::new(program, &places);
        for f in 0..program.function_count() {
            code.starts.push(code.here());
            code.function(program.body(FunctionId::new(f)), &mut translator);
        }
        let is_slot = super::slots::read_before_assigned(&code);
        code.slots_first(&is_slot);
        code
    }

    fn here(&self) -> u32 {
        u32::try_from(self.instrs.len()).expect("positions are 32 bits")
    }

    fn function(&mut self, body: Block, translator: &mut Translator<'_>) {
        let program = Arc::clone(&self.program);
        let mut tasks = vec![Task::Block(body, 0)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Block(block, next) => {
                    let Some(&stmt) = program.stmts(block).get(next) else { continue };
                    tasks.push(Task::Block(block, next + 1));
                    self.stmt(stmt, translator, &mut tasks);
                }
                Task::Arm { arms, next, otherwise, jumps } => {
                    self.arm(&program, (arms, next), otherwise, jumps, translator, &mut tasks);
                }
                Task::Skip { branch, arms, next, otherwise, jumps } => {
                    // The end of an arm: jumps over the rest of the chain.
                    let jump = self.here();
                    self.instrs.push(Instr::Jump(jumps));
                    self.patch(branch);
                    tasks.push(Task::Arm { arms, next, otherwise, jumps: jump });
                }
                Task::Join(mut jump) => {
                    // Each jump to the end of the chain contains the position of the previous such jump, because
                    // the end was not known before. Now all these jumps get their target.
                    let here = self.here();
                    while jump != NO_JUMP {
                        let Instr::Jump(to) = &mut self.instrs[jump as usize] else { unreachable!("a list of jumps") };
                        jump = std::mem::replace(to, here);
                    }
                }
            }
        }
        self.instrs.push(Instr::End);
    }

    fn arm(
        &mut self,
        program: &Reactive,
        (arms, next): (Arms, usize),
        otherwise: Block,
        jumps: u32,
        translator: &mut Translator<'_>,
        tasks: &mut Vec<Task>,
    ) {
        let Some(arm) = program.arms(arms).get(next) else {
            tasks.push(Task::Join(jumps));
            tasks.push(Task::Block(otherwise, 0));
            return;
        };
        match translator.constant(arm.condition) {
            Some(0) => tasks.push(Task::Arm { arms, next: next + 1, otherwise, jumps }),
            Some(_) => {
                tasks.push(Task::Join(jumps));
                tasks.push(Task::Block(arm.body, 0));
            }
            None => {
                let condition = translator.translate(arm.condition, &mut self.ops);
                let branch = self.here();
                self.instrs.push(Instr::Branch { condition, otherwise: 0 });
                tasks.push(Task::Skip { branch, arms, next: next + 1, otherwise, jumps });
                tasks.push(Task::Block(arm.body, 0));
            }
        }
    }

    fn patch(&mut self, branch: u32) {
        let here = self.here();
        let Instr::Branch { otherwise, .. } = &mut self.instrs[branch as usize] else { unreachable!("a branch") };
        *otherwise = here;
    }

    fn stmt(&mut self, stmt: Stmt, translator: &mut Translator<'_>, tasks: &mut Vec<Task>) {
        let instr = match stmt {
            Stmt::If { arms, otherwise } => {
                tasks.push(Task::Arm { arms, next: 0, otherwise, jumps: NO_JUMP });
                return;
            }
            Stmt::Assign(var, expr) => {
                let Place::Cell(cell) = self.places[var.index()] else { unreachable!("it is assigned") };
                Instr::Assign(cell, translator.translate(expr, &mut self.ops))
            }
            Stmt::Call(f) => Instr::Call(f),
            Stmt::Return(expr) => Instr::Return(translator.translate(expr, &mut self.ops)),
            Stmt::ReturnCall(f) => Instr::ReturnCall(f),
            Stmt::End => Instr::End,
            Stmt::Print(expr) => Instr::Print(translator.translate(expr, &mut self.ops)),
            Stmt::Invalid => Instr::Invalid,
            Stmt::Error(error) => Instr::Error(error),
            Stmt::Crash => Instr::Crash,
        };
        self.instrs.push(instr);
    }

    /// Renumbers the cells so that slots come first.
    fn slots_first(&mut self, is_slot: &[bool]) {
        let (slots, others): (Vec<usize>, Vec<usize>) = (0..self.cells.len()).partition(|&c| is_slot[c]);
        self.slot_count = slots.len();
        let order: Vec<usize> = slots.into_iter().chain(others).collect();
        let mut new_of = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            new_of[old] = u32::try_from(new).expect("ids are 32 bits");
        }
        self.cells = order.iter().map(|&old| self.cells[old]).collect();
        for place in &mut self.places {
            if let Place::Cell(cell) = place {
                *cell = new_of[*cell as usize];
            }
        }
        for op in &mut self.ops {
            if let Op::Cell(cell) | Op::Element { pointer: cell, .. } = op {
                *cell = new_of[*cell as usize];
            }
        }
        for instr in &mut self.instrs {
            if let Instr::Assign(cell, _) = instr {
                *cell = new_of[*cell as usize];
            }
        }
    }

    /// Returns the operations of an expression.
    pub(super) fn ops(&self, span: Span) -> &[Op] {
        &self.ops[span.first as usize..][..span.len as usize]
    }

    /// Returns the position where a call begins.
    pub(super) fn entry(&self) -> Point {
        Point { pc: self.starts[self.program.entry().index()], ..Point::default() }
    }

    /// Returns the place of element `index` of the array that the value `pointer` denotes. Returns `None` if
    /// there is no such element.
    pub(super) fn element(&self, pointer: i32, index: u32) -> Option<Place> {
        self.program.element(pointer, index).map(|var| self.places[var.index()])
    }

    /// Executes the call from `point` to its end. Linear in the instructions executed.
    pub(super) fn run(&self, point: &mut Point, cells: &mut [i32], input: InputId, stack: &mut Vec<i32>) -> Outcome {
        let input = self.program.input(input);
        loop {
            let instr = self.instrs[point.pc as usize];
            point.pc += 1;
            match instr {
                Instr::Branch { condition, otherwise } => match self.eval(condition, cells, input, stack) {
                    None => return Outcome::Crash,
                    Some(0) => point.pc = otherwise,
                    Some(_) => {}
                },
                Instr::Assign(cell, span) => match self.eval(span, cells, input, stack) {
                    None => return Outcome::Crash,
                    Some(value) => cells[cell as usize] = value,
                },
                Instr::Return(span) => match self.eval(span, cells, input, stack) {
                    None => return Outcome::Crash,
                    Some(value) => {
                        if let Some(outcome) = self.leave(point, Some(value)) {
                            return outcome;
                        }
                    }
                },
                Instr::Print(span) => match self.eval(span, cells, input, stack) {
                    Some(value) => point.print(value),
                    None => return Outcome::Crash,
                },
                _ => {
                    if let Some(outcome) = self.plain(instr, point) {
                        return outcome;
                    }
                }
            }
        }
    }

    /// Executes an instruction that has no expression. The position must already be after the instruction.
    /// Returns the outcome if the call ends.
    pub(super) fn plain(&self, instr: Instr, point: &mut Point) -> Option<Outcome> {
        match instr {
            Instr::Jump(to) => point.pc = to,
            Instr::Call(f) => {
                point.frames.push(point.pc);
                point.pc = self.starts[f.index()];
            }
            Instr::ReturnCall(f) => point.pc = self.starts[f.index()],
            Instr::End => return self.leave(point, None),
            Instr::Invalid => point.invalid = true,
            Instr::Error(error) => return Some(Outcome::Error(error)),
            Instr::Crash => return Some(Outcome::Crash),
            Instr::Branch { .. } | Instr::Assign(..) | Instr::Return(_) | Instr::Print(_) => {
                unreachable!("it has an expression")
            }
        }
        None
    }

    /// Leaves a function. If the function is the entry of the program, the call ends, and the result is its
    /// outcome.
    pub(super) fn leave(&self, point: &mut Point, value: Option<i32>) -> Option<Outcome> {
        if let Some(pc) = point.frames.pop() {
            point.pc = pc;
            return None;
        }
        Some(match (self.program.convention(), value) {
            _ if point.invalid => Outcome::Invalid,
            (Convention::Returned, None) => Outcome::Unspelt,
            (Convention::Returned, Some(-1)) => Outcome::Silent,
            (Convention::Returned, Some(-2)) => Outcome::Invalid,
            (Convention::Returned, Some(letter)) => Outcome::Output(letter),
            (Convention::Printed, _) => point.printed.unwrap_or(Outcome::Silent),
        })
    }
}

/// Marks that there is no jump to the end of the chain yet.
const NO_JUMP: u32 = u32::MAX;

/// A part of the translation that is left to do.
enum Task {
    /// A block, from the given statement on.
    Block(Block, usize),
    /// An `if` chain, from the given arm on. `jumps` is the last jump to the end of the chain.
    Arm { arms: Arms, next: usize, otherwise: Block, jumps: u32 },
    /// Ends an arm after its body has been translated, and continues with the next arm of the chain.
    Skip { branch: u32, arms: Arms, next: usize, otherwise: Block, jumps: u32 },
    /// The end of a chain: resolves the jumps to it.
    Join(u32),
}

/// Returns for each variable whether it is constant or a cell. Cells are numbered in the order of the
/// variables.
fn places(program: &Reactive) -> Vec<Place> {
    let mut places: Vec<Place> = program.initial().iter().map(|&value| Place::Constant(value)).collect();
    for stmt in program.all_stmts() {
        if let Stmt::Assign(var, _) = stmt {
            places[var.index()] = Place::Cell(0);
        }
    }
    let cells = places.iter_mut().filter(|place| matches!(place, Place::Cell(_)));
    for (number, place) in cells.enumerate() {
        *place = Place::Cell(u32::try_from(number).expect("ids are 32 bits"));
    }
    places
}
