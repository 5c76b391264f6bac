//! Runs the workers of a process.

use crate::tunnel::Tunnel;
use std::sync::mpsc;
use std::thread;
use timely::WorkerConfig;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::{AllocatorBuilder, Hooks};
use timely::execute::execute_from;
use timely::worker::Worker;

/// How the workers of a process ended.
#[derive(Debug)]
pub enum Ended<T> {
    /// All of them have a result.
    Done(Vec<T>),
    /// The connection to this process broke. Threads of this process may still wait for it, so the process has to
    /// end.
    Lost(usize),
    /// A worker panicked for another reason, or threads could not be started.
    Failed(String),
}

enum Event<T> {
    Lost(usize),
    Joined(Result<Vec<T>, String>),
}

/// Runs `work` in `threads` workers that are connected to those of other processes by `tunnels`. `lost` tells which
/// connections break.
pub fn run<T: Send + 'static>(
    tunnels: Vec<Option<Tunnel>>,
    number: usize,
    threads: usize,
    lost: mpsc::Receiver<usize>,
    work: impl Fn(&mut Worker) -> T + Send + Sync + 'static,
) -> Ended<T> {
    let (events, ended) = mpsc::channel();
    let joins = events.clone();
    thread::spawn(move || {
        let result = start(tunnels, number, threads, work);
        let _ = joins.send(Event::Joined(result));
    });
    thread::spawn(move || {
        for peer in lost {
            let _ = events.send(Event::Lost(peer));
        }
    });
    match ended.recv() {
        Ok(Event::Joined(Ok(results))) => Ended::Done(results),
        Ok(Event::Joined(Err(why))) => match ended.try_recv() {
            Ok(Event::Lost(peer)) => Ended::Lost(peer),
            _ => Ended::Failed(why),
        },
        Ok(Event::Lost(peer)) => Ended::Lost(peer),
        Err(_) => Ended::Failed("a thread of this process panicked".to_owned()),
    }
}

fn start<T: Send + 'static>(
    tunnels: Vec<Option<Tunnel>>,
    number: usize,
    threads: usize,
    work: impl Fn(&mut Worker) -> T + Send + Sync + 'static,
) -> Result<Vec<T>, String> {
    let hooks = Hooks::default();
    let local = ProcessBuilder::new_typed_vector(threads, hooks.refill.clone(), None);
    let (builders, guard) = initialize_networking_from_sockets(local, tunnels, number, threads, hooks)
        .map_err(|error| error.to_string())?;
    let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
    execute_from(builders, Box::new(guard), WorkerConfig::default(), work)?.join().into_iter().collect()
}
