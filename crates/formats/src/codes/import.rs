//! Codes of imported programs (JSON, version 2).

use super::codes;

codes! {
    IMPORT_SYNTAX "import::syntax" "This is not an SMT-LIB term"
        "A predicate or a value is one SMT-LIB term: a symbol, a numeral, a string, or a list `(OPERATOR TERM ..)`. \
         Numerals have no sign: `-5` is written `(- 5)`."
        "{\"rwb\": 2, \"events\": [{\"name\": \"e\", \"parameters\": [{\"name\": \"v\", \"sort\": \"Int\"}]}], \
         \"threads\": [{\"name\": \"T\", \"states\": [{\"name\": \"s\", \"block\": [{\"event\": \"e\", \"when\": \
         \"(< v 5\"}]}]}]}",
        "{\"rwb\": 2, \"events\": [{\"name\": \"e\", \"parameters\": [{\"name\": \"v\", \"sort\": \"Int\"}]}], \
         \"threads\": [{\"name\": \"T\", \"states\": [{\"name\": \"s\", \"block\": [{\"event\": \"e\", \"when\": \
         \"(< v 5)\"}]}]}]}";
    IMPORT_OPERATOR "import::operator" "The operator is not supported here"
        "Terms are over integers, truth values and strings: `and or not => xor = distinct < <= > >= + - * div mod abs \
         ite let`. Each takes its number of terms."
        "{\"rwb\": 2, \"events\": [{\"name\": \"e\", \"parameters\": [{\"name\": \"v\", \"sort\": \"Int\"}]}], \
         \"threads\": [{\"name\": \"T\", \"states\": [{\"name\": \"s\", \"block\": [{\"event\": \"e\", \"when\": \
         \"(bvult v 5)\"}]}]}]}",
        "{\"rwb\": 2, \"events\": [{\"name\": \"e\", \"parameters\": [{\"name\": \"v\", \"sort\": \"Int\"}]}], \
         \"threads\": [{\"name\": \"T\", \"states\": [{\"name\": \"s\", \"block\": [{\"event\": \"e\", \"when\": \
         \"(< v 5)\"}]}]}]}";
    IMPORT_SORT "import::sort" "The sort is not supported"
        "A sort is `\"Int\"`, `\"Bool\"`, a range `{\"range\": [0, 9]}`, a list of strings, or the name of a sort that \
         `sorts` declares before it."
        "{\"rwb\": 2, \"events\": [{\"name\": \"e\", \"parameters\": [{\"name\": \"v\", \"sort\": \"Real\"}]}], \
         \"threads\": []}",
        "{\"rwb\": 2, \"events\": [{\"name\": \"e\", \"parameters\": [{\"name\": \"v\", \"sort\": \"Int\"}]}], \
         \"threads\": []}";
    IMPORT_BINDING "import::binding" "The value is not always known"
        "An assignment may read a parameter if every event of its move has this parameter, with the same sort."
        "{\"rwb\": 2, \"events\": [\"go\", {\"name\": \"e\", \"parameters\": [{\"name\": \"v\", \"sort\": \"Int\"}]}], \
         \"threads\": [{\"name\": \"T\", \"variables\": [{\"name\": \"x\", \"sort\": \"Int\"}], \"states\": [{\
         \"name\": \"s\", \"on\": [{\"events\": [\"go\", \"e\"], \"to\": [\"s\"], \"set\": {\"x\": \"v\"}}]}]}]}",
        "{\"rwb\": 2, \"events\": [\"go\", {\"name\": \"e\", \"parameters\": [{\"name\": \"v\", \"sort\": \"Int\"}]}], \
         \"threads\": [{\"name\": \"T\", \"variables\": [{\"name\": \"x\", \"sort\": \"Int\"}], \"states\": [{\
         \"name\": \"s\", \"on\": [{\"events\": [\"e\"], \"to\": [\"s\"], \"set\": {\"x\": \"v\"}}]}]}]}";
}
