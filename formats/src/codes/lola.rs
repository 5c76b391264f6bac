//! Codes of LoLA files.

use super::codes;

codes! {}
