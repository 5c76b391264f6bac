//! Codes of AIGER circuits.

use super::codes;

const GOOD: &str = "aag 3 1 1 0 1 1\n2\n4 6\n6\n6 4 2\n";

codes! {
    AIGER_HEADER "aiger::header" "The circuit has no proper header"
        "The first line is `aag` (text) or `aig` (binary) and the numbers M I L O A: the largest variable, inputs, latches, outputs and gates, then perhaps B C J F: bad states, constraints, justice properties and fairness constraints. M is at least I + L + A, in binary files just that."
        "aag 2 1 1 0 1 1\n2\n4 6\n6\n6 4 2\n", GOOD;
    AIGER_SYNTAX "aiger::syntax" "Something else was expected"
        "After the header come, one to a line, inputs, latches (with what they hold next, and perhaps their reset value), outputs, bad states, constraints, and gates with their operands: numbers with one blank between them. The form is in docs/aiger.md."
        "aag 3 1 1 0 1 1\n2\n4 x\n6\n6 4 2\n", GOOD;
    AIGER_UNFINISHED "aiger::unfinished" "The file ends too early"
        "The header promises more than there is. The file is probably cut off."
        "aag 3 1 1 0 1 1\n2\n4 6\n6\n", GOOD;
    AIGER_LITERAL "aiger::literal" "There is no such literal"
        "Variable v is the literal 2v, its negation 2v + 1, with v up to the first number of the header; 0 and 1 are the constants. Only even literals from 2 on can be inputs, latches and gates."
        "aag 3 1 1 0 1 1\n2\n4 8\n6\n6 4 2\n", GOOD;
    AIGER_DEFINED "aiger::defined-twice" "Defined twice"
        "A variable is an input, a latch or a gate, and only one of these."
        "aag 3 1 1 0 1 1\n2\n4 6\n4\n4 4 2\n", GOOD;
    AIGER_UNDEFINED "aiger::undefined" "Not defined"
        "The variable is used, but it is no input, no latch and no gate."
        "aag 4 1 1 0 1 1\n2\n4 8\n6\n6 4 2\n", GOOD;
    AIGER_CYCLE "aiger::cycle" "A gate that needs itself"
        "The operands of a gate must not depend on the gate. Only latches carry values from one frame to the next."
        "aag 4 1 1 0 2 1\n2\n4 6\n6\n6 4 8\n8 6 2\n", GOOD;
    AIGER_RESET "aiger::reset" "No reset value"
        "A latch starts with 0 (if nothing is said), with 1, or with either of them, which is written as the latch itself."
        "aag 3 1 1 0 1 1\n2\n4 6 2\n6\n6 4 2\n", "aag 3 1 1 0 1 1\n2\n4 6 4\n6\n6 4 2\n";
    AIGER_DELTA "aiger::delta" "The gates of a binary file are out of order"
        "In binary files a gate's literal is larger than those of its operands, and the differences are written: to the larger operand, and from there to the smaller one. The message names the byte. Often the file was changed by a program that took it for text."
        "aig 1 0 0 0 1\n\u{0}\u{0}", "aig 1 0 0 0 1\n\u{1}\u{1}";
    AIGER_SYMBOL "aiger::symbol" "A name for nothing"
        "After the gates come names, as `i0 name` for the first input, likewise `l` for latches, `o` outputs, `b` bad states, `c` constraints, `j` and `f`; each at most once. A line `c` begins the comment, which goes to the end of the file."
        "aag 3 1 1 0 1 1\n2\n4 6\n6\n6 4 2\ni1 x\n", "aag 3 1 1 0 1 1\n2\n4 6\n6\n6 4 2\ni0 x\n";
    AIGER_LIVENESS "aiger::liveness" "Justice and fairness are passed over (warning)"
        "What must happen again and again is not asked: only bad states are, or outputs if there are none. (Fairness does not change which bad states can be reached.)"
        "aag 1 1 0 0 0 1 0 0 1\n2\n2\n2\n", "aag 1 1 0 0 0 1\n2\n2\n";
    AIGER_NO_PROPERTY "aiger::no-property" "Nothing is asked of the circuit (warning)"
        "Bad states must never be true; of a file without any, outputs must not."
        "aag 1 1 0 0 0\n2\n", "aag 1 1 0 0 0 1\n2\n2\n";
    LIMIT_NODES "limit::nodes" "Too many variables in a circuit"
        "A circuit has at most 2^22 variables."
        "aag 99999999 0 0 0 0\n", "aag 1 1 0 0 0 1\n2\n2\n";
    LIMIT_PORTS "limit::ports" "Too many inputs, latches and outputs"
        "Inputs, latches, outputs, bad states and constraints are at most 2^20 together."
        "aag 4000000 4000000 0 0 0\n", "aag 1 1 0 0 0 1\n2\n2\n";
}
