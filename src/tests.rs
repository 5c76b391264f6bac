//! What becomes of claims: engines that lie, guess, give up or come too late.

use super::*;
use model::{Budget, Engine, Stats, Trace};

/// Makes its claims one after the other.
struct Script {
    claims: Vec<fn() -> Claim>,
    refusals: u32,
}

impl Engine for Script {
    fn name(&self) -> &'static str {
        "script"
    }
    fn run(&mut self, _budget: &mut Budget) -> Turn {
        if self.claims.is_empty() { Turn::Done } else { Turn::Claims(self.claims.remove(0)()) }
    }
    fn refused(&mut self, _goal: Goal) {
        self.refusals += 1;
    }
    fn stats(&self) -> Stats {
        Stats { states: u64::from(self.refusals), ..Stats::default() }
    }
}

/// Safe from bad states; a deadlock after one event.
const PROGRAM: &str = "rwb 1  event a  check bad, deadlock  thread T { state s { request a on a -> t } state t {} }";

fn problem() -> Problem {
    read_rwb(PROGRAM).expect("it is well formed")
}

fn script(claims: Vec<fn() -> Claim>) -> Turns<'static> {
    let mut turns = Turns::default();
    turns.enter(Box::new(Script { claims, refusals: 0 }), turns::Terms::PLAIN);
    turns
}

/// The empty run, which ends in no goal state.
fn wrong_trace(goal: Goal, candidate: bool) -> Claim {
    Claim::Unsafe { goal, trace: Trace::new(Box::from([0])), candidate }
}

#[test]
fn wrong_evidence_is_no_answer() {
    let outcome = decide(&problem(), &Options::default(), script(vec![|| wrong_trace(Goal::Bad, false)]));
    let bad = outcome.about(Goal::Bad).expect("it was asked");
    assert!(matches!(bad.finding, Finding::Rejected { .. }), "{:?}", bad.finding);
    assert!(!bad.is_safe() && !bad.is_unsafe());
    assert!(bad.claim.is_some(), "the evidence is kept");
}

#[test]
fn a_wrong_candidate_is_forgotten() {
    let claims: Vec<fn() -> Claim> = vec![|| wrong_trace(Goal::Deadlock, true), || Claim::Unsafe {
        goal: Goal::Deadlock,
        trace: {
            let mut trace = Trace::new(Box::from([0]));
            trace.push(model::EventId(0), None);
            trace
        },
        candidate: true,
    }];
    let outcome = decide(&problem(), &Options::default(), script(claims));
    let deadlock = outcome.about(Goal::Deadlock).expect("it was asked");
    assert!(deadlock.is_unsafe(), "{:?}", deadlock.finding);
    assert_eq!(deadlock.stats.states, 1, "the engine was told of its first try");
    let bad = outcome.about(Goal::Bad).expect("it was asked");
    assert_eq!(bad.unknown(), Some(Reason::GaveUp), "nobody spoke of it");
}

#[test]
fn reasons_come_through() {
    let claims: Vec<fn() -> Claim> = vec![|| Claim::Unknown { goals: vec![Goal::Bad], reason: Reason::Overflow }];
    let outcome = decide(&problem(), &Options::default(), script(claims));
    let reasons: Vec<Option<Reason>> = outcome.answers.iter().map(Answer::unknown).collect();
    assert_eq!(reasons, [Some(Reason::Overflow), Some(Reason::GaveUp)]);
}

#[test]
fn the_first_checked_answer_counts() {
    let (problem, options) = (problem(), Options { engine: EngineChoice::Explicit, ..Options::default() });
    let mut turns = plan::plan(&problem, &options);
    turns.enter(
        Box::new(Script { claims: vec![|| wrong_trace(Goal::Deadlock, false)], refusals: 0 }),
        turns::Terms::PLAIN,
    );
    let outcome = decide(&problem, &Options::default(), turns);
    assert!(outcome.about(Goal::Deadlock).expect("it was asked").is_unsafe(), "explicit search came first");
    assert!(outcome.about(Goal::Bad).expect("it was asked").is_safe());
}

#[test]
fn a_raised_flag_ends_it() {
    let options = Options::default();
    options.stop.raise(Reason::Timeout);
    let outcome = check(&problem(), &options);
    assert!(outcome.answers.iter().all(|a| a.unknown() == Some(Reason::Timeout)));
}

#[test]
fn evidence_too_dear_is_uncertified() {
    let options = Options { engine: EngineChoice::Explicit, check_steps: 0, ..Options::default() };
    let outcome = check(&problem(), &options);
    let bad = outcome.about(Goal::Bad).expect("it was asked");
    assert_eq!(bad.unknown(), Some(Reason::Uncertified));
    assert!(bad.claim.is_some(), "the claim is shown");
}

/// Whoever writes evidence writes it once.
#[test]
fn answers_that_rest_on_one_claim_come_together() {
    let safe = read_rwb("rwb 1  event a  thread T { state s { request a } }").expect("it is well formed");
    let (told, turns) = (std::cell::RefCell::new(Vec::new()), std::cell::RefCell::new(Vec::new()));
    let on_answers = |answers: &[Answer]| {
        told.borrow_mut().push(answers.iter().map(|a| a.property.goal).collect::<Vec<_>>());
    };
    let on_turn = |engine| turns.borrow_mut().push(engine);
    let engine = EngineChoice::Explicit;
    let _ = check(&safe, &Options { engine, on_answers: &on_answers, on_turn: &on_turn, ..Options::default() });
    assert_eq!(told.into_inner(), [[Goal::Deadlock, Goal::Bad]]);
    assert_eq!(turns.into_inner().first(), Some(&"explicit"));
}

/// Grows without end: ten tokens need a bound of eleven.
const GROWS: &str = "vars x y rules x >= 1 -> y' = y + 1; init x = 1, y = 0 target y >= 10";

fn growing() -> Problem {
    let source = formats::Source { name: "grows.spec".to_owned(), bytes: GROWS.as_bytes().to_vec() };
    formats::read(source, Some("spec"), &formats::Limits::default()).expect("it is well formed").problem
}

/// A proof about runs with at most three tokens.
fn within_three() -> Claim {
    let options = Options { engine: EngineChoice::Ic3Bits, bound: Some(3), ..Options::default() };
    let claim = check(&growing(), &options).answers.swap_remove(0).claim.expect("something is claimed");
    assert!(matches!(*claim, Claim::Within { .. }), "{claim:?}");
    Rc::into_inner(claim).expect("nobody else has it")
}

#[test]
fn a_proof_about_fewer_tokens_is_no_answer() {
    for (bound, is_enough) in [(2, true), (3, true), (4, false)] {
        let options = Options { bound: Some(bound), ..Options::default() };
        let outcome = decide(&growing(), &options, script(vec![within_three]));
        let finding = &outcome.answers[0].finding;
        assert_eq!(matches!(finding, Finding::Within(_)), is_enough, "{bound}: {finding:?}");
        assert_eq!(matches!(finding, Finding::Rejected { .. }), !is_enough, "{bound}: {finding:?}");
    }
}
