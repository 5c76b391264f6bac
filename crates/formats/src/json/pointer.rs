//! What both versions of the JSON form need: their version, questions, and paths to places (RFC 6901).

use super::tree::{Document, Res, Value};
use crate::codes;
use crate::error::printable;
use model::Goal;

impl<'a> Document<'a> {
    /// True if this is an object that says that it is of version 2.
    pub fn is_version_2(&self, root: Value<'a>) -> bool {
        self.object(root, "a program").is_ok_and(|root| root.get("rwb").is_some_and(|version| version.get() == "2"))
    }

    /// Reads a list of questions.
    pub fn goals(&self, value: Value<'a>) -> Res<Vec<Goal>> {
        let mut goals = Vec::new();
        for item in self.array(value, "a list of kinds to check")? {
            let goal = match self.string(item, "\"bad\" or \"deadlock\"")?.as_ref() {
                "bad" => Goal::Bad,
                "deadlock" => Goal::Deadlock,
                other => {
                    let message = format!("expected \"bad\" or \"deadlock\", found \"{}\"", printable(other));
                    return Err(self.error(&codes::JSON_TYPE, item, message).label("unknown kind"));
                }
            };
            if goals.contains(&goal) {
                let message = format!("`{goal}` is asked for twice");
                return Err(self.error(&codes::RWB_REPEATED_CHECK, item, message).label("again here"));
            }
            goals.push(goal);
        }
        if goals.is_empty() {
            let message = "expected a list of kinds to check, found an empty one";
            return Err(self.error(&codes::JSON_TYPE, value, message).label("expected at least one kind"));
        }
        Ok(goals)
    }

    /// Returns the path to the innermost value that contains this byte of the text, such as `/threads/0/name`. The cost
    /// is that of reading the values on the path.
    pub fn pointer(&self, root: Value<'a>, at: usize) -> String {
        let (mut path, mut value) = (String::new(), root);
        loop {
            let parts: Vec<(String, Value<'a>, Value<'a>)> = match value.get().as_bytes().first() {
                Some(b'{') => {
                    let Ok(object) = self.object(value, "an object") else { return path };
                    let part = |(raw, key, value): (Value<'a>, std::borrow::Cow<'_, str>, Value<'a>)| {
                        (key.replace('~', "~0").replace('/', "~1"), raw, value)
                    };
                    object.entries.into_iter().map(part).collect()
                }
                Some(b'[') => {
                    let Ok(list) = self.array(value, "an array") else { return path };
                    list.into_iter().enumerate().map(|(at, value)| (at.to_string(), value, value)).collect()
                }
                _ => return path,
            };
            let holds = |value: Value<'a>| self.span(value).contains(&at);
            let Some((name, _, inner)) = parts.into_iter().find(|(_, key, value)| holds(key) || holds(value)) else {
                return path;
            };
            path = path + "/" + &name;
            if !holds(inner) {
                return path;
            }
            value = inner;
        }
    }
}
