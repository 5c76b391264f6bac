//! Tests of names that the host of a BPjs program has: classes of JavaScript and of Java. The expected values are those
//! of BPjs 0.14.0 with Rhino.

use crate::read_as;
use miette::Diagnostic;
use model::Program;

fn program(text: &str) -> Program {
    let read = read_as("t.js", text).unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.line_column()));
    Program::clone(read.problem.system().as_program().expect("a program"))
}

/// Returns what a b-thread says: these values as texts.
pub(crate) fn said(before: &str, values: &[&str]) -> Vec<String> {
    let texts: Vec<String> = values.iter().map(|value| format!("String({value})")).collect();
    let says = format!("bp.sync({{request: bp.Event('e', [{}])}});", texts.join(", "));
    let program = program(&format!("{before}\nbp.registerBThread('T', () => {{ {says} }});"));
    let data = program.events()[0].trim_start_matches("e([\"").trim_end_matches("\"])").to_owned();
    data.split("\",\"").map(str::to_owned).collect()
}

pub(crate) fn refused(text: &str) -> (&'static str, usize, String) {
    let text = format!("{text}\nbp.registerBThread('T', () => bp.sync({{request: bp.Event('a')}}));");
    let error = read_as("t.js", &text).map(|_| ()).expect_err(&text);
    let hint = error.help().map_or_else(String::new, |hint| hint.to_string());
    (error.code(), error.line_column().map_or(0, |(line, _)| line), hint)
}

#[test]
fn a_name_that_nothing_has_is_an_error_where_it_is_read() {
    let aside = "function never() { return host.call(later); }\n";
    assert_eq!(said(aside, &["false && host"]), ["false"]);
    let read = read_as("t.js", &format!("{aside}bp.registerBThread('T', () => {{}});")).expect("it never runs");
    let warned: Vec<String> = read.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warned.len(), 2, "{warned:?}");
    assert!(warned.iter().all(|text| text.contains("a run that gets here is not read")), "{warned:?}");
    for text in ["never();", "try { never(); } catch (e) {}", "const x = [host];"] {
        assert_eq!(refused(&format!("{aside}{text}")).0, "js::unknown-name", "{text}");
    }
}

#[test]
fn imports_of_java_are_nothing_without_the_names_that_they_bring() {
    let imports = "importPackage(Packages.il.ac.bgu.cs.bp.events, java.util);\nimportClass(java.util.ArrayList);\n\
        importClass(Packages.il.ac.bgu.cs.bp.bpjs.model.eventsets.EventSets);";
    assert_eq!(said(imports, &["importPackage(java.awt)", "[1].length"]), ["undefined", "1"]);
    for name in ["StaticEvents.GO", "new ArrayList()", "java.util.List", "importPackage"] {
        let (code, line, hint) = refused(&format!("{imports}\nconst x = {name};"));
        assert_eq!((code, line), ("js::unknown-name", 4), "{name}");
        assert!(hint.contains("Java"), "{name}: {hint}");
    }
}

/// What is no package or class fails in BPjs, and a class may have the name of something else.
#[test]
fn other_imports_are_refused() {
    for call in [
        "importPackage(java.util.ArrayList)",
        "importClass(java.util)",
        "importPackage('java.util')",
        "importPackage(util.list)",
        "importClass(Packages.Math)",
        "const Move = 1; importClass(Packages.a.Move)",
    ] {
        assert_eq!(refused(&format!("\n{call};")).0, "js::unsupported", "{call}");
    }
    // The program's own function.
    assert_eq!(said("function importPackage(x) { return x + 1; }", &["importPackage(1)"]), ["2"]);
}

#[test]
fn a_name_that_an_import_may_bring_is_no_unset_variable() {
    assert_eq!(said("importPackage(java.util);", &["typeof move"]), ["undefined"]);
    for use_of in ["const t = typeof Move;", "if (typeof Move === 'undefined') bp.log.info(1);", "if (!N) N = 1;"] {
        assert!(
            read_as("t.js", &format!("{use_of}\nbp.registerBThread('T', () => bp.sync({{}}));")).is_ok(),
            "{use_of}"
        );
        let (code, line, _) = refused(&format!("importPackage(Packages.a.b);\n{use_of}"));
        assert_eq!((code, line), ("js::unsupported", 2), "{use_of}");
    }
}

/// `typeof java` was `undefined`.
#[test]
fn typeof_of_a_name_that_bpjs_has_is_not_undefined() {
    for name in ["WeakMap", "java", "Symbol", "globalThis", "importPackage", "toString"] {
        assert_eq!(refused(&format!("\nconst t = typeof {name};")).0, "js::unknown-name", "{name}");
        let test = format!("\nif (typeof {name} !== 'undefined') bp.registerBThread('U', () => bp.sync({{}}));");
        assert_eq!(refused(&test).0, "js::unknown-name", "{name}");
    }
    assert_eq!(said("", &["typeof console", "typeof Function", "typeof Math"]), ["undefined", "function", "object"]);
    assert_eq!(refused("\nMap = 1;").0, "js::unsupported");
    assert_eq!(refused("\nconst x = Object(5);").0, "js::unsupported", "it was a `TypeError`");
}

#[test]
fn instances_of_known_classes() {
    let before = "const list = [1]; function f() {} const e = bp.Event('a', list);
        function caught(g) { try { return g(); } catch (e) { return e.name; } }";
    let values = [
        ("list instanceof Array", "true"),
        ("e.data instanceof Array", "true"),
        ("list instanceof Object", "true"),
        ("({}) instanceof Object", "true"),
        ("({}) instanceof Array", "false"),
        ("f instanceof Function && f instanceof Object && !(f instanceof Array)", "true"),
        ("Math.floor instanceof Function", "true"),
        ("(() => 1) instanceof Function", "true"),
        ("e instanceof Object", "false"),
        ("bp.EventSet('s', f) instanceof Object", "false"),
        ("e.name instanceof String || 5 instanceof Number || null instanceof Object", "false"),
        ("'x' instanceof Error || list instanceof TypeError", "false"),
        ("list instanceof f || e instanceof (() => 1)", "false"),
        ("caught(() => 5 instanceof 5)", "TypeError"),
    ];
    let (texts, expected): (Vec<_>, Vec<_>) = values.into_iter().unzip();
    assert_eq!(said(before, &texts), expected);
    for value in [
        "new Error('x') instanceof Error",
        "bp.Event('a') instanceof bp.Event",
        "bp instanceof Object",
        "1 instanceof {}",
    ] {
        assert_eq!(refused(&format!("\nconst x = {value};")).0, "js::unsupported", "{value}");
    }
}

/// The message was that of a variable before its declaration.
#[test]
fn a_variable_that_is_only_assigned_later_is_not_defined() {
    let text = "bp.registerBThread('T', () => {
        let m = ''; try { count; } catch (e) { m = e.name + ': ' + e.message; }
        bp.sync({request: bp.Event(m)}); count = 1; bp.sync({request: bp.Event('n', count)}); });";
    assert_eq!(program(text).events(), ["ReferenceError: count is not defined", "n(1)"]);
    let dead = "bp.registerBThread('T', () => {
        let m = ''; try { m = count; } catch (e) { m = e.message; } let count = 1;
        bp.sync({request: bp.Event(m)}); });";
    assert_eq!(program(dead).events(), ["Cannot access 'count' before initialization"]);
}
