//! The parts of a program's text that the peers need: its state, its inputs, and the C code that sets and
//! stores the state. The text is read line by line, which suffices for the layout of the challenge's
//! generators. The tool under test has its own front end.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// A program as a part of another C program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Text {
    /// The text before `main`. A failed assertion calls `rers_error(N)`.
    body: String,
    pointers: Vec<String>,
    scalars: Vec<String>,
    pub(super) inputs: Vec<i32>,
}

impl Text {
    /// Reads a program.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        Ok(Self::of(&std::fs::read_to_string(path)?))
    }

    fn of(text: &str) -> Self {
        let end = text.find("int main(").unwrap_or(text.len());
        let mut body = String::new();
        for line in text[..end].lines().filter(|l| !l.trim_start().starts_with("#include")) {
            body.push_str(&labelled(line).unwrap_or_else(|| line.to_owned()));
            body.push('\n');
        }
        let (pointers, scalars) = state(&body);
        let inputs = inputs(&body);
        Self { body, pointers, scalars, inputs }
    }

    /// Number of values in a state, at least one.
    pub(super) fn places(&self) -> usize {
        (self.scalars.len() + self.pointers.len()).max(1)
    }

    /// Returns the program with additional definitions: `rers_save(int *)`, `rers_load(const int *)`,
    /// `RERS_PLACES`, and the jump `rers_out`. A call that ends in an error marks its label in `rers_labels`
    /// and jumps to `rers_out`. Pointers are stored as distances from one fixed address.
    pub(super) fn surrounded(&self) -> String {
        let first = self.scalars.len();
        let scalars = || self.scalars.iter().enumerate();
        let pointers = || self.pointers.iter().enumerate();
        let save: String = (scalars().map(|(i, v)| format!("s[{i}] = {v};")))
            .chain(pointers().map(|(i, v)| format!("s[{}] = (int)({v} - &rers_base);", first + i)))
            .collect();
        let load: String = (scalars().map(|(i, v)| format!("{v} = s[{i}];")))
            .chain(pointers().map(|(i, v)| format!("{v} = &rers_base + s[{}];", first + i)))
            .collect();
        let places = self.places();
        format!(
            "{PROLOGUE}{}\n#undef assert\n#undef printf\n#undef fprintf\n#undef fflush\n#define RERS_PLACES {places}\n\
             static void rers_save(int *s) {{ {save} }}\nstatic void rers_load(const int *s) {{ {load} }}\n",
            self.body
        )
    }
}

const PROLOGUE: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
static jmp_buf rers_out;
static int rers_base;
#define RERS_LABELS 1000
static char rers_labels[RERS_LABELS];
static void rers_error(int n) { if (n >= 0 && n < RERS_LABELS) rers_labels[n] = 1; longjmp(rers_out, 1); }
static void rers_tell(void) {
    for (int n = 0; n < RERS_LABELS; n++) if (rers_labels[n]) printf("label %d\n", n);
}
void __VERIFIER_error(int n) { rers_error(n); }
void __VERIFIER_assume(int n) { (void)n; }
#define assert(x) rers_error(-1)
#define printf(...) ((void)0)
#define fprintf(...) ((void)0)
#define fflush(x) ((void)0)
"#;

/// Replaces `error_7: assert(..);` by a call with the number of the label.
fn labelled(line: &str) -> Option<String> {
    let (label, rest) = line.trim().split_once(':')?;
    let number: u32 = label.trim().strip_prefix("error_")?.parse().ok()?;
    rest.trim().starts_with("assert(").then(|| format!("rers_error({number});"))
}

/// Returns the labels that a peer prints.
pub(super) fn labels(said: &str) -> BTreeSet<u32> {
    said.lines().filter_map(|l| l.trim().strip_prefix("label ")?.parse().ok()).collect()
}

/// Returns the pointers and the numbers that are declared outside of functions and assigned somewhere.
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

/// Returns the inputs: `int inputs[] = {..}`, or variables in the lines after `// inputs`.
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A lamp that counts to three. Input 1 increments x. Input 2 resets x if x is below 3, and leads to error
    /// 7 if x is 3. Error 9 is unreachable.
    pub(in crate::rers) const LAMP: &str = "#include <stdio.h>\n\t// inputs\n\tint inputs[] = {1,2};\n\nint x = \
                                            0;\nint unused = 4;\n\
        int low[] = {1,1};\nint high[] = {9,9};\nint *p = low;\nint cf = 1;\nconst int error_7 = 1;\n\
        void calculate_output(int input) {\n    cf = 1;\n    if ((x == 3 && input == 2)) {\n    error_7: \
        assert(!error_7);\n    }\n\
        if ((x == 5)) {\n    error_9: assert(0);\n    }\n    if ((cf == 1 && input == 1 && x < 3)) {\n    cf = \
        0;\n    x = (x + 1);\n\
        p = high;\n    printf(\"%d\\n\", p[1]);\n    } else if ((cf == 1 && input == 2 && x < 3)) {\n    cf = 0;\n    \
        x = 0;\n    p = low;\n\
        printf(\"%d\\n\", 7);\n    }\n    if (cf == 1) fprintf(stderr, \"Invalid input: %d\\n\", input);\n}\n\
        int main() { while (1) { int input; scanf(\"%d\", &input); calculate_output(input); } }\n";

    /// The number of states of `LAMP`.
    pub(in crate::rers) const LAMP_STATES: u64 = 4;

    #[test]
    fn assigned_globals_are_state_and_letters_are_found() {
        let text = Text::of(LAMP);
        assert_eq!((text.pointers, text.scalars), (vec!["p".to_owned()], vec!["x".to_owned()]));
        assert_eq!(text.inputs, [1, 2]);
        assert!(text.body.contains("rers_error(7);"), "{}", text.body);
        let old = "\t// inputs\n\tint inputC = 3;\n\tint inputB = 2;\n\n";
        assert_eq!(inputs(old), [3, 2]);
    }

    #[test]
    fn labels_are_read_among_other_lines() {
        assert_eq!(labels("State-vector 20\nlabel 7\nlabel 11\n"), BTreeSet::from([7, 11]));
    }
}
