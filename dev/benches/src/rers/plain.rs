//! The plain peer: the program's own text, compiled by gcc, in a breadth-first search of about fifty lines.
//!
//! The state consists of the variables that the text assigns, stored as 32-bit numbers in one hash table.
//! Afterwards a tight loop repeats the same calls (set the variables, call, read them) and stores nothing. It
//! shows the cost of the program itself.

use super::text::{self, Text};
use crate::process::{self, Limits};
use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The results of the peer.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Found {
    pub(super) states: u64,
    /// Number of states with computed successors.
    pub(super) expanded: u64,
    pub(super) is_complete: bool,
    /// CPU seconds of the search.
    pub(super) seconds: f64,
    /// Calls per second of the loop that stores nothing.
    pub(super) tight: f64,
    /// Peak memory of the process in bytes.
    pub(super) peak: u64,
    /// CPU seconds of the compiler.
    pub(super) compile: f64,
    pub(super) labels: BTreeSet<u32>,
}

/// Compiles and runs the peer. Returns the reason if there is no result.
pub(super) fn run(program: &Text, folder: &Path, most: u64, limits: Limits) -> io::Result<Result<Found, String>> {
    let (source, binary) = (folder.join("plain.c"), folder.join("plain"));
    let inputs: Vec<String> = program.inputs.iter().map(i32::to_string).collect();
    let search = SEARCH.replace("@INPUTS@", &inputs.join(", ")).replace("@MOST@", &most.to_string());
    std::fs::write(&source, format!("{}{search}", program.surrounded()))?;
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-fwrapv", "-w", "-o"]).arg(&binary).arg(&source);
    let compiler = Limits { wall: limits.wall.max(Duration::from_secs(600)), ..limits };
    let compiled = match process::run(&mut gcc, compiler) {
        Ok(done) if done.code == Some(0) => done,
        Ok(done) => return Ok(Err(format!("gcc failed: {}", done.stderr.lines().next().unwrap_or("no message")))),
        Err(_) => return Ok(Err("no gcc".to_owned())),
    };
    let done = process::run(&mut Command::new(&binary), limits)?;
    let first = done.stdout.lines().next().unwrap_or("");
    let numbers: Vec<f64> = first.split_whitespace().filter_map(|n| n.parse().ok()).collect();
    let [states, expanded, seconds, tight] = numbers[..] else {
        return Ok(Err(done.killed.map_or("failed".to_owned(), |killed| format!("{killed:?}"))));
    };
    Ok(Ok(Found {
        states: states as u64,
        expanded: expanded as u64,
        is_complete: states <= expanded,
        seconds,
        tight,
        peak: done.peak,
        compile: compiled.cpu,
        labels: text::labels(&done.stdout),
    }))
}

const SEARCH: &str = r#"
#include <time.h>
#define MOST @MOST@UL
static const int alphabet[] = { @INPUTS@ };
static int *states;
static unsigned *table;
static unsigned long count, slots = 1UL << 16;
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}
static unsigned long hash(const int *s) {
    unsigned long h = 0x9e3779b97f4a7c15UL;
    for (int i = 0; i < RERS_PLACES; i++) { h ^= (unsigned)s[i]; h *= 0xff51afd7ed558ccdUL; h ^= h >> 32; }
    return h;
}
static void grow(void) {
    slots *= 2;
    free(table);
    table = calloc(slots, sizeof *table);
    for (unsigned long i = 0; i < count; i++) {
        unsigned long at = hash(states + i * RERS_PLACES) & (slots - 1);
        while (table[at]) at = (at + 1) & (slots - 1);
        table[at] = (unsigned)i + 1;
    }
}
static void insert(const int *s) {
    unsigned long at = hash(s) & (slots - 1);
    while (table[at]) {
        if (!memcmp(states + (table[at] - 1) * (unsigned long)RERS_PLACES, s, sizeof(int) * RERS_PLACES)) return;
        at = (at + 1) & (slots - 1);
    }
    memcpy(states + count * RERS_PLACES, s, sizeof(int) * RERS_PLACES);
    table[at] = (unsigned)++count;
    if (count * 2 > slots) grow();
}
int main(void) {
    static int s[RERS_PLACES];
    enum { LETTERS = sizeof alphabet / sizeof *alphabet };
    states = malloc((MOST + 64) * sizeof(int) * RERS_PLACES);
    table = calloc(slots, sizeof *table);
    double start = now();
    rers_save(s);
    insert(s);
    /* An error jumps back to where the next input is taken. */
    volatile unsigned long at = 0;
    volatile int k;
    for (; at < count && count < MOST; at++) {
        k = 0;
        setjmp(rers_out);
        while (k < LETTERS) {
            rers_load(states + at * RERS_PLACES);
            calculate_output(alphabet[k++]);
            rers_save(s);
            insert(s);
        }
    }
    double seconds = now() - start;
    unsigned long expanded = at;
    start = now();
    for (at = 0; at < expanded; at++) {
        k = 0;
        setjmp(rers_out);
        while (k < LETTERS) {
            rers_load(states + at * RERS_PLACES);
            calculate_output(alphabet[k++]);
            rers_save(s);
            __asm__ volatile("" : : "r"(s) : "memory");
        }
    }
    double calls = (double)expanded * LETTERS;
    printf("%lu %lu %f %f\n", count, expanded, seconds, calls / (now() - start + 1e-9));
    rers_tell();
    return 0;
}
"#;

#[cfg(test)]
mod tests {
    use super::super::text::tests::{LAMP, LAMP_STATES};
    use super::*;

    const LIMITS: Limits = Limits { wall: Duration::from_secs(60), resident: 1 << 30 };

    #[test]
    fn it_finds_the_states_and_labels_we_know() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("lamp.c");
        std::fs::write(&path, LAMP).expect("written");
        let text = Text::read(&path).expect("read");
        let found = match run(&text, folder.path(), 1000, LIMITS).expect("it runs") {
            Ok(found) => found,
            Err(why) if why == "no gcc" => {
                let _ = io::Write::write_all(&mut io::stderr(), b"skipped: no gcc\n");
                return;
            }
            Err(why) => panic!("{why}"),
        };
        assert_eq!((found.states, found.expanded, found.is_complete), (LAMP_STATES, LAMP_STATES, true));
        assert_eq!(found.labels, BTreeSet::from([7]));
        let few = run(&text, folder.path(), 2, LIMITS).expect("it runs").expect("it did before");
        assert_eq!((few.states, few.is_complete), (2, false));
    }
}
