//! Nets of the Model Checking Contest. For general reachability and deadlock, the table shows the number of
//! properties that bit-level IC3 decides alone, and how many of them `auto` does not decide.

use super::Report;
use super::run::{Runner, limits_of};
use crate::answer;
use crate::args::Ic3Args;
use crate::corpus::Verdict;
use crate::nets::corpus::{self, Contest};
use crate::nets::{self, mcc};
use crate::table::Table;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The quick check takes nets with a model of at most this many bytes.
const QUICK_BYTES: u64 = 1_200;

/// The compared engines. Coverability goals are left out of the comparison.
const WAYS: [&str; 2] = ["ic3.bits", "auto"];

/// Numbers of properties of one kind.
#[derive(Clone, Copy, Default)]
struct Count {
    asked: usize,
    bits: usize,
    auto: usize,
    /// Number decided by bit-level IC3 and not by `auto`.
    new: usize,
    /// Number of answers of `auto` that come from bit-level IC3.
    from_bits: usize,
}

pub(super) fn measure(args: &Ic3Args, runner: &mut Runner, report: &mut Report) -> io::Result<()> {
    let Some(mut all) = corpus::mcc(&args.net.corpus)? else {
        report.note("Contest nets: skipped: no corpus");
        return Ok(());
    };
    all.retain(|n| nets::is_chosen(&args.net, &n.instance));
    if args.net.quick {
        all.retain(|n| n.model.metadata().is_ok_and(|m| m.len() <= QUICK_BYTES));
    }
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let mut new = Table::new(&["net", "property", "kind", "verdict", "engine", "evidence"]);
    for (i, net) in all.iter().enumerate() {
        let [bits, auto] = [of_net(runner, net, WAYS[0], report)?, of_net(runner, net, WAYS[1], report)?];
        let (mut decided, mut added) = (0, 0);
        for (id, known) in net.known.iter().filter(|(_, k)| k.kind != "cover") {
            let count = counts.entry(known.kind.clone()).or_default();
            let answer =
                |by: &BTreeMap<String, answer::Property>| by.get(id).filter(|p| p.verdict != Verdict::Unknown).cloned();
            let (by_bits, by_auto) = (answer(&bits), answer(&auto));
            count.asked += 1;
            count.bits += usize::from(by_bits.is_some());
            count.auto += usize::from(by_auto.is_some());
            count.from_bits += usize::from(by_auto.as_ref().is_some_and(|p| p.engine.starts_with("ic3.bits")));
            decided += usize::from(by_bits.is_some());
            if let (Some(property), None) = (by_bits, by_auto) {
                count.new += 1;
                added += 1;
                let evidence = property.evidence.map(|e| e.kind).unwrap_or_default();
                let verdict = format!("{:?}", property.verdict).to_lowercase();
                new.push(vec![
                    net.instance.clone(),
                    id.clone(),
                    known.kind.clone(),
                    verdict,
                    property.engine,
                    evidence,
                ]);
            }
        }
        let name = &net.instance;
        writeln!(io::stderr(), "[{}/{}] {name}: {decided} by {}, {added} new", i + 1, all.len(), WAYS[0])?;
    }
    let mut table =
        Table::new(&["kind", "properties", "ic3.bits alone", "auto", "of these by ic3.bits", "ic3.bits and not auto"]);
    for (kind, count) in &counts {
        let numbers = [count.asked, count.bits, count.auto, count.from_bits, count.new].map(|n| n.to_string());
        table.push([kind.clone()].into_iter().chain(numbers).collect());
    }
    report.table(&format!("Contest properties, {} for each net", limits_of(&runner.bench)), &table);
    if !new.is_empty() {
        report.table("Decided by ic3.bits and not by auto", &new);
    }
    Ok(())
}

/// Returns the answers about the properties of one net, by id.
fn of_net(
    runner: &Runner,
    net: &Contest,
    engine: &str,
    report: &mut Report,
) -> io::Result<BTreeMap<String, answer::Property>> {
    let formulas = net.formulas.display().to_string();
    let mut args = vec!["--engine", engine, "--properties", &formulas];
    for (id, _) in net.known.iter().filter(|(_, k)| k.kind != "cover") {
        args.extend(["--property", id]);
    }
    let ran = runner.ours_by_the_clock(&net.model, &args)?;
    report.runs += 1;
    let known = mcc::known(net)?;
    let answers = ran.report.map(|r| r.properties).unwrap_or_default();
    for answer in &answers {
        let expected = known(&answer.id).filter(|v| answer.verdict != Verdict::Unknown && *v != answer.verdict);
        if let Some(expected) = expected {
            report
                .wrong
                .push(format!("{engine} {} {}: {:?}, expected {expected:?}", net.instance, answer.id, answer.verdict));
        }
        if answer.verdict != Verdict::Unknown && !answer.evidence.as_ref().is_some_and(|e| e.checked) {
            report.wrong.push(format!("{engine} {} {}: a verdict without checked evidence", net.instance, answer.id));
        }
    }
    Ok(answers.into_iter().map(|p| (p.id.clone(), p)).collect())
}
