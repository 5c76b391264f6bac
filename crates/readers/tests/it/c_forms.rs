//! Tests of the forms in which tools of today write reactive C programs, and of what errors say about other files.

use crate::read_as;
use model::Problem;

/// Returns the ids of the properties of a program.
fn asked(text: &str) -> Vec<String> {
    let read = read_as("t.c", text).unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.line_column()));
    let ids = |problem: &Problem| problem.properties().iter().map(|p| p.id.clone()).collect();
    ids(&read.problem)
}

/// Returns the codes of all errors, and the first error in words.
fn errors(text: &str) -> (Vec<&'static str>, String) {
    let error = read_as("t.c", text).expect_err(text);
    (error.all().map(impasse_readers::Error::code).collect(), error.to_string())
}

/// The form of the RERS programs in SV-COMP: the label marks a block.
fn sv_comp(error: &str) -> String {
    format!(
        "extern void abort(void);\nvoid reach_error() {{ __assert_fail(\"0\", \"sv.c\", 2, \"reach_error\"); }}\n\
         extern int __VERIFIER_nondet_int(void);\nextern void exit(int);\nint calculate_output(int);\nint s = 0;\n\
         int calculate_output(int input) {{\n  if (s == 0 && input == 1) {{ s = 1; return 21; }}\n  \
         if (s == 1 && input == 2) {{ {error} }}\n  return -2;\n}}\n\
         int main() {{ int output = -1; while (1) {{ int input; \
         input = __VERIFIER_nondet_int(); if ((input != 1) && (input != 2)) return -2; \
         output = calculate_output(input); }} }}"
    )
}

#[test]
fn a_label_may_mark_a_block_that_stops() {
    for error in ["error_15: {reach_error();abort();}", "error_15: { assert(0); }", "error_15: {exit(0);;}"] {
        assert_eq!(asked(&sv_comp(error)), ["error:15"], "{error}");
    }
}

/// The errors in `calculate_output` are told, and none about `main`, which is right.
#[test]
fn an_error_in_a_function_brings_none_about_main() {
    for wrong in
        ["error_15: {reach_error(); s = 1;}", "error_15: {s = 1;}", "error_15: { }", "error_15: {reach_error();"]
    {
        let (codes, _) = errors(&sv_comp(wrong));
        assert!(!codes.contains(&"c::type") && !codes.contains(&"c::main"), "{wrong}: {codes:?}");
    }
    let (codes, _) = errors(&sv_comp("s = 1;").replace("calculate_output(int input)", "calculate_output(char input)"));
    assert!(!codes.contains(&"c::type") && !codes.contains(&"c::main"), "{codes:?}");
}

fn harness(main: &str) -> String {
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\nint inputs[] = {{1,2}};\nint s = 0;\n\
         void calculate_output(int input) {{ if (s == 1 && input == 2) {{ error_1: assert(0); }} \
         if (input == 1) {{ s = 1; printf(\"%d\\n\", 3); }} }}\nint main() {{ while (1) {{ {main} }} }}"
    )
}

/// Test harnesses look at the result of `scanf`. The program ends with its inputs.
#[test]
fn the_result_of_scanf_may_end_the_program() {
    let read = "int input = 0; int ret = scanf(\"%d\", &input);";
    for test in [
        "if (ret != 1) return 0; calculate_output(input);",
        "if (ret != 1) { return 0; } calculate_output(input);",
        "if (ret == EOF) exit(0); else calculate_output(input);",
        "if (ret == EOF) { exit(0); } else { calculate_output(input); }",
        "if (ret <= 0) break; calculate_output(input);",
        "calculate_output(input);",
    ] {
        assert_eq!(asked(&harness(&format!("{read} {test}"))), ["error:1"], "{test}");
    }
    for test in [
        "if (ret == 1) return 0; calculate_output(input);",
        "if (ret != 0) return 0; calculate_output(input);",
        "if (ret != 1) s = 1; calculate_output(input);",
        "if (ret == EOF) exit(0); else { calculate_output(input);",
    ] {
        assert!(read_as("t.c", &harness(&format!("{read} {test}"))).is_err(), "{test}");
    }
    assert!(read_as("t.c", &harness(&format!("{read} {read} calculate_output(input);"))).is_err());
}

/// The preprocessor does not help a program that is outside of the subset. A macro that is not used changes nothing.
#[test]
fn the_preprocessor_is_named_only_where_it_helps() {
    let program = harness("int input; scanf(\"%d\", &input); calculate_output(input);");
    assert_eq!(asked(&format!("#define UNUSED (1 + 2)\n{program}")), ["error:1"]);
    assert_eq!(errors(&format!("#define one 1\nint k = one;\n{program}")).0, ["c::directive"]);
    let loops = "int f(int a) { int i; for (i = 0; i < a; i++) { } return i; }\n";
    let (codes, message) = errors(&format!("#define LIMIT 5\nint k = LIMIT;\n{loops}{program}"));
    assert_eq!(codes, ["c::subset"], "{message}");
    assert!(message.contains("loops"), "{message}");
    // A comment that begins in a directive and goes on below would be read as code.
    for directive in ["#define UNUSED /* a comment", "#pragma x /*", "#include <stdio.h> /* a */ /* b"] {
        assert_eq!(errors(&format!("{directive}\n int s = 1; // ends here */\n{program}")).0, ["c::directive"]);
    }
    assert_eq!(asked(&format!("#define UNUSED /* a comment */ 1 /* b */\n{program}")), ["error:1"]);
    // What is inside of `#if` may not be part of the program.
    assert_eq!(errors(&format!("#if 0\n{loops}#endif\n{program}")).0, ["c::directive"]);
}
