//! Exact minimal predecessors: the least markings from which a transition leads to a marking that covers a
//! vector.
//!
//! If the transition changes a place of the vector, the tokens required there must come from the sources of
//! the change, in any of the minimal distributions. The distributions for all places are combined, then joined
//! with the guards. If a guard has an upper limit, predecessors above it are dropped. The remaining
//! predecessors are closed upwards, which may add markings that are no predecessors. Answers `safe` remain
//! sound, and runs are replayed.

use crate::rules::{Change, Rules};
use crate::targets::Cube;

/// Maximal number of distributions.
const MANY: usize = 512;

/// Returns the minimal predecessors of `cube` by `t`, possibly including some that cover `cube` itself. `None`
/// if there are too many.
pub(crate) fn before(net: &Rules, t: u32, cube: &[(u32, u64)]) -> Option<Vec<Cube>> {
    let changes = net.changes.row(t as usize);
    let change = |place: u32| changes.binary_search_by_key(&place, |c| c.place).ok().map(|i| changes[i]);
    let kept: Cube = cube.iter().filter(|(p, _)| change(*p).is_none()).copied().collect();
    let mut ways = vec![kept];
    for &(place, count) in cube {
        let Some(change) = change(place) else { continue };
        let lacking = u64::try_from((i128::from(count) - i128::from(change.add)).max(0)).ok()?;
        let own = [place];
        let shares = shares(sources(net, &change, &own), lacking)?;
        if ways.len() * shares.len() > MANY {
            return None;
        }
        ways = ways.iter().flat_map(|way| shares.iter().map(|share| join(way, share))).collect();
    }
    let guards: Cube = net.guards.row(t as usize).iter().filter(|g| g.least > 0).map(|g| (g.place, g.least)).collect();
    let mut result: Vec<Cube> = ways.iter().map(|way| join(way, &guards)).collect();
    let upper = |cube: &Cube| {
        let fits = |g: &crate::rules::Condition| g.most == u64::MAX || at(cube, g.place) <= g.most;
        net.guards.row(t as usize).iter().all(fits)
    };
    result.retain(upper);
    Some(result)
}

fn sources<'a>(net: &'a Rules, change: &Change, own: &'a [u32; 1]) -> &'a [u32] {
    match change.sources {
        None => own,
        Some((from, to)) => &net.sources[from as usize..to as usize],
    }
}

/// The minimal distributions of `lacking` tokens over `sources` (ascending, with repetitions).
fn shares(sources: &[u32], lacking: u64) -> Option<Vec<Cube>> {
    if lacking == 0 {
        return Some(vec![Cube::new()]);
    }
    let mut open: Vec<(Cube, u64)> = vec![(Cube::new(), lacking)];
    let groups: Vec<&[u32]> = sources.chunk_by(|a, b| a == b).collect();
    for (i, group) in groups.iter().enumerate() {
        let weight = group.len() as u64;
        let last = i + 1 == groups.len();
        let mut next = Vec::new();
        for (cube, lacking) in open {
            let most = lacking.div_ceil(weight);
            if most > MANY as u64 && !last {
                return None;
            }
            for count in if last { most } else { 0 }..=most {
                let mut more = cube.clone();
                if count > 0 {
                    more.push((group[0], count));
                }
                next.push((more, lacking.saturating_sub(count * weight)));
            }
            if next.len() > MANY {
                return None;
            }
        }
        open = next;
    }
    Some(open.into_iter().filter(|(_, lacking)| *lacking == 0).map(|(cube, _)| cube).collect())
}

/// The least vector that covers both.
pub(crate) fn join(a: &[(u32, u64)], b: &[(u32, u64)]) -> Cube {
    let mut joined = Cube::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) if x.0 == y.0 => {
                joined.push((x.0, x.1.max(y.1)));
                (i, j) = (i + 1, j + 1);
            }
            (Some(x), y) if y.is_none_or(|y| x.0 < y.0) => {
                joined.push(*x);
                i += 1;
            }
            (_, Some(y)) => {
                joined.push(*y);
                j += 1;
            }
            _ => break,
        }
    }
    joined
}

fn at(cube: &[(u32, u64)], place: u32) -> u64 {
    cube.binary_search_by_key(&place, |e| e.0).map_or(0, |i| cube[i].1)
}
