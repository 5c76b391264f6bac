//! Tests of BPjs programs in several files, and of their marks.

use crate::read_as;
use formats::{Error, Limits, Read, Source};
use impasse_readers::read_files;
use miette::Diagnostic;
use model::{LocalId, Program, ThreadId};

fn read(files: &[(&str, &str)]) -> Result<Read, Box<Error>> {
    let source = |(name, text): &(&str, &str)| Source { name: (*name).to_owned(), bytes: text.as_bytes().to_vec() };
    read_files(files.iter().map(source).collect(), None, &Limits::default())
}

fn program(read: Read) -> Program {
    Program::clone(read.problem.system().as_program().expect("a program"))
}

const LIBRARY: &str = "// @strategy simple\nfunction move(x) { return bp.Event('move', x); }";

#[test]
fn files_are_read_as_one_text_and_states_are_lines_of_their_files() {
    let main = "bp.registerBThread('A', () => {\n  bp.sync({request: move(1)});\n});\n";
    let more = "\nbp.registerBThread('B', () => bp.sync({waitFor: move(1)}));";
    let program = program(read(&[("lib.js", LIBRARY), ("main.js", main), ("more.js", more)]).expect("a program"));
    assert_eq!(program.events(), ["move(1)"]);
    let place = |t| {
        let position = program.position(ThreadId(t), LocalId(0)).expect("a position");
        (position.file.map(str::to_owned), position.line)
    };
    assert_eq!(place(0), (Some("main.js".to_owned()), 2));
    assert_eq!(place(1), (Some("more.js".to_owned()), 2));
}

#[test]
fn members_of_a_group_are_shown_with_their_files() {
    let main =
        "bp.store.put('a', 1);\nbp.registerBThread('A', () => {\n  bp.sync({request: move(bp.store.get('a'))});\n});";
    let program = program(read(&[("lib.js", LIBRARY), ("main.js", main)]).expect("a program"));
    let position = program.position(ThreadId(0), LocalId(0)).expect("a position");
    assert_eq!(position.values, "A at main.js:3, store a = 1");
}

#[test]
fn mistakes_and_warnings_are_said_of_the_right_file() {
    let error = read(&[("lib.js", LIBRARY), ("main.js", "\n  bp.registerBThread(() => bp.sync({request: mov(1)}));")]);
    let error = error.expect_err("a wrong name");
    assert_eq!(
        (error.source_name(), error.line_column(), error.code()),
        ("main.js", Some((2, 46)), "js::unknown-name")
    );
    let error = read(&[("lib.js", "let a = ;\n"), ("main.js", "")]).expect_err("a wrong text");
    assert_eq!((error.source_name(), error.line_column()), ("lib.js", Some((1, 9))));
    let warned = read(&[
        ("lib.js", LIBRARY),
        ("main.js", "if (!N) N = 1;\nbp.registerBThread(() => bp.sync({request: move(N)}));"),
    ]);
    let warnings = warned.expect("a program").warnings;
    assert_eq!((warnings[0].source_name(), warnings[0].line_column()), ("main.js", Some((1, 6))));
    let error = read(&[("a.rwb", "rwb 1"), ("b.rwb", "")]).expect_err("one file only");
    assert_eq!(error.code(), "input::unknown-format");
}

#[test]
fn a_mark_says_that_the_program_may_end_where_a_thread_blocks_all_events() {
    let text = "bp.registerBThread('Player', () => { while (true) bp.sync({request: bp.Event('x')}); });
        bp.registerBThread('Over', () => { bp.sync({waitFor: bp.Event('x')}); bp.sync({block: bp.all}); });";
    let plain = program(read_as("t.js", text).expect("a program"));
    assert!(!plain.has_stops() && !plain.may_end(&[0, 1]));
    let marked = program(read_as("t.js", &format!("// @ends stopped\n{text}")).expect("a program"));
    assert!(marked.has_stops() && marked.may_end(&[0, 1]) && !marked.may_end(&[0, 0]));
    let error = read_as("t.js", &format!("// @ends stoped\n{text}")).expect_err("a wrong mark");
    assert!(error.help().expect("a hint").to_string().contains("did you mean `stopped`"));
}

#[test]
fn keys_of_the_store_are_counted_and_found() {
    let text = "bp.store.put('a', 1); bp.store.put('b', 2); bp.store.remove('a');
        bp.registerBThread('T', () => {
          const has = k => bp.store.keys().contains(k);
          bp.sync({request: bp.Event('e', [bp.store.keys().size(), has('a'), has('b'), bp.store.keys().isEmpty()])});
        });";
    assert_eq!(program(read_as("t.js", text).expect("a program")).events(), ["e([1,false,true,false])"]);
    // A set of Java is no value, and has an order that is not known.
    for other in ["const keys = bp.store.keys();", "bp.store.keys().iterator();", "for (const k of bp.store.keys()) {}"]
    {
        let error = read_as("t.js", &format!("bp.registerBThread(() => {{ {other} }});")).expect_err(other);
        assert_eq!(error.code(), "js::unsupported", "{other}");
    }
}

/// The members of a group share the store. Their blocks together are all events, but no member blocks all events.
#[test]
fn b_threads_that_block_each_other_do_not_end_the_program() {
    let text = |first: &str, block: &str| {
        format!(
            "// @ends stopped
            bp.registerBThread('A', () => {{ {first} bp.sync({{request: bp.Event('a'), block: bp.Event('b')}}); }});
            bp.registerBThread('B', () => {{ {first} bp.sync({{request: bp.Event('b'), block: {block}}}); }});"
        )
    };
    for (first, block, ends) in [
        ("", "bp.Event('a')", false),
        ("bp.store.put('k', 1);", "bp.Event('a')", false),
        ("bp.store.put('k', 1);", "bp.all", true),
    ] {
        let program = program(read_as("t.js", &text(first, block)).expect("a program"));
        let start: Vec<u32> = program.threads().iter().map(|thread| thread.initial[0].0).collect();
        assert_eq!(program.may_end(&start), ends, "{first} {block}");
    }
}

#[test]
fn marks_are_comments_on_lines_of_their_own() {
    let threads = "\nbp.registerBThread('A', () => bp.sync({request: bp.Event('a'), block: bp.all}));";
    for (text, is_mark) in [
        ("  // @ends stopped", true),
        ("// @ends proper\n// @ends stopped", true),
        ("// @ends stopped\n// @ends proper", false),
        ("const s = `\n// @ends stopped\n`;", false),
        ("/*\n// @ends stopped\n*/", false),
        ("const n = 1; // @ends stopped", false),
    ] {
        let program = program(read_as("t.js", &format!("{text}{threads}")).expect("a program"));
        assert_eq!(program.has_stops(), is_mark, "{text}");
    }
}

#[test]
fn files_that_mean_something_else_in_one_text_are_refused() {
    let thread = "bp.registerBThread(() => bp.sync({request: bp.Event('e', 1)}));";
    let refused = |first: &str, second: &str| {
        let error = read(&[("a.js", first), ("b.js", &format!("{second}\n{thread}"))]).expect_err(second);
        (error.code(), error.source_name().to_owned(), error.line_column().map_or(0, |(line, _)| line))
    };
    assert_eq!(refused("/* open", "/* c */"), ("js::syntax", "a.js".to_owned(), 1));
    assert_eq!(refused("function f() {", "}"), ("js::syntax", "a.js".to_owned(), 1));
    assert_eq!(refused("let v = 1 +", "2;"), ("js::syntax", "a.js".to_owned(), 1));
    for first in ["function f() { return 1; }", "var f = 1;", "f = 1;"] {
        assert_eq!(refused(first, "function f() { return 2; }"), ("js::syntax", "b.js".to_owned(), 1), "{first}");
    }
    assert_eq!(refused("'use strict';", "const a = 1;").0, "js::unsupported");
    // A statement ends with its file.
    let both = read(&[("a.js", "const g = function() { return 1; }"), ("b.js", &format!("(() => {{ {thread} }})()"))]);
    assert_eq!(program(both.expect("a program")).events(), ["e(1)"]);
}

#[test]
fn defined_variables_stand_in_a_text_of_their_own() {
    let define = |name: &str, text: &str| {
        let source = Source { name: "t.js".to_owned(), bytes: text.as_bytes().to_vec() };
        let limits = Limits { defines: vec![(name.to_owned(), "3".to_owned())], ..Limits::default() };
        impasse_readers::read(source, None, &limits)
    };
    let text = "bp.registerBThread(() => bp.sync({request: bp.Event('e', N)}));";
    let found = program(define("N", text).expect("a program"));
    assert_eq!(found.events(), ["e(3)"]);
    let position = found.position(ThreadId(0), LocalId(0)).expect("a position");
    assert_eq!((position.file, position.line), (None, 1));
    let error = define("N", "bp.registerBThread(() => M);").expect_err("a wrong name");
    assert_eq!((error.source_name(), error.line_column()), ("t.js", Some((1, 26))));
    assert_eq!(define("if", text).expect_err("no name").source_name(), "--define");
    // A name of the environment failed later, where the program used it.
    for name in ["bp", "Math", "undefined"] {
        let error = define(name, text).expect_err("no name");
        assert!(error.source_name() == "--define" && error.help().is_some(), "{name}: {error}");
    }
}
