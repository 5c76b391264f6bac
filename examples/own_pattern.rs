//! Defines a pattern matcher and passes it to the search.
//!
//! The pattern states that no run ends in a bad state if every bad state is entered only by an event that no thread
//! requests. Its lemma has no justification that the checker could verify (the pattern could give one), so the answer
//! that needs it is `unknown (uncertified)` unless the user trusts the pattern. The answer lists the lemmas that were
//! trusted.
//!
//!     cargo run --example own_pattern

// Examples print to the terminal.
#![allow(clippy::print_stdout)]

use impasse::model::lemma::{Lemma, LemmaKind, LemmaLit, Prop};
use impasse::model::pattern::{Coverage, Match, Pattern, WhyNot};
use impasse::model::{EventId, Goal, LocalId, Thread, ThreadId};
use impasse::{Finding, Options, check, engines, read_rwb};

struct Harmless;

const NOTHING_BAD: LemmaKind = LemmaKind("harmless.nothing_bad");

impl Pattern for Harmless {
    fn name(&self) -> &'static str {
        "harmless"
    }

    fn recognize(&self, threads: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        if goal != Goal::Bad {
            return Err(WhyNot::new(None, "speaks of bad states only"));
        }
        let is_requested =
            |event: &EventId| threads.iter().any(|t| t.states.iter().any(|s| s.request.contains(*event)));
        for (i, thread) in threads.iter().enumerate() {
            let enters =
                |(event, to): (&EventId, &Vec<LocalId>)| is_requested(event) && to.iter().any(|s| thread.state(*s).bad);
            if thread.initial.iter().any(|s| thread.state(*s).bad)
                || thread.states.iter().any(|s| s.on.iter().any(enters))
            {
                return Err(WhyNot::new(Some(ThreadId::new(i)), "it may get into a bad state"));
            }
        }
        Ok(Box::new(HarmlessMatch { threads: threads.len() }))
    }
}

struct HarmlessMatch {
    threads: usize,
}

impl Match for HarmlessMatch {
    fn coverage(&self) -> Coverage {
        Coverage { goal: Goal::Bad, threads: (0..self.threads).map(ThreadId::new).collect() }
    }

    fn on_start(&mut self, out: &mut Vec<Lemma>) {
        out.push(Lemma { kind: NOTHING_BAD, clause: vec![LemmaLit::no(Prop::Ends(Goal::Bad))], justification: None });
    }
}

pub(crate) fn main() {
    let text = "rwb 1  event a, b, c  check bad
        thread A { state s { request a on a -> t } state t { request b on b -> s } }
        thread B { state x { on a -> y on c -> z } state y { on b -> x } state z { bad } }";
    let problem = read_rwb(text).expect("it is well formed");
    let patterns: &[&dyn Pattern] = &[&Harmless];
    let options = Options { engine: Some(&engines::DPLLT), patterns, ..Options::default() };
    let outcome = check(&problem, &options);
    let answer = outcome.about(Goal::Bad).expect("it was asked");
    assert!(answer.unknown().is_some(), "the lemma is not checked");

    let options = Options { trust: vec!["harmless".to_owned()], ..options };
    let outcome = check(&problem, &options);
    let answer = outcome.about(Goal::Bad).expect("it was asked");
    assert!(answer.is_safe());
    let Finding::Settled(confirmed) = &answer.finding else { panic!("it is safe") };
    println!("safe, believing {:?}, after {} states", confirmed.trusted, answer.stats.states);
    assert_eq!(confirmed.trusted, [NOTHING_BAD]);
}
