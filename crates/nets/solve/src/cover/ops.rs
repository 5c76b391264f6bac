//! The net of the relaxed search: operations that require tokens and give tokens.
//!
//! Every transition is an operation. For each place from which a transfer moves tokens there is another
//! operation; it also requires a token on that place, and gives as many as are there. Adding a token to an open
//! place of the initial marking is an operation without preconditions. It is available before the first firing.

use crate::rules::{Change, Rules};
use search::Rows;

/// A precondition of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need {
    pub(crate) place: u32,
    /// The number of tokens required.
    pub(crate) least: u64,
    /// The number of tokens removed.
    pub(crate) takes: u64,
}

/// Tokens that an operation gives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gift {
    pub(crate) place: u32,
    pub(crate) tokens: u64,
    /// If present, the operation gives as many tokens as this place holds.
    pub(crate) moved: Option<u32>,
}

/// The operations of a net.
pub(crate) struct Ops {
    /// The preconditions of each operation.
    pub(crate) needs: Rows<Need>,
    pub(crate) gifts: Rows<Gift>,
    /// For each operation, the transition that it belongs to, or the number of transitions plus the index of
    /// the open place.
    pub(crate) does: Vec<u32>,
    /// For each place, the operations that require tokens on it: (tokens required, operation), ascending.
    pub(crate) asked: Rows<(u64, u32)>,
    /// For each place, the operations that can remove tokens from it.
    pub(crate) takers: Rows<u32>,
    /// The first operation that adds a token to an open place.
    pub(crate) opening: usize,
}

impl Ops {
    /// Computes the operations in time linear in the size of the net.
    pub(crate) fn new(net: &Rules) -> Self {
        let mut list: Vec<(Vec<Need>, Vec<Gift>, u32)> = Vec::new();
        let mut takers: Vec<(u32, u32)> = Vec::new();
        for t in 0..net.transitions() {
            let op = index(list.len());
            let changes = net.changes.row(t);
            let needs: Vec<Need> = net.guards.row(t).iter().filter(|g| g.least > 0).map(|g| need(g, changes)).collect();
            let gives = |c: &&Change| c.add > 0;
            let gift = |c: &Change| Gift { place: c.place, tokens: c.add.unsigned_abs(), moved: None };
            let gifts = changes.iter().filter(gives).map(gift).collect();
            takers.extend(changes.iter().filter(|c| c.add < 0 || c.sources.is_some()).map(|c| (c.place, op)));
            list.push((needs.clone(), gifts, index(t)));
            for change in changes {
                let Some((from, to)) = change.sources else { continue };
                let sources = &net.sources[from as usize..to as usize];
                for (i, &s) in sources.iter().enumerate() {
                    // A place that keeps its own tokens gains none by this.
                    let kept = s == change.place && (i == 0 || sources[i - 1] != s);
                    if !kept {
                        let mut needs = needs.clone();
                        match needs.iter_mut().find(|n| n.place == s) {
                            Some(need) => need.least = need.least.max(1),
                            None => needs.push(Need { place: s, least: 1, takes: 0 }),
                        }
                        let gifts = vec![Gift { place: change.place, tokens: 1, moved: Some(s) }];
                        list.push((needs, gifts, index(t)));
                    }
                }
            }
        }
        let opening = list.len();
        for (i, (place, _)) in net.open.iter().enumerate() {
            let gift = Gift { place: *place, tokens: 1, moved: None };
            list.push((Vec::new(), vec![gift], index(net.transitions() + i)));
        }
        let asked = list.iter().enumerate();
        let asked = asked.flat_map(|(op, (needs, ..))| needs.iter().map(move |n| (n.place, (n.least, index(op)))));
        Self {
            asked: Rows::sorted(net.places(), asked.collect()),
            takers: Rows::sorted(net.places(), takers),
            does: list.iter().map(|(_, _, does)| *does).collect(),
            needs: Rows::in_order(list.iter().map(|(needs, ..)| needs.clone())),
            gifts: Rows::in_order(list.iter().map(|(_, gifts, _)| gifts.clone())),
            opening,
        }
    }

    /// Number of operations.
    pub(crate) fn len(&self) -> usize {
        self.does.len()
    }
}

fn need(guard: &crate::rules::Condition, changes: &[Change]) -> Need {
    let change = changes.iter().find(|c| c.place == guard.place);
    let takes = match change {
        None => 0,
        Some(c) if c.sources.is_none() => c.add.min(0).unsigned_abs(),
        Some(_) => guard.least,
    };
    Need { place: guard.place, least: guard.least, takes }
}

fn index(n: usize) -> u32 {
    u32::try_from(n).expect("model limits keep nets below 2^32 arcs")
}
