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
    assert_eq!(position.values, "A at main.js:3; store a = 1");
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
          const keys = bp.store.keys();
          bp.sync({request: bp.Event('e', [keys.size(), keys.contains('a'), keys.contains('b'), keys.isEmpty()])});
        });";
    assert_eq!(program(read_as("t.js", text).expect("a program")).events(), ["e([1,false,true,false])"]);
}
