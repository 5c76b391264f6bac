//! Codes of BFC `.tts` and `.prop` files.

use super::codes;

codes! {
    TTS_CHARACTER "tts::unexpected-character" "A character without meaning"
        "States are numbers from 0 on; there are `->`, `+>`, `~>`, and in targets `|` and `,`. A comment goes from \
         `#` to the end of the line."
        "2 2\n0 0 => 0 1\n", "2 2\n0 0 -> 0 1\n";
    TTS_LONE_CR "tts::lone-carriage-return" "A carriage return without line feed"
        "Lines end with LF or with CR LF. A lone CR would end a line for some readers and not for others, so it is \
         refused."
        "2 2\r0 0 -> 0 1\n", "2 2\r\n0 0 -> 0 1\r\n";
    TTS_SYNTAX "tts::syntax" "Something else was expected"
        "The line does not follow the grammar. The grammar is in docs/tts.md."
        "2 2\n0 0 -> 0\n", "2 2\n0 0 -> 0 1\n";
    TTS_STATE "tts::no-such-state" "The system has no such state"
        "States are counted from 0: with the first line `2 3` there are shared states 0 and 1, and local states 0, 1 \
         and 2."
        "2 2\n0 0 -> 0 2\n", "2 3\n0 0 -> 0 2\n";
    TTS_EMPTY "tts::no-states" "No shared or no local states"
        "The first two numbers are the shared and the local states, at least one each."
        "2 0\n", "2 1\n";
    TTS_IDLE_BROADCAST "tts::idle-broadcast" "A broadcast without a step of its own"
        "The thread that broadcasts moves to another local state, or the shared state changes. (A line without \
         passive moves that changes nothing is ignored.)"
        "1 3\n0 0 -> 0 0 1 ~> 2\n", "2 3\n0 0 -> 1 0 1 ~> 2\n";
    TTS_PASSIVE "tts::passive-moves" "Passive moves in a line that is not a broadcast"
        "Only a line with `->` moves other threads as well."
        "1 3\n0 0 +> 0 1 1 ~> 2\n", "1 3\n0 0 -> 0 1 1 ~> 2\n";
    TTS_REPEATED_TARGET "tts::repeated-target" "A second target"
        "A file has at most one target, in a line of its own before the transitions; a `.prop` file has exactly one."
        "0|1\n1 2\n0|1,1\n0 0 -> 0 1\n", "0|1\n1 2\n0 0 -> 0 1\n";
    TTS_NEVER "tts::unknown-target-state" "A target names a state that the system does not have (warning)"
        "No thread and no shared state is ever there, so the target is never covered: the answer is `safe`. States \
         are counted from 0."
        "0|2\n1 2\n0 0 -> 0 1\n", "0|1\n1 2\n0 0 -> 0 1\n";
    TTS_TRANSFER "tts::transfer" "A transfer that changes the shared state (warning)"
        "`0 1 ~> 1 2` moves all threads from local state 1 to 2, and requires at least one there. BFC reads the line \
         as a broadcast of a thread outside the system, which is possible even if no thread is in local state 1. The \
         published input language of BFC has no such line, so write the broadcast that is meant."
        "2 3\n0 0 -> 0 1\n0 1 ~> 1 2\n", "2 3\n0 0 -> 0 1\n0 1 -> 1 2 1 ~> 2\n";
    TTS_STUTTER "tts::self-loop" "A line that changes nothing (warning)"
        "Like other tools, the reader ignores the line. So a state in which nothing else is possible counts as a \
         deadlock."
        "1 2\n0 0 -> 0 0\n0 0 -> 0 1\n", "1 2\n0 0 -> 0 1\n";
}
