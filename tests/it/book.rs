//! Comparison of the pages for readers with the tool: each command on a page is run, and its output is compared
//! with the output on the page.
//!
//! The pages are `README.md` and the pages of the book in `docs/`. A block that begins with ```` ```console
//! ```` contains commands after `$ `, each followed by its output (both streams). A line `...` stands for
//! arbitrary lines. `$ echo $?` shows the last exit code. A block with `file=NAME` after its language is a
//! file. Later commands of the page can use it, as well as the files of `examples/`. Numbers before ` s`
//! (seconds) and ` MiB` may differ. `IMPASSE_BOOK=update` rewrites outputs that differ.

use crate::tool::{root, scratch};
use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// First words of commands in `sh` blocks that are not run, because they build, install, or take minutes.
const NOT_RUN: [&str; 14] = [
    "cargo",
    "code",
    "apps/vscode/",
    "INSTA_UPDATE=always cargo",
    "IMPASSE_BOOK=update cargo",
    "git",
    "cd",
    "rustup",
    "pip",
    "python3",
    "apps/python/", // scripts of the Python package, which .ci/run runs
    ".ci/run",
    "mdbook",
    "dev/tools/",
];

/// A fenced block of a page.
struct Block<'a> {
    /// The words after the opening fence.
    info: &'a str,
    /// The lines of the block.
    text: &'a str,
    /// The range of bytes of `text` in the page.
    at: Range<usize>,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, usize)> = None;
    let mut start = 0;
    for line in page.split_inclusive('\n') {
        let end = start + line.len();
        match (open, line.trim_end().strip_prefix("```")) {
            (None, Some(info)) => open = Some((info, end)),
            (Some((info, from)), Some("")) => {
                blocks.push(Block { info, text: &page[from..start], at: from..start });
                open = None;
            }
            _ => {}
        }
        start = end;
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

/// A command of a console block with the output that the page shows.
struct Shown<'a> {
    command: &'a str,
    output: Vec<&'a str>,
}

fn shown(block: &str) -> Vec<Shown<'_>> {
    let mut all: Vec<Shown<'_>> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), all.last_mut()) {
            (Some(command), _) => all.push(Shown { command, output: Vec::new() }),
            (None, Some(last)) => last.output.push(line),
            (None, None) => panic!("a console block begins with `$ `, not with: {line}"),
        }
    }
    all
}

/// Returns the line with each number before ` s` and ` MiB` replaced, because these numbers differ from run to
/// run.
fn masked(line: &str) -> String {
    let mut words: Vec<&str> = line.trim_end().split(' ').collect();
    for i in 1..words.len() {
        let unit = words[i].trim_end_matches([')', ',', ';', '.', ':']);
        let number = words[i - 1].trim_start_matches('(');
        if ["s", "MiB"].contains(&unit) && number.parse::<f64>().is_ok() {
            words[i - 1] = if words[i - 1].starts_with('(') { "(N" } else { "N" };
        }
    }
    words.join(" ")
}

/// Returns true if the lines fit the expected ones. An expected line `...` fits arbitrarily many lines.
fn fits(expected: &[&str], got: &[&str]) -> bool {
    match expected {
        [] => got.is_empty(),
        ["...", rest @ ..] => (0..=got.len()).any(|skipped| fits(rest, &got[skipped..])),
        [first, rest @ ..] => got.first().is_some_and(|g| masked(first) == masked(g)) && fits(rest, &got[1..]),
    }
}

/// The directory where a page's commands run.
struct Session {
    directory: PathBuf,
    path: String,
    last: i32,
}

impl Session {
    fn new(page: &str) -> Self {
        let directory = scratch(&format!("book_{}", page.replace(['/', '.'], "_")));
        let tool =
            PathBuf::from(std::env::var_os("IMPASSE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_impasse").into()));
        let bin = tool.parent().expect("a directory").to_path_buf();
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
        copy(&root().join("examples"), &directory.join("examples"));
        Self { directory, path, last: 0 }
    }

    fn run(&mut self, command: &str) -> String {
        if command == "echo $?" {
            return format!("{}\n", self.last);
        }
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1; {command}")])
            .current_dir(&self.directory)
            .env("PATH", &self.path)
            .env("NO_COLOR", "1")
            .env("COLUMNS", "100")
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::null())
            .output()
            .expect("there is a shell");
        self.last = output.status.code().unwrap_or(-1);
        String::from_utf8(output.stdout).expect("output is text")
    }
}

/// Copies the files of a directory, without its subdirectories.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("writable");
    for entry in fs::read_dir(from).expect("readable").map(|entry| entry.expect("readable").path()) {
        if entry.is_file() {
            fs::copy(&entry, to.join(entry.file_name().expect("named"))).expect("copied");
        }
    }
}

/// The result of checking a page.
struct Outcome {
    commands: usize,
    /// What has to be mended by hand.
    complaints: Vec<String>,
    /// Outputs that differ from the page. An update of the page mends them.
    differences: Vec<String>,
    /// The text of the page with the current outputs of the tool.
    renewed: String,
}

fn check(page: &str, text: &str) -> Outcome {
    let mut session = Session::new(page);
    let mut outcome = Outcome { commands: 0, complaints: Vec::new(), differences: Vec::new(), renewed: String::new() };
    let mut copied = 0;
    for block in blocks(text) {
        let language = block.info.split([' ', ',']).next().unwrap_or("");
        if let Some((_, file)) = block.info.split_once("file=") {
            fs::write(session.directory.join(file.trim()), block.text).expect("writable");
        }
        if language == "sh" {
            for line in block.text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
                if !NOT_RUN.iter().any(|word| line.starts_with(word)) {
                    outcome.complaints.push(format!("{page}: `{line}` is not run: it belongs into a console block"));
                }
            }
        }
        if language != "console" {
            continue;
        }
        outcome.renewed.push_str(&text[copied..block.at.start]);
        copied = block.at.end;
        let mut commands = shown(block.text).into_iter().peekable();
        while let Some(Shown { command, output }) = commands.next() {
            let next = commands.peek();
            let got = session.run(command);
            let lines: Vec<&str> = got.lines().collect();
            outcome.commands += 1;
            outcome.renewed.push_str(&format!("$ {command}\n"));
            let shows_code = command == "echo $?" || next.is_some_and(|next| next.command == "echo $?");
            if let Some(why) = suspicious(session.last, shows_code, &output, &got) {
                outcome.complaints.push(format!("{page}: `{command}`: {why}"));
            }
            if fits(&output, &lines) {
                output.iter().for_each(|line| outcome.renewed.push_str(&format!("{line}\n")));
            } else {
                outcome
                    .differences
                    .push(format!("{page}: `{command}` prints:\n{got}but the page shows:\n{}\n", output.join("\n")));
                outcome.renewed.push_str(&got);
            }
        }
    }
    outcome.renewed.push_str(&text[copied..]);
    outcome
}

/// Exit codes that a command may have although the page does not show them: answers of `check`, `sat` and `replay`.
const ANSWERS: [i32; 11] = [0, 1, 10, 11, 12, 13, 20, 30, 31, 32, 33];

/// Returns why a command that prints what the page shows may still have failed.
fn suspicious(code: i32, shows_code: bool, shown: &[&str], got: &str) -> Option<String> {
    if shown == ["..."] {
        return Some("the page shows nothing of its output".to_owned());
    }
    if got.contains("panicked at") || got.contains("internal error") {
        return Some(format!("it fails:\n{got}"));
    }
    let is_hidden = !shows_code && !ANSWERS.contains(&code);
    is_hidden.then(|| format!("it ends with {code}, which the page does not show (`$ echo $?`)"))
}

/// Returns the paths of the pages of the book from the root of the repository, in the order of the book.
fn pages() -> Vec<String> {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).expect("the table of contents is there");
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    links.map(|link| format!("docs/{}", link.trim_start_matches("./"))).collect()
}

fn read(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

#[test]
fn commands_of_the_book_print_what_it_shows() {
    let only = std::env::var("IMPASSE_BOOK_PAGE").ok();
    let update = std::env::var("IMPASSE_BOOK").is_ok_and(|value| value == "update");
    let mut pages: Vec<String> = std::iter::once("README.md".to_owned()).chain(pages()).collect();
    pages.retain(|page| page != TESTED && only.as_ref().is_none_or(|only| only == page));
    let half = pages.len().div_ceil(2);
    let run = |pages: &[String]| pages.iter().map(|page| check(page, &read(page))).collect::<Vec<_>>();
    let (first, second) = pages.split_at(half);
    let outcomes: Vec<Outcome> = std::thread::scope(|scope| {
        let other = scope.spawn(|| run(second));
        let mut all = run(first);
        all.extend(other.join().expect("no page panics"));
        all
    });
    let (mut complaints, has_z3): (Vec<String>, bool) = (Vec::new(), crate::unbounded::has_z3());
    for (page, outcome) in pages.iter().zip(&outcomes) {
        if update && outcome.renewed != read(page) {
            fs::write(root().join(page), &outcome.renewed).expect("writable");
        } else if !update {
            // Without Z3, the engines that ask it answer otherwise, or others do.
            let needs_z3 = |told: &&String| ["symbolic", "dpllt"].iter().any(|engine| told.contains(engine));
            complaints.extend(outcome.differences.iter().filter(|told| has_z3 || !needs_z3(told)).cloned());
        }
        complaints.extend(outcome.complaints.iter().cloned());
    }
    if only.is_none() {
        let table = counts(pages.iter().zip(&outcomes).map(|(page, outcome)| (page.as_str(), outcome.commands)));
        let old = read(TESTED);
        let (head, _) = old.split_once(TABLE).expect("the page has a table");
        let new = format!("{head}{table}");
        if update {
            fs::write(root().join(TESTED), new).expect("writable");
        } else if new != old {
            complaints.push(format!("{TESTED} has other counts: run with IMPASSE_BOOK=update"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// The page that lists the number of commands run for each page.
const TESTED: &str = "docs/tested.md";
/// The head of the table on this page.
const TABLE: &str = "| Page | Commands run |\n";

fn counts<'a>(pages: impl Iterator<Item = (&'a str, usize)>) -> String {
    let (mut table, mut all) = (format!("{TABLE}|---|---|\n"), 0);
    for (page, count) in pages {
        all += count;
        let _ = writeln!(table, "| `{page}` | {count} |");
    }
    let _ = writeln!(table, "| all | {all} |");
    table
}

/// The picture in the README is what the tool draws.
#[test]
fn the_picture_of_the_readme_is_up_to_date() {
    let mut session = Session::new("the picture");
    session.run("impasse check examples/philosophers.rwb --property deadlock --evidence evidence -q");
    assert_eq!(session.last, 11);
    let replay = "impasse replay examples/philosophers.rwb evidence/philosophers.deadlock.evidence.json --picture";
    session.run(&format!("{replay} run.svg"));
    assert_eq!(session.last, 0);
    let drawn = fs::read_to_string(session.directory.join("run.svg")).expect("it is drawn");
    assert!(drawn.starts_with("<svg") && drawn.ends_with("</svg>\n"), "{drawn}");
    let path = root().join("docs/run.svg");
    if std::env::var("IMPASSE_BOOK").is_ok_and(|value| value == "update") {
        fs::write(&path, &drawn).expect("writable");
    }
    assert_eq!(fs::read_to_string(path).expect("it is there"), drawn, "run with IMPASSE_BOOK=update");
    // An input is not overwritten, and a file that cannot be written is an error.
    for (picture, code) in [("examples/philosophers.rwb", 64), ("no/such/place.svg", 65)] {
        session.run(&format!("{replay} {picture}"));
        assert_eq!(session.last, code, "{picture}");
    }
}

/// `docs/cli.md` is the reference: it names every command and every option of the tool.
#[test]
fn the_reference_names_every_command_and_option() {
    let reference = read("docs/cli.md");
    let mut session = Session::new("the reference");
    let is_part = |c: char| c.is_alphanumeric() || c == '-';
    let help = session.run("impasse --help");
    let more = ["explore", "dap", "lsp", "draw", "convert", "sat", "explain", "man", "completions"];
    for command in ["check", "info", "replay", "simulate"].into_iter().chain(more) {
        assert!(help.contains(&format!("  {command} ")), "{command}");
        assert!(reference.contains(&format!("impasse {command}")), "docs/cli.md does not have `{command}`");
        let text = session.run(&format!("impasse {command} --help"));
        let options = text.split(|c| !is_part(c)).filter(|word| word.len() > 3 && word.starts_with("--"));
        for option in options.filter(|word| !word.starts_with("---")) {
            assert!(reference.contains(option), "docs/cli.md does not have `{option}` of `{command}`");
        }
    }
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let listed = pages();
    let mut found = Vec::new();
    let mut open = vec![root().join("docs")];
    while let Some(directory) = open.pop() {
        for path in fs::read_dir(&directory).expect("readable").map(|entry| entry.expect("readable").path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let page = path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned();
                found.push(page);
            }
        }
    }
    found.retain(|page| page != "docs/SUMMARY.md" && !listed.contains(page));
    assert!(found.is_empty(), "not in docs/SUMMARY.md: {found:?}");
}

/// Each link to a file or to a heading has an existing target. Pages of the book link only to files in `docs/`,
/// because the built book contains no others.
#[test]
fn links_lead_somewhere() {
    let others = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs/SUMMARY.md"];
    let book = root().join("docs").canonicalize().expect("the book is there");
    let mut broken = Vec::new();
    for page in others.iter().map(|page| (*page).to_owned()).chain(pages()) {
        let text = read(&page);
        let directory = root().join(&page).parent().expect("a directory").to_path_buf();
        let code: Vec<Range<usize>> = blocks(&text).into_iter().map(|block| block.at).collect();
        for (at, rest) in text.match_indices("](").map(|(at, _)| (at, &text[at + 2..])) {
            let target = rest.split(')').next().unwrap_or("");
            if code.iter().any(|block| block.contains(&at)) || target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { root().join(&page) } else { directory.join(file) };
            let is_there = path.exists()
                && (heading.is_empty()
                    || fs::read_to_string(&path).is_ok_and(|text| anchors(&text).any(|a| a == heading)));
            if !is_there {
                broken.push(format!("{page}: {target}"));
            } else if page.starts_with("docs/") && !path.canonicalize().is_ok_and(|path| path.starts_with(&book)) {
                broken.push(format!("{page}: {target} is not in the book"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Returns the anchors that mdBook and GitHub give to the headings of a page.
fn anchors(page: &str) -> impl Iterator<Item = String> + '_ {
    let code: Vec<Range<usize>> = blocks(page).into_iter().map(|block| block.at).collect();
    let at = move |line: &str| line.as_ptr() as usize - page.as_ptr() as usize;
    let lines = page.lines().filter(move |line| !code.iter().any(|block| block.contains(&at(line))));
    lines.filter(|line| line.starts_with('#')).map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    })
}

#[test]
fn outputs_that_differ_are_noticed() {
    let page = "```rwb file=a.txt\nhello\n```\n```console\n$ cat a.txt\nhello\n$ false\n$ echo $?\n1\n$ echo 1.25 \
                s\n2.5 s\n```\n";
    let good = check("a good page", page);
    assert!(good.complaints.is_empty() && good.differences.is_empty());
    let wrong = check("a bad page", "```console\n$ echo one\ntwo\n```\n");
    assert_eq!(wrong.differences.len(), 1);
    assert_eq!(wrong.renewed, "```console\n$ echo one\none\n```\n");
    assert!(!check("a page", "```sh\nimpasse check x\n```\n").complaints.is_empty(), "a command that is not run");
    assert!(!check("a page", "```console\n$ echo one\n...\n```\n").complaints.is_empty(), "nothing is shown");
    assert!(!check("a page", "```console\n$ no-such-command\n...\nx\n```\n").complaints.is_empty(), "it fails");
    assert!(fits(&["a", "...", "d"], &["a", "b", "c", "d"]) && !fits(&["a", "...", "d"], &["a", "b"]));
}
