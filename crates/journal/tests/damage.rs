//! Damaged files: every truncation is reported as torn, and every flipped bit as damage.

use impasse_journal::log::{Reader, Writer};
use impasse_journal::{Wrong, manifest};
use std::fs;
use std::path::Path;

const RECORDS: [&[u8]; 4] = [b"one", b"", b"three records and more", &[0; 100]];

fn write(path: &Path) -> Vec<u64> {
    let mut writer = Writer::create(path).unwrap();
    let mut ends = vec![writer.sync().unwrap()];
    for record in RECORDS {
        writer.append(record).unwrap();
        ends.push(writer.sync().unwrap());
    }
    ends
}

/// Reads whole records until the first damage. Returns their number.
fn read(path: &Path) -> (usize, Option<Wrong>) {
    let mut reader = match Reader::open(path) {
        Ok(reader) => reader,
        Err(damage) => return (0, Some(damage.what)),
    };
    let (mut data, mut count) = (Vec::new(), 0);
    loop {
        match reader.next(&mut data) {
            Ok(true) => assert_eq!(data, RECORDS[count]),
            Ok(false) => return (count, None),
            Err(damage) => {
                assert!(data.is_empty() && reader.next(&mut data).is_err(), "damage stays");
                return (count, Some(damage.what));
            }
        }
        count += 1;
    }
}

#[test]
fn a_truncated_log_has_its_whole_records() {
    let dir = tempfile::tempdir().unwrap();
    let (path, cut) = (dir.path().join("log"), dir.path().join("cut"));
    let ends = write(&path);
    let bytes = fs::read(&path).unwrap();
    assert_eq!(*ends.last().unwrap(), bytes.len() as u64);
    for length in 0..=bytes.len() {
        fs::write(&cut, &bytes[..length]).unwrap();
        let whole = ends.iter().filter(|end| **end <= length as u64).count().saturating_sub(1);
        let (count, wrong) = read(&cut);
        assert_eq!(count, whole, "{length} bytes");
        match ends.contains(&(length as u64)) {
            true => assert!(wrong.is_none()),
            false => assert!(matches!(wrong, Some(Wrong::Torn | Wrong::Header)), "{length}: {wrong:?}"),
        }
    }
}

#[test]
fn a_flipped_bit_is_damage() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    let ends = write(&path);
    let bytes = fs::read(&path).unwrap();
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &flipped).unwrap();
        let (count, wrong) = read(&path);
        let before = ends.iter().filter(|end| **end <= bit as u64 / 8).count().saturating_sub(1);
        assert!(wrong.is_some() && count <= before, "bit {bit}: {count} records");
    }
}

#[test]
fn a_repeated_record_is_damage() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    let ends = write(&path);
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend_from_within(ends[0] as usize..ends[1] as usize);
    fs::write(&path, bytes).unwrap();
    let (count, wrong) = read(&path);
    assert_eq!(count, RECORDS.len());
    assert!(matches!(wrong, Some(Wrong::Checksum)));
}

#[test]
fn a_resumed_log_continues_after_the_given_record() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    let ends = write(&path);
    fs::write(&path, [&fs::read(&path).unwrap()[..], b"torn"].concat()).unwrap();
    let mut writer = Writer::resume(&path, ends[2]).unwrap();
    for record in &RECORDS[2..] {
        writer.append(record).unwrap();
    }
    assert_eq!(writer.sync().unwrap(), ends[4]);
    assert!(matches!(read(&path), (4, None)));
    assert!(Writer::resume(&path, ends[4] + 1).is_err(), "it has fewer bytes");
}

#[test]
fn a_manifest_is_replaced_as_a_whole() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("manifest");
    assert!(manifest::read(&path).is_err());
    manifest::replace(&path, b"old").unwrap();
    fs::write(dir.path().join("manifest.new"), b"a process died here").unwrap();
    assert_eq!(manifest::read(&path).unwrap(), b"old");
    manifest::replace(&path, b"new").unwrap();
    assert_eq!(manifest::read(&path).unwrap(), b"new");
}
