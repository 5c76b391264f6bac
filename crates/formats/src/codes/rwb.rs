//! Codes of `.rwb` text.

use super::codes;

codes! {
    RWB_HEADER "rwb::header" "The file does not begin with `rwb 1`"
        "The first word tells the format and its version. Without it the file is probably something else."
        "event a\n", "rwb 1\nevent a\n";
    RWB_VERSION "rwb::version" "The version of the format is not known"
        "This tool reads the versions 1 and 2. Version 2 has variables and events with data."
        "rwb 3\nevent a\n", "rwb 2\nevent a\n";
    RWB_CHARACTER "rwb::unexpected-character" "A character without meaning"
        "Names are ASCII letters, digits and `_`. Anything is allowed in comments, which go from `#` to the end of \
         the line."
        "rwb 1\nevent caf\u{e9}\n", "rwb 1\nevent cafe   # the caf\u{e9}\n";
    RWB_LONE_CR "rwb::lone-carriage-return" "A carriage return without line feed"
        "Lines end with LF or with CR LF. A lone CR would end a comment for some readers and not for others, so it is \
         refused."
        "rwb 1 # version\revent a\n", "rwb 1 # version\r\nevent a\r\n";
    RWB_BAD_NUMBER "rwb::bad-number" "Neither number nor name"
        "A name does not begin with a digit, and numbers are decimal."
        "rwb 1\nconst n = 0x10\n", "rwb 1\nconst n = 16\n";
    RWB_SYNTAX "rwb::syntax" "Something else was expected"
        "The text does not follow the grammar at this place. The grammar is in docs/rwb.md."
        "rwb 1\nevent a\nthread T { state s { request a on a s } }\n",
        "rwb 1\nevent a\nthread T { state s { request a on a -> s } }\n";
    RWB_UNCLOSED "rwb::unclosed-brace" "A brace is not closed"
        "The file has fewer `}` than `{`. The place is the opening brace without an end: the innermost open brace \
         where the text continues with something that cannot stand inside it, or another one if its `}` is indented \
         less than the line of its `{`."
        "rwb 1\nevent a\nthread T { state s { request a } \n", "rwb 1\nevent a\nthread T { state s { request a } }\n";
    RWB_OUTSIDE "rwb::outside-body" "An act outside of a body"
        "A thread consists of states, each with the events that it requests and blocks, or of one `body` with its acts \
         in order. A request stands in a state or in the body, not directly in the thread."
        "rwb 1\nevent a\nthread T { request a }\n", "rwb 1\nevent a\nthread T { body { request a } }\n";
    RWB_COMMENT "rwb::comment" "A comment of another language"
        "Comments begin with `#` and go to the end of the line. `//` and `/* */` comments are skipped, so that the \
         text after them is read. Only the first one is reported."
        "rwb 1   // version\nevent a\n", "rwb 1   # version\nevent a\n";
    RWB_REPEATED_CLAUSE "rwb::repeated-clause" "A sync blocks twice"
        "A sync has at most one `block`, with all its events. (A second `request` or `wait` begins the next sync, a \
         second `block` cannot.)"
        "rwb 1\nevent a, b, c\nthread T { body { sync request a block b block c } }\n",
        "rwb 1\nevent a, b, c\nthread T { body { sync request a block b, c } }\n";
    RWB_PRIORITY "rwb::priority" "Not a priority"
        "A priority is a number from -2^31 to 2^31 - 1. Requests of a larger number come first, and a request without \
         a priority has 0. Programs with classes of any number of threads have no priorities."
        "rwb 2\nevent a\nthread T { body { request a priority 4000000000 } }\n",
        "rwb 2\nevent a\nthread T { body { request a priority 4 } }\n";
    RWB_CHAINED_COMPARISON "rwb::chained-comparison" "Comparisons do not chain"
        "`a < b < c` could mean several things, so it is refused."
        "rwb 1\nconst n = 1 < 2 < 3\n", "rwb 1\nconst n = 1 < 2 && 2 < 3\n";
    RWB_REPEATED_CHECK "rwb::repeated-check" "Asked twice"
        "One `check` line lists the kinds to check, each once."
        "rwb 1\ncheck bad\ncheck deadlock\n", "rwb 1\ncheck bad, deadlock\n";
    RWB_DUPLICATE "rwb::duplicate-name" "Declared twice"
        "After unrolling, names must differ among events and event sets, among constants of one scope, among threads, \
         and among the states of a thread."
        "rwb 1\nevent a, b, a\n", "rwb 1\nevent a, b\n";
    RWB_UNDECLARED_EVENT "rwb::undeclared-event" "The event is not declared"
        "Every event is declared with `event`, anywhere in the file; an event set is declared with `set` before it is \
         used."
        "rwb 1\nevent hot\nthread T { body { wait hto } }\n", "rwb 1\nevent hot\nthread T { body { wait hot } }\n";
    RWB_UNDECLARED_CONSTANT "rwb::undeclared-constant" "The constant is not declared"
        "A name in an expression is a constant declared above, or the variable of a `for` around it."
        "rwb 1\nevent e[m]\nconst m = 3\n", "rwb 1\nconst m = 3\nevent e[m]\n";
    RWB_NO_END "rwb::no-proper-end" "States are marked `final`, but no end is proper (warning)"
        "A run may end where all threads are in `final` states. If one thread has no `final` state, the marks in the \
         other threads have no effect. Mark a state of every thread, also of threads that only wait (`final wait a`)."
        "rwb 1\nevent a\nthread T { body { request a final } }\nthread U { body { loop { wait a } } }\n",
        "rwb 1\nevent a\nthread T { body { request a final } }\nthread U { body { loop { final wait a } } }\n";
    RWB_UNKNOWN_STATE "rwb::unknown-state" "The thread has no such state"
        "`on` and `init` name states of the same thread, with the indices that they are declared with."
        "rwb 1\nevent a\nthread T { state s[0] { on a -> s[1] } }\n",
        "rwb 1\nevent a\nthread T { state s[0] { on a -> s[1] } state s[1] { } }\n";
    RWB_INDEX_COUNT "rwb::index-count" "The wrong number of indices"
        "An event is named with one index for each dimension of its declaration; `*` stands for all values of one \
         index. Event sets have no indices."
        "rwb 1\nevent e[2][3]\nthread T { body { wait e[0] } }\n",
        "rwb 1\nevent e[2][3]\nthread T { body { wait e[0][*] } }\n";
    RWB_INDEX_RANGE "rwb::index-out-of-range" "The index is out of range"
        "Indices run from 0 to the declared size less one."
        "rwb 1\nevent e[2]\nthread T { body { wait e[2] } }\n", "rwb 1\nevent e[2]\nthread T { body { wait e[1] } }\n";
    RWB_NEGATIVE_INDEX "rwb::negative-index" "The index is negative"
        "Names of threads and states have indices from 0 on."
        "rwb 1\nthread T[0 - 1] { body { } }\n", "rwb 1\nthread T[0] { body { } }\n";
    RWB_BACKWARD_RANGE "rwb::backward-range" "The range runs backwards"
        "Ranges are half-open: `a..b` goes from a to b - 1 and needs a <= b. `a..a` is empty."
        "rwb 1\nfor i in 3..1 { thread T[i] { body { } } }\n", "rwb 1\nfor i in 1..3 { thread T[i] { body { } } }\n";
    RWB_DIVISOR "rwb::divisor" "The divisor is not positive"
        "`/` and `%` round down, and are defined for positive divisors only."
        "rwb 1\nconst n = 0\nconst m = 10 / n\n", "rwb 1\nconst n = 5\nconst m = 10 / n\n";
    RWB_ARRAY_SIZE "rwb::array-size" "An array without elements"
        "The sizes of an event array are 1 or more."
        "rwb 1\nconst n = 0\nevent e[n]\n", "rwb 1\nconst n = 1\nevent e[n]\n";
    RWB_NEGATIVE_REPEAT "rwb::negative-repeat" "A negative number of times"
        "`repeat` runs 0 times or more."
        "rwb 1\nevent a\nthread T { body { repeat 1 - 2 { wait a } } }\n",
        "rwb 1\nevent a\nthread T { body { repeat 2 - 1 { wait a } } }\n";
    RWB_MIXED_THREAD "rwb::mixed-thread" "States and a body in one thread"
        "A thread is given either by its states, perhaps with `init`, or by one `body`."
        "rwb 1\nevent a\nthread T { state s { } body { wait a } }\n",
        "rwb 1\nevent a\nthread T { state s { } } thread U { body { wait a } }\n";
    RWB_EMPTY_THREAD "rwb::empty-thread" "The thread has no state"
        "A thread is always in one of its states, so it has at least one."
        "rwb 1\nthread T { }\n", "rwb 1\nthread T { state s { } }\n";
    RWB_LOOP "rwb::loop-without-sync" "The loop can run without a sync"
        "Every way through a `loop` waits at a sync (or ends), otherwise the thread could loop for ever between two \
         events."
        "rwb 1\nevent a\nthread T { body { loop { choose { wait a } or { } } } }\n",
        "rwb 1\nevent a\nthread T { body { loop { choose { wait a } or { end } } } }\n";
    RWB_UNKNOWN_THREAD "rwb::unknown-thread" "There is no such thread"
        "An assumption about an end state names a thread of the program, with its indices."
        "rwb 1\nevent a\nassume end Marker in v\nthread M { state v { request a } }\n",
        "rwb 1\nevent a\nassume end M in v\nthread M { state v { request a } }\n";
    RWB_ASSUME_FORM "rwb::assume-form" "An assumption of another form"
        "An assumption compares the length of a violating run, or its remainder, with a number. Several such \
         comparisons can be joined by `||`. Another form lists the end states of a thread. All assumptions hold \
         together."
        "rwb 1\nassume length >= 10 && length % 4 == 1\n", "rwb 1\nassume length >= 10\nassume length % 4 == 1\n";
    RWB_ASSUME_NUMBER "rwb::assume-number" "The number is no length, or no remainder"
        "Lengths and moduli are numbers from 0 to 2^62 - 1 (a modulus from 1), remainders are less than the modulus. \
         Other comparisons would hold always or never."
        "rwb 1\nassume length % 4 == 4\n", "rwb 1\nassume length % 4 == 0\n";
    RWB_ASSUME_CLASS "rwb::assume-class" "An assumption about any number of threads"
        "Assumptions are about runs of a program with a fixed number of threads. A program that uses a `const n = *` \
         becomes a net. Nets have no lemmas, so assumptions would have no effect."
        "rwb 1\nconst n = *\nevent e[n]\nassume length >= 2\nclass C[i] n { state s { request e[i] } }\n",
        "rwb 1\nconst n = 3\nevent e[n]\nassume length >= 2\nclass C[i] n { state s { request e[i] } }\n";
    RWB_ANY_NUMBER "rwb::any-number" "A number that is left open has no value"
        "After `const n = *`, `n` can be the size of an event array and the count of a class, nothing else."
        "rwb 1\nconst n = *\nevent e[n]\nfor i in 0..n { thread C[i] { state s { request e[i] } } }\n",
        "rwb 1\nconst n = *\nevent e[n]\nclass C[i] n { state s { request e[i] } }\n";
    RWB_CLASS_IDENTITY "rwb::class-identity" "The index of a class has no value"
        "If the number of threads is left open, the threads in each state are counted. The counts lose nothing only if \
         all these threads are alike. So the index `i` of a class may say which event is meant, as in `e[i]`, and \
         nothing else."
        "rwb 1\nconst n = *\nevent e[n]\nclass C[i] n { state s { when i == 0 { request e[i] } } }\n",
        "rwb 1\nconst n = *\nevent e[n]\nclass C[i] n { state s { request e[i] } }\n";
    RWB_CLASS_INDEX "rwb::class-index" "An event of one index among any number"
        "In an event array over a number that is left open, threads can name all events (`e[*]`) and, within a class, \
         their own (`e[i]`). A neighbour (`e[i + 1]`) or a number would tell threads apart, so that they could not be \
         counted."
        "rwb 1\nconst n = *\nevent e[n]\nclass C[i] n { state s { request e[i] block e[i + 1] } }\n",
        "rwb 1\nconst n = *\nevent e[n]\nclass C[i] n { state s { request e[i] } }\n";
    RWB_CLASS_EVENT "rwb::class-event" "Two indices of any number"
        "At most one dimension of an event array is a number that is left open, because counts cannot say which two \
         threads share an event."
        "rwb 1\nconst n = *\nevent e[n][n]\nclass C[i] n { state s { request e[i][*] } }\n",
        "rwb 1\nconst n = *\nevent e[n]\nclass C[i] n { state s { request e[i] } }\n";
    RWB_SHADOWED "rwb::shadowed-name" "A name hides another (warning)"
        "The innermost meaning of a name counts. Hiding a name is legal, but often a slip."
        "rwb 1\nconst i = 7\nfor i in 0..2 { thread T[i] { body { } } }\n",
        "rwb 1\nconst n = 7\nfor i in 0..2 { thread T[i] { body { } } }\n";
    RWB_UNREACHABLE_ACT "rwb::unreachable-act" "An act that nothing leads to (warning)"
        "What stands after `bad`, `end`, `final` or a `loop` is never reached. It is checked, but it gives no states."
        "rwb 1\nevent a\nthread T { body { loop { request a } wait a } }\n",
        "rwb 1\nevent a\nthread T { body { loop { request a } } }\n";
    RWB_UNREACHABLE_STATE "rwb::unreachable-state" "A state that no events lead to (warning)"
        "Whatever the other threads do, this thread never gets there."
        "rwb 1\nevent a\nthread T { state s { request a } state t { request a } }\n",
        "rwb 1\nevent a\nthread T { state s { request a on a -> t } state t { request a } }\n";
    RWB_NEVER_REQUESTED "rwb::never-requested" "An event that no thread requests (warning)"
        "An event happens only if some thread requests it. A thread that waits for it waits for ever, and blocking it \
         has no effect."
        "rwb 1\nevent a\nthread T { body { wait a } }\n",
        "rwb 1\nevent a\nthread T { body { wait a } } thread U { body { request a } }\n";
    RWB_SELECT_OVERLAP "rwb::select-overlap" "Requested by one branch, taken by another (warning)"
        "A `select` is one sync: it requests what any of its branches requests. The first branch that names an event \
         decides where it leads. An event that an earlier branch only waits for, and a later one requests, is \
         requested, and leads to the earlier branch."
        "rwb 1\nevent a, b\nthread T { body { select { on wait a { } on request a, b { bad } } } }\n",
        "rwb 1\nevent a, b\nthread T { body { select { on wait a { } on request b { bad } } } }\nthread U { body { \
         request a } }\n";
    RWB_UNUSED_EVENT "rwb::unused-event" "An event that no thread mentions (warning)"
        "It can be removed, unless a thread was forgotten."
        "rwb 1\nevent a, b\nthread T { body { request a } }\n", "rwb 1\nevent a\nthread T { body { request a } }\n";
    RWB_TYPE "rwb::type" "A value of another type"
        "Numbers, truth values and the values of each enum are different types. A condition is a truth value: `n != \
         0`, and not `n`."
        "rwb 2\nevent a\nthread T { var n: 0..3 = 0  body { while n { request a  n = 0 } } }\n",
        "rwb 2\nevent a\nthread T { var n: 0..3 = 0  body { while n != 0 { request a  n = 0 } } }\n";
    RWB_UNKNOWN_NAME "rwb::unknown-name" "The name is not declared"
        "A name in an expression is a variable of the thread, a constant, a loop variable, a value of an enum, or a \
         name that a pattern has bound. A name that a sync binds is visible after it if all patterns of the sync bind \
         it."
        "rwb 2\nevent e(v: 0..3)\nthread T { var n: 0..3 = 0  body { request e(m) when m > k } }\n",
        "rwb 2\nevent e(v: 0..3)\nthread T { var n: 0..3 = 0  body { request e(m) when m > n } }\n";
    RWB_NOT_CONSTANT "rwb::not-constant" "The value depends on a variable"
        "Sizes, ranges, counts of `repeat` and bounds of `for` are constants, because they are evaluated before \
         anything happens. `while` and `if` in a body may depend on variables."
        "rwb 2\nevent a\nthread T { var n: 0..3 = 2  body { repeat n { request a } } }\n",
        "rwb 2\nevent a\nthread T { var n: 0..3 = 2  body { while n > 0 { request a  n = n - 1 } } }\n";
    RWB_FAULT "rwb::fault" "A condition on an event cannot be evaluated"
        "A division by zero or an index out of range in the `when` of a pattern. In an assignment or a condition of \
         a body it is a bad state of the thread; in a set of events it is an error, because the set would have no \
         meaning."
        "rwb 2\nevent e(v: 0..3)\nthread T { body { request e(v) when 6 % v == 0 } }\n",
        "rwb 2\nevent e(v: 0..3)\nthread T { body { request e(v) when v > 0 && 6 % v == 0 } }\n";
    RWB_ENDLESS_REQUEST "rwb::endless-request" "Infinitely many events or values"
        "`= *` in a declaration is for single variables. A request of infinitely many events is possible only in \
         programs with linear arithmetic, which are decided without enumerating numbers."
        "rwb 2\nevent a\nthread T { var b[2]: 0..3 = *  body { request a } }\n",
        "rwb 2\nevent a\nthread T { var b: 0..3 = *  body { if b > 1 { request a } } }\n";
    RWB_BINDING "rwb::binding" "A name is bound twice"
        "A pattern binds each name once, and the patterns of a sync bind a name to values of one type."
        "rwb 2\nevent e(v: 0..3, w: 0..3)\nthread T { body { request e(x, x) } }\n",
        "rwb 2\nevent e(v: 0..3, w: 0..3)\nthread T { body { request e(x, y) when x == y } }\n";
    RWB_OUTSIDE_LOOP "rwb::outside-loop" "`break` or `continue` outside of a loop"
        "They belong to the innermost `loop`, `while`, `for` or `repeat` of the body."
        "rwb 2\nevent a\nthread T { body { request a  break } }\n",
        "rwb 2\nevent a\nthread T { body { loop { request a  break } } }\n";
    RWB_UNUSED_NAME "rwb::unused-name" "A name that is never read (warning)"
        "A variable that nothing reads can be removed. A name in a pattern that nothing reads is often the \
         misspelled name of a variable, with which the argument should be compared. `*` stands for any value, and so \
         does a name that begins with `_`."
        "rwb 2\nevent e(v: 0..3)\nthread T { body { request e(v) } }\n",
        "rwb 2\nevent e(v: 0..3)\nthread T { body { request e(*) } }\n";
}
