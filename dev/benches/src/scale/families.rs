//! Families of models that grow with one number. Each model is decided without a long search: by a run that is
//! found at once, or by a proof of a few steps for each part. The cost should be proportional to the size of
//! the model.
//!
//! Models are produced in pieces. If this process held a whole model, the peak memory of its child processes
//! would include it.

use std::iter::once;

/// A model, piece by piece.
pub(crate) type Pieces = Box<dyn Iterator<Item = String>>;

/// A family of models.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    /// The parts that grow.
    pub(crate) what: &'static str,
    /// Extension of the model file.
    pub(crate) extension: &'static str,
    /// Returns the model of a size. `goals` returns a file of goals, if the model needs one.
    pub(crate) text: fn(usize) -> Pieces,
    pub(crate) goals: Option<fn(usize) -> String>,
    /// Options of `check`.
    pub(crate) check: &'static [&'static str],
    /// The format that `convert` writes. Empty if there is none.
    pub(crate) into: &'static str,
    /// The expected exit code of `check`.
    pub(crate) code: i32,
}

/// The values that most families share.
const PLAIN: Family = Family {
    name: "",
    what: "",
    extension: "rwb",
    text: |_| whole(String::new()),
    goals: None,
    check: &[],
    into: "json",
    code: 0,
};

/// All families.
pub(crate) const ALL: [Family; 18] = [
    Family { name: "threads", what: "threads of two states", text: threads, check: &["--property", "bad"], ..PLAIN },
    Family { name: "chain", what: "threads that block each other", text: chain, ..PLAIN },
    Family { name: "dinner", what: "philosophers that all hold one stick", text: dinner, code: 11, ..PLAIN },
    Family {
        name: "philosophers",
        what: "philosophers that each take one stick",
        text: philosophers,
        check: &["--property", "deadlock"],
        code: 11,
        ..PLAIN
    },
    Family { name: "pairs", what: "threads that alternate between two states", text: pairs, ..PLAIN },
    Family { name: "ring", what: "threads that pass on a token", text: ring, ..PLAIN },
    Family { name: "alarm", what: "threads, and one more that becomes bad", text: alarm, code: 10, ..PLAIN },
    Family { name: "clock", what: "states of one thread", text: clock, ..PLAIN },
    Family { name: "events", what: "events of one thread", text: events, ..PLAIN },
    Family { name: "line", what: "places in a line", extension: "spec", text: line, into: "pnml", code: 10, ..PLAIN },
    Family {
        name: "islands",
        what: "nets side by side, each with a target",
        extension: "spec",
        text: islands,
        check: &["--property", "target:*"],
        into: "pnml",
        ..PLAIN
    },
    Family {
        name: "locks",
        what: "nets side by side, with one goal for all targets",
        extension: "spec",
        text: islands,
        into: "pnml",
        ..PLAIN
    },
    Family {
        name: "slice",
        what: "nets side by side with one target, so that slicing removes most of them",
        extension: "spec",
        text: slice,
        into: "pnml",
        ..PLAIN
    },
    Family {
        name: "doors",
        what: "nets side by side, each with a target that is reached",
        extension: "spec",
        text: doors,
        check: &["--property", "target:*"],
        into: "pnml",
        code: 10,
        ..PLAIN
    },
    Family {
        name: "shared",
        what: "shared states of a thread-transition system",
        extension: "tts",
        text: shared,
        goals: Some(|n| format!("{}|1\n", n - 1)),
        into: "spec",
        ..PLAIN
    },
    Family {
        name: "crowd",
        what: "shared states of a thread-transition system, any number of threads",
        extension: "tts",
        text: crowd,
        goals: Some(|n| format!("{}|1\n", n - 1)),
        into: "spec",
        code: 10,
        ..PLAIN
    },
    Family { name: "shift", what: "latches of a shift register", extension: "aag", text: shift, into: "aig", ..PLAIN },
    Family { name: "rules", what: "rules of a C program", extension: "c", text: rules, into: "", code: 10, ..PLAIN },
];

fn whole(text: String) -> Pieces {
    Box::new(once(text))
}

/// Returns the texts of `each` for the numbers below `n`, between `head` and `tail`.
fn listed(head: &str, n: usize, each: impl Fn(usize) -> String + 'static, tail: &str) -> Pieces {
    Box::new(once(head.to_owned()).chain((0..n).map(each)).chain(once(tail.to_owned())))
}

/// Threads written out one by one. A marker thread enters a bad state if the first thread goes twice.
fn threads(n: usize) -> Pieces {
    let each = |i| format!("event go{i}\nthread T{i} {{ state a {{ request go{i} on go{i} -> b }} state b {{ }} }}\n");
    let marker = "thread Marker { state a { on go0 -> b } state b { on go0 -> v } state v { bad } }\n";
    listed("rwb 1\n", n, each, marker)
}

/// Each thread blocks the event of the next thread, and the last thread blocks a tick. The first thread is
/// never blocked, so there is no deadlock.
fn chain(n: usize) -> Pieces {
    whole(format!(
        "rwb 1\ncheck deadlock\nconst n = {n}\nevent go[n], tick
for i in 0..n {{ thread T[i] {{
  state a {{ request go[i] when i + 1 < n {{ block go[i+1] }} else {{ block tick }} on go[i] -> b }}
  state b {{ }} }} }}
thread Tick {{ state t {{ request tick }} }}\n"
    ))
}

/// All philosophers hold the left stick at the start.
fn dinner(n: usize) -> Pieces {
    table(n, "held", "one")
}

/// All sticks are free at the start.
fn philosophers(n: usize) -> Pieces {
    table(n, "free", "zero")
}

fn table(n: usize, stick: &str, philosopher: &str) -> Pieces {
    whole(format!(
        "rwb 1\nconst n = {n}\nevent left[n], right[n], drop[n]
for i in 0..n {{
  thread Stick[i] {{ init {stick}
    state free {{ block drop[i] on left[i], right[i] -> held }}
    state held {{ block left[i], right[i] on drop[i], drop[(i+n-1)%n] -> free }} }}
  thread Phil[i] {{ init {philosopher} state zero {{ request left[i] on left[i] -> one }}
    state one {{ request right[(i+1)%n] on right[(i+1)%n] -> both }}
    state both {{ request drop[i] on drop[i] -> zero }} }}
}}\n"
    ))
}

fn pairs(n: usize) -> Pieces {
    whole(format!(
        "rwb 1\ncheck deadlock\nconst n = {n}\nevent go[n], back[n]
for i in 0..n {{ thread T[i] {{ state a {{ request go[i] on go[i] -> b }} state b {{ request back[i] on back[i] -> a \
}} }} }}\n"
    ))
}

/// The token moves round: each thread receives it from the previous one.
fn ring(n: usize) -> Pieces {
    whole(format!(
        "rwb 1\ncheck deadlock\nconst n = {n}\nevent pass[n]
for i in 0..n {{ thread T[i] {{
  when i == 0 {{ init has }} else {{ init lacks }}
  state lacks {{ on pass[(i+n-1)%n] -> has }}
  state has {{ request pass[i] on pass[i] -> lacks }} }} }}\n"
    ))
}

/// Threads that run forever, and a marker thread that enters a bad state as soon as one of the other threads
/// has moved.
fn alarm(n: usize) -> Pieces {
    whole(format!(
        "rwb 1\ncheck bad\nconst n = {n}\nevent go[n]
for i in 0..n {{ thread T[i] {{ state a {{ request go[i] on go[i] -> b }} state b {{ request go[i] on go[i] -> a }} \
}} }}
thread Marker {{ state a {{ on go[*] -> v }} state v {{ bad }} }}\n"
    ))
}

fn clock(n: usize) -> Pieces {
    whole(format!(
        "rwb 1\nevent tick\nthread T {{ for i in 0..{n} {{ state s[i] {{ request tick on tick -> s[(i+1)%{n}] }} }} \
         }}\n"
    ))
}

fn events(n: usize) -> Pieces {
    whole(format!(
        "rwb 1\nevent e[{n}]\nthread T {{ for i in 0..{n} {{ state s[i] {{ request e[i] on e[i] -> s[(i+1)%{n}] }} }} \
         }}\n"
    ))
}

/// A token moves from place to place, to the last one.
fn line(n: usize) -> Pieces {
    let rule = |i| format!("p{i} >= 1 -> p{i}' = p{i} - 1, p{0}' = p{0} + 1;\n", i + 1);
    let places = listed("vars\n p0", n, |i| format!(" p{}", i + 1), "\n");
    let rules = listed("rules\n", n, rule, "init\np0 = 1");
    let empty = listed("", n, |i| format!(", p{} = 0", i + 1), "\n");
    Box::new(places.chain(rules).chain(empty).chain(once(format!("target\np{n} >= 1\n"))))
}

/// Locks with two processes each, and a target for each lock.
fn islands(n: usize) -> Pieces {
    Box::new(locks(n, 1).chain((0..n).map(|i| format!("b{i} >= 2\n"))))
}

/// Locks with two processes each, and a target for one of the locks.
fn slice(n: usize) -> Pieces {
    Box::new(locks(n, 1).chain(once("b0 >= 2\n".to_owned())))
}

/// Locks that both processes can hold at once.
fn doors(n: usize) -> Pieces {
    Box::new(locks(n, 2).chain((0..n).map(|i| format!("b{i} >= 2\n"))))
}

fn locks(n: usize, let_in: usize) -> Pieces {
    let rule = |i| {
        format!(
            "a{i} >= 1, l{i} >= 1 -> a{i}' = a{i} - 1, l{i}' = l{i} - 1, b{i}' = b{i} + 1;
b{i} >= 1 -> b{i}' = b{i} - 1, a{i}' = a{i} + 1, l{i}' = l{i} + 1;\n"
        )
    };
    let start = move |i| {
        let comma = if i == 0 { "" } else { ", " };
        format!("{comma}a{i} = 2, b{i} = 0, l{i} = {let_in}")
    };
    let places = listed("vars\n", n, |i| format!(" a{i} b{i} l{i}"), "\n");
    Box::new(places.chain(listed("rules\n", n, rule, "")).chain(listed("init\n", n, start, "\ntarget\n")))
}

/// Threads increment the shared state. The target needs a thread in local state 1, but only a thread already in
/// that state could remain there.
fn shared(n: usize) -> Pieces {
    let step = |i| format!("{i} 0 -> {} 0\n", i + 1);
    listed(&format!("{n} 2\n"), n - 1, step, &format!("{} 1 -> 0 1\n", n - 1))
}

/// Threads increment the shared state, and the last step moves a thread into local state 1, which is the
/// target.
fn crowd(n: usize) -> Pieces {
    let step = |i| format!("{i} 0 -> {} 0\n", i + 1);
    listed(&format!("{n} 2\n"), n - 1, step, &format!("{0} 0 -> {0} 1\n", n - 1))
}

/// A shift register with zeros as inputs. Its last bit must never be one.
fn shift(n: usize) -> Pieces {
    let latch = |i| format!("{} {}\n", 2 * (i + 1), 2 * i);
    listed(&format!("aag {n} 0 {n} 0 0 1\n"), n, latch, &format!("{}\n", 2 * n))
}

/// Rules for one variable, and an error that is reached after two calls.
fn rules(n: usize) -> Pieces {
    let rule =
        move |i| format!("    if (input == 1 && a == {i}) {{ a = {}; printf(\"%d\\n\", 1); return; }}\n", (i + 1) % n);
    let head =
        "#include <stdio.h>\n#include <assert.h>\nint inputs[] = {1};\nint a = 0;\nvoid calculate_output(int input) {
    if (a == 2) { error_0: assert(0); }\n";
    let tail = "    fprintf(stderr, \"Invalid input: %d\\n\", input);\n}
int main() { while (1) { int input; scanf(\"%d\", &input); calculate_output(input); } }\n";
    listed(head, n, rule, tail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::{Limits, Source};

    #[test]
    fn every_model_is_one() {
        for family in ALL {
            let source = Source {
                name: format!("m.{}", family.extension),
                bytes: (family.text)(10).collect::<String>().into_bytes(),
            };
            let read =
                readers::read(source, None, &Limits::default()).unwrap_or_else(|e| panic!("{}: {e}", family.name));
            assert!(read.warnings.is_empty(), "{}: {:?}", family.name, read.warnings);
        }
    }
}
