//! Codes of MIST `.spec` files.

use super::codes;

codes! {}
