//! How much of the kernel each kind of evidence rests on: the files that its check uses, and their lines without tests.
//! The table is part of `docs/trust.md`, and the rules of the kernel name their number. `IMPASSE_BOOK=update` renews
//! both.

use crate::tool::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The most lines that a verdict may rest on.
const MOST: usize = 3_500;
const RULES: &str = "crates/kernel/src/rule.rs";
const PAGE: &str = "docs/trust.md";
/// For each kind of evidence: the modules with its argument, and with the definition of the system for this argument.
/// (The dispatch `confirm.rs` and the crate `model` are beside them.)
const KINDS: [(&str, &[&str]); 28] = [
    ("run of a program", &["trace", "program::runs"]),
    ("run of a net or thread-transition system", &["trace", "net::runs"]),
    ("run of a circuit", &["trace", "circuit::runs"]),
    ("run of a reactive program", &["trace", "reactive::runs"]),
    ("run of a program with unbounded numbers", &["data::runs"]),
    ("run of a system in Rust", &["trace", "own"]),
    ("run of a program that violates a temporal formula", &["temporal::replay", "program::replay"]),
    ("run of a net that violates a temporal formula", &["temporal::replay", "net::replay"]),
    ("run of a circuit that repeats", &["circuit::lasso", "circuit::runs"]),
    ("set of states of a program", &["parts", "program::states"]),
    (
        "set of states of a program, for a temporal formula",
        &["temporal", "closed", "program::letters", "program::states"],
    ),
    ("states that the kernel lists", &["enumerated", "program::states"]),
    (
        "states that the kernel lists, for a temporal formula",
        &["temporal", "enumerated", "program::letters", "program::states"],
    ),
    ("set of markings", &["parts", "net::listed"]),
    ("set of markings, for a temporal formula", &["temporal", "closed", "net::letters"]),
    ("set of valuations", &["parts", "reactive::states"]),
    ("set of states of a system in Rust", &["parts", "own"]),
    ("markings, for a formula of computation tree logic", &["branching"]),
    ("markings, for formulas of such a formula about whole runs", &["branching::runs"]),
    ("potentially marked places", &["net::potentially_marked"]),
    ("clauses of a program", &["clauses", "program::clauses"]),
    ("invariants of a program as a net", &["invariants", "program::as_net"]),
    ("clauses of a circuit", &["clauses", "circuit::clauses"]),
    ("clauses of a circuit translated for justice", &["circuit::justice"]),
    ("clauses of a circuit with memories", &["circuit::tracking"]),
    ("invariants of a net", &["invariants"]),
    ("traps, restarts and recurrence of a net", &["live", "restart", "recurring", "siphons"]),
    ("invariants of a program with unbounded numbers", &["data::invariant", "data::deciding"]),
];

/// A file of the kernel.
#[derive(Default)]
struct File {
    lines: usize,
    text: String,
    /// The names that the file exports from other modules, with their paths.
    exports: BTreeMap<String, Vec<String>>,
}

type Module = Vec<String>;

/// Returns the modules of the kernel by their paths, without tests.
fn modules() -> BTreeMap<Module, File> {
    let source = root().join("crates/kernel/src");
    let (mut found, mut open) = (BTreeMap::new(), vec![source.clone()]);
    while let Some(path) = open.pop() {
        let name = path.file_name().expect("named").to_string_lossy().into_owned();
        if path.is_dir() {
            let inner = fs::read_dir(&path).expect("readable").map(|entry| entry.expect("readable").path());
            open.extend(inner.filter(|_| name != "tests"));
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.insert(module(path.strip_prefix(&source).expect("below")), file(&path));
        }
    }
    found
}

fn module(path: &Path) -> Module {
    let mut parts: Module = path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib")) {
        parts.pop();
    }
    parts
}

fn file(path: &Path) -> File {
    let text = fs::read_to_string(path).expect("readable");
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    File { lines: text.lines().count(), text: code.join("\n"), exports: BTreeMap::new() }
}

/// Returns the paths in a `use` statement: `a::{b, c::d}` gives `a::b` and `a::c::d`.
fn leaves(tree: &str, before: &[String], found: &mut Vec<Module>) {
    let tree = tree.trim();
    let Some((head, rest)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        let own = path.split("::").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty());
        return found.push(before.iter().cloned().chain(own).collect());
    };
    let mut prefix = before.to_vec();
    prefix.extend(head.split("::").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()));
    let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
    let (mut depth, mut start) = (0, 0);
    for (at, sign) in inner.char_indices().chain([(inner.len(), ',')]) {
        match sign {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inner[start..at].trim().is_empty() {
                    leaves(&inner[start..at], &prefix, found);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// Returns the paths that a file names: those of `use` (true if they are exported), and those in expressions.
fn named(text: &str) -> Vec<(bool, Module)> {
    let mut found = Vec::new();
    let mut rest = String::new();
    let mut at = 0;
    for (start, _) in text.match_indices("use ") {
        let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
        let before = text[line..start].trim();
        if start < at || !(before.is_empty() || before.starts_with("pub")) {
            continue;
        }
        let end = text[start..].find(';').map_or(text.len(), |end| start + end);
        let mut paths = Vec::new();
        leaves(&text[start + 4..end], &[], &mut paths);
        found.extend(paths.into_iter().map(|path| (!before.is_empty(), path)));
        rest.push_str(&text[at..line]);
        at = end;
    }
    rest.push_str(&text[at..]);
    for word in rest.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
        let path: Module = word.split("::").map(str::to_owned).collect();
        if path.len() > 1 && matches!(path[0].as_str(), "crate" | "super" | "self") {
            found.push((false, path));
        }
    }
    found
}

/// Returns the path from the root of the crate, if it is one into the crate.
fn absolute(at: &Module, path: &[String], all: &BTreeMap<Module, File>) -> Option<Module> {
    let mut base = at.clone();
    let mut rest = path;
    match path.first()?.as_str() {
        "crate" => (base, rest) = (Module::new(), &path[1..]),
        "self" => rest = &path[1..],
        "super" => {}
        child => {
            base.push(child.to_owned());
            all.get(&base)?;
            rest = &path[1..];
        }
    }
    while rest.first().is_some_and(|part| part == "super") {
        base.pop();
        rest = &rest[1..];
    }
    base.extend(rest.iter().cloned());
    Some(base)
}

/// Returns the module that defines what the path names: an export is followed.
fn defining(path: &Module, all: &BTreeMap<Module, File>, depth: usize) -> Module {
    let mut length = path.len();
    while !all.contains_key(&path[..length]) {
        length -= 1;
    }
    let module = path[..length].to_vec();
    let next = path.get(length).and_then(|name| all[&module].exports.get(name)).filter(|_| depth > 0);
    match next {
        Some(other) => defining(&other.iter().chain(&path[length + 1..]).cloned().collect(), all, depth - 1),
        None => module,
    }
}

/// Returns the lines of the files that a kind of evidence rests on, and their number.
fn closure(start: &[&str], all: &BTreeMap<Module, File>) -> (usize, usize) {
    let mut open: Vec<Module> = start.iter().map(|path| path.split("::").map(str::to_owned).collect()).collect();
    let mut seen = BTreeSet::new();
    while let Some(module) = open.pop() {
        let file = all.get(&module).unwrap_or_else(|| panic!("there is no module {}", module.join("::")));
        if seen.insert(module.clone()) {
            let paths = named(&file.text).into_iter().filter(|(is_export, _)| !is_export);
            let paths = paths.filter_map(|(_, path)| absolute(&module, &path, all));
            open.extend(paths.map(|path| defining(&path, all, 6)).filter(|other| *other != module));
        }
    }
    (seen.iter().map(|module| all[module].lines).sum(), seen.len())
}

#[test]
fn each_verdict_rests_on_few_lines() {
    let mut all = modules();
    let exports: Vec<(Module, String, Module)> = all
        .iter()
        .flat_map(|(module, file)| named(&file.text).into_iter().map(move |found| (module.clone(), found)))
        .filter_map(|(module, (is_export, path))| {
            let whole = is_export.then(|| absolute(&module, &path, &all)).flatten()?;
            Some((module, whole.last()?.clone(), whole))
        })
        .collect();
    for (module, name, path) in exports {
        all.get_mut(&module).expect("it is a module").exports.insert(name, path);
    }
    let mut table = "| Evidence | Files | Lines |\n|---|---|---|\n".to_owned();
    let mut rules = fs::read_to_string(root().join(RULES)).expect("readable");
    let mut unknown = rules.matches("= rule(").count();
    let mut large = Vec::new();
    for (kind, start) in KINDS {
        let (lines, files) = closure(start, &all);
        table += &format!("| {kind} | {files} | {lines} |\n");
        let row = format!("= rule(\"{kind}\", ");
        if rules.contains(&row) {
            rules = with(&rules, (&row, ");"), &lines.to_string());
            unknown -= 1;
        }
        large.extend((lines > MOST).then(|| format!("{kind}: {lines}")));
    }
    assert_eq!(unknown, 0, "each rule has a row in the table");
    same_or_renewed(RULES, &rules);
    let page = fs::read_to_string(root().join(PAGE)).expect("readable");
    same_or_renewed(PAGE, &with(&page, ("<!-- lines of the kernel -->\n", "\n<!-- end -->"), &table));
    assert!(large.is_empty(), "more than {MOST} lines: {large:?}");
}

/// Returns the text with `new` between its first `begin` and the next `end`.
fn with(text: &str, (begin, end): (&str, &str), new: &str) -> String {
    let (before, rest) = text.split_once(begin).expect("the text has the place");
    let (_, after) = rest.split_once(end).expect("the place ends");
    format!("{before}{begin}{new}{end}{after}")
}

/// Compares a file with what it should be, or renews it.
fn same_or_renewed(name: &str, expected: &str) {
    let path = root().join(name);
    if std::env::var("IMPASSE_BOOK").is_ok_and(|mode| mode == "update") {
        fs::write(&path, expected).expect("writable");
    } else {
        assert_eq!(fs::read_to_string(&path).expect("readable"), expected, "{name}: IMPASSE_BOOK=update renews it");
    }
}
