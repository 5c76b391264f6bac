//! Codes of evidence files.

use super::codes;

codes! {
    EVIDENCE_MODEL "evidence::other-model" "The evidence belongs to another program"
        "A file of evidence names the program it is for by a hash of its explicit form."
        "to be", "written";
}
