//! The cases on which `auto` is measured: generated programs, and the programs and nets of the corpus.

use crate::args::{AutoArgs, Suite};
use crate::corpus::{self, Verdict};
use crate::generated::classics::{self};
use crate::nets;
use portfolio::{Family, engines};
use std::io;
use std::path::{Path, PathBuf};

/// Returns the engines that are measured alone: those that support such systems, without variants that exist
/// only for comparison.
fn engines_for(family: Family) -> Vec<&'static str> {
    const VARIANTS: [&str; 4] = ["cover", "ic3.bounded", "ic3.ttscov", "concurrency"];
    let known = engines::ALL.iter().filter(|row| row.knows(family) && !VARIANTS.contains(&row.name));
    let is_alias = |name: &str| family == Family::Programs && name == "ic3.bits";
    known.map(|row| row.name).filter(|name| !is_alias(name)).collect()
}

/// Returns the engines that support nets with a target, in any file format.
fn for_targets() -> Vec<&'static str> {
    engines_for(Family::Nets).into_iter().filter(|name| *name != "dpllt").collect()
}

/// Returns the expected verdict of a property, if it is known.
type Expected = Box<dyn Fn(&str) -> Option<Verdict>>;

/// One command line to be measured.
pub(super) struct Case {
    pub(super) suite: &'static str,
    pub(super) name: String,
    pub(super) model: PathBuf,
    pub(super) args: Vec<String>,
    pub(super) engines: Vec<&'static str>,
    pub(super) known: Expected,
}

/// Writes the generated programs into the folder.
///
/// # Errors
///
/// If a file cannot be written.
pub(super) fn write(folder: &Path, largest: usize) -> io::Result<()> {
    families(folder, largest).map(|_| ())
}

/// Returns the selected cases. Generated programs are written into `folder`.
///
/// # Errors
///
/// If the corpus is malformed, or a program cannot be written.
pub(super) fn chosen(args: &AutoArgs, folder: &Path) -> io::Result<Vec<Case>> {
    let mut all = Vec::new();
    let is_asked = |suite| args.suite.is_empty() || args.suite.contains(&suite);
    if is_asked(Suite::Families) {
        all.extend(families(folder, args.largest)?);
    }
    if is_asked(Suite::Rwb) {
        all.extend(programs(&args.corpus)?);
    }
    if is_asked(Suite::Petri) {
        all.extend(petri(&args.corpus)?);
    }
    let is_chosen = |name: &str| args.only.is_empty() || args.only.iter().any(|part| name.contains(part));
    for (suite, word) in [(Suite::Mcc, "mcc"), (Suite::Deadlock, "deadlock")] {
        if is_asked(suite) {
            all.extend(contest(&args.corpus, word, &is_chosen)?);
        }
    }
    all.retain(|case| is_chosen(&case.name));
    Ok(all)
}

fn families(folder: &Path, largest: usize) -> io::Result<Vec<Case>> {
    std::fs::create_dir_all(folder)?;
    let mut cases = Vec::new();
    for (name, known, text) in classics::all(largest) {
        let model = folder.join(format!("{name}.rwb"));
        std::fs::write(&model, text)?;
        let known = Box::new(move |id: &str| match (known, id) {
            (classics::Expected::Deadlock, "deadlock") | (classics::Expected::Bad, "bad") => Some(Verdict::Unsafe),
            _ => Some(Verdict::Safe),
        });
        cases.push(Case {
            suite: "families",
            name,
            model,
            args: Vec::new(),
            engines: engines_for(Family::Programs),
            known,
        });
    }
    Ok(cases)
}

fn programs(corpus: &Path) -> io::Result<Vec<Case>> {
    let case = |program: corpus::Program| Case {
        suite: "rwb",
        name: program.expected.name.clone(),
        model: program.path,
        args: Vec::new(),
        engines: engines_for(Family::Programs),
        known: Box::new(move |id| program.expected.verdict_of(id)),
    };
    Ok(corpus::read(corpus)?.unwrap_or_default().into_iter().map(case).collect())
}

fn petri(corpus: &Path) -> io::Result<Vec<Case>> {
    let case = |net: nets::corpus::Net| Case {
        suite: "petri",
        name: format!("{}/{}", net.suite, net.name),
        model: net.path,
        args: Vec::new(),
        engines: for_targets(),
        known: Box::new(move |_| Some(net.verdict)),
    };
    Ok(nets::corpus::petri(corpus)?.unwrap_or_default().into_iter().map(case).collect())
}

/// Returns contest nets with all their formulas, or with the deadlock property.
fn contest(corpus: &Path, suite: &'static str, is_chosen: &dyn Fn(&str) -> bool) -> io::Result<Vec<Case>> {
    let nets = nets::corpus::mcc(corpus)?.unwrap_or_default();
    let case = |net: nets::corpus::Contest| -> io::Result<Case> {
        let is_deadlock = suite == "deadlock";
        let mut args = Vec::new();
        if !is_deadlock {
            args.extend(["--properties".to_owned(), net.formulas.display().to_string()]);
        }
        for id in net.known.keys().filter(|id| (id.as_str() == "deadlock") == is_deadlock) {
            args.extend(["--property".to_owned(), id.clone()]);
        }
        let known = Box::new(nets::mcc::known(&net)?);
        Ok(Case { suite, name: net.instance, model: net.model, args, engines: engines_for(Family::Nets), known })
    };
    nets.into_iter().filter(|net| is_chosen(&net.instance)).map(case).collect()
}
