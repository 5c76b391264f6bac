//! Codes of evidence files. The examples are for the program `rwb 1 event a thread T { state s { request a } }`.

use super::codes;

/// Evidence for the example program, with the hash of the program.
macro_rules! example {
    ($rest:literal) => {
        concat!("{\"schema\": 1, \"model\": {\"name\": \"x\", \"hash\": \"fnv1a64:HASH\"}, ", $rest, "}")
    };
}

const GOOD: &str =
    example!("\"goals\": [\"bad\"], \"trace\": {\"start\": [\"s\"], \"runs\": [{\"word\": [\"a\"], \"times\": 3}]}");

codes! {
    EVIDENCE_NOT_WRITTEN "evidence::not-written" "The requested evidence was not written"
        "The answer is correct, but its evidence could not be written to the directory, or a limit ended the work \
         before that."
        "impasse check model.rwb --evidence /a/full/disk", "impasse check model.rwb --evidence evidence";
    EVIDENCE_SCHEMA "evidence::schema" "The schema of the evidence is not known"
        "This tool reads evidence of schema 1."
        "{\"schema\": 2, \"model\": {}, \"goals\": [\"bad\"]}", GOOD;
    EVIDENCE_MODEL "evidence::other-model" "The evidence is for another program"
        "Evidence names its program by a hash of the events and threads in explicit form. The program was changed, or \
         it is another one."
        "{\"schema\": 1, \"model\": {\"name\": \"x\", \"hash\": \"fnv1a64:0123456789abcdef\"}, \"goals\": \
         [\"bad\"]}", GOOD;
    EVIDENCE_KIND "evidence::kind" "The evidence is not of one kind"
        "A file about a program has one of `trace` (for one goal), `state_set`, `refutation`, `projection`, `reduced`, \
         `counted` and `clauses` (for one or more goals, and perhaps with `restrictions`). Files about other kinds of \
         systems have other kinds of evidence: see docs/evidence."
        example!("\"goals\": [\"bad\"]"), GOOD;
    EVIDENCE_SHAPE "evidence::shape" "A part of the evidence has the wrong shape"
        "The message tells what is expected. States have one entry for each thread; a run has at least one event."
        example!("\"goals\": [\"bad\"], \"trace\": {\"start\": [\"s\"], \"runs\": [{\"word\": [], \"times\": \
                  3}]}"), GOOD;
    EVIDENCE_NAME "evidence::unknown-name" "A name that the program does not have"
        "Traces name the events of the program and the states of its threads."
        example!("\"goals\": [\"bad\"], \"trace\": {\"start\": [\"t\"], \"runs\": []}"), GOOD;
    LIMIT_EVIDENCE "limit::evidence" "The evidence is too large"
        "A file of evidence has at most 2^27 numbers."
        "evidence with 200 million states", "evidence with a million states";
}
