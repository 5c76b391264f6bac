//! The keywords of the grammars for editors (`apps/vscode/syntaxes`), for the tests that compare them with those of
//! the lexers.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Returns the words of all rules `\b(one|two)\b` of a grammar.
/// # Panics
/// A grammar that is not there.
#[must_use]
pub fn keywords(file: &str) -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../apps/vscode/syntaxes").join(file);
    let text = std::fs::read_to_string(path).expect("the grammar is there");
    let mut words = BTreeSet::new();
    let mut open = vec![serde_json::from_str::<Value>(&text).expect("a grammar is JSON")];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                let rule = members.get("match").and_then(Value::as_str);
                let list = rule.and_then(|rule| rule.strip_prefix("\\b(")?.strip_suffix(")\\b"));
                let list = list.filter(|list| list.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'|'));
                words.extend(list.into_iter().flat_map(|list| list.split('|')).map(str::to_owned));
                open.extend(members.into_iter().map(|(_, member)| member));
            }
            Value::Array(elements) => open.extend(elements),
            _ => {}
        }
    }
    words
}
