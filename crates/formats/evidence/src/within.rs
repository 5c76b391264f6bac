//! The bound of a bounded answer in evidence files, which stands beside its `invariant`.
//!
//! ```json
//! "within": {"most": 5, "counted": ["p", "q"]}
//! ```
//!
//! The checker judges which places are counted, and their order.

use super::shape::shape;
use model::Within;

shape! { Within = {most, counted} => {Within { most, counted }} }
