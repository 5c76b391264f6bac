//! Tests of functions with bodies in another file: what such a file may contain, and what is refused, in which
//! file and with which message.

use impasse_readers::{Error, Limits, Source, read_files};
use miette::Diagnostic;
use model::{Reactive, SystemModel};

const MAIN: &str = "\nint main() { while (1) { int input; scanf(\"%d\", &input); f(input); } }\n";

fn read(name: &str, program: &str, bodies: &str) -> Result<Reactive, Box<Error>> {
    let source = |name: &str, text: &str| Source { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
    let text = format!("int inputs[] = {{1, 2}};\nint x = 0;\n{program}{MAIN}");
    let read = read_files(vec![source(name, &text), source("bodies.c", bodies)], None, &Limits::default())?;
    match read.problem.system() {
        SystemModel::Reactive(program) => Ok(Reactive::clone(program)),
        _ => panic!("no reactive program"),
    }
}

/// Returns file, line, column, code, message and hints of the error.
fn refusal(program: &str, bodies: &str) -> String {
    let error = read("t.c", program, bodies).expect_err(bodies);
    let place = error.line_column().map_or_else(String::new, |(line, column)| format!("{line}:{column}: "));
    let label = error.labels().and_then(|mut l| l.next()?.label().map(str::to_owned)).unwrap_or_default();
    let help = error.help().map_or_else(String::new, |help| format!(" [{help}]"));
    format!("{}:{place}{} {}: {label}{help}", error.source_name(), error.code(), error.headed()).replace('\n', "; ")
}

#[test]
fn bodies_use_names_of_both_files() {
    let program = "extern int g(int);\nextern void h();\nint f(int input) { h(); return g(input); }";
    let bodies = "int own = 3;\nvoid more(int input);\nint g(int input) { if (x == own) { error_4: assert(0); } \
                  more(input); return x; }\n\
                  void h() { x = (x + 1); }\nvoid more(int input) { own = input; }\n";
    let read = read("t.c", program, bodies).expect("a program");
    assert_eq!((read.errors(), read.inputs()), (&[4][..], &[1, 2][..]));
    let names: Vec<&str> = (0..read.function_count()).map(|i| read.function_name(model::FunctionId::new(i))).collect();
    assert_eq!(names, ["f", "h", "g", "more"]);
}

#[test]
fn the_same_program_in_one_file_or_two() {
    let (declared, rest) =
        ("extern int g(int);\nint f(int input) { return g(input); }", "int g(int input) { x = input; return 21; }");
    let whole = read("t.c", &format!("{declared}\n{rest}"), "").expect("a program");
    let apart = read("t.c", declared, rest).expect("a program");
    assert_eq!(format!("{apart:?}"), format!("{whole:?}"));
}

#[test]
fn what_is_wrong_is_said_of_the_right_file() {
    let calls = "extern int g(int);\nint f(int input) { return g(input); }";
    for (program, bodies, expected) in [
        (
            calls,
            "int other(int input) { return 1; }\n",
            "t.c:4:27: c::extern `g` is called but has no body: a function of another file \
             [the file named with `--extern` has no body of `g` either]",
        ),
        (
            calls,
            "int y = 1;\nint g() { return 1; }\n",
            "bodies.c:2:5: c::type `g` was declared with one parameter and has no parameter here: not as declared",
        ),
        (
            "extern int g(int, int);\nint f(int input) { return g(input); }",
            "int g(int input) { return 1; }\n",
            "t.c:4:27: c::argument `g` has 2 parameters: expected the input as its argument",
        ),
        (
            "int g();\nint f(int input) { return g(); }",
            "int g(int input) { return 1; }\n",
            "t.c:4:27: c::argument `g` has one parameter: expected the input as its argument",
        ),
        (
            "extern int g(int);\nint f(int input) { return g(input); }\nint g(int input) { return 1; }",
            "int g(int input) { return 2; }\n",
            "bodies.c:1:5: c::declared-twice `g` is declared twice: declared before",
        ),
        (
            calls,
            "int g(int input) { return 1; }\nint g(int input) { return 2; }\n",
            "bodies.c:2:5: c::declared-twice `g` is declared twice: declared before",
        ),
        (
            calls,
            "void g(int input) { x = 1; }\n",
            "bodies.c:1:6: c::type `g` was declared with another type: not as declared",
        ),
        (
            calls,
            "int x = 2;\nint g(int input) { return 1; }\n",
            "bodies.c:1:5: c::declared-twice `x` is declared twice: declared before",
        ),
        (
            calls,
            "int g(int input) { return 1; }\nint main() { }\n",
            "bodies.c:2:5: c::declared-twice `main` is declared twice: declared before",
        ),
        (
            calls,
            "int g(int input) { while (1) { } }\n",
            "bodies.c:1:20: c::loop a loop outside `main`: not in the C subset \
             [the only loop is that of `main`, which reads inputs for ever]",
        ),
        (
            calls,
            "int g(int input) { return f(input); }\n",
            "t.c:4:5: c::recursion `f` calls itself, directly or through other functions: recursion",
        ),
    ] {
        assert_eq!(refusal(program, bodies), expected, "{program}\n{bodies}");
    }
}

#[test]
fn what_the_program_leaves_open_is_an_error_of_the_program() {
    let source = |name: &str, text: &str| Source { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
    let bodies = || source("bodies.c", "}\n");
    let error = read_files(vec![source("t.c", "void f(int input) {\n"), bodies()], None, &Limits::default());
    let error = error.expect_err("not closed");
    assert_eq!((error.source_name(), error.line_column()), ("t.c", Some((2, 1))));
    let error = read_files(vec![source("t.spec", ""), bodies()], None, &Limits::default()).expect_err("no C");
    assert_eq!(error.code(), "input::unknown-format");
}

#[test]
fn calls_have_as_many_arguments_as_there_are_parameters() {
    for (program, expected) in [
        ("void g(int input) { x = input; }\nvoid f(int input) { g(); }", Some("c::argument")),
        ("void g(void) { x = 1; }\nvoid f(int input) { g(input, 1); }", Some("c::argument")),
        ("void g(void);\nvoid f(int input) { g(input); }\nvoid g(void) { x = 1; }", Some("c::argument")),
        ("void g(void);\nvoid g(int input) { x = 1; }\nvoid f(int input) { g(input); }", Some("c::type")),
        ("void g();\nvoid g(int input) { x = 1; }\nvoid f(int input) { g(input); }", None),
        ("void f(int input) { g(input); }\nint g(int input) { return x; }", None),
    ] {
        assert_eq!(read("t.c", program, "").err().map(|e| e.code()), expected, "{program}");
    }
}
