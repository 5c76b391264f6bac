//! Arbitrarily many processes with transfers, resets and zero tests: cache coherence, readers and writers,
//! barriers, modes. Each net exists in a right version and in a version in which an essential part is left out.

use super::{Case, Spec};
use crate::corpus::Verdict::{Safe, Unsafe};

/// Creates a net of a given size. If the flag is set, an essential part is left out.
type Make = fn(u64, bool) -> Spec;

pub(crate) fn cases() -> Vec<Case> {
    let kinds: [(&str, Make, &[u64]); 5] = [
        ("msi", msi, &[1, 4, 16]),
        ("mesi", mesi, &[1, 4, 16]),
        ("readers-writers", readers_writers, &[1, 10, 100]),
        ("barrier", barrier, &[2, 10, 50]),
        ("modes", modes, &[2, 10, 100]),
    ];
    let mut cases = Vec::new();
    for (name, make, sizes) in kinds {
        for &size in sizes {
            for (broken, verdict) in [(false, Safe), (true, Unsafe)] {
                cases.push(Case::net("processes", &format!("{name} {size}"), verdict, move || make(size, broken)));
            }
        }
    }
    cases
}

/// Returns a net of `lines` cache lines, which a bus serves in turn. `rules` returns the rules of one line, in
/// which `X@` stands for its place X.
fn on_a_bus(
    lines: u64,
    states: &[&str],
    rules: &dyn Fn(bool) -> Vec<(&'static str, &'static str)>,
    broken: bool,
) -> Spec {
    let mut spec = Spec::default();
    for l in 0..lines {
        spec.place(&format!("bus{l}"), if l == 0 { "= 1" } else { "= 0" });
        for (i, state) in states.iter().enumerate() {
            spec.place(&format!("{state}{l}"), if i == 0 { ">= 1" } else { "= 0" });
        }
    }
    for l in 0..lines {
        let own = |text: &str| text.replace('@', &l.to_string());
        for (guards, updates) in rules(broken && l == lines - 1) {
            spec.rule(&own(&format!("bus@ >= 1, {guards}")), &own(updates));
        }
        if lines > 1 {
            spec.arcs(&[(&format!("bus{l}"), 1)], &[(&format!("bus{}", (l + 1) % lines), 1)]);
        }
    }
    let l = lines - 1;
    spec.target(&[(&format!("m{l}"), 2)]);
    spec.target(&[(&format!("m{l}"), 1), (&format!("s{l}"), 1)]);
    spec
}

fn msi(lines: u64, broken: bool) -> Spec {
    let rules = |broken| {
        vec![
            ("i@ >= 1", "i@' = i@ - 1, s@' = s@ + m@ + 1, m@' = 0"),
            ("i@ >= 1", "i@' = i@ + s@ + m@ - 1, s@' = 0, m@' = 1"),
            if broken {
                ("s@ >= 1", "s@' = s@ - 1, m@' = m@ + 1")
            } else {
                ("s@ >= 1", "i@' = i@ + s@ + m@ - 1, s@' = 0, m@' = 1")
            },
            ("s@ >= 1", "s@' = s@ - 1, i@' = i@ + 1"),
            ("m@ >= 1", "m@' = m@ - 1, i@' = i@ + 1"),
        ]
    };
    on_a_bus(lines, &["i", "s", "m"], &rules, broken)
}

fn mesi(lines: u64, broken: bool) -> Spec {
    let rules = |broken| {
        vec![
            if broken {
                ("i@ >= 1, e@ = 0, m@ = 0", "i@' = i@ - 1, e@' = e@ + 1")
            } else {
                ("i@ >= 1, s@ = 0, e@ = 0, m@ = 0", "i@' = i@ - 1, e@' = e@ + 1")
            },
            ("i@ >= 1, s@ >= 1", "i@' = i@ - 1, s@' = s@ + e@ + m@ + 1, e@' = 0, m@' = 0"),
            ("i@ >= 1, e@ >= 1", "i@' = i@ - 1, s@' = s@ + e@ + m@ + 1, e@' = 0, m@' = 0"),
            ("i@ >= 1, m@ >= 1", "i@' = i@ - 1, s@' = s@ + e@ + m@ + 1, e@' = 0, m@' = 0"),
            ("e@ >= 1", "e@' = e@ - 1, m@' = m@ + 1"),
            ("s@ >= 1", "i@' = i@ + s@ + e@ + m@ - 1, s@' = 0, e@' = 0, m@' = 1"),
            ("i@ >= 1", "i@' = i@ + s@ + e@ + m@ - 1, s@' = 0, e@' = 0, m@' = 1"),
            ("s@ >= 1", "s@' = s@ - 1, i@' = i@ + 1"),
            ("e@ >= 1", "e@' = e@ - 1, i@' = i@ + 1"),
            ("m@ >= 1", "m@' = m@ - 1, i@' = i@ + 1"),
        ]
    };
    on_a_bus(lines, &["i", "s", "e", "m"], &rules, broken)
}

/// Processes pass through a sequence of rooms. Each room has one shared record. A writer sends all current
/// readers of its record back.
fn readers_writers(rooms: u64, broken: bool) -> Spec {
    let mut spec = Spec::default();
    for j in 0..=rooms {
        spec.place(&format!("hall{j}"), if j == 0 { ">= 1" } else { "= 0" });
    }
    for j in 0..rooms {
        for (state, initial) in [("lock", "= 1"), ("r", "= 0"), ("w", "= 0")] {
            spec.place(&format!("{state}{j}"), initial);
        }
        let own = |text: &str| text.replace('+', &format!("{}", j + 1)).replace('@', &j.to_string()).replace('&', "+");
        let mut rule = |guards: &str, updates: &str| spec.rule(&own(guards), &own(updates));
        rule("lock@ >= 1, hall@ >= 1", "hall@' = hall@ - 1, r@' = r@ & 1");
        if broken && j == rooms - 1 {
            rule("lock@ >= 1, hall@ >= 1", "hall@' = hall@ - 1, lock@' = lock@ - 1, w@' = w@ & 1");
        } else {
            rule("lock@ >= 1, hall@ >= 1", "hall@' = hall@ & r@ - 1, r@' = 0, lock@' = lock@ - 1, w@' = w@ & 1");
        }
        rule("r@ >= 1", "r@' = r@ - 1, hall+' = hall+ & 1");
        rule("w@ >= 1", "w@' = w@ - 1, lock@' = lock@ & 1, hall+' = hall+ & 1");
    }
    let j = rooms - 1;
    spec.target(&[(&format!("w{j}"), 2)]);
    spec.target(&[(&format!("w{j}"), 1), (&format!("r{j}"), 1)]);
    spec
}

/// No process works on the next phase before all processes have finished the current phase.
fn barrier(phases: u64, broken: bool) -> Spec {
    let mut spec = Spec::default();
    for i in 0..=phases {
        spec.place(&format!("gate{i}"), if i == 0 { "= 1" } else { "= 0" });
        spec.place(&format!("work{i}"), if i == 0 { ">= 1" } else { "= 0" });
        spec.place(&format!("wait{i}"), "= 0");
    }
    for i in 0..phases {
        let n = i + 1;
        spec.arcs(&[(&format!("work{i}"), 1)], &[(&format!("wait{i}"), 1)]);
        let test = if broken && n == phases { String::new() } else { format!(", work{i} = 0") };
        spec.rule(
            &format!("gate{i} >= 1{test}"),
            &format!("gate{i}' = gate{i} - 1, gate{n}' = gate{n} + 1, work{n}' = work{n} + wait{i}, wait{i}' = 0"),
        );
    }
    spec.target(&[(&format!("work{}", phases - 1), 1), (&format!("work{phases}"), 1)]);
    spec
}

/// Each mode fills a buffer without limit. A change of mode empties it.
fn modes(modes: u64, broken: bool) -> Spec {
    let mut spec = Spec::default();
    for i in 0..modes {
        spec.place(&format!("mode{i}"), if i == 0 { "= 1" } else { "= 0" });
        spec.place(&format!("buffer{i}"), "= 0");
    }
    for i in 0..modes {
        let (mode, buffer, next) = (format!("mode{i}"), format!("buffer{i}"), format!("mode{}", (i + 1) % modes));
        spec.arcs(&[(&mode, 1)], &[(&mode, 1), (&buffer, 1)]);
        let empties = if broken && i + 2 == modes { String::new() } else { format!(", {buffer}' = 0") };
        spec.rule(&format!("{mode} >= 1"), &format!("{mode}' = {mode} - 1, {next}' = {next} + 1{empties}"));
    }
    spec.target(&[(&format!("buffer{}", modes - 2), 1), (&format!("buffer{}", modes - 1), 1)]);
    spec
}
