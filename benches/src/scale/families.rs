//! Families of models that grow by one number, each answered by something that need not search: a run that is there at once, or a proof
//! of a few steps for each part. What they cost should be in proportion to what they say.
//!
//! Models come in pieces, one after the other: a process that once was large would make its children seem so.

use std::iter::once;

/// A model, piece by piece.
pub(crate) type Pieces = Box<dyn Iterator<Item = String>>;

/// A family of models.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    /// What grows.
    pub(crate) what: &'static str,
    /// Of the model file.
    pub(crate) extension: &'static str,
    /// The model of a size; and a file of goals beside it, if it needs one.
    pub(crate) text: fn(usize) -> Pieces,
    pub(crate) goals: Option<fn(usize) -> String>,
    /// Options of `check`.
    pub(crate) check: &'static [&'static str],
    /// The format that `convert` writes; empty if there is none.
    pub(crate) into: &'static str,
    /// What `check` says (exit code).
    pub(crate) code: i32,
}

/// What is common to most.
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

/// All of them.
pub(crate) const ALL: [Family; 18] = [
    Family { name: "threads", what: "threads of two states", text: threads, check: &["--property", "bad"], ..PLAIN },
    Family { name: "chain", what: "threads that hold up one another", text: chain, ..PLAIN },
    Family { name: "dinner", what: "philosophers who all hold one stick", text: dinner, code: 11, ..PLAIN },
    Family {
        name: "philosophers",
        what: "philosophers who come to hold one stick each",
        text: philosophers,
        check: &["--property", "deadlock"],
        code: 11,
        ..PLAIN
    },
    Family { name: "pairs", what: "threads that go between two states", text: pairs, ..PLAIN },
    Family { name: "ring", what: "threads that hand on a token", text: ring, ..PLAIN },
    Family { name: "alarm", what: "threads beside one that goes bad", text: alarm, code: 10, ..PLAIN },
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
        what: "the same, asked as one target",
        extension: "spec",
        text: islands,
        into: "pnml",
        ..PLAIN
    },
    Family {
        name: "slice",
        what: "the same with one target, so that most is sliced off",
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
        what: "shared states of a thread system",
        extension: "tts",
        text: shared,
        goals: Some(|n| format!("{}|1\n", n - 1)),
        into: "spec",
        ..PLAIN
    },
    Family {
        name: "crowd",
        what: "shared states of a thread system, any number of threads",
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

/// What `each` says of the numbers below `n`, between `head` and `tail`.
fn listed(head: &str, n: usize, each: impl Fn(usize) -> String + 'static, tail: &str) -> Pieces {
    Box::new(once(head.to_owned()).chain((0..n).map(each)).chain(once(tail.to_owned())))
}

/// Threads written out one by one; one of them must not go twice.
fn threads(n: usize) -> Pieces {
    let each = |i| format!("event go{i}\nthread T{i} {{ state a {{ request go{i} on go{i} -> b }} state b {{ }} }}\n");
    let marker = "thread Marker { state a { on go0 -> b } state b { on go0 -> v } state v { bad } }\n";
    listed("rwb 1\n", n, each, marker)
}

/// Threads that each hold up the next, the last of them a tick: if all were stuck, then by each of them the one before.
fn chain(n: usize) -> Pieces {
    whole(format!(
        "rwb 1\ncheck deadlock\nconst n = {n}\nevent go[n], tick
for i in 0..n {{ thread T[i] {{
  state a {{ request go[i] when i + 1 < n {{ block go[i+1] }} else {{ block tick }} on go[i] -> b }}
  state b {{ }} }} }}
thread Tick {{ state t {{ request tick }} }}\n"
    ))
}

/// Everybody has picked the left stick up.
fn dinner(n: usize) -> Pieces {
    table(n, "held", "one")
}

/// Nobody has, yet.
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
for i in 0..n {{ thread T[i] {{ state a {{ request go[i] on go[i] -> b }} state b {{ request back[i] on back[i] -> a }} }} }}\n"
    ))
}

/// The token goes round: each thread waits for it from the one before.
fn ring(n: usize) -> Pieces {
    whole(format!(
        "rwb 1\ncheck deadlock\nconst n = {n}\nevent pass[n]
for i in 0..n {{ thread T[i] {{
  when i == 0 {{ init has }} else {{ init lacks }}
  state lacks {{ on pass[(i+n-1)%n] -> has }}
  state has {{ request pass[i] on pass[i] -> lacks }} }} }}\n"
    ))
}

/// Threads that go on and on, and one that is bad as soon as one of them has gone.
fn alarm(n: usize) -> Pieces {
    whole(format!(
        "rwb 1\ncheck bad\nconst n = {n}\nevent go[n]
for i in 0..n {{ thread T[i] {{ state a {{ request go[i] on go[i] -> b }} state b {{ request go[i] on go[i] -> a }} }} }}
thread Marker {{ state a {{ on go[*] -> v }} state v {{ bad }} }}\n"
    ))
}

fn clock(n: usize) -> Pieces {
    whole(format!(
        "rwb 1\nevent tick\nthread T {{ for i in 0..{n} {{ state s[i] {{ request tick on tick -> s[(i+1)%{n}] }} }} }}\n"
    ))
}

fn events(n: usize) -> Pieces {
    whole(format!(
        "rwb 1\nevent e[{n}]\nthread T {{ for i in 0..{n} {{ state s[i] {{ request e[i] on e[i] -> s[(i+1)%{n}] }} }} }}\n"
    ))
}

/// A token that goes from place to place, to the last.
fn line(n: usize) -> Pieces {
    let rule = |i| format!("p{i} >= 1 -> p{i}' = p{i} - 1, p{0}' = p{0} + 1;\n", i + 1);
    let places = listed("vars\n p0", n, |i| format!(" p{}", i + 1), "\n");
    let rules = listed("rules\n", n, rule, "init\np0 = 1");
    let empty = listed("", n, |i| format!(", p{} = 0", i + 1), "\n");
    Box::new(places.chain(rules).chain(empty).chain(once(format!("target\np{n} >= 1\n"))))
}

/// Locks with two processes each, and a target for each.
fn islands(n: usize) -> Pieces {
    Box::new(locks(n, 1).chain((0..n).map(|i| format!("b{i} >= 2\n"))))
}

/// Locks with two processes each, and a target for one.
fn slice(n: usize) -> Pieces {
    Box::new(locks(n, 1).chain(once("b0 >= 2\n".to_owned())))
}

/// Locks that let both in.
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

/// Threads that count the shared state up; what one of them must be in is left when it begins.
fn shared(n: usize) -> Pieces {
    let step = |i| format!("{i} 0 -> {} 0\n", i + 1);
    listed(&format!("{n} 2\n"), n - 1, step, &format!("{} 1 -> 0 1\n", n - 1))
}

/// The same, and the last lets one of them in.
fn crowd(n: usize) -> Pieces {
    let step = |i| format!("{i} 0 -> {} 0\n", i + 1);
    listed(&format!("{n} 2\n"), n - 1, step, &format!("{0} 0 -> {0} 1\n", n - 1))
}

/// Zeros come in, and a one would have to come out.
fn shift(n: usize) -> Pieces {
    let latch = |i| format!("{} {}\n", 2 * (i + 1), 2 * i);
    listed(&format!("aag {n} 0 {n} 0 0 1\n"), n, latch, &format!("{}\n", 2 * n))
}

/// Rules for one variable, and an error after two calls.
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
                formats::read(source, None, &Limits::default()).unwrap_or_else(|e| panic!("{}: {e}", family.name));
            assert!(read.warnings.is_empty(), "{}: {:?}", family.name, read.warnings);
        }
    }
}
