//! `impasse-bench circuits`: generated circuits of ten families with known answers, beside `pdr` of ABC and rIC3. With
//! `--liveness`, circuits of six families with justice properties, beside `l2s` and `pdr` of ABC. With `--memories`,
//! systems of eight families with memories, beside the same tools on circuits with a latch for each bit. With
//! `--each-without`, each engine for circuits is left out once. With `--techniques`, IC3 works alone, and each of its
//! techniques is left out once.

mod families;
mod liveness;
mod member;
mod memories;
mod peers;
pub(crate) mod techniques;
mod text;
mod words;

use crate::args::{CircuitArgs, NetArgs};
use crate::ic3::run::{Ran, Runner, Said, limits_of};
use crate::measure::Bench;
use crate::publish::{publish, section};
use crate::table::Table;
use crate::{nets, units};
use member::Member;
use peers::Peer;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use techniques::Technique;

/// Seconds that say something about a tool: in shorter runs, the start of the process is what is measured.
const TELLING: f64 = 0.05;
/// The shortest time in a report, in seconds.
const RESOLUTION: f64 = 0.001;

/// The engines that are left out by `--each-without`, for outputs and for justice properties.
const ENGINES: [&str; 4] = ["k-induction", "walk", "ic3", "k-liveness"];

/// One way of checking a circuit.
enum Way {
    /// Our tool, without an engine if one is named.
    Ours(Option<&'static str>),
    /// Our tool on the circuit without memories.
    Latches,
    /// IC3 alone, without a technique if one is given.
    Ic3(Option<&'static Technique>),
    Peer(Peer),
}

impl Way {
    fn name(&self) -> String {
        match self {
            Way::Ours(None) => "impasse".to_owned(),
            Way::Ours(Some(engine)) => format!("without {engine}"),
            Way::Latches => "with latches".to_owned(),
            Way::Ic3(None) => "ic3".to_owned(),
            Way::Ic3(Some(technique)) => format!("without {}", technique.name),
            Way::Peer(peer) => peer.name().to_owned(),
        }
    }

    /// Asks about a system, of which `file` is written for our tool and `plain` has no memories.
    fn run(&self, runner: &Runner, member: &Member, file: &Path, plain: Option<&Path>) -> io::Result<Ran> {
        match (self, plain) {
            (Way::Ours(None), _) => runner.ours(file, &[]),
            (Way::Ours(Some(engine)), _) => runner.ours(file, &["--without", engine]),
            (Way::Latches, Some(plain)) => runner.ours(plain, &[]),
            (Way::Ic3(left_out), _) => runner.ic3(file, left_out.map(|technique| technique.name)),
            (Way::Peer(peer), Some(plain)) => peer.run(runner, member, plain),
            (Way::Latches | Way::Peer(_), None) => {
                Ok(Ran { said: Said::Nothing("too large".to_owned()), cpu: 0.0, peak: 0, report: None })
            }
        }
    }
}

/// Runs of one way of checking, by family.
#[derive(Default)]
struct Side {
    answered: usize,
    cpu: f64,
}

/// The results of all runs so far.
struct Results {
    ways: Vec<Way>,
    table: Table,
    /// Sums by family and by the number of the way.
    sums: BTreeMap<(&'static str, usize), Side>,
    /// For each way, our CPU seconds and its CPU seconds where both answer.
    both: Vec<Vec<(f64, f64)>>,
    wrong: Vec<String>,
}

/// Runs the benchmark. Returns false if an answer is wrong.
///
/// # Errors
///
/// If the benchmark could not run.
pub(crate) fn run(args: &CircuitArgs) -> io::Result<bool> {
    let all = match (args.liveness, args.memories) {
        (true, _) => liveness::all(),
        (_, true) => memories::all(),
        _ => families::all(),
    };
    let members: Vec<Member> = all.into_iter().filter(|member| nets::is_chosen(&args.net, &member.name)).collect();
    if let Some(folder) = &args.write {
        members.iter().try_for_each(|member| member.write(folder).map(drop))?;
        return Ok(true);
    }
    let (peers, left_out) = if args.techniques { Default::default() } else { peers::installed(args)? };
    let runner = Runner::new(bench(args)?, 1)?;
    let folder = tempfile::tempdir()?;
    let mut results = Results::new(ways(args, peers));
    for (number, member) in members.iter().enumerate() {
        let (file, plain) = (member.write(folder.path())?, member.write_plain(folder.path())?);
        let run = |way: &Way| way.run(&runner, member, &file, plain.as_deref());
        let runs = results.ways.iter().map(run).collect::<io::Result<Vec<Ran>>>()?;
        let row = results.add(member, &runs);
        writeln!(io::stderr(), "[{}/{}] {row}", number + 1, members.len())?;
    }
    let text = results.text(&members, &limits_of(&runner.bench), &left_out);
    publish(&text, args.net.markdown.as_deref(), &results.table, args.net.csv.as_deref())?;
    writeln!(io::stdout(), "{} circuits, {} wrong", members.len(), results.wrong.len())?;
    Ok(results.wrong.is_empty())
}

/// Returns the limits, and the command to measure. Techniques are left out in processes of this runner.
fn bench(args: &CircuitArgs) -> io::Result<Bench> {
    let impasse = args.net.impasse.clone().or(if args.techniques { Some(std::env::current_exe()?) } else { None });
    nets::bench(&NetArgs { impasse, ..args.net.clone() })
}

/// Returns the ways of checking. The first one is ours with everything: all others are compared with it.
fn ways(args: &CircuitArgs, peers: Vec<Peer>) -> Vec<Way> {
    if args.techniques {
        let each = techniques::used(args.memories).map(|technique| Way::Ic3(Some(technique)));
        return [Way::Ic3(None)].into_iter().chain(each).collect();
    }
    let mut ways = vec![Way::Ours(None)];
    if args.each_without {
        let engines = ENGINES.into_iter().filter(|engine| args.liveness || *engine != "k-liveness");
        ways.extend(engines.map(|engine| Way::Ours(Some(engine))));
    }
    if args.memories {
        ways.push(Way::Latches);
    }
    ways.extend(peers.into_iter().map(Way::Peer));
    ways
}

impl Results {
    fn new(ways: Vec<Way>) -> Self {
        let table = table(&["circuit", "latches", "ands"], &ways);
        let both = ways.iter().map(|_| Vec::new()).collect();
        Self { ways, table, sums: BTreeMap::new(), both, wrong: Vec::new() }
    }

    /// Adds the runs of a circuit, one for each way. Returns its row as text.
    fn add(&mut self, member: &Member, runs: &[Ran]) -> String {
        let (latches, ands) = (member.circuit.latches().len(), member.circuit.ands());
        let mut row = vec![member.name.clone(), latches.to_string(), ands.to_string()];
        let false_answer = if member.is_safe { Said::Unsafe } else { Said::Safe };
        for (side, ran) in runs.iter().enumerate() {
            let engine = ran.first().filter(|_| ran.said.is_answer()).map(|first| first.engine.clone());
            row.push(format!("{}{}", ran.said.word(), engine.map_or(String::new(), |engine| format!(" ({engine})"))));
            row.push(units::seconds(ran.cpu));
            let sum = self.sums.entry((member.family, side)).or_default();
            sum.answered += usize::from(ran.said.is_answer());
            sum.cpu += ran.cpu;
            if runs[0].said.is_answer() && ran.said.is_answer() {
                self.both[side].push((runs[0].cpu, ran.cpu));
            }
            if ran.said == false_answer {
                self.wrong.push(format!("{}: {} by {}", member.name, ran.said.word(), self.ways[side].name()));
            }
        }
        let text = row.join(" ");
        self.table.push(row);
        text
    }

    fn text(&self, members: &[Member], limits: &str, left_out: &[String]) -> String {
        let mut text = String::new();
        section(&mut text, &format!("Generated circuits, {limits}"), &self.table);
        section(&mut text, "Answered, and CPU seconds", &self.by_family(members));
        left_out.iter().for_each(|sentence| text.push_str(&format!("{sentence}\n\n")));
        for (way, both) in self.ways.iter().zip(&self.both).skip(1) {
            let (first, other) = (self.ways[0].name(), way.name());
            // What our tool takes without a part is compared with what it takes with the part.
            text.push_str(&match way {
                Way::Ours(_) | Way::Ic3(_) => {
                    let turned: Vec<(f64, f64)> = both.iter().map(|&(with, without)| (without, with)).collect();
                    ratios(&other, &first, &turned)
                }
                Way::Latches | Way::Peer(_) => ratios(&first, &other, both),
            });
        }
        self.wrong.iter().for_each(|wrong| text.push_str(&format!("WRONG: {wrong}\n")));
        text
    }

    fn by_family(&self, members: &[Member]) -> Table {
        let mut table = table(&["family", "circuits"], &self.ways);
        let mut families: Vec<&str> = members.iter().map(|member| member.family).collect();
        families.dedup();
        for family in families {
            table.push(self.sum(members, family, &|of| of == family));
        }
        table.push(self.sum(members, "all", &|_| true));
        table
    }

    /// Returns the row with the sums over the chosen families.
    fn sum(&self, members: &[Member], label: &str, chosen: &dyn Fn(&str) -> bool) -> Vec<String> {
        let count = members.iter().filter(|member| chosen(member.family)).count();
        let mut row = vec![label.to_owned(), count.to_string()];
        for side in 0..self.ways.len() {
            let of = || self.sums.iter().filter(|((family, of), _)| *of == side && chosen(family));
            row.push(of().map(|(_, side)| side.answered).sum::<usize>().to_string());
            row.push(units::seconds(of().map(|(_, side)| side.cpu).sum()));
        }
        row
    }
}

/// Compares CPU seconds of two ways where both answer. Empty without such circuits.
fn ratios(first: &str, other: &str, both: &[(f64, f64)]) -> String {
    let ratio = |one: f64, two: f64, least: f64| one.max(least) / two.max(least);
    let Some(all) = units::geometric_mean(both.iter().map(|(one, two)| ratio(*one, *two, RESOLUTION))) else {
        return String::new();
    };
    let telling = both.iter().filter(|(one, two)| one.max(*two) >= TELLING);
    let ratios: Vec<f64> = telling.map(|(one, two)| ratio(*one, *two, TELLING)).collect();
    let mean = units::geometric_mean(ratios.iter().copied()).map_or("-".to_owned(), |mean| format!("{mean:.2}"));
    let (one, two) = both.iter().fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
    format!(
        "CPU time of `{first}` over that of `{other}` where both answer, geometric mean: {all:.2} over {} circuits; \
         {mean} over the {} on which one of them takes at least {TELLING} s (shorter times count as {TELLING} s). \
         Sums: {} s and {} s.\n\n",
        both.len(),
        ratios.len(),
        units::seconds(one),
        units::seconds(two)
    )
}

/// Returns a table with two columns for each way.
fn table(first: &[&str], ways: &[Way]) -> Table {
    let names: Vec<String> = ways.iter().map(Way::name).collect();
    let head = first.iter().copied().chain(names.iter().flat_map(|name| [name.as_str(), "CPU s"]));
    Table::new(&head.collect::<Vec<_>>())
}
