//! Lists of temporal formulas: reading gives formulas or errors.
#![no_main]

use formats::Limits;
use programs_read::properties;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = properties("fuzz.txt", text, &Limits::default());
    }
});
