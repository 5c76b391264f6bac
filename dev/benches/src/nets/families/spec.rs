//! Texts of nets under construction, in the format `.spec`.

use std::fmt::Write;

/// A net and its targets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spec {
    places: String,
    rules: String,
    initial: String,
    targets: String,
}

impl Spec {
    /// Adds a place. `initial` is written as in `= 1`, `>= 1`.
    pub(crate) fn place(&mut self, name: &str, initial: &str) {
        let _ = writeln!(self.places, "  {name}");
        let comma = if self.initial.is_empty() { "" } else { ",\n" };
        let _ = write!(self.initial, "{comma}  {name} {initial}");
    }

    /// Adds a rule with the given texts.
    pub(crate) fn rule(&mut self, guards: &str, updates: &str) {
        let _ = writeln!(self.rules, "  {guards} -> {updates};");
    }

    /// Adds a rule that takes and puts tokens. A place may be in both lists.
    pub(crate) fn arcs(&mut self, takes: &[(&str, u64)], puts: &[(&str, u64)]) {
        let guards: Vec<String> = takes.iter().map(|(p, n)| format!("{p} >= {n}")).collect();
        let put = |place: &str| puts.iter().filter(|(p, _)| *p == place).map(|(_, n)| n).sum::<u64>();
        let mut updates = Vec::new();
        for (p, taken) in takes {
            match (put(p), *taken) {
                (new, old) if new < old => updates.push(format!("{p}' = {p} - {}", old - new)),
                (new, old) if new > old => updates.push(format!("{p}' = {p} + {}", new - old)),
                _ => {}
            }
        }
        let fresh = puts.iter().filter(|(p, _)| takes.iter().all(|(q, _)| q != p));
        updates.extend(fresh.map(|(p, n)| format!("{p}' = {p} + {n}")));
        let guards = if guards.is_empty() { "true".to_owned() } else { guards.join(", ") };
        self.rule(&guards, &updates.join(", "));
    }

    /// Adds a target: the required number of tokens for each place.
    pub(crate) fn target(&mut self, tokens: &[(&str, u64)]) {
        let atoms: Vec<String> = tokens.iter().map(|(p, n)| format!("{p} >= {n}")).collect();
        let _ = writeln!(self.targets, "  {}", atoms.join(", "));
    }

    pub(crate) fn text(&self) -> String {
        format!("vars\n{}rules\n{}init\n{}\ntarget\n{}", self.places, self.rules, self.initial, self.targets)
    }
}
