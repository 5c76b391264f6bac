//! Codes of BTOR2 files.

use super::codes;

const GOOD: &str = "1 sort bitvec 1\n2 state 1\n3 bad 2\n";

codes! {
    BTOR2_SYNTAX "btor2::syntax" "Something else was expected"
        "A line is a number, an operator, a sort, operands, and perhaps a symbol. The lines are described in \
         docs/btor2.md."
        "1 sort bitvec 1\n2 state\n", GOOD;
    BTOR2_OPERATOR "btor2::operator" "There is no such operator"
        "The second word of a line is one of the operators of BTOR2. Files of the first version of BTOR have other \
         lines, and are not supported."
        "1 sort bitvec 1\n2 var 1\n", GOOD;
    BTOR2_DEFINED "btor2::defined-twice" "Defined twice"
        "Each line has a number that no other line has. A state has at most one `init` and one `next`."
        "1 sort bitvec 1\n1 state 1\n", GOOD;
    BTOR2_UNDEFINED "btor2::undefined" "Not defined"
        "The sort and the operands of a line are numbers of earlier lines: sorts where a sort is expected, and values \
         where a value is expected."
        "1 sort bitvec 1\n2 not 1 3\n3 state 1\n", "1 sort bitvec 1\n3 state 1\n4 not 1 3\n";
    BTOR2_SORT "btor2::sort" "The sorts do not fit"
        "Each operator takes operands of certain sorts, and its result has a sort that follows from them. The line \
         must declare this sort. Index and elements of an array are bit-vectors."
        "1 sort bitvec 1\n2 sort bitvec 4\n3 state 2\n4 redor 2 3\n",
        "1 sort bitvec 1\n2 sort bitvec 4\n3 state 2\n4 redor 1 3\n";
    BTOR2_CONSTANT "btor2::constant" "Not a constant of this width"
        "`const` takes one binary digit for each bit. `constd` takes a decimal number from -2^(w-1) to 2^w - 1, and \
         `consth` a hexadecimal number below 2^w, where w is the width."
        "1 sort bitvec 4\n2 constd 1 16\n", "1 sort bitvec 4\n2 constd 1 15\n";
    BTOR2_STATE "btor2::state" "Not a valid `init` or `next`"
        "`init` and `next` are about states. The initial value of a state uses only what stands before the line of the \
         state, and no input."
        "1 sort bitvec 1\n2 input 1\n3 state 1\n4 init 1 3 2\n", "1 sort bitvec 1\n2 zero 1\n3 state 1\n4 init 1 3 2\n";
    BTOR2_MEMORY "btor2::memory" "An array that is compared is too large"
        "If arrays of a sort are compared by `eq` or `neq`, each bit of each element of these arrays becomes a latch, \
         or an input. All latches and inputs are at most 2^20 together; this limit grows with the memory that may be \
         used (`--memory`). Arrays on which no property and no constraint depends are not counted. Arrays that are \
         only read and written may have any size."
        "1 sort bitvec 1\n2 sort bitvec 32\n3 sort array 2 1\n4 state 3\n5 state 3\n6 eq 1 4 5\n7 bad 6\n",
        "1 sort bitvec 1\n2 sort bitvec 4\n3 sort array 2 1\n4 state 3\n5 state 3\n6 eq 1 4 5\n7 bad 6\n";
    BTOR2_LIVENESS "btor2::liveness" "Fairness without justice property is skipped (warning)"
        "Fairness constraints say which infinite runs count for justice properties. They do not change which bad \
         states can be reached, so without a justice property they have no effect."
        "1 sort bitvec 1\n2 state 1\n3 bad 2\n4 fair 2\n", GOOD;
    BTOR2_NO_PROPERTY "btor2::no-property" "The system has no property (warning)"
        "The properties of a system are its bad states, none of which may ever be true, and its justice properties. \
         This system has none."
        "1 sort bitvec 1\n2 state 1\n", GOOD;
}
