//! Comparison of each member's manifest with the table `Allowed dependencies` in `ARCHITECTURE.md`.

use crate::tool::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;
use toml::{Table, Value};

/// For each member, by its short name in `[workspace.dependencies]`: the members on which it may depend.
type Allowed = BTreeMap<String, BTreeSet<String>>;

fn manifest(dir: &str) -> Table {
    let path = root().join(dir).join("Cargo.toml");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.parse().unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Returns the short name of each workspace member, by its path: `theories/ts` is `ts`.
fn short_names() -> BTreeMap<String, String> {
    let workspace = manifest("");
    let known = workspace["workspace"]["dependencies"].as_table().expect("a table");
    let paths = known.iter().filter_map(|(name, d)| Some((d.get("path")?.as_str()?.to_owned(), name.clone())));
    let mut names: BTreeMap<String, String> = paths.collect();
    names.insert(".".to_owned(), "impasse".to_owned());
    for programs in ["dev/benches", "apps/python", "dev/differential"] {
        names.insert(programs.to_owned(), programs.rsplit('/').next().expect("a name").to_owned());
    }
    names
}

/// Reads the table: lines `a, b -> c, d` in the code block below the heading `Allowed dependencies`.
fn table() -> Allowed {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the page is there");
    let (_, after) = page.split_once("## Allowed dependencies").expect("the table is there");
    let block = after.split("```").nth(1).expect("the table is a code block");
    let mut allowed = Allowed::new();
    for line in block.lines().skip(1).filter(|l| !l.trim().is_empty()) {
        let (users, used) = line.split_once("->").unwrap_or_else(|| panic!("not `a -> b`: {line}"));
        let list = |text: &str| {
            text.split(',').map(|n| n.trim().to_owned()).filter(|n| n != "nothing").collect::<BTreeSet<_>>()
        };
        for user in list(users) {
            assert!(allowed.insert(user.clone(), list(used)).is_none(), "`{user}` has two lines");
        }
    }
    allowed
}

fn dependencies(manifest: &Table, section: &str) -> BTreeSet<String> {
    manifest.get(section).and_then(Value::as_table).map(|t| t.keys().cloned().collect()).unwrap_or_default()
}

#[test]
fn manifests_keep_to_the_table() {
    let names = short_names();
    let members: BTreeSet<String> = names.values().cloned().collect();
    let allowed = table();
    for (path, name) in &names {
        let manifest = manifest(path);
        let may = allowed.get(name).unwrap_or_else(|| panic!("`{name}` is not in the table"));
        let everything = may.contains("everything");
        let mut uses = dependencies(&manifest, "dependencies");
        uses.extend(dependencies(&manifest, "build-dependencies"));
        if name != "impasse" {
            // Tests that need several crates are in tests/it. All members may use `testkit`, and `readers` may
            // use `evidence`, because files of evidence are tested with the other formats.
            let is_for_tests = |used: &String| used == "testkit" || (name == "readers" && used == "evidence");
            uses.extend(dependencies(&manifest, "dev-dependencies").into_iter().filter(|used| !is_for_tests(used)));
        }
        for used in uses.intersection(&members) {
            assert!(everything || may.contains(used), "`{name}` uses `{used}`, which the table does not allow");
        }
        let knows_z3 = dependencies(&manifest, "dependencies").contains("z3");
        assert!(!knows_z3 || name == "side", "only theories/side knows Z3, but `{name}` depends on it");
    }
    let unknown: Vec<&String> = allowed.keys().filter(|n| !members.contains(*n)).collect();
    assert!(unknown.is_empty(), "the table speaks of {unknown:?}, which do not exist");
}

/// Returns the directories that a member with a `*` in its path stands for.
fn expanded(member: &str) -> Vec<String> {
    let Some((before, after)) = member.split_once('*') else { return vec![member.to_owned()] };
    let inner = fs::read_dir(root().join(before)).expect("a directory").map(|entry| entry.expect("readable"));
    let paths = inner.map(|entry| format!("{before}{}{after}", entry.file_name().to_string_lossy()));
    paths.filter(|path| root().join(path).join("Cargo.toml").exists()).collect()
}

#[test]
fn every_member_is_tested_by_default_and_keeps_the_lints() {
    let workspace = manifest("");
    let list = |key: &str| {
        let items = workspace["workspace"][key].as_array().expect("a list").iter();
        items.filter_map(|v| v.as_str()).flat_map(expanded).collect::<BTreeSet<_>>()
    };
    let (members, mut default) = (list("members"), list("default-members"));
    assert!(default.remove("."), "the root is the tool");
    // `benches` and `testkit` have only few tests, which `.ci/run` runs. `dev/differential` has none, and `python` is
    // tested from Python.
    for left_out in ["dev/benches", "apps/python", "dev/testkit", "dev/differential"] {
        assert!(
            default.insert(left_out.to_owned()),
            "`cargo build` and `cargo test` at the root do not build `{left_out}`"
        );
    }
    assert_eq!(members, default, "`cargo test` at the root must test every member that has more than a few tests");
    for member in members
        .iter()
        .map(String::as_str)
        .chain([""])
        .filter(|m| !["crates/meter", "apps/python", "theories/libz3"].contains(m))
    {
        let lints = manifest(member).get("lints").and_then(|l| l.get("workspace")).and_then(Value::as_bool);
        assert_eq!(lints, Some(true), "`{member}` does not take the workspace's lints");
    }
    let mut lints = workspace["workspace"]["lints"].clone();
    lints["rust"]["unsafe_code"] = Value::from("deny");
    assert_eq!(
        manifest("crates/meter")["lints"],
        lints,
        "`meter` may allow unsafe code where it says so, and nothing else"
    );
    lints["rust"]["unsafe_code"] = Value::from("allow");
    assert_eq!(manifest("apps/python")["lints"], lints, "macros of PyO3 make unsafe code, and nothing else is allowed");
    assert_eq!(manifest("theories/libz3")["lints"], lints, "a library is loaded, and nothing else is allowed");
}

/// The library without its default features compiles neither the command line nor Z3.
#[test]
fn the_library_alone_has_no_command_line() {
    let arguments = ["tree", "--offline", "-p", "impasse", "-e", "normal", "--no-default-features", "--prefix", "none"];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).expect("names");
    let used: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(used.contains("impasse-certify"), "{used:?}");
    for name in ["clap", "console", "ctrlc", "indicatif", "owo-colors", "tempfile", "textwrap", "z3"] {
        assert!(!used.contains(name), "{name} is compiled for the library alone: {used:?}");
    }
}

/// Each library crate has a front page with an example, and no crate switches its documentation tests off.
#[test]
fn every_crate_has_an_example_that_is_tested() {
    // The library of `python` is loaded by Python only: its examples are in the package.
    for (path, name) in short_names().into_iter().filter(|(_, name)| name != "python") {
        let lib = manifest(&path).get("lib").cloned().unwrap_or(Value::from(false));
        assert_ne!(lib.get("doctest").and_then(Value::as_bool), Some(false), "`{name}` does not test its examples");
        let Ok(text) = fs::read_to_string(root().join(&path).join("src/lib.rs")) else { continue };
        let head = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
        assert!(head.into_iter().any(|line| line == "```"), "the front page of `{name}` has no example");
    }
}

/// The version of the tool, of its list of changes and of the extension for the editor are the same. What is not
/// released is said to be so.
#[test]
fn versions_agree() {
    let version = manifest("")["workspace"]["package"]["version"].as_str().expect("it is text").to_owned();
    let changes = std::fs::read_to_string(root().join("CHANGELOG.md")).expect("it is there");
    let newest = changes.lines().find_map(|line| line.strip_prefix("## ")).expect("there are changes");
    match version.strip_suffix("-dev") {
        Some(next) => assert_eq!(newest, "Unreleased", "the version {next} is not released"),
        None => assert!(newest.starts_with(&version), "the newest changes are those of {newest}, not of {version}"),
    }
    let extension = std::fs::read_to_string(root().join("apps/vscode/package.json")).expect("it is there");
    let next = version.trim_end_matches("-dev");
    assert!(extension.contains(&format!("\"version\": \"{next}\"")), "the extension has another version than {next}");
    let internal = std::fs::read_to_string(root().join("Cargo.toml")).expect("it is there");
    let others = internal.lines().filter(|line| line.contains("package = \"impasse-") && line.contains("version = "));
    for line in others {
        assert!(line.contains(&format!("version = \"{version}\"")), "{line}");
    }
}
