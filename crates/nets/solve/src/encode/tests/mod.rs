//! Tests circuits of nets against the nets themselves.

mod gates;
mod random;
mod small;
