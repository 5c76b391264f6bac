//! `impasse convert`: the same model in another format, by the extension of the output.

use super::args::{Common, ConvertArgs};
use super::evidence::whole;
use super::exit::Exit;
use super::{flags, input, usage};
use impasse::formats::{self, WriteError};
use impasse::model::{Problem, SystemModel};
use std::io;
use std::sync::Arc;

pub(crate) fn run(args: &ConvertArgs, common: &Common) -> Exit {
    let output = args.output.to_string_lossy();
    if let Some(packed) = [".xz", ".gz"].into_iter().find(|e| output.ends_with(e)) {
        return usage(&format!("cannot compress: leave `{packed}` off `{output}`, and compress the file afterwards"));
    }
    let Some((format, write)) = formats::by_path(&output).and_then(|f| Some((f.name, f.write?))) else {
        let known = formats::ALL.iter().filter(|f| f.write.is_some()).flat_map(|f| f.extensions);
        let known: Vec<String> = known.map(|e| format!(".{}", e.trim_start_matches('.'))).collect();
        return usage(&format!("cannot tell a format to write from `{output}`; it should end in {}", known.join(", ")));
    };
    if let Some(why) = flags::refused_question(&args.input, &args.question, common.input_format.as_deref()) {
        return usage(&why);
    }
    let model = match input::asked(&args.input, &args.question, common) {
        Ok(model) => model,
        Err(exit) => return exit,
    };
    let problem = match expressible(model.problem, format) {
        Ok(problem) => problem,
        Err(why) => {
            tell!("error: {}: {why}", model.name);
            return Exit::Input;
        }
    };
    let mut unsaid = None;
    let written = whole(&args.output, |out| {
        write(&problem, out).map_err(|error| match error {
            WriteError::Io(error) => error,
            WriteError::Feature(error) => {
                unsaid = Some(error);
                io::Error::other("the format cannot say it")
            }
        })
    });
    if let Some(error) = unsaid {
        return input::complain(error.as_ref(), common);
    }
    match written {
        Ok(()) => Exit::Done,
        Err(error) => {
            tell!("error: cannot write {output}: {error}");
            Exit::Input
        }
    }
}

/// The problem as the format takes it: formats of nets get thread systems as nets.
fn expressible(mut problem: Problem, format: &str) -> Result<Problem, String> {
    if let (SystemModel::Threads(threads), "spec" | "pnml") = (&problem.system, format) {
        let net = reduce::thread_net(threads).map_err(|why| format!("the format `{format}` cannot say it: {why}"))?;
        problem.system = SystemModel::Net(Arc::new(net));
    }
    Ok(problem)
}
