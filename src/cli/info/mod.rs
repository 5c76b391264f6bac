//! `impasse info`: describes a model.

mod count;
mod structure;

use super::args::{Common, InfoArgs, LimitArgs, ProgressArg};
use super::exit::Exit;
use super::limits::Watch;
use super::notes::Complaints;
use super::{flags, input, kinds, usage};
use std::path::PathBuf;

/// Maximum number of names that a list shows without `-v`.
pub(crate) const NAMES: usize = 6;

pub(crate) fn run(args: &InfoArgs, common: &Common) -> Exit {
    let watch = match args.count {
        true => Watch::start(&LimitArgs { timeout: args.timeout, memory: args.memory, progress: ProgressArg::Never }),
        false => Watch::memory(args.memory, "description"),
    };
    let refused = |f: &PathBuf| flags::refused_question(f, &args.question, common.input_format.as_deref());
    if let Some(why) = args.files.iter().find_map(refused) {
        return usage(&why);
    }
    if args.files.len() > 1 && (args.question.target.is_some() || args.question.properties.is_some()) {
        return usage("a file of goals is about one model, and there are several");
    }
    let mut worst = Exit::Done;
    for file in &args.files {
        let complaints = Complaints::new(common);
        match input::asked(file, &args.question, &complaints).and_then(|model| model.asking(&complaints)) {
            Ok(model) if args.structure => worst = worst.max(structure::say(&model, common.verbose)),
            Ok(model) if args.count => worst = worst.max(count::say(&model, &watch)),
            Ok(model) => kinds::of(&model.problem).describe(&model, common.verbose),
            Err(exit) => worst = worst.max(exit),
        }
    }
    worst
}
