//! The identity of a system in evidence files: a hash of the system, independent of its goals.
//!
//! Assumptions are part of the problem, not of the system. The checker accepts an axiom for an assumption only
//! if the current problem has this assumption. So evidence that was found under other assumptions is refused if
//! and only if it uses an assumption that the current problem does not have.

use formats::json::{string, write_system};
use model::circuit::memory::{Array, Memories};
use model::reactive::Stmt;
use model::{
    Act, Circuit, ContentsId, FunctionId, Gate, Net, PlaceId, Range, Reactive, Signal, SystemModel,
    ThreadTransitionSystem, TransitionId, VarId,
};
use std::hash::{Hash, Hasher};
use std::io::{self, Write};

/// Returns the hash of a system, in time linear in its size. It is empty for a system of one's own.
pub(super) fn of(system: &SystemModel) -> String {
    let mut fnv = Fnv(0xcbf2_9ce4_8422_2325);
    // Writing to a hash cannot fail.
    let _ = match system {
        SystemModel::Rwb(program) => write_system(program, &mut fnv),
        SystemModel::Net(net) => write_net(net, &mut fnv),
        SystemModel::Threads(threads) => write_threads(threads, &mut fnv),
        SystemModel::Circuit(circuit) => write_circuit(circuit, &mut fnv),
        SystemModel::Reactive(program) => {
            hash_reactive(program, &mut fnv);
            Ok(())
        }
        SystemModel::Data(program) => {
            program.hash(&mut fnv);
            Ok(())
        }
        SystemModel::Own(system) => match system.identity() {
            Some(identity) => fnv.write_all(&identity),
            None => return String::new(),
        },
    };
    format!("fnv1a64:{:016x}", fnv.0)
}

/// 64-bit FNV-1a (Fowler, Noll, Vo).
struct Fnv(u64);

impl Write for Fnv {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Hashes the parts of a reactive program, of which there may be millions, as numbers and not as text.
impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        // Writing to a hash cannot fail.
        let _ = Write::write(self, bytes);
    }

    fn write_u32(&mut self, n: u32) {
        Hasher::write(self, &n.to_le_bytes());
    }

    fn write_i32(&mut self, n: i32) {
        Hasher::write(self, &n.to_le_bytes());
    }

    /// Hashes 64 bits on every machine.
    fn write_usize(&mut self, n: usize) {
        Hasher::write(self, &(n as u64).to_le_bytes());
    }

    /// Hashes the discriminant of an `enum`, of which the lowest byte is enough.
    fn write_isize(&mut self, n: isize) {
        Hasher::write(self, &[n.to_le_bytes()[0]]);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Hashes everything about a reactive program.
fn hash_reactive(program: &Reactive, fnv: &mut Fnv) {
    for (i, value) in program.initial().iter().enumerate() {
        (program.name(VarId::new(i)), value).hash(fnv);
    }
    for array in program.arrays() {
        (&array.name, array.first, array.len).hash(fnv);
    }
    program.inputs().iter().for_each(|input| input.hash(fnv));
    program.exprs().iter().for_each(|expr| expr.hash(fnv));
    for stmt in program.all_stmts() {
        stmt.hash(fnv);
        if let Stmt::If { arms, .. } = stmt {
            program.arms(*arms).iter().for_each(|arm| arm.hash(fnv));
        }
    }
    for function in (0..program.function_count()).map(FunctionId::new) {
        (program.function_name(function), program.body(function)).hash(fnv);
    }
    (program.entry(), program.convention()).hash(fnv);
    program.errors().iter().for_each(|number| number.hash(fnv));
    program.undefined().iter().for_each(|label| label.hash(fnv));
}

fn range(range: &Range) -> String {
    match &range.at_most {
        Some(most) => format!("{}..{most}", range.at_least),
        None => format!("{}..", range.at_least),
    }
}

/// Returns the displayed name of a node, if it differs from its name. It is part of the hash because evidence
/// uses displayed names.
fn called(name: &str, shown: &str) -> String {
    if name == shown { String::new() } else { format!("={}", string(shown)) }
}

/// Writes everything about a net, in a form that determines the net.
fn write_net(net: &Net, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "net {} {}", net.places().len(), net.transitions().len())?;
    for (p, place) in net.places().iter().enumerate() {
        writeln!(
            out,
            "{}{} {}",
            string(&place.name),
            called(&place.name, net.shown_place(PlaceId::new(p))),
            range(&place.initial)
        )?;
    }
    for (t, transition) in net.transitions().iter().enumerate() {
        out.write_all(called(&transition.name, net.shown_transition(TransitionId::new(t))).as_bytes())?;
        writeln!(out, "{} {} {}", string(&transition.name), transition.guards.len(), transition.effects.len())?;
        for guard in &transition.guards {
            writeln!(out, "{} {}", guard.place.0, range(&guard.range))?;
        }
        for effect in &transition.effects {
            write!(out, "{} {}", effect.place.0, effect.add)?;
            for source in &effect.sources {
                write!(out, " {}", source.0)?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

/// Writes everything about a thread-transition system, in a form that determines it.
fn write_threads(system: &ThreadTransitionSystem, out: &mut dyn Write) -> io::Result<()> {
    let initial = system.initial();
    writeln!(out, "threads {} {} {}", system.shared(), system.locals(), initial.shared.0)?;
    for (local, count) in &initial.threads {
        write!(out, "{}:{count} ", local.0)?;
    }
    for local in &initial.any {
        write!(out, "{}:* ", local.0)?;
    }
    for t in system.transitions() {
        let act = match t.act {
            Act::Move => "->",
            Act::Spawn => "+>",
            Act::Transfer => "~>",
        };
        write!(out, "\n{} {} {act} {} {}", t.from.0.0, t.from.1.0, t.to.0.0, t.to.1.0)?;
        for (source, targets) in &t.passive {
            for target in targets {
                write!(out, " {}~{}", source.0, target.0)?;
            }
        }
    }
    Ok(())
}

/// Writes the nodes of a circuit by their numbers. Names are not part of the hash.
fn write_circuit(circuit: &Circuit, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "circuit {}", circuit.gates().len())?;
    for gate in circuit.gates() {
        match gate {
            Gate::False => writeln!(out, "f")?,
            Gate::Input(_) => writeln!(out, "i")?,
            Gate::Latch(_) => writeln!(out, "l")?,
            Gate::And(a, b) => writeln!(out, "a {} {}", a.code(), b.code())?,
        }
    }
    for latch in circuit.latches() {
        writeln!(out, "n {} {:?}", latch.next.map_or(0, Signal::code), latch.reset)?;
    }
    circuit.outputs().iter().try_for_each(|output| writeln!(out, "o {}", output.signal.code()))?;
    circuit.constraints().iter().try_for_each(|signal| writeln!(out, "c {}", signal.code()))?;
    for justice in circuit.justices() {
        writeln!(out, "j {}", justice.signals.len())?;
        justice.signals.iter().try_for_each(|signal| writeln!(out, "s {}", signal.code()))?;
    }
    circuit.fairness().iter().try_for_each(|signal| writeln!(out, "w {}", signal.code()))?;
    write_memories(circuit.memories(), out)
}

fn write_memories(memories: &Memories, out: &mut dyn Write) -> io::Result<()> {
    let codes = |signals: &[Signal]| signals.iter().map(|signal| signal.code()).collect::<Vec<u32>>();
    let id = |id: Option<ContentsId>| id.map_or(-1, |id| i64::from(id.0));
    for memory in &memories.memories {
        writeln!(out, "m {} {} {} {}", memory.index, memory.width, id(memory.init), id(memory.next))?;
    }
    for array in &memories.arrays {
        match array {
            Array::Memory(memory) => writeln!(out, "am {}", memory.0)?,
            Array::Fill(word) => writeln!(out, "af {:?}", codes(word))?,
            Array::Write { array, address, value } => {
                writeln!(out, "aw {} {:?} {:?}", array.0, codes(address), codes(value))?;
            }
            Array::Choose { condition, yes, no } => writeln!(out, "ac {} {} {}", condition.code(), yes.0, no.0)?,
        }
    }
    for port in &memories.ports {
        writeln!(out, "p {} {:?} {:?}", port.memory.0, codes(&port.address), codes(&port.value))?;
    }
    Ok(())
}
