//! Codes of LRAT proofs.

use super::codes;

codes! {
    LRAT_SYNTAX "lrat::syntax" "This is not a step of a proof"
        "A step adds a clause (`ID LITERALS 0 HINTS 0`) or deletes clauses (`ID d IDS 0`). Clauses are numbered from \
         1. The clauses of the formula come first."
        "3 1 0 1 x 0\n", "3 1 0 1 2 0\n";
    LRAT_UNFINISHED "lrat::unfinished" "The last step has no end"
        "Every list of numbers ends with 0, the hints of the last step too. A file without it is probably cut off."
        "3 1 0 1 2\n", "3 1 0 1 2 0\n";
    LRAT_RAT "lrat::rat" "A step that may change the models"
        "A step with a negative hint is a RAT step. It keeps at least one model of the formula, but perhaps not all \
         models. The reader accepts only clauses that follow by unit propagation along their hints. Solvers write such \
         proofs if techniques like blocked clause elimination are switched off."
        "3 1 0 -1 2 0\n", "3 1 0 1 2 0\n";
}
