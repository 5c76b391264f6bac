//! The nets on which queries are recorded: several nets of the corpus, and a generated net, which is available
//! without the corpus.

use crate::search;
use model::{Net, Place, PlaceId, Range, SystemModel, Transition};
use std::io;
use std::path::Path;

/// Nets of different sizes without transfers between places.
const CORPUS: [&str; 6] = [
    "wahl-kroening/stack_lock_p0_vs_satabs.2",
    "wahl-kroening/szymanski_vs_satabs.1",
    "wahl-kroening/rand_lock_p0_vs_satabs.3",
    "wahl-kroening/peterson_vs_satabs.2",
    "mist-PN/mesh3x2",
    "soter/state_factory__depth_2",
];

/// Number of processes of the generated net.
const RING: usize = 60;

/// Returns the chosen nets with their names.
///
/// # Errors
///
/// If a net cannot be read.
pub(super) fn all(corpus: &Path, is_chosen: &dyn Fn(&str) -> bool) -> io::Result<Vec<(String, Net)>> {
    let mut nets = Vec::new();
    for name in CORPUS.iter().filter(|name| is_chosen(name)) {
        let packed = corpus.join("petri").join(format!("{name}.spec.xz"));
        let plain = corpus.join("petri").join(format!("{name}.spec"));
        let Some(file) = [packed, plain].into_iter().find(|file| file.is_file()) else { continue };
        if let SystemModel::Net(net) = search::read(&file)?.system() {
            nets.push(((*name).to_owned(), net.as_ref().clone()));
        }
    }
    if is_chosen("ring") {
        nets.push((format!("ring of {RING}"), token_ring(RING)));
    }
    Ok(nets)
}

/// Returns a net of processes in a ring that share forks with their neighbours. Each process takes its own
/// fork, then its neighbour's, works, and puts both back. A permit moves round the ring: a process starts to
/// work only while it has the permit. A process with both forks may also put them back without work.
pub(super) fn token_ring(processes: usize) -> Net {
    let names = ["idle", "left", "both", "work", "fork", "permit"];
    let place = |process: usize, what: usize| PlaceId::new(process % processes * names.len() + what);
    let mut places = Vec::new();
    let mut transitions = Vec::new();
    for process in 0..processes {
        for (what, name) in names.iter().enumerate() {
            let tokens = u32::from(what == 0 || what == 4 || (what == 5 && process == 0));
            places.push(Place { name: format!("{name}{process}"), initial: Range::exactly(tokens) });
        }
        let at = |what: usize| (place(process, what), 1u32.into());
        let next = |what: usize| (place(process + 1, what), 1u32.into());
        let mut step = |name: &str, takes: &[(PlaceId, _)], puts: &[(PlaceId, _)]| {
            transitions.push(Transition::from_arcs(format!("{name}{process}"), takes, puts));
        };
        step("take_left", &[at(0), at(4)], &[at(1)]);
        step("take_right", &[at(1), next(4)], &[at(2)]);
        step("start", &[at(2), at(5)], &[at(3), at(5)]);
        step("skip", &[at(2)], &[at(0), at(4), next(4)]);
        step("finish", &[at(3)], &[at(0), at(4), next(4)]);
        step("pass", &[at(5)], &[next(5)]);
    }
    Net::new(places, transitions).expect("names are unique and places exist")
}
