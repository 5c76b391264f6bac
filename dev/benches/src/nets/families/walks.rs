//! Goals that are the last markings of random walks on nets of the corpus. These markings are reachable by
//! construction, and hundreds or thousands of firings away from the initial marking.

use super::{Case, Model};
use crate::corpus::Verdict::Unsafe;
use crate::nets::corpus::{self, Net as File};
use crate::search;
use model::{Formula, Net, PlaceId, Problem, SystemModel, Transition};
use num_bigint::BigUint;
use patterns::kit::Random;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use testkit::net::{fire, is_enabled};

const FAMILY: &str = "walks";
/// The lengths of walks, in firings, and the number of walks of each length.
const LENGTHS: [usize; 4] = [100, 300, 1_000, 3_000];
const WALKS: usize = 50;
/// Number of nets tried for one walk. On many nets walks end early.
const TRIES: usize = 100;
/// Greatest number of tokens to which a firing may raise a place. A walk that only increases one count gives a
/// goal that is too easy.
const MOST: i128 = 1_000_000;

/// Returns the time limit of a case. Walks have a short one, because the goals should be found soon.
pub(super) fn timeout(family: &str) -> Duration {
    if family == FAMILY { Duration::from_secs(10) } else { Duration::MAX }
}

pub(super) fn cases(corpus: &Path) -> Vec<Case> {
    if !corpus.join("petri").is_dir() {
        return Vec::new();
    }
    let mut cases = Vec::new();
    for length in LENGTHS {
        for i in 0..WALKS {
            // Every fourth walk uses all tokens of its last marking.
            let whole = i % 4 == 3;
            let name = format!("{length} firings, {}{i}", if whole { "whole marking, " } else { "" });
            let corpus = corpus.to_owned();
            cases.push(Case::made(FAMILY, &name, Unsafe, move || one(&corpus, length, whole, i)));
        }
    }
    cases
}

/// Returns the target of a walk on the first drawn net that has a long enough walk.
fn one(corpus: &Path, length: usize, whole: bool, i: usize) -> io::Result<Model> {
    let nets = corpus::petri(corpus)?.filter(|nets| !nets.is_empty()).ok_or_else(|| io::Error::other("no nets"))?;
    let random = &mut Random::new((length * WALKS + i) as u64);
    for _ in 0..TRIES {
        let file = &nets[random.below(nets.len())];
        if let Some(model) = target(file, length, whole, random)? {
            return Ok(model);
        }
    }
    Err(io::Error::other("no walk gets so far"))
}

/// Walks on the net. Returns the net with the end of the walk as its target, or `None` if the walk ends early.
fn target(file: &File, length: usize, whole: bool, random: &mut Random) -> io::Result<Option<Model>> {
    let problem = search::read(&file.path)?;
    let SystemModel::Net(net) = problem.system() else { return Ok(None) };
    let Some(end) = walk(net, length, random) else { return Ok(None) };
    let mut marked: Vec<(PlaceId, BigUint)> = Vec::new();
    for (i, &n) in end.iter().enumerate() {
        match BigUint::try_from(n) {
            Ok(n) if n != BigUint::ZERO => marked.push((PlaceId::new(i), n)),
            _ => {}
        }
    }
    if !whole {
        let wanted = 2 + random.below(3);
        while marked.len() > wanted {
            marked.remove(random.below(marked.len()));
        }
    }
    let problem =
        Problem::of_net(Arc::clone(net)).never("target", Formula::cover(&marked)).map_err(io::Error::other)?;
    let write = readers::by_name("spec").and_then(|f| f.write).ok_or_else(|| io::Error::other("no writer"))?;
    let mut text = Vec::new();
    write(&problem, &mut text).map_err(|e| io::Error::other(format!("{}: {e}", file.name)))?;
    let text = String::from_utf8(text).map_err(io::Error::other)?;
    Ok(Some(Model { file: "model.spec", text, goals: None }))
}

/// Returns the marking after `length` random firings. Open places start with a few more tokens.
fn walk(net: &Net, length: usize, random: &mut Random) -> Option<Vec<i128>> {
    let mut marking: Vec<i128> = Vec::new();
    for place in net.places() {
        let least = i128::try_from(&place.initial.at_least).ok()?;
        let most = place.initial.at_most.as_ref().map_or(Some(i128::MAX), |most| i128::try_from(most).ok())?;
        marking.push((least + if most > least { random.below(6) as i128 } else { 0 }).min(most));
    }
    for _ in 0..length {
        let enabled: Vec<&Transition> = net.transitions().iter().filter(|t| is_enabled(t, &marking)).collect();
        if enabled.is_empty() {
            return None;
        }
        let next = fire(enabled[random.below(enabled.len())], &marking)?;
        if next.iter().zip(&marking).any(|(n, before)| n != before && *n > MOST) {
            return None;
        }
        marking = next;
    }
    Some(marking)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_keeps_to_the_rules() {
        let text = "vars a b c rules a >= 1 -> a' = a - 1, b' = b + 1; b >= 1, c = 0 -> b' = 0, a' = a + b; init a >= \
                    2, b = 0, c = 0 target b >= 1";
        let source = formats::Source { name: "x.spec".to_owned(), bytes: text.as_bytes().to_vec() };
        let read = readers::read(source, None, &formats::Limits::default()).expect("well-formed");
        let net = read.problem.system().as_net().expect("a net");
        for seed in 0..20 {
            let end = walk(net, 50, &mut Random::new(seed)).expect("something is always enabled");
            assert!((2..=7).contains(&(end[0] + end[1])) && end[2] == 0, "{end:?}");
        }
    }
}
