//! Runs and merges against sorted sets, and damaged files.

use super::Disk;
use super::merge::Merge;
use super::run::{Cursor, Run, RunWriter};
use journal::scratch::{Scratch, ScratchError};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use tempfile::TempDir;

type Key = Vec<u64>;

fn disk(block: usize) -> (TempDir, Disk) {
    let dir = tempfile::tempdir().unwrap();
    let scratch = Scratch::new(dir.path(), u64::MAX).unwrap();
    (dir, Disk { scratch, memory: 1000, block })
}

fn run(disk: &Disk, words: usize, keys: &BTreeSet<Key>) -> Arc<Run> {
    let mut writer = RunWriter::new(disk, words).unwrap();
    keys.iter().for_each(|key| writer.push(key).unwrap());
    Arc::new(writer.finish().unwrap())
}

fn rest(cursor: &mut Cursor, words: usize) -> Result<Vec<Key>, ScratchError> {
    let mut all = Vec::new();
    loop {
        let window = cursor.window()?;
        if window.is_empty() {
            return Ok(all);
        }
        all.extend(window.chunks(words).map(<[u64]>::to_vec));
        let count = window.len() / words;
        cursor.skip(count);
    }
}

/// Sets of keys with many common ones, with near and far neighbours.
fn sets(words: usize) -> impl Strategy<Value = Vec<BTreeSet<Key>>> {
    let word = prop_oneof![4 => 0..3u64, 4 => 0..1000u64, 1 => any::<u64>(), 1 => Just(u64::MAX)];
    let key = proptest::collection::vec(word, words);
    proptest::collection::vec(proptest::collection::btree_set(key, 0..150), 0..6)
}

fn any_sets() -> impl Strategy<Value = (usize, Vec<BTreeSet<Key>>)> {
    (1..11usize).prop_flat_map(|words| sets(words).prop_map(move |sets| (words, sets)))
}

proptest! {
    #![proptest_config(testkit::config(500))]

    #[test]
    fn a_run_has_the_keys_written((words, sets) in any_sets(), block in 1..200usize) {
        let (_dir, disk) = disk(block);
        for set in sets {
            let run = run(&disk, words, &set);
            prop_assert_eq!(run.len(), set.len() as u64);
            let read = rest(&mut Cursor::new(run), words).unwrap();
            prop_assert!(read.iter().eq(&set));
        }
    }

    /// Keys are removed in portions, as a merge does it.
    #[test]
    fn keys_of_a_run_are_removed((words, sets) in any_sets(), block in 1..200usize, portion in 1..50usize) {
        let (_dir, disk) = disk(block);
        let [keys, others, ..] = &sets[..] else { return Ok(()) };
        let mut cursor = Cursor::new(run(&disk, words, others));
        let all: Vec<&Key> = keys.iter().collect();
        let mut left = Vec::new();
        for portion in all.chunks(portion) {
            let mut flat: Vec<u64> = portion.iter().copied().flatten().copied().collect();
            cursor.remove_from(&mut flat).unwrap();
            left.extend(flat.chunks(words).map(<[u64]>::to_vec));
        }
        prop_assert!(left.iter().eq(keys.difference(others)));
    }

    /// A merge is a union of sets without the members of other sets.
    #[test]
    fn a_merge_is_a_union_without((words, sets) in any_sets(), block in 1..200usize, with in 0..5usize) {
        let (_dir, disk) = disk(block);
        let Some((memory, sets)) = sets.split_last() else { return Ok(()) };
        let (with, without) = sets.split_at(with.min(sets.len()));
        let cursors = |sets: &[BTreeSet<Key>]| sets.iter().map(|set| Cursor::new(run(&disk, words, set))).collect();
        let flat = memory.iter().flatten().copied().collect();
        let mut merge = Merge::new(words, cursors(with), flat, cursors(without));
        let mut merged = Vec::new();
        while let Some(keys) = merge.next().unwrap() {
            merged.extend(keys.chunks(words).map(<[u64]>::to_vec));
        }
        let mut expected: BTreeSet<&Key> = with.iter().flatten().chain(memory).collect();
        expected.retain(|key| !without.iter().any(|set| set.contains(*key)));
        prop_assert!(merged.iter().eq(expected));
    }
}

/// Runs of one file do not disturb each other, and each ends where the next one begins.
#[test]
fn runs_share_a_file() {
    let (_dir, disk) = disk(30);
    let mut file = disk.scratch.create().unwrap();
    let mut runs = Vec::new();
    for n in 0..20u64 {
        let mut writer = RunWriter::append(file, 1, disk.block);
        (0..n * n).for_each(|key| writer.push(&[key * n]).unwrap());
        let (run, after) = writer.end().unwrap();
        runs.push(Arc::new(run));
        file = after;
    }
    for (n, run) in (0..20u64).zip(runs) {
        let expected: Vec<Key> = (0..n * n).map(|key| vec![key * n]).collect();
        assert_eq!(rest(&mut Cursor::new(run), 1).unwrap(), expected);
    }
}

/// Neighbours take a byte each, and two if a key has several words.
#[test]
fn neighbours_take_a_byte() {
    let (_dir, disk) = disk(super::BLOCK);
    for words in 1..4usize {
        let before = disk.scratch.used();
        let mut writer = RunWriter::new(&disk, words).unwrap();
        let mut key = vec![7; words];
        for n in 0..100_000u64 {
            key[words - 1] = n * 100;
            writer.push(&key).unwrap();
        }
        let run = writer.finish().unwrap();
        let bytes = (disk.scratch.used() - before) as f64 / run.len() as f64;
        assert!(bytes < words.min(2) as f64 + 0.01, "{words} words: {bytes} bytes");
    }
}
