//! Values of a state as JSON.

use crate::steps::Value;
use serde_json::{Map, Value as Json};

/// Largest integer that every reader of JSON represents exactly. Larger numbers are written as text.
const MOST_EXACT: u64 = (1 << 53) - 1;

/// Values of threads, places, latches or variables, by name.
pub type StateRecord = Map<String, Json>;

/// Returns a value as JSON.
pub fn json(value: &Value) -> Json {
    match value {
        Value::State(name) | Value::Shown(name) => Json::from(name.as_str()),
        Value::Tokens(n) => match u64::try_from(n) {
            Ok(n) if n <= MOST_EXACT => Json::from(n),
            _ => Json::from(n.to_string()),
        },
        Value::Bit(bit) => Json::from(*bit),
        Value::Number(number) => Json::from(*number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_counts_are_digits() {
        let tokens = |n: u64| json(&Value::Tokens(n.into()));
        assert_eq!(tokens(MOST_EXACT), Json::from(9_007_199_254_740_991u64));
        assert_eq!(tokens(MOST_EXACT + 1), Json::from("9007199254740992"));
    }
}
