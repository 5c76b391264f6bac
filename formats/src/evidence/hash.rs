//! The identity of a system in evidence files: a hash of what it is, whatever is asked of it.
//!
//! Assumptions are asked, not part of it: the checker holds evidence to those of the problem at hand, and takes an axiom that
//! stands for one only if the problem makes it. So evidence found under other assumptions is refused exactly where it needs them.

use crate::json::write::{string, write_system};
use model::{Act, Circuit, Gate, Net, Range, Signal, SystemModel, ThreadSystem};
use std::io::{self, Write};

pub(super) fn hash(system: &SystemModel) -> String {
    let mut fnv = Fnv(0xcbf2_9ce4_8422_2325);
    // Writing to a hash cannot fail.
    let _ = match system {
        SystemModel::Rwb(program) => write_system(program, &mut fnv),
        SystemModel::Net(net) => write_net(net, &mut fnv),
        SystemModel::Threads(threads) => write_threads(threads, &mut fnv),
        SystemModel::Circuit(circuit) => write_circuit(circuit, &mut fnv),
        // Every part of it is plain data with one text form.
        SystemModel::Reactive(program) => write!(fnv, "{program:?}"),
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

fn range(range: &Range) -> String {
    match &range.at_most {
        Some(most) => format!("{}..{most}", range.at_least),
        None => format!("{}..", range.at_least),
    }
}

/// Everything about a net, in a form from which it could be read back.
fn write_net(net: &Net, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "net {} {}", net.places().len(), net.transitions().len())?;
    for place in net.places() {
        writeln!(out, "{} {}", string(&place.name), range(&place.initial))?;
    }
    for transition in net.transitions() {
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

/// The same for a thread system.
fn write_threads(system: &ThreadSystem, out: &mut dyn Write) -> io::Result<()> {
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

/// Numbers of nodes, and what they are; names do not count.
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
    circuit.constraints().iter().try_for_each(|signal| writeln!(out, "c {}", signal.code()))
}
