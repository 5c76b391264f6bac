//! Tests of hostile nets and thread-transition systems: each is read exactly or refused with a code, within a
//! second and 256 MB, and never causes a panic.

use crate::{ALLOCATOR, ALONE, MEMORY, SECONDS, cpu_seconds};
use impasse_readers::{Error, Limits, Read, Source, apply_init, codes, read, read_goals};
use model::SystemModel;
use std::io::Write;

/// A test case: its name, a function that generates it, and the code of the error or of the warnings (joined by
/// blanks).
type Case = (&'static str, Box<dyn Fn() -> String>, &'static str);

fn case(name: &'static str, code: &'static str, make: impl Fn() -> String + 'static) -> Case {
    (name, Box::new(make), code)
}

/// Returns a net with one place and one rule in which all numbers are `number`.
fn counting(number: &str) -> String {
    format!("vars x rules x >= {number} -> x' = x - {number}; init x = {number} target x >= {number}")
}

fn joined(count: usize, separator: &str, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(separator)
}

fn specs() -> Vec<Case> {
    let digits = "123456789".repeat(1111);
    let long = digits.clone();
    vec![
        case("a.spec", "", || counting("2147483648")),
        case("b.spec", "", || counting("4294967296")),
        case("c.spec", "", || counting("18446744073709551616")),
        case("5000_digits.spec", "", || counting(&"7".repeat(5000))),
        case("million_digits.spec", "limit::digits", || counting(&"7".repeat(1_000_000))),
        case("many_long_numbers.spec", "", move || {
            let init = joined(1000, ",\n", |p| format!("p{p} = {digits}"));
            format!("vars {} rules init {init} target p0 >= 1", joined(1000, " ", |p| format!("p{p}")))
        }),
        case("many_disjuncts.spec", "", || {
            format!("vars x y rules init x = 0, y = 0 target {}", joined(100_000, "\n", |n| format!("x >= {n}, y = 1")))
        }),
        case("million_atoms.spec", "limit::formula", || {
            format!("vars x rules init x = 0 target {}", "x = 1 ".repeat(2_000_000))
        }),
        case("million_places.spec", "limit::places", || {
            format!("vars {}", joined(1_048_577, " ", |p| format!("p{p}")))
        }),
        case("million_rules.spec", "limit::transitions", || format!("vars x rules {}", "true->;".repeat(1_100_000))),
        case("million_terms.spec", "limit::arcs", || format!("vars x rules true -> x' = x{}", "+x".repeat(5_000_000))),
        case("long_name.spec", "limit::name", || format!("vars {} rules", "x".repeat(200_000))),
        case("unknown_name.spec", "spec::undeclared-variable", || {
            format!("vars {} rules init q = 0", joined(100_000, " ", |p| format!("p{p}")))
        }),
        case("missing_from_init.spec", "spec::missing-from-init", || {
            format!("vars {} rules init target p0 >= 1", joined(100_000, " ", |p| format!("p{p}")))
        }),
        case("many_false_invariants.spec", "spec::false-invariant", || {
            let lines = joined(100_000, "\n", |n| format!("x = {n}, y = 1"));
            format!("vars x y rules true -> x' = x + 1; init x = 0, y = 0 target x >= 2 invariants {lines}")
        }),
        case("many_true_invariants.spec", "spec::unchecked-invariants", || {
            let rules = "x >= 1 -> x' = x - 1, y' = y + 1;\n".repeat(10_000);
            let lines = "x = 1, y = 1\n".repeat(100_000);
            format!("vars x y rules {rules} init x = 0, y = 0 target x >= 2 invariants {lines}")
        }),
        case("long_weights.spec", "spec::unchecked-invariants", move || {
            let rules = format!("x >= {long} -> x' = x - {long}, y' = y + {long};\n").repeat(100);
            let lines = format!("x = {long}, y = {long}\n").repeat(100);
            format!("vars x y rules {rules} init x = 0, y = 0 target x >= 2 invariants {lines}")
        }),
        case("many_implied_guards.spec", "spec::implied-guard", || {
            let rules = "true -> x' = x - 1;\n".repeat(50_000);
            format!("vars x rules {rules} init x = 0 target x >= 2")
        }),
        case("long_conjunction.spec", "spec::repeated-variable", || {
            format!("vars x rules init x = 0 target {}", joined(1_000_000, ",", |_| "x >= 1".to_owned()))
        }),
        case("long_comment.spec", "input::empty", || format!("# {}", "vars x ".repeat(2_000_000))),
        case("only_blanks.spec", "input::empty", || " \n".repeat(10_000_000)),
        case("carriage_returns.spec", "spec::lone-carriage-return", || "\r".repeat(1_000_000)),
        case("brackets.spec", "spec::syntax", || format!("vars x rules x in {}", "[".repeat(1_000_000))),
        case("minus.spec", "spec::negative-number", || format!("vars x rules x >= {}1", "-".repeat(1_000_000))),
        case("negative.spec", "spec::negative-number", || counting("-1")),
    ]
}

fn systems() -> Vec<Case> {
    vec![
        case("many_states.tts", "limit::places", || "1000000 1000000\n".to_owned()),
        case("huge_states.tts", "limit::places", || format!("{} 1\n", "9".repeat(1_000_000))),
        case("million_lines.tts", "limit::transitions", || format!("2 2\n{}", "0 0 -> 1 1\n".repeat(1_100_000))),
        case("million_stutters.tts", "tts::self-loop", || format!("2 2\n{}", "0 0 -> 0 0\n".repeat(1_100_000))),
        case("wide_broadcast.tts", "", || {
            let moves = joined(1_000_000, " ", |n| format!("{} ~> {}", n % 500, n / 500 % 300));
            format!("2 500\n0 0 -> 1 0 {moves}\n")
        }),
        case("many_moves.tts", "limit::passive-moves", || {
            let moves = joined(40, " ", |n| format!("{n} ~> 0"));
            format!("2 40\n{}", format!("0 0 -> 1 0 {moves}\n").repeat(106_000))
        }),
        case("large_target.tts", "", || {
            format!("1|{}\n2 2\n0 0 -> 1 1\n", joined(1_000_000, ",", |n| (n % 2).to_string()))
        }),
        case("many_targets.tts", "tts::repeated-target", || format!("2 2\n{}", "0|0\n".repeat(1_000_000))),
        case("letters.tts", "tts::syntax", || "B".repeat(1_000_000)),
        case("no_end.tts", "tts::syntax", || format!("2 2\n{}", "0 ".repeat(1_000_000))),
        case("only_blanks.tts", "input::empty", || " \n".repeat(10_000_000)),
        case("carriage_returns.tts", "tts::lone-carriage-return", || "\r".repeat(1_000_000)),
        case("binary.tts", "tts::unexpected-character", || "\u{0}\u{1b}[31m".repeat(100_000)),
    ]
}

fn tina() -> Vec<Case> {
    let digits = "123456789".repeat(1111);
    vec![
        case("million_places.net", "limit::places", || joined(1_000_000, "", |p| format!("pl p{p}\n"))),
        case("million_transitions.net", "limit::transitions", || joined(1_100_000, "", |t| format!("tr t{t} ->\n"))),
        case("million_arcs.net", "limit::arcs", || format!("tr t {}", "p ".repeat(5_000_000))),
        case("many_arcs.net", "", || format!("tr t {} ->", "p ".repeat(4_000_000))),
        case("many_large_weights.net", "", move || format!("tr t {} ->", format!("p*{digits} ").repeat(5000))),
        case("long_number.net", "limit::digits", || format!("pl p ({})", "1".repeat(1_000_000))),
        case("long_name.net", "limit::name", || format!("pl {}", "p".repeat(1_000_000))),
        case("long_braced_name.net", "limit::name", || format!("pl {{{}}}", "\\{".repeat(1_000_000))),
        case("open_brace.net", "tina::name", || format!("pl {{{}", "a ".repeat(10_000_000))),
        case("many_braces.net", "tina::name", || "tr {".repeat(1_000_000)),
        case("many_intervals.net", "tina::time", || "tr t [0,1]\n".repeat(1_000_000)),
        case("many_priorities.net", "tina::priority", || "pr t > u\n".repeat(1_000_000)),
        case("many_labels.net", "tina::unknown-name", || {
            "tr t ->\n".to_owned() + &joined(1_000_000, "", |n| format!("lb p{n} a\n"))
        }),
        case("many_test_arcs.net", "tina::repeated-arc", || format!("tr t {} ->", "p?1 ".repeat(1_000_000))),
        case("many_that_never_fire.net", "tina::never-enabled", || {
            joined(500_000, "", |t| format!("tr t{t} p?-1 p ->\n"))
        }),
        case("many_markings.net", "", || "pl p (1E)\n".repeat(1_000_000)),
        case("only_comments.net", "input::empty", || "# a\n".repeat(5_000_000)),
        case("only_notes.net", "input::empty", || "nt n 0 {a}\n".repeat(2_000_000)),
        case("arrows.net", "tina::syntax", || "->".repeat(1_000_000)),
        case("binary.net", "tina::syntax", || "\u{0}\u{1b}[31m".repeat(100_000)),
    ]
}

fn outcome(result: &Result<Read, Box<Error>>) -> String {
    match result {
        Ok(read) => read.warnings.iter().map(Error::code).collect::<Vec<_>>().join(" "),
        Err(error) => error.code().to_owned(),
    }
}

#[test]
fn hostile_nets_are_read_or_refused() {
    let _alone = ALONE.lock();
    let (mut report, mut wrong) = (String::new(), Vec::new());
    let mut measure = |name: &str, expected: &str, run: &dyn Fn() -> String| {
        // An allocation beyond the limit aborts the test, so the name of each case is printed first.
        std::io::stderr().write_all(format!("{name}\n").as_bytes()).unwrap();
        ALLOCATOR.set_limit(ALLOCATOR.allocated() + MEMORY).unwrap();
        let before = cpu_seconds();
        let outcome = run();
        let seconds = cpu_seconds() - before;
        ALLOCATOR.set_limit(usize::MAX).unwrap();
        report.push_str(&format!("{name}: {seconds:.2} s\n"));
        if seconds > SECONDS || outcome != expected {
            wrong.push(format!("{name}: {outcome:?}, expected {expected:?}; {seconds:.2} s"));
        }
        assert!(outcome.split(' ').all(|code| code.is_empty() || codes::find(code).is_some()), "{name}");
    };
    for (name, make, expected) in specs().iter().chain(&systems()).chain(&tina()) {
        let text = make();
        let run = || {
            let source = Source { name: (*name).to_owned(), bytes: text.clone().into_bytes() };
            outcome(&read(source, None, &Limits::default()))
        };
        measure(name, expected, &run);
    }
    let system = |text: &str, name: &str| {
        let source = Source { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
        read(source, None, &Limits::default()).unwrap().problem
    };
    let threads = system("2 2\n0 0 -> 1 1\n", "t.tts");
    let places = joined(100_000, " ", |p| format!("p{p}"));
    let init = joined(100_000, ",", |p| format!("p{p} >= 0"));
    let net = system(&format!("vars {places} rules init {init} target p0 >= 1"), "t.spec");
    assert!(matches!(net.system(), SystemModel::Net(_)));
    let inits = [
        (&net, joined(100_000, ",", |p| format!("p{p}={p}")), ""),
        (&net, joined(100_000, ",", |p| format!("q{p}={p}")), "init::unknown-place"),
        (&net, "p0=1,".repeat(100_000), "init::syntax"),
        (&net, ",".repeat(1_000_000), "init::syntax"),
        (&net, format!("p0={}", "1".repeat(1_000_000)), "limit::digits"),
        (&threads, format!("0|{}", joined(1_000_000, ",", |_| "1".to_owned())), ""),
        (&threads, "/".repeat(1_000_000), "init::syntax"),
    ];
    for (i, (problem, spec, expected)) in inits.iter().enumerate() {
        let run = || apply_init(&mut (*problem).clone(), spec).err().map_or(String::new(), |e| e.code().to_owned());
        measure(&format!("init {i}"), expected, &run);
    }
    let props = [
        (format!("0|{}", joined(1_000_000, ",", |_| "1".to_owned())), ""),
        ("0|0\n".repeat(1_000_000), "tts::repeated-target"),
        (format!("0|{}", ",".repeat(1_000_000)), "tts::syntax"),
        (" \n".repeat(10_000_000), "input::empty"),
    ];
    for (i, (text, expected)) in props.iter().enumerate() {
        let run = || {
            let source = Source { name: "t.prop".to_owned(), bytes: text.clone().into_bytes() };
            let result = read_goals(source, None, &mut threads.clone(), &Limits::default());
            result.err().map_or(String::new(), |e| e.code().to_owned())
        };
        measure(&format!("prop {i}"), expected, &run);
    }
    // Shown with `--nocapture`.
    std::io::stderr().write_all(report.as_bytes()).unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
