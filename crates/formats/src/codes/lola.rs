//! Codes of LoLA files. The examples of formulas are about a net with a place `p` and a transition `t`.

use super::codes;

const GOOD: &str = "PLACE p, q;\nMARKING p: 1;\nTRANSITION t CONSUME p: 1; PRODUCE q: 2;\n";

codes! {
    LOLA_SYNTAX "lola::syntax" "Something else was expected"
        "The text does not follow the grammar at this place. The grammar is in docs/lola.md."
        "PLACE p, q;\nMARKING p: 1;\nTRANSITION t CONSUME p: 1 PRODUCE q: 2;\n", GOOD;
    LOLA_NUMBER "lola::number" "Not a natural number"
        "Numbers are decimal digits, of any size, and not negative."
        "PLACE p, q;\nMARKING p: -1;\n", GOOD;
    LOLA_UNKNOWN "lola::unknown-name" "A name that is not declared"
        "Places are declared with PLACE, transitions with TRANSITION; upper and lower case are different."
        "PLACE p, q;\nMARKING P: 1;\n", GOOD;
    LOLA_DUPLICATE "lola::duplicate-name" "Declared twice"
        "All places have different names, and so have all transitions."
        "PLACE p, p;\nMARKING ;\n", GOOD;
    LOLA_REPEATED "lola::repeated-place" "A place stands twice in one list (warning)"
        "The numbers are added up, which may not be what was meant."
        "PLACE p, q;\nMARKING p: 1, p: 2;\n", "PLACE p, q;\nMARKING p: 3;\n";
    LOLA_REACHABILITY "lola::not-reachability" "A formula of a logic that is not supported"
        "A formula about a net has a quantifier `A` or `E` before each temporal operator (computation tree logic), or \
         one before the whole formula, or none (linear temporal logic): `AG EF p >= 1`, `E (F p >= 1 AND G q = 0)`, \
         `G (p >= 1 -> F p = 0)`. About a program, `EF phi` and `AG phi` have a quantifier, and temporal formulas have \
         none."
        "EF (G p >= 2 AND AG p >= 1)", "EF (EG p >= 2 AND AG p >= 1)";
    LOLA_TYPE "lola::operands" "Operands of the wrong kind"
        "Numbers are added, multiplied and compared. Comparisons are connected by AND, OR and NOT. Products of places \
         are compared with numbers."
        "EF (p AND p >= 2)", "EF (p >= 1 AND p <= 2)";
}
