//! Tests of regular expressions in BPjs programs. The expected values are those of Node and of Rhino.

use crate::js_host::{refused, said};
use crate::read_as;

#[test]
fn known_matches() {
    let values = [
        ("/^(GoTo|Stop)/.test('StopNow') && !/^(GoTo|Stop)/.test('NoStop')", "true"),
        ("'a1b22'.search(/\\d\\d/)", "3"),
        ("'xyz'.search(/a/)", "-1"),
        ("'a1b22'.match(/\\d+/g).join()", "1,22"),
        ("'abc'.match(/\\d/g)", "null"),
        ("'abc'.match(/x?/g).length", "4"),
        ("'a-b_c'.replace(/[-_]/g, '')", "abc"),
        ("'aaa'.replace(/a/, 'b')", "baa"),
        ("'abc'.replace(/x*/g, '-')", "-a-b-c-"),
        ("'a, b ,c'.split(/\\s*,\\s*/).join('|')", "a|b|c"),
        ("'<a><b>'.match(/<.+?>/g)[0] + '<a><b>'.match(/<.+>/g)[0]", "<a><a><b>"),
        ("'abcd'.match(/ab|abcd/g)[0]", "ab"),
        ("'aab'.match(/(?:a|ab)(?:c|bcd|b)?/g).join()", "a,ab"),
        ("'aaaa'.match(/a{2,3}/g)[0].length + 'aaaa'.match(/a{2,3}?/g)[0].length", "5"),
        ("/HELLO/i.test('say hello') && !/[^a-z]/i.test('XYZ')", "true"),
        ("/^b$/m.test('a\\nb\\nc') && !/^b$/.test('a\\nb\\nc')", "true"),
        ("/\\bcat\\b/.test('a cat') && !/\\bcat\\b/.test('cats') && /\\Bs$/.test('cats')", "true"),
        ("/[\\]\\-a^]/.test('-') && /[a-]/.test('-') && /[/]/.test('/')", "true"),
        ("/a.c/.test('a\\nc') || /[^\\w\\s]/.test('a b_9')", "false"),
        ("'ab'.match(/b/) !== null && !('ab'.match(/c/) != null)", "true"),
        ("!'ab'.match(/b/) || 'ab'.match(/c/) === null", "true"),
        ("('ab'.match(/b/) ? 1 : 2) + ({match: x => x}.match(5) === null ? 10 : 20)", "21"),
        ("typeof (/a/) + (/a/ instanceof Object) + (/a/ === /a/)", "objecttruefalse"),
    ];
    let (texts, expected): (Vec<_>, Vec<_>) = values.into_iter().unzip();
    assert_eq!(said("", &texts), expected);
}

/// A variable of the script holds the expression, and an event set asks it.
#[test]
fn an_event_set_asks_a_regular_expression() {
    let text = "var MOVES = /^(GoTo|Slow)/;
        var moves = bp.EventSet('moves', function(e) { return (e.name.match(MOVES) !== null) });
        bp.registerBThread('A', function() { bp.sync({request: [bp.Event('GoTo'), bp.Event('Stop')], block: moves});
          bp.sync({request: bp.Event('Slow'), waitFor: moves}); });";
    let read = read_as("t.js", text).expect("a program");
    assert_eq!(read.problem.system().as_program().expect("a program").events(), ["GoTo", "Slow", "Stop"]);
}

/// What engines read differently, what has a state, and what is no regular expression for certain.
#[test]
fn other_regular_expressions_are_refused() {
    for value in [
        "/(a)\\1/.test('aa')",
        "/a(?=b)/.test('ab')",
        "/(?:a?)*/.test('')",
        "/é/.test('e')",
        "/a/u.test('a')",
        "/a/y.test('a')",
        "/\\u0061/.test('a')",
        "/[]/.test('a')",
        "/a]/.test('a]')",
        "/[\\w-z]/.test('a')",
        "/a{3,2}/.test('a')",
        "/a{1025}/.test('a')",
        "/a/g.test('a')",
        "/a/.exec('a')",
        "/a/.test('é')",
        "/a/.source",
        "'a'.match(/a/)",
        "'a'.match('a') !== null",
        "'a1b'.split(/(\\d)/)",
        "'ab'.split(/x*/)",
        "'a'.replace(/a/, '$&')",
        "'a'.replace(/a/, x => x)",
        "String(/a/)",
        "JSON.stringify(/a/)",
        "bp.Event('e', /a/)",
    ] {
        let text =
            format!("\nconst x = {value}; bp.registerBThread('T', () => bp.sync({{request: bp.Event('a', x)}}));");
        assert_eq!(refused(&text).0, "js::unsupported", "{value}");
    }
    // After a name or a brace, `/` divides.
    let divided = said("let a = 8, g = 2;", &["a /2/ g", "a++ /4/ g", "[8][0] /2/ g", "a-- /9/ g"]);
    assert_eq!(divided, ["2", "1", "2", "0.5"]);
}

/// Brackets inside of an expression do not nest, and a division hides none.
#[test]
fn the_depth_of_a_text_is_known_beside_regular_expressions() {
    let deep = |open: &str| format!("let of = 1;\nx = {open} {}1{};", "(".repeat(300), ")".repeat(300));
    assert_eq!(refused(&deep("/[(]/.test(1) +")).0, "limit::nesting");
    assert_eq!(refused(&deep("of /1/")).0, "js::unsupported");
    assert_eq!(said("", &[&format!("/{}/.test('((')", "\\(".repeat(400))]), ["false"]);
}
