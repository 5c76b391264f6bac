//! Compares thresholds with the plain stepper, searches with brute force, and frames with exact layers.

mod answers;
mod layers;
mod steps;
