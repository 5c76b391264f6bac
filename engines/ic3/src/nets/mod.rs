//! IC3 at bit level for nets: thresholds made on demand, with or without a bound.

mod goals;
mod sums;
#[cfg(test)]
mod tests;
mod thresholds;
