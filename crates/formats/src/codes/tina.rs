//! Codes of Tina's textual nets.

use super::codes;

const GOOD: &str = "tr t p*2 -> q\npl p (2)\n";

codes! {
    TINA_SYNTAX "tina::syntax" "Something else was expected"
        "The text does not follow the grammar at this place. The grammar is in docs/tina.md."
        "tr t p*2 q\n", GOOD;
    TINA_NAME "tina::name" "Not a name"
        "A name in braces has at least one character, and a backslash before each brace and backslash in it."
        "tr t {a\\b} -> q\n", "tr t {a\\\\b} -> q\n";
    TINA_KEYWORD "tina::keyword" "A keyword with capital letters"
        "Keywords are in lower case. A node that has the name of a keyword, in any case, is written in braces."
        "tr t PL -> q\n", "tr t {PL} -> q\n";
    TINA_NUMBER "tina::number" "Not a number that can stand here"
        "Numbers are decimal digits, and one of the letters K, M, G, T, P and E may follow. Weights are at least 1."
        "tr t p*0 -> q\n", GOOD;
    TINA_UNKNOWN "tina::unknown-name" "A label for a node that no declaration has"
        "`lb` gives a label to a node that is in a declaration `tr` or `pl`."
        "tr t p -> q\nlb r done\n", "tr t p -> q\nlb q done\n";
    TINA_ARC "tina::arc-direction" "An arc to a place that only tests tokens"
        "Test, inhibitor and stopwatch arcs lead from places to transitions."
        "tr t p -> q?2\n", "tr t p q?2 -> \n";
    TINA_REPEATED "tina::repeated-arc" "A second test or inhibitor arc between the same nodes"
        "It is not clear whether the weights of two such arcs add up or both count. Write one arc."
        "tr t p?2 p?3 -> q\n", "tr t p?3 -> q\n";
    TINA_TIME "tina::time" "A time interval"
        "Nets with time are not supported, because intervals change which markings are reachable. The interval `[0,w[` \
         stands for no time."
        "tr t [1,2] p -> q\n", "tr t [0,w[ p -> q\n";
    TINA_PRIORITY "tina::priority" "A priority"
        "Priorities are not supported, because they change which markings are reachable."
        "tr t p -> q\ntr u p ->\npr t > u\n", "tr t p -> q\ntr u p ->\n";
    TINA_STOPWATCH "tina::stopwatch" "A stopwatch arc"
        "Stopwatch arcs are about time, which is not supported. Test arcs are written `p?3`, inhibitor arcs `p?-3`."
        "tr t p!3 -> q\n", "tr t p?3 -> q\n";
    TINA_NEVER "tina::never-enabled" "A transition that can never fire (warning)"
        "An inhibitor arc forbids the tokens that another arc of the transition requires."
        "tr t p*2 p?-2 -> q\n", "tr t p*2 p?-3 -> q\n";
}
