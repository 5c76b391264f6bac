//! The index of names of `.rwb` texts: scopes, roles, texts with errors, and that renaming keeps the meaning.

use impasse_readers::index::{Index, Kind, Refusal, Role, words};
use impasse_readers::{Error, Limits, Read, Source, read};
use proptest::prelude::*;
use std::path::Path;

const CARS: &str = "rwb 2
enum Side { North, South }
const most = 3
event enter(from: Side), leave(to: Side), level(v: 0..9)
set inward = enter(*)
thread Cars { body { loop { request enter(*), leave(*) } } }
thread Guard {
  var cars: 0..=most = 0
  body {
    loop {
      if cars == most { wait leave(*) block inward  cars = cars - 1 }
      else { select { on enter(s) when s == North { assert s != South } on leave(*) { cars = 0 } } }
    }
  }
}
thread Levels { body { loop {
  request level(l) when l > 3  if l > 4 { wait level(v), level(v) when v < l  assert v < most }
} } }
thread Lights { var on_: {Red, Green}  body { wait level(Red2) on_ = Red } }
";

const LOCK: &str = "rwb 1
const n = 2
event enter[n], leave[n]   # both
set all = enter[*], leave[*] - leave[0]
for i in 0..n {
  when i == 0 { const k = 1 } else { const k = 2 }
  thread Worker[i] {
    for j in 0..2 { state s[j] { request enter[i] when j == k { block all } on enter[i] -> s[(j + 1) % 2] | t } }
    state t { on * -> s[0] }
  }
}
thread Other { body { wait enter[1] for i in 0..n { request leave[i] } } }
assume end Worker[0] in s[0] | t
";

fn index(text: &str) -> Index {
    Index::of(text, &Limits::default()).expect("it can be parsed")
}

/// Returns the places of the symbol at the `nth` occurrence of a word, as lines and columns, with the roles.
fn mentions(text: &str, word: &str, nth: usize) -> Vec<(usize, Role)> {
    let index = index(text);
    let place = words(text).filter(|place| text[place.clone()] == *word).nth(nth).expect("it occurs");
    let mention = index.at(place.start).unwrap_or_else(|| panic!("`{word}` means nothing"));
    assert_eq!(mention.place.start..mention.place.end, place);
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    index.mentions_of(mention.symbol).map(|m| (line(m.place.start), m.role)).collect()
}

#[test]
fn the_names_of_version_1_have_scopes() {
    use Role::{Declare, Member, Name, Read, Request, Wait};
    assert_eq!(mentions(LOCK, "n", 0), [(2, Declare), (3, Read), (3, Read), (5, Read), (12, Read)]);
    assert_eq!(mentions(LOCK, "enter", 0), [(3, Declare), (4, Member), (8, Request), (8, Wait), (12, Wait)]);
    // The two loops have variables of their own.
    assert_eq!(mentions(LOCK, "i", 0), [(5, Declare), (6, Read), (7, Read), (8, Read), (8, Read)]);
    assert_eq!(mentions(LOCK, "i", 5), [(12, Declare), (12, Read)]);
    // Both declarations of a condition are meant.
    assert_eq!(mentions(LOCK, "k", 0), [(6, Declare), (6, Declare), (8, Read)]);
    assert_eq!(mentions(LOCK, "s", 0), [(8, Declare), (8, Name), (9, Name), (13, Name)]);
    assert_eq!(mentions(LOCK, "Worker", 0), [(7, Declare), (13, Name)]);
}

#[test]
fn the_names_of_version_2_have_scopes() {
    use Role::{Declare, Member, Name, Read, Request, Write};
    assert_eq!(mentions(CARS, "North", 0), [(2, Declare), (12, Read)]);
    assert_eq!(mentions(CARS, "Side", 0), [(2, Declare), (4, Name), (4, Name)]);
    assert_eq!(mentions(CARS, "most", 0), [(3, Declare), (8, Read), (11, Read), (17, Read)]);
    assert_eq!(mentions(CARS, "inward", 0), [(5, Declare), (11, Role::Block)]);
    assert_eq!(mentions(CARS, "enter", 0), [(4, Declare), (5, Member), (6, Request), (12, Role::Wait)]);
    let cars = [(8, Declare), (11, Read), (11, Write), (11, Read), (12, Write)];
    assert_eq!(mentions(CARS, "cars", 0), cars);
    // A name of a pattern is visible in its condition, and after the sync.
    assert_eq!(mentions(CARS, "s", 0), [(12, Declare), (12, Read), (12, Read)]);
    assert_eq!(mentions(CARS, "l", 0), [(17, Declare), (17, Read), (17, Read), (17, Read)]);
    // The parameter `v`, and the name that two patterns bind.
    assert_eq!(mentions(CARS, "v", 0), [(4, Declare)]);
    assert_eq!(mentions(CARS, "v", 1), [(17, Declare), (17, Declare), (17, Read), (17, Read)]);
    assert_eq!(mentions(CARS, "Red", 0), [(19, Declare), (19, Read)]);
    assert_eq!(mentions(CARS, "Red2", 0), [(19, Declare)]);
}

#[test]
fn values_and_extents_are_known() {
    let found = index(LOCK);
    let value = |index: &Index, name: &str| {
        index.symbols.iter().find(|s| s.name == name).expect("it is there").value.clone().unwrap_or_default()
    };
    assert_eq!([value(&found, "n"), value(&found, "i"), value(&found, "k")], ["2", "0..2", ""]);
    let worker = found.declarations.iter().find(|d| found.symbols[d.symbol].name == "Worker").expect("it is there");
    assert!(
        LOCK[worker.extent.clone()].starts_with("thread Worker[i] {") && LOCK[worker.extent.clone()].ends_with('}')
    );
    assert_eq!(&LOCK[worker.head.clone()], "Worker[i]");
    let found = index(CARS);
    assert_eq!([value(&found, "most"), value(&found, "cars")], ["3", "0..=3"]);
    let heads: Vec<&str> = found.declarations.iter().map(|d| &CARS[d.head.clone()]).collect();
    for head in ["enter(from: Side)", "cars: 0..=most = 0", "Side { North, South }", "on_: {Red, Green}", "v: 0..9"] {
        assert!(heads.contains(&head), "{head}: {heads:?}");
    }
}

#[test]
fn threads_take_part_through_sets_and_stars() {
    let found = index(CARS);
    let enter = found.symbols.iter().position(|s| s.name == "enter" && s.kind == Kind::Event).expect("it is there");
    let told: Vec<(Role, &str)> =
        found.parts(enter).iter().map(|part| (part.role, found.symbols[part.thread].name.as_str())).collect();
    assert_eq!(told, [(Role::Request, "Cars"), (Role::Wait, "Guard"), (Role::Block, "Guard")]);
    let found = index(LOCK);
    let leave = found.symbols.iter().position(|s| s.name == "leave").expect("it is there");
    assert!(found.parts(leave).iter().any(|part| part.role == Role::Wait && part.place.is_none()), "through `*`");
}

#[test]
fn a_text_with_errors_has_an_index() {
    for (text, complete) in
        [(LOCK.replace("state t {", "state t { request request"), false), (LOCK.replace("on *", "on zz"), true)]
    {
        let found = index(&text);
        assert_eq!(found.is_complete, complete);
        assert!(found.symbols.iter().any(|symbol| symbol.name == "Other"));
    }
    let broken = CARS.replace("wait leave(*)", "wait wait");
    let found = index(&broken);
    assert!(!found.is_complete && found.symbols.iter().any(|symbol| symbol.name == "Levels"));
    assert!(Index::of("nothing", &Limits::default()).is_none());
    assert!(Index::of("rwb 2\n\u{1f980}", &Limits::default()).is_some_and(|index| !index.is_complete));
}

#[test]
fn names_that_cannot_be_used_are_refused() {
    let rename = |text: &str, word: &str, name: &str| {
        let found = index(text);
        let symbol = found.symbols.iter().position(|symbol| symbol.name == word).expect("it is there");
        found.rename(symbol, name)
    };
    assert_eq!(rename(LOCK, "n", "thread"), Err(Refusal::Keyword));
    assert_eq!(rename(LOCK, "n", "final"), Err(Refusal::Keyword));
    assert_eq!(rename(LOCK, "n", "var").map(|places| places.len()), Ok(5), "a name in version 1");
    assert_eq!(rename(CARS, "cars", "var"), Err(Refusal::Keyword));
    assert_eq!(rename(LOCK, "n", "1a"), Err(Refusal::NoName));
    assert_eq!(rename(LOCK, "n", ""), Err(Refusal::NoName));
    assert_eq!(rename(LOCK, "n", &"n".repeat(300)), Err(Refusal::TooLong));
    assert!(matches!(rename(LOCK, "n", "i"), Err(Refusal::Taken(_))), "it would be hidden");
    assert!(matches!(rename(LOCK, "enter", "all"), Err(Refusal::Taken(_))), "events and sets share their names");
    assert!(matches!(rename(CARS, "most", "l"), Err(Refusal::Taken(_))), "it would become a value");
    assert!(rename(LOCK, "enter", "Worker").is_ok(), "threads have names of their own");
    let unknown = LOCK.replace("on * ->", "on zz ->");
    assert!(matches!(rename(&unknown, "enter", "zz"), Err(Refusal::Captured(_))));
    assert_eq!(rename(&LOCK.replace("rwb 1", "rwb 1 }"), "n", "m"), Err(Refusal::Incomplete));
}

/// Returns the meaning of a text, in which the words of `names` are replaced by one word.
fn meaning(text: &str, names: [&str; 2]) -> Result<String, String> {
    let source = Source { name: "t.rwb".to_owned(), bytes: text.as_bytes().to_vec() };
    let read: Result<Read, Box<Error>> = read(source, None, &Limits::default());
    let shown = match read {
        Ok(read) => format!("{:?}", read.problem),
        // Texts with errors keep their errors.
        Err(error) => return Err(error.all().map(Error::code).collect::<Vec<_>>().join(" ")),
    };
    let (mut plain, mut word) = (String::with_capacity(shown.len()), String::new());
    for c in shown.chars().chain(std::iter::once(' ')) {
        if c.is_ascii_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        plain.push_str(if names.contains(&word.as_str()) { "@" } else { &word });
        word.clear();
        plain.push(c);
    }
    Ok(plain)
}

/// Checks that a text means the same after the symbol with this number is renamed.
fn is_renamed(text: &str, pick: usize) -> Result<(), TestCaseError> {
    let Some(index) = Index::of(text, &Limits::default()) else { return Ok(()) };
    if index.symbols.is_empty() {
        return Ok(());
    }
    let symbol = pick % index.symbols.len();
    let (old, fresh) = (index.symbols[symbol].name.clone(), "zq_9");
    let Ok(places) = index.rename(symbol, fresh) else { return Ok(()) };
    prop_assert!(!places.is_empty());
    let mut renamed = text.to_owned();
    for place in places.iter().rev() {
        prop_assert_eq!(&renamed[place.start..place.end], old.as_str());
        renamed.replace_range(place.start..place.end, fresh);
    }
    let names = [old.as_str(), fresh];
    prop_assert_eq!(meaning(text, names), meaning(&renamed, names), "`{}` in\n{}", old, text);
    Ok(())
}

/// Returns the programs of the documents, the examples and the tests.
fn programs() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut programs = vec![CARS.to_owned(), LOCK.to_owned()];
    for page in ["docs/rwb.md", "docs/rwb2.md"] {
        let text = std::fs::read_to_string(root.join(page)).expect("it is there");
        let blocks = text.split("```").skip(1).step_by(2);
        programs.extend(blocks.filter_map(|block| Some(block.split_once('\n')?.1.to_owned())));
    }
    for entry in std::fs::read_dir(root.join("examples")).expect("it is there").flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "rwb") {
            programs.push(std::fs::read_to_string(entry.path()).expect("it can be read"));
        }
    }
    programs.retain(|text| text.lines().any(|line| line.starts_with("rwb ")));
    assert!(programs.len() > 15, "{}", programs.len());
    programs
}

#[test]
fn a_renamed_program_is_the_same_program() {
    for text in programs() {
        let count = Index::of(&text, &Limits::default()).map_or(0, |index| index.symbols.len());
        for symbol in 0..count {
            is_renamed(&text, symbol).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Texts in which words were exchanged by others have names that mean other things, or nothing.
    #[test]
    fn a_renamed_mutant_is_the_same_mutant(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..4),
        pick in 0..1000usize,
    ) {
        let programs = programs();
        let mut text = which.get(&programs).clone();
        for (from, to) in changes {
            let places: Vec<_> = words(&text).collect();
            let (from, to) = (from.get(&places).clone(), to.get(&places).clone());
            let word = text[to].to_owned();
            text.replace_range(from, &word);
        }
        is_renamed(&text, pick)?;
    }

    /// Every text gets an index or none, without a panic, and mentions are names.
    #[test]
    fn parts_of_texts_have_an_index(
        which in any::<prop::sample::Index>(),
        cut in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        let programs = programs();
        let mut text = which.get(&programs).clone();
        let (from, to) = (cut.0.index(text.len()), cut.1.index(text.len()));
        let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 40));
        if text.is_char_boundary(from) && text.is_char_boundary(to) {
            text.replace_range(from..to, "");
        }
        if let Some(index) = Index::of(&text, &Limits::default()) {
            for mention in &index.mentions {
                prop_assert_eq!(&text[mention.place.start..mention.place.end], &index.symbols[mention.symbol].name);
            }
            for declaration in &index.declarations {
                prop_assert!(declaration.extent.start <= declaration.name.start);
                prop_assert!(declaration.name.end <= declaration.extent.end && declaration.extent.end <= text.len());
            }
        }
    }
}
