//! Comparison of the table of engines with `docs/engines.md`, which is generated from it.

use crate::tool::root;
use impasse::{Family, Row, Setting, engines};
use std::fmt::Write;
use std::fs;

/// The text before the table.
const HEAD: &str = "\
# Engines

`--engine NAME` chooses an engine. Without it, several engines take turns: those with the kind of system \
in the column `auto`.
This page is written from the table of engines (`crates/portfolio/src/engines.rs`); \
`INSTA_UPDATE=always cargo test engines` renews it.

| engine | for | proves | finds violations | in `auto` | own options | what it does |
|---|---|---|---|---|---|---|
";

fn option(setting: Setting) -> &'static str {
    match setting {
        Setting::ExploreAll => "`--explore-all`",
        Setting::Batch => "`--batch`",
        Setting::Seed => "`--seed`",
        Setting::Invariants => "`--invariants`",
        Setting::NoInvariants => "`--patterns none`",
        Setting::Bound => "`--bound`",
        Setting::Jobs => "`--jobs`",
        Setting::Disk => "`--disk`",
        Setting::Lossy => "`--lossy`",
    }
}

fn line(row: &Row) -> String {
    let yes = |is: bool| if is { "yes" } else { "" };
    let families = row.families();
    let in_auto = families.iter().filter(|family| row.is_in_auto(**family));
    let join = |words: Vec<&str>| words.join(", ");
    format!(
        "| `{}` | {} | {} | {} | {} | {} | {}. {} |",
        row.name,
        join(families.iter().map(|family| family.plural()).collect()),
        yes(row.proves),
        yes(row.refutes),
        join(in_auto.map(|family| family.plural()).collect()),
        join(row.settings.iter().map(|setting| option(*setting)).collect()),
        row.title,
        row.about,
    )
}

#[test]
fn the_page_of_engines_is_the_table() {
    let mut text = HEAD.to_owned();
    engines::ALL.iter().for_each(|row| writeln!(text, "{}", line(row)).expect("text"));
    let path = root().join("docs/engines.md");
    if std::env::var("INSTA_UPDATE").as_deref() == Ok("always") {
        fs::write(&path, &text).expect("it can be written");
    }
    assert_eq!(fs::read_to_string(&path).unwrap_or_default(), text, "docs/engines.md is not the table of engines");
}

/// Every kind of system has an engine in `auto`. Otherwise systems of this kind could not be checked without
/// `--engine`.
#[test]
fn every_family_has_engines_in_auto() {
    for family in Family::ALL {
        assert!(engines::ALL.iter().any(|row| row.is_in_auto(family)), "{family:?}");
    }
}
