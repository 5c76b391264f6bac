//! `impasse draw`: pictures of models and runs, as SVG, for Graphviz and Mermaid, and as a page.
//!
//! A kind of system provides a graph ([`view::draw::source`]), and each format writes graphs
//! ([`mod@view::draw::write`]). Runs are sequence diagrams ([`view::draw::sequence`]).

mod page;
pub(crate) mod request;
mod run;

use super::input_name::is_stdin;
use super::memory;
pub(crate) use page::of_answer;
use request::{NoPicture, PictureRequest};
use view::draw::write::Picture;

use super::args::{Common, DrawArgs, PictureFormat, What};
use super::complaints::Complaints;
use super::drafts::whole;
use super::exit::{Exit, usage};
use super::limits::{self, Watch};
use super::{flags, input, kinds, output};
use impasse::formats::{self, Limits};
use impasse::model::{Problem, Stop};
use run::ModelOrRun;
use std::path::Path;
use std::sync::Arc;
use view::draw::sequence::Drawing;
use view::draw::source::spots;

pub(crate) fn run(args: &DrawArgs, common: &Common) -> Exit {
    // The watch starts before the options are checked, because this check may read the file.
    let watch = Watch::start(&args.limits);
    watch.set_last_words(|reason| {
        tell!("error: {}; nothing was written", limits::ended("drawing", reason));
        Exit::of_reason(reason)
    });
    let drawn = draw(args, common, &watch.stop());
    watch.take_over();
    match drawn {
        Err(exit) => exit,
        Ok(text) if is_stdin(&args.out) => {
            output::write(&text);
            Exit::Done
        }
        Ok(text) => match whole(&args.out, |out| out.write_all(text.as_bytes())) {
            Ok(()) => Exit::Done,
            Err(error) => {
                tell!("error: cannot write {}: {error}", args.out.display());
                Exit::Input
            }
        },
    }
}

/// Returns the text to be written.
fn draw(args: &DrawArgs, common: &Common, stop: &Arc<Stop>) -> Result<String, Exit> {
    let format = format(args).map_err(|why| usage(&why))?;
    if let Some(why) = flags::refused_question(&args.file, &args.question, common.input_format.as_deref()) {
        return Err(usage(&why));
    }
    let complaints = Complaints::new(common);
    let model = input::asked(&args.file, &args.question, &complaints)?;
    let name = model.name.clone();
    let found = run::wanted(model, args, common, &complaints, stop)?;
    let source = source_of(&args.file);
    let picture = match &found {
        ModelOrRun::Run { problem, run, .. } if args.what.is_none_or(|what| what == What::Run) => {
            if args.step.is_some() {
                return Err(usage("`--step` marks a state of the run: give `--what threads`, `net` or `circuit`, too"));
            }
            Picture::Sequence(Box::new(Drawing::of(problem, &run.trace, run.goal)))
        }
        found => {
            let now = found.now(args.step).map_err(|why| usage(&why))?;
            let spots = source.as_deref().map(spots::spots).unwrap_or_default();
            let what = args.what;
            let asked = PictureRequest { what, spots: &spots, now: now.as_ref(), most: args.nodes as usize, stop };
            let drawn = kinds::of(found.problem()).draw(&asked);
            Picture::Graph(drawn.map_err(|undrawn| refuse(undrawn, &name, stop))?)
        }
    };
    Ok(match format {
        PictureFormat::Svg => view::draw::write::svg(&picture),
        PictureFormat::Dot => view::draw::write::dot(&picture),
        PictureFormat::Mermaid => view::draw::write::mermaid(&picture),
        PictureFormat::Html => page::of_picture(&name, &found, &picture, source.as_deref()),
    })
}

fn refuse(undrawn: NoPicture, name: &str, stop: &Stop) -> Exit {
    match undrawn {
        NoPicture::Misfit(why) => usage(&format!("{name}: {why}")),
        NoPicture::Stopped => {
            let reason = stop.raised().unwrap_or(impasse::model::Reason::Interrupted);
            tell!("error: {}; nothing was written", limits::ended("drawing", reason));
            Exit::of_reason(reason)
        }
    }
}

/// Returns the format that the option or the name of the output says.
fn format(args: &DrawArgs) -> Result<PictureFormat, String> {
    if let Some(read) = [Some(&args.file), args.evidence.as_ref()].into_iter().flatten().find(|f| is_same(f, &args.out))
    {
        return Err(format!("`--out` would overwrite {read}"));
    }
    let ending = args.out.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    let by_name = match ending.as_deref() {
        Some("svg") => Some(PictureFormat::Svg),
        Some("dot" | "gv") => Some(PictureFormat::Dot),
        Some("mermaid" | "mmd") => Some(PictureFormat::Mermaid),
        Some("html" | "htm" | "xhtml") => Some(PictureFormat::Html),
        _ => None,
    };
    args.format.or(by_name).ok_or_else(|| {
        let out = args.out.display();
        format!("cannot tell the format from `{out}`; it should end in .svg, .dot, .mermaid, .html, or give `--format`")
    })
}

fn is_same(read: &str, out: &Path) -> bool {
    let found = |path: &Path| path.canonicalize().ok();
    !is_stdin(Path::new(read)) && found(out).is_some_and(|out| Some(out) == found(Path::new(read)))
}

/// Reads the text of a model again. `None` for standard input, which can be read only once, and for binary files.
pub(crate) fn source_of(file: &str) -> Option<String> {
    let limits = Limits::within(memory::limit());
    if is_stdin(Path::new(file)) {
        return None;
    }
    let bytes = std::fs::read(file).ok()?;
    let (_, bytes) = formats::decompress(file, bytes, &limits).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    (!text.contains('\0')).then_some(text)
}

/// Returns the sentence that says what is asked about a model, when nothing was checked.
pub(crate) fn unchecked(problem: &Problem) -> String {
    let ids: Vec<&str> = problem.properties().iter().map(|property| property.id.as_str()).collect();
    match ids[..] {
        [] => "Not checked: the model asks for nothing.".to_owned(),
        _ => format!("Not checked. The model asks: {}.", view::text::names(ids, 12)),
    }
}
