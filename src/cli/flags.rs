//! Refuses options that do not fit together, or do not fit the kind of model, before any work begins.

use super::args::{CheckArgs, EndsArg, QuestionArgs, ReportFormat, TraceForm};
use super::input_name::{display_name, is_stdin};
use super::memory;
use impasse::formats::{self, Limits};
use impasse::model::{Marked, Problem};
use impasse::{Family, Row, Setting, engines};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Returns the kind of system in the file called `path`, by its format. `None` if it cannot be read as a
/// model.
pub(crate) fn family(path: &Path, input_format: Option<&str>) -> Option<Family> {
    let format = input_format.map_or_else(|| readers::by_path(&path.to_string_lossy()), readers::by_name)?;
    format.read.map(|_| format.family)
}

/// Returns true if the file called `path` is a program that leaves a number of threads open. Such a program
/// is read as a net, so options for nets apply to it. (Standard input and pipes can be read only once, and count as
/// ordinary programs.)
fn is_open(path: &Path, input_format: Option<&str>) -> bool {
    let limits = Limits::within(memory::limit());
    let name = path.to_string_lossy();
    let format = input_format.map_or_else(|| readers::by_path(&name), readers::by_name);
    let text = || {
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(limits.bytes as u64).read_to_end(&mut bytes).ok()?;
        formats::decompress(&name, bytes, &limits).ok()
    };
    !is_stdin(path)
        && path.is_file()
        && format.is_some_and(|f| f.name == "rwb")
        && text().is_some_and(|(_, text)| readers::leaves_numbers_open(&text, &limits))
}

/// Returns why these arguments of `check` do not fit together, or do not fit the files that they name. `None`
/// if they fit.
pub(crate) fn refused(
    args: &CheckArgs,
    files: &[PathBuf],
    several: bool,
    input_format: Option<&str>,
) -> Option<String> {
    let families = || files.iter().map(|f| (f, family(f, input_format)));
    let programs = || families().filter(|(_, family)| *family == Some(Family::Programs)).map(|(f, _)| f);
    let circuit = families().find(|(_, family)| *family == Some(Family::Circuits)).map(|(f, _)| f);
    let net = families().find(|(_, family)| *family == Some(Family::Nets)).map(|(f, _)| f);
    let of_nets = for_nets_only(args).and_then(|what| {
        let program = programs().find(|f| !is_open(f, input_format));
        program.map(|file| format!("{what}, and {} is a behavioral program", display_name(file)))
    });
    let of_programs = net.and_then(|file| {
        for_programs_only(args)
            .map(|what| format!("{what}, and {} is a net or a thread-transition system", display_name(file)))
    });
    let of_others = circuit
        .and_then(|file| not_for_circuits(args).map(|what| format!("{what}, and {} is a circuit", display_name(file))));
    let reactive = families().find(|(_, family)| *family == Some(Family::Reactive)).map(|(f, _)| f);
    let of_reactive = reactive.and_then(|file| {
        not_for_reactive(args).map(|what| format!("{what}, and {} is a reactive program", display_name(file)))
    });
    let of_circuits = || {
        let option = match (args.format, args.trace) {
            (ReportFormat::Hwmcc, _) => "--format hwmcc",
            (_, Some(TraceForm::Vcd)) => "--trace vcd",
            _ => return None,
        };
        let (file, family) = families().find(|(_, family)| *family != Some(Family::Circuits))?;
        let kind = family.map_or("a system", Family::one);
        Some(format!("`{option}` is for circuits, and {} is {kind}", display_name(file)))
    };
    let shares = |family| engines::ALL.iter().any(|row| row.takes(Setting::Jobs) && row.knows(family));
    let alone_at_work = families().find(|(_, family)| family.is_some_and(|family| !shares(family)));
    let one_engine = args.engine.0.is_some();
    let of_jobs = alone_at_work.filter(|_| one_engine && !several && has_jobs(args)).map(|(file, family)| {
        let kind = family.map_or("a system", Family::one);
        format!("{} is {kind}, for which no engine uses more than one job", display_name(file))
    });
    let of_engine = || {
        let row = args.engine.0?;
        let unknown = families().find_map(|(file, family)| Some((file, unknown_to(row, file, family?, input_format)?)));
        unknown.map(|(file, family)| not_for(row, file, family))
    };
    let of_ends = || {
        // The file is read for this, so only if the answer matters.
        let open = programs().find(|f| args.question.ends != EndsArg::Final && is_open(f, input_format));
        open.map(|file| {
            format!(
                "`--ends` needs a fixed number of threads, and {} leaves it open: mark states `final`",
                display_name(file)
            )
        })
    };
    let of_jobs = of_jobs.or_else(of_engine).or_else(of_ends);
    let by_file = alone(args)
        .map(str::to_owned)
        .or_else(|| of_setting(args, several))
        .or(of_jobs)
        .or(of_nets)
        .or(of_programs)
        .or(of_others)
        .or(of_reactive)
        .or_else(of_circuits);
    by_file.or_else(|| with_several(args, several))
}

/// Returns the kind of system in a file, if the engine does not support it.
fn unknown_to(row: &Row, file: &Path, family: Family, input_format: Option<&str>) -> Option<Family> {
    // A program that leaves a number of threads open is read as a net. If the named engine supports only
    // programs, the command is not refused, because the other files may be ordinary programs. The answer about
    // this file is then unknown.
    let may_be_net = || row.knows(Family::Nets) && is_open(file, input_format);
    // Only the reader finds out whether numbers have no bound.
    let may_be_other = || family == Family::Programs && (row.knows(Family::Data) || may_be_net());
    (!row.knows(family) && !may_be_other()).then_some(family)
}

fn not_for(row: &Row, file: &Path, family: Family) -> String {
    let known: Vec<&str> = row.families().into_iter().map(Family::plural).collect();
    let others = engines::ALL.iter().filter(|row| row.knows(family)).map(|row| format!("`{}`", row.name));
    format!(
        "the engine `{}` is for {}, and {} is {}; engines for {} are `auto`, {}",
        row.name,
        known.join(", "),
        display_name(file),
        family.one(),
        family.plural(),
        others.collect::<Vec<_>>().join(", ")
    )
}

/// Returns an error if an option is given that the chosen engine does not support. The error names the
/// engines that support it.
fn of_setting(args: &CheckArgs, several: bool) -> Option<String> {
    // In each row: true if the user gave the option, and true if `auto` supports it.
    let all = [
        (args.explore_all, true, "--explore-all", Setting::ExploreAll),
        (args.batch.is_some(), true, "--batch", Setting::Batch),
        (args.seed.is_some(), true, "--seed", Setting::Seed),
        (args.invariants.is_some(), false, "--invariants", Setting::Invariants),
        (args.bound.is_some(), true, "--bound", Setting::Bound),
        (has_jobs(args) && !several, true, "--jobs", Setting::Jobs),
        (args.disk.disk.is_some(), true, "--disk", Setting::Disk),
        (args.disk.lossy, false, "--lossy", Setting::Lossy),
    ];
    let is_known = |in_auto: bool, setting| args.engine.0.map_or(in_auto, |row| row.takes(setting));
    let (_, in_auto, option, setting) = all.into_iter().find(|o| o.0 && !is_known(o.1, o.3))?;
    let auto = in_auto.then(|| "`auto`".to_owned());
    let rows = engines::ALL.iter().filter(|row| row.takes(setting)).map(|row| format!("`{}`", row.name));
    let known = auto.into_iter().chain(rows).collect::<Vec<_>>().join(", ");
    let name = args.engine.0.map_or("auto", |row| row.name);
    Some(format!("the engine `{name}` does not support the option `{option}`; these do: {known}"))
}

/// Returns true if the user asked for more than one job.
fn has_jobs(args: &CheckArgs) -> bool {
    args.jobs.is_some_and(|jobs| jobs > 1)
}

/// Returns why the arguments are invalid, whatever the files are. `None` if they are valid.
fn alone(args: &CheckArgs) -> Option<&'static str> {
    let range = args.bound.is_some_and(|b| b.first != b.last);
    let is_saved = args.checkpoint.is_some();
    let all = [
        (is_saved && range, "`--checkpoint` is for one bound, and a range of bounds has several: give one bound"),
        (
            is_saved && args.files.iter().any(|file| is_stdin(file)),
            "`--checkpoint` needs a file, because standard input cannot be read again",
        ),
        (args.jobs == Some(0), "`--jobs` must be at least 1"),
        (args.trace_in_json && args.format != ReportFormat::Json, "`--trace-in-json` is for `--format json`"),
        (
            range && args.format == ReportFormat::Mcc,
            "`--format mcc` has one answer per formula, and a range of bounds gives several: give one bound",
        ),
    ];
    all.into_iter().find(|(refused, _)| *refused).map(|(_, why)| why)
}

fn for_nets_only(args: &CheckArgs) -> Option<&'static str> {
    let all = [
        (args.bound.is_some(), "`--bound` is for systems with counters"),
        (args.question.target.is_some(), "`--target` is for nets and thread-transition systems"),
        (args.question.init.is_some(), "`--init` is for nets and thread-transition systems"),
        (
            args.question.ends_in.is_some(),
            "`--final` is for nets and thread-transition systems (in programs, mark states `final`)",
        ),
        (args.invariants.is_some(), "`--invariants` is about nets and thread-transition systems"),
        (args.format == ReportFormat::Mcc, "`--format mcc` is for nets and thread-transition systems"),
    ];
    all.into_iter().find(|(asked, _)| *asked).map(|(_, why)| why)
}

fn for_programs_only(args: &CheckArgs) -> Option<&'static str> {
    let all = [
        (
            args.question.ends != EndsArg::Final,
            "`--ends` is about threads of behavioral programs (for nets: `--final FORMULA`)",
        ),
        (
            args.patterns != ["all"]
                && !(args.patterns == ["none"] && args.engine.0.is_some_and(|row| row.takes(Setting::NoInvariants))),
            "`--patterns` is about threads of behavioral programs",
        ),
        (!args.question.fair.is_empty(), "`--fair` is about threads and events of behavioral programs"),
        (!args.trust.is_empty(), "`--trust` is about lemmas on behavioral programs"),
        (
            args.batch.is_some() && args.engine.0.is_none(),
            "`--batch` is an option of the engine `dpllt`, which `auto` uses for behavioral programs only",
        ),
    ];
    all.into_iter().find(|(asked, _)| *asked).map(|(_, why)| why)
}

/// Returns why an option does not fit circuits. `None` if all options fit.
fn not_for_circuits(args: &CheckArgs) -> Option<&'static str> {
    let all = args.explore_all.then_some("`--explore-all` is for engines that store states");
    let all = all.or(args.question.properties.is_some().then_some("`--properties` is for nets and programs"));
    let all = all.or((!args.question.ask.is_empty()).then_some("`--ask` does not support formulas about circuits"));
    for_nets_only(args).or_else(|| for_programs_only(args)).or(all)
}

/// Returns why an option does not fit reactive programs. `None` if all options fit.
fn not_for_reactive(args: &CheckArgs) -> Option<&'static str> {
    let all = [
        (args.bound.is_some(), "`--bound` is for systems with counters"),
        (args.question.target.is_some(), "`--target` is for nets and thread-transition systems"),
        (args.question.init.is_some(), "`--init` is for nets and thread-transition systems"),
        (args.question.ends_in.is_some(), "`--final` is for nets and thread-transition systems"),
        (args.invariants.is_some(), "`--invariants` is about nets and thread-transition systems"),
        (args.format == ReportFormat::Mcc, "`--format mcc` is for nets and thread-transition systems"),
    ];
    all.into_iter().find(|(asked, _)| *asked).map(|(_, why)| why).or_else(|| for_programs_only(args))
}

/// Returns true if the initial number of threads, or of tokens in some place, has no upper bound.
pub(crate) fn is_parametric(problem: &Problem) -> bool {
    problem.system().as_marked().is_some_and(|system| match system {
        Marked::Net(net) => net.places().iter().any(|p| p.initial.at_most.is_none()),
        Marked::Threads(threads) => !threads.initial().any.is_empty(),
    })
}

/// Returns an error if one file of questions is given for several models.
fn with_several(args: &CheckArgs, several: bool) -> Option<String> {
    if several && args.checkpoint.is_some() {
        return Some("`--checkpoint` is for one model, and there may be several".to_owned());
    }
    let file = args.question.target.as_ref().or(args.question.properties.as_ref())?;
    several.then(|| format!("`{file}` is about one model, and there may be several"))
}

/// Returns an option that changes what is asked, if one is given.
pub(crate) fn question(question: &QuestionArgs) -> Option<&'static str> {
    let given = [
        (question.target.is_some(), "--target"),
        (question.properties.is_some(), "--properties"),
        (question.init.is_some(), "--init"),
        (question.ends_in.is_some(), "--final"),
    ];
    given.into_iter().find_map(|(given, option)| given.then_some(option))
}

/// Returns why these options of a command other than `check` do not fit a file. `None` if they fit.
pub(crate) fn refused_question(
    path: impl AsRef<Path>,
    question: &QuestionArgs,
    input_format: Option<&str>,
) -> Option<String> {
    let path = path.as_ref();
    let family = family(path, input_format)?;
    if question.ends != EndsArg::Final && (family != Family::Programs || is_open(path, input_format)) {
        return Some(format!(
            "`--ends` is about threads of behavioral programs, and {} is not one",
            display_name(path)
        ));
    }
    let option = self::question(question)?;
    let what = match family {
        Family::Reactive | Family::Programs if option == "--properties" => return None,
        Family::Reactive => "a reactive program",
        Family::Programs if !is_open(path, input_format) => "a behavioral program",
        Family::Circuits => "a circuit",
        Family::Programs | Family::Nets | Family::Own | Family::Data => return None,
    };
    Some(format!("`{option}` is for nets and thread-transition systems, and {} is {what}", display_name(path)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use impasse::formats::Source;

    #[test]
    fn examples_have_the_family_of_their_system() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
        let files = std::fs::read_dir(folder).expect("the examples").map(|entry| entry.expect("a file").path());
        let mut count = 0;
        for path in files.filter(|path| !path.to_string_lossy().contains("_any.")) {
            let Some(found) = family(&path, None) else { continue };
            let source = Source { name: path.display().to_string(), bytes: std::fs::read(&path).expect("a file") };
            let read = readers::read(source, None, &Limits::default()).expect("an example");
            let system = read.problem.system();
            let expected = if system.as_data().is_some() { Family::Programs } else { system.family() };
            assert!(found == expected, "{}", path.display());
            count += 1;
        }
        assert!(count > 10, "{count} examples");
    }

    #[test]
    fn bpjs_programs_are_programs() {
        for (path, format) in [("a.js", None), ("a.js.gz", None), ("-", Some("bpjs")), ("a.txt", Some("bpjs"))] {
            assert!(family(Path::new(path), format) == Some(Family::Programs), "{path}");
        }
    }
}
