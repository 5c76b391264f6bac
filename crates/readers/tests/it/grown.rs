//! What readers say of variables that grow without end.

use impasse_readers::{Error, Limits, Source, read};
use model::Grown;

/// Reads a text that is refused. Returns the error, and what has grown.
fn refused(name: &str, text: &str) -> (Box<Error>, Grown) {
    let limits = Limits::default();
    let source = Source { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
    let error = read(source, None, &limits).map(|_| ()).expect_err(text);
    (error, limits.growth.most().expect("a variable grows"))
}

/// Reading may be stopped at any time. What has grown so far is known then.
#[test]
fn a_growing_variable_of_a_b_thread_is_known_while_it_is_read() {
    let text = "bp.registerBThread('C', function () { let n = 0;
        while (true) { bp.sync({request: bp.Event('tick')}); n = n + 1; } });";
    let (error, grown) = refused("c.js", text);
    assert!(error.message().contains("`n` takes more than 16383 values"), "{error}");
    let Grown::Variable { thread, variable, range, values } = &grown else { panic!("{grown:?}") };
    assert_eq!((thread.as_str(), variable.as_str(), *range), ("C", "n", None));
    assert!(*values >= 8192, "{grown:?}");
}

/// A hot state needs listed states, so the range is too large.
#[test]
fn a_variable_with_a_large_range_is_named_with_it() {
    let text = "rwb 2 event tick thread C { var n: 0..1000000 body { loop { hot request tick  n = n + 1 } } }";
    let (error, grown) = refused("c.rwb", text);
    let named = "thread `C` has too many states: `n` (0..1000000) takes more than";
    assert!(error.message().contains(named) || error.message().contains("a hot state"), "{error}");
    let Grown::Variable { variable, range, .. } = &grown else { panic!("{grown:?}") };
    assert_eq!((variable.as_str(), *range), ("n", Some((0, 999_999))));
}
