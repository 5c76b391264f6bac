//! Thresholds against the plain stepper, searches against brute force.

mod answers;
mod steps;
