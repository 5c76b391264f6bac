//! `impasse-bench circuits`: generated circuits of ten families with known answers, beside `pdr` of ABC. With
//! `--each-without`, each engine for circuits is left out once.

mod families;
mod words;

use crate::args::CircuitArgs;
use crate::ic3::run::{ABC, Ran, Runner, Said, limits_of};
use crate::publish::{publish, section};
use crate::table::Table;
use crate::{nets, units};
use families::Member;
use model::{Goal, OutputId, Problem, Property};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// Seconds that count for shorter runs: below them, the start of a process is what is measured.
const LEAST: f64 = 0.05;

/// The engines that are left out by `--each-without`.
const ENGINES: [&str; 3] = ["bmc", "walk", "ic3"];

/// Runs of one way of checking, by family.
#[derive(Default)]
struct Side {
    answered: usize,
    cpu: f64,
}

/// Runs the benchmark. Returns false if an answer is wrong.
///
/// # Errors
///
/// If the benchmark could not run.
pub(crate) fn run(args: &CircuitArgs) -> io::Result<bool> {
    let members: Vec<Member> =
        families::all().into_iter().filter(|member| nets::is_chosen(&args.net, &member.name)).collect();
    if let Some(folder) = &args.write {
        members.iter().try_for_each(|member| write(member, &folder.join(format!("{}.aig", member.name))))?;
        return Ok(true);
    }
    let runner = Runner::new(nets::bench(&args.net)?, 1)?;
    let folder = tempfile::tempdir()?;
    let has_abc = Runner::has_abc();
    let mut ways: Vec<Vec<&str>> = vec![Vec::new()];
    if args.each_without {
        ways.extend(ENGINES.map(|engine| vec!["--without", engine]));
    }
    let mut head = vec!["circuit".to_owned(), "latches".to_owned(), "ands".to_owned()];
    let names: Vec<String> = ways.iter().map(|way| name(way)).chain(has_abc.then(|| "pdr".to_owned())).collect();
    head.extend(names.iter().flat_map(|name| [name.clone(), "CPU s".to_owned()]));
    let mut table = Table::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    let mut sums: BTreeMap<(&str, usize), Side> = BTreeMap::new();
    let (mut ratios, mut wrong) = (Vec::new(), Vec::new());
    for (number, member) in members.iter().enumerate() {
        let file = folder.path().join(format!("{}.aig", member.name));
        write(member, &file)?;
        let mut runs: Vec<Ran> = ways.iter().map(|way| runner.ours(&file, way)).collect::<io::Result<_>>()?;
        if has_abc {
            runs.push(runner.abc(&file)?);
        }
        let mut row =
            vec![member.name.clone(), member.circuit.latches().len().to_string(), member.circuit.ands().to_string()];
        for (side, ran) in runs.iter().enumerate() {
            let engine = ran.first().filter(|_| ran.said.is_answer()).map(|first| first.engine.clone());
            row.push(format!("{}{}", ran.said.word(), engine.map_or(String::new(), |engine| format!(" ({engine})"))));
            row.push(units::seconds(ran.cpu));
            let sum = sums.entry((member.family, side)).or_default();
            sum.answered += usize::from(ran.said.is_answer());
            sum.cpu += ran.cpu;
            if ran.said == if member.is_safe { Said::Unsafe } else { Said::Safe } {
                wrong.push(format!("{}: {} by {}", member.name, ran.said.word(), names[side]));
            }
        }
        if let (Some(ours), Some(peer)) = (runs.first(), runs.get(ways.len()))
            && ours.said.is_answer()
            && peer.said.is_answer()
        {
            ratios.push(ours.cpu.max(LEAST) / peer.cpu.max(LEAST));
        }
        writeln!(io::stderr(), "[{}/{}] {}", number + 1, members.len(), row.join(" "))?;
        table.push(row);
    }
    let mut text = String::new();
    section(&mut text, &format!("Generated circuits, {}", limits_of(&runner.bench)), &table);
    section(&mut text, "Answered, and CPU seconds", &by_family(&members, &names, &sums));
    if !has_abc {
        text.push_str(&format!("`{ABC}` is not installed; only times of impasse.\n\n"));
    }
    if let Some(mean) = units::geometric_mean(ratios.iter().copied()) {
        let count = ratios.len();
        text.push_str(&format!(
            "Ratio of CPU time to pdr's where both answer ({count} circuits, at least {LEAST} s counted): {mean:.2}\n\n"
        ));
    }
    wrong.iter().for_each(|wrong| text.push_str(&format!("WRONG: {wrong}\n")));
    publish(&text, args.net.markdown.as_deref(), &table, args.net.csv.as_deref())?;
    writeln!(io::stdout(), "{} circuits, {} wrong", members.len(), wrong.len())?;
    Ok(wrong.is_empty())
}

fn name(way: &[&str]) -> String {
    match way {
        [_, engine] => format!("without {engine}"),
        _ => "impasse".to_owned(),
    }
}

fn by_family(members: &[Member], names: &[String], sums: &BTreeMap<(&str, usize), Side>) -> Table {
    let mut head = vec!["family".to_owned(), "circuits".to_owned()];
    head.extend(names.iter().flat_map(|name| [name.clone(), "CPU s".to_owned()]));
    let mut table = Table::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    let mut families: Vec<&str> = members.iter().map(|member| member.family).collect();
    families.dedup();
    let row = |label: &str, chosen: &dyn Fn(&str) -> bool| {
        let count = members.iter().filter(|member| chosen(member.family)).count();
        let mut row = vec![label.to_owned(), count.to_string()];
        for side in 0..names.len() {
            let of = || sums.iter().filter(|((family, of), _)| *of == side && chosen(family)).map(|(_, side)| side);
            row.push(of().map(|side| side.answered).sum::<usize>().to_string());
            row.push(units::seconds(of().map(|side| side.cpu).sum()));
        }
        row
    };
    for family in families {
        table.push(row(family, &|of| of == family));
    }
    table.push(row("all", &|_| true));
    table
}

fn write(member: &Member, file: &Path) -> io::Result<()> {
    let property = Property::never("bad".to_owned(), Goal::Output(OutputId::new(0)));
    let problem = Problem::of(Arc::new(member.circuit.clone())).asking(vec![property]).map_err(io::Error::other)?;
    let write = formats::by_path("circuit.aig").and_then(|format| format.write).expect("circuits are written");
    let mut bytes = Vec::new();
    write(&problem, &mut bytes).map_err(io::Error::other)?;
    std::fs::write(file, bytes)
}
