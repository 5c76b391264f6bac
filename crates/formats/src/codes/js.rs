//! Codes of BPjs programs.

use super::codes;

const GOOD: &str = "bp.registerBThread(\"T\", function() {\n  for (let i = 0; i < 3; i++) bp.sync({ request: \
bp.Event(\"e\", i) });\n  bp.sync({ waitFor: bp.EventSet(\"any\", e => e.data > 5) });\n});\n";

codes! {
    JS_SYNTAX "js::syntax" "The text is not JavaScript"
        "The text does not follow the grammar of JavaScript at this place. Names that are declared twice, and \
         `break` or `continue` outside of a loop, belong here, too."
        "bp.registerBThread(\"T\", function() { bp.sync({ request bp.Event(\"e\") }); });\n", GOOD;
    JS_UNSUPPORTED "js::unsupported" "Outside of the subset of JavaScript and BPjs"
        "Programs are run by an interpreter for a subset of JavaScript, so that whole states are known at every \
         sync. The subset has functions, closures, arrays, plain objects and their common methods. It has no \
         classes, prototypes, generators or modules, and only simple regular expressions. Of BPjs, it has b-threads \
         with `bp.sync`, events with data, event sets, assertions, random choices, the store, forks and external \
         events. What BPjs leaves open is refused, too. docs/bpjs.md lists what is read."
        "bp.registerBThread(\"T\", function() { bp.sync({ request: bp.Event(\"e\", bp.getTime()) }); });\n", GOOD;
    JS_UNKNOWN "js::unknown-name" "The name is not declared"
        "Every variable is declared with `const`, `let`, `var`, `function` or as a parameter, or assigned. The \
         environment has `bp`, `Math`, `JSON`, `Object`, `Array`, `Number`, `String` and a few functions."
        "bp.registerBThread(\"T\", function() { bp.sync({ request: hot }); });\n", GOOD;
    JS_RUNTIME "js::runtime" "The top-level script or a predicate fails"
        "An error is thrown and not caught, or an assertion fails, in the top-level script or in the predicate of \
         an event set. (In a b-thread, this is a bad state.) A predicate is asked about every event that some \
         b-thread requests, with data or without, and returns `true` or `false`."
        "const size = null;\nconst half = size.width / 2;\n", GOOD;
    JS_LOOP "js::loop" "Too many steps without a sync"
        "Between two syncs, a b-thread takes a million steps at most. The same limit holds for the top-level script \
         and for each predicate. Calls inside of calls, and the ways through random choices, are limited, too."
        "bp.registerBThread(\"T\", function() { while (true) { } });\n", GOOD;
    JS_MEMORY "js::memory" "Values take too much memory"
        "The numbers of values that are made between two syncs, of the elements of an array, of the characters of a \
         text and of the values in all states of a b-thread are limited."
        "const list = [];\nlist[100000000] = 1;\n", GOOD;
    JS_SHARED "js::shared" "A b-thread changes what other b-threads can reach"
        "A variable or object that several b-threads can reach is only read by them: one of the top-level script, \
         or one that a b-thread shares with a b-thread that it registers. BPjs runs b-threads in no fixed order, and \
         does not restore such a variable when it verifies. The store (`bp.store`) is the exception; its objects \
         change only where the order does not matter."
        "let turn = 0;\nfor (const name of [\"A\", \"B\"]) {\n  bp.registerBThread(name, function() { turn++; });\n}\n",
        GOOD;
    JS_PURE "js::pure" "The predicate of an event set changes something"
        "A predicate only answers whether an event is in the set. It is asked at any time and in any order, so it \
         changes no variable or object, does not sync, and does not use the store. Interrupt handlers do not use \
         the store either."
        "bp.registerBThread(\"T\", function() {\n  let n = 0;\n  \
         const set = bp.EventSet(\"s\", e => { n++; return true; \
         });\n  \
         bp.sync({ request: bp.Event(\"e\"), block: set });\n});\n",
        GOOD;
    JS_UNSET "js::unset" "A global variable is tested before anything sets it (warning)"
        "The host of a BPjs program may set global variables before the program runs, and the program may have a \
         default: `if (!SIZE) SIZE = 5;`. The test counts as true here. Without a host that sets the variable, BPjs \
         fails at the test. `--define SIZE=7` sets the variable, and a declaration tells that only the text sets it."
        "if (!SIZE) SIZE = 5;\n\
         bp.registerBThread(\"T\", function() { bp.sync({ request: bp.Event(\"e\" + SIZE) }); });\n",
        "let SIZE = 5;\n\
         bp.registerBThread(\"T\", function() { bp.sync({ request: bp.Event(\"e\" + SIZE) }); });\n";
    JS_PRIORITY "js::priority" "The data of a sync may be a priority (warning)"
        "BPjs ignores the data of `bp.sync` in its default strategy, and takes a number as the priority of the \
         requests in `PrioritizedBSyncEventSelectionStrategy`. The text of a program does not name its strategy: \
         `--strategy NAME` does, or a comment `// @strategy NAME`, with the name `simple` or `prioritized-bsync`."
        "bp.registerBThread(\"T\", function() { bp.sync({ request: bp.Event(\"e\") }, 5); });\n",
        "// @strategy prioritized-bsync\n\
         bp.registerBThread(\"T\", function() { bp.sync({ request: bp.Event(\"e\") }, 5); });\n";
    JS_ROUND "js::round" "A variable of a loop has another value in BPjs (warning)"
        "In JavaScript, a `const` in a loop is a new constant in each round, and functions that are made in a round of \
         `for (let i = ..)` have an `i` of their own. The programs are read so. The engine of BPjs keeps the first \
         value of the constant, has one `i` for all rounds, and keeps the last value of a `let x;`. A `let` in the \
         body of the loop that gets a value at once means the same in both."
        "bp.registerBThread(\"T\", function() {\n  \
           while (true) { const e = bp.sync({ request: bp.Event(\"a\") }); }\n});\n",
        "bp.registerBThread(\"T\", function() {\n  \
           while (true) { let e = bp.sync({ request: bp.Event(\"a\") }); }\n});\n";
    JS_NO_THREAD "js::no-thread" "No b-thread is registered"
        "The top-level script registers at least one b-thread with `bp.registerBThread`."
        "function thread() { bp.sync({ request: bp.Event(\"e\") }); }\n", GOOD;
}
