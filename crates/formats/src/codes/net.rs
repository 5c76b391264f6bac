//! Codes that the formats of nets and thread-transition systems share.

use super::codes;

codes! {
    NET_INVALID "net::invalid" "The parts do not make a net"
        "The reader built a net or thread-transition system that breaks a rule of the model. An earlier check should \
         have reported this more clearly: please report it."
        "no known input gives this code", "any other input";
    NET_NEVER_MARKED "net::never-marked" "Emptied, but never filled (warning)"
        "A rule resets the place or transfers its tokens, but it has none at the start and no rule ever puts one there."
        "vars x y rules y >= 1 -> x' = 0, y' = y + 1; init x = 0, y = 1 target y >= 2",
        "vars x y rules y >= 1 -> x' = x + 1, y' = 0; init x = 0, y = 1 target x >= 2";
    VACUOUS_BAD "vacuous::no-bad-state" "No state is bad (warning)"
        "No state of any thread is marked `bad`, so `bad` is safe whatever the threads do. Mark one, or ask for \
         deadlocks only: `check deadlock`."
        "rwb 1\nevent a\ncheck bad\nthread T { body { loop { request a } } }\n",
        "rwb 1\nevent a\ncheck deadlock\nthread T { body { loop { request a } } }\n";
    VACUOUS_CONSTANT "vacuous::constant" "The question holds in every marking, or in none (warning)"
        "The answer follows from the fact that token counts are at least 0, or the question names no place. Runs do \
         not matter for the answer."
        "EF p >= 0", "EF p >= 1";
    VACUOUS_FIXED "vacuous::fixed-places" "The question is about places that never change (warning)"
        "No transition changes the places that the question names, so the initial marking decides it."
        "vars x y rules y >= 1 -> y' = y + 1; init x = 0, y = 1 target x >= 2",
        "vars x y rules y >= 1 -> y' = y + 1; init x = 0, y = 1 target y >= 2";
    VACUOUS_STILL "vacuous::no-transition" "The net has no transition (warning)"
        "Without transitions, the initial marking is the only reachable marking, and it is a deadlock."
        "EF DEADLOCK", "EF p >= 1";
    FORMAT_FEATURE "format::cannot-say" "The format cannot express this"
        "Formats differ in what they can express. The message names the first feature of the model that the format \
         cannot express."
        "a net with a reset arc, written as PNML", "the same net, written as .spec";
    FORMAT_GOALS "format::no-properties" "The format cannot express properties (warning)"
        "Only the system is written. Its questions are left out, and must be given again when the new file is checked."
        "a .spec file with a target, written as PNML", "a .spec file with an empty target, written as PNML";
    GOALS_SYSTEM "goals::wrong-system" "Goals for another kind of system"
        "Files of goals are about markings: they belong to nets or to thread-transition systems, and each of their \
         formats belongs to one of the two. A behavioral program has its goals in its `check` line."
        "a .prop file beside a .rwb file", "a .prop file beside a .tts file";
    ASK_NAME "ask::name" "Not a name for a question"
        "A question has a name in front of a colon: letters, digits, `_`, `.` and `-`. `bad`, `deadlock`, `final` and \
         `target` have fixed meanings."
        "deadlock: AG x <= 1", "never_both: AG x <= 1";
    ASK_NET "ask::net" "A question that does not fit this net"
        "Questions about workflows are about workflow nets, and questions about the initial marking are about nets \
         with one. The message says what the net lacks."
        "impasse check two_sources.pnml --ask SOUND", "impasse check two_sources.pnml --ask LIVENESS";
    ASK_PROGRAM "ask::program" "A question about a program that engines cannot answer"
        "Questions about programs are `EF phi` and `AG phi`, with statements about the states of threads at the same \
         time. Such a formula is split into sets of thread states, and there must not be thousands of them. \
         `DEADLOCK` must stand alone. A model with assumptions (`assume`) can be asked only for `bad` and `deadlock`. \
         The other questions are answered."
        "EF (DEADLOCK AND T.s)", "EF T.s";
    ASK_VARIABLE "ask::variable" "A question about a variable that has no answer"
        "A variable of a thread is compared with a value of its type: `T.n <= 3`, `T.side = North`. Truth values stand \
         alone, too. A question that names variables has the program read with their values in all states, so it must \
         come from the command line or from a file of formulas that the command line names."
        "EF T.side = West", "EF T.side = North";
    INIT_SYSTEM "init::wrong-system" "Nothing is left open at the start"
        "An initial state can be chosen for thread-transition systems, and for nets with places that have an open \
         initial count."
        "an initial state for a .rwb file", "an initial state for a .tts file";
    INIT_SYNTAX "init::syntax" "Not in the notation of initial states"
        "For nets it is a list like `x=7,y=2`, each place once. (For thread-transition systems it is `0|0`, `0/0` or \
         `1|0,1/2`: see docs/tts.md.)"
        "x:7", "x=7";
    INIT_UNKNOWN "init::unknown-place" "The net has no such place"
        "Initial counts are given to places by their names in the net."
        "z=7", "x=7";
    INIT_RANGE "init::out-of-range" "The place cannot start with this number of tokens"
        "An initial count that the file fixes stays as it is, and one that it bounds stays within its bounds."
        "y=7", "x=7";
    LIMIT_PLACES "limit::places" "Too many places"
        "A net has at most 2^19 places, a thread-transition system at most 2^19 shared and local states together."
        "a net with 2,000,000 places", "a net with 100,000 places";
    LIMIT_TRANSITIONS "limit::transitions" "Too many transitions"
        "A net or thread-transition system has at most 2^20 transitions."
        "a net with 2,000,000 transitions", "a net with 200,000 transitions";
    LIMIT_ARCS "limit::arcs" "Too many arcs"
        "The guards and effects of all transitions, with the terms of their sums, are at most 2^22 together."
        "a net with 5,000,000 arcs", "a net with 1,000,000 arcs";
    LIMIT_UNFOLDING "limit::unfolding" "A coloured net is too large to unfold"
        "A coloured net is read as the place/transition net of its colours and bindings. Finding these takes at most \
         2^24 steps, about one for each binding or token that is tried. A variable that no incoming arc and no \
         equality restricts takes every value of its sort. A place has fewer than 2^63 colours, and all names \
         together have the size of a file at most."
        "a transition whose condition compares five variables of 1000 colours that no arc names",
        "the same transition with arcs from places of these variables";
    LIMIT_PASSIVE "limit::passive-moves" "Too many passive moves"
        "The broadcasts of a thread-transition system have at most 2^20 passive moves together."
        "a system with 1,000 broadcasts of 10,000 passive moves each", "a system with 1,000 broadcasts of 100 passive \
            moves each";
    LIMIT_DIGITS "limit::digits" "A number of tokens is too long"
        "Numbers of tokens are exact, with at most 10,000 digits."
        "a marking with a million digits", "a marking with 5,000 digits";
    LIMIT_FORMULA "limit::formula" "The goals are too large"
        "The formulas of all goals have at most 2^21 atoms and connectives together."
        "a target with ten million atoms", "a target with 100,000 atoms";
}
