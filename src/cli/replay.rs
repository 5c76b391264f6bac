//! `impasse replay`: checks evidence against the model with the independent checker alone.

use super::args::{Common, ReplayArgs};
use super::exit::Exit;
use super::input;
use super::limits::Watch;
use super::text::{Paint, plural};
use super::trace::{self, Detail};
use impasse::certify::{self, Confirmed, Refusal};
use impasse::formats::{self, Limits, Source};
use impasse::model::{Claim, Problem};

/// Evidence may be far larger than a model: a state set has a line for each of its states.
const EVIDENCE_BYTES: usize = 1 << 30;

pub(crate) fn run(args: &ReplayArgs, common: &Common) -> Exit {
    match replay(args, common) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn replay(args: &ReplayArgs, common: &Common) -> Result<Exit, Exit> {
    let watch = Watch::start(&args.limits);
    watch.set_last_words(|reason| {
        say!("NOT ACCEPTED: stopped ({reason})");
        Exit::NotAccepted
    });
    let model = input::model(&args.file, common)?;
    let limits = Limits { bytes: EVIDENCE_BYTES, ..Limits::default() };
    let packed = input::source(&args.evidence, limits.bytes)?;
    let claim = formats::decompress(&packed.name, packed.bytes, &limits)
        .and_then(|(name, bytes)| formats::evidence::read(&Source { name, bytes }, model.problem.program(), &limits))
        .map_err(|error| input::complain(error.as_ref(), common))?;
    let problem = asked_in(&model.problem, &claim);
    let how = certify::Options { trust: args.trust.clone(), ..certify::Options::default() };
    let checked = certify::confirm(&problem, &claim, &how, &watch.stop());
    watch.take_over();
    let paint = Paint::new(common.color, &std::io::stdout());
    Ok(match checked {
        Ok(confirmed) => {
            say!("{}: {}", paint.green("ACCEPTED"), accepted(&confirmed));
            if let (Claim::Unsafe { goal, trace, .. }, false) = (&claim, common.quiet) {
                let detail = Detail { all: common.verbose, paint };
                say!("{}", trace::render(problem.program(), trace, *goal, detail).trim_end());
            }
            Exit::Done
        }
        Err(refusal) => {
            let word = if matches!(refusal, Refusal::Rejected(_)) { "REJECTED" } else { "NOT ACCEPTED" };
            say!("{}: {refusal}", paint.red(word));
            Exit::NotAccepted
        }
    })
}

/// The problem with the goals that the evidence speaks of: evidence for a goal that the model's `check` line does not ask
/// for is evidence all the same.
fn asked_in(problem: &Problem, claim: &Claim) -> Problem {
    let goals = match claim {
        Claim::Safe { goals, .. } | Claim::Unknown { goals, .. } => goals.clone(),
        Claim::Unsafe { goal, .. } => vec![*goal],
    };
    Problem::of_program_with(problem.program().clone(), &goals)
}

fn accepted(confirmed: &Confirmed) -> String {
    let goals: Vec<&str> = confirmed.goals.iter().map(|g| g.id()).collect();
    let unit = match confirmed.evidence {
        certify::EvidenceKind::Trace => "event",
        certify::EvidenceKind::StateSet => "state",
        certify::EvidenceKind::Lemmas => "step",
    };
    let verdict = if confirmed.verdict.is_safe() { "SAFE" } else { "UNSAFE" };
    let trusted: Vec<&str> = confirmed.trusted.iter().map(|k| k.0).collect();
    let trusted = if trusted.is_empty() { String::new() } else { format!(", believing {}", trusted.join(", ")) };
    format!(
        "{} {verdict} ({} of {}{trusted})",
        goals.join(", "),
        confirmed.evidence.id(),
        plural(confirmed.length, unit)
    )
}
