//! Where the processes are, as options and environment say.

use super::{key, refuse};
use crate::cli::args::RunArgs;
use crate::cli::exit::{Exit, usage};
use cluster::Key;
use cluster::hosts::{self, Hosts, Slurm};
use std::{env, fs, thread};

/// The processes that this command starts, and the addresses of all.
pub(super) struct Plan {
    /// Numbers of the processes that this command starts.
    pub(super) own: Vec<usize>,
    pub(super) processes: usize,
    /// Known if not all processes are started here.
    pub(super) addresses: Option<Vec<String>>,
    pub(super) run: String,
    pub(super) key: String,
}

/// Finds out where the processes are.
pub(super) fn plan(args: &RunArgs) -> Result<Plan, Exit> {
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let hosts = if let Some(path) = &args.hosts {
        let text =
            fs::read_to_string(path).map_err(|error| wrong(&format!("cannot read {}: {error}", path.display())))?;
        let addresses = hosts::listed(&text).map_err(|why| wrong(&format!("{}: {why}", path.display())))?;
        let number = args.process.unwrap_or(0);
        if number >= addresses.len() {
            let count = addresses.len();
            return Err(usage(&format!("`--process {number}`: {} lists {count} processes, from 0", path.display())));
        }
        let run = format!("hosts-{}", cluster::identity(&addresses));
        Hosts { addresses, number, run }
    } else if args.slurm {
        let run = [variable("SLURM_JOB_ID"), variable("SLURM_STEP_ID")].join(".");
        // A step may have only some nodes of its job.
        let nodes = env::var("SLURM_STEP_NODELIST").unwrap_or_else(|_| variable("SLURM_JOB_NODELIST"));
        let count = variable("SLURM_NTASKS");
        let tasks = env::var("SLURM_STEP_TASKS_PER_NODE").unwrap_or_else(|_| variable("SLURM_TASKS_PER_NODE"));
        let number = variable("SLURM_PROCID");
        let task = Slurm { nodes: &nodes, tasks: &tasks, count: &count, number: &number, run: &run };
        hosts::slurm(task, args.port).map_err(|why| wrong(&format!("this is not a job step of Slurm: {why}")))?
    } else if let Some(service) = &args.service {
        let pods = args.processes.unwrap_or(1) as usize;
        hosts::kubernetes(&variable("HOSTNAME"), service, pods, args.port).map_err(|why| wrong(&why))?
    } else {
        return here(args);
    };
    let is_own = hosts.addresses.iter().all(|address| hosts::is_loopback(address));
    let key = match &args.key {
        Some(path) => key::load(path)?,
        None => {
            let other = hosts.addresses.iter().find(|address| !hosts::is_loopback(address));
            let what = other.map_or("processes that are started one by one".to_owned(), |other| format!("`{other}`"));
            let hint = "make a key with `impasse cluster key FILE`, copy it to all machines, and give `--key FILE`";
            return Err(refuse(Exit::Usage, "cluster::no-key", &format!("no key to connect to {what}"), hint));
        }
    };
    let Hosts { addresses, number, run } = hosts;
    debug_assert!(is_own || !key.is_empty(), "connections to other machines have a key");
    Ok(Plan { own: vec![number], processes: addresses.len(), addresses: Some(addresses), run, key })
}

/// All processes are on this machine.
fn here(args: &RunArgs) -> Result<Plan, Exit> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let processes = args.processes.map_or(cores, |processes| processes as usize);
    let key = match &args.key {
        Some(path) => key::load(path)?,
        None => Key::make().map_err(|error| refuse(Exit::Input, "cluster::key", &error.to_string(), "try again"))?,
    };
    let run = format!("local-{}", std::process::id());
    Ok(Plan { own: (0..processes).collect(), processes, addresses: None, run, key })
}

fn wrong(why: &str) -> Exit {
    refuse(
        Exit::Usage,
        "cluster::hosts",
        why,
        "docs/cluster.md describes the options `--hosts`, `--slurm`, `--service`",
    )
}

impl Plan {
    /// Returns the address where a process of this command listens.
    pub(super) fn listen(&self, number: usize) -> String {
        let Some(address) = self.addresses.as_ref().map(|all| &all[number]) else { return "127.0.0.1:0".to_owned() };
        if hosts::is_loopback(address) {
            return address.clone();
        }
        // The name of a machine may stand for its loopback address on the machine itself.
        let port = address.rsplit_once(':').map_or("0", |(_, port)| port);
        format!("0.0.0.0:{port}")
    }
}
