//! `.spec` files: what they mean.
