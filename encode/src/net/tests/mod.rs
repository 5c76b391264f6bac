//! Circuits of nets against the nets themselves.

mod gates;
mod random;
mod small;
