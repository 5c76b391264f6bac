//! The value of a part of a state, as texts and pictures show it.

use num_bigint::BigUint;
use std::fmt;

/// The value of a part of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// The name of the local state of a thread of a program.
    State(String),
    /// The number of tokens on a place of a net, or of threads in a state of a thread-transition system.
    Tokens(BigUint),
    /// The value of a latch.
    Bit(bool),
    /// The value of a variable of a reactive program.
    Number(i32),
    /// The value of a part of a state of a system written in Rust, as the text that the system provides.
    Shown(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::State(name) | Value::Shown(name) => f.write_str(name),
            Value::Tokens(count) => count.fmt(f),
            Value::Bit(bit) => f.write_str(if *bit { "1" } else { "0" }),
            Value::Number(number) => number.fmt(f),
        }
    }
}
