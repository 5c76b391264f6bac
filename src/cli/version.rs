//! What `--version` says: the version, the commit if the build knows it, and the features.

use std::sync::LazyLock;

/// The features of this build that add something to the command.
const FEATURES: [(&str, bool); 4] = [
    ("cluster", cfg!(feature = "cluster")),
    ("explore", cfg!(feature = "explore")),
    ("lsp", cfg!(feature = "lsp")),
    ("z3", cfg!(feature = "z3")),
];

static LONG: LazyLock<String> = LazyLock::new(made);

/// Returns the text, as in `0.2.0 (6f8505b3f1a2; with cluster, explore, lsp, z3)`.
pub(crate) fn long() -> &'static str {
    &LONG
}

fn made() -> String {
    let features: Vec<&str> = FEATURES.iter().filter(|(_, is_there)| *is_there).map(|(name, _)| *name).collect();
    let commit = option_env!("IMPASSE_COMMIT").map(str::to_owned);
    let with = (!features.is_empty()).then(|| format!("with {}", features.join(", ")));
    let parts: Vec<String> = commit.into_iter().chain(with).collect();
    let number = env!("CARGO_PKG_VERSION");
    if parts.is_empty() { number.to_owned() } else { format!("{number} ({})", parts.join("; ")) }
}
