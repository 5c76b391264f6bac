//! Processes that are connected by TLS, here as threads of one process with sockets between them. What does not show
//! the key is dropped, and disturbs nothing.

use super::{Said, of_program, said, workers};
use crate::key::Key;
use crate::mesh::{Hello, Member, MeshError, connect};
use crate::process::{Ended, run};
use crate::tunnel::{Traffic, Tunnel};
use crate::{Alone, Links, Outcome, Question, search};
use kernel::{Work, confirm_shared};
use model::{Goal, Stop};
use programs::RwbStepper;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;
use testkit::{Random, program};

/// Tenths of a second that processes wait for each other.
const PATIENCE: u64 = 300;

fn key() -> Key {
    Key::read(&Key::make().expect("random numbers")).expect("it was just made")
}

fn hello(number: usize, processes: usize) -> Hello {
    let text = |text: &str| text.to_owned();
    Hello { run: text("run"), version: text("1"), model: text("model"), processes, number }
}

fn listeners(count: usize) -> (Vec<TcpListener>, Vec<String>) {
    let listeners: Vec<TcpListener> =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port is free")).collect();
    let address = |listener: &TcpListener| listener.local_addr().expect("bound").to_string();
    let addresses = listeners.iter().map(address).collect();
    (listeners, addresses)
}

type Connected = Result<Vec<Option<Tunnel>>, MeshError>;

/// Connects processes with these keys and hellos.
fn mesh(keys: &[Key], hellos: &[Hello], patience: u64, addresses: &[String], all: Vec<TcpListener>) -> Vec<Connected> {
    thread::scope(|scope| {
        let threads: Vec<_> = all
            .into_iter()
            .zip(keys)
            .zip(hellos)
            .map(|((listener, key), hello)| {
                scope.spawn(move || {
                    let (lost, _) = mpsc::channel();
                    let traffic = Arc::default();
                    connect(&listener, &Member { key, hello, addresses, patience, traffic: &traffic, lost: &lost })
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

/// Opens connections that break the rules, until `over`. Returns their number.
fn disturb(addresses: &[String], over: &AtomicBool, seed: u64) -> usize {
    let (mut random, mut sessions, mut held) = (Random::new(seed), 0, Vec::new());
    while !over.load(Ordering::Relaxed) {
        let Ok(mut socket) = TcpStream::connect(random.pick(addresses)) else {
            thread::sleep(Duration::from_millis(1));
            continue;
        };
        sessions += 1;
        let bytes: Vec<u8> = (0..random.below(400)).map(|_| random.bits() as u8).collect();
        match random.below(4) {
            0 => held.push(socket), // says nothing
            1 => {
                // The head of a TLS record that never ends.
                let _ = socket.write_all(&[22, 3, 1, 2, 0, 1]);
                held.push(socket);
            }
            2 => {
                let _ = socket.write_all(&bytes);
                let _ = socket.shutdown(Shutdown::Write);
                let _ = socket.set_read_timeout(Some(Duration::from_millis(1)));
                let _ = socket.read(&mut [0; 100]);
            }
            _ => {
                let _ = socket.write_all(&bytes);
            }
        }
        if held.len() > 200 {
            held.drain(..100);
        }
    }
    sessions
}

/// Searches in `processes` processes of `threads` workers, with sessions of random bytes on their ports.
fn over_sockets(seed: u64, processes: usize, threads: usize, sessions: &AtomicUsize) -> (Vec<Said>, u64) {
    let program = program::program(seed);
    let problem = of_program(program.clone());
    let space = RwbStepper::new(&Arc::new(program));
    let goals = [Goal::Bad, Goal::Deadlock];
    let (listeners, addresses) = listeners(processes);
    let (key, over, traffic) = (key(), AtomicBool::new(false), Arc::<Traffic>::default());
    let said = thread::scope(|scope| {
        let noise: Vec<_> = (0..2)
            .map(|i| {
                scope.spawn({
                    let (addresses, over) = (&addresses, &over);
                    move || disturb(addresses, over, seed * 10 + i)
                })
            })
            .collect();
        thread::sleep(Duration::from_millis(20)); // the noise begins first
        let runs: Vec<_> = listeners
            .into_iter()
            .enumerate()
            .map(|(number, listener)| {
                let (key, addresses, traffic) = (&key, &addresses, &traffic);
                let (space, problem) = (space.clone(), problem.clone());
                scope.spawn(move || {
                    let (lost, breaks) = mpsc::channel();
                    let hello = hello(number, processes);
                    let member = Member { key, hello: &hello, addresses, patience: PATIENCE, traffic, lost: &lost };
                    let tunnels = connect(&listener, &member).expect("all are there");
                    let work = move |worker: &mut timely::worker::Worker| {
                        let mut links = Links::new(worker);
                        let stop = Stop::default();
                        let question = Question {
                            goals: &goals,
                            explore_all: true,
                            stop: &stop,
                            alone: Alone::default(),
                            on_level: &|_| {},
                        };
                        let Outcome { counts, runs, rest, share, .. } =
                            search(&mut links, space.clone(), &question, None).expect("no error");
                        let checked = share.ok().filter(|_| !rest.is_empty()).map(|share| {
                            confirm_shared(&problem, &rest, &share, &mut links, &mut Work::new(u64::MAX, &stop))
                        });
                        Said { counts, runs, rest, checked }
                    };
                    match run(tunnels, number, threads, breaks, work) {
                        Ended::Done(said) => said,
                        other => panic!("{other:?}"),
                    }
                })
            })
            .collect();
        let said: Vec<Said> = runs.into_iter().flat_map(|run| run.join().expect("no panic")).collect();
        over.store(true, Ordering::Relaxed);
        for thread in noise {
            sessions.fetch_add(thread.join().expect("no panic"), Ordering::Relaxed);
        }
        said
    });
    (said, traffic.sent.load(Ordering::Relaxed))
}

#[test]
fn random_bytes_on_the_ports_disturb_no_run() {
    let sessions = AtomicUsize::new(0);
    for seed in 0..testkit::count(24) {
        let program = program::program(seed);
        if program.has_finals() {
            continue;
        }
        let (processes, threads) = (2 + seed as usize % 3, 1 + seed as usize % 2);
        let (all, sent) = over_sockets(seed, processes, threads, &sessions);
        let space = RwbStepper::new(&Arc::new(program.clone()));
        let how = super::How { explore_all: true, ..workers(1) };
        let alone = said(&space, &[Goal::Bad, Goal::Deadlock], &of_program(program), &how);
        assert_eq!(all.len(), processes * threads);
        assert!(all.iter().all(|said| *said == alone), "seed {seed}: {all:#?}, alone {alone:#?}");
        assert!(sent > 0);
    }
    assert!(sessions.load(Ordering::Relaxed) > 100, "the test is too weak: {sessions:?} sessions");
}

fn errors(keys: &[Key], hellos: &[Hello], patience: u64) -> Vec<MeshError> {
    let (listeners, addresses) = listeners(hellos.len());
    mesh(keys, hellos, patience, &addresses, listeners).into_iter().filter_map(Result::err).collect()
}

#[test]
fn another_key_is_never_connected() {
    let (ours, theirs) = (key(), key());
    let hellos: Vec<Hello> = (0..3).map(|number| hello(number, 3)).collect();
    let all = errors(&[ours.clone(), ours, theirs], &hellos, 10);
    let missing = |error: &MeshError| match error {
        MeshError::Missing { missing, .. } => Some(missing.clone()),
        MeshError::Misfit(_) => None,
    };
    // The process with another key calls the others, and knows at once that trying again does not help.
    assert_eq!(all.iter().map(missing).collect::<Vec<_>>(), [Some(vec![2]), Some(vec![2]), None]);
    assert!(all[2].to_string().contains("has another key"), "{}", all[2]);
}

#[test]
fn other_models_versions_and_numbers_do_not_fit() {
    let key = key();
    let wrong: [fn(&mut Hello); 4] = [
        |hello| hello.model = "other".to_owned(),
        |hello| hello.version = "2".to_owned(),
        |hello| hello.processes = 3,
        |hello| hello.number = 0,
    ];
    for (case, change) in wrong.iter().enumerate() {
        let mut hellos = vec![hello(0, 2), hello(1, 2)];
        change(&mut hellos[1]);
        hellos[1].number = hellos[1].number.min(1);
        let (listeners, addresses) = listeners(2);
        let addresses = [&addresses[..], &[addresses[1].clone()]].concat();
        let all = mesh(&[key.clone(), key.clone()], &hellos, 10, &addresses, listeners);
        let misfits = all.iter().filter(|result| matches!(result, Err(MeshError::Misfit(_)))).count();
        assert!(all.iter().all(Result::is_err) && misfits > 0 || case == 3 && all[0].is_err(), "case {case}: {all:?}");
    }
}

#[test]
fn processes_of_another_run_are_left_out() {
    let key = key();
    let mut hellos = vec![hello(0, 2), hello(1, 2)];
    hellos[1].run = "other".to_owned();
    let all = errors(&[key.clone(), key], &hellos, 10);
    assert!(all.len() == 2 && all.iter().all(|error| matches!(error, MeshError::Missing { .. })), "{all:?}");
    assert!(all[0].to_string().contains("run"), "{}", all[0]);
}

#[test]
fn texts_that_are_no_keys_are_refused() {
    let good = Key::make().expect("random numbers");
    let (certificate, private) = good.split_once("-----BEGIN PRIVATE").expect("two parts");
    let other = Key::make().expect("random numbers");
    let (other, _) = other.split_once("-----BEGIN PRIVATE").expect("two parts");
    for text in ["", "key", certificate, &format!("{other}-----BEGIN PRIVATE{private}")] {
        assert!(Key::read(text).is_err(), "{text}");
    }
    assert!(Key::read(&good).is_ok());
}

/// A process that ends without a word is noticed by all others.
#[test]
fn a_connection_that_breaks_is_reported() {
    let key = key();
    let (listeners, addresses) = listeners(2);
    let ended = thread::scope(|scope| {
        let mut threads = Vec::new();
        for (number, listener) in listeners.into_iter().enumerate() {
            let (key, addresses) = (&key, &addresses);
            threads.push(scope.spawn(move || {
                let (lost, breaks) = mpsc::channel();
                let (hello, traffic) = (hello(number, 2), Arc::default());
                let member =
                    Member { key, hello: &hello, addresses, patience: PATIENCE, traffic: &traffic, lost: &lost };
                let tunnels = connect(&listener, &member).expect("both are there");
                if number == 1 {
                    return None; // its sockets are closed here
                }
                Some(run(tunnels, 0, 1, breaks, |worker| Links::new(worker).agree(&1).map_err(|e| e.to_string())))
            }));
        }
        threads.into_iter().filter_map(|thread| thread.join().expect("no panic")).next()
    });
    assert!(matches!(ended, Some(Ended::Lost(1) | Ended::Failed(_))), "{ended:?}");
}
