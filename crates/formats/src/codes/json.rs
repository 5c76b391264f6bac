//! Codes of JSON input.

use super::codes;

codes! {
    JSON_SYNTAX "json::syntax" "This is not JSON"
        "The text breaks off or breaks the rules of JSON at this place."
        "{\"rwb\": 1, \"events\": [\"a\",], \"threads\": []}", "{\"rwb\": 1, \"events\": [\"a\"], \"threads\": []}";
    JSON_DUPLICATE_KEY "json::duplicate-key" "A key stands twice in one object"
        "The reader would have to guess which of the two values is meant."
        "{\"rwb\": 1, \"events\": [], \"events\": [\"a\"], \"threads\": []}", "{\"rwb\": 1, \"events\": \
            [\"a\"], \"threads\": []}";
    JSON_UNKNOWN_KEY "json::unknown-key" "The key is not known"
        "Unknown keys are refused, so that typing errors do not silently change the meaning of a file."
        "{\"rwb\": 1, \"event\": [\"a\"], \"threads\": []}", "{\"rwb\": 1, \"events\": [\"a\"], \"threads\": []}";
    JSON_MISSING_KEY "json::missing-key" "A key is missing"
        "A program has `rwb`, `events` and `threads`; a thread has `name` and `states`; a state has `name`."
        "{\"rwb\": 1, \"events\": [\"a\"]}", "{\"rwb\": 1, \"events\": [\"a\"], \"threads\": []}";
    JSON_TYPE "json::wrong-type" "A value of the wrong type"
        "The message tells what is expected at this place."
        "{\"rwb\": 1, \"events\": \"a\", \"threads\": []}", "{\"rwb\": 1, \"events\": [\"a\"], \"threads\": []}";
    JSON_VERSION "json::version" "The version of the format is not known"
        "This tool reads the versions 1 and 2. Version 2 has events with data, predicates and variables."
        "{\"rwb\": 3, \"events\": [], \"threads\": []}", "{\"rwb\": 1, \"events\": [], \"threads\": []}";
    JSON_NAME "json::bad-name" "A name that cannot be shown"
        "Names are not empty, and contain no control characters. Names other than letters, digits and `_`, perhaps \
         with indices (`s[0][1]`), are replaced when the program is written as text."
        "{\"rwb\": 1, \"events\": [\"\"], \"threads\": []}", "{\"rwb\": 1, \"events\": [\"a_b\"], \"threads\": []}";
    JSON_NO_TARGET "json::no-target" "An event without target"
        "Every event that `on` lists leads to at least one state. An event that must not happen in the state is \
         blocked."
        "{\"rwb\": 1, \"events\": [\"a\"], \"threads\": [{\"name\": \"T\", \"states\": [{\"name\": \"s\", \"on\": \
         {\"a\": []}}]}]}",
        "{\"rwb\": 1, \"events\": [\"a\"], \"threads\": [{\"name\": \"T\", \"states\": [{\"name\": \"s\", \"block\": \
         [\"a\"]}]}]}";
    JSON_BAD_HOT "json::bad-and-hot" "A state is bad and hot"
        "A run ends in a bad state, so a thread that is in one does not stay hot: only other states can be hot."
        "{\"rwb\": 1, \"events\": [], \"threads\": [{\"name\": \"T\", \"states\": [{\"name\": \"s\", \"bad\": true, \
         \"hot\": true}]}]}",
        "{\"rwb\": 1, \"events\": [], \"threads\": [{\"name\": \"T\", \"states\": [{\"name\": \"s\", \"bad\": \
         true}]}]}";
    JSON_STOP "json::stop" "A state with `stop` does not block all events"
        "`\"stop\": true` says that the program may end in this state of the thread, whatever the other threads do. \
         So the state blocks all events, and is not bad."
        "{\"rwb\": 1, \"events\": [\"a\"], \"threads\": [{\"name\": \"T\", \"states\": [{\"name\": \"s\", \"stop\": \
         true}]}]}",
        "{\"rwb\": 1, \"events\": [\"a\"], \"threads\": [{\"name\": \"T\", \"states\": [{\"name\": \"s\", \"block\": \
         \"all\", \"stop\": true}]}]}";
}
