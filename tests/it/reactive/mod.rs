//! Random reactive programs and formulas, checked by every engine against brute force.

pub(crate) mod compare;
pub(crate) mod gcc;

/// Number of programs. It suffices for some dozens of every kind of statement with every outcome, and takes
/// seconds.
#[cfg(test)]
const PROGRAMS: u64 = 1_000;

#[test]
fn engines_agree_with_brute_force() {
    let mut tally = compare::Tally::default();
    for seed in 0..testkit::count(PROGRAMS) {
        if let Err(wrong) = compare::compare(seed, &mut tally) {
            panic!("seed {seed}: {wrong}");
        }
    }
    if !testkit::are_full() {
        return;
    }
    // The generator must make all kinds of programs.
    assert!(tally.skipped * 4 < PROGRAMS, "{tally:?}");
    assert!(tally.reachable * 20 > PROGRAMS && tally.unreachable * 20 > PROGRAMS, "{tally:?}");
    assert!(tally.violated * 20 > PROGRAMS && tally.hold * 20 > PROGRAMS, "{tally:?}");
    assert!(tally.shown_by_cells > 20, "{tally:?}");
}

/// The compiled programs behave as we predict, call by call.
#[test]
fn gcc_agrees() {
    if !gcc::is_there() {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), b"skipped: no gcc for x86-64\n");
        return;
    }
    let mut tally = gcc::Tally::default();
    let together = testkit::count(gcc::TOGETHER);
    for batch in 0..5 {
        if let Err(wrong) = gcc::compare(batch * gcc::TOGETHER, together, &mut tally) {
            panic!("batch {batch}: {wrong}");
        }
    }
    if !testkit::are_full() {
        return;
    }
    // Every kind of outcome occurred.
    let refused: u64 = tally.refused.values().sum();
    assert!(refused * 4 < tally.programs, "{tally:?}");
    let met = [tally.outputs, tally.unspelt, tally.invalid, tally.errors, tally.crashes, tally.undefined];
    assert!(met.iter().all(|&met| met >= 20) && tally.safe > 20 && tally.unsafes > 20, "{tally:?}");
}
