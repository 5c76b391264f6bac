//! Thresholds against the plain stepper, searches against brute force, frames against layers.

mod answers;
mod layers;
mod steps;
