//! Codes of MIST `.spec` files.

use super::codes;

codes! {
    SPEC_CHARACTER "spec::unexpected-character" "A character without meaning"
        "Names are ASCII letters, digits and `_`. Anything is allowed in comments, which go from `#` to the end of \
         the line."
        "vars x rules init x = 0 target x > 1", "vars x rules init x = 0 target x >= 2";
    SPEC_LONE_CR "spec::lone-carriage-return" "A carriage return without line feed"
        "Lines end with LF or with CR LF. A lone CR would end a comment for some readers and not for others, so it is \
         refused."
        "vars x # one\rrules init x = 0 target x >= 1", "vars x # one\r\nrules init x = 0 target x >= 1";
    SPEC_BAD_NUMBER "spec::bad-number" "Neither number nor name"
        "A name does not begin with a digit, and numbers are decimal."
        "vars x rules init x = 0x10 target x >= 1", "vars x rules init x = 16 target x >= 1";
    SPEC_NEGATIVE "spec::negative-number" "A negative number of tokens"
        "Places hold 0 tokens or more, and no condition asks for less. A rule takes tokens away with `x' = x - 2`."
        "vars x rules init x = -1 target x >= 1", "vars x rules init x = 1 target x >= 1";
    SPEC_SYNTAX "spec::syntax" "Something else was expected"
        "The text does not follow the grammar at this place. The grammar is in docs/spec.md."
        "vars x rules x >= 1 -> x' = x + 1 init x = 1 target x >= 2",
        "vars x rules x >= 1 -> x' = x + 1; init x = 1 target x >= 2";
    SPEC_DUPLICATE "spec::duplicate-variable" "Declared twice"
        "Every variable is declared once in `vars`."
        "vars x y x rules init x = 0, y = 0 target x >= 1", "vars x y rules init x = 0, y = 0 target x >= 1";
    SPEC_UNDECLARED "spec::undeclared-variable" "The variable is not declared"
        "All variables are declared in `vars`."
        "vars idle rules init idel = 1 target idle >= 2", "vars idle rules init idle = 1 target idle >= 2";
    SPEC_REPEATED "spec::repeated-variable" "A variable stands twice in one list"
        "In one guard, in `init`, in one conjunction and in one line of `invariants` a variable stands once. For a \
         range write `x in [1, 3]`."
        "vars x rules init x = 0 target x >= 1, x >= 2", "vars x rules init x = 0 target x >= 2";
    SPEC_TWO_VALUES "spec::two-values" "A rule gives a variable two values"
        "All updates of a rule happen at once, so a variable has one value after them. The same update twice is only a \
         warning."
        "vars x rules true -> x' = 0, x' = 1; init x = 0 target x >= 1", "vars x rules true -> x' = 1; init x = 0 \
            target x >= 1";
    SPEC_SAME_UPDATE "spec::same-update" "The same update twice (warning)"
        "The rule gives a variable the same value twice, which counts once, as in mist."
        "vars x rules true -> x' = x + 1, x' = x + 1; init x = 0 target x >= 1",
        "vars x rules true -> x' = x + 1; init x = 0 target x >= 1";
    SPEC_RANGE "spec::backward-range" "The range has no number in it"
        "`x in [a, b]` means a <= x <= b."
        "vars x rules init x in [3, 1] target x >= 2", "vars x rules init x in [1, 3] target x >= 2";
    SPEC_GUARD "spec::guard-too-small" "The rule takes more than its guard requires"
        "`x' = x - 2` needs the guard `x >= 2`, or another one under which x is at least 2."
        "vars x rules x >= 1 -> x' = x - 2; init x = 5 target x >= 6",
        "vars x rules x >= 2 -> x' = x - 2; init x = 5 target x >= 6";
    SPEC_UNGUARDED "spec::unguarded-sum" "A sum that could become negative"
        "The guards on the variables of a sum add up to at least what is subtracted."
        "vars x y rules x >= 1 -> x' = 0, y' = y + x - 2; init x = 5, y = 0 target y >= 2",
        "vars x y rules x >= 2 -> x' = 0, y' = y + x - 2; init x = 5, y = 0 target y >= 2";
    SPEC_IMPLIED "spec::implied-guard" "A guard that is not written (warning)"
        "`x' = x - 2` in a rule without a guard on x is read as if the guard `x >= 2` stood there."
        "vars x rules true -> x' = x - 2; init x = 5 target x >= 6",
        "vars x rules x >= 2 -> x' = x - 2; init x = 5 target x >= 6";
    SPEC_NO_INIT "spec::missing-from-init" "A variable is missing from `init` (warning)"
        "The variable may start with any number of tokens. mist has the same rule: every variable starts with 0 to \
         infinity tokens, unless `init` narrows this range."
        "vars x y rules init x = 1 target x >= 2", "vars x y rules init x = 1, y = 0 target x >= 2";
    SPEC_NO_TARGET "spec::no-target" "Nothing is asked (warning)"
        "The section `target` is empty, so no marking is a goal."
        "vars x rules init x = 1 target", "vars x rules init x = 1 target x >= 2";
    SPEC_INVARIANT "spec::false-invariant" "A false line of `invariants` (warning)"
        "A line gives weights: `a = 1, b = 2` says that a + 2 b never changes. Some rule changes it. The section is a \
         hint for other tools and is not used."
        "vars a b rules a >= 1 -> a' = a - 1, b' = b + 1; init a = 1, b = 0 target b >= 2 invariants a = 1, b = 2",
        "vars a b rules a >= 1 -> a' = a - 1, b' = b + 1; init a = 1, b = 0 target b >= 2 invariants a = 1, b = 1";
    SPEC_UNCHECKED "spec::unchecked-invariants" "Too many lines of `invariants` (warning)"
        "Checking all lines against all rules would take too long. The section is a hint for other tools and is not \
         used."
        "a file with 100,000 lines of `invariants` for 10,000 rules", "a file without `invariants`";
}
