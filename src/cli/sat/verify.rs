//! Checks answers about formulas with the independent checker: after solving (`--check`), or from a file
//! (`replay`).

use crate::cli::args::{Common, ReplayArgs};
use crate::cli::complaints::complain;
use crate::cli::evidence::accepted::stopped;
use crate::cli::evidence::read::evidence_limits;
use crate::cli::exit::{Exit, usage};
use crate::cli::limits::Watch;
use crate::cli::{flags, input, memory};
use impasse::certify::{self, Lrat, Refusal, Refuted};
use impasse::formats::{self, Error, Limits, LratReader, Source};
use impasse::model::Stop;
use impasse::model::cnf::Cnf;
use std::time::Instant;
use view::text::plural;

/// How a check ended.
pub(super) enum Checked {
    /// Accepted. Says what was checked.
    Accepted(String),
    /// Not decided. Says why.
    Undecided(String),
    /// Refused. Says what is wrong.
    Refused(String),
}

impl Checked {
    fn of<T>(result: Result<T, Refusal>, accepted: impl FnOnce(T) -> String, stop: &Stop) -> Self {
        match (result, stop.raised()) {
            (Ok(found), _) => Self::Accepted(accepted(found)),
            (Err(Refusal::ResourceLimit), Some(reason)) => Self::Undecided(stopped(reason)),
            (Err(refusal @ (Refusal::ResourceLimit | Refusal::Unknown(_))), _) => Self::Undecided(refusal.to_string()),
            (Err(refusal @ (Refusal::Rejected(_) | Refusal::Assumption(_))), _) => Self::Refused(refusal.to_string()),
        }
    }
}

/// Checks whether the model satisfies the formula.
pub(super) fn model(cnf: &Cnf, values: &[bool], stop: &Stop) -> Checked {
    let clauses = || plural(cnf.clauses.len() as u64, "clause");
    Checked::of(certify::check_model(cnf, values), |()| format!("the model satisfies {}", clauses()), stop)
}

/// Checks whether the proof that the solver logged refutes the formula.
pub(super) fn logged(cnf: &Cnf, proof: &Source, stop: &Stop) -> Checked {
    match refute(cnf, proof, stop) {
        Ok(result) => Checked::of(result, told, stop),
        Err(error) => Checked::Refused(error.to_string()),
    }
}

fn told(refuted: Refuted) -> String {
    format!("LRAT proof of {}, {}", plural(refuted.derived(), "clause"), plural(refuted.hints(), "hint"))
}

/// Checks the proof while reading it. The outer error is about the file, and the inner one is about the
/// proof.
fn refute(cnf: &Cnf, proof: &Source, stop: &Stop) -> Result<Result<Refuted, Refusal>, Box<Error>> {
    let mut check = match Lrat::new(cnf, &certify::Options::default(), stop) {
        Ok(check) => check,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let mut steps = LratReader::new(proof);
    while let Some(step) = steps.next_step()? {
        if let Err(refusal) = check.step(&step) {
            return Ok(Err(refusal));
        }
    }
    Ok(check.finish())
}

/// Returns true if this is a formula, and not a model of a system.
pub(crate) fn is_formula(path: &str, input_format: Option<&str>) -> bool {
    let name = path.strip_suffix(".xz").or_else(|| path.strip_suffix(".gz")).unwrap_or(path);
    input_format.map_or_else(|| name.ends_with(".cnf"), |format| format == "cnf")
}

/// Runs `impasse replay FORMULA PROOF`.
pub(crate) fn replay(args: &ReplayArgs, common: &Common) -> Result<Exit, Exit> {
    let trust = (!args.trust.is_empty()).then_some("--trust");
    let picture = args.picture.is_some().then_some("--picture");
    if let Some(option) = flags::question(&args.question).or(trust).or(picture) {
        return Err(usage(&format!("`{option}` is for models of systems; {} is a formula", args.file)));
    }
    let watch = Watch::start(&args.limits);
    watch.set_last_words(|reason| {
        say!("NOT ACCEPTED: {}", stopped(reason));
        Exit::NotAccepted
    });
    let limits = Limits::within(memory::limit());
    let (cnf, _) = formats::read_cnf(input::source(&args.file, limits.bytes)?, &limits)
        .map_err(|error| complain(error.as_ref(), common))?;
    let limits = evidence_limits();
    let packed = input::source(&args.evidence, limits.bytes)?;
    let (name, bytes) =
        formats::decompress(&packed.name, packed.bytes, &limits).map_err(|error| complain(error.as_ref(), common))?;
    let stop = watch.stop();
    let started = Instant::now();
    let result = refute(&cnf, &Source { name, bytes }, &stop);
    let seconds = started.elapsed().as_secs_f64();
    watch.take_over();
    if common.verbose {
        tell!("c check_seconds {seconds:.3}");
    }
    let result = result.map_err(|error| complain(error.as_ref(), common))?;
    let paint = common.color.paint(&std::io::stdout());
    Ok(match Checked::of(result, told, &stop) {
        Checked::Accepted(what) => {
            say!("{}: UNSATISFIABLE ({what})", paint.green("ACCEPTED"));
            Exit::Done
        }
        Checked::Undecided(why) => {
            say!("{}: {why}", paint.red("NOT ACCEPTED"));
            Exit::NotAccepted
        }
        Checked::Refused(why) => {
            say!("{}: {why}", paint.red("REJECTED"));
            Exit::NotAccepted
        }
    })
}
