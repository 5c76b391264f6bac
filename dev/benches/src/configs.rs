//! The measured configurations, one row each.

/// The counts that a configuration must reproduce.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counts {
    /// It explores all states: states and transitions equal those of `expected.csv`.
    Whole,
    /// It proves safety only by visiting every state: on safe programs the states equal those of
    /// `expected.csv`.
    StatesIfSafe,
    /// It may visit fewer states.
    Free,
    /// It may count states of a thread abstraction, which are not states of the program.
    Elsewhere,
}

/// A way to run the tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Config {
    pub(crate) name: &'static str,
    pub(crate) engine: &'static str,
    /// Arguments of `impasse check`, besides the engine.
    pub(crate) args: &'static [&'static str],
    /// Programs with more states are left out by default.
    pub(crate) max_states: Option<u64>,
    pub(crate) counts: Counts,
    /// True if its traces have the shortest length.
    pub(crate) shortest: bool,
    /// True if patterns are on. Then lemmas must prove the safe programs of the [`LOOPED`] family.
    pub(crate) lemmas: bool,
}

pub(crate) const EXPLICIT: Config = Config {
    name: "explicit",
    engine: "explicit",
    args: &["--explore-all"],
    max_states: None,
    counts: Counts::Whole,
    shortest: true,
    lemmas: false,
};

/// Batches of adaptive size without patterns. It shows the cost of the search inside the SAT solver.
pub(crate) const DPLLT_PLAIN: Config = Config {
    name: "dpllt-plain",
    engine: "dpllt",
    args: &["--patterns", "none"],
    max_states: Some(200_000),
    counts: Counts::StatesIfSafe,
    shortest: false,
    lemmas: false,
};

/// One split per state without patterns, like the calculus in its plain form.
pub(crate) const DPLLT_BATCH_1: Config = Config {
    name: "dpllt-batch1",
    engine: "dpllt",
    args: &["--patterns", "none", "--batch", "1"],
    max_states: Some(20_000),
    counts: Counts::StatesIfSafe,
    shortest: false,
    lemmas: false,
};

pub(crate) const DPLLT: Config = Config {
    name: "dpllt",
    engine: "dpllt",
    args: &[],
    max_states: None,
    counts: Counts::Free,
    shortest: false,
    lemmas: true,
};

pub(crate) const AUTO: Config = Config {
    name: "auto",
    engine: "auto",
    args: &[],
    max_states: None,
    counts: Counts::Elsewhere,
    shortest: false,
    lemmas: false,
};

/// All configurations, in the order in which they take turns.
pub(crate) const ALL: &[Config] = &[EXPLICIT, DPLLT_PLAIN, DPLLT_BATCH_1, DPLLT, AUTO];

/// Prefix of the names of programs with threads in lockstep loops. With patterns on, lemmas about their clocks
/// alone must prove the safe ones. So the search may visit at most [`HANDFUL`] states, whatever the periods
/// are.
pub(crate) const LOOPED: &str = "loop_";

/// Greatest number of states that a proof by lemmas may visit.
pub(crate) const HANDFUL: u64 = 16;

impl Config {
    /// True if this configuration runs programs of this size. `limit` replaces its own limit if given.
    pub(crate) fn takes(&self, states: u64, limit: Option<u64>) -> bool {
        limit.or(self.max_states).is_none_or(|max| states <= max)
    }
}

/// Returns the configurations with these names and engines. An empty list of names or engines selects all.
///
/// # Errors
///
/// If a name is unknown.
pub(crate) fn choose(names: &[String], engines: &[String]) -> Result<Vec<Config>, String> {
    for (what, given, known) in [
        ("configuration", names, ALL.iter().map(|c| c.name).collect::<Vec<_>>()),
        ("engine", engines, ALL.iter().map(|c| c.engine).collect()),
    ] {
        if let Some(unknown) = given.iter().find(|g| !known.contains(&g.as_str())) {
            return Err(format!("there is no {what} `{unknown}`; choose from: {}", known.join(", ")));
        }
    }
    let wanted = |given: &[String], own: &str| given.is_empty() || given.iter().any(|g| g == own);
    Ok(ALL.iter().filter(|c| wanted(names, c.name) && wanted(engines, c.engine)).copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (i, config) in ALL.iter().enumerate() {
            assert!(ALL[..i].iter().all(|c| c.name != config.name), "{}", config.name);
        }
    }

    #[test]
    fn choices_are_by_name_and_by_engine() {
        let names = |names: &[&str], engines: &[&str]| {
            let owned = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
            choose(&owned(names), &owned(engines)).map(|c| c.iter().map(|c| c.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&[], &[]).map(|c| c.len()), Ok(ALL.len()));
        assert_eq!(names(&["auto", "explicit"], &[]), Ok(vec!["explicit", "auto"]));
        assert_eq!(names(&[], &["dpllt"]), Ok(vec!["dpllt-plain", "dpllt-batch1", "dpllt"]));
        assert!(names(&["explicite"], &[]).is_err());
        assert!(names(&[], &["dpllt-plain"]).is_err());
    }

    #[test]
    fn a_limit_replaces_the_configurations_own() {
        assert!(!DPLLT_BATCH_1.takes(20_001, None));
        assert!(DPLLT_BATCH_1.takes(20_001, Some(50_000)));
        assert!(!EXPLICIT.takes(50_001, Some(50_000)));
        assert!(EXPLICIT.takes(u64::MAX, None));
    }
}
