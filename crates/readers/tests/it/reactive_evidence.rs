//! Tests of evidence about reactive programs: it is read back as it was written, and refused for another system.

use crate::read_as;
use impasse_readers::{Limits, Source, read_goals};
use model::valuations::{Holds, Valuations};
use model::{Certificate, Claim, ErrorId, EventId, Goal, Problem, TemporalId, Trace, VarId};
use testkit::Listed;

const TEXT: &str = "int inputs[] = {3, 1};\nint x = -1;\nint a[] = {7, 8};\nint y;
void f(int input) { if (x == 4) { error_7: assert(0); } x = input; y = a[1]; }
int main() { while (1) { int input; scanf(\"%d\", &input); f(input); } }\n";

fn problem() -> Problem {
    let mut problem = read_as("t.c", TEXT).unwrap().problem;
    let source = Source { name: "p.txt".to_owned(), bytes: b"(G ! oZ)\n".to_vec() };
    read_goals(source, None, &mut problem, &Limits::default()).unwrap();
    problem
}

fn text(problem: &Problem, claim: &Claim) -> String {
    let mut bytes = Vec::new();
    evidence::write("model", problem, claim, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn read(problem: &Problem, text: &str) -> Result<Claim, &'static str> {
    let source = Source { name: "t.json".to_owned(), bytes: text.as_bytes().to_vec() };
    evidence::read(&source, problem, &Limits::default()).map_err(|e| e.code())
}

fn valuations() -> Claim {
    let slots = vec![(VarId(2), Holds::Exactly), (VarId(5), Holds::Cell(vec![-5, 3])), (VarId(4), Holds::Cell(vec![]))];
    let rows = Box::new(Listed(vec![vec![u32::MAX, 2, 0], vec![3, 0, 0]]));
    let certificate = Certificate::Valuations(Box::new(Valuations { slots, rows }));
    Claim::Safe { goals: vec![Goal::Error(ErrorId(0)), Goal::Temporal(TemporalId(0))], certificate }
}

fn loops() -> Claim {
    let mut trace = Trace::new(Box::from([]));
    for event in [0, 1, 1, 0] {
        trace.push(EventId(event), None);
    }
    trace.repeats_from = Some(1);
    Claim::Unsafe { goal: Goal::Temporal(TemporalId(0)), trace, candidate: false }
}

#[test]
fn what_is_written_is_read() {
    let problem = problem();
    for claim in [valuations(), loops()] {
        let written = text(&problem, &claim);
        let back = read(&problem, &written).unwrap_or_else(|code| panic!("{code}: {written}"));
        assert_eq!(text(&problem, &back), written);
    }
    let written = text(&problem, &loops());
    assert!(written.contains("\"repeats_from\":1") && written.contains("\"C\""), "letters are names: {written}");
    let Ok(Claim::Unsafe { trace, .. }) = read(&problem, &written) else { panic!("a run") };
    assert_eq!(trace.repeats_from, Some(1));
}

#[test]
fn what_does_not_belong_is_refused() {
    let problem = problem();
    let (set, run) = (text(&problem, &valuations()), text(&problem, &loops()));
    for (text, from, to, code) in [
        (&set, "\"x\"", "\"z\"", "evidence::unknown-name"),
        (&set, "\"y\"", "\"x\"", "evidence::shape"),
        (&set, "[-5,3]", "[3,-5]", "evidence::shape"),
        (&set, "[-5,3]", "[3,3]", "evidence::shape"),
        (&set, "[3,0,0]", "[3,0]", "evidence::shape"),
        (&set, "\"valuations\"", "\"markable\"", "evidence::kind"),
        (&run, "\"C\"", "\"B\"", "evidence::unknown-name"),
        (&run, "\"repeats_from\":1", "\"repeats_from\":-1", "evidence::shape"),
        (&run, "\"ltl:0\"", "\"ltl:1\"", "evidence::kind"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        let found = read(&problem, &text.replacen(from, to, 1)).expect_err(to);
        assert_eq!(found, code, "{from} -> {to}");
    }
}

/// Every part with a meaning changes the hash.
#[test]
fn another_program_has_another_hash() {
    let hash = |text: &str| evidence::hash(&read_as("t.c", text).unwrap().problem);
    let whole = hash(TEXT);
    for (from, to) in [
        ("x == 4", "x == 5"),
        ("x = -1", "x = -2"),
        ("{3, 1}", "{1, 3}"),
        ("error_7", "error_8"),
        ("a[1]", "a[0]"),
        ("y = ", "x = "),
        ("assert(0)", "assert(x)"),
    ] {
        assert_ne!(hash(&TEXT.replacen(from, to, 1)), whole, "{from}");
    }
    assert_eq!(hash(&TEXT.replace("  ", " ").replace('\n', " \n// nothing\n")), whole, "what does not count");
}

#[test]
fn runs_of_programs_with_unbounded_data_do_not_repeat() {
    let text_of = "rwb 2 event tick thread T { var n: int body { loop { request tick n = n + 1 assert n >= 0 } } }";
    let program = read_as("t.rwb", text_of).unwrap().problem;
    assert!(program.system().as_data().is_some());
    let goal = program.properties()[0].goal;
    let mut trace = Trace::new(Box::from([]));
    let written = |trace: &Trace| text(&program, &Claim::Unsafe { goal, trace: trace.clone(), candidate: false });
    assert!(read(&program, &written(&trace)).is_ok());
    trace.repeats_from = Some(0);
    assert_eq!(read(&program, &written(&trace)).unwrap_err(), "evidence::shape");
}
