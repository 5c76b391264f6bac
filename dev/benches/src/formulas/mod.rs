//! Benchmarks of propositional formulas: `impasse-bench sat`.

mod compare;
mod generated;
pub(crate) mod incremental;
mod instance;
mod ladder;
mod proofs;
mod report;
mod shuffle;
mod solvers;
pub(crate) mod techniques;
pub(crate) mod theory;

pub(crate) use solvers::PATIENCE;

use crate::args::SatArgs;
use crate::publish::{publish, section};
use crate::tool;
use compare::Bench;
use instance::Instance;
use solvers::Solver;
use std::io::{self, Write};

/// Formulas for which minisat needs more seconds are not in the quick check.
const QUICK_SECONDS: f64 = 1.1;

/// Runs the selected parts. Returns false if an answer is wrong, or a formula is unsolved although all must be
/// solved.
///
/// # Errors
///
/// If the benchmark could not run.
pub(crate) fn run(args: &SatArgs) -> io::Result<bool> {
    if let Some(folder) = &args.write {
        let recipes = if args.fresh { generated::FRESH } else { generated::FIRST };
        let all = generated::write(folder, recipes, &|name| args.is_chosen(name))?;
        writeln!(io::stdout(), "{} formulas in {}", all.len(), folder.display())?;
        return Ok(true);
    }
    let folder = tempfile::tempdir()?;
    let chosen = [args.cnf, args.generated, args.fresh, args.proofs, args.incremental, args.theory].contains(&true);
    let mut text = String::new();
    let mut runs = Vec::new();
    if args.cnf || !chosen {
        match instance::corpus(args, folder.path())? {
            Some(all) => {
                let all = shuffle::copies(all, args.shuffles, folder.path())?;
                runs.extend(compared(args, "corpus", all, &mut text)?);
            }
            None => no_corpus(args)?,
        }
    }
    let sets = [
        (args.generated || (args.quick && !chosen), "generated", generated::FIRST),
        (args.fresh, "fresh", generated::FRESH),
    ];
    for (_, title, recipes) in sets.into_iter().filter(|set| set.0) {
        let all = generated::write(folder.path(), recipes, &|name| args.is_chosen(name))?;
        let all = shuffle::copies(quick(args, all), args.shuffles, folder.path())?;
        runs.extend(compared(args, title, all, &mut text)?);
    }
    if args.proofs {
        match instance::corpus(args, folder.path())? {
            Some(all) => runs.extend(proofs::measure(&bench(args)?, &quick(args, all), folder.path(), &mut text)?),
            None => no_corpus(args)?,
        }
    }
    let mut agree = true;
    if args.incremental {
        let (table, same) = incremental::measure(args, folder.path())?;
        agree = same;
        section(&mut text, "Incremental queries", &table);
        text.push_str(incremental::NOTE);
    }
    if args.theory {
        section(&mut text, "The theory path", &theory::measure(args)?);
        text.push_str(theory::NOTE);
    }
    publish(&text, args.markdown.as_deref(), &report::csv(&runs), args.csv.as_deref())?;
    let wrong = runs.iter().filter(|r| r.is_wrong()).count();
    let unsolved = runs.iter().filter(|r| !r.is_solved()).count();
    writeln!(io::stdout(), "{} runs, {wrong} wrong, {unsolved} unsolved", runs.len())?;
    if !agree {
        writeln!(io::stdout(), "WRONG: different answers to incremental queries")?;
    }
    Ok(wrong == 0 && agree && !(args.quick && unsolved > 0))
}

fn no_corpus(args: &SatArgs) -> io::Result<()> {
    if args.quick {
        return writeln!(io::stdout(), "skipped: no corpus");
    }
    let hint = "name its folder with `--corpus DIR` or IMPASSE_CORPUS";
    Err(io::Error::other(format!("no cnf/expected.csv in {}; {hint}", args.corpus_dir.display())))
}

fn bench(args: &SatArgs) -> io::Result<Bench> {
    let mut solvers = match args.techniques {
        true => techniques::ALL.iter().map(Solver::Without).collect(),
        false => vec![Solver::Ours(tool::find(args.impasse.as_deref())?)],
    };
    if !args.techniques && !args.quick && !args.ours_only {
        solvers.extend([Solver::Minisat, Solver::Cadical, Solver::Kissat]);
    }
    Ok(Bench {
        solvers,
        timeout: args.timeout,
        limits: args.process_limits(),
        memory: args.memory,
        repeat: args.repeat,
    })
}

fn quick(args: &SatArgs, mut all: Vec<Instance>) -> Vec<Instance> {
    all.retain(|i| !args.quick || i.minisat_seconds.is_some_and(|s| s <= QUICK_SECONDS));
    all
}

/// Runs every solver on every formula, formula by formula.
fn compared(args: &SatArgs, title: &str, all: Vec<Instance>, text: &mut String) -> io::Result<Vec<compare::Run>> {
    let bench = bench(args)?;
    if args.techniques {
        return techniques::measure(&bench, title, all, text);
    }
    let all = &all[..];
    let (present, missing): (Vec<Solver>, Vec<Solver>) = bench.solvers.iter().cloned().partition(Solver::is_installed);
    let bench = Bench { solvers: present, ..bench };
    let runs = bench.all(all)?;
    text.push_str(&report::versions(&bench.solvers, &missing));
    section(text, &format!("Formulas, {title}"), &report::by_instance(all, &bench.solvers, &runs));
    section(text, &format!("Formulas, {title}: totals"), &report::totals(all, &bench.solvers, &runs));
    text.push_str(&report::note(args));
    let wrongs = report::wrongs(&runs);
    if !wrongs.is_empty() {
        section(text, "Wrong", &wrongs);
    }
    Ok(runs)
}
