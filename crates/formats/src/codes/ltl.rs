//! Codes of lists of temporal formulas.

use super::codes;

const GOOD: &str = "#0: output Z responds to input C\n(G (! iC | (F oZ)))\n";

codes! {
    LTL_SYNTAX "ltl::syntax" "Something else was expected in a formula"
        "Formulas are `true`, `false`, propositions, `!`, `&`, `|`, `X`, `U`, `WU` (weak until), `R`, `G`, `F`, `->`, \
         `<->` and brackets, one formula in each line. A line `#K: English` stands above it, or a line of English \
         and a line of dashes below it."
        "#0: nothing\n(G ! iC | )\n", GOOD;
    LTL_PROPOSITION "ltl::proposition" "This is not a proposition"
        "`iC` says that the letter here is the input C (3), `oZ` that it is the output Z (26). After 26, numbers \
         replace letters: `i27`. Formulas about behavioral programs have events, patterns of events, `Thread.state`, \
         `hot`, `bad`, `end` and `deadlock` as propositions, and `enabled(EVENT)`, `ready(THREAD)`, `served(THREAD)` \
         and `hot(THREAD)`. Other names stand in quotes."
        "#0: nothing\n(G ! xC)\n", GOOD;
    LTL_SIZE "ltl::too-large" "A formula that is too large for the engines"
        "A question has at most 16384 parts: operators and different propositions. Its automaton would have too many \
         states."
        "a formula with 20,000 operators", "a smaller question";
    LTL_NUMBER "ltl::number" "The formulas are not numbered in order"
        "Formulas are called `ltl:K`, and K counts from 0 in the order of the list. If the list has numbers, they must \
         be the same."
        "#1: output Z does never occur\n(G ! oZ)\n", GOOD;
}
