//! The configurations that are measured. One row each; a new one is a row here.

/// Which counts a configuration must reproduce.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counts {
    /// It completes the space: states and transitions equal those of `expected.csv`.
    Whole,
    /// It can prove safety only by visiting every state: on safe programs the states equal those of `expected.csv`.
    StatesIfSafe,
    /// It may get away with less.
    Free,
    /// It may visit states of its own: of some of the threads, which are not all of the program's.
    Elsewhere,
}

/// A way to run the tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Config {
    pub(crate) name: &'static str,
    pub(crate) engine: &'static str,
    /// Arguments of `impasse check`, beside the engine.
    pub(crate) args: &'static [&'static str],
    /// Programs beyond this many states are left out unless asked for.
    pub(crate) max_states: Option<u64>,
    pub(crate) counts: Counts,
    /// Its traces are shortest ones.
    pub(crate) shortest: bool,
    /// Patterns are on: the safe ones of the [`LOOPED`] family must be proved by lemmas.
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

/// Regions of adaptive size, no pattern: what the search inside the SAT solver costs.
pub(crate) const DPLLT_PLAIN: Config = Config {
    name: "dpllt-plain",
    engine: "dpllt",
    args: &["--patterns", "none"],
    max_states: Some(200_000),
    counts: Counts::StatesIfSafe,
    shortest: false,
    lemmas: false,
};

/// A split per state, no pattern: the calculus as it stands on paper.
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

/// Every configuration, in the order in which they take turns.
pub(crate) const ALL: &[Config] = &[EXPLICIT, DPLLT_PLAIN, DPLLT_BATCH_1, DPLLT, AUTO];

/// How names of programs of threads in lockstep loops begin. With patterns on, lemmas about their clocks alone must prove
/// the safe ones, so the search may look at no more than [`HANDFUL`] states, whatever the periods.
pub(crate) const LOOPED: &str = "loop_";

/// How many states a proof by lemmas may visit.
pub(crate) const HANDFUL: u64 = 16;

impl Config {
    /// Whether this configuration is meant for programs of this size. `limit`, if given, replaces its own.
    pub(crate) fn takes(&self, states: u64, limit: Option<u64>) -> bool {
        limit.or(self.max_states).is_none_or(|max| states <= max)
    }
}

/// The configurations with these names and engines; all of a kind if none is named.
///
/// # Errors
/// A name that is none.
pub(crate) fn choose(names: &[String], engines: &[String]) -> Result<Vec<Config>, String> {
    for (what, given, known) in [
        ("configuration", names, ALL.iter().map(|c| c.name).collect::<Vec<_>>()),
        ("engine", engines, ALL.iter().map(|c| c.engine).collect()),
    ] {
        if let Some(unknown) = given.iter().find(|g| !known.contains(&g.as_str())) {
            return Err(format!("no {what} is called `{unknown}`; there are: {}", known.join(", ")));
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
