//! Codes of AIGER circuits.

use super::codes;

const GOOD: &str = "aag 3 1 1 0 1 1\n2\n4 6\n6\n6 4 2\n";

codes! {
    AIGER_HEADER "aiger::header" "The circuit has no valid header"
        "The first line is `aag` (text) or `aig` (binary) and the numbers M I L O A: the largest variable, inputs, \
         latches, outputs and gates, then perhaps B C J F: bad states, constraints, justice properties and fairness \
         constraints. M is at least I + L + A, and in binary files exactly I + L + A."
        "aag 2 1 1 0 1 1\n2\n4 6\n6\n6 4 2\n", GOOD;
    AIGER_SYNTAX "aiger::syntax" "Something else was expected"
        "The lines after the header have one item each: inputs, latches (with their next value, and optionally their \
         reset value), outputs, bad states, constraints, and gates with their operands. One blank separates two \
         numbers. The format is described in docs/aiger.md."
        "aag 3 1 1 0 1 1\n2\n4 x\n6\n6 4 2\n", GOOD;
    AIGER_UNFINISHED "aiger::unfinished" "The file ends too early"
        "The header promises more than the file contains. The file is probably cut off."
        "aag 3 1 1 0 1 1\n2\n4 6\n6\n", GOOD;
    AIGER_LITERAL "aiger::literal" "There is no such literal"
        "Variable v is the literal 2v, its negation 2v + 1, with v up to the first number of the header; 0 and 1 are \
         the constants. Only even literals from 2 on can be inputs, latches and gates."
        "aag 3 1 1 0 1 1\n2\n4 8\n6\n6 4 2\n", GOOD;
    AIGER_DEFINED "aiger::defined-twice" "Defined twice"
        "A variable is an input, a latch or a gate, and only one of these."
        "aag 3 1 1 0 1 1\n2\n4 6\n4\n4 4 2\n", GOOD;
    AIGER_UNDEFINED "aiger::undefined" "Not defined"
        "The variable is used, but it is no input, no latch and no gate."
        "aag 4 1 1 0 1 1\n2\n4 8\n6\n6 4 2\n", GOOD;
    AIGER_CYCLE "aiger::cycle" "A gate that depends on itself"
        "The operands of a gate must not depend on the gate. Only latches carry values from one frame to the next."
        "aag 4 1 1 0 2 1\n2\n4 6\n6\n6 4 8\n8 6 2\n", GOOD;
    AIGER_RESET "aiger::reset" "Not a reset value"
        "A latch starts with 0 (if nothing is said), with 1, or with either of them, which is written as the latch \
         itself."
        "aag 3 1 1 0 1 1\n2\n4 6 2\n6\n6 4 2\n", "aag 3 1 1 0 1 1\n2\n4 6 4\n6\n6 4 2\n";
    AIGER_DELTA "aiger::delta" "The gates of a binary file are out of order"
        "In binary files a gate's literal is larger than the literals of its operands, and the file contains two \
         differences: from the gate to its larger operand, and from the larger operand to the smaller one. The \
         message names the byte. Often the file was changed by a program that treated it as text."
        "aig 1 0 0 0 1\n\u{0}\u{0}", "aig 1 0 0 0 1\n\u{1}\u{1}";
    AIGER_SYMBOL "aiger::symbol" "A name for nothing"
        "Names follow the gates: `i0 name` for the first input, likewise `l` for latches, `o` outputs, `b` bad \
         states, `c` constraints, `j` and `f`; each at most once. A line `c` begins the comment, which goes to the \
         end of the file."
        "aag 3 1 1 0 1 1\n2\n4 6\n6\n6 4 2\ni1 x\n", "aag 3 1 1 0 1 1\n2\n4 6\n6\n6 4 2\ni0 x\n";
    AIGER_LIVENESS "aiger::liveness" "Fairness without justice property (warning)"
        "Fairness constraints say which infinite runs count for the justice properties. This circuit has no justice \
         property, so they have no effect. (Fairness does not change which bad states can be reached.)"
        "aag 1 1 0 0 0 1 0 0 1\n2\n2\n2\n", "aag 1 1 0 0 0 0 0 1 1\n2\n1\n2\n2\n";
    AIGER_NO_PROPERTY "aiger::no-property" "The circuit has no property (warning)"
        "The properties of a circuit are its bad states and its justice properties, or its outputs if there are \
         neither. No bad state or output may ever be true. This circuit has none of them."
        "aag 1 1 0 0 0\n2\n", "aag 1 1 0 0 0 1\n2\n2\n";
    LIMIT_NODES "limit::nodes" "Too many variables in a circuit"
        "A circuit has at most 2^22 variables."
        "aag 99999999 0 0 0 0\n", "aag 1 1 0 0 0 1\n2\n2\n";
    LIMIT_PORTS "limit::ports" "Too many inputs, latches and outputs"
        "Inputs, latches, outputs, bad states and constraints are at most 2^20 together."
        "aag 4000000 4000000 0 0 0\n", "aag 1 1 0 0 0 1\n2\n2\n";
}
