//! Tests of files in the style of each tool (with own content): the net of each file, or why it is refused. The
//! snapshots were compared with the files by hand, line by line.

use crate::mutate::{mutated, show};
use crate::pnml::{net, written};
use crate::read_as;
use impasse_readers::{Error, Limits, Read, Source, read};
use model::{Effect, Families, Net, PlaceId, Range, SystemModel, TransitionId};
use std::path::{Path, PathBuf};
use testkit::Random;

/// Returns a net, its questions and the warnings about it, one in each line.
pub(crate) fn told(read: &Read) -> String {
    let SystemModel::Net(net) = read.problem.system() else { panic!("no net") };
    let mut lines = net_lines(net);
    lines.extend(read.problem.properties().iter().map(|p| format!("asks {} {:?}", p.id, p.asked)));
    lines.extend(read.warnings.iter().map(|w| format!("warning {}", line(w))));
    lines.join("\n")
}

fn line(error: &Error) -> String {
    let place = error.line_column().map_or(String::new(), |(line, _)| format!(" (line {line})"));
    format!("[{}] {}{place}", error.code(), error.headed())
}

/// Returns places with their tokens, then transitions with their guards and effects. Each has its id, if its
/// displayed name differs.
pub(crate) fn net_lines(net: &Net) -> Vec<String> {
    let both = |shown: &str, id: &str| if shown == id { id.to_owned() } else { format!("{shown} = {id}") };
    let mut lines = Vec::new();
    for (p, place) in net.places().iter().enumerate() {
        lines.push(format!("place {}: {}", both(net.shown_place(PlaceId::new(p)), &place.name), range(&place.initial)));
    }
    for (t, transition) in net.transitions().iter().enumerate() {
        let mut line = format!("transition {}:", both(net.shown_transition(TransitionId::new(t)), &transition.name));
        for guard in &transition.guards {
            line.push_str(&format!(" {} in {}", net.place(guard.place).name, range(&guard.range)));
        }
        line.push_str(" ->");
        transition.effects.iter().for_each(|e| line.push_str(&effect(net, e)));
        lines.push(line);
    }
    for marking in net.finals() {
        let places = marking.iter().map(|(p, n)| format!(" {}={n}", net.place(*p).name));
        lines.push(format!("final:{}", places.collect::<String>()));
    }
    lines
}

fn range(range: &Range) -> String {
    match &range.at_most {
        Some(most) if *most == range.at_least => most.to_string(),
        Some(most) => format!("{}..{most}", range.at_least),
        None => format!("{}..", range.at_least),
    }
}

fn effect(net: &Net, effect: &Effect) -> String {
    let name = &net.place(effect.place).name;
    match effect.delta() {
        Some(delta) => format!(" {name}{}{delta}", if delta.sign() == num_bigint::Sign::Minus { "" } else { "+" }),
        None => format!(" {name}:={}", effect.add),
    }
}

fn files() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dialects");
    let mut files: Vec<_> = std::fs::read_dir(directory).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 25, "{}", files.len());
    files
}

#[test]
fn files_of_every_tool_are_the_nets_that_their_tool_has_or_refused() {
    for path in files() {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let said = match read_as(&name, &text) {
            Ok(read) => told(&read),
            Err(error) => format!("refused {}", line(&error)),
        };
        insta::assert_snapshot!(format!("dialect_{}", name.replace('.', "_")), said);
    }
}

/// Damaged files of every tool give errors, or nets that are written and read back unchanged.
#[test]
fn damaged_files_of_tools_never_panic() {
    let mut random = Random::new(5);
    let (mut good, mut refused) = (0, 0);
    for path in files() {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let bytes = std::fs::read(&path).unwrap();
        for _ in 0..1000 {
            let source = Source { name: name.clone(), bytes: mutated(&bytes, &mut random) };
            let read = match read(source, None, &Limits::default()) {
                Ok(read) => read,
                Err(error) => {
                    refused += 1;
                    show(&error);
                    continue;
                }
            };
            good += 1;
            read.warnings.iter().for_each(show);
            let Ok(text) = written(&read.problem, "pnml") else { continue };
            let back = read_as("t.pnml", &text).unwrap_or_else(|e| panic!("{e} in\n{text}"));
            // The names of coloured nodes are not written.
            let plain = net(&read.problem).clone().with_families(Families::default());
            assert_eq!(*net(&back.problem), plain, "{text}");
        }
    }
    assert!(good > 500 && refused > 5000, "{good} good, {refused} refused");
}
