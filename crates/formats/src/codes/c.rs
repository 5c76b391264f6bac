//! Codes of reactive C programs.

use super::codes;

const GOOD: &str = "int inputs[] = {1, 2};\nint x = 0;\nint a[] = {3, 4};\nint *p = a;
void calculate_output(int input) {\n  if (x == 1 && input == 2) { error_7: assert(0); }\n  x = input;\n  \
printf(\"%d\\n\", x);\n}
int main() { while (1) { int input; scanf(\"%d\", &input); calculate_output(input); } }\n";

codes! {
    C_CHARACTER "c::character" "A character that means nothing in the C subset"
        "Programs consist of names, numbers, operators and brackets; texts in double quotes are arguments of \
         `printf`. A comment or text without end is reported where it begins."
        "int x = 'a';\n", GOOD;
    C_DIRECTIVE "c::directive" "A line for the preprocessor"
        "`#include` lines are skipped. Macros and conditions are not expanded: run the preprocessor first."
        "#define N 3\nint x = N;\n", GOOD;
    C_SYNTAX "c::syntax" "Something else was expected"
        "The text is not of the C subset in which reactive programs are written. The subset is described in \
         docs/reactive.md."
        "int x = 1\nint y = 2;\n", GOOD;
    C_SUBSET "c::subset" "An ordinary C program"
        "Only the C subset of the RERS challenges is read: global `int`s, functions without loops, local variables or \
         recursion, and a `main` that reads an input and calls one of the functions with it, again and again. Nothing \
         is compiled or run. Threads that wait for each other are modelled as a behavioral program (docs/rwb.md) or a \
         net (docs/spec.md, docs/pnml.md)."
        "#include <pthread.h>\npthread_mutex_t lock;\n", GOOD;
    C_CONSTANT "c::constant" "This is not a constant"
        "Initial values, elements of arrays and numbers of errors are numbers, perhaps computed from numbers."
        "int x = 1;\nint y = x;\n", GOOD;
    C_NUMBER "c::number" "A number does not fit 32 bits"
        "Numbers are `int`s of 32 bits: decimal, octal with `0` or hexadecimal with `0x`, without suffix. \
         `-2147483648` is of type `long` in C: it may be assigned and compared, and `-2147483647 - 1` is the `int`."
        "int x = 3000000000;\n", GOOD;
    C_UNKNOWN "c::unknown-name" "The name is not declared"
        "Variables and functions are declared before they are used, functions at least by a prototype."
        "int x = 1;\nvoid f(int input) { y = 2; }\n", GOOD;
    C_TWICE "c::declared-twice" "The name is declared twice"
        "Variables, arrays and functions share one space of names; a function may have several prototypes but one body."
        "int x = 1;\nint x = 2;\n", GOOD;
    C_TYPE "c::type" "Not of the right kind"
        "Variables hold numbers, pointers are set to arrays or to other pointers as a whole and read as `p[3]`, \
         functions are called. Functions that are `void` return nothing."
        "int x = 1;\nint *p;\nvoid f(int input) { p = x; }\n", GOOD;
    C_INDEX "c::index" "There is no such element"
        "Elements are numbered from 0 to the length minus one. An array has at most 2^20 elements. The compiled \
         program would read other memory and continue, so an index that may be outside of the array is refused. This \
         holds for a constant index. It also holds for the index of a pointer that is set, anywhere in the program, to \
         a shorter array, or to another pointer that may be null."
        "int x = 1;\nint a[] = {1, 2};\nvoid f(int input) { x = a[2]; }\n", GOOD;
    C_COMPUTED_INDEX "c::computed-index" "A computed index"
        "An index may be computed if it follows the name of an array of at most 256 elements, and is not inside \
         another computed index. The index of a pointer must be a number."
        "int x = 1;\nint a[] = {1, 2};\nint *p = a;\nvoid f(int input) { x = p[x]; }\n", GOOD;
    C_ARRAY_ASSIGN "c::array-assignment" "An element of an array is assigned"
        "Arrays are constant tables. What changes is kept in variables and in pointers, which are set to whole arrays."
        "int a[] = {1, 2};\nvoid f(int input) { a[0] = 3; }\n", GOOD;
    C_LOCAL "c::local-variable" "A variable in a function"
        "Functions have no variables of their own except their input. Declare the variable outside."
        "void f(int input) { int x = 1; }\n", GOOD;
    C_LOOP "c::loop" "A loop outside main"
        "The only loop is that of `main`, which reads inputs for ever. One call is one step, and must end."
        "void f(int input) { while (1) { } }\n", GOOD;
    C_LABEL "c::label" "A label without assertion"
        "Labels mark errors: `error_7: assert(0);`. Labels with other names than `error_` and a number are allowed \
         there, too, but they are not checked."
        "int x = 1;\nvoid f(int input) { error_1: x = 2; }\n", GOOD;
    C_READS_INPUT "c::reads-input" "An input is read within a call"
        "Only `main` reads an input, once before each call, so that a call is one step with one input. A program that \
         reads inputs elsewhere has to be rewritten: store the position in a variable, and return."
        "int x = 1;\nvoid f(int input) { scanf(\"%d\", &x); }\n", GOOD;
    C_ARGUMENT "c::argument" "Something other than the input is passed on"
        "A function with a parameter gets the input of the call as its argument. A function without a parameter gets \
         no argument. A function that is defined with `()` may be called with or without the input."
        "int x = 1;\nvoid g(int input) { x = input; }\nvoid f(int input) { g(x); }\n", GOOD;
    C_ASSUME "c::assume" "The call ends as invalid in an inner function"
        "`__VERIFIER_assume(0)` says that such a run does not exist. It may stand in the function that `main` calls, \
         where it ends the call."
        "int inputs[] = {1};\nvoid g(int input) { __VERIFIER_assume(0); }\nvoid f(int input) { g(input); }\nint \
         main() { while (1) { int input; scanf(\"%d\", &input); f(input); } }\n", GOOD;
    C_PRINTS "c::prints" "Something cannot be printed"
        "An output is one number, printed as `printf(\"%d\\n\", 24);`. A program with an entry function that returns \
         its outputs does not print."
        "void f(int input) { printf(\"hello\\n\"); }\n", GOOD;
    C_RECURSION "c::recursion" "A function calls itself"
        "Functions must not call themselves, directly or through other functions."
        "int inputs[] = {1};\nvoid f(int input) { f(input); }\nint main() { while (1) { int input; scanf(\"%d\", \
         &input); f(input); } }\n", GOOD;
    C_EXTERN "c::extern" "A function without body"
        "The function is declared and called, but what it does is not in the file. (Grey-box problems have such \
         functions.) Write its body into the file, or into another one that `--extern FILE` names."
        "int inputs[] = {1};\nextern void g(int);\nvoid f(int input) { g(input); }\nint main() { while (1) { int \
         input; scanf(\"%d\", &input); f(input); } }\n", GOOD;
    C_NO_MAIN "c::no-main" "There is no main"
        "`main` reads an input and calls a function with it, for ever. It tells which function is called."
        "int inputs[] = {1};\nint x = 1;\nvoid f(int input) { x = 2; }\n", GOOD;
    C_MAIN "c::main" "main does something else"
        "`main` is not executed but recognised: `while (1) { int input; scanf(\"%d\", &input); \
         calculate_output(input); }`. Before the call it may reject inputs (`if ((input != 1) && (input != 2)) return \
         -2;`), and after the call it may print the output."
        "int inputs[] = {1};\nint x = 1;\nvoid f(int input) { x = 2; }\nint main() { while (1) { x = 3; } }\n", GOOD;
    C_NO_INPUTS "c::no-inputs" "There are no inputs"
        "The inputs are those of the list `inputs`, else the constants under the comment `// inputs` (or called \
         `inputA` and so on), else those that `main` does not reject, else the numbers that the program compares its \
         input with."
        "int x = 1;\nvoid f(int input) { x = 2; }\nint main() { while (1) { int input; scanf(\"%d\", &input); \
         f(input); } }\n", GOOD;
}
