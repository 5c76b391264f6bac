//! The bench runner. It runs every model of the corpus in several configurations, each in a separate process,
//! and compares the answers with the known ones. The help of each command (`impasse-bench rwb --help`, also
//! `data`, `auto`, `petri`, `mcc`, `circuits`, `ic3`, `rers`, `sat` and `scale`) describes its options.

mod answer;
mod args;
mod auto;
mod circuits;
mod configs;
mod corpus;
mod data;
mod families;
mod formulas;
mod gain;
mod generated;
mod ic3;
mod judge;
mod lengths;
mod measure;
mod nets;
mod peers;
mod process;
mod promela;
mod publish;
mod rates;
mod rers;
mod rwb;
mod scale;
mod search;
mod spin;
mod summary;
mod table;
mod tool;
mod units;

use clap::Parser;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let done = match args::Cli::parse().command {
        args::Command::Rwb(args) => rwb::run(&args),
        args::Command::Data(args) => data::run(&args),
        args::Command::Auto(args) => auto::run(&args),
        args::Command::Petri(args) => nets::petri::run(&args),
        args::Command::Mcc(args) => nets::mcc::run(&args),
        args::Command::Workflows(args) => nets::workflows::run(&args),
        args::Command::Circuits(args) => circuits::run(&args),
        args::Command::Ic3(args) => ic3::run(&args),
        args::Command::Rers(args) => rers::run(&args),
        args::Command::Sat(args) => formulas::run(&args),
        args::Command::Theory(args) => formulas::theory::run(&args).map(|()| true),
        args::Command::Replay(args) => formulas::incremental::replay(&args).map(|()| true),
        args::Command::Solve(args) => formulas::techniques::run(&args).map(|()| true),
        args::Command::Prove(args) => circuits::techniques::run(&args).map(|()| true),
        args::Command::Explore(args) => rers::alone::run(&args).map(|()| true),
        args::Command::Scale(args) => scale::run(&args),
        args::Command::Search(args) => search::run(&args).map(|()| true),
        args::Command::Generate(args) => nets::families::generate(&args).map(|()| true),
        args::Command::Prepare(args) => nets::prepare::run(&args).map(|()| true),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            // If stderr fails too, the error cannot be reported.
            let _ = writeln!(std::io::stderr(), "impasse-bench: {error}");
            ExitCode::from(2)
        }
    }
}
