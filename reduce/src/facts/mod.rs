//! Facts about a net that hold of every run, computed once and shared.

pub mod markable;
