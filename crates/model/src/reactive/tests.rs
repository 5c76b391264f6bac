use super::*;
use crate::ids::ArrayId;

#[test]
fn recursion_is_found_at_any_length() {
    let mut builder = Builder::new();
    builder.input(1);
    let functions: Vec<FunctionId> = (0..100_000).map(|i| builder.declare(format!("f{i}"))).collect();
    for (i, &f) in functions.iter().enumerate() {
        let body = functions.get(i + 1).map_or_else(Vec::new, |&next| vec![Stmt::Call(next)]);
        let body = builder.block(&body);
        builder.define(f, body);
    }
    assert!(builder.clone().finish(functions[0], Convention::Printed).is_ok());
    let back = builder.block(&[Stmt::Call(functions[0])]);
    builder.define(functions[99_999], back);
    assert!(matches!(builder.finish(functions[0], Convention::Printed), Err(Flaw::Recursion(_))));
}

#[test]
fn letters_are_those_of_the_alphabet() {
    assert_eq!([letter(1), letter(26), letter(27), letter(-1)], ["A", "Z", "27", "-1"]);
}

#[test]
fn elements_lie_in_their_array() {
    let mut builder = Builder::new();
    let array = builder.array("a", &[5, 6]);
    let x = builder.var("x", 0);
    let alias = builder.address(x);
    builder.input(1);
    let f = builder.declare("f");
    let body = builder.block(&[]);
    builder.define(f, body);
    let program = builder.finish(f, Convention::Printed).expect("a program");
    let value = |id: ArrayId| i32::try_from(id.0).expect("small");
    assert_eq!(program.element(value(array), 1).map(|v| program.name(v)), Some("a[1]"));
    assert_eq!(program.element(value(alias), 0), Some(x));
    assert_eq!((program.element(value(array), 2), program.element(7, 0), program.element(-1, 0)), (None, None, None));
}
