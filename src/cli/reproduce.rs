//! Runs of reactive programs for other eyes: the word as text, and a small C program that feeds the inputs to the original.
//!
//! The original is included, not changed: its own `main` runs, and what reads inputs is replaced. So the same few lines serve all
//! dialects, those that hold the whole program in `main` among them.

use super::letters::{self, Word};
use impasse::model::{Reactive, Trace};
use std::io::{self, Write};
use std::path::Path;

/// The longest run that is written out.
pub(crate) const LONGEST: u64 = 1_000_000;

/// Rounds of a loop that the C program makes before it ends.
const ROUNDS: u32 = 10;

/// The word: `[A, C]` of inputs, or `[iA, oZ] ([iC])*` of a run that repeats.
pub(crate) fn word(program: &Reactive, trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    let Word { stem, cycle, .. } = letters::spell(program, trace);
    if trace.repeats_from.is_some() {
        return writeln!(out, "[{}] ([{}])*", stem.join(", "), cycle.join(", "));
    }
    let inputs: Vec<String> = letters::inputs(trace).map(|i| letters::input(program, i)[1..].to_owned()).collect();
    writeln!(out, "[{}]", inputs.join(", "))
}

/// The C program; `original` is where the program lies, and `bodies` where those of its functions that it does not define, if it
/// has some.
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
        "/* Feeds the inputs of a run to the program that it is a run of. Compile and start with\n\
         \x20    gcc -fwrapv -w -o repro THIS_FILE && ./repro\n\
         \x20  If the program lies elsewhere: -DPROGRAM='\"path/to/it.c\"'. A failed assertion tells the error;\n\
         \x20  a run that repeats for ever ends after {ROUNDS} rounds. */\n\
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

/// Defines where a file lies, unless the compiler is told. What no `#include` can name (standard input, a packed file that lies nowhere
/// unpacked, a quotation mark in its path) it has to be told.
fn named(name: &str, file: &Path) -> String {
    let is_packed = file.extension().is_some_and(|e| e == "xz" || e == "gz");
    let unpacked = if is_packed { file.with_extension("") } else { file.to_owned() };
    let found = std::fs::canonicalize(unpacked).ok().and_then(|path| path.into_os_string().into_string().ok());
    let line = match found.filter(|path| !path.contains(|c: char| c == '"' || c.is_control())) {
        Some(path) => format!("#define {name} \"{path}\""),
        None => format!("#error say where the text of the program is: -D{name}='\"path/to/it.c\"'"),
    };
    format!("#ifndef {name}\n{line}\n#endif\n")
}
