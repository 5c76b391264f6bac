//! Tests of b-threads that share something: the store, forks, new b-threads, external events, interrupt handlers.

use crate::js_node::{compare, words};
use crate::read_as;
use impasse_readers::Error;
use model::{LocalId, Program, ThreadId};

fn program(text: &str) -> Program {
    let read = read_as("t.js", text).unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.line_column()));
    Program::clone(read.problem.system().as_program().expect("a program"))
}

fn error(text: &str) -> Box<Error> {
    read_as("t.js", text).map(|_| ()).expect_err(text)
}

/// Programs with the depth of the comparison.
const PROGRAMS: &[(&str, usize)] = &[
    // The store: b-threads see it as it was at the last sync, with their own changes.
    (
        "const say = (n, x) => bp.sync({request: bp.Event(n, x)});
      bp.store.put('n', 1); bp.store.put('old', [1]); bp.store.remove('old');
      bp.registerBThread('w', () => { for (let i = 0; i < 3; i++) { bp.store.put('n', bp.store.get('n') * 2);
        say('w', bp.store.get('n')); } bp.store.remove('n'); });
      bp.registerBThread('r', () => { for (let i = 0; i < 4; i++) say('r', [bp.store.get('n'), bp.store.has('n'),
        bp.store.size(), bp.store.get('old')]); });",
        7,
    ),
    // Two different changes of a key are a violation; equal ones are not. Ended b-threads count.
    (
        "const e = bp.Event('e'), f = bp.Event('f');
      bp.registerBThread('a', () => { bp.sync({request: e}); bp.store.put('k', {x: 1}); bp.sync({request: f});
        bp.store.put('k', 2); });
      bp.registerBThread('b', () => { bp.sync({waitFor: e}); bp.store.put('k', {x: 1}); bp.sync({waitFor: f});
        bp.store.put('k', 3); bp.sync({request: e}); });",
        4,
    ),
    (
        "const e = bp.Event('e');
      bp.registerBThread('a', () => { bp.sync({request: e}); bp.store.put('k', 1); });
      bp.registerBThread('b', () => { bp.sync({waitFor: e}); bp.store.remove('k'); bp.sync({request: e}); });",
        3,
    ),
    // Objects of the store that are changed and put back, or only changed.
    (
        "const go = bp.Event('go'), done = bp.Event('done');
      bp.registerBThread('s', () => { bp.store.put('v', {x: 0, y: [0]}); bp.sync({request: go});
        bp.sync({request: done});
        const v = bp.store.get('v'); bp.sync({request: bp.Event('sum', v.x + v.y[0] + v.y.length)}); });
      bp.registerBThread('x', () => { bp.sync({waitFor: go}); for (let i = 0; i < 2; i++) {
        bp.sync({request: bp.Event('x'), block: done}); const v = bp.store.get('v'); v.x++; bp.store.put('v', v); } });
      bp.registerBThread('y', () => { bp.sync({waitFor: go}); for (let i = 0; i < 2; i++) {
        bp.sync({request: bp.Event('y'), block: done}); const y = bp.store.get('v').y; y.push(y[0]++); } });",
        9,
    ),
    // A b-thread that does not use the store stays by itself. Random choices in a group.
    (
        "bp.registerBThread('a', () => { bp.store.put('n', bp.random.nextInt(2)); bp.sync({request: bp.Event('a')});
        bp.ASSERT(bp.store.get('n') + bp.store.get('m') < 2, 'both'); });
      bp.registerBThread('b', () => { bp.store.put('m', bp.random.nextInt(2)); bp.sync({request: bp.Event('b')}); });
      bp.registerBThread('c', () => { bp.sync({waitFor: bp.Event('a'), block: bp.Event('b')}); });",
        4,
    ),
    // B-threads that register others, at the start and later, with data, and in a function.
    (
        "function add(name, n) { bp.registerBThread(name, {n}, () => { bp.thread.data.n++;
        bp.sync({request: bp.Event(bp.thread.name, bp.thread.data.n)}); }); }
      bp.registerBThread('p', () => { add('one', 1); bp.sync({request: bp.Event('p')});
        for (let i = 0; i < 2; i++) bp.registerBThread('k' + i, () => { let mine = i;
          bp.sync({request: bp.Event('k', mine), block: bp.Event('q')}); });
        bp.sync({request: bp.Event('q')}); });",
        7,
    ),
    // A new b-thread registers another one in the same step.
    (
        "bp.registerBThread('a', () => { bp.registerBThread('b', () => { bp.registerBThread('c', () => {
          bp.sync({request: bp.Event('c'), block: bp.Event('a')}); bp.ASSERT(false, 'c'); });
        bp.sync({waitFor: bp.Event('c')}); bp.sync({request: bp.Event('b')}); });
        bp.sync({request: bp.Event('a')}); });",
        4,
    ),
    // A b-thread for each event.
    (
        "const all = bp.EventSet('all', e => e.name === 'in');
      bp.registerBThread('s', () => { for (let i = 0; i < 3; i++) bp.sync({request: bp.Event('in', i)}); });
      bp.registerBThread('f', () => { while (true) { const d = bp.sync({waitFor: all}).data;
        bp.registerBThread('w' + d, () => { bp.sync({request: bp.Event('out', d)}); }); } });",
        6,
    ),
    // Forks: copies of all variables. The parent goes on with a false value.
    (
        "bp.registerBThread('s', () => { let n = 0; const o = {list: [1]}; bp.sync({request: bp.Event('s')});
        const isChild = bp.fork() ? 'child' : 'parent'; n += isChild.length; o.list.push(n);
        bp.sync({request: bp.Event(isChild, o.list)}); o.list.push(isChild);
        bp.sync({request: bp.Event('end', o)}); });",
        6,
    ),
    (
        "bp.registerBThread('s', () => { const a = bp.fork() ? 1 : 0, b = bp.fork() ? 1 : 0;
        const c = bp.random.nextInt(2); bp.sync({request: bp.Event('f', [a, b, c])}); });",
        4,
    ),
    // Forks and the store.
    (
        "bp.registerBThread('s', () => { bp.store.put('n', 1); bp.sync({request: bp.Event('s')});
        bp.store.put('p', 2); const isChild = bp.fork() ? true : false;
        bp.sync({request: bp.Event('e', [isChild, bp.store.get('n'), bp.store.get('p')])});
        bp.store.put('n', isChild); bp.sync({request: bp.Event('f', bp.store.get('p'))}); });",
        5,
    ),
    // External events come when nothing else can be selected, in their order, if no b-thread blocks them.
    (
        "bp.setWaitForExternalEvents(true); const x = bp.Event('x'), y = bp.Event('y', 1);
      bp.enqueueExternalEvent(x); bp.enqueueExternalEvent(y);
      bp.registerBThread('a', () => { bp.sync({request: bp.Event('a')}); bp.enqueueExternalEvent(bp.Event('z'));
        bp.sync({waitFor: y, block: x}); bp.sync({request: bp.Event('b'), block: [bp.Event('b'), x]});
        bp.sync({request: bp.Event('never')}); });
      bp.registerBThread('l', () => { while (true) bp.sync({waitFor: bp.all}); });",
        7,
    ),
    // Interrupt handlers.
    (
        "const stop = bp.Event('stop');
      bp.registerBThread('a', () => { let n = 0; bp.setInterruptHandler(e => { n += 5;
        bp.enqueueExternalEvent(bp.Event('last', [e.name, n])); bp.enqueueExternalEvent(e); });
        while (n < 3) { bp.sync({request: bp.Event('n', n), interrupt: stop}); n++; } });
      bp.registerBThread('b', () => { bp.sync({waitFor: bp.Event('n', 0)}); bp.sync({request: stop});
        bp.sync({waitFor: bp.all}); bp.sync({waitFor: stop}); bp.sync({request: bp.Event('end')}); });",
        7,
    ),
    (
        "bp.registerBThread('a', () => { bp.setInterruptHandler(() => bp.registerBThread('h', () =>
        bp.sync({request: bp.Event('h')}))); bp.sync({interrupt: bp.Event('e')}); });
      bp.registerBThread('b', () => { bp.sync({request: bp.Event('e')}); bp.sync({request: bp.Event('f')}); });",
        4,
    ),
    // The data of a b-thread.
    (
        "bp.registerBThread('a', () => { bp.thread.data = {n: 1}; bp.sync({request: bp.Event('a', bp.thread.data)});
        bp.thread.data.n += 2; const x = (bp.thread.data = [bp.thread.data.n]);
        bp.sync({request: bp.Event('a', [x, bp.thread.data])}); });",
        3,
    ),
    // Shared functions that use the store.
    (
        "function lock(me) { while (bp.store.has('lock')) bp.sync({waitFor: bp.Event('free')});
        bp.store.put('lock', me);
        bp.sync({request: bp.Event('in', me)}); bp.ASSERT(bp.store.get('lock') === me, 'stolen');
        bp.store.remove('lock');
        bp.sync({request: bp.Event('free')}); }
      for (const me of ['a', 'b']) bp.registerBThread(me, () => lock(me));",
        6,
    ),
];

#[test]
fn groups_have_the_words_that_node_finds() {
    let programs: Vec<(String, usize)> = PROGRAMS.iter().map(|(s, d)| ((*s).to_owned(), *d)).collect();
    compare(&programs);
}

#[test]
fn only_b_threads_that_share_something_are_together() {
    let text = "bp.registerBThread('A', () => { bp.store.put('a', {n: 1}); bp.sync({request: bp.Event('a')}); });
bp.registerBThread('B', () => { let n = 4; bp.sync({waitFor: bp.Event('a')}); bp.sync({request: bp.Event('b', n)}); });
bp.registerBThread('C', () => { bp.sync({waitFor: bp.Event('a')});
  bp.ASSERT(bp.store.get('a').n > 1, 'small'); });
bp.registerBThread('D', () => { const k = 3; bp.registerBThread(() => bp.sync({request: bp.Event('d', k)}));
  bp.sync({request: bp.Event('d')}); });";
    let program = program(text);
    let names: Vec<&str> = program.threads().iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["A, C", "B", "D"]);
    let values = |t: u32, s: u32| program.position(ThreadId(t), LocalId(s)).map(|p| p.values.to_owned());
    assert_eq!(values(0, 0).as_deref(), Some("A at 1, C at 3, store a = {n:1}"));
    assert_eq!(values(2, 0).as_deref(), Some("D at 6, autoadded at 5, autoadded.k = 3"));
    let bad = program.threads()[0].states.iter().position(|s| s.bad).expect("a bad state");
    assert_eq!(values(0, bad as u32).as_deref(), Some("assertion failed: small"));
}

#[test]
fn a_storage_conflict_is_a_bad_state() {
    let text = "bp.registerBThread('A', () => { bp.store.put('k', 1); });
        bp.registerBThread('B', () => { bp.store.put('k', 2); });";
    let program = program(text);
    assert_eq!(words(&program, 1), ["|bad"]);
    let position = program.position(ThreadId(0), LocalId(0)).expect("a position");
    assert_eq!(position.values, "storage conflict: b-threads change the key `k` differently");
}

#[test]
fn new_b_threads_in_another_order_are_the_same_state() {
    let text = "bp.registerBThread('A', () => { for (const n of [1, 2]) bp.registerBThread('k', () =>
          bp.sync({request: bp.Event('k')})); bp.sync({waitFor: bp.none}); });
        bp.registerBThread('B', () => { bp.fork(); bp.sync({request: bp.Event('b')}); });";
    assert_eq!(program(text).threads().iter().map(|t| t.states.len()).collect::<Vec<_>>(), [2, 2]);
}

#[test]
fn one_member_of_a_group_may_be_hot() {
    let hot = |names: &str| {
        format!(
            "bp.registerBThread('A', () => {{ bp.store.put('a', 1); bp.hot({}).sync({{request: bp.Event('a')}}); }});
            bp.registerBThread('B', () => {{ bp.store.get('a'); bp.sync({{waitFor: bp.Event('a')}});
              bp.hot({}).sync({{request: bp.Event('b')}}); }});",
            names.contains('A'),
            names.contains('B')
        )
    };
    let program = program(&hot("A"));
    assert_eq!((0..3).map(|s| program.is_hot(ThreadId(0), LocalId(s))).collect::<Vec<_>>(), [true, false, false]);
    assert_eq!(error(&hot("AB")).code(), "js::unsupported");
}

#[test]
fn what_bpjs_leaves_open_is_refused() {
    let thread = |text: &str| format!("bp.registerBThread('T', function() {{\n{text}\n}});");
    let step = "bp.sync({request: bp.Event('a')});";
    let cases = [
        // Variables that a b-thread shares with one that it registers.
        (format!("let n = 0; bp.registerBThread(() => {{ n; {step} }}); {step}\nn++; {step} n;"), "js::shared", 3),
        (format!("let n = 0; bp.registerBThread(() => {{\nn++; }}); {step} bp.log.info(n);"), "js::shared", 3),
        (format!("let n = 0; for (const i of [1, 2]) bp.registerBThread(() => {{\nn++; }}); {step}"), "js::shared", 3),
        // Objects that a b-thread keeps after it put them into the store, or got them.
        (format!("const o = {{}}; bp.store.put('o', o); {step}\no.x = 1; {step} o.x;"), "js::shared", 3),
        (
            format!("bp.store.put('o', []); {step} const o = bp.store.get('o'); {step}\no.push(1); o[0];"),
            "js::shared",
            3,
        ),
        ("const o = []; bp.store.put('a', o); bp.store.put('b', o);".to_owned(), "js::unsupported", 1),
        (
            format!("bp.store.put('o', {{}}); {step} const o = bp.store.get('o'); {step}\no === bp.store.get('o');"),
            "js::unsupported",
            3,
        ),
        // Names that BPjs numbers.
        (format!("bp.fork(); {step}\nbp.Event(bp.thread.name);"), "js::unsupported", 3),
        (format!("bp.registerBThread(() => {{\nbp.thread.name; }}); {step}"), "js::unsupported", 3),
        // Handlers.
        ("bp.setInterruptHandler(() => bp.sync({})); bp.sync({interrupt: bp.all});".to_owned(), "js::unsupported", 2),
        (
            "bp.setInterruptHandler(() => bp.ASSERT(false)); bp.sync({interrupt: bp.all});".to_owned(),
            "js::unsupported",
            2,
        ),
        ("bp.setInterruptHandler(() => null.x); bp.sync({interrupt: bp.all});".to_owned(), "js::runtime", 2),
        ("bp.setInterruptHandler(() => bp.store.size()); bp.sync({interrupt: bp.all});".to_owned(), "js::pure", 2),
        ("bp.setInterruptHandler(() => 1); bp.fork();".to_owned(), "js::unsupported", 2),
        // Other uses.
        ("bp.store.put(1, 2);".to_owned(), "js::unsupported", 2),
        ("bp.store.put('a', undefined);".to_owned(), "js::unsupported", 2),
        ("bp.store.filter((k, v) => true);".to_owned(), "js::unsupported", 2),
        ("bp['store'].get('a');".to_owned(), "js::unsupported", 2),
        ("bp['fork']();".to_owned(), "js::unsupported", 2),
        ("while (true) bp.registerBThread(() => 1);".to_owned(), "js::loop", 2),
        ("(function f() { bp.registerBThread(f); })();".to_owned(), "js::loop", 2),
        (
            format!("bp.sync({{block: bp.EventSet('s', e => {{ bp.store.put('a', 1);\nreturn true; }})}}); {step}"),
            "js::pure",
            2,
        ),
    ];
    let other = format!("bp.registerBThread('U', () => {{ while (true) {step} }});\n");
    for (text, code, line) in cases {
        let text = format!("{}\n{other}", thread(&text));
        let error = error(&text);
        let found = (error.code(), error.line_column().map(|(line, _)| line));
        assert!(found.0 == code && (found.1 == Some(line) || code == "js::loop"), "{found:?} {error}\n{text}");
        assert!(miette::Diagnostic::help(error.as_ref()).is_some(), "{error}");
    }
    // The order of the b-threads of a step matters.
    let both = |a: &str, b: &str| {
        format!(
            "const e = bp.Event('e'); bp.store.put('o', [1]);
            bp.registerBThread('A', () => {{ bp.sync({{request: e}}); {a} }});
            bp.registerBThread('B', () => {{ bp.sync({{request: e}}); {b} }});"
        )
    };
    let race = both("bp.store.get('o').push(1);", "bp.log.info(bp.store.get('o').length);");
    assert_eq!(error(&race).code(), "js::shared");
    assert_eq!(error(&both("bp.store.put('o', {x: 1});", "bp.store.put('o', {x: 2});")).code(), "js::shared");
    let queue = both("bp.enqueueExternalEvent(bp.Event('a'));", "bp.enqueueExternalEvent(bp.Event('b'));");
    assert_eq!(error(&queue).code(), "js::unsupported");
    let equal = both("bp.enqueueExternalEvent(e);", "bp.enqueueExternalEvent(e);");
    assert_eq!(words(&program(&equal), 3), [" e|end", "|go"]);
}

#[test]
fn what_grows_without_end_is_named() {
    let endless = |body: &str| {
        let text = format!("bp.registerBThread('T', function() {{\n{body}\n}});");
        let error = read_as("t.js", &text).map(|_| ()).expect_err(body);
        (error.code(), error.to_string())
    };
    let (code, message) = endless("while (true) bp.fork();");
    assert_eq!((code, message.contains("b-threads begin in one step")), ("js::loop", true), "{message}");
    let (code, message) = endless("while (true) bp.registerBThread(() => 1);");
    assert_eq!((code, message.contains("b-threads begin in one step")), ("js::loop", true), "{message}");
    let (code, message) = endless("while (true) bp.enqueueExternalEvent(bp.Event('x'));");
    assert_eq!((code, message.contains("are enqueued without a sync")), ("js::loop", true), "{message}");
    let twice = "bp.enqueueExternalEvent(bp.Event('x'));".repeat(2);
    let (code, message) = endless(&format!("while (true) {{ {twice} bp.sync({{waitFor: bp.all}}); }}"));
    assert_eq!((code, message.contains("wait in the queue")), ("js::memory", true), "{message}");
}
