//! Tests of reactive C programs: all dialects, what is refused and where, and expressions compared with an
//! evaluation of their trees.

use crate::read_as;
use impasse_readers::{Limits, Source, read};
use model::reactive::{Binary, Block, Convention, Expr, Stmt, Unary};
use model::{ExprId, Reactive, SystemModel, VarId};
use proptest::prelude::*;
use std::fmt::Write;

const MAIN: &str = "\nint main() { while (1) { int input; scanf(\"%d\", &input); f(input); } }\n";

fn program(text: &str) -> Reactive {
    let problem = read_as("t.c", text).unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.line_column())).problem;
    match problem.system() {
        SystemModel::Reactive(program) => Reactive::clone(program),
        _ => panic!("no reactive program"),
    }
}

/// Returns the code and the place of the error.
fn refusal(text: &str) -> (&'static str, (usize, usize)) {
    let error = read_as("t.c", text).expect_err(text);
    (error.code(), error.line_column().expect(text))
}

fn entry(program: &Reactive) -> &[Stmt] {
    program.stmts(program.body(program.entry()))
}

#[test]
fn programs_of_2012_return_their_outputs() {
    let text =
        "#include <stdio.h>\n\t// inputs\n\tint a= 1;\n\tint c= 3;\n\n\t// outputs\n\tint u = 21;\n\tint a17 = 1;
int calculate_output(int input) {
    if((a17==1) && (input == 3)){ a17 = 2; return 24; } else if (!(a17==1)) { return -1; }
    return calculate_output2(input);
}
int calculate_output2(int input) {
    if (a17 == 5) { error_16: assert(0); }
    if (a17 == 6) { globalError: assert(0); }
    return -2;
}
int main()
{
    // default output
    int output = -1;
    while(1)
    {
        int input;
        scanf(\"%d\", &input);
        output = calculate_output(input);
        if(output == -2)
            fprintf(stderr, \"Invalid input: %d\\n\", input);
        else if(output != -1)
            printf(\"%d\\n\", output);
    }
}";
    let program = program(text);
    assert_eq!(program.inputs(), [1, 3]);
    assert_eq!((program.convention(), program.errors()), (Convention::Returned, &[16][..]));
    assert_eq!(program.function_name(program.entry()), "calculate_output");
    assert!(program.all_stmts().contains(&Stmt::Crash), "the label globalError is no property");
    assert!(matches!(entry(&program), [Stmt::If { .. }, Stmt::ReturnCall(_)]));
}

#[test]
fn rules_that_assign_and_return_minus_two_have_fired() {
    let silent = |body: &str| {
        let text = format!(
            "int inputs[] = {{1}};\nint a = 0;\nint cf = 1;\nvoid note() {{ a = 3; }}\n\
             int calculate_output(int input) {{ {body} return -2; }}\n\
             int main() {{ while(1) {{ int input; scanf(\"%d\", &input); calculate_output(input); }} }}"
        );
        let program = program(&text);
        let returned = program.all_stmts().iter().filter_map(|stmt| match stmt {
            Stmt::Return(value) => Some(program.expr(*value)),
            _ => None,
        });
        returned.filter(|value| *value == Expr::Const(-1)).count()
    };
    assert_eq!(silent("if (a == 0) { a = 1; return -2; }"), 1);
    assert_eq!(silent("if (a == 0) { a = 1; if (a == 1) { ; } return -2; }"), 1, "an if in between");
    assert_eq!(silent("if (a == 0) { a = 1; note(); return -2; }"), 1, "a call in between");
    assert_eq!(silent("if (a == 0) { a = 1; { return -2; } }"), 1, "braces alone are no if");
    assert_eq!(silent("cf = 1; if (a == 0) { return -2; }"), 0, "assigned in every call, not by the rule");
    assert_eq!(silent("if (a == 0) { a = 1; if (cf == 1) return -2; }"), 0, "of the outer rule");
    assert_eq!(silent("if (a == 0) { a = 1; return 5; return -2; }"), 0, "never reached");
    assert_eq!(silent("cf = 1;"), 0, "no rule at all");
}

#[test]
fn later_programs_print_and_turn_inputs_away() {
    let text = "extern void __VERIFIER_error(int);\nint inputs[] = {2, 5, (1)};\nvoid errorCheck();\nvoid f(int);
int a[] = {7, 8};\nint *p = a;\nint x;\nint cf = 1;\nconst int error_3 = 1;
void errorCheck() { if (p[1] == 8) { error_3: assert(!error_3); } if (x == - 15) { __VERIFIER_error(9); } }
void f(int input) {\n cf = 1; p = a; x = a[1] * input;\n printf(\"%d\\n\", 25); fflush(stdout);\n errorCheck();
 if( cf==1 )\n fprintf(stderr, \"Invalid input: %d\\n\", input);\n}
int main() { while(1) { int input; scanf(\"%d\", &input);
 if((input != 2) && (input != 5))\n return -2;\n f(input); } }";
    let program = program(text);
    assert_eq!((program.inputs(), program.errors()), (&[2, 5][..], &[3, 9][..]));
    assert_eq!(program.convention(), Convention::Printed);
    assert_eq!(program.initial(), [2, 5, 1, 7, 8, 1, 0, 1], "inputs, a, p points to a, x, cf");
    assert!(program.exprs().contains(&Expr::Element { pointer: VarId(5), index: 1 }));
    let printed = entry(&program).iter().filter(|s| matches!(s, Stmt::Print(_))).count();
    assert_eq!(printed, 1);
}

#[test]
fn sv_comp_programs_read_and_assume() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void abort(void) __attribute__ ((__noreturn__));
void reach_error() { assert(0); }\nint x = 1;
void f(int input) { if (input == 5) { x = 2; } if (x == 2) { reach_error(); } if (x == 1) __VERIFIER_assume(0); }
int main() { while(1) { int input = __VERIFIER_nondet_int();
 if((input != 5) && (input != 1)){ __VERIFIER_assume(0);} f(input); } }";
    let program = program(text);
    assert_eq!((program.inputs(), program.errors()), (&[5, 1][..], &[0][..]));
    assert!(program.all_stmts().contains(&Stmt::Invalid));
}

#[test]
fn a_program_may_lie_in_main() {
    let text = "int input;\nint output;\nint inputs[] = {(2), (9)};\nvoid gone();\nint cf = 1;
int main()\n{\n  while(1){\n    output = - 1;\n    scanf(\"%d\",&input);\n    if (input != 2 && input != 9)\n      \
return - 2;\n{
      cf = 1;\n      if (cf == 1 && input == 2) {{ output = 21; cf = 0; }}\n      if (cf == 5) { error_97:
        !1?((void )0) : __assert_fail(\"!error_97\",\"x.c\",557,__PRETTY_FUNCTION__); }\n      if (cf == 1) output = \
        - 2;\n    }
    if (output == - 2) {\n      fprintf(stderr,\"Invalid input: %d\\n\",input);\n    }
     else if (output != - 1) {\n      printf(\"%d\\n\",output);\n    }\n  }\n}\n";
    let program = program(text);
    assert_eq!((program.inputs(), program.errors()), (&[2, 9][..], &[97][..]));
    assert_eq!(program.function_name(program.entry()), "main");
    assert_eq!(program.function_count(), 1);
    assert_eq!(entry(&program).len(), 7, "what is read is not a statement");
}

#[test]
fn inputs_are_what_the_program_compares_if_nothing_else_tells() {
    let text = format!("int x = 0;\nvoid f(int input) {{ if (input == 7 || 4 == input) x = input; }}{MAIN}");
    assert_eq!(program(&text).inputs(), [4, 7]);
}

#[test]
fn labels_of_one_program_are_asked_by_number() {
    let text = format!(
        "int inputs[] = {{1}};\nint x;\nvoid f(int input) {{ if (x) {{ error_12: assert(0); }} error_3: assert(x); \
         }}{MAIN}"
    );
    let problem = read_as("t.c", &text).unwrap().problem;
    let ids: Vec<&str> = problem.properties().iter().map(|p| p.id.as_str()).collect();
    assert_eq!(ids, ["error:3", "error:12"]);
}

#[test]
fn an_else_belongs_to_the_nearest_if() {
    let text = format!(
        "int inputs[] = {{1}};\nint x;\nvoid f(int input) {{ if (x) if (input) x = 1; else x = 2; x = 3; }}{MAIN}"
    );
    let program = program(&text);
    let [Stmt::If { arms, otherwise }, Stmt::Assign(..)] = entry(&program) else { panic!("{:?}", entry(&program)) };
    assert!(program.stmts(*otherwise).is_empty());
    let [arm] = program.arms(*arms) else { panic!("one arm") };
    let [Stmt::If { otherwise, .. }] = program.stmts(arm.body) else { panic!("an inner if") };
    assert_eq!(program.stmts(*otherwise).len(), 1);
}

#[test]
fn a_scalar_has_aliases() {
    let text = format!(
        "int inputs[] = {{1}};\nint x = 3;\nint y;\nint *q = &x;\nvoid f(int input) {{ y = *q + q[0]; q = &y; }}{MAIN}"
    );
    let program = program(&text);
    let element = |e: &&Expr| matches!(e, Expr::Element { index: 0, .. });
    assert_eq!(program.exprs().iter().filter(element).count(), 2);
    assert_eq!(program.element(program.initial()[3], 0), Some(VarId(1)));
}

#[test]
fn refusals_name_the_place() {
    let with = |body: &str| {
        format!("int inputs[] = {{1}};\nint x;\nint a[] = {{1, 2}};\nvoid f(int input) {{\n  {body} }}{MAIN}")
    };
    let cases = [
        ("int y;", "c::local-variable", 3),
        ("while (x) { }", "c::loop", 3),
        ("for (;;) { }", "c::loop", 3),
        ("a[1] = 2;", "c::array-assignment", 3),
        ("x = y;", "c::unknown-name", 7),
        ("x = x + (3;", "c::syntax", 13),
        ("x = a;", "c::type", 7),
        ("x = a[2];", "c::index", 7),
        ("x = 4294967296;", "c::number", 7),
        ("x = 08;", "c::number", 7),
        ("x = 2147483648;", "c::number", 7),
        ("x = -0x80000000;", "c::number", 8),
        ("x = x + -2147483648;", "c::number", 22),
        ("x = - -2147483648;", "c::number", 20),
        ("x = 1; // goes on \\\nx = 2;", "c::character", 10),
        ("x += 1;", "c::subset", 5),
        ("x = x & 1;", "c::syntax", 9),
        ("f(input);", "c::recursion", 3),
        ("g(input);", "c::extern", 3),
        ("scanf(\"%d\", &x);", "c::reads-input", 3),
        ("x = g(input);", "c::unknown-name", 7),
        ("f(x);", "c::argument", 5),
        ("return 3;", "c::type", 3),
        ("input = 3;", "c::type", 3),
        ("lost: x = 3;", "c::label", 3),
        ("printf(\"hi\");", "c::prints", 10),
        ("x = 'a';", "c::character", 7),
        ("if (x) }", "c::syntax", 10),
    ];
    for (body, code, column) in cases {
        let (found, place) = refusal(&with(body));
        let line = if code == "c::recursion" { (4, 6) } else { (5, column) };
        assert_eq!((found, place), (code, line), "{body}");
    }
    assert_eq!(refusal("int x = 1;\nint x = 2;\n"), ("c::declared-twice", (2, 5)));
    assert_eq!(refusal("#if 1\nint x;\n").0, "c::directive");
    assert_eq!(refusal("int x; /* never closed").0, "c::character");
}

#[test]
fn main_may_not_do_more() {
    let with = |main: &str| {
        format!("int inputs[] = {{1}};\nint x;\nvoid f(int input) {{ x = input; }}\nint main() {{ {main} }}")
    };
    let read = "int input; scanf(\"%d\", &input);";
    assert!(read_as("t.c", &with(&format!("while (1) {{ {read} f(input); }} return 0;"))).is_ok());
    assert!(read_as("t.c", &with("while (1) { int y; scanf(\"%d\", &y); f(y); }")).is_ok());
    for wrong in [
        "f(1);".to_owned(),
        "while (0) { }".to_owned(),
        format!("while (1) {{ {read} x = 3; f(input); }}"),
        format!("while (1) {{ {read} f(input); f(input); }}"),
        format!("while (1) {{ {read} f(input); x = 3; }}"),
        "while (1) { int input; f(input); }".to_owned(),
        "while (1) { scanf(\"%d\", &x); f(x); }".to_owned(),
    ] {
        assert!(read_as("t.c", &with(&wrong)).is_err(), "{wrong}");
    }
}

/// The parser reads chains, blocks, brackets and signs that would overflow the call stack of a recursive
/// parser.
#[test]
fn nothing_recurses() {
    const DEEP: usize = 300_000;
    let with = |body: &str| format!("int inputs[] = {{1}};\nint x;\nvoid f(int input) {{ {body} }}{MAIN}");
    let mut chain = "if (x == 0) x = 1;".to_owned();
    (1..DEEP).for_each(|i| write!(chain, "else if (x == {i}) x = {};", i + 1).unwrap());
    let read = program(&with(&chain));
    let [Stmt::If { arms, .. }] = entry(&read) else { panic!("one chain") };
    assert_eq!(read.arms(*arms).len(), DEEP);
    for deep in [
        format!("x = {}x{};", "(".repeat(DEEP), ")".repeat(DEEP)),
        format!("x = {}x;", "- ".repeat(DEEP)),
        format!("x = x{};", " + x".repeat(DEEP)),
        "{".repeat(DEEP) + &"}".repeat(DEEP),
        "if (x) {".repeat(DEEP) + &"}".repeat(DEEP),
        "if (x) ".repeat(DEEP) + ";",
        "if (x) x = 1; else { ".repeat(DEEP) + &"}".repeat(DEEP),
    ] {
        program(&with(&deep));
    }
}

/// A tree of operators.
#[derive(Clone, Debug)]
enum Tree {
    Number(i32),
    Variable(usize),
    Input,
    Element(Box<Tree>),
    Unary(Unary, Box<Tree>),
    Binary(Binary, Box<Tree>, Box<Tree>),
}

const ELEMENTS: [i32; 3] = [40, -7, 9];
const VARIABLES: [i32; 3] = [3, -2, i32::MIN];
const INPUT: i32 = 5;
const SIGNS: [(Binary, &str, u8); 13] = [
    (Binary::Or, "||", 1),
    (Binary::And, "&&", 2),
    (Binary::Eq, "==", 3),
    (Binary::Ne, "!=", 3),
    (Binary::Lt, "<", 4),
    (Binary::Le, "<=", 4),
    (Binary::Gt, ">", 4),
    (Binary::Ge, ">=", 4),
    (Binary::Add, "+", 5),
    (Binary::Sub, "-", 5),
    (Binary::Mul, "*", 6),
    (Binary::Div, "/", 6),
    (Binary::Rem, "%", 6),
];

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        (-20..20i32).prop_map(Tree::Number),
        (0..3usize).prop_map(Tree::Variable),
        Just(Tree::Input),
        Just(Tree::Number(i32::MAX)),
    ];
    leaf.prop_recursive(5, 40, 2, |inner| {
        let sign = (0..SIGNS.len()).prop_map(|i| SIGNS[i].0);
        prop_oneof![
            4 => (sign, inner.clone(), inner.clone()).prop_map(|(op, a, b)| Tree::Binary(op, a.into(), b.into())),
            1 => (prop_oneof![Just(Unary::Neg), Just(Unary::Not)], inner.clone())
                .prop_map(|(op, a)| Tree::Unary(op, a.into())),
            1 => (0..3usize).prop_map(|v| Tree::Element(Tree::Variable(v).into())),
        ]
    })
}

/// Returns a tree as C text with as few brackets as C allows. (A negative number counts as an operator.)
fn text(tree: &Tree, least: u8) -> String {
    let (text, tightness) = match tree {
        Tree::Number(n) if *n < 0 => (format!("-{}", n.unsigned_abs()), 7),
        Tree::Number(n) => (n.to_string(), 8),
        Tree::Variable(v) => (format!("v{v}"), 8),
        Tree::Input => ("input".to_owned(), 8),
        Tree::Element(index) => (format!("a[{}]", text(index, 0)), 8),
        Tree::Unary(Unary::Neg, a) => (format!("- {}", text(a, 7)), 7),
        Tree::Unary(Unary::Not, a) => (format!("!{}", text(a, 7)), 7),
        Tree::Binary(op, a, b) => {
            let (_, sign, tightness) = SIGNS.iter().find(|(known, ..)| known == op).unwrap();
            (format!("{} {sign} {}", text(a, *tightness), text(b, tightness + 1)), *tightness)
        }
    };
    if tightness < least { format!("({text})") } else { text }
}

fn value(tree: &Tree) -> Option<i32> {
    Some(match tree {
        Tree::Number(n) => *n,
        Tree::Variable(v) => VARIABLES[*v],
        Tree::Input => INPUT,
        Tree::Element(index) => *ELEMENTS.get(usize::try_from(value(index)?).ok()?)?,
        Tree::Unary(Unary::Neg, a) => value(a)?.wrapping_neg(),
        Tree::Unary(Unary::Not, a) => i32::from(value(a)? == 0),
        Tree::Binary(Binary::And, a, b) => i32::from(value(a)? != 0 && value(b)? != 0),
        Tree::Binary(Binary::Or, a, b) => i32::from(value(a)? != 0 || value(b)? != 0),
        // With a divisor that the compiler recognises as -1, there is no division.
        Tree::Binary(Binary::Div, a, b) if constant(b) == Some(-1) => value(a)?.wrapping_neg(),
        Tree::Binary(Binary::Rem, a, b) if constant(b) == Some(-1) => value(a).map(|_| 0)?,
        // gcc simplifies `x / -x` to -1, also for the smallest number.
        Tree::Binary(Binary::Div, a, b) if may_be_negated(a, b) && (value(a)?, value(b)?) == (i32::MIN, i32::MIN) => {
            return None;
        }
        Tree::Binary(op, a, b) => operation(*op, value(a)?, value(b)?)?,
    })
}

fn may_be_negated(a: &Tree, b: &Tree) -> bool {
    let are_plain = match (a, b) {
        (Tree::Variable(a), Tree::Variable(b)) => a != b,
        (Tree::Variable(_), Tree::Input) | (Tree::Input, Tree::Variable(_)) => true,
        _ => false,
    };
    !are_plain && constant(a).is_none() && constant(b).is_none()
}

/// Returns the value of a tree that contains only numbers.
fn constant(tree: &Tree) -> Option<i32> {
    match tree {
        Tree::Number(_) => value(tree),
        Tree::Unary(_, a) => constant(a).and_then(|_| value(tree)),
        Tree::Binary(_, a, b) => constant(a).and(constant(b)).and_then(|_| value(tree)),
        _ => None,
    }
}

fn operation(op: Binary, a: i32, b: i32) -> Option<i32> {
    Some(match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::Div => a.checked_div(b)?,
        Binary::Rem => a.checked_rem(b)?,
        Binary::Eq => i32::from(a == b),
        Binary::Ne => i32::from(a != b),
        Binary::Lt => i32::from(a < b),
        Binary::Le => i32::from(a <= b),
        Binary::Gt => i32::from(a > b),
        Binary::Ge => i32::from(a >= b),
        Binary::And | Binary::Or => unreachable!("these look at one side first"),
    })
}

/// Returns the value of an expression that was read.
fn read_value(program: &Reactive, id: ExprId) -> Option<i32> {
    let of = |id| read_value(program, id);
    Some(match program.expr(id) {
        Expr::Const(n) => n,
        Expr::Input => INPUT,
        Expr::Var(var) => program.initial()[var.index()],
        Expr::Element { .. } => unreachable!("no pointers here"),
        Expr::Unary(Unary::Neg, a) => of(a)?.wrapping_neg(),
        Expr::Unary(Unary::Not, a) => i32::from(of(a)? == 0),
        Expr::Binary(Binary::And, a, b) => i32::from(of(a)? != 0 && of(b)? != 0),
        Expr::Binary(Binary::Or, a, b) => i32::from(of(a)? != 0 || of(b)? != 0),
        Expr::Binary(op, a, b) => operation(op, of(a)?, of(b)?)?,
    })
}

/// Removes the blanks around signs, except between two minus signs.
fn dense(text: &str) -> String {
    // The replacement runs twice, because three minus signs overlap.
    text.replace("- -", "-\t-").replace("- -", "-\t-").replace(' ', "").replace('\t', " ")
}

proptest! {
    /// Checks precedence, grouping, folding and computed indices.
    #[test]
    fn expressions_mean_what_c_says(tree in tree()) {
        for shown in [text(&tree, 0), dense(&text(&tree, 0))] {
            let [x, y, z] = VARIABLES;
            let [a, b, c] = ELEMENTS;
            let source = format!(
                "int inputs[] = {{1}};\nint v0 = {x}, v1 = {y}, v2 = {z};\nint a[] = {{{a}, {b}, {c}}};\nint r;\n\
                 void f(int input) {{ r = {shown}; }}{MAIN}"
            );
            let program = program(&source);
            let (check, id) = match *entry(&program) {
                [Stmt::Assign(_, id)] => (None, id),
                [Stmt::If { arms, .. }, Stmt::Assign(_, id)] => (Some(program.arms(arms)[0].condition), id),
                _ => panic!("one assignment, perhaps behind a check"),
            };
            let check = check.map(|check| read_value(&program, check).expect("checks do not crash"));
            let read = if check.is_some_and(|check| check != 0) { None } else { read_value(&program, id) };
            prop_assert_eq!(read, value(&tree), "{}", shown);
        }
    }

    /// A program with a changed byte is read or refused.
    #[test]
    fn mutants_are_read_or_refused(at in 0usize..2000, byte in 32u8..127, cut in any::<bool>()) {
        let mut bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/coffee.c")).unwrap();
        let at = at % bytes.len();
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        let _ = read(Source { name: "t.c".to_owned(), bytes }, None, &Limits::default());
    }
}

#[test]
fn blocks_of_examples_are_where_they_belong() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/coffee.c");
    let program = program(&std::fs::read_to_string(path).unwrap());
    assert_eq!((program.errors(), program.inputs()), (&[1, 2][..], &[1, 2, 3][..]));
    let block: Block = program.body(program.entry());
    assert!(matches!(program.stmts(block), [Stmt::Call(_), Stmt::If { .. }]));
}

/// Every program of the corpus is read without errors.
#[test]
fn the_corpus_is_read() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/rers");
    if !corpus.is_dir() {
        eprintln!("skipped: no corpus");
        return;
    }
    let mut programs = 0;
    for year in std::fs::read_dir(corpus).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir()) {
        for problem in std::fs::read_dir(year).unwrap().map(|e| e.unwrap().path()) {
            let name = problem.file_name().unwrap().to_string_lossy().into_owned();
            let path = problem.join(format!("{name}.c.xz"));
            let Ok(bytes) = std::fs::read(&path) else { continue };
            let source = Source { name: path.display().to_string(), bytes };
            let read = read(source, None, &Limits::default()).unwrap_or_else(|e| panic!("{path:?}: {e}"));
            let SystemModel::Reactive(program) = read.problem.system() else { panic!("{path:?}") };
            assert!(program.inputs().len() >= 4, "{path:?}");
            programs += 1;
        }
    }
    assert_eq!(programs, 24);
}

/// True if the program has a check for undefined behavior.
fn has_checks(globals: &str, body: &str) -> bool {
    let text = format!("int inputs[] = {{1}};\nint x, y, z;\n{globals}\nvoid f(int input) {{ {body} }}{MAIN}");
    program(&text).undefined().is_some()
}

/// gcc keeps the traps of the first list and drops the traps of the second list, even without optimisation
/// (measured with 12.2).
#[test]
fn traps_that_gcc_drops_are_not_defined() {
    let table = "const int k = -1;\nint t[] = {1, 2};\nint *p;";
    for kept in [
        "x = y / z;",
        "if (y % z == 3) x = 1;",
        "x = z && y / z;",
        "x = y / 0;",
        "x = y / z + 1;",
        "x = -(y / z);",
        "x = *p;",
        "x = y / 2;",
    ] {
        assert!(!has_checks(table, kept), "{kept}");
    }
    for dropped in [
        "x = 0 / z;",
        "x = z / z;",
        "x = y / z * 0;",
        "x = y / z && 0;",
        "x = y / z % 1;",
        "x = y / z % -1;",
        "x = y / z > 2147483647;",
        "x = 5 % z >= 0;",
        "x = y && 1 / z;",
        "x = y / z == y / z;",
        "x = (y / z > 3) == 7;",
        "x = !*p / 1000;",
        "if (-5 + (y / z > 3)) x = 1;",
        "if (y / z) ;",
        "if (y / z) { } else { ; }",
        "if (y / z) { if (x) { } }",
        "x = y / k;",
        "x = y / -y;",
        "x = t[y];",
        "x = *p * 0;",
    ] {
        assert!(has_checks(table, dropped), "{dropped}");
    }
}

#[test]
fn pointers_that_may_lie_outside_are_refused() {
    let with = |body: &str| {
        format!(
            "int inputs[] = {{1}};\nint x;\nint a[] = {{1, 2}}, b[] = {{1, 2, 3}};\nint *p = b;\nint *q;\nvoid f(int \
             input) {{ {body} }}{MAIN}"
        )
    };
    assert!(read_as("t.c", &with("x = p[2];")).is_ok());
    assert!(read_as("t.c", &with("p = a; x = p[1];")).is_ok());
    for wrong in ["x = p[3];", "p = a; x = p[2];", "x = p[2]; p = a;", "p = q; x = *p; q = &x;", "p = &x; x = p[1];"] {
        assert_eq!(refusal(&with(wrong)).0, "c::index", "{wrong}");
    }
}

/// As in gcc, a function with `()` may be called with any arguments, and one with `(void)` may not.
#[test]
fn calls_have_as_many_arguments_as_parameters() {
    let with = |functions: &str| {
        format!("int inputs[] = {{1}};\nint x;\n{functions}\nvoid f(int input) {{ g(input); }}{MAIN}")
    };
    for fine in ["void g(int i) { x = i; }", "void g() { x = 1; }", "void g();\nvoid g() { x = 1; }"] {
        assert!(read_as("t.c", &with(fine)).is_ok(), "{fine}");
    }
    for wrong in ["void g(void) { x = 1; }", "void g(void);\nvoid g() { x = 1; }"] {
        assert_eq!(refusal(&with(wrong)), ("c::argument", (3 + wrong.lines().count(), 21)), "{wrong}");
    }
    let bare = with("void g(int i) { x = i; }").replace("g(input);", "g();");
    assert_eq!(refusal(&bare).0, "c::argument");
}

#[test]
fn numbers_of_filters_are_read_as_all_others() {
    let text = "int x;\nvoid f(int input) { x = input; }\nint main() { while (1) { int input; scanf(\"%d\", &input);\n\
                if ((input != 010) && (input != 0x3)) return -2; f(input); } }\n";
    assert_eq!(program(text).inputs(), [8, 3]);
}
