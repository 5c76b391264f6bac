//! Codes of input files in general and of limits.

use super::codes;

/// A constant inside 201 brackets.
const DEEP: &str = concat!(
    "rwb 1\nconst n = ",
    "((((((((((((((((((((((((((((((((((((((((((((((((((",
    "((((((((((((((((((((((((((((((((((((((((((((((((((",
    "((((((((((((((((((((((((((((((((((((((((((((((((((",
    "((((((((((((((((((((((((((((((((((((((((((((((((((",
    "(1"
);

/// Constants of more than 1000 digits, computed by squaring.
const SQUARES: &str = "rwb 1\nconst a = 10000000000000000   # 10^16\nconst b = a * a\nconst c = b * b\nconst d = c * c
const e = d * d\nconst f = e * e\nconst g = f * f";

/// A thread with two indices of about 600 digits each.
const LONG_NAME: &str =
    "rwb 1\nconst a = 10000000000000000   # 10^16\nconst b = a * a\nconst c = b * b\nconst d = c * c
const e = d * d\nconst f = e * e * d\nthread T[f][f] { body { } }";

codes! {
    INPUT_EMPTY "input::empty" "The file is empty"
        "The file contains nothing, or only blanks and comments."
        "# nothing here\n", "rwb 1\n";
    INPUT_NOT_UTF8 "input::not-utf8" "The file is not UTF-8 text"
        "Text formats are read as UTF-8, except for their comments, which may contain any bytes. The place is the \
         first byte that is not UTF-8. Binary files and texts in older encodings give this error."
        "the letter é as the single byte 0xE9", "the letter é as the two bytes 0xC3 0xA9";
    INPUT_BROKEN_ARCHIVE "input::broken-archive" "The compressed file is broken"
        "Files named .xz or .gz, and files that begin like one, are unpacked while reading. This file ends too early, \
         is damaged, has more data after its end, or needs too much memory to unpack."
        "a .xz file without its end", "the whole file";
    INPUT_UNKNOWN_FORMAT "input::unknown-format" "The format is not known"
        "The format is chosen by the option or by the extension of the name. Some formats are for output only."
        "model.txt", "model.rwb";
    INPUT_INVALID "input::invalid-program" "The parts do not make a program"
        "The reader built a program that breaks a rule of the model. An earlier check should have reported this more \
         clearly: please report it."
        "no known input gives this code", "any other input";
    INPUT_UNREADABLE "input::unreadable" "The file cannot be read"
        "There is no such file, it may not be read, it is a directory without models, or reading failed. The message \
         contains the error of the operating system."
        "impasse check no/such/file.rwb", "impasse check examples/task.rwb";
    INPUT_QUESTION "input::question" "The question does not fit the model"
        "The question is about something that the model does not have, or that the chosen engine cannot decide. The \
         message says what to use instead."
        "impasse check model.spec --property target:9", "impasse check model.spec --property deadlock";
    INPUT_NOTHING_ASKED "input::nothing-asked" "Nothing is asked about the model"
        "The model contains no question, and neither does the command line. For a single file this is an error. Among \
         several files, this file is `unknown`, and the others are answered."
        "impasse check model.lola", "impasse check model.lola --property deadlock";
    LIMIT_BYTES "limit::bytes" "The file is too large"
        "The size counts after unpacking, so that small archives cannot fill the memory. The limit is 64 MB."
        "a .xz file of 10 kB that unpacks to 10 GB", "a file of at most 64 MB";
    LIMIT_TOKENS "limit::tokens" "The text has too many words"
        "A text is read into memory as a tree. For generated programs of this size use the JSON form. The limit is \
         3,000,000."
        "a text of 4,000,000 words", "a program with `for` loops, or the JSON form";
    LIMIT_NESTING "limit::nesting" "Nested too deeply"
        "Blocks and brackets nest at most 200 deep."
        DEEP, "rwb 1\nconst n = ((1))";
    LIMIT_NUMBER "limit::number" "A number is too long"
        "Numbers, written or computed, have at most 1000 digits."
        SQUARES, "rwb 1\nconst a = 10000000000000000\nconst b = a * a";
    LIMIT_NAME "limit::name" "A name is too long"
        "Names, with their indices, have at most 1000 characters."
        LONG_NAME, "rwb 1\nthread T[0][0] { body { } }";
    LIMIT_EVENTS "limit::events" "Too many events"
        "A program has at most 2^20 events; the sizes of an array multiply."
        "rwb 1\nevent e[1000000000]", "rwb 1\nevent e[1000]";
    LIMIT_THREADS "limit::threads" "Too many threads"
        "A program has at most 2^16 threads."
        "rwb 1\nfor i in 0..100000 { thread T[i] { body { } } }", "rwb 1\nfor i in 0..100 { thread T[i] { body { } } }";
    LIMIT_STATES "limit::states" "Too many states"
        "The threads of a program have at most 2^19 states together."
        "rwb 1\nthread T { for i in 0..600000 { state s[i] { } } }", "rwb 1\nthread T { for i in 0..1 { state s[i] { \
            } } }";
    LIMIT_VALUES "limit::values" "A variable has too many values"
        "A thread with variables becomes a finite transition system: one state for each statement at which it waits, \
         and for each combination of values there. A value counts if the thread can reach it by itself, when the \
         other threads request whatever they ever request; at most 2^17 states in all. If there are more, a value \
         counts if it is reachable in the whole program, which then has at most 2^20 joint states. If there are \
         more of these, too, the numbers stay unknown, and all arithmetic must be linear. The error names a variable \
         with many values, or the place that is not linear."
        "rwb 2\nevent tick\nthread T { var n: int = 1  body { loop { request tick  n = n * n + 1 } } }",
        "rwb 2\nevent tick\nthread T { var n: 0..100 = 0  body { loop { request tick  n = (n * n + 1) % 100 } } }";
    LIMIT_SETS "limit::sets" "The event sets of the states are too large"
        "Each state has a set of requested and a set of blocked events. A set counts one word for each run of \
         neighbouring events in it, or one word for each 64 events of the program, whichever is less. The limit is \
         2^23 words in all."
        "rwb 1\nevent e[500000][2]\nset half = e[*][0]\nthread T { for i in 0..600 { state s[i] { block half } } }",
        "rwb 1\nevent e[500][2]\nset half = e[*][0]\nthread T { for i in 0..600 { state s[i] { block half } } }";
    LIMIT_MOVES "limit::moves" "Too many moves"
        "Every event that an `on` clause covers counts once for each of its targets. The limit is 2^21 in all."
        "rwb 1\nevent e[1000]\nthread T { for i in 0..3000 { state s[i] { on * -> s[0] } } }",
        "rwb 1\nevent e[10]\nthread T { for i in 0..30 { state s[i] { on * -> s[0] } } }";
    LIMIT_UNROLLED "limit::unrolled" "The program is too large after unrolling"
        "`for` and `repeat` are unrolled while reading; a program has at most 4,000,000 parts after that."
        "rwb 1\nevent a\nthread T { body { repeat 1000000000 { wait a } } }",
        "rwb 1\nevent a\nthread T { body { repeat 10 { wait a } } }";
    LIMIT_VARIABLES "limit::variables" "Too many variables"
        "A formula has at most 2^26 variables."
        "p cnf 999999999 0\n", "p cnf 999 0\n";
    LIMIT_CLAUSES "limit::clauses" "Too many clauses"
        "A formula has at most 4,000,000 clauses."
        "p cnf 1 999999999\n1 0\n", "p cnf 1 1\n1 0\n";
    CNF_HEADER "cnf::header" "The formula has no valid header"
        "A DIMACS file begins, after comment lines that start with `c`, with the line `p cnf VARIABLES CLAUSES`."
        "p dnf 2 1\n1 2 0\n", "p cnf 2 1\n1 2 0\n";
    CNF_SYNTAX "cnf::syntax" "This is not a literal"
        "Clauses are numbers between blanks: a variable, or with `-` its negation; 0 ends a clause."
        "p cnf 2 1\n1 x2 0\n", "p cnf 2 1\n1 2 0\n";
    CNF_TRAILER "cnf::trailer" "Lines `%` and `0` after the last clause (warning)"
        "The files of SATLIB end so, although the format has no such lines. They are left out."
        "p cnf 2 1\n1 2 0\n%\n0\n", "p cnf 2 1\n1 2 0\n";
    CNF_LITERAL "cnf::literal" "A literal of a variable that is not declared"
        "The header says how many variables there are."
        "p cnf 2 1\n1 3 0\n", "p cnf 3 1\n1 3 0\n";
    CNF_COUNT "cnf::count" "The number of clauses is not the declared one"
        "A file with fewer clauses than its header says is probably cut off. A file with more clauses has a wrong \
         header."
        "p cnf 2 2\n1 2 0\n", "p cnf 2 1\n1 2 0\n";
    CNF_UNFINISHED "cnf::unfinished" "The last clause has no end"
        "Every clause ends with 0, the last one too."
        "p cnf 2 1\n1 2\n", "p cnf 2 1\n1 2 0\n";
}
