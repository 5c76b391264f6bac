//! Tests of programs with arbitrarily many threads: the net of a program with classes has the behavior of the
//! program for each number of threads.
//!
//! A text with `const n = *` and the same text with `const n = 3` have the same states up to the identity of
//! threads. The test counts the threads of each composite state by the names of their places, and compares these
//! counts with the markings.

use crate::{read_as, refusal};
use model::{Goal, Net, Problem, Program, SystemModel, Transition};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use testkit::Random;
use testkit::net::{least, successors};
use testkit::program::{goal, truth};

/// The tokens of each place, without empty places.
type Counts = BTreeMap<String, u32>;

/// The reachable markings without bad states, and whether bad states and deadlocks are reachable.
#[derive(PartialEq, Eq, Debug)]
struct Reached {
    markings: BTreeSet<Counts>,
    bad: bool,
    deadlock: bool,
}

fn problem(text: &str) -> Problem {
    read_as("test.rwb", text).unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.line_column())).problem
}

fn net(text: &str) -> (Problem, Net) {
    let problem = problem(text);
    let SystemModel::Net(net) = problem.system() else { panic!("a net: {text}") };
    let net = Net::clone(net);
    (problem, net)
}

/// Returns the text with the numbers `n` and `m` in place of open numbers.
fn fixed(text: &str, n: usize, m: usize) -> String {
    text.replace("const n = *", &format!("const n = {n}")).replace("const m = *", &format!("const m = {m}"))
}

/// Explores a program by brute force.
fn of_program(program: &Program, most: usize) -> Option<Reached> {
    let mut reached = Reached { markings: BTreeSet::new(), bad: false, deadlock: false };
    for state in truth(program, most)?.depths.into_keys() {
        let goal = goal(program, &state);
        reached.bad |= goal == Some(Goal::Bad);
        reached.deadlock |= goal == Some(Goal::Deadlock);
        if goal != Some(Goal::Bad) {
            reached.markings.insert(counted(program, &state));
        }
    }
    Some(reached)
}

/// Converts a composite state to counts. Threads `C[0]` and `D[0]` are counted together as `C[i].s+D[i].t`.
/// Threads of the range m have names of their own.
fn counted(program: &Program, state: &[u32]) -> Counts {
    let mut parts: BTreeMap<(bool, String), Vec<(usize, String)>> = BTreeMap::new();
    for (thread, s) in program.threads().iter().zip(state) {
        let (base, index) = thread.name.split_once('[').map_or((thread.name.as_str(), None), |(b, i)| (b, Some(i)));
        let local = &thread.states[*s as usize].name;
        match index {
            None => parts.entry((false, format!(" {base}"))).or_default().push((1, format!("{base}.{local}"))),
            Some(index) => {
                let part = (thread.states.len(), format!("{base}[i].{local}"));
                parts.entry((is_of_m(base), index.to_owned())).or_default().push(part);
            }
        }
    }
    let mut counts = Counts::new();
    for parts in parts.values() {
        let several: Vec<&str> =
            parts.iter().filter(|(states, _)| *states > 1).map(|(_, name)| name.as_str()).collect();
        let name = if several.is_empty() { parts[0].1.clone() } else { several.join("+") };
        *counts.entry(name).or_insert(0) += 1;
    }
    counts
}

/// True if a place or class with this name belongs to the range m.
fn is_of_m(name: &str) -> bool {
    ["E", "Writer", "Watch"].contains(&name.split('[').next().unwrap_or(name))
}

/// Explores a net by brute force, with `n` and `m` tokens on the open places.
fn of_net(problem: &Problem, net: &Net, n: usize, m: usize, most: usize) -> Option<Reached> {
    let mut start: Vec<u32> = least(net);
    for place in net.open_places() {
        assert_eq!(start[place.index()], 1, "a range has one index at least");
        start[place.index()] = if is_of_m(&net.place(place).name) { m } else { n } as u32;
    }
    // A place is bad if a transition without effect, called `.. stays`, has it as its guard.
    let name = |p: usize| net.places()[p].name.as_str();
    let stays = |t: &Transition| t.effects.is_empty() && t.name.ends_with(" stays");
    let bad: Vec<usize> = net.transitions().iter().filter(|t| stays(t)).map(|t| t.guards[0].place.index()).collect();
    let decided = |at: &[u32]| (0..at.len()).all(|p| at[p] == 0 || !name(p).contains('|'));
    let mut reached = Reached { markings: BTreeSet::new(), bad: false, deadlock: false };
    let (mut seen, mut work) = (HashSet::from([start.clone()]), vec![start]);
    while let Some(at) = work.pop() {
        if seen.len() > most {
            return None;
        }
        if bad.iter().any(|p| at[*p] > 0) {
            reached.bad = true;
            continue;
        }
        let next: Vec<Vec<u32>> = successors(net, &at).collect();
        reached.deadlock |= next.is_empty();
        if decided(&at) {
            let counts = at.iter().enumerate().filter(|(_, n)| **n > 0).map(|(p, n)| (name(p).to_owned(), *n));
            reached.markings.insert(counts.collect());
        }
        for marking in next {
            if seen.insert(marking.clone()) {
                work.push(marking);
            }
        }
    }
    let asked = problem.formulas()[0].nodes().iter().filter(|n| matches!(n, model::Node::AtLeast(_))).count();
    assert_eq!(asked, bad.len(), "the goal names the bad places");
    Some(reached)
}

/// Compares the net of `text` with the programs for small numbers. Returns whether bad states and deadlocks are
/// reachable in the last comparison.
fn compare(text: &str) -> Option<(bool, bool)> {
    let (problem, net) = net(text);
    let two = text.contains("const m = *");
    let mut last = None;
    for n in 1..=3 {
        for m in 1..=if two { 2 } else { 1 } {
            let plain = self::problem(&fixed(text, n, m));
            let Some(expected) = of_program(plain.system().as_program().expect("a program"), 20_000) else { continue };
            let found = of_net(&problem, &net, n, m, 100_000).expect("fewer markings than composite states, about");
            assert_eq!(found, expected, "n = {n}, m = {m}\n{text}");
            last = Some((found.bad, found.deadlock));
        }
    }
    last
}

/// Returns random states of a thread over these events.
fn members(random: &mut Random, events: &[&str]) -> String {
    let count = 1 + random.below(3);
    let mut text = String::new();
    let target = |random: &mut Random| match random.below(6) {
        0 => format!("s{} | s{}", random.below(count), random.below(count)),
        _ => format!("s{}", random.below(count)),
    };
    if random.below(8) == 0 {
        text += &format!("init {} ", target(random));
    }
    for s in 0..count {
        text += &format!("state s{s} {{ ");
        if s > 0 && random.below(3) == 0 {
            text += "bad ";
        }
        for _ in 0..random.below(3) {
            text += &format!("request {} ", random.pick(events));
        }
        if random.below(2) == 0 {
            text += &format!("block {} ", random.pick(events));
        }
        for _ in 0..random.below(3) {
            let to = target(random);
            text += &format!("on {} -> {to} ", random.pick(events));
        }
        text += "} ";
    }
    text
}

/// Returns a small random program with classes.
fn random_program(random: &mut Random) -> String {
    let (second, foreign) = (random.below(3) == 0, random.below(4) == 0);
    let mut text = "rwb 1\nconst n = *\nevent p[n], q[2][n], a, b\n".to_owned();
    if foreign {
        text += "const m = *\nevent r[m]\n";
    }
    let mut ordinary = vec!["p[*]", "q[0][*]", "q[*][*]", "a", "b", "a"];
    let mut of_class = vec!["p[i]", "p[i]", "p[*]", "p[*] - p[i]", "q[0][i]", "q[*][i]", "q[1][*]", "a", "b", "* - b"];
    let mut of_other = vec!["r[i]", "r[*]", "p[*]", "a", "b"];
    if foreign {
        ordinary.push("r[*]");
        of_class.push("r[*]");
    }
    of_other.push("r[*] - r[i]");
    for t in 0..random.below(3) {
        text += &format!("thread T{t} {{ {}}}\n", members(random, &ordinary));
    }
    text += &format!("class C[i] n {{ {}}}\n", members(random, &of_class));
    if second {
        text += &format!("class D[i] n {{ {}}}\n", members(random, &of_class));
    }
    if foreign {
        text += &format!("class E[i] m {{ {}}}\n", members(random, &of_other));
    }
    text
}

#[test]
fn nets_of_random_programs_have_the_markings_of_the_programs() {
    let mut random = Random::new(7);
    let mut answers = BTreeMap::new();
    for _ in 0..3000 {
        let text = random_program(&mut random);
        if let Some(answer) = compare(&text) {
            *answers.entry(answer).or_insert(0) += 1;
        }
    }
    let total: usize = answers.values().sum();
    assert!(total > 2500 && answers.len() == 4 && answers.values().all(|n| *n > 8), "{answers:?}");
}

#[test]
fn examples_say_the_same_for_each_number() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/");
    for (name, bad) in [("semaphore_any", false), ("readers_writers_any", false), ("web_guard_any", false)] {
        let text = std::fs::read_to_string(format!("{examples}{name}.rwb")).unwrap();
        let (found, deadlock) = compare(&text).expect("small enough");
        assert_eq!((found, deadlock), (bad, false), "{name}");
    }
}

/// Returns the transitions with their guards, one in each line.
fn shown(net: &Net) -> String {
    let name = |p: model::PlaceId| &net.place(p).name;
    let mut lines = Vec::new();
    for t in net.transitions() {
        let guards = t.guards.iter().map(|g| match &g.range.at_most {
            Some(most) => format!("{} in {}..{most}", name(g.place), g.range.at_least),
            None => format!("{} >= {}", name(g.place), g.range.at_least),
        });
        let effects = t.effects.iter().map(|e| {
            let sources: Vec<&str> = e.sources.iter().map(|p| name(*p).as_str()).collect();
            format!(
                "{}' = {} {:+}",
                name(e.place),
                if sources.is_empty() { "0".into() } else { sources.join(" + ") },
                e.add
            )
        });
        let parts = |list: Vec<String>| list.join(", ");
        lines.push(format!("{}: {} => {}", t.name, parts(guards.collect()), parts(effects.collect())));
    }
    lines.join("\n")
}

const LOCK: &str = "rwb 1\nconst n = *\nevent get[n], put[n]\n\
    thread Lock { state free { on get[*] -> taken } state taken { block get[*] on put[*] -> free } }\n\
    class P[k] n { state idle { request get[k] on get[k] -> busy } state busy { request put[k] on put[k] -> idle } }\n";

#[test]
fn own_events_move_one_token() {
    let (_, net) = net(LOCK);
    assert!(net.is_monotone());
    let names: Vec<&str> = net.places().iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["P[k].idle", "P[k].busy", "Lock.free", "Lock.taken"]);
    assert_eq!(net.open_places().len(), 1);
    let text = shown(&net);
    assert!(
        text.contains(
            "get[i]: P[k].idle >= 1, Lock.free >= 1 => P[k].idle' = P[k].idle -1, P[k].busy' = P[k].busy +1, \
             Lock.free' = Lock.free -1, Lock.taken' = Lock.taken +1"
        ),
        "{text}"
    );
}

#[test]
fn indices_without_threads_are_counted_too() {
    let (_, net) =
        net("rwb 1\nconst n = *\nevent e[n]\nthread T { state s { request e[*] on e[*] -> t } state t { bad } }");
    assert_eq!(shown(&net), "e[i]: n >= 1, T.s >= 1 => T.s' = T.s -1, T.t' = T.t +1\nT.t stays: T.t >= 1 => ");
}

#[test]
fn blocking_by_a_class_is_a_zero_test_and_shared_events_are_transfers() {
    let (_, net) = net("rwb 1\nconst n = *\nevent e[n], all\nthread T { state t { request all } }\n\
        class C[i] n { state a { request e[i] on e[i] -> b } state b { block e[*] on all -> a } }\n");
    let text = shown(&net);
    assert!(text.contains("e[i]: C[i].a >= 1, C[i].b in 0..0 => C[i].a' = C[i].a -1, C[i].b' = C[i].b +1"), "{text}");
    assert!(text.contains("all: T.t >= 1 => C[i].a' = C[i].a + C[i].b +0, C[i].b' = 0 +0"), "{text}");
}

#[test]
fn classes_of_a_fixed_number_are_loops() {
    let classes = problem(&fixed(LOCK, 3, 1));
    let loops =
        LOCK.replace("const n = *", "const n = 3").replace("class P[k] n {", "for k in 0..n { thread P[k] {") + "}";
    assert_eq!(
        classes.system().as_program().expect("a program"),
        problem(&loops).system().as_program().expect("a program")
    );
    assert!(
        problem("rwb 1\nconst n = *\nthread T { state s { } }")
            .system()
            .as_program()
            .expect("a program")
            .threads()
            .len()
            == 1,
        "unused"
    );
    assert_eq!(
        problem("rwb 1\nevent class, assume[2], length\nclass C[i] 0 { state s { } }")
            .system()
            .as_program()
            .expect("a program")
            .events()
            .len(),
        4
    );
}

#[test]
fn what_tells_threads_apart_is_refused() {
    let class =
        |members: &str| format!("const n = *\nconst m = *\nevent e[n], f[2]\nevent g[m]\nclass C[i] n {{ {members} }}");
    for (members, code) in [
        ("state s { request e[i + 1] }", "rwb::class-index"),
        ("state s { request e[(i + 1) % n] }", "rwb::class-index"),
        ("state s { request e[0] }", "rwb::class-index"),
        ("state s { request e[0..2] }", "rwb::class-index"),
        ("state s { request g[i] }", "rwb::class-index"),
        ("state s { request f[i] }", "rwb::class-identity"),
        ("state s { when i == 0 { bad } }", "rwb::class-identity"),
        ("state s[i] { }", "rwb::class-identity"),
        ("body { repeat i { request e[i] } }", "rwb::class-identity"),
        ("body { repeat n { request e[i] } }", "rwb::any-number"),
        ("state s { when n > 2 { bad } }", "rwb::any-number"),
    ] {
        assert_eq!(refusal(&class(members)), (code, 6), "{members}");
    }
    assert_eq!(refusal("const n = *\nevent e[n]\nthread T { state s { request e[0] } }"), ("rwb::class-index", 4));
    assert_eq!(refusal("const n = *\nevent e[n][n]"), ("rwb::class-event", 3));
    assert_eq!(refusal("const n = *\nevent e[n + 1]"), ("rwb::any-number", 3));
    assert_eq!(refusal("class C[i] * { state s { } }"), ("rwb::syntax", 2));
    assert_eq!(refusal("class C[i] 0 - 1 { state s { } }"), ("rwb::backward-range", 2));
    assert_eq!(
        refusal("const n = *\nclass C[i] n { state s { } }\nclass C[i] n { state s { } }"),
        ("rwb::duplicate-name", 4)
    );
    assert_eq!(refusal("const n = *\nassume length > 2\nclass C[i] n { state s { } }"), ("rwb::assume-class", 3));
}

#[test]
fn explosions_end_at_a_limit() {
    let classes: String = (0..30)
        .map(|c| {
            format!(
                "class C{c}[i] n {{ for k in 0..8 {{ state s[k] {{ request \
                                                   e[i][{c}] on e[i][{c}] -> s[(k+1)%8] }} }} }}\n"
            )
        })
        .collect();
    let error = read_as("t.rwb", &format!("rwb 1\nconst n = *\nevent e[n][30]\n{classes}")).unwrap_err();
    assert!(["limit::unrolled", "limit::places"].contains(&error.code()), "{error}");
    let threads: String = (0..30)
        .map(|t| format!("thread T{t} {{ state s {{ on a -> t }} state t {{ request a on a -> s }} }}\n"))
        .collect();
    let error = read_as("t.rwb", &format!("rwb 1\nconst n = *\nevent a\n{threads}class C[i] n {{ state s {{ }} }}"))
        .unwrap_err();
    assert!(["limit::unrolled", "limit::transitions", "limit::arcs"].contains(&error.code()), "{error}");
}
