//! `impasse batch`: checks the models that a file of jobs names, each with options of its own, and appends a line to a
//! file of results when a job is done.
//!
//! Jobs are pieces of one process, as the files of `check` are. Several processes share a batch by shards: shard I of N
//! has each N-th line of the file of jobs, so processes need not talk to each other. A line of results depends on the
//! job and not on the process, so the sorted lines of all shards are the same whichever way the jobs were run. A
//! process that was killed is started again: jobs with a line of results are not run again.

mod jobs;
mod results;

use super::args::{BatchArgs, Common};
use super::check::{Job, Piece, work_off};
use super::disk::Stores;
use super::exit::Exit;
use super::limits::{Watch, ended};
use super::report::Style;
use super::reports::{Order, Reports};
use jobs::{Line, Refused};
use results::{File, Results};
use std::sync::Arc;
use std::thread;
use view::text::Paint;

pub(crate) fn run(args: &BatchArgs, common: &Common) -> Exit {
    match begin(args, common) {
        Ok(exit) => exit,
        Err(message) => {
            tell!("error: {message}");
            Exit::Input
        }
    }
}

fn begin(args: &BatchArgs, common: &Common) -> Result<Exit, String> {
    let watch = Watch::start(&args.limits);
    watch.set_last_words(|reason| {
        tell!("error: {}", ended("reading of the jobs", reason));
        Exit::of_reason(reason)
    });
    let stop = watch.stop();
    let lines = match jobs::read(&args.file, args.shard, &args.options, common, &stop) {
        Ok(lines) => lines,
        Err(Refused::Wrong(why)) => return Err(why),
        Err(Refused::Stopped(reason)) => {
            watch.take_over();
            tell!("error: {}", ended("reading of the jobs", reason));
            return Ok(Exit::of_reason(reason));
        }
    };
    let file = File::open(&args.results)?;
    let all = lines.len();
    let (left, names) = to_run(lines, &file);
    let known = all - left.len();
    if left.is_empty() {
        let which = if all == 0 { "no jobs" } else { "all recorded before" };
        say!("{} {all} jobs, {which} in {}", args.shard, args.results.display());
        return Ok(Exit::Done);
    }
    let times = args.times.as_deref().map(|path| results::times(path, &args.results)).transpose()?;
    let results =
        Results::new(file, times, names, watch.stop(), format!("{} {all} jobs, {known} recorded before", args.shard));
    let failed = results.failed();
    let boards = left.iter().map(Piece::unread).collect();
    let reports = Arc::new(Reports::new(boards, Box::new(results), Order::AsDone));
    let closing = Arc::clone(&reports);
    watch.set_last_words(move |reason| closing.close(reason));
    let style = Style {
        verbose: false,
        quiet: true,
        shortest: false,
        steps: false,
        flows: false,
        witnesses: false,
        paint: Paint::plain(),
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let at_once = args.jobs.map_or(1, |jobs| jobs as usize).min(threads).min(left.len());
    let stores = Stores::default();
    let job = Job {
        pieces: left,
        watch,
        reports,
        several: true,
        is_silent: true,
        style,
        threads: 1,
        at_once,
        stores,
        folder: None,
    };
    // The answers about the models are in the file of results.
    let exit = move |_| match (failed.get(), stop.raised()) {
        (Some(why), _) => {
            tell!("error: {why}");
            Exit::Input
        }
        (None, Some(reason)) => Exit::of_reason(reason),
        (None, None) => Exit::Done,
    };
    Ok(work_off(Arc::new(job), exit))
}

/// Returns the jobs without a line of results, each once, and their ids and names.
fn to_run(lines: Vec<Line>, file: &File) -> (Vec<Piece>, Vec<(String, String)>) {
    let mut begun = std::collections::BTreeSet::new();
    let is_new = |line: &Line| !file.has(&line.id) && begun.insert(line.id.clone());
    lines.into_iter().filter(is_new).map(|line| (line.piece, (line.id, line.name))).unzip()
}
