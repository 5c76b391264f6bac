//! Writes runs of reactive programs for other tools: the word as text, and a small C program that feeds the
//! inputs to the original program.
//!
//! The original program is included without changes. Its own `main` runs, and the functions that read inputs
//! are replaced. So the same few lines work for all dialects, including those with the whole program in
//! `main`.

use impasse::model::{Reactive, Trace};
use std::io::{self, Write};
use std::path::Path;
use view::letters::{self, Word};

/// Maximum length of the runs that are written.
pub(crate) const LONGEST: u64 = 1_000_000;

/// Number of rounds of a loop after which the C program ends.
const ROUNDS: u32 = 10;

/// Writes the word: the inputs `[A, C]`, or `[iA, oZ] ([iC])*` for a run that repeats.
pub(crate) fn word(program: &Reactive, trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    let Word { stem, cycle, .. } = letters::spell(program, trace);
    if trace.repeats_from.is_some() {
        return writeln!(out, "[{}] ([{}])*", stem.join(", "), cycle.join(", "));
    }
    let inputs: Vec<String> = letters::inputs(trace).map(|i| letters::input(program, i)[1..].to_owned()).collect();
    writeln!(out, "[{}]", inputs.join(", "))
}

/// Writes the C program. `original` is the path of the original program. `bodies` is the path of the file with
/// the functions that the original program does not define, if there is such a file.
pub(crate) fn program(
    program: &Reactive,
    trace: &Trace,
    original: &Path,
    bodies: Option<&Path>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let inputs: Vec<String> = letters::inputs(trace).map(|i| program.input(i).to_string()).collect();
    let again = trace.repeats_from.map_or(inputs.len() as u64, |from| from);
    let rounds = if trace.repeats_from.is_some() { ROUNDS } else { 0 };
    write!(
        out,
        "/* Feeds the inputs of a run to the program. Compile and start with\n\
         \x20    gcc -fwrapv -w -o repro THIS_FILE && ./repro\n\
         \x20  If the program is elsewhere: -DPROGRAM='\"path/to/it.c\"'. A failed assertion tells the error;\n\
         \x20  a run that repeats forever ends after {ROUNDS} rounds. */\n\
         #include <stdio.h>\n#include <stdlib.h>\n#include <assert.h>\n\
         {}\
         static const int repro_word[] = {{{}}};\n\
         static unsigned long repro_at = 0, repro_length = {}, repro_again = {again}, repro_rounds = {rounds};\n",
        named("PROGRAM", original),
        inputs.join(", "),
        inputs.len(),
    )?;
    out.write_all(
        b"static int repro_next(void) {\n\
          \x20 static int is_started = 0;\n\
          \x20 if (!is_started) setvbuf(stdout, NULL, _IONBF, 0);\n\
          \x20 is_started = 1;\n\
          \x20 if (repro_at == repro_length) {\n\
          \x20   if (repro_rounds == 0) { fprintf(stderr, \"the run ends here\\n\"); exit(0); }\n\
          \x20   repro_rounds--;\n    repro_at = repro_again;\n  }\n\
          \x20 fprintf(stderr, \"input %d\\n\", repro_word[repro_at]);\n\
          \x20 return repro_word[repro_at++];\n}\n\
          int __VERIFIER_nondet_int(void) { return repro_next(); }\n\
          void __VERIFIER_error(int number) { fflush(stdout); fprintf(stderr, \"error_%d\\n\", number); abort(); }\n\
          void __VERIFIER_assume(int holds) { if (!holds) { fprintf(stderr, \"invalid input\\n\"); exit(2); } }\n\
          #define scanf(format, place) (*(place) = repro_next(), 1)\n\
          #include PROGRAM\n",
    )?;
    match bodies {
        Some(bodies) => writeln!(out, "{}#include BODIES", named("BODIES", bodies)),
        None => Ok(()),
    }
}

/// Returns lines that define the path of a file, unless the compiler's command line defines it. For a file that
/// no `#include` can name, the compiler's command line must define a path. Such files are standard input, a
/// compressed file without an uncompressed copy, and a file with a quotation mark in its path.
fn named(name: &str, file: &Path) -> String {
    let is_packed = file.extension().is_some_and(|e| e == "xz" || e == "gz");
    let unpacked = if is_packed { file.with_extension("") } else { file.to_owned() };
    let found = std::fs::canonicalize(unpacked).ok().and_then(|path| path.into_os_string().into_string().ok());
    let line = match found.filter(|path| !path.contains(|c: char| c == '"' || c.is_control())) {
        Some(path) => format!("#define {name} \"{path}\""),
        None => format!("#error give the path of the program: -D{name}='\"path/to/it.c\"'"),
    };
    format!("#ifndef {name}\n{line}\n#endif\n")
}
