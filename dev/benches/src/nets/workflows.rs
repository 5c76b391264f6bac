//! `impasse-bench workflows`: soundness of workflow nets as process mining discovers them
//! ([`testkit::net::workflow`]), of growing sizes. Every third net is sound by its construction.

use crate::args::WorkflowArgs;
use crate::process::{self, Limits};
use crate::publish::{publish, section};
use crate::table::Table;
use crate::{tool, units};
use model::Problem;
use std::io;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use testkit::Random;
use testkit::net::workflow::workflow;

/// The time that an answer should take at most, in seconds.
const AIM: f64 = 0.1;

/// The results for nets of about the same size.
#[derive(Default)]
struct Class {
    sound: usize,
    unsound: usize,
    open: usize,
    slow: usize,
    times: Vec<f64>,
}

/// Runs the benchmark. Returns false if a net is called unsound that is sound by its construction.
///
/// # Errors
///
/// If the benchmark could not run.
pub(crate) fn run(args: &WorkflowArgs) -> io::Result<bool> {
    let impasse = tool::find(args.impasse.as_deref())?;
    let folder = tempfile::tempdir()?;
    let limits = Limits { wall: Duration::from_secs(60), resident: 2 << 30 };
    let mut classes: Vec<Class> = (0..5).map(|_| Class::default()).collect();
    let mut wrong = Vec::new();
    for number in 0..args.count {
        let random = &mut Random::new(number as u64 ^ 0x0077_6f72_6b66);
        let size = 1 + args.most * (number + 1) / args.count;
        let net = workflow(random, size * 2 / 3, number % 3 == 0);
        let transitions = net.transitions().len();
        let path = folder.path().join(format!("{number}.pnml"));
        let write = readers::by_path("net.pnml").and_then(|format| format.write).expect("PNML is written");
        let mut text = Vec::new();
        write(&Problem::of_net(Arc::new(net)), &mut text).map_err(io::Error::other)?;
        std::fs::write(&path, text)?;
        let mut command = Command::new(&impasse);
        command.arg("check").arg(&path).args(["--ask", "SOUND", "--format", "json", "--timeout", "10s", "--jobs", "1"]);
        let run = process::run(&mut command, limits)?;
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_default();
        let verdict = report["properties"][0]["verdict"].as_str().unwrap_or("none").to_owned();
        let class = &mut classes[(transitions * 5 / (args.most + 1)).min(4)];
        match verdict.as_str() {
            "safe" => class.sound += 1,
            "unsafe" => class.unsound += 1,
            _ => class.open += 1,
        }
        class.slow += usize::from(run.cpu > AIM);
        class.times.push(run.cpu);
        if number % 3 == 0 && verdict == "unsafe" {
            wrong.push(number);
        }
    }
    let mut table =
        Table::new(&["transitions", "nets", "sound", "unsound", "open", "median CPU s", "most", "over 0.1 s"]);
    for (number, class) in classes.iter_mut().enumerate().filter(|(_, class)| !class.times.is_empty()) {
        class.times.sort_by(f64::total_cmp);
        table.push(vec![
            format!("{} to {}", number * args.most / 5, (number + 1) * args.most / 5),
            class.times.len().to_string(),
            class.sound.to_string(),
            class.unsound.to_string(),
            class.open.to_string(),
            units::seconds(class.times[class.times.len() / 2]),
            units::seconds(class.times[class.times.len() - 1]),
            class.slow.to_string(),
        ]);
    }
    let mut text = String::new();
    section(&mut text, "Soundness of workflow nets", &table);
    text.push_str(&format!("Wrong: {wrong:?}\n"));
    publish(&text, None, &table, None)?;
    Ok(wrong.is_empty())
}
