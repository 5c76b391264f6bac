//! Codes of BFC `.tts` and `.prop` files.

use super::codes;

codes! {}
