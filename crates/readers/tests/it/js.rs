//! Tests of the reader of BPjs programs.

use crate::js_node::words;
use crate::read_as;
use impasse_readers::Error;
use model::{LocalId, Program, ThreadId};

fn program(text: &str) -> Program {
    let read = read_as("t.js", text).unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.line_column()));
    Program::clone(read.problem.system().as_program().expect("a program"))
}

/// Returns the program of one b-thread with this body.
fn body(text: &str) -> Program {
    program(&format!("bp.registerBThread('T', function() {{\n{text}\n}});"))
}

fn error(text: &str) -> Box<Error> {
    read_as("t.js", text).map(|_| ()).expect_err(text)
}

fn refusal(text: &str) -> (&'static str, (usize, usize)) {
    let error = error(text);
    (error.code(), error.line_column().expect(text))
}

fn refused_body(text: &str) -> (&'static str, usize) {
    let (code, (line, _)) = refusal(&format!("bp.registerBThread('T', function() {{\n{text}\n}});"));
    (code, line)
}

/// Returns the numbers of the states of the threads.
fn sizes(program: &Program) -> Vec<usize> {
    program.threads().iter().map(|t| t.states.len()).collect()
}

fn say(text: &str) -> String {
    format!("bp.sync({{request: bp.Event('say', {text})}});")
}

/// Returns the first events of a program with one run.
fn run(text: &str) -> Vec<String> {
    let lines = words(&body(text), 12);
    let longest = lines.iter().max_by_key(|line| line.len()).expect("a run");
    longest.split('|').next().unwrap_or_default().trim().split(' ').map(str::to_owned).collect()
}

#[test]
fn events_are_named_with_their_data() {
    let program = body(
        "for (const d of [1, '1', null, [1, {b: 2, a: undefined}], -0, 10, 2]) bp.sync({request: bp.Event('e', d)});",
    );
    let names = ["e", "e(0)", "e(1)", "e(2)", "e(10)", "e(\"1\")", "e([1,{\"a\":undefined,\"b\":2}])"];
    assert_eq!(program.events(), names);
    let both = body("bp.sync({request: [bp.Event('e(1)'), bp.Event('e', 1)]});");
    assert_eq!(both.events(), ["e(1)", "e(1)#2"]);
}

#[test]
fn states_differ_only_by_what_the_rest_of_the_run_reads() {
    // The counter is dead in the second loop, and both branches lead to the same state.
    let dead = body(
        "let n = 0; while (n < 3) { bp.sync({request: bp.Event('a')}); n++; }
        while (true) { const list = [n]; list.push(1); bp.sync({request: bp.Event('b')}); }",
    );
    assert_eq!(sizes(&dead), [4]);
    let same = body(
        "let x = bp.sync({request: [bp.Event('a'), bp.Event('b')]}).name === 'a' ? [1, 2] : [1].concat(2);
        bp.sync({request: bp.Event('c', x)}); bp.sync({request: bp.Event('d')});",
    );
    assert_eq!(sizes(&same), [4]);
    // Cells are numbered as they are reached: garbage and the order of allocation do not count.
    let heap = body(
        "let keep = {n: 0}; while (true) { const old = keep; keep = {n: (old.n + 1) % 3, l: []};
          bp.sync({request: bp.Event('t')}); }",
    );
    assert_eq!(sizes(&heap), [3]);
    // An end and an interrupt are the same state.
    assert_eq!(sizes(&body("bp.sync({request: bp.Event('a'), interrupt: bp.Event('a')});")), [2]);
}

#[test]
fn shared_values_may_be_read_and_private_ones_changed() {
    let text = "const sizes = [1, 2]; let mine = 0; const log = [];
        bp.registerBThread('A', () => { mine += sizes.length; log.push(mine); bp.sync({request: bp.Event('a',
          log)}); });
        bp.registerBThread('B', () => bp.sync({request: bp.Event('b', sizes.map(x => x + 1))}));";
    assert_eq!(program(text).events(), ["a([2])", "b([2,3])"]);
    let shared = "let turn = 0;\nfunction next() {\n  turn++;\n}\nbp.registerBThread('A',
      next);\nbp.registerBThread('B', next);";
    assert_eq!(refusal(shared), ("js::shared", (3, 3)));
    let list =
        "const list = [];\nconst f = x => list.push(x);\nfor (const n of [1, 2]) bp.registerBThread(() => f(n));";
    assert_eq!(refusal(list).0, "js::shared");
}

#[test]
fn bad_states_say_why() {
    let program = body("bp.sync({request: bp.Event('a')});\nbp.ASSERT(1 > 2, 'one is small');");
    let state = program.threads()[0].states.iter().position(|s| s.bad).expect("a bad state");
    let position = program.position(ThreadId(0), LocalId::new(state)).expect("a position");
    assert_eq!(position.line, 3);
    assert_eq!(position.values, "assertion failed: one is small");
    let thrown = body("bp.sync({request: bp.Event('a')});\n\nconst o = null;\no.x = 1;");
    let bad = thrown.threads()[0].states.iter().position(|s| s.bad).expect("a bad state");
    let position = thrown.position(ThreadId(0), LocalId::new(bad)).expect("a position");
    assert_eq!(position.line, 5);
    assert!(position.values.starts_with("uncaught: TypeError: Cannot set properties of null"), "{}", position.values);
}

#[test]
fn states_have_lines_and_values() {
    let program = body(
        "let last = 'x';\nfunction ask(n) {\n  return bp.sync({request: bp.Event('a', n)});\n}\nfor (let i = 0;
          i < 2; i++) {\n  ask(i); ask(last + i);\n}",
    );
    let position = |s| program.position(ThreadId(0), LocalId(s)).map(|p| (p.line, p.values.to_owned()));
    // `last` never changes, so only the first state shows it.
    assert_eq!(position(0), Some((4, "last = \"x\", i = 0".to_owned())));
    assert_eq!(position(3), Some((4, "i = 1".to_owned())));
}

#[test]
fn random_choices_become_several_states() {
    let program = body("if (bp.random.nextBoolean()) bp.sync({request: bp.Event('n', bp.random.nextInt(3))});");
    assert_eq!(program.threads()[0].initial.len(), 4);
    assert_eq!(program.events(), ["n(0)", "n(1)", "n(2)"]);
}

#[test]
fn deadlocks_need_a_request() {
    let quiet = body("bp.sync({waitFor: bp.all, block: bp.all});");
    assert_eq!(words(&quiet, 2), ["|end"]);
    assert_eq!(words(&body("bp.sync({request: bp.Event('a'), block: bp.all});"), 2), ["|dead"]);
}

#[test]
fn statements_and_expressions_compute() {
    assert_eq!(run(&say("(() => { let s = 0; for (const x of [1, 2, 3]) s += x; return s; })()")), ["say(6)"]);
    assert_eq!(run(&say("[..._e].length").replace("_e", "'a\\u{1F600}'")), ["say(2)"]);
    assert_eq!(
        run("let s = ''; do { s += s.length; } while (s.length < 3);\nbp.sync({request: bp.Event(s)});"),
        ["012"]
    );
    let function = "(() => { const f = () => f.n + 1; f.n = 4; f.g = x => x * 2; return f.g(f()) + (f.m ? 0 : 1); })()";
    assert_eq!(run(&say(function)), ["say(11)"]);
    assert_eq!(run(&say("`${[1, [2, 3]]}-${{}}`.replace(' ', '_')")), ["say(\"1,2,3-[object_Object]\")"]);
}

#[test]
fn syncs_may_stand_in_every_part_of_a_try() {
    let text = "const say = x => bp.sync({request: bp.Event(x)}).name;
        function f(n) {
          for (const k of ['a', 'b']) {
            try { say('t' + k); if (n === 1) return say('r'); if (n === 2) continue; if (n === 3) throw say('x'); }
            catch (e) { say('c' + e); if (n === 3) break; }
            finally { say('f' + k); }
          }
          return 'end';
        }
        for (const n of [1, 2, 3]) say(f(n));";
    let expected = ["ta", "r", "fa", "r", "ta", "fa", "tb", "fb", "end", "ta", "x", "cx", "fa", "end"];
    let lines = words(&body(text), 20);
    let longest = lines.iter().max_by_key(|line| line.len()).expect("a run");
    assert_eq!(longest.split('|').next().unwrap_or_default().trim().split(' ').collect::<Vec<_>>(), expected);
}

#[test]
fn mistakes_are_shown_with_their_place() {
    assert_eq!(refusal("let x = ;"), ("js::syntax", (1, 9)));
    assert_eq!(refusal("let x = 1;\nlet x = 2;"), ("js::syntax", (2, 5)));
    assert_eq!(
        refusal("const hot = bp.Event('hot');\nbp.registerBThread(() => bp.sync({request: hto}));"),
        ("js::unknown-name", (2, 44))
    );
    assert_eq!(refusal("x = y;").0, "js::unknown-name");
    assert_eq!(refusal("const x = null;\nx.y;"), ("js::runtime", (2, 1)));
    assert_eq!(refusal("const x = 1;").0, "js::no-thread");
    assert_eq!(refusal("bp.sync({});").0, "js::unsupported");
    let hint = miette::Diagnostic::help(error("bp.registerBThread(() => bp.sync({request: Mth}));").as_ref())
        .unwrap()
        .to_string();
    assert_eq!(hint, "did you mean `Math`?");
}

#[test]
fn hot_syncs_are_marked() {
    let text = "const e = bp.Event('e');
        bp.registerBThread('T', function() { bp.sync({request: e}); bp.hot(true).sync({waitFor: e}); });
        bp.registerBThread('U', function() { bp.hot(false).sync({waitFor: e}); bp.hot(1 > 0).sync({request: e}); });";
    let program = program(text);
    let hot = |t: u32| (0..3).filter(|s| program.is_hot(ThreadId(t), LocalId(*s))).collect::<Vec<_>>();
    assert_eq!((hot(0), hot(1)), (vec![1], vec![1]));
}

#[test]
fn what_is_outside_of_the_subset_is_refused() {
    let bodies = [
        "const x = /a(?=b)/;",
        "class A {}",
        "const x = 1n;",
        "const [a] = arguments;",
        "Math.random();",
        "[,1].map(x => x);",
        "(function() { return this.x; })();",
        "const e = bp.Event('a'); e === bp.Event('a');",
        "bp.sync({requests: bp.Event('a')});",
        "bp.Event('a', () => 1) === bp.Event('b');",
        "function* g() {}",
        "const a = []; a.x = 1;",
        "const x = {get a() { return 1; }};",
    ];
    for text in bodies {
        assert_eq!(refused_body(text), ("js::unsupported", 2), "{text}");
    }
}

#[test]
fn loops_and_large_values_end_in_an_error() {
    assert_eq!(refused_body("while (true) { }"), ("js::loop", 2));
    assert_eq!(refused_body("(function f() { f(); })();"), ("js::loop", 2));
    assert_eq!(refused_body("let s = 'x'; while (true) s += s;"), ("js::memory", 2));
    assert_eq!(refused_body("const a = []; a[1e9] = 1;"), ("js::memory", 2));
    assert_eq!(refused_body("const a = []; while (true) a.push([a.length, a.length]);").1, 2);
    assert_eq!(refused_body("for (let i = 0; i < 20; i++) bp.random.nextInt(1000);"), ("js::loop", 2));
    let growing = refused_body("let n = 0;\nwhile (true) { bp.sync({request: bp.Event('a')}); n++; }");
    assert_eq!(growing, ("limit::values", 2), "the variable is named");
}

#[test]
fn predicates_change_nothing() {
    let text = |predicate: &str| {
        format!("let n = 0;\nbp.sync({{request: bp.Event('a'), block: bp.EventSet('s', {predicate})}}); n++;")
    };
    assert_eq!(refused_body(&text("e => { n++; return true; }")), ("js::pure", 3));
    assert_eq!(refused_body(&text("e => { bp.sync({}); return true; }")), ("js::pure", 3));
    assert_eq!(refused_body(&text("e => 1")), ("js::runtime", 3));
    assert_eq!(refused_body(&text("e => e.data.x === 1")), ("js::runtime", 3));
    let own = body(&text("e => { const own = [1]; own.push(e.name); return own.length + n === 3; }"));
    assert_eq!(words(&own, 2), [" a|end", "|go"]);
}

#[test]
fn deep_texts_are_refused() {
    let texts = [
        "(".repeat(100_000),
        "[".repeat(100_000),
        "!".repeat(100_000),
        "x = ".repeat(100_000),
        "x => ".repeat(100_000),
        "if (1) ".repeat(100_000),
        "if (1) {} else ".repeat(100_000),
        "if (1)\nvar x = 1\nelse ".repeat(100_000),
        "a ? b : ".repeat(100_000),
        "new ".repeat(100_000),
        "a: ".repeat(100_000),
        "`${".repeat(100_000),
        "x.".repeat(100_000),
        "f(".repeat(100_000),
        "1 + ".repeat(100_000),
        "function f() { ".repeat(100_000),
        "a ** ".repeat(100_000),
        "typeof ".repeat(100_000),
        "for (;;) ".repeat(100_000),
        "a\n++\n".repeat(100_000),
    ];
    for text in texts {
        let start: String = text.chars().take(20).collect();
        let code = error(&text).code();
        assert!(["limit::nesting", "js::syntax", "js::unsupported"].contains(&code), "{start}: {code}");
    }
    // At the limits, the parser and the compiler have enough stack.
    for sign in ["!", "x = ", "x => ", "if (1) ", "a: ", "typeof ", "1 + ", "a ? b : ", "- ", "new "] {
        let text = sign.repeat(1_990 / sign.trim().split(' ').filter(|s| !s.is_empty()).count().max(3));
        let _ = error(&text);
    }
}

#[test]
fn long_flat_texts_are_read() {
    let mut text = String::from("const list = [\n");
    for i in 0..3000 {
        text.push_str(&format!("  {{name: 'n{i}', next: [{i}, {i} + 1]}},\n"));
    }
    text.push_str("]\n");
    for i in 0..400 {
        text.push_str(&format!("const c{i} = list[{i}].name + `${{{i}}}`\nbp.log.info(c{i})\n"));
    }
    text.push_str("bp.registerBThread('T', function() { bp.sync({request: bp.Event(c7)}) })\n");
    assert_eq!(program(&text).events(), ["n77"]);
}

#[test]
fn examples_have_the_answers_that_they_state() {
    let example = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
        program(&std::fs::read_to_string(path).expect("an example"))
    };
    let truth = |name: &str| testkit::program::truth(&example(name), 1_000_000).expect("few states").shortest;
    assert!(truth("hot_cold.js").is_empty());
    assert!(truth("tic_tac_toe.js").contains_key(&model::Goal::Bad));
}

#[test]
fn names_without_a_declaration_are_variables_of_the_script() {
    let text = "N = 2; if (typeof M === 'undefined') M = N + 1;
        add = function(i) { bp.registerBThread('t' + i, () => bp.sync({request: bp.Event('e', [i, N, M])})); };
        for (i = 0; i < N; i++) add(i);";
    assert_eq!(program(text).events(), ["e([0,2,3])", "e([1,2,3])"]);
    let before = error("if (N == 0) N = 1;\nbp.registerBThread(() => 1);");
    assert_eq!((before.code(), before.line_column()), ("js::runtime", Some((1, 5))));
    // What only a host program defines is not compiled where it is tested.
    let tested = "if (typeof host !== 'undefined') { host.mark(other); } else bp.registerBThread(() => 1);";
    assert_eq!(words(&program(tested), 1), ["|end"]);
    assert_eq!(error("if (typeof host !== 'undefined') {} else host.x;").code(), "js::unknown-name");
    let old = error("bp.registerBThread(() => bsync({}));");
    assert!(miette::Diagnostic::help(old.as_ref()).expect("a hint").to_string().contains("bp.sync"));
    let equals = "bp.registerBThread(() => { const e = bp.sync({request: bp.Event('a')});
        bp.ASSERT(e.name.equals('a') && !e.name.equals('b')); });";
    assert_eq!(words(&program(equals), 2), [" a|end", "|go"]);
    let texts = "bp.registerBThread(() => bp.sync({request: [bp.Event(undefined), bp.Event('' + bp.Event('a'))]}));";
    assert_eq!(program(texts).events(), ["[BEvent name:a]", "undefined"]);
}

/// JavaScript leaves open which comparisons a `sort` makes.
#[test]
fn the_function_of_a_sort_compares_consistently() {
    assert_eq!(run(&say("[5, 1, 4, 1, undefined].sort((a, b) => a - b)")), ["say([1,1,4,5,undefined])"]);
    let stable = "[['b', 1], ['a', 2], ['b', 0], ['a', 1]].sort((x, y) => x[0] < y[0] ? -1 : x[0] > y[0] ? 1 : 0)";
    assert_eq!(run(&say(stable)), ["say([[\"a\",2],[\"a\",1],[\"b\",1],[\"b\",0]])"]);
    let list = (0..150).map(|i| (i * 71 % 150).to_string()).collect::<Vec<_>>().join(",");
    assert_eq!(run(&say(&format!("[{list}].sort((a, b) => b - a).slice(0, 3)"))), ["say([149,148,147])"]);
    let inconsistent = [
        "[5, 1, 4].sort((a, b) => a > b);",
        "[1, 2].sort(() => 1);",
        "[1, 1].sort((a, b) => a < b ? -1 : 1);",
        // Scissors, stone, paper.
        "[0, 1, 2].sort((a, b) => a === b ? 0 : (a + 1) % 3 === b ? -1 : 1);",
        // Equality is not transitive.
        "[1, 2, 3].sort((a, b) => Math.abs(a - b) < 2 ? 0 : a - b);",
    ];
    for text in inconsistent {
        assert_eq!(refused_body(text), ("js::unsupported", 2), "{text}");
    }
    assert_eq!(refused_body("let n = 0; [2, 1].sort((a, b) => { n++; return a - b; });"), ("js::pure", 2));
    assert_eq!(refused_body("[2, 1].sort((a, b) => { bp.sync({}); return a - b; });"), ("js::pure", 2));
    assert_eq!(refused_body("function f(a, b) { [1, 2].sort(f); return a - b; } [1, 2].sort(f);"), ("js::loop", 2));
    let nested = "const s = bp.EventSet('s', e => s.contains(e)); bp.sync({request: bp.Event('a'), block: s});";
    assert_eq!(refused_body(nested), ("js::loop", 2));
}

/// A method is a value in JavaScript, and never `undefined`.
#[test]
fn methods_are_not_absent_properties() {
    let bodies = [
        "if (bp.Event('a').or) bp.sync({});",
        "typeof bp.Event('a').xor;",
        "const {and} = bp.Event('a');",
        "bp.Event('a')['getClass'];",
        "bp.all.negate === undefined;",
        "if (bp.EventSet('s', e => true).or) {}",
        "if ([].push) {}",
        "if ([].hasOwnProperty) {}",
        "if ('a'.localeCompare) {}",
        "if ((1).toFixed) {}",
        "if ({}.toString) {}",
        "'toString' in {};",
        "'push' in [];",
        "JSON.stringify({toJSON() { return 5; }});",
        "(1.5).toFixed(1);",
        "'a'.match('b');",
        "[[1]].flat(0);",
        "(5).toString(2);",
    ];
    for text in bodies {
        assert_eq!(refused_body(text), ("js::unsupported", 2), "{text}");
    }
    let own = "const o = {toString: 1, toJSON: 2, push() { return 3; }};
        const text = JSON.stringify({toJSON: 4});
        bp.sync({request: bp.Event('e', [o.toString, 'toString' in o, 'push' in {}, o.push(), text])});";
    assert_eq!(run(own), ["e([1,true,false,3,\"{\\\"toJSON\\\":4}\"])"]);
    assert_eq!(run(&say("[Array.from(5), Array.from(true), bp.Event('a').kind]")), ["say([[],[],undefined])"]);
    let hint = |text: &str| {
        let error = error(&format!("bp.registerBThread(() => {{ {text} }});"));
        (error.to_string(), miette::Diagnostic::help(error.as_ref()).expect("a hint").to_string())
    };
    let (message, help) = hint("(1.5).toFixed(1);");
    assert!(message.ends_with("the method `toFixed` with these arguments is not read"), "{message}");
    assert!(help.contains("Math.round"), "{help}");
    assert!(hint("new WeakMap();").1.contains("`Map`"));
    assert!(hint("Date.now();").1.contains("no clock"));
}

/// Node refuses these, too.
#[test]
fn early_errors_have_their_place() {
    let bodies = [
        "switch (5) { default: break; case 1: default: break; }",
        "for (let x = 1 of [7]) {}",
        "for (const x = 5 in {k: 1}) {}",
        "for (let x, y of [7]) {}",
        "for (var x = 5 of [7]) {}",
        "const f = (a, a) => a;",
        "const f = (a, [b, a]) => a;",
        "function f(a, a) { 'use strict'; }",
        "function f(a, ...a) {}",
        "const o = {f(a, a) {}};",
        "let let = 1;",
        "x: { x: while (false) {} }",
        "x: x: ;",
    ];
    for text in bodies {
        assert_eq!(refused_body(text), ("js::syntax", 2), "{text}");
    }
    assert_eq!(refusal("'use strict';\nfunction f(a, a) {}").0, "js::syntax");
    let legal = "function f(a, a) { return a; } x: {} x: { (function() { x: {} })(); } var let = f(1, 2);
        bp.sync({request: bp.Event('e', let)});";
    assert_eq!(run(legal), ["e(2)"]);
}

/// What follows a bracket is a division, but after the head of a statement. A quote later in the line changes nothing.
#[test]
fn a_division_after_a_bracket_is_no_regular_expression() {
    for text in [
        r#"bp.sync({ request: bp.Event((n + 1) / 2 + "/" + n) });"#,
        r#"var h = (n + 2) / 2; var s = "half"; // a comment"#,
        r#"var a = [4]; var h = a[0] / 2; var s = "x/y";"#,
    ] {
        body(&format!("var n = 3; {text}"));
    }
    assert_eq!(refused_body("if (true) /x/.test('x');").0, "js::unsupported");
}

/// BPjs throws a Java exception where an assertion fails, and `catch` takes it.
#[test]
fn an_assertion_that_fails_inside_of_try_is_refused() {
    assert_eq!(refused_body("try { bp.ASSERT(false, 'no'); } catch (e) { }").0, "js::unsupported");
    program("bp.registerBThread('T', function() { try { bp.ASSERT(true); } catch (e) { } });");
}

/// A square is rounded once, as in JavaScript.
#[test]
fn a_square_is_the_product() {
    let text = "bp.registerBThread('T', function() { bp.ASSERT(123456789 ** 2 === 123456789 * 123456789, 'no'); });";
    assert!(program(text).threads().iter().all(|thread| thread.states.iter().all(|state| !state.bad)));
}
