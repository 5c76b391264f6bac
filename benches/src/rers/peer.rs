//! The plain peer: the program's own text, compiled by gcc, in a breadth-first search of fifty lines.
//!
//! Variables that the text assigns are the state (pointers as distances from one fixed address), kept as 32-bit numbers in one
//! hash table. A call that ends in an error jumps out. The tight loop then makes the same calls again and stores nothing: what
//! the program itself costs.

use crate::process::{self, Limits};
use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// What the peer found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) states: u64,
    pub(super) is_complete: bool,
    pub(super) seconds: f64,
    /// Calls per second of the loop that stores nothing.
    pub(super) tight: f64,
    pub(super) peak: u64,
}

/// Compiles and runs it; `None` if there is no gcc, or it fails.
pub(super) fn run(program: &Path, folder: &Path, most: u64, limits: Limits) -> io::Result<Option<Found>> {
    let text = std::fs::read_to_string(program)?;
    let (source, binary) = (folder.join("peer.c"), folder.join("peer"));
    std::fs::write(&source, around(&text, most))?;
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-fwrapv", "-w", "-o"]).arg(&binary).arg(&source);
    let compiler = Limits { wall: Duration::from_secs(600), ..limits };
    match process::run(&mut gcc, compiler) {
        Ok(done) if done.code == Some(0) => {}
        _ => return Ok(None),
    }
    let done = process::run(&mut Command::new(&binary), limits)?;
    let numbers: Vec<f64> = done.stdout.split_whitespace().filter_map(|n| n.parse().ok()).collect();
    let [states, complete, seconds, tight] = numbers[..] else { return Ok(None) };
    let is_complete = complete > 0.0;
    Ok(Some(Found { states: states as u64, is_complete, seconds, tight, peak: done.peak }))
}

/// The search around the program's text without its `main`.
fn around(text: &str, most: u64) -> String {
    let end = text.find("int main(").unwrap_or(text.len());
    let body: String =
        text[..end].lines().filter(|l| !l.trim_start().starts_with("#include")).fold(String::new(), |mut all, line| {
            all.push_str(line);
            all.push('\n');
            all
        });
    let (pointers, scalars) = state(&body);
    let places = scalars.len() + pointers.len();
    let save: String = (scalars.iter().enumerate().map(|(i, v)| format!("s[{i}] = {v};")))
        .chain(pointers.iter().enumerate().map(|(i, v)| format!("s[{}] = (int)({v} - &base);", scalars.len() + i)))
        .collect();
    let load: String = (scalars.iter().enumerate().map(|(i, v)| format!("{v} = s[{i}];")))
        .chain(pointers.iter().enumerate().map(|(i, v)| format!("{v} = &base + s[{}];", scalars.len() + i)))
        .collect();
    let inputs: Vec<String> = inputs(&body).iter().map(i32::to_string).collect();
    SEARCH
        .replace("@PROGRAM@", &body)
        .replace("@PLACES@", &places.max(1).to_string())
        .replace("@SAVE@", &save)
        .replace("@LOAD@", &load)
        .replace("@INPUTS@", &inputs.join(", "))
        .replace("@MOST@", &most.to_string())
}

/// Pointers and numbers that are declared outside and assigned somewhere.
fn state(body: &str) -> (Vec<String>, Vec<String>) {
    let (mut pointers, mut scalars, mut assigned) = (Vec::new(), Vec::new(), BTreeSet::new());
    for line in body.lines() {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("int ") {
            let rest = rest.trim_start();
            let name =
                |text: &str| text.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("").to_owned();
            let declares = line.contains('=') && line.ends_with(';') && !line.contains('[');
            match rest.strip_prefix('*') {
                Some(rest) if line.contains('=') => pointers.push(name(rest.trim_start())),
                None if declares => scalars.push(name(rest)),
                _ => {}
            }
        } else if let Some((left, _)) = line.split_once('=') {
            let left = left.trim();
            if !left.is_empty() && left.chars().all(|c| c.is_alphanumeric() || c == '_') {
                assigned.insert(left.to_owned());
            }
        }
    }
    let keep = |names: Vec<String>| names.into_iter().filter(|n| assigned.contains(n) && n != "cf").collect();
    (keep(pointers), keep(scalars))
}

/// The alphabet: `int inputs[] = {..}`, or variables in the lines after `// inputs`.
fn inputs(body: &str) -> Vec<i32> {
    let lines = body.lines().skip_while(|l| !l.contains("// inputs")).skip(1);
    let number = |text: &str| -> Option<i32> { text.trim().trim_end_matches(';').trim().parse().ok() };
    let mut inputs = Vec::new();
    for line in lines.take_while(|l| !l.trim().is_empty()) {
        if let Some((_, list)) = line.split_once('{') {
            inputs.extend(list.split('}').next().unwrap_or("").split(',').filter_map(number));
        } else if let Some((_, value)) = line.split_once('=') {
            inputs.extend(number(value));
        }
    }
    inputs
}

const SEARCH: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <math.h>
#include <time.h>
static jmp_buf out;
static int base, refused;
static void report(unsigned long states, int complete, double seconds, double tight) {
    printf("%lu %d %f %f\n", states, complete, seconds, tight);
}
static double now(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
void __VERIFIER_error(int n) { longjmp(out, 1); }
void __VERIFIER_assume(int n) { if (!n) refused = 1; }
#define assert(x) longjmp(out, 1)
#define printf(...) ((void)0)
#define fprintf(...) ((void)0)
#define fflush(x) ((void)0)
@PROGRAM@
#define PLACES @PLACES@
#define MOST @MOST@UL
static const int alphabet[] = { @INPUTS@ };
static int *states;
static unsigned *table;
static unsigned long count, slots = 1UL << 16;
static void save(int *s) { @SAVE@ }
static void load(const int *s) { @LOAD@ }
static unsigned long hash(const int *s) {
    unsigned long h = 0x9e3779b97f4a7c15UL;
    for (int i = 0; i < PLACES; i++) { h ^= (unsigned)s[i]; h *= 0xff51afd7ed558ccdUL; h ^= h >> 32; }
    return h;
}
static void insert(const int *s) {
    unsigned long at = hash(s) & (slots - 1);
    while (table[at]) {
        if (!memcmp(states + (table[at] - 1) * (unsigned long)PLACES, s, sizeof(int) * PLACES)) return;
        at = (at + 1) & (slots - 1);
    }
    memcpy(states + count * PLACES, s, sizeof(int) * PLACES);
    table[at] = (unsigned)++count;
    if (count * 2 > slots) {
        slots *= 2;
        free(table);
        table = calloc(slots, sizeof *table);
        for (unsigned long i = 0; i < count; i++) {
            unsigned long at = hash(states + i * PLACES) & (slots - 1);
            while (table[at]) at = (at + 1) & (slots - 1);
            table[at] = (unsigned)i + 1;
        }
    }
}
int main(void) {
    static int s[PLACES];
    int letters = sizeof alphabet / sizeof *alphabet;
    states = malloc((MOST + 64) * sizeof(int) * PLACES);
    table = calloc(slots, sizeof *table);
    double start = now();
    save(s);
    insert(s);
    volatile unsigned long at = 0;
    for (; at < count && count < MOST; at++) {
        for (volatile int k = 0; k < letters; k++) {
            load(states + at * PLACES);
            if (!setjmp(out)) {
                calculate_output(alphabet[k]);
                save(s);
                insert(s);
            }
        }
    }
    double seconds = now() - start;
    volatile unsigned long calls = 0;
    start = now();
    for (volatile unsigned long i = 0; i < at; i++)
        for (volatile int k = 0; k < letters; k++) {
            load(states + i * PLACES);
            if (!setjmp(out)) calculate_output(alphabet[k]);
            calls++;
        }
    report(count, at == count, seconds, calls / (now() - start + 1e-9));
    return 0;
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assigned_globals_are_state_and_letters_are_found() {
        let text = "\t// inputs\n\tint inputs[] = {3,1};\n\nint a[] = {1,2};\nint *p = a;\nint x = 1;\nint y = 2;\nint cf = 1;\n\
                    void f(int input) {\n  if (x == 1) {\n    cf = 0;\n    x = 2;\n    p = a;\n  }\n}\n";
        assert_eq!(state(text), (vec!["p".to_owned()], vec!["x".to_owned()]));
        assert_eq!(inputs(text), [3, 1]);
    }
}
