//! Codes of PNML files and contest properties.

use super::codes;

codes! {}
