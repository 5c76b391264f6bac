//! Compares BPjs programs with Node: the words of events of all runs up to a depth. `js_shim.js` is an independent
//! definition of BPjs on top of a real engine.

use crate::read_as;
use model::{Goal, Program};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};
use testkit::program::{self, State};

/// Returns `WORD|STATUS` of all runs up to a depth, from the explicit program.
pub(crate) fn words(program: &Program, depth: usize) -> Vec<String> {
    let mut lines = BTreeSet::new();
    let mut layer: BTreeSet<(String, State)> =
        program::initial(program).into_iter().map(|s| (String::new(), s)).collect();
    for length in 0..=depth {
        let mut next = BTreeSet::new();
        for (word, state) in layer {
            let enabled = program::enabled(program, &state);
            let status = match program::goal(program, &state) {
                Some(Goal::Bad) => "bad",
                Some(_) => "dead",
                None if enabled.is_empty() => "end",
                None => "go",
            };
            lines.insert(format!("{word}|{status}"));
            if length < depth && status == "go" {
                for (event, to) in program::successors(program, &state) {
                    let name = program.event_name(event);
                    next.insert((format!("{word} {name}"), to));
                }
            }
        }
        layer = next;
    }
    lines.into_iter().collect()
}

/// Returns the same from the reader. An error of the top-level script gives `error`.
pub(crate) fn read_words(source: &str, depth: usize) -> Vec<String> {
    match read_as("t.js", source) {
        Ok(read) => words(read.problem.system().as_program().expect("a program"), depth),
        Err(error) if error.code() == "js::runtime" => vec!["error".to_owned()],
        Err(error) => panic!("{error} {:?}\n{source}", error.line_column()),
    }
}

/// Runs programs in Node. `None` if there is no Node.
pub(crate) fn node(programs: &[(String, usize)]) -> Option<Vec<Vec<String>>> {
    let shim = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/js_shim.js");
    let mut command = Command::new("node");
    let mut child = command.arg(shim).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let list: Vec<serde_json::Value> =
        programs.iter().map(|(source, depth)| serde_json::json!({"source": source, "depth": depth})).collect();
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(serde_json::to_string(&list).unwrap().as_bytes()).expect("node reads its input");
    drop(input);
    let output = child.wait_with_output().expect("node ends");
    assert!(output.status.success(), "the shim fails");
    Some(serde_json::from_slice(&output.stdout).expect("the shim writes JSON"))
}

/// Compares programs with Node.
pub(crate) fn compare(programs: &[(String, usize)]) {
    let Some(expected) = node(programs) else {
        eprintln!("skipped: no node");
        return;
    };
    for ((source, depth), expected) in programs.iter().zip(expected) {
        assert_eq!(read_words(source, *depth), expected, "{source}");
    }
}

/// Programs of many features, with the depth of the comparison.
pub(crate) const PROGRAMS: &[(&str, usize)] = &[
    // Hot and cold.
    (
        "const hot = bp.Event('hot'), cold = bp.Event('cold');
      bp.registerBThread('h', () => { for (let i = 0; i < 3; i++) bp.sync({request: hot}); });
      bp.registerBThread('c', () => { for (let i = 0; i < 3; i++) bp.sync({request: cold}); });
      bp.registerBThread('i', function() { while (true) {
        bp.sync({waitFor: hot, block: cold}); bp.sync({waitFor: cold, block: hot}); } });",
        6,
    ),
    // Data, and predicates on it.
    (
        "bp.registerBThread('s', function() { for (var i = 0; i < 4; i++) bp.sync({request: bp.Event('n', i)}); });
      const big = bp.EventSet('big', e => e.name === 'n' && e.data >= 2);
      bp.registerBThread('w', function() { const e = bp.sync({waitFor: big}); bp.sync({request: bp.Event('got',
        {v: e.data, k: ['x', null]}), block: big}); });",
        6,
    ),
    // Requests of several events, waiting for a list, priorities that are ignored.
    (
        "const E = ['a', 'b', 'c'].map(n => bp.Event(n));
      bp.registerBThread('r', function() { const seen = []; while (seen.length < 3) {
        const e = bp.sync({request: E.filter(x => !seen.includes(x.name))}, 50); seen.push(e.name); }
        bp.ASSERT(seen.join('') !== 'cab', 'not cab'); });
      bp.registerBThread('w', function() { bp.sync({waitFor: [E[0], E[1]]}); bp.sync({request: bp.Event('w'),
        block: E}); });",
        5,
    ),
    // Interrupts.
    (
        "const a = bp.Event('a'), b = bp.Event('b'), c = bp.Event('c');
      bp.registerBThread('x', function() { while (true) bp.sync({request: a, interrupt: b}); });
      bp.registerBThread('y', function() { bp.sync({waitFor: a}); bp.sync({request: b}); bp.sync({request: c}); });
      bp.registerBThread('z', function() { bp.sync({waitFor: b, interrupt: [b, c]});
        bp.sync({request: bp.Event('no')}); });",
        5,
    ),
    // Syncs in nested functions, closures with counters.
    (
        "function ask(name, n) { return bp.sync({request: bp.Event(name, n)}).data + 1; }
      function twice(f) { f(); f(); }
      bp.registerBThread('t', function() { let n = 0; const inc = () => { n = ask('e', n); };
        twice(inc); twice(() => twice(inc)); bp.sync({request: bp.Event('end', n)}); });",
        6,
    ),
    // B-threads in a loop, with data and own names.
    (
        "for (let i = 0; i < 3; i++) bp.registerBThread('t' + i, {i, list: [i]}, function() {
        bp.thread.data.list.push(i * 2);
        bp.sync({request: bp.Event(bp.thread.name, bp.thread.data)}); });",
        4,
    ),
    // Random choices.
    (
        "bp.registerBThread('t', function() { const n = bp.random.nextInt(3); bp.sync({request: bp.Event('n', n)});
        if (bp.random.nextBoolean()) bp.sync({request: bp.Event('yes')}); bp.ASSERT(n !== 1, 'one'); });",
        4,
    ),
    // Deadlock and errors.
    (
        "bp.registerBThread('t', function() { bp.sync({request: [bp.Event('a'), bp.Event('b')]}); let x;
      bp.sync({request: bp.Event('c')});
        return x.y; });
      bp.registerBThread('u', function() { const e = bp.sync({waitFor: bp.all});
        if (e.name === 'b') bp.sync({block: bp.all}); });",
        4,
    ),
    // Throw, and catch.
    (
        "function f(n) { if (n % 2) throw new Error('odd ' + n); if (n > 4) throw n; return n; }
      bp.registerBThread('t', function() { for (let i = 0; i < 7; i++) { let r;
        try { r = f(i); } catch (e) { r = typeof e === 'number' ? -e : e.message; }
        bp.sync({request: bp.Event('r', r)}); } null.x; });",
        9,
    ),
    // Every way out of a `try` with `finally`. (The shim cannot sync in a `try`: `js.rs` does.)
    (
        "const log = [], say = x => { log.push(x); };
      function f(n) { outer: for (let i = 0; i < 3; i++) { for (const k of [1, 2]) { try { if (n === 0) return 'r' + i;
        if (n === 1 && i === 1) break outer; if (n === 2) continue outer; if (n === 3) throw 't' + k;
        if (n === 4) null.x; say([n, i, k]); } catch (e) { if (n === 3) throw e + '!'; return typeof e; }
        finally { say('f' + n + i + k); if (n === 2 && i === 1) return 'over'; if (n === 5) break; } } } return 'end'; }
      bp.registerBThread('t', function() { for (let n = 0; n < 6; n++) { let r = '';
        try { try { r = f(n); } finally { r += n; } } catch (e) { r = 'caught ' + e; } say(r);
        bp.sync({request: bp.Event('log', log.splice(0))}); } });",
        8,
    ),
    (
        "bp.registerBThread('t', function() { const log = []; const f = n => { try { log.push(n);
        if (n) return f(n - 1); throw n; } finally { log.push(-n); if (n === 2) return 'x'; } };
        const r = f(3); bp.sync({request: bp.Event('e',
        [r, log])}); while (true) { try { continue; } finally { break; } } try { f(1); } finally { log.push('z');
        bp.sync({request: bp.Event('f', log)}); } });",
        4,
    ),
    // Event sets.
    (
        "const a = bp.Event('a'), b = bp.Event('b', 1), c = bp.Event('b', 2);
      const isB = bp.EventSet('isB', e => e.name == 'b');
      bp.registerBThread('r', function() { for (;;) bp.sync({request: [a, b, c]}); });
      bp.registerBThread('s', function() {
        bp.sync({waitFor: isB.and(c.negate()), block: bp.allExcept([a, b])});
        bp.sync({waitFor: c, block: bp.eventSets.not(bp.eventSets.anyOf(a, c))});
        bp.sync({waitFor: a, block: bp.eventSets.allOf(isB, bp.all).or(bp.none)});
        bp.sync({block: a.xor(isB)}); });",
        6,
    ),
    // Strings, switch, labels, destructuring.
    (
        "bp.registerBThread('t', function() {
        const say = (x) => bp.sync({request: bp.Event('s', x)});
        outer: for (const w of 'ab,cd,,ef'.split(',')) { switch (w) { case 'ab': say(w.toUpperCase()); break;
          case 'cd': for (const ch of w) { if (ch === 'd') continue outer; say(ch); } case '': say('none');
            break; default: break outer; } }
        const {x, y: [p, ...q], z = 7} = {x: 1, y: [2, 3, 4]}; say([x, p, q, z]);
        let [m, n] = [1, 2]; [m, n] = [n, m]; say(`${m}-${n}-${[m, [n]]}`); });",
        8,
    ),
    // Arrays and objects.
    (
        "bp.registerBThread('t', function() { const say = (...x) => bp.sync({request: bp.Event('s', x)});
        const a = [5, 1, 10]; say(a.slice().sort(), a.slice().sort((x, y) => x - y)); a.splice(1, 1, 'x', 'y');
          say(a, a.length, a.indexOf(10));
        const o = {b: 1, 2: 'two', a: 2, 1: 'one'}; for (const k in o) say(k, o[k]); delete o.b; o.c = o.a++ + 1;
        say(Object.keys(o), Object.values(o), JSON.stringify(o), 'c' in o, o.q?.r.s, o.q ?? 'none');
        say(a.map((x, i) => x + i).filter(x => x !== 'x1').reduce((s, x) => s + '/' + x, ''),
          Array.from({length: 3}, (_, i) => i * i)); });",
        9,
    ),
    // Numbers.
    (
        "bp.registerBThread('t', function() { const say = x => bp.sync({request: bp.Event('n', x)});
        say([0.1 + 0.2, 1e21, -1 / 3, 7 % -3, -7 % 3, 2 ** 10, 1 << 31, -1 >>> 28, ~5, 5 & 3 | 8 ^ 1]);
        say([+'12', +' ', +'x' + '', '3' * '4', '3' + 4, 3 - '1', true + 1, null + 1, [] + {}, [1] == 1,
          '1' == 1, null == 0, undefined == null]);
        say([Math.round(-2.5), Math.round(2.5), Math.max(), Math.min(1, '0'), Math.trunc(-1.5),
          parseInt('0x1f'), parseInt('12px'), Number('0b11'), (255).toString()]);
        let i = 5; say([i++ + ++i, i--, i, -0, 0 * -1, i += 2, i **= 2, i >>= 1]); });",
        5,
    ),
    // The same name in several scopes, and captured loop variables.
    (
        "bp.registerBThread('t', function() { const fs = []; for (let i = 0; i < 3; i++) { fs.push(() => i++);
      } var x = 1; { let x = 2; fs.push(() => x); }
        function g() { return x; } x = 9; bp.sync({request: bp.Event('v', fs.map(f => f()).concat(fs[0](), g(),
          typeof h, typeof nothing))}); function h() {} });",
        3,
    ),
    // forEach with syncs, methods with `this`, recursion.
    (
        "const tool = {n: 2, times(x) { return this.n * x; },
      each: function(list) { list.forEach(x => bp.sync({request: bp.Event('x', this.times(x))})); }};
      function fact(n) { return n < 2 ? 1 : n * fact(n - 1); }
      bp.registerBThread('t', function() { tool.each([1, 2, fact(5)]); });",
        5,
    ),
    // Temporal dead zone, constants, hoisting.
    (
        "bp.registerBThread('a', function() { bp.sync({request: bp.Event('a')}); const f = () => late;
      bp.sync({request: bp.Event('b', typeof v)}); var v = 1; f(); let late = 2; });
      bp.registerBThread('b', function() { const k = 1; bp.sync({request: bp.Event('k')}); k = 2; });",
        5,
    ),
];

#[test]
fn programs_have_the_words_that_node_finds() {
    let programs: Vec<(String, usize)> = PROGRAMS.iter().map(|(s, d)| ((*s).to_owned(), *d)).collect();
    compare(&programs);
}
