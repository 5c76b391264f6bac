//! Options that do not go together, or not with this kind of model: refused with a reason before any work begins.

use super::args::{CheckArgs, EndsArg, EngineArg, QuestionArgs, ReportFormat};
use super::input::{self, display_name};
use super::limits::memory;
use impasse::formats::{self, Limits};
use impasse::model::{Problem, SystemModel};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What a file can hold, as far as its format tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    /// Behavioral programs (and those that leave a number of threads open, until one looks inside).
    Programs,
    /// Nets and thread systems.
    Nets,
    /// Circuits.
    Circuits,
    /// Reactive programs.
    Reactive,
}

/// What is in the file called `path`; `None` if nobody could read it.
pub(crate) fn family(path: &Path, input_format: Option<&str>) -> Option<Family> {
    let format = input_format.map_or_else(|| formats::by_path(&path.to_string_lossy()), formats::by_name)?;
    format.read?;
    Some(match format.name {
        "rwb" | "json" => Family::Programs,
        "aag" | "aig" => Family::Circuits,
        "c" => Family::Reactive,
        _ => Family::Nets,
    })
}

/// Is the file called `path` a program that leaves a number of threads open? It is read as a net, and options for nets are
/// about it. (Standard input can be read once only, and counts as a program.)
fn is_open(path: &Path, input_format: Option<&str>) -> bool {
    let limits = Limits::within(memory());
    let (name, is_stdin) = (path.to_string_lossy(), input::is_stdin(path));
    let format = input_format.map_or_else(|| formats::by_path(&name), formats::by_name);
    let text = || {
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(limits.bytes as u64).read_to_end(&mut bytes).ok()?;
        formats::decompress(&name, bytes, &limits).ok()
    };
    !is_stdin
        && format.is_some_and(|f| f.name == "rwb")
        && text().is_some_and(|(_, text)| formats::leaves_numbers_open(&text, &limits))
}

/// Why these arguments of `check` make no sense for the files that they name.
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
        for_programs_only(args).map(|what| format!("{what}, and {} is a net or a thread system", display_name(file)))
    });
    let of_others = circuit
        .and_then(|file| not_for_circuits(args).map(|what| format!("{what}, and {} is a circuit", display_name(file))));
    let reactive = families().find(|(_, family)| *family == Some(Family::Reactive)).map(|(f, _)| f);
    let of_reactive = reactive.and_then(|file| {
        not_for_reactive(args).map(|what| format!("{what}, and {} is a reactive program", display_name(file)))
    });
    let other = families().find(|(_, family)| family.is_some_and(|family| family != Family::Reactive)).map(|(f, _)| f);
    let of_jobs = other.filter(|_| !several && args.jobs.is_some_and(|jobs| jobs > 1)).map(|file| {
        format!(
            "more than one job works on reactive programs or on several files only, and {} is none",
            display_name(file)
        )
    });
    let of_engine = other
        .filter(|_| is_for_reactive(args.engine))
        .map(|file| format!("this engine works on reactive programs only, and {} is none", display_name(file)));
    let of_ends = || {
        let open = programs().find(|f| is_open(f, input_format)).filter(|_| args.question.ends != EndsArg::Final);
        open.map(|file| {
            format!(
                "`--ends` needs a number of threads, and {} leaves it open: mark states `final`",
                display_name(file)
            )
        })
    };
    let of_jobs = of_jobs.or(of_engine).or_else(of_ends);
    let by_file = alone(args).map(str::to_owned).or(of_jobs).or(of_nets).or(of_programs).or(of_others).or(of_reactive);
    by_file.or_else(|| for_no_bound(args).map(str::to_owned)).or_else(|| with_several(args, several))
}

/// Of nets and thread systems, which is what is left when this is asked.
fn for_no_bound(args: &CheckArgs) -> Option<&'static str> {
    (args.bound.is_some() && is_unbounded(args.engine))
        .then_some("`--bound` cuts a search off; this engine answers for any number of tokens and knows no bound")
}

/// What makes no sense whatever the files are.
fn alone(args: &CheckArgs) -> Option<&'static str> {
    let (engine, range) = (args.engine, args.bound.is_some_and(|b| b.first != b.last));
    let all = [
        (args.jobs == Some(0), "there must be a job: `--jobs 1` or more"),
        (args.trace_in_json && args.format != ReportFormat::Json, "`--trace-in-json` is for `--format json`"),
        (
            args.explore_all && !matches!(engine, EngineArg::Auto | EngineArg::Explicit | EngineArg::ExplicitDfs),
            "`--explore-all` needs an engine that completes the space: `explicit` or `auto`",
        ),
        (
            args.batch.is_some() && !matches!(engine, EngineArg::Auto | EngineArg::Dpllt),
            "`--batch` is an option of the engine `dpllt`",
        ),
        (
            args.seed.is_some() && !(is_by_seed(engine) || matches!(engine, EngineArg::Auto | EngineArg::Walk)),
            "`--seed` is for random walks and orders: it needs the engine `walk`, `auto`, `explicit.dfs` or one like that",
        ),
        (
            args.facts.is_some() && !matches!(engine, EngineArg::Ic3Bits | EngineArg::Ic3Rising),
            "`--facts` is an option of the engines `ic3.bits` and `ic3.ttscov`",
        ),
        (
            args.bound.is_some() && engine == EngineArg::Walk,
            "`--bound` makes a search end; random walks end nowhere, and what they find is real whatever the bound",
        ),
        (
            range && args.format == ReportFormat::Mcc,
            "`--format mcc` has one answer per formula, and a range of bounds several: give one bound",
        ),
    ];
    all.into_iter().find(|(refused, _)| *refused).map(|(_, why)| why)
}

/// Searches of reactive programs whose order a seed decides.
fn is_by_seed(engine: EngineArg) -> bool {
    matches!(engine, EngineArg::ExplicitDfs | EngineArg::ExplicitRestart | EngineArg::ExplicitJumpstart)
}

/// Engines that reason about any number of tokens.
fn is_unbounded(engine: EngineArg) -> bool {
    match engine {
        EngineArg::Facts
        | EngineArg::Pairs
        | EngineArg::Ic3
        | EngineArg::Ic3Rising
        | EngineArg::Equation
        | EngineArg::Cover
        | EngineArg::CoverGreedy
        | EngineArg::CoverAStar
        | EngineArg::CoverBackward => true,
        EngineArg::Auto
        | EngineArg::Dpllt
        | EngineArg::Explicit
        | EngineArg::ExplicitDfs
        | EngineArg::ExplicitRestart
        | EngineArg::ExplicitJumpstart
        | EngineArg::Project
        | EngineArg::Stubborn
        | EngineArg::Ic3Bits
        | EngineArg::Ic3Bounded
        | EngineArg::Walk
        | EngineArg::Ltl
        | EngineArg::Cells => false,
    }
}

/// Of programs and circuits, IC3 works on bits.
fn for_nets_only(args: &CheckArgs) -> Option<&'static str> {
    let all = [
        (args.bound.is_some(), "`--bound` is for systems with counters"),
        (args.question.target.is_some(), "`--target` is for nets and thread systems"),
        (args.question.properties.is_some(), "`--properties` is for nets"),
        (args.question.init.is_some(), "`--init` is for nets and thread systems"),
        (
            args.question.ends_in.is_some(),
            "`--final` is for nets and thread systems (in programs states are marked `final`)",
        ),
        (
            is_unbounded(args.engine) && args.engine != EngineArg::Ic3 || args.engine == EngineArg::Ic3Bounded,
            "this engine is for nets and thread systems",
        ),
        (args.facts.is_some(), "`--facts` is about nets and thread systems"),
        (args.format == ReportFormat::Mcc, "`--format mcc` is for nets and thread systems"),
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
            args.patterns != ["all"] && !(args.patterns == ["none"] && asks_facts(args.engine)),
            "`--patterns` is about threads of behavioral programs",
        ),
        (args.engine == EngineArg::Project, "the engine `project` is for behavioral programs"),
        (!args.trust.is_empty(), "`--trust` is about lemmas on behavioral programs"),
        (
            args.batch.is_some() && args.engine == EngineArg::Auto,
            "`--batch` is an option of the engine `dpllt`, which `auto` uses for behavioral programs only",
        ),
    ];
    all.into_iter().find(|(asked, _)| *asked).map(|(_, why)| why)
}

/// Of nets, engines that ask facts first and can do without.
fn asks_facts(engine: EngineArg) -> bool {
    matches!(engine, EngineArg::Dpllt | EngineArg::Ic3Bits | EngineArg::Ic3Rising)
}

/// What no circuit is asked.
fn not_for_circuits(args: &CheckArgs) -> Option<&'static str> {
    let engine = match args.engine {
        EngineArg::Auto | EngineArg::Ic3 | EngineArg::Ic3Bits => None,
        _ => Some("the engines for circuits are `auto`, `ic3` and `ic3.bits`"),
    };
    let all = args.explore_all.then_some("`--explore-all` is for engines that store states");
    let all = all.or(args.seed.is_some().then_some("`--seed` is for random walks, and circuits have none"));
    let all = all.or((!args.question.ask.is_empty()).then_some("`--ask` knows no formulas about circuits"));
    for_nets_only(args).or_else(|| for_programs_only(args)).or(engine).or(all)
}

/// What no reactive program is asked.
fn not_for_reactive(args: &CheckArgs) -> Option<&'static str> {
    let all = [
        (args.bound.is_some(), "`--bound` is for systems with counters"),
        (args.question.target.is_some(), "`--target` is for nets and thread systems"),
        (args.question.init.is_some(), "`--init` is for nets and thread systems"),
        (args.question.ends_in.is_some(), "`--final` is for nets and thread systems"),
        (args.facts.is_some(), "`--facts` is about nets and thread systems"),
        (args.format == ReportFormat::Mcc, "`--format mcc` is for nets and thread systems"),
        (
            !matches!(args.engine, EngineArg::Auto | EngineArg::Explicit) && !is_for_reactive(args.engine),
            "the engines for reactive programs are `auto`, `explicit` and its orders, `cells` and `ltl`",
        ),
    ];
    all.into_iter().find(|(asked, _)| *asked).map(|(_, why)| why).or_else(|| for_programs_only(args))
}

/// Engines that know nothing else.
fn is_for_reactive(engine: EngineArg) -> bool {
    use EngineArg::{Cells, ExplicitDfs, ExplicitJumpstart, ExplicitRestart, Ltl};
    matches!(engine, Cells | Ltl | ExplicitDfs | ExplicitRestart | ExplicitJumpstart)
}

/// Does it start with any number of threads, or of tokens in some place?
pub(crate) fn is_parametric(problem: &Problem) -> bool {
    match &problem.system {
        SystemModel::Rwb(_) | SystemModel::Circuit(_) | SystemModel::Reactive(_) => false,
        SystemModel::Net(net) => net.places().iter().any(|p| p.initial.at_most.is_none()),
        SystemModel::Threads(threads) => !threads.initial().any.is_empty(),
    }
}

/// One question for several models.
fn with_several(args: &CheckArgs, several: bool) -> Option<String> {
    let file = args.question.target.as_ref().or(args.question.properties.as_ref())?;
    several.then(|| format!("`{file}` asks about one model, and there may be several"))
}

/// An option that changes what is asked, if there is one.
pub(crate) fn question(question: &QuestionArgs) -> Option<&'static str> {
    let given = [
        (question.target.is_some(), "--target"),
        (question.properties.is_some(), "--properties"),
        (question.init.is_some(), "--init"),
        (question.ends_in.is_some(), "--final"),
    ];
    given.into_iter().find_map(|(given, option)| given.then_some(option))
}

/// Why these options of other commands make no sense for a file.
pub(crate) fn refused_question(
    path: impl AsRef<Path>,
    question: &QuestionArgs,
    input_format: Option<&str>,
) -> Option<String> {
    let path = path.as_ref();
    let family = family(path, input_format)?;
    if question.ends != EndsArg::Final && (family != Family::Programs || is_open(path, input_format)) {
        return Some(format!("`--ends` is about threads of behavioral programs, and {} is none", display_name(path)));
    }
    let option = self::question(question)?;
    let what = match family {
        Family::Reactive if option == "--properties" => return None,
        Family::Reactive => "a reactive program",
        Family::Programs if !is_open(path, input_format) => "a behavioral program",
        Family::Circuits => "a circuit",
        Family::Programs | Family::Nets => return None,
    };
    Some(format!("`{option}` is for nets and thread systems, and {} is {what}", display_name(path)))
}
