//! Limits name the thread, the variable and its range.

use crate::tool::{run_with, stdout};

/// The search with known values ends after 65,536 states.
#[test]
fn a_counter_of_a_million_values_is_named() {
    let text = "rwb 2 event tick check bad thread C { var n: 0..1000000 body { loop { request tick  n = n + 1 } } }";
    let args = ["check", "-", "--input-format", "rwb", "--engine", "explicit"];
    let said = stdout(&run_with(&args, text.as_bytes()));
    let grown = "What grew: thread `C`: variable `n` (0..1000000) took 65,536 values so far.";
    assert!(said.contains("explicit has nothing left to try") && said.contains(grown), "{said}");
    let said = stdout(&run_with(&[&args[..], &["--format", "json"]].concat(), text.as_bytes()));
    let grown = r#""grown":{"thread":"C","variable":"n","range":[0,999999],"values":65536}"#;
    assert!(said.contains(grown), "{said}");
}
