//! Tests of hostile input: every case ends in an error with a code and a place, within a second and 256 MB, and
//! never in a panic.
//!
//! Small cases are files in `tests/data/hostile`; large ones are generated here. Snapshots show what users see.

use crate::{ALLOCATOR, ALONE, MEMORY, SECONDS, cpu_seconds};
use impasse_readers::{Error, Limits, Source, codes, read, read_cnf};
use miette::{GraphicalReportHandler, GraphicalTheme};
use std::io::{Read, Write};
use std::path::Path;

fn outcome(name: &str, bytes: Vec<u8>) -> Box<Error> {
    let (source, limits) = (Source { name: name.to_owned(), bytes }, Limits::default());
    let result = if name.contains(".cnf") {
        read_cnf(source, &limits).map(|_| ())
    } else {
        read(source, None, &limits).map(|_| ())
    };
    result.expect_err(name)
}

/// Renders an error as it is printed without a terminal.
fn rendered(error: &Error) -> String {
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::none()).with_width(100).with_links(false);
    handler.render_report(&mut text, &error.headed()).unwrap();
    text.lines().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

fn pattern(seed: u64, len: usize) -> Vec<u8> {
    let mut random = testkit::Random::new(seed);
    (0..len).map(|_| (random.bits() >> 56) as u8).collect()
}

fn xz(content: impl Read) -> Vec<u8> {
    let mut out = Vec::new();
    liblzma::read::XzEncoder::new(content, 0).read_to_end(&mut out).unwrap();
    out
}

fn gz(content: impl Read) -> Vec<u8> {
    let mut out = Vec::new();
    flate2::read::GzEncoder::new(content, flate2::Compression::fast()).read_to_end(&mut out).unwrap();
    out
}

fn zeros() -> impl Read {
    std::io::repeat(b' ').take(100 << 20)
}

/// A test case: its name, and a function that generates it.
type Case = (String, Box<dyn Fn() -> Vec<u8>>);

/// Cases too large for files.
fn generated() -> Vec<Case> {
    fn case(name: &str, make: impl Fn() -> String + 'static) -> Case {
        (name.to_owned(), Box::new(move || make().into_bytes()))
    }
    fn bytes(name: &str, make: impl Fn() -> Vec<u8> + 'static) -> Case {
        (name.to_owned(), Box::new(make))
    }
    const GOOD: &[u8] = b"rwb 1\nevent a\nthread T { state s { request a } }\n";
    vec![
        case("long_name.rwb", || format!("rwb 1\nevent {}\n", "x".repeat(200_000))),
        case("long_line.rwb", || format!("rwb 1\nset s = {}none, oops\n", "none, ".repeat(40_000))),
        case("million_parentheses.rwb", || format!("rwb 1\nconst n = {}", "(".repeat(1_000_000))),
        case("million_braces.rwb", || format!("rwb 1\nset s = {}", "{".repeat(1_000_000))),
        case("million_loops.rwb", || format!("rwb 1\nthread T {{ body {{ {}", "loop { ".repeat(1_000_000))),
        case("million_brackets.rwb", || format!("rwb 1\nevent {}", "e[".repeat(1_000_000))),
        case("million_whens.rwb", || format!("rwb 1\n{}", "when 1 { ".repeat(1_000_000))),
        case("million_signs.rwb", || format!("rwb 1\nconst n = {}", "-!".repeat(500_000))),
        case("million_terms.rwb", || format!("rwb 1\nconst n = {}x", "1+".repeat(1_000_000))),
        case("four_million_words.rwb", || format!("rwb 1\nevent {}a", "a,".repeat(4_000_000))),
        case("million_finals.rwb", || format!("rwb 2\nthread T {{ body {{ {}x }} }}", "final ".repeat(1_000_000))),
        case("5000_digits.rwb", || format!("rwb 1\nconst n = {}", "7".repeat(5000))),
        case("squares.rwb", || {
            let square = |i| format!("const a{} = a{i} * a{i}\n", i + 1);
            format!("rwb 1\nconst a0 = 10\n{}", (0..100).map(square).collect::<String>())
        }),
        case("long_names_many_times.rwb", || format!("rwb 1\nevent {}[1000000]\n", "x".repeat(900))),
        case("many_sets.rwb", || {
            let set = |i| format!("set s{i} = e[*][0]\n");
            format!("rwb 1\nevent e[500000][2]\n{}", (0..1000).map(set).collect::<String>())
        }),
        case("many_differences.rwb", || {
            format!("rwb 1\nevent e[1000000]\nthread T {{ state s {{ request *{} }} }}", " - e[*]".repeat(100_000))
        }),
        case("many_shadows.rwb", || {
            let rounds = "for i in 0..1000 { for i in 0..1000 { } } ".repeat(100);
            format!("rwb 1\nconst i = 0\n{rounds}")
        }),
        case("exploding_class.rwb", || {
            let state = |k| format!("state s{k} {{ request e[i] on e[i] -> s{} }}", (k + 1) % 9);
            let states: String = (0..9).map(state).collect();
            let class = |c| format!("class C{c}[i] n {{ {} }}\n", states.replace("e[i]", &format!("e[i][{c}]")));
            format!("rwb 1\nconst n = *\nevent e[n][9]\n{}", (0..9).map(class).collect::<String>())
        }),
        case("exploding_targets.rwb", || {
            let class = |c| format!("class C{c}[i] n {{ init s | t state s {{ request e[i] }} state t {{ }} }}\n");
            format!("rwb 1\nconst n = *\nevent e[n]\n{}", (0..100).map(class).collect::<String>())
        }),
        case("exploding_parts.rwb", || {
            let thread = |t| format!("thread T{t} {{ state s {{ on a -> t }} state t {{ request a on a -> s }} }}\n");
            let threads: String = (0..40).map(thread).collect();
            format!("rwb 1\nconst n = *\nevent a\n{threads}class C[i] n {{ state s {{ }} }}\n")
        }),
        case("many_shared_events.rwb", || {
            let class = "class C[i] n { for k in 0..900 { state s[k] { on * -> s[(k + 1) % 900] } } }";
            format!("rwb 1\nconst n = *\nevent e[2000], f[n]\n{class} thread T {{ state s {{ request * }} }}\n")
        }),
        case("many_assumptions.rwb", || {
            let threads = "for i in 0..60000 { thread T[i] { state s { } } }";
            format!("rwb 1\nfor i in 0..200000 {{ assume end T[i % 60000] in s }}\n{threads}\n")
        }),
        bytes("random.rwb", || pattern(1, 4096)),
        bytes("random.json", || pattern(2, 4096)),
        bytes("random.cnf", || pattern(3, 4096)),
        bytes("random_ascii.rwb", || {
            let ascii = pattern(4, 4096).into_iter().map(|b| b' ' + b % 95);
            b"rwb 1\n".iter().copied().chain(ascii).collect()
        }),
        case("deep.json", || "[".repeat(1_000_000)),
        case("deep_inside.json", || {
            let deep = format!("{}1{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
            format!("{{\"rwb\": 1, \"events\": [], \"threads\": [{deep}]}}")
        }),
        case("long_string.json", || {
            format!("{{\"rwb\": 1, \"events\": [\"{}\"], \"threads\": []}}", "x".repeat(200_000))
        }),
        case("long_key.json", || format!("{{\"rwb\": 1, \"{}\": [], \"threads\": []}}", "x".repeat(200_000))),
        case("long_list.json", || {
            format!("{{\"rwb\": 1, \"threads\": [], \"events\": [{}1]}}", "1,".repeat(8_000_000))
        }),
        case("long_clause.cnf", || format!("p cnf 1 1\n{}", "1 ".repeat(1_000_000))),
        bytes("bomb.rwb.xz", || xz(zeros())),
        bytes("bomb.rwb.gz", || gz(zeros())),
        bytes("bomb_unnamed.rwb", || gz(zeros())),
        bytes("truncated.rwb.xz", || {
            let whole = xz(GOOD);
            whole[..whole.len() - 10].to_vec()
        }),
        bytes("truncated.rwb.gz", || {
            let whole = gz(GOOD);
            whole[..whole.len() - 5].to_vec()
        }),
        bytes("trailing.rwb.xz", || [xz(GOOD), b"more".to_vec()].concat()),
        bytes("trailing.rwb.gz", || [gz(GOOD), b"more".to_vec()].concat()),
        bytes("twice.rwb.xz", || xz(xz(GOOD).as_slice())),
    ]
}

#[test]
fn hostile_input_ends_in_an_error() {
    let _alone = ALONE.lock();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/hostile");
    let mut files: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let mut cases: Vec<Case> = Vec::new();
    for path in files {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        cases.push((name, Box::new(move || std::fs::read(&path).unwrap())));
    }
    cases.extend(generated());
    let (mut report, mut slow) = (String::new(), Vec::new());
    for (name, make) in &cases {
        let bytes = make();
        ALLOCATOR.set_limit(MEMORY).unwrap();
        let before = cpu_seconds();
        let error = outcome(name, bytes);
        let text = rendered(&error);
        let seconds = cpu_seconds() - before;
        ALLOCATOR.set_limit(usize::MAX).unwrap();
        report.push_str(&format!("{name}: {seconds:.2} s\n"));
        if seconds > SECONDS {
            slow.push(format!("{name} took {seconds:.2} s"));
        }
        assert!(codes::find(error.code()).is_some(), "{name}: {}", error.code());
        assert!(text.len() < 2000 && text.lines().all(|l| l.len() < 300), "{name}: {text}");
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{name}: {text}");
        insta::assert_snapshot!(name.replace('.', "_"), text);
    }
    // Shown with `--nocapture`.
    std::io::stderr().write_all(report.as_bytes()).unwrap();
    assert!(cases.len() >= 60);
    assert!(slow.is_empty(), "{slow:?}");
}
