//! `impasse convert`: the same model in another format, by the extension of the output.

use super::args::{Common, ConvertArgs};
use super::evidence::whole;
use super::exit::Exit;
use super::{input, usage};
use impasse::formats::{self, WriteError};
use std::io;

pub(crate) fn run(args: &ConvertArgs, common: &Common) -> Exit {
    let output = args.output.to_string_lossy();
    if let Some(packed) = [".xz", ".gz"].into_iter().find(|e| output.ends_with(e)) {
        return usage(&format!("cannot compress: leave `{packed}` off `{output}`, and compress the file afterwards"));
    }
    let Some(write) = formats::by_path(&output).and_then(|f| f.write) else {
        let known = formats::ALL.iter().filter(|f| f.write.is_some()).flat_map(|f| f.extensions);
        let known: Vec<String> = known.map(|e| format!(".{}", e.trim_start_matches('.'))).collect();
        return usage(&format!("cannot tell a format to write from `{output}`; it should end in {}", known.join(", ")));
    };
    let model = match input::model(&args.input, common) {
        Ok(model) => model,
        Err(exit) => return exit,
    };
    let mut unsaid = None;
    let written = whole(&args.output, |out| {
        write(&model.problem, out).map_err(|error| match error {
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
