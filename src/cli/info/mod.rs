//! `impasse info`: describes a model.

mod count;
mod json;
mod structure;

use super::args::{Common, InfoArgs, InfoFormat, LimitArgs, ProgressArg};
use super::complaints::Complaints;
use super::exit::{Exit, usage};
use super::input::{self, Model};
use super::limits::{Watch, ended};
use super::{flags, kinds};
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
            Ok(model) if args.format == InfoFormat::Json => {
                worst = worst.max(as_json(&model, args, complaints, &watch).unwrap_or_else(|exit| exit));
            }
            Ok(model) if args.structure => worst = worst.max(structure::say(&model, common.verbose)),
            Ok(model) if args.count => worst = worst.max(count::say(&model, &watch)),
            Ok(model) => kinds::of(&model.problem).describe(&model, common.verbose),
            Err(exit) => worst = worst.max(exit),
        }
    }
    worst
}

/// Prints a description as JSON.
fn as_json(model: &Model, args: &InfoArgs, complaints: Complaints<'_>, watch: &Watch) -> Result<Exit, Exit> {
    let net = model.problem.system().as_net();
    if (args.structure || args.count) && net.is_none() {
        let noun = model.problem.system().noun();
        return Err(usage(&format!("`--structure` and `--count` are about nets, and {} is {noun}", model.name)));
    }
    let structure = net.filter(|_| args.structure).map(|net| {
        json::structure(net).ok_or_else(|| {
            usage(&format!(
                "`--structure` is about nets with plain and read arcs, and {} has arcs of other kinds",
                model.name
            ))
        })
    });
    let counts = net.filter(|_| args.count).map(|net| {
        json::count(net, watch).map_err(|reason| {
            tell!("error: {}: {}", model.name, ended("count", reason));
            Exit::of_reason(reason)
        })
    });
    let description =
        json::describe(model, structure.transpose()?, counts.transpose()?, complaints.into_notes().warnings);
    say!("{}", serde_json::to_string(&description).expect("a description is plain data"));
    Ok(Exit::Done)
}
