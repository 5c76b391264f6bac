//! `impasse convert`: writes a model in another format. The extension of the output selects the format.

use super::args::{Common, ConvertArgs};
use super::complaints::{Complaints, complain};
use super::drafts::whole;
use super::exit::{Exit, usage};
use super::input::{self, Model};
use super::limits::{self, Watch};
use super::{circuit, flags};
use impasse::formats::WriteError;
use impasse::model::{Net, Problem, Reason, ThreadTransitionSystem, TransitionId};
use impasse::steps::marking::Stepper;
use std::borrow::Cow;
use std::io;
use std::sync::Arc;

pub(crate) fn run(args: &ConvertArgs, common: &Common) -> Exit {
    let output = args.output.to_string_lossy();
    if let Some(packed) = [".xz", ".gz"].into_iter().find(|e| output.ends_with(e)) {
        return usage(&format!("cannot compress: leave `{packed}` off `{output}`, and compress the file afterwards"));
    }
    let Some((format, write)) = readers::by_path(&output).and_then(|f| Some((f, f.write?))) else {
        let known = readers::ALL.iter().filter(|f| f.write.is_some()).flat_map(|f| f.extensions);
        let known: Vec<String> = known.map(|e| format!(".{}", e.trim_start_matches('.'))).collect();
        return usage(&format!("cannot tell the format from `{output}`; it should end in {}", known.join(", ")));
    };
    // The watch starts before the options are checked, because this check may read the file.
    let watch = Watch::start(&args.limits);
    watch.set_last_words(stopped);
    let refused = |why: &str| {
        watch.take_over();
        usage(why)
    };
    if let Some(why) = flags::refused_question(&args.input, &args.question, common.input_format.as_deref()) {
        return refused(&why);
    }
    if !args.question.ask.is_empty() {
        return refused("`--ask` is for `check`: `convert` writes the model's own properties");
    }
    let model = match input::converted(args.input.as_ref(), &args.question, &Complaints::new(common)) {
        Ok(model) => model,
        Err(exit) => {
            watch.take_over();
            return exit;
        }
    };
    let model = if args.without_finals {
        let Some(net) = model.problem.system().as_net() else {
            return refused("`--without-finals` is for nets");
        };
        let net = Net::clone(net).without_finals();
        match model.problem.clone().on(Arc::new(net)) {
            Ok(problem) => Model { problem, ..model },
            Err(why) => return refused(&why.to_string()),
        }
    } else {
        model
    };
    let asked = &args.circuit;
    let model = if circuit::is_format(format.name) {
        match circuit::of(&model.problem, asked, format.name) {
            Ok(problem) => Model { problem, ..model },
            Err(why) => return refused(&format!("{}: {why}", model.name)),
        }
    } else if asked.bound.is_some() || asked.total.is_some() || asked.encoding.is_some() || !asked.property.is_empty() {
        return refused(
            "`--bound`, `--total`, `--encoding` and `--property` are for circuits: `.aag`, `.aig` or `.btor2`",
        );
    } else {
        model
    };
    let mut unsaid = None;
    let written = whole(&args.output, |out| {
        let written = expressible(&model.problem, format.name).and_then(|problem| write(&problem, out));
        // The watchdog is silenced before the file gets its name. So if the watchdog reports that nothing was
        // written, there is no file.
        watch.take_over();
        written.map_err(|error| match error {
            WriteError::Io(error) => error,
            WriteError::Feature(error) => {
                unsaid = Some(error.in_source(&model.name));
                io::Error::other("the format cannot express it")
            }
        })
    });
    if let Some(error) = unsaid {
        return complain(error.as_ref(), common);
    }
    match written {
        Ok(()) => {
            if let Some(warning) = format.leaves_out(&model.problem, &model.name).filter(|_| !common.quiet) {
                complain(warning.as_ref(), common);
            }
            Exit::Done
        }
        Err(error) => {
            tell!("error: cannot write {output}: {error}");
            Exit::Input
        }
    }
}

/// Prints what ended the work. The watchdog calls this before it ends the process.
fn stopped(reason: Reason) -> Exit {
    tell!("error: {}; nothing was written", limits::ended("conversion", reason));
    Exit::of_reason(reason)
}

/// Returns the problem in a form that the format accepts. For a format of nets, a thread-transition system is
/// translated to a net.
fn expressible<'p>(problem: &'p Problem, format: &str) -> Result<Cow<'p, Problem>, WriteError> {
    let (Some(threads), "spec" | "pnml") = (problem.system().as_threads(), format) else {
        return Ok(Cow::Borrowed(problem));
    };
    let net = thread_net(threads, format)?;
    let as_net = problem.clone().on(Arc::new(net));
    as_net.map(Cow::Owned).map_err(|mismatch| WriteError::feature(format, mismatch))
}

/// Translates a thread-transition system to a net, for a format that has no thread-transition systems.
pub(crate) fn net_for(threads: &ThreadTransitionSystem, format: &str) -> Result<Net, String> {
    thread_net(threads, format).map_err(|error| match error {
        WriteError::Io(error) => error.to_string(),
        WriteError::Feature(error) => error.to_string(),
    })
}

fn thread_net(threads: &ThreadTransitionSystem, format: &str) -> Result<Net, WriteError> {
    nets::reduce::thread_net(threads).map_err(|several| {
        let number = TransitionId::new(several.transition);
        let written = Stepper::Threads(threads).transition_name(number);
        let what = format!(
            "in transition {} (counted from 0), `{written}`, other threads choose between several targets",
            number.index()
        );
        WriteError::feature(format, what).hint("`.tts` and `.dot` can")
    })
}
