//! Temporary files come back as they were written, stay within their limit, and notice damage.

use super::*;

fn scratch(limit: u64) -> (tempfile::TempDir, Scratch) {
    let dir = tempfile::tempdir().unwrap();
    let scratch = Scratch::new(&dir.path().join("deep/er"), limit).unwrap();
    (dir, scratch)
}

#[test]
fn blocks_are_read_in_any_order() {
    let (_dir, scratch) = scratch(10_000_000);
    let blocks: Vec<Vec<u8>> = (0..200usize).map(|i| vec![i as u8; i * i]).collect();
    let mut writer = scratch.create().unwrap();
    let places: Vec<u64> = blocks.iter().map(|block| writer.append(block).unwrap()).collect();
    let file = writer.finish().unwrap();
    let mut data = Vec::new();
    for (i, block) in blocks.iter().enumerate().rev() {
        let next = file.read(places[i], &mut data).unwrap();
        assert_eq!(&data, block);
        assert_eq!(next, places.get(i + 1).copied().unwrap_or(file.length()));
    }
    for at in [file.length(), file.length() - 1, u64::MAX, places[3] + 1] {
        assert!(matches!(file.read(at, &mut data), Err(ScratchError::Damaged { .. })), "byte {at}");
        assert!(data.is_empty());
    }
}

#[test]
fn the_limit_is_kept_and_space_is_given_back() {
    let (_dir, scratch) = scratch(1000);
    let mut first = scratch.create().unwrap();
    first.append(&[1; 588]).unwrap();
    let mut second = scratch.create().unwrap();
    assert!(matches!(second.append(&[2; 389]), Err(ScratchError::Limit(1000))));
    second.append(&[2; 388]).unwrap();
    assert!(matches!(first.append(&[]), Err(ScratchError::Limit(1000))));
    assert_eq!(scratch.used(), 1000);
    drop(first.finish().unwrap());
    assert_eq!(scratch.used(), 400);
    drop(second);
    assert_eq!((scratch.used(), scratch.peak()), (0, 1000));
}

#[test]
fn a_file_can_be_read_while_it_grows() {
    let (_dir, scratch) = scratch(1000);
    let mut writer = scratch.create().unwrap();
    let first = writer.append(b"first").unwrap();
    let early = writer.so_far().unwrap();
    let second = writer.append(b"second").unwrap();
    let late = writer.so_far().unwrap();
    let mut data = Vec::new();
    assert!(early.read(second, &mut data).is_err(), "it is not a block of this reader");
    late.read(second, &mut data).unwrap();
    assert_eq!(data, b"second");
    drop((writer, late));
    early.read(first, &mut data).unwrap();
    assert_eq!((&*data, scratch.used()), (&b"first"[..], 35));
    drop(early);
    assert_eq!(scratch.used(), 0);
}

#[test]
fn no_file_has_a_name_and_old_names_are_removed() {
    let (dir, scratch) = scratch(1000);
    let dir = dir.path().join("deep/er");
    let mut writer = scratch.create().unwrap();
    writer.append(b"data").unwrap();
    let names = || fs::read_dir(&dir).unwrap().map(|e| e.unwrap().file_name()).collect::<Vec<_>>();
    assert_eq!(names().len(), 0);
    fs::write(dir.join(format!("{PREFIX}1-1")), b"left by a process that was killed").unwrap();
    fs::write(dir.join("notes"), b"a file of the user").unwrap();
    Scratch::new(&dir, 1000).unwrap();
    assert_eq!(names(), ["notes"]);
    let file = writer.finish().unwrap();
    assert_eq!(file.read(0, &mut Vec::new()).unwrap(), 16, "the file is still there");
}

#[test]
fn each_changed_bit_is_noticed() {
    let (_dir, scratch) = scratch(1000);
    let mut writer = scratch.create().unwrap();
    let places = [&b"first"[..], b"", b"second"].map(|block| writer.append(block).unwrap());
    let file = writer.finish().unwrap();
    let length = usize::try_from(file.length()).unwrap();
    let mut bytes = vec![0; length];
    file.read_at(&mut bytes, 0).unwrap();
    let mut data = Vec::new();
    for bit in 0..8 * length {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let mut writer = scratch.create().unwrap();
        writer.buffer = damaged;
        scratch.reserve(file.length()).unwrap();
        writer.opened.length.store(file.length(), Ordering::Relaxed);
        let copy = writer.finish().unwrap();
        let refused = places.iter().filter(|&&at| copy.read(at, &mut data).is_err()).count();
        assert_eq!(refused, 1, "bit {bit}");
    }
}

#[test]
fn a_file_in_the_place_of_the_directory_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    fs::write(&path, b"").unwrap();
    assert!(matches!(Scratch::new(&path, 1), Err(ScratchError::Io { .. })));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_has_an_error_of_its_own() {
    let (_dir, scratch) = scratch(1000);
    let mut writer = scratch.create().unwrap();
    let file = OpenOptions::new().write(true).open("/dev/full").unwrap();
    writer.opened = Arc::new(Opened { scratch: scratch.clone(), file, length: 0.into() });
    writer.append(b"data").unwrap();
    assert!(matches!(writer.finish(), Err(ScratchError::DiskFull(_))));
}
