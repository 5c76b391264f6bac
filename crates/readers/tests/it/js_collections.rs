//! Tests of maps and sets in BPjs programs. The expected values are those of Node and of Rhino.

use crate::js_host::{refused, said};
use crate::read_as;

const BEFORE: &str =
    "const m = new Map([[1, 'x'], ['1', 'y'], [NaN, 'z']]); const s = new Set([3, 1, 3]); const list = [1];
    const e = bp.Event('e'); function caught(g) { try { return g(); } catch (e) { return e.name; } }";

#[test]
fn maps_and_sets_keep_the_order_of_insertion() {
    let before = format!("{BEFORE} const own = bp.EventSet('own', e => s.has(e.data));");
    let values = [
        ("[m.size, m.get(1), m.get('1'), m.get(NaN), m.get(2), m.has(NaN), m.has(2)]", "3,x,y,z,,true,false"),
        ("Array.from(s) + '|' + [...s] + '|' + s.has(3) + s.size", "3,1|3,1|true2"),
        ("Array.from(new Map(m)).join('|')", "1,x|1,y|NaN,z"),
        ("Array.from(new Set('hello')).join('') + new Set(null).size + new Map().size", "helo00"),
        ("Array.from(new Set(new Set([2, 1])), x => x + 1)", "3,2"),
        ("new Set([list, [1], list, e, e]).size", "3"),
        ("own.contains(bp.Event('a', 3)) + ' ' + own.contains(bp.Event('a', 4))", "true false"),
        (
            "[m instanceof Map, s instanceof Map, s instanceof Set, m instanceof Object, list instanceof Set]",
            "true,false,true,true,false",
        ),
        ("typeof Map + typeof m + m[0] + m.x", "functionobjectundefinedundefined"),
        ("caught(() => Map()) + caught(() => m.size())", "TypeErrorTypeError"),
    ];
    let (texts, expected): (Vec<_>, Vec<_>) = values.into_iter().unzip();
    assert_eq!(said(&before, &texts), expected);
    let change =
        "(() => { const m = new Map(); const out = [m.set(-0, 1) === m, 1 / Array.from(m)[0][0], m.set(NaN, 1).size,
        m.set(NaN, 2).size, m.delete(0), m.delete(0), m.get(NaN), m.clear(), m.size, new Set().add(1).add(1).size];
        return out.join(); })()";
    assert_eq!(said("", &[change]), ["true,Infinity,2,2,true,false,2,,0,1"]);
}

#[test]
fn what_goes_through_a_collection_is_refused() {
    for value in [
        "m.forEach(x => x)",
        "m.keys()",
        "s.values()",
        "s.union(s)",
        "m.add",
        "JSON.stringify(m)",
        "String(s)",
        "Object.keys(m)",
        "(() => { for (let x of s) return x; })()",
        "(() => { const [x] = s; return x; })()",
        "new Map([{0: 1}])",
        "new Set([bp.Event('e')]).has(bp.Event('e'))",
        "Map.groupBy(list, x => x)",
    ] {
        assert_eq!(refused(&format!("{BEFORE}\nconst x = {value};")).0, "js::unsupported", "{value}");
    }
    let data = "bp.registerBThread('T', () => bp.sync({request: bp.Event('e', new Set([1]))}));";
    assert!(read_as("t.js", data).is_err());
}

/// A collection is a part of the state, and two b-threads share none that changes.
#[test]
fn a_collection_is_a_part_of_the_state() {
    let text = "bp.registerBThread('T', () => { const s = new Set();
        while (s.size < 3) s.add(bp.sync({request: [bp.Event('a', 1), bp.Event('a', 2), bp.Event('a', 3)]}).data); });";
    let read = read_as("t.js", text).expect("a program");
    let program = read.problem.system().as_program().expect("a program").clone();
    // Lists of distinct numbers: 1 + 3 + 6, and the end.
    assert_eq!(program.threads()[0].states.len(), 11);
    let shared = "const s = new Set();\nfunction add() {\n  s.add(1); bp.sync({request: bp.Event('a')});\n}
        bp.registerBThread('A', add); bp.registerBThread('B', add);";
    let error = read_as("t.js", shared).map(|_| ()).expect_err("shared");
    assert_eq!((error.code(), error.line_column().map(|(line, _)| line)), ("js::shared", Some(3)));
}
