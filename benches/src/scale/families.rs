//! Families of models that grow by one number, each answered by something that need not search: a run that is there at once, or a proof
//! of a few steps for each part. What they cost should be in proportion to what they say.

/// A family of models.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    /// What grows.
    pub(crate) what: &'static str,
    /// Of the model file.
    pub(crate) extension: &'static str,
    /// The model of a size; and a file of goals beside it, if it needs one.
    pub(crate) text: fn(usize) -> String,
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
    text: |_| String::new(),
    goals: None,
    check: &[],
    into: "json",
    code: 0,
};

/// All of them.
pub(crate) const ALL: [Family; 12] = [
    Family { name: "threads", what: "threads of two states", text: threads, check: &["--property", "bad"], ..PLAIN },
    Family { name: "chain", what: "threads that hold up one another", text: chain, ..PLAIN },
    Family { name: "dinner", what: "philosophers who all hold one stick", text: dinner, code: 11, ..PLAIN },
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
        name: "shared",
        what: "shared states of a thread system",
        extension: "tts",
        text: shared,
        goals: Some(|n| format!("{}|1\n", n - 1)),
        into: "spec",
        ..PLAIN
    },
    Family { name: "shift", what: "latches of a shift register", extension: "aag", text: shift, into: "aig", ..PLAIN },
    Family { name: "rules", what: "rules of a C program", extension: "c", text: rules, into: "", code: 10, ..PLAIN },
];

/// Threads written out one by one; one of them must not go twice.
fn threads(n: usize) -> String {
    let each = |i| format!("event go{i}\nthread T{i} {{ state a {{ request go{i} on go{i} -> b }} state b {{ }} }}\n");
    let marker = "thread Marker { state a { on go0 -> b } state b { on go0 -> v } state v { bad } }\n";
    format!("rwb 1\n{}{marker}", (0..n).map(each).collect::<String>())
}

/// Threads that each hold up the next, the last of them a tick: if all were stuck, then by each of them the one before.
fn chain(n: usize) -> String {
    format!(
        "rwb 1\ncheck deadlock\nconst n = {n}\nevent go[n], tick
for i in 0..n {{ thread T[i] {{
  state a {{ request go[i] when i + 1 < n {{ block go[i+1] }} else {{ block tick }} on go[i] -> b }}
  state b {{ }} }} }}
thread Tick {{ state t {{ request tick }} }}\n"
    )
}

/// Everybody has picked the left stick up.
fn dinner(n: usize) -> String {
    format!(
        "rwb 1\nconst n = {n}\nevent pick[n], drop[n]
for i in 0..n {{
  thread Stick[i] {{ init held state free {{ block drop[i] on pick[i] -> held }} state held {{ block pick[i] on drop[i] -> free }} }}
  thread Phil[i] {{ init one state zero {{ request pick[i] on pick[i] -> one }}
    state one {{ request pick[(i+1)%n] on pick[(i+1)%n] -> both }}
    state both {{ request drop[i] on drop[i] -> zero }} }}
}}\n"
    )
}

/// Threads that go on and on, and one that is bad as soon as one of them has gone.
fn alarm(n: usize) -> String {
    format!(
        "rwb 1\ncheck bad\nconst n = {n}\nevent go[n]
for i in 0..n {{ thread T[i] {{ state a {{ request go[i] on go[i] -> b }} state b {{ request go[i] on go[i] -> a }} }} }}
thread Marker {{ state a {{ on go[*] -> v }} state v {{ bad }} }}\n"
    )
}

fn clock(n: usize) -> String {
    format!(
        "rwb 1\nevent tick\nthread T {{ for i in 0..{n} {{ state s[i] {{ request tick on tick -> s[(i+1)%{n}] }} }} }}\n"
    )
}

fn events(n: usize) -> String {
    format!(
        "rwb 1\nevent e[{n}]\nthread T {{ for i in 0..{n} {{ state s[i] {{ request e[i] on e[i] -> s[(i+1)%{n}] }} }} }}\n"
    )
}

/// A token that goes from place to place, to the last.
fn line(n: usize) -> String {
    let places: String = (0..=n).map(|i| format!(" p{i}")).collect();
    let rule = |i| format!("p{i} >= 1 -> p{i}' = p{i} - 1, p{0}' = p{0} + 1;\n", i + 1);
    let empty: String = (1..=n).map(|i| format!(", p{i} = 0")).collect();
    format!("vars\n{places}\nrules\n{}init\np0 = 1{empty}\ntarget\np{n} >= 1\n", (0..n).map(rule).collect::<String>())
}

/// Locks with two processes each.
fn islands(n: usize) -> String {
    let places: String = (0..n).map(|i| format!(" a{i} b{i} l{i}")).collect();
    let rule = |i| {
        format!(
            "a{i} >= 1, l{i} >= 1 -> a{i}' = a{i} - 1, l{i}' = l{i} - 1, b{i}' = b{i} + 1;
b{i} >= 1 -> b{i}' = b{i} - 1, a{i}' = a{i} + 1, l{i}' = l{i} + 1;\n"
        )
    };
    let start: Vec<String> = (0..n).map(|i| format!("a{i} = 2, b{i} = 0, l{i} = 1")).collect();
    let targets: String = (0..n).map(|i| format!("b{i} >= 2\n")).collect();
    let rules: String = (0..n).map(rule).collect();
    format!("vars\n{places}\nrules\n{rules}init\n{}\ntarget\n{targets}", start.join(", "))
}

/// Threads that count the shared state up; what one of them must be in is left when it begins.
fn shared(n: usize) -> String {
    let step = |i| format!("{i} 0 -> {} 0\n", i + 1);
    format!("{n} 2\n{}{} 1 -> 0 1\n", (0..n - 1).map(step).collect::<String>(), n - 1)
}

/// Zeros come in, and a one would have to come out.
fn shift(n: usize) -> String {
    let latch = |i| format!("{} {}\n", 2 * (i + 1), 2 * i);
    format!("aag {n} 0 {n} 0 0 1\n{}{}\n", (0..n).map(latch).collect::<String>(), 2 * n)
}

/// Rules for one variable, and an error after two calls.
fn rules(n: usize) -> String {
    let rule =
        |i| format!("    if (input == 1 && a == {i}) {{ a = {}; printf(\"%d\\n\", 1); return; }}\n", (i + 1) % n);
    format!(
        "#include <stdio.h>\n#include <assert.h>\nint inputs[] = {{1}};\nint a = 0;\nvoid calculate_output(int input) {{
    if (a == 2) {{ error_0: assert(0); }}
{}    fprintf(stderr, \"Invalid input: %d\\n\", input);\n}}
int main() {{ while (1) {{ int input; scanf(\"%d\", &input); calculate_output(input); }} }}\n",
        (0..n).map(rule).collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::{Limits, Source};

    #[test]
    fn every_model_is_one() {
        for family in ALL {
            let source = Source { name: format!("m.{}", family.extension), bytes: (family.text)(10).into_bytes() };
            let read =
                formats::read(source, None, &Limits::default()).unwrap_or_else(|e| panic!("{}: {e}", family.name));
            assert!(read.warnings.is_empty(), "{}: {:?}", family.name, read.warnings);
        }
    }
}
