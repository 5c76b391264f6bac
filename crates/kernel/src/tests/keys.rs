//! Tests of keys and tables of keys: they are exact, dense and limited.

use crate::Refusal;
use crate::closed::Change;
use crate::keys::{BuildMixer, Layout, mixed};
use crate::table::{BATCH, Refused, Table};
use crate::work::Work;
use model::Stop;
use std::collections::BTreeSet;
use std::hash::BuildHasher;

fn packed(layout: &Layout, state: &[u32]) -> Option<Vec<u64>> {
    let mut key = Vec::new();
    layout.pack(state, |word| key.push(word)).then_some(key)
}

#[test]
fn fields_are_exact_at_the_edges() {
    let layout = Layout::new(&[3, 1, 1 << 20, 7, 1 << 31, 2, 1 << 31, 5]);
    let last = (1 << 31) - 1;
    for state in [[0; 8], [2, 0, (1 << 20) - 1, 6, last, 1, last, 4], [1, 0, 77, 3, 5, 0, 6, 1]] {
        let key = packed(&layout, &state).expect("a state");
        let mut back = Vec::new();
        layout.unpack(&key, &mut back);
        assert_eq!(back, state);
        assert!((0..8).all(|slot| layout.slot(&key, slot) == state[slot]));
        assert_ne!(key[0], 0, "no key looks like a free place");
    }
}

#[test]
fn keys_are_as_short_as_their_fields_allow() {
    assert_eq!(Layout::new(&[]).words(), 1);
    assert_eq!(Layout::new(&[1 << 31, 1 << 31, 2, 1]).words(), 1);
    assert_eq!(Layout::new(&[1 << 31, 1 << 31, 3]).words(), 2);
    assert_eq!(Layout::new(&[2; 127]).words(), 3);
    assert_eq!(Layout::new(&[1 << 32, 1 << 31]).words(), 1);
}

#[test]
fn what_is_no_state_has_no_key() {
    let layout = Layout::new(&[3, 2]);
    for state in [&[3, 0][..], &[0, 2], &[0], &[0, 0, 0], &[u32::MAX, 0]] {
        assert!(packed(&layout, state).is_none(), "{state:?}");
    }
    for (slot, to, fits) in [(0, 2, true), (0, 3, false), (1, 1, true), (1, 2, false)] {
        let mut key = packed(&layout, &[0, 0]).unwrap();
        assert_eq!(layout.change(&mut key, &Change { slot, from: 0, to }), fits, "{to} in slot {slot}");
    }
}

#[test]
fn a_changed_key_is_the_key_of_the_changed_state() {
    let layout = Layout::new(&[5, 1 << 31, 9, 1 << 30]);
    let mut key = packed(&layout, &[4, 7, 8, 3]).unwrap();
    assert!(layout.change(&mut key, &Change { slot: 2, from: 8, to: 1 }));
    assert!(layout.change(&mut key, &Change { slot: 3, from: 3, to: (1 << 30) - 1 }));
    assert_eq!(packed(&layout, &[4, 7, 1, (1 << 30) - 1]), Some(key));
}

/// The table contains more keys than a batch, each of several words. It finds each of these keys and no other
/// key.
#[test]
fn wide_keys_are_told_apart() {
    let stop = Stop::default();
    let mut work = Work::new(1 << 20, &stop);
    let key = |k: u64| [1 << 63, k % 7, k, 5];
    let mut table = Table::new(700, 4, &work).unwrap();
    let keys: Vec<u64> = (0..700).collect();
    for batch in keys.chunks(BATCH) {
        let words: Vec<u64> = batch.iter().flat_map(|&k| key(k)).collect();
        assert_eq!(table.insert(&words, &mut work), Ok(Ok(())));
    }
    for first in (0..1400).step_by(10) {
        let words: Vec<u64> = (first..first + 10).flat_map(key).collect();
        let mut missing = Vec::new();
        table.look_up(&words, &mut work, |at| missing.push(first + at as u64)).unwrap();
        assert_eq!(missing, (first..first + 10).filter(|k| *k >= 700).collect::<Vec<_>>());
    }
    let mut table = Table::new(9, 4, &work).unwrap();
    let twice: Vec<u64> = [3, 1, 4, 1].into_iter().flat_map(key).collect();
    assert_eq!(table.insert(&twice, &mut work), Ok(Err(Refused::Known(3))));
}

#[test]
fn hashes_tell_keys_apart() {
    let of = |k: u64| BuildMixer::default().hash_one([k, 1]);
    let all: BTreeSet<u64> = (0..1000).map(of).collect();
    assert_eq!(all.len(), 1000);
    let mixed: BTreeSet<u64> = (0..1000).map(|k| mixed(&[k / 10, k % 10])).collect();
    assert_eq!(mixed.len(), 1000);
}

/// A key that occurs twice in one batch is detected.
#[test]
fn a_batch_knows_its_own_keys() {
    let stop = Stop::default();
    let mut work = Work::new(10_000, &stop);
    let mut table = Table::new(9, 1, &work).unwrap();
    assert_eq!(table.insert(&[1, 2, 3, 2], &mut work), Ok(Err(Refused::Known(3))));
}

/// Keys added one by one: the table says which of them are new, until it is full.
#[test]
fn keys_are_added_one_by_one() {
    let stop = Stop::default();
    let mut work = Work::new(10_000, &stop);
    let mut table = Table::new(2, 1, &work).unwrap();
    let added: Vec<_> = [1, 2, 1, 3, 2].into_iter().map(|key| table.add(&[key], &mut work)).collect();
    assert_eq!(added, [Ok(true), Ok(true), Ok(false), Err(Refusal::ResourceLimit), Ok(false)]);
}

/// Dense keys, sparse keys, and keys in the order of their own hash: a search takes about one and a half probes
/// each, at two thirds full.
#[test]
fn keys_do_not_cluster() {
    let count = 60_000;
    let layout = Layout::new(&[1 << 20, 1 << 31]);
    let keys = |state: &dyn Fn(u32) -> [u32; 2]| -> Vec<Vec<u64>> {
        (0..count).map(|i| packed(&layout, &state(i)).expect("a state")).collect()
    };
    let mut hashed = keys(&|i| [i, 0]);
    hashed.sort_by_key(|key| mixed(key));
    let streams =
        [keys(&|i| [i, 0]), keys(&|i| [i % 16, (i / 16) << 15]), keys(&|i| [(i % 256) << 12, i >> 8]), hashed];
    for (number, stream) in streams.iter().enumerate() {
        let stop = Stop::default();
        let mut work = Work::new(5 * u64::from(count), &stop);
        let mut table = Table::new(stream.len(), 1, &work).expect("there is room");
        for batch in stream.chunks(BATCH) {
            assert_eq!(table.insert(&batch.concat(), &mut work), Ok(Ok(())), "stream {number} clusters");
        }
        for batch in stream.chunks(BATCH) {
            let missing = |at| panic!("key {at} of a batch is missing");
            assert_eq!(table.look_up(&batch.concat(), &mut work, missing), Ok(()), "stream {number} clusters");
        }
    }
}

#[test]
fn a_table_knows_its_keys_and_its_limits() {
    let stop = Stop::default();
    let mut work = Work::new(10_000, &stop);
    let key = |k: u64| [1 << 63 | k, k / 2];
    let mut table = Table::new(3, 2, &work).unwrap();
    assert!(table.is_empty());
    assert_eq!(table.insert(&[key(5), key(0)].concat(), &mut work), Ok(Ok(())));
    assert_eq!(table.insert(&key(0), &mut work), Ok(Err(Refused::Known(0))));
    assert_eq!((table.has(&key(5), &mut work), table.has(&key(1), &mut work)), (Ok(true), Ok(false)));
    let mut missing = Vec::new();
    table.look_up(&[key(0), key(1), key(5), key(6)].concat(), &mut work, |at| missing.push(at)).unwrap();
    assert_eq!(missing, [1, 3]);
    assert_eq!(table.insert(&[key(9), key(7)].concat(), &mut work), Ok(Err(Refused::Full)));
    assert_eq!((table.len(), table.is_empty(), table.taken().count()), (3, false, 3));
    let mut found: Vec<u64> = table.taken().map(|place| table.key(place)[0] & !(1 << 63)).collect();
    found.sort_unstable();
    assert_eq!(found, [0, 5, 9]);
    for k in 10..200 {
        assert_eq!(table.has(&key(k), &mut work), Ok(false), "a full table still answers");
    }
}
