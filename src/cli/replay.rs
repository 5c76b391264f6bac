//! `impasse replay`: checks evidence against the model with the independent checker alone.

use super::args::{Common, ReplayArgs};
use super::complaints::Complaints;
use super::drafts::whole;
use super::evidence::accepted::{accepted, stopped, within};
use super::evidence::read;
use super::exit::{Exit, usage};
use super::limits::Watch;
use super::{flags, fold, input, sat};
use impasse::certify::{self, Refusal};
use impasse::formats::Partly;
use impasse::model::{Claim, Problem, Reason};
use std::path::Path;
use view::render;
use view::trace::Detail;
use view::why;

pub(crate) fn run(args: &ReplayArgs, common: &Common) -> Exit {
    let is_formula = sat::is_formula(&args.file, common.input_format.as_deref());
    let replay = if is_formula { sat::replay } else { replay };
    match replay(args, common) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn replay(args: &ReplayArgs, common: &Common) -> Result<Exit, Exit> {
    // The watch starts before the options are checked, because this check may read the file.
    let watch = Watch::start(&args.limits);
    watch.set_last_words(|reason| {
        say!("NOT ACCEPTED: {}", stopped(reason));
        Exit::NotAccepted
    });
    if let Some(why) = overwrites(args) {
        watch.take_over();
        return Err(usage(&why));
    }
    if let Some(why) = flags::refused_question(&args.file, &args.question, common.input_format.as_deref()) {
        watch.take_over();
        return Err(usage(&why));
    }
    let complaints = Complaints::new(common);
    // A run may be in a part of a program that is too large: the part that the check has read first, or as much as the
    // limits allow.
    let most = Partly { at_goal: false, at_limit: true };
    let problem = |partly, complaints: &Complaints<'_>| {
        let model = input::asked_partly(&args.file, &args.question, partly, complaints)?.asking(complaints)?;
        Ok::<Problem, Exit>(model.problem)
    };
    let (mut read, evidence) = (problem(most, &complaints)?, read::load(&args.evidence, common)?);
    if read.system().as_program().is_some() && !read::is_about(&evidence, &read) {
        read = problem(Partly { at_goal: true, ..most }, &Complaints::silent(common))?;
    }
    let (problem, claim) = read::claim_in(read, evidence, common)?;
    let how =
        certify::Options { trust: args.trust.clone(), kernel_only: args.kernel_only, ..certify::Options::default() };
    let stop = watch.stop();
    let checked = match &claim {
        Claim::Within { .. } if args.kernel_only => {
            Err(Refusal::Unknown("the kernel has no rule for proofs within a bound".to_owned()))
        }
        Claim::Within { .. } => certify::confirm_within(&problem, &claim, &how, &stop).map(|b| within(&problem, &b)),
        _ => certify::confirm(&problem, &claim, &how, &stop).map(|confirmed| accepted(&problem, &confirmed)),
    };
    // Under the watch, like the check: a state may have very many parts.
    let drawing = match (&args.picture, &checked, &claim) {
        (Some(_), Ok(_), Claim::Unsafe { goal, trace, .. }) => Some(view::draw::sequence::svg(&problem, trace, *goal)),
        _ => None,
    };
    watch.take_over();
    let paint = common.color.paint(&std::io::stdout());
    Ok(match checked {
        Ok(accepted) => {
            say!("{}: {accepted}", paint.green("ACCEPTED"));
            let detail = Detail { all: common.verbose, paint };
            match &claim {
                _ if common.quiet => {}
                Claim::Unsafe { goal, trace, .. } => {
                    let run = render::render(&problem, trace, *goal, detail);
                    say!("{}", fold::for_terminal(run).trim_end());
                }
                _ => {
                    let reasons = claim.goals().iter().filter_map(|goal| why::of(&problem, &claim, *goal));
                    reasons.for_each(|why| say!("{}", fold::for_terminal(why.render(&problem, detail)).trim_end()));
                }
            }
            match &args.picture {
                Some(path) => draw(path, drawing),
                None => Exit::Done,
            }
        }
        Err(Refusal::ResourceLimit) if stop.raised().is_some() => {
            say!("{}: {}", paint.red("NOT ACCEPTED"), stopped(stop.raised().unwrap_or(Reason::Interrupted)));
            Exit::NotAccepted
        }
        Err(refusal) => {
            let word = if matches!(refusal, Refusal::Rejected(_)) { "REJECTED" } else { "NOT ACCEPTED" };
            say!("{}: {refusal}", paint.red(word));
            Exit::NotAccepted
        }
    })
}

/// Writes the drawing of an accepted run, if the evidence is a run.
fn draw(path: &Path, drawing: Option<String>) -> Exit {
    let Some(drawing) = drawing else {
        return usage("`--picture` draws runs, and this evidence is a proof");
    };
    match whole(path, |out| out.write_all(drawing.as_bytes())) {
        Ok(()) => Exit::Done,
        Err(error) => {
            tell!("error: cannot write {}: {error}", path.display());
            Exit::Input
        }
    }
}

/// Returns why the drawing cannot be written to the path: it is one of the files that are read.
fn overwrites(args: &ReplayArgs) -> Option<String> {
    let picture = args.picture.as_ref()?.canonicalize().ok()?;
    let read = [&args.file, &args.evidence]
        .into_iter()
        .find(|file| Path::new(file).canonicalize().is_ok_and(|f| f == picture))?;
    Some(format!("`--picture` would overwrite {read}"))
}
